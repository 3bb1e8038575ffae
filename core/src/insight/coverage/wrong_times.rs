//! Runs whose times contradict the order in which they became readable: the clock was wrong when they ran. The time that
//! they claim is not covered, also once it has come.

use std::time::Duration;

use crate::model::{RECORDED_AHEAD, RUN_AHEAD, RunSearch, Time};

/// A run that became readable before another may have started this much later: runs may take long.
const TOLERATED: Duration = Duration::from_secs(86_400);

/// Leaves out a topic's runs with wrong times: as few as possible, so that the times of the others agree with their order.
/// Of two that disagree, the later one is believed. Missed slots stay, except those that a clock recorded that was ahead.
#[must_use]
pub fn without_wrong_times(mut runs: Vec<RunSearch>) -> Vec<RunSearch> {
    runs.retain(|run| run.reason.as_deref().is_none_or(|reason| reason != RECORDED_AHEAD && reason != RUN_AHEAD));
    let mut made: Vec<(i64, Time)> =
        runs.iter().filter(|run| run.search.is_some()).map(|run| (run.seq, run.at)).collect();
    made.sort_unstable();
    made.dedup();
    let mut latest = Time(i64::MIN);
    let is_in_order = made.iter().all(|(_, at)| {
        latest = latest.max(*at);
        latest <= at.plus(TOLERATED)
    });
    // Nearly always.
    if is_in_order {
        return runs;
    }
    let believed = longest_in_order(&made);
    let agrees = |run: &RunSearch| {
        let (earlier, later) = believed.split_at(believed.partition_point(|(seq, _)| *seq < run.seq));
        earlier.last().is_none_or(|(_, at)| *at <= run.at.plus(TOLERATED))
            && later.first().is_none_or(|(_, at)| run.at <= at.plus(TOLERATED))
    };
    runs.retain(|run| run.search.is_none() || agrees(run));
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
    use crate::model::{CoverageSearch, RunState, SearchState, Source};

    const DAY: i64 = 86_400_000;

    /// Runs in their order, by the day of each.
    fn kept(days: &[i64]) -> Vec<i64> {
        let run = |(seq, day): (i64, &i64)| {
            let search = CoverageSearch {
                source: Source::Social,
                operation: "search".into(),
                state: SearchState::Ok,
                requested_span: None,
                covered: None,
                saturated: false,
                trouble: None,
            };
            let at = Time(day * DAY);
            RunSearch { topic: "acme".into(), at, seq, state: RunState::Ok, reason: None, search: Some(search) }
        };
        let mut runs: Vec<RunSearch> = (1..).zip(days).map(run).collect();
        runs.sort_by_key(|run| run.at);
        let mut left = without_wrong_times(runs);
        left.sort_by_key(|run| run.seq);
        left.iter().map(|run| run.at.0 / DAY).collect()
    }

    #[test]
    fn times_that_agree_with_the_order_are_believed_and_one_day_too_much_is_tolerated() {
        for days in [&[5][..], &[1, 2, 3, 3, 9][..], &[1, 3, 2, 4][..]] {
            assert_eq!(kept(days), days);
        }
    }

    #[test]
    fn what_a_clock_dated_that_was_ahead_or_behind_is_left_out() {
        for (days, believed) in [
            (&[0, 4, 1][..], &[0, 1][..]),
            (&[1, 2, 12, 13, 3, 4, 5, 11, 14][..], &[1, 2, 3, 4, 5, 11, 14][..]),
            (&[10, 11, 12, 13, 2, 14, 15][..], &[10, 11, 12, 13, 14, 15][..]),
            (&[1, 2, 30, 31, 3, 4, 40, 5, 6, 32][..], &[1, 2, 3, 4, 5, 6, 32][..]),
        ] {
            assert_eq!(kept(days), believed, "{days:?}");
        }
    }

    #[test]
    fn what_a_clock_recorded_that_was_ahead_is_no_missed_slot() {
        let missed = |reason: &str| RunSearch {
            topic: "acme".into(),
            at: Time(DAY),
            seq: 1,
            state: RunState::Missed,
            reason: Some(reason.into()),
            search: None,
        };
        let left = without_wrong_times(vec![missed(RECORDED_AHEAD), missed("too old")]);
        assert_eq!(left, [missed("too old")]);
    }
}
