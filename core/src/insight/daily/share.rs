//! A share of a sample with its uncertainty: Wilson's 95 % interval, which stays inside 0..1 and is honest for few items.

/// A share and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Share {
    /// So many …
    pub part: u64,
    /// … of so many.
    pub whole: u64,
    /// The share, 0..1.
    pub share: f64,
    /// Where it lies at least, with 95 % confidence.
    pub low: f64,
    /// And at most.
    pub high: f64,
}

/// The normal distribution's 97.5 % point.
const Z: f64 = 1.959_963_984_540_054;

/// The share of a part; `None` of nothing.
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
    // What was counted in full or not at all needs no rounding error beside it.
    let low = if part == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if part == whole { 1.0 } else { (middle + half).min(1.0) };
    Some(Share { part, whole, share: p, low, high })
}

impl Share {
    /// Whether two shares differ by more than chance explains: their intervals do not touch.
    #[must_use]
    pub fn apart(&self, other: &Self) -> bool {
        self.low > other.high || other.low > self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Expected values from the closed formula, worked out apart.
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
    fn few_items_are_never_apart() {
        let (few, all) = (share(3, 4), share(1, 4));
        assert!(!few.zip(all).is_some_and(|(a, b)| a.apart(&b)));
        let (many, none) = (share(300, 400), share(100, 400));
        assert!(many.zip(none).is_some_and(|(a, b)| a.apart(&b) && b.apart(&a)));
    }
}
