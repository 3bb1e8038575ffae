//! How much groups of days differ: weekends, weekdays, days before and after a change of level. Each effect is shrunk
//! towards zero as far as chance explains it (empirical Bayes; Efron and Morris, 1975). `usual` uses the effects.

/// A grouping of values: the group of each value, the number of groups, and today's group.
pub(super) struct Groups<'a> {
    pub(super) of: &'a [usize],
    pub(super) many: usize,
    pub(super) today: usize,
}

/// The evidence needed before groups count as different.
pub(super) struct EvidenceThreshold {
    /// Degrees of freedom left when each group has its own mean.
    pub(super) within: usize,
    /// Variance between groups as a multiple of the variance within them (the F ratio).
    pub(super) ratio: f64,
}

/// The effects of groups of days on their level.
pub(super) struct Effects {
    of: Vec<f64>,
    /// The variance by which today's group may still differ after its effect.
    pub(super) left: f64,
    /// Degrees of freedom used.
    pub(super) used: f64,
    /// The F ratio of an accepted effect; 0 if groups do not differ.
    pub(super) ratio: f64,
}

impl Effects {
    /// Effects of groups that do not differ.
    pub(super) fn none(many: usize) -> Self {
        Self { of: vec![0.0; many], left: 0.0, used: 0.0, ratio: 0.0 }
    }

    /// Estimates the effects of groups on values around zero; none if the evidence is too weak. `chance` is the least
    /// variance of the values.
    pub(super) fn of(values: &[f64], groups: &Groups<'_>, chance: f64, doubt: &EvidenceThreshold) -> Self {
        let many = groups.many;
        let mut sizes = vec![0.0; many];
        let mut means = vec![0.0; many];
        for (value, group) in values.iter().zip(groups.of) {
            if let (Some(size), Some(mean)) = (sizes.get_mut(*group), means.get_mut(*group)) {
                *size += 1.0;
                *mean += value;
            }
        }
        let filled = sizes.iter().filter(|size| **size > 0.0).count();
        let Some(within) = values.len().checked_sub(filled).filter(|within| filled > 1 && *within >= doubt.within)
        else {
            return Self::none(many);
        };
        let n = to_f64(values.len());
        let mean = values.iter().sum::<f64>() / n;
        for (own, size) in means.iter_mut().zip(&sizes) {
            *own = if *size > 0.0 { *own / size } else { mean };
        }
        let at = |group: usize| means.get(group).copied().unwrap_or(mean);
        let inside = values.iter().zip(groups.of).map(|(value, group)| (value - at(*group)).powi(2)).sum::<f64>();
        let inside = (inside / to_f64(within)).max(chance);
        // Variance components of a one-way layout with unequal group sizes.
        let between = sizes.iter().zip(&means).map(|(size, own)| size * (own - mean).powi(2)).sum::<f64>();
        let between = between / to_f64(filled - 1);
        let size = (n - sizes.iter().map(|size| size * size).sum::<f64>() / n) / to_f64(filled - 1);
        let effect = (between - inside) / size;
        if effect <= 0.0 || between < doubt.ratio * inside {
            return Self::none(many);
        }
        let kept = |size: f64| if size > 0.0 { effect / (effect + inside / size) } else { 0.0 };
        let used = sizes.iter().map(|size| kept(*size)).sum::<f64>() / to_f64(filled) * to_f64(filled - 1);
        let of = sizes.iter().zip(&means).map(|(size, own)| kept(*size) * (own - mean)).collect();
        let left = effect * (1.0 - sizes.get(groups.today).map_or(0.0, |size| kept(*size)));
        Self { of, left, used, ratio: between / inside }
    }

    pub(super) fn at(&self, group: usize) -> f64 {
        self.of.get(group).copied().unwrap_or(0.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of days")]
pub(super) fn to_f64(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    fn of(values: &[f64], ratio: f64) -> Effects {
        let groups: Vec<usize> = (0..values.len()).map(|place| place % 2).collect();
        let groups = Groups { of: &groups, many: 2, today: 1 };
        Effects::of(values, &groups, 1e-6, &EvidenceThreshold { within: 7, ratio })
    }

    #[test]
    fn clear_effects_are_kept_and_doubtful_ones_are_not() {
        let separate: Vec<f64> = (0..40).map(|n| [-1.0, 1.0][n % 2] + [0.1, -0.1][n / 2 % 2]).collect();
        let got = of(&separate, 4.0);
        assert!((got.at(0) + 1.0).abs() < 0.02 && (got.at(1) - 1.0).abs() < 0.02, "{} {}", got.at(0), got.at(1));
        assert!((0.9..=1.0).contains(&got.used) && got.left < 0.01 && got.ratio > 1_000.0, "{} {}", got.used, got.left);
        // A fifth of the scatter apart: twice what chance explains, so shrunk by half or rejected.
        let near: Vec<f64> = (0..40).map(|n| [-0.225, 0.225][n % 2] + [1.0, -1.0][n / 2 % 2]).collect();
        let (doubtful, believed) = (of(&near, 4.0), of(&near, 1.0));
        assert!((doubtful.at(1), doubtful.used, doubtful.left, doubtful.ratio) == (0.0, 0.0, 0.0, 0.0));
        assert!((0.08..0.15).contains(&believed.at(1)) && (1.5..2.5).contains(&believed.ratio), "{}", believed.at(1));
        // Too few to tell, or only one group.
        assert!(
            of(&separate[..8], 1.0).ratio == 0.0 && of(&separate[..1], 1.0).ratio == 0.0 && of(&[], 1.0).ratio == 0.0
        );
    }
}
