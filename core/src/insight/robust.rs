//! Median and scaled median absolute deviation: a center and a spread that a few outliers do not move. `daily::usual`
//! finds outlier days with it, `silence` the longest usual wait; they set their own limits.

/// Scales a median absolute deviation to the standard deviation of a normal distribution.
const SIGMA: f64 = 1.482_602_218_505_602;

/// The center and spread of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MedianMad {
    /// The median; 0 without values.
    pub(super) median: f64,
    /// The median absolute deviation, scaled to a standard deviation.
    pub(super) stray: f64,
}

/// Returns the median and the spread of values in any order.
pub(super) fn median_and_mad(values: impl IntoIterator<Item = f64>) -> MedianMad {
    let mut values: Vec<f64> = values.into_iter().collect();
    let median = median(&mut values);
    let mut away: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    MedianMad { median, stray: self::median(&mut away) * SIGMA }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |place: usize| values.get(place).copied().unwrap_or(0.0);
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) { f64::midpoint(at(half.saturating_sub(1)), at(half)) } else { at(half) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_do_not_move_median_and_mad() {
        for (values, median, stray) in [
            (vec![], 0.0, 0.0),
            (vec![7.0], 7.0, 0.0),
            (vec![4.0, 2.0], 3.0, SIGMA),
            (vec![100.0, 98.0, 102.0, 5_000.0, 100.0], 100.0, 2.0 * SIGMA),
        ] {
            assert_eq!(median_and_mad(values), MedianMad { median, stray });
        }
    }
}
