//! The sources of a topic whose searches see only a moment, and when the topic was paused. Both are worked out once for all
//! spans: a topic may have many runs.

use std::collections::BTreeSet;

use crate::insight::coverage::hole_causes::is_of_pause;
use crate::model::{ResultKind, RunSearch, Source, Span, Time, WatchedTopic, result_kind};

/// The sources that see only a moment, and the pauses in which they saw nothing.
#[derive(Debug)]
pub(super) struct Moments {
    /// Those that find items.
    pub(super) sources: Vec<Source>,
    /// From the first slot that a pause dropped to the next search. A pause that lasts has no end yet.
    pub(super) pauses: Vec<Span>,
}

impl Moments {
    /// Finds them in a topic's runs up to the present. `covering` are the sources whose searches cover spans.
    pub(super) fn of(watched: Option<&WatchedTopic>, runs: &[RunSearch], covering: &[Source], present: Time) -> Self {
        let sources: Vec<Source> = searched(runs).into_iter().filter(|source| !covering.contains(source)).collect();
        let watched = watched.filter(|_| !sources.is_empty());
        Self { pauses: watched.map_or_else(Vec::new, |watched| pauses(watched, runs, present)), sources }
    }
}

/// The sources that were searched and find items.
pub(super) fn searched(runs: &[RunSearch]) -> BTreeSet<Source> {
    let searches = runs.iter().filter_map(|run| run.search.as_ref());
    searches
        .filter(|search| result_kind(search.source, &search.operation) != ResultKind::Answer)
        .map(|search| search.source)
        .collect()
}

fn pauses(watched: &WatchedTopic, runs: &[RunSearch], present: Time) -> Vec<Span> {
    let dropped = runs.iter().filter(|run| is_of_pause(run)).map(|run| run.at);
    let lasting = watched.paused.then(|| watched.next.or_else(|| next_expected(runs))).flatten();
    // A pause that has not dropped a slot yet has missed nothing.
    let lasting = lasting.filter(|at| *at <= present);
    let until_next_search = |from: Time| {
        let after = runs.get(runs.partition_point(|run| run.at < from)..).unwrap_or_default();
        let next = after.iter().find(|run| run.search.is_some()).map(|run| run.at);
        Span::new(from, next.unwrap_or(Time(i64::MAX)))
    };
    dropped.chain(lasting).filter_map(until_next_search).collect()
}

/// Returns when the next run of a topic without a planned slot would be: after the usual distance between runs.
fn next_expected(runs: &[RunSearch]) -> Option<Time> {
    let mut at: Vec<i64> = runs.iter().filter(|run| run.search.is_some()).map(|run| run.at.0).collect();
    at.dedup();
    let mut gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(0);
    at.last().map(|last| Time(last.saturating_add(usual)))
}
