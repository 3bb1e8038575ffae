//! What is usual: the median of comparable days, and how far days stray from it. Robust, so that one wild day does not
//! become the measure of the next.

use super::{Day, Share};
use crate::insight::robust::{Middle, middle};

/// Days of the same weekday that are enough to be compared with.
const SAME_WEEKDAY: usize = 3;
/// Days of any kind that are enough.
const ANY_DAY: usize = 5;
/// How many days back any day is looked at, when weekdays are too few.
const LATEST: usize = 14;

/// What is usual.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Usual {
    /// The median.
    pub median: f64,
    /// Below this is unusual.
    pub low: f64,
    /// Above this is unusual.
    pub high: f64,
    /// Days it rests on.
    pub days: usize,
    /// Whether they are of the same weekday.
    pub same_weekday: bool,
}

/// What is usual on `day`, by earlier days with their counts, the earliest first; only days that can be compared (watched
/// and covered) belong in the list. `Err` tells how many there are where they are too few.
pub fn usual(day: &Day, earlier: &[(Day, u64)]) -> Result<Usual, usize> {
    let weekday: Vec<u64> =
        earlier.iter().filter(|(other, _)| other.date.weekday() == day.date.weekday()).map(|(_, n)| *n).collect();
    let same_weekday = weekday.len() >= SAME_WEEKDAY;
    let latest = earlier.get(earlier.len().saturating_sub(LATEST)..).unwrap_or_default();
    let counts: Vec<u64> = if same_weekday { weekday } else { latest.iter().map(|(_, n)| *n).collect() };
    if !same_weekday && counts.len() < ANY_DAY {
        return Err(counts.len());
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let Middle { median, stray } = middle(counts.iter().map(|n| *n as f64));
    // Counts scatter at least as much as rare events do.
    let spread = 2.0 * stray.max(median.sqrt());
    Ok(Usual { median, low: (median - spread).max(0.0), high: median + spread, days: counts.len(), same_weekday })
}

/// The share that is usual.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct UsualShare {
    /// The median.
    pub median: f64,
    /// Above this is unusual.
    pub high: f64,
    /// Samples it rests on.
    pub samples: usize,
}

/// Shares differ by at least so much before it means anything.
const LEAST_APART: f64 = 0.1;

/// The share that is usual, by earlier samples; `Err` tells how many there are where they are too few.
pub fn usual_share(earlier: &[Share]) -> Result<UsualShare, usize> {
    if earlier.len() < SAME_WEEKDAY {
        return Err(earlier.len());
    }
    let Middle { median, stray } = middle(earlier.iter().map(|share| share.share));
    Ok(UsualShare { median, high: median + (2.0 * stray).max(LEAST_APART), samples: earlier.len() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::days;
    use super::*;
    use crate::model::Time;

    fn history(counts: &[u64]) -> (Day, Vec<(Day, u64)>) {
        let all = days(Time::parse("2026-03-30T12:00:00Z").unwrap(), i32::try_from(counts.len()).unwrap() + 1, "UTC");
        let (last, before) = all.split_last().unwrap();
        (*last, before.iter().copied().zip(counts.iter().copied()).collect())
    }

    #[test]
    fn one_wild_day_does_not_move_what_is_usual() {
        let (day, before) = history(&[100, 104, 96, 5_000, 100, 98, 102]);
        let got = usual(&day, &before).unwrap();
        assert_eq!((got.median, got.days, got.same_weekday), (100.0, 7, false));
        assert!((79.0..81.0).contains(&got.low) && (119.0..121.0).contains(&got.high), "{got:?}");
    }

    #[test]
    fn three_equal_weekdays_are_compared_with_and_few_days_with_nothing() {
        let counts: Vec<u64> = (0..28).map(|day| if day % 7 == 0 { 10 } else { 500 }).collect();
        let (day, before) = history(&counts);
        let got = usual(&day, &before).unwrap();
        assert_eq!((got.median, got.days, got.same_weekday), (10.0, 4, true));
        let (day, before) = history(&[1, 2, 3, 4]);
        assert_eq!(usual(&day, &before), Err(4));
    }
}
