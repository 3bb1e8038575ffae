//! Converts evidence to a probability: a line from evidence to log-odds (Platt 1999), fitted to marks left out when the
//! weights were learned. In some topics words separate noise from good items and the line is steep; in others they do
//! not. Both lines are fitted, and each is weighted by how well it explains the marks. Then both are moved to the share
//! of good items in the whole stream, unless the marks were suggested.

use super::mark::TrainingMark;
use super::weights::logistic;

/// Prior slopes where words separate noise from good and where they do not, and their deviation.
const STEEP: f64 = 3.0;
const FLAT: f64 = 0.5;
const SLOPES: f64 = 0.5;
/// Prior log-odds of the usual item of a stream, and their deviation.
const USUAL: f64 = 1.0;
const USUALS: f64 = 1.5;
/// Prior deviation of the offset between marks that were suggested and those that were not.
const OFFSETS: f64 = 1.0;
/// How many times likelier the flat line is before any marks.
const DOUBT: f64 = 3.0;
/// Newton steps; a few are enough, because both priors keep the fit stable.
const STEPS: usize = 60;
/// Steps of the estimate of the share of good items. It has converged when a step changes it by less than [`CHANGE`].
const SHARE_STEPS: usize = 100;
const CHANGE: f64 = 1e-6;
/// The share of good marks counts as this many marks in that estimate, so that it never becomes 0 or 1.
const SHARE_PRIOR: f64 = 1.0;

/// A line, and how well it and its priors explain the marks (log evidence, Laplace).
#[derive(Debug, Clone, Copy)]
struct Line {
    at: f64,
    slope: f64,
    /// How much higher the log-odds of marks that were not suggested are than those of suggested ones.
    offset: f64,
    log_evidence: f64,
}

/// A mark, with the evidence learned from the other marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeftOut {
    pub(super) evidence: f64,
    pub(super) mark: TrainingMark,
}

impl Line {
    /// Fits a line. If some of the marks were suggested, the line is fitted to these, and the others have an offset
    /// from it: people mark the noise that they see.
    fn fit(marks: &[LeftOut], believed: f64) -> Self {
        let any_suggested = marks.iter().any(|one| one.mark.suggested);
        let has_offset = |one: &LeftOut| any_suggested && !one.mark.suggested;
        let (mut at, mut slope, mut offset, mut determinant) = (USUAL, believed, 0.0, 1.0);
        let (of_at, of_slope, of_offset) = (USUALS.powi(-2), SLOPES.powi(-2), OFFSETS.powi(-2));
        for _ in 0..STEPS {
            let (mut pull_at, mut pull_slope) = ((USUAL - at) * of_at, (believed - slope) * of_slope);
            let (mut aa, mut ab, mut bb) = (of_at, 0.0, of_slope);
            let (mut pull_offset, mut ao, mut bo, mut oo) = (-offset * of_offset, 0.0, 0.0, of_offset);
            for one in marks {
                let (evidence, is_offset) = (one.evidence, has_offset(one));
                let share = logistic(at + slope * evidence + if is_offset { offset } else { 0.0 });
                let (missed, weight) = (if one.mark.good { 1.0 - share } else { -share }, share * (1.0 - share));
                pull_at += missed;
                pull_slope += missed * evidence;
                aa += weight;
                ab += weight * evidence;
                bb += weight * evidence * evidence;
                if is_offset {
                    pull_offset += missed;
                    ao += weight;
                    bo += weight * evidence;
                    oo += weight;
                }
            }
            // The offset is eliminated from the three equations; without one, this changes nothing.
            let (aa, ab, bb) = (aa - ao * ao / oo, ab - ao * bo / oo, bb - bo * bo / oo);
            let (pull_at, pull_slope) = (pull_at - ao * pull_offset / oo, pull_slope - bo * pull_offset / oo);
            let of_line = aa * bb - ab * ab;
            let to_at = ((bb * pull_at - ab * pull_slope) / of_line).clamp(-1.0, 1.0);
            let to_slope = ((aa * pull_slope - ab * pull_at) / of_line).clamp(-0.5, 0.5);
            offset += ((pull_offset - ao * to_at - bo * to_slope) / oo).clamp(-1.0, 1.0);
            at += to_at;
            slope += to_slope;
            determinant = of_line * oo;
        }
        let priors = (at - USUAL).powi(2) * of_at / 2.0
            + (slope - believed).powi(2) * of_slope / 2.0
            + offset.powi(2) * of_offset / 2.0;
        let miss = |one: &LeftOut| {
            let odds = at + slope * one.evidence + if has_offset(one) { offset } else { 0.0 };
            (if one.mark.good { -odds } else { odds }).exp().ln_1p()
        };
        let log_evidence = -priors - marks.iter().map(miss).sum::<f64>() - determinant.ln() / 2.0;
        // More evidence never makes an item less likely to be good.
        Self { at, slope: slope.max(0.0), offset, log_evidence }
    }

    fn share(&self, evidence: f64) -> f64 {
        logistic(self.at + self.slope * evidence)
    }

    /// Returns how far the line moves, in log-odds, from the share of good items among the marks to that in the stream
    /// (expectation maximisation; Saerens, Latinne, Decaestecker 2002). Marks are rarely a random sample: people mark the
    /// noise that they see, and it can be ten times as frequent among the marks.
    fn move_to(self, stream: &[f64], marks: &[LeftOut]) -> f64 {
        let (count, all) = (stream.len().max(1) as f64, marks.len() as f64);
        let good = marks.iter().filter(|one| one.mark.good).count() as f64;
        let of_marks = (good + 0.5) / (all + 1.0);
        let mut moved = 0.0;
        for _ in 0..SHARE_STEPS {
            let expected =
                stream.iter().map(|evidence| logistic(self.at + self.offset + moved + self.slope * evidence));
            let share = (expected.sum::<f64>() / count * all + of_marks * SHARE_PRIOR) / (all + SHARE_PRIOR);
            let next = log_odds(share) - log_odds(of_marks);
            let change = (next - moved).abs();
            moved = next;
            if change < CHANGE {
                break;
            }
        }
        moved
    }
}

fn log_odds(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

/// Maps evidence to a probability.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calibration {
    steep: Line,
    flat: Line,
    /// The probability that words separate noise from good items in this topic.
    pub(super) tells: f64,
}

impl Calibration {
    /// Fits marks and the evidence of all items of the stream.
    pub(super) fn fit(marks: &[LeftOut], stream: &[f64]) -> Self {
        let (mut steep, mut flat) = (Line::fit(marks, STEEP), Line::fit(marks, FLAT));
        let tells = logistic(steep.log_evidence - flat.log_evidence - DOUBT.ln());
        let by_hand: Vec<LeftOut> = marks.iter().filter(|one| !one.mark.suggested).copied().collect();
        // Only the steep line shows the share: every share fits a flat line about equally well.
        let moved = steep.move_to(stream, &by_hand);
        // Suggested items were chosen by their evidence alone, and the line through them needs no move. It and the line
        // through the other marks, moved, each count as their number of marks.
        let part = by_hand.len() as f64 / marks.len().max(1) as f64;
        for line in [&mut steep, &mut flat] {
            line.at += part * (line.offset + moved);
        }
        Self { steep, flat, tells }
    }

    /// Returns the probability that an item is good.
    pub(super) fn share(&self, evidence: f64) -> f64 {
        self.tells * self.steep.share(evidence) + (1.0 - self.tells) * self.flat.share(evidence)
    }
}
