//! Detects runs whose times contradict the order in which they became readable: the clock was wrong when they ran. The
//! time that they claim is not covered, even once it has come.

use crate::model::{RECORDED_AHEAD, RUN_AHEAD, RunSearch, runs_in_order};

/// Leaves out a topic's runs with wrong times. Missed slots stay, except those recorded by a clock that was ahead.
#[must_use]
pub fn without_wrong_times(mut runs: Vec<RunSearch>) -> Vec<RunSearch> {
    runs.retain(|run| run.reason.as_deref().is_none_or(|reason| reason != RECORDED_AHEAD && reason != RUN_AHEAD));
    let searched = runs.iter().filter(|run| run.search.is_some()).map(|run| (run.seq, run.at));
    let believed = runs_in_order(searched.collect());
    runs.retain(|run| run.search.is_none() || believed.binary_search(&(run.seq, run.at)).is_ok());
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CoverageSearch, RunState, SearchState, Source, Time};

    const DAY: i64 = 86_400_000;

    fn row(seq: i64, day: i64, reason: Option<&str>, searched: bool) -> RunSearch {
        let search = searched.then(|| CoverageSearch {
            source: Source::Social,
            operation: "search".into(),
            state: SearchState::Ok,
            requested_span: None,
            covered: None,
            saturated: false,
            trouble: None,
        });
        let (at, reason) = (Time(day * DAY), reason.map(str::to_owned));
        RunSearch { topic: "acme".into(), at, seq, state: RunState::Ok, reason, search }
    }

    #[test]
    fn runs_of_a_clock_ahead_are_left_out_and_missed_slots_stay() {
        let (missed, first, last) = (row(9, 2, Some("too old"), false), row(1, 1, None, true), row(3, 3, None, true));
        let wrong = [row(2, 40, None, true), row(4, 3, Some(RECORDED_AHEAD), false), row(5, 4, Some(RUN_AHEAD), true)];
        let [ahead, recorded, run] = wrong;
        let all = vec![first.clone(), missed.clone(), last.clone(), recorded, run, ahead];
        assert_eq!(without_wrong_times(all), [first, missed, last]);
    }
}
