//! A share of a sample with Wilson's 95 % interval, which stays inside 0..1 and holds for few items.

/// A share and its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Share {
    /// Items in the part.
    pub part: u64,
    /// Items in the sample.
    pub whole: u64,
    /// The share, 0..1.
    pub share: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Returns a share with its interval; `None` for an empty sample.
#[must_use]
pub fn share(part: u64, whole: u64) -> Option<Share> {
    if whole == 0 {
        return None;
    }
    let part = part.min(whole);
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let (k, n) = (part as f64, whole as f64);
    let (p, zz) = (k / n, Z * Z);
    let middle = (p + zz / (2.0 * n)) / (1.0 + zz / n);
    let half = Z * (p * (1.0 - p) / n + zz / (4.0 * n * n)).sqrt() / (1.0 + zz / n);
    // Without this, rounding errors move the ends away from 0 and 1.
    let low = if part == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if part == whole { 1.0 } else { (middle + half).min(1.0) };
    Some(Share { part, whole, share: p, low, high })
}

impl Share {
    /// Returns whether two shares differ by more than chance: their intervals do not overlap.
    #[must_use]
    pub fn differs_from(&self, other: &Self) -> bool {
        self.low > other.high || other.low > self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_intervals_are_wilson_intervals() {
        // Expected values computed separately from the closed formula.
        for (part, whole, low, high) in [
            (0, 10, 0.0, 0.277_533),
            (1, 10, 0.017_876, 0.404_150),
            (5, 10, 0.236_593, 0.763_407),
            (50, 100, 0.403_832, 0.596_168),
            (10, 10, 0.722_467, 1.0),
        ] {
            let got = share(part, whole).unwrap_or(Share { part, whole, share: 0.0, low: 9.0, high: 9.0 });
            assert!((got.low - low).abs() < 1e-5 && (got.high - high).abs() < 1e-5, "{part}/{whole}: {got:?}");
        }
        assert_eq!(share(1, 0), None);
    }

    #[test]
    fn shares_of_few_items_never_differ() {
        let (few, all) = (share(3, 4), share(1, 4));
        assert!(!few.zip(all).is_some_and(|(a, b)| a.differs_from(&b)));
        let (many, none) = (share(300, 400), share(100, 400));
        assert!(many.zip(none).is_some_and(|(a, b)| a.differs_from(&b) && b.differs_from(&a)));
    }
}
