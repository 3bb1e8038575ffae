//! Finds spans in which a source whose searches see only a moment should have been searched, but gave no answer, or in which
//! its topic was paused. Its items are then missing, even if other sources covered all of the time.

use std::collections::{BTreeMap, BTreeSet};

use super::search_coverage::{COVERED, SearchCoverage, covered_share};
use super::source_changes::searched;
use super::uncovered::GapReason;
use crate::insight::coverage::hole_causes::is_of_pause;
use crate::insight::coverage::membership::memberships;
use crate::model::{PrunedDays, RunSearch, RunState, SearchState, Source, Span, Time, WatchedTopic};

const DAY: i64 = 86_400_000;

impl SearchCoverage {
    /// Returns why a source that finds items, and whose searches see only a moment, may have missed items of a span, or of
    /// a day of a longer span; `None` if none has, or if searches were pruned.
    #[must_use]
    pub fn unchecked(&self, span: Span, pruned_days: &PrunedDays) -> Option<GapReason> {
        let watched = self.watched().filter(|_| pruned_days.is_complete(span))?;
        let sources = self.momentary();
        let parts = days_of(span);
        let is_any = |is: fn(Source, &WatchedTopic, &[RunSearch], Span) -> bool| {
            parts.iter().any(|part| sources.iter().any(|source| is(*source, watched, self.runs(), *part)))
        };
        if !sources.is_empty() && parts.iter().any(|part| part.until <= watched.began) {
            return Some(GapReason::NotWatched);
        }
        let is_missing = |reason: &GapReason| is_any(if *reason == GapReason::Paused { is_paused } else { is_mute });
        [GapReason::Paused, GapReason::NoAnswer].into_iter().find(is_missing)
    }
}

/// How many searches of each source were answered, of those that find items and see only a moment.
pub type Answers = BTreeMap<Source, u64>;

impl SearchCoverage {
    /// Returns how many searches in a span were answered.
    #[must_use]
    pub fn answers(&self, span: Span) -> Answers {
        let inside = || self.runs().iter().filter(|run| span.contains(run.at));
        let count = |source: Source| {
            let answered = |run: &&RunSearch| {
                let own = run.search.as_ref().filter(|search| search.source == source);
                own.is_some_and(|search| matches!(search.state, SearchState::Ok | SearchState::Empty))
            };
            // A run may search several times.
            let at: BTreeSet<Time> = inside().filter(answered).map(|run| run.at).collect();
            (source, at.len() as u64)
        };
        self.momentary().into_iter().map(count).collect()
    }

    /// The sources that find items and see only a moment.
    fn momentary(&self) -> Vec<Source> {
        searched(self.runs()).into_iter().filter(|source| !self.has_spans_of(*source)).collect()
    }
}

/// Divides a span into days; the last may be shorter. A day of 25 hours stays whole.
fn days_of(span: Span) -> Vec<Span> {
    if span.until.0.saturating_sub(span.from.0) <= DAY + DAY / 24 {
        return vec![span];
    }
    let day = |from: i64| Span { from: Time(from), until: Time(from.saturating_add(DAY).min(span.until.0)) };
    let step = usize::try_from(DAY).unwrap_or(usize::MAX);
    (span.from.0..span.until.0).step_by(step).map(day).collect()
}

/// Whether a run ended, or never began, without any search.
fn is_lost(run: &RunSearch) -> bool {
    let is_open = matches!(run.state, RunState::Queued | RunState::Running);
    run.search.is_none() && !is_open && !matches!(run.state, RunState::Ok | RunState::Partial)
}

/// Whether a source was due in a span, and no search of it was answered.
fn is_mute(source: Source, watched: &WatchedTopic, runs: &[RunSearch], span: Span) -> bool {
    let inside = || runs.iter().filter(|run| span.contains(run.at));
    let own = || inside().filter_map(|run| run.search.as_ref()).filter(|search| search.source == source);
    if own().any(|search| matches!(search.state, SearchState::Ok | SearchState::Empty)) {
        return false;
    }
    own().any(|search| search.state != SearchState::Started)
        || inside().any(is_lost) && {
            let had = memberships(source, watched, runs, span);
            inside().any(|run| is_lost(run) && had.iter().any(|member| member.span.contains(run.at)))
        }
}

/// Whether a topic was paused in more than a little of a span while it had a source.
fn is_paused(source: Source, watched: &WatchedTopic, runs: &[RunSearch], span: Span) -> bool {
    let pauses: Vec<Span> = pauses(watched, runs).into_iter().filter_map(|pause| pause.intersection(span)).collect();
    if pauses.is_empty() {
        return false;
    }
    let had = memberships(source, watched, runs, span);
    let inside = had.iter().flat_map(|member| pauses.iter().filter_map(move |pause| pause.intersection(member.span)));
    covered_share(span, inside) > 1.0 - COVERED
}

/// Returns when a topic was paused: from the first slot that it dropped to the next search. A pause that lasts has no
/// end yet.
fn pauses(watched: &WatchedTopic, runs: &[RunSearch]) -> Vec<Span> {
    let dropped = runs.iter().filter(|run| is_of_pause(run)).map(|run| run.at);
    let lasting = watched.paused.then(|| watched.next.or_else(|| next_expected(runs))).flatten();
    let until_next_search = |from: Time| {
        let next = runs.iter().find(|run| run.search.is_some() && run.at >= from).map(|run| run.at);
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
