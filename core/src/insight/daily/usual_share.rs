//! The usual share: the share predicted from earlier days, and a band around it for chance. Shares of few items vary by
//! chance, and days differ beyond that. The random-effects estimate of DerSimonian and Laird (1986) separates the two,
//! on the arcsine scale, where the variance of a share does not depend on it.

use super::Share;
use crate::insight::robust::{MedianMad, median_and_mad};
use crate::insight::student_t::student_t_quantile;

/// Samples needed before a share counts as usual.
pub const MIN_SAMPLES: usize = 5;
/// Days further from the median than this many robust deviations are cut to there.
const WILD: f64 = 4.0;
/// The part of the degrees of freedom used: the differences between days are estimated from few of them.
const BELIEVED: f64 = 0.6;
/// Normal quantiles for a calm day beyond an edge of the band (0.5 %), or far beyond (0.05 %).
const EDGE: f64 = 2.575_8;
const FAR: f64 = 3.290_5;
/// Items added to the part and to the rest of a sample (Anscombe 1948).
const ADDED: f64 = 0.375;

/// The usual range of a share. Its edges are meant for the share of a sample as counted.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct UsualShare {
    /// The share predicted from earlier samples.
    pub expected: f64,
    /// Below this is unusual.
    pub low: f64,
    /// Above this is unusual.
    pub high: f64,
    /// Above this is worth an alert.
    pub far: f64,
    /// The number of samples used.
    pub samples: usize,
}

/// Returns the usual share for a sample of `whole` items, given earlier samples. `Err` holds the number of samples if
/// there are too few.
pub fn usual_share(whole: u64, earlier: &[Share]) -> Result<UsualShare, usize> {
    if earlier.len() < MIN_SAMPLES {
        return Err(earlier.len());
    }
    let chance: Vec<f64> = earlier.iter().map(|share| chance(share.whole)).collect();
    let mut angles: Vec<f64> = earlier.iter().map(angle).collect();
    let MedianMad { median, stray } = median_and_mad(angles.iter().copied());
    for (angle, chance) in angles.iter_mut().zip(&chance) {
        let reach = WILD * stray.max(chance.sqrt());
        *angle = angle.clamp(median - reach, median + reach);
    }
    let between = between(&angles, &chance);
    let weights: Vec<f64> = chance.iter().map(|chance| 1.0 / (chance + between)).collect();
    let all: f64 = weights.iter().sum();
    let expected = angles.iter().zip(&weights).map(|(angle, weight)| angle * weight).sum::<f64>() / all;
    let deviation = (between + self::chance(whole) + 1.0 / all).sqrt();
    #[expect(clippy::cast_precision_loss, reason = "counts of days")]
    let freedom = (earlier.len() - 1) as f64 * BELIEVED;
    let edge = |quantile: f64| student_t_quantile(quantile, freedom) * deviation;
    Ok(UsualShare {
        expected: share_at(expected),
        low: counted(share_at(expected - edge(EDGE)), whole),
        high: counted(share_at(expected + edge(EDGE)), whole),
        far: counted(share_at(expected + edge(FAR)), whole),
        samples: earlier.len(),
    })
}

/// The share at an angle.
fn share_at(angle: f64) -> f64 {
    angle.clamp(0.0, std::f64::consts::FRAC_PI_2).sin().powi(2)
}

/// Returns the share that a sample of `whole` items shows where its corrected one, as in [`angle`], is `corrected`.
/// Without this, a sample in which nothing has a rare tone would lie below the band.
#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn counted(corrected: f64, whole: u64) -> f64 {
    if whole == 0 {
        return corrected;
    }
    ((corrected * (whole as f64 + 2.0 * ADDED) - ADDED) / whole as f64).clamp(0.0, 1.0)
}

/// Returns the angle of a share, corrected so that its mean and variance hold for few items, too.
#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn angle(share: &Share) -> f64 {
    ((share.part as f64 + ADDED) / (share.whole as f64 + 2.0 * ADDED)).sqrt().asin()
}

/// Returns the variance by chance of the angle of a share of `whole` items.
#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn chance(whole: u64) -> f64 {
    1.0 / (4.0 * whole as f64 + 2.0)
}

/// Returns the variance between samples beyond chance.
fn between(angles: &[f64], chance: &[f64]) -> f64 {
    let weights: Vec<f64> = chance.iter().map(|chance| 1.0 / chance).collect();
    let (all, squares) = (weights.iter().sum::<f64>(), weights.iter().map(|weight| weight * weight).sum::<f64>());
    let mean = angles.iter().zip(&weights).map(|(angle, weight)| angle * weight).sum::<f64>() / all;
    let scatter = angles.iter().zip(&weights).map(|(angle, weight)| weight * (angle - mean).powi(2)).sum::<f64>();
    #[expect(clippy::cast_precision_loss, reason = "counts of days")]
    let free = (angles.len() - 1) as f64;
    ((scatter - free) / (all - squares / all)).max(0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::share;
    use super::*;

    fn of(parts: &[(u64, u64)], whole: u64) -> Result<UsualShare, usize> {
        let earlier: Vec<Share> = parts.iter().filter_map(|(part, whole)| share(*part, *whole)).collect();
        usual_share(whole, &earlier)
    }

    #[test]
    fn few_items_and_varying_days_widen_the_usual_share() {
        let calm = [(20, 100), (22, 100), (18, 100), (21, 100), (19, 100), (20, 100), (20, 100)];
        let (many, few) = (of(&calm, 400).unwrap(), of(&calm, 20).unwrap());
        assert!((0.19..0.21).contains(&many.expected) && many.high < 0.35 && many.low > 0.09, "{many:?}");
        assert!(few.high > 0.45 && few.low < 0.02 && few.far > few.high, "{few:?}");
        let restless = [(5, 100), (45, 100), (10, 100), (30, 100), (20, 100), (2, 100), (38, 100)];
        assert!(of(&restless, 400).unwrap().high > 0.6);
        assert_eq!(of(&calm[..4], 400), Err(4));
    }

    #[test]
    fn zero_is_usual_for_a_rare_kind_and_all_for_a_common_one() {
        let rare: Vec<(u64, u64)> = [3, 2, 4, 1, 0, 3, 5, 2, 3, 4, 2, 3].iter().map(|part| (*part, 37)).collect();
        let common: Vec<(u64, u64)> = rare.iter().map(|(part, whole)| (whole - part, *whole)).collect();
        let (rare, common) = (of(&rare.repeat(3), 37).unwrap(), of(&common.repeat(3), 37).unwrap());
        assert!(rare.low <= 0.0 && rare.high < 0.3, "{rare:?}");
        assert!(common.high >= 1.0 && common.far >= 1.0 && common.low > 0.7, "{common:?}");
    }

    #[test]
    fn one_outlier_day_does_not_move_the_usual_share_and_it_stays_within_0_and_1() {
        let wild = [(20, 100), (22, 100), (95, 100), (21, 100), (19, 100), (20, 100), (20, 100), (21, 100)];
        let got = of(&wild, 400).unwrap();
        assert!(got.expected < 0.25 && got.high < 0.5, "{got:?}");
        for all in [[(0, 50); 6], [(50, 50); 6]] {
            let got = of(&all, 50).unwrap();
            assert!((0.0..=1.0).contains(&got.low) && (0.0..=1.0).contains(&got.far), "{got:?}");
        }
    }
}
