//! Checks whether the times of runs agree with the order in which they became readable. If they do not, the clock was
//! wrong.

use std::time::Duration;

use crate::model::Time;

/// A run that became readable before another may have started this much later: runs may take long.
const TOLERATED: Duration = Duration::from_secs(86_400);

/// Returns runs, given by number and time, in the order of their numbers, without those with wrong times: as few as
/// possible, so that the times of the others agree with their order. If two disagree, the later one counts as correct.
#[must_use]
pub fn runs_in_order(mut runs: Vec<(i64, Time)>) -> Vec<(i64, Time)> {
    runs.sort_unstable();
    runs.dedup();
    let mut latest = Time(i64::MIN);
    let agree = runs.iter().all(|(_, at)| {
        latest = latest.max(*at);
        latest <= at.plus(TOLERATED)
    });
    // Nearly always.
    if agree {
        return runs;
    }
    let believed = longest_in_order(&runs);
    runs.retain(|(seq, began)| {
        let (earlier, later) = believed.split_at(believed.partition_point(|(number, _)| number < seq));
        earlier.last().is_none_or(|(_, at)| *at <= began.plus(TOLERATED))
            && later.first().is_none_or(|(_, at)| *began <= at.plus(TOLERATED))
    });
    runs
}

/// Returns the longest part of runs, given by number, whose times never go back. Of several, the one that ends earliest.
fn longest_in_order(runs: &[(i64, Time)]) -> Vec<(i64, Time)> {
    // The last run of the best part of each length, and for each run the one before it in its part.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::with_capacity(runs.len()));
    for (place, (_, at)) in runs.iter().enumerate() {
        let length = ends.partition_point(|end| runs.get(*end).is_some_and(|(_, end)| end <= at));
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut part = Vec::with_capacity(ends.len());
    let mut last = ends.last().copied();
    while let Some(place) = last {
        part.extend(runs.get(place).copied());
        last = before.get(place).copied().flatten();
    }
    part.reverse();
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    /// The times, in days, that count as correct for runs in this order.
    fn believed(days: &[i64]) -> Vec<i64> {
        let runs = (1..).zip(days.iter().map(|day| Time(day * DAY))).collect();
        runs_in_order(runs).into_iter().map(|(_, at)| at.0 / DAY).collect()
    }

    #[test]
    fn times_that_contradict_the_order_by_over_a_day_are_wrong() {
        for days in [&[5][..], &[1, 2, 3, 3, 9][..], &[1, 3, 2, 4][..]] {
            assert_eq!(believed(days), days);
        }
    }

    #[test]
    fn runs_of_a_clock_ahead_or_behind_are_left_out() {
        for (days, expected) in [
            (&[0, 4, 1][..], &[0, 1][..]),
            (&[1, 2, 12, 13, 3, 4, 5, 11, 14][..], &[1, 2, 3, 4, 5, 11, 14][..]),
            (&[10, 11, 12, 13, 2, 14, 15][..], &[10, 11, 12, 13, 14, 15][..]),
            (&[1, 2, 30, 31, 3, 4, 40, 5, 6, 32][..], &[1, 2, 3, 4, 5, 6, 32][..]),
        ] {
            assert_eq!(believed(days), expected, "{days:?}");
        }
    }
}
