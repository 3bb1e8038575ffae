//! How far evidence can be believed: a line from evidence to log-odds (Platt 1999), fitted to marks that were left out while
//! the words were weighed. In some topics words tell noise from good, and the line is steep; in others they do not. A topic is
//! one or the other, so both are tried, and each counts as the marks make it likely.

use super::weights::logistic;

/// The slope where words tell noise from good, where they do not, and how far topics differ in it.
const STEEP: f64 = 3.0;
const FLAT: f64 = 0.5;
const SLOPES: f64 = 0.5;
/// What is believed of the usual item of a stream, as log-odds, and how far streams differ in it.
const USUAL: f64 = 1.0;
const USUALS: f64 = 1.5;
/// How many times likelier a topic is of the second sort before anybody marked anything.
const DOUBT: f64 = 3.0;
/// Newton's steps; a few are enough, as both priors keep the fit from running away.
const STEPS: usize = 60;

/// A line, and how well it and its priors explain the marks (log, Laplace).
#[derive(Debug, Clone, Copy)]
struct Line {
    at: f64,
    slope: f64,
    fits: f64,
}

impl Line {
    fn fit(marks: &[(f64, bool)], believed: f64) -> Self {
        let (mut at, mut slope, mut determinant) = (USUAL, believed, 1.0);
        let (of_at, of_slope) = (USUALS.powi(-2), SLOPES.powi(-2));
        for _ in 0..STEPS {
            let (mut pull_at, mut pull_slope) = ((USUAL - at) * of_at, (believed - slope) * of_slope);
            let (mut aa, mut ab, mut bb) = (of_at, 0.0, of_slope);
            for (evidence, good) in marks {
                let share = logistic(at + slope * evidence);
                let (missed, weight) = (if *good { 1.0 - share } else { -share }, share * (1.0 - share));
                pull_at += missed;
                pull_slope += missed * evidence;
                aa += weight;
                ab += weight * evidence;
                bb += weight * evidence * evidence;
            }
            determinant = aa * bb - ab * ab;
            at += ((bb * pull_at - ab * pull_slope) / determinant).clamp(-1.0, 1.0);
            slope += ((aa * pull_slope - ab * pull_at) / determinant).clamp(-0.5, 0.5);
        }
        let priors = (at - USUAL).powi(2) * of_at / 2.0 + (slope - believed).powi(2) * of_slope / 2.0;
        let miss = |(evidence, good): &(f64, bool)| {
            let odds = at + slope * evidence;
            (if *good { -odds } else { odds }).exp().ln_1p()
        };
        let fits = -priors - marks.iter().map(miss).sum::<f64>() - determinant.ln() / 2.0;
        // More evidence never makes an item less likely good.
        Self { at, slope: slope.max(0.0), fits }
    }

    fn share(&self, evidence: f64) -> f64 {
        logistic(self.at + self.slope * evidence)
    }
}

/// From evidence to a probability.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calibration {
    steep: Line,
    flat: Line,
    /// How likely words tell noise from good here.
    pub(super) tells: f64,
}

impl Calibration {
    /// Of marks with the evidence for each that the other marks gave.
    pub(super) fn fit(marks: &[(f64, bool)]) -> Self {
        let (steep, flat) = (Line::fit(marks, STEEP), Line::fit(marks, FLAT));
        Self { steep, flat, tells: logistic(steep.fits - flat.fits - DOUBT.ln()) }
    }

    /// How likely an item is good.
    pub(super) fn share(&self, evidence: f64) -> f64 {
        self.tells * self.steep.share(evidence) + (1.0 - self.tells) * self.flat.share(evidence)
    }
}
