//! Finds spans in which a source whose searches see only a moment should have been searched, but gave no answer, or in which
//! its topic was paused. Its items are then missing, even if other sources covered all of the time.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::days_later;
use super::search_coverage::{COVERED, SearchCoverage, covered_share};
use super::uncovered::GapReason;
use crate::insight::coverage::membership::memberships;
use crate::model::{CoverageSearch, PrunedDays, RunSearch, RunState, SearchState, Source, Span, Time, WatchedTopic};

const DAY: i64 = 86_400_000;

/// Whether a source may have missed items of a span for one reason.
type IsMissed = fn(&SearchCoverage, Source, &WatchedTopic, Span) -> bool;

/// The reasons, the one that is named first.
const REASONS: [(GapReason, IsMissed); 3] =
    [(GapReason::Paused, is_paused), (GapReason::NoAnswer, is_mute), (GapReason::NotWatched, is_unwatched)];

impl SearchCoverage {
    /// Returns why a source that finds items, and whose searches see only a moment, may have missed items of a span, or of
    /// a day of a longer span; `None` if none has, or if searches were pruned.
    #[must_use]
    pub fn unchecked(&self, span: Span, pruned_days: &PrunedDays) -> Option<GapReason> {
        let watched = self.watched().filter(|_| pruned_days.is_complete(span))?;
        let parts = days_of(span, self.timezone());
        let is_any = |is: IsMissed| {
            parts.iter().any(|part| self.moments().sources.iter().any(|source| is(self, *source, watched, *part)))
        };
        REASONS.into_iter().find(|(_, is)| is_any(*is)).map(|(reason, _)| reason)
    }
}

/// The answered searches of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answered {
    pub many: u64,
    /// Whether all that were due were answered.
    pub all: bool,
}

/// The answered searches of each source that finds items and sees only a moment.
pub type Answers = BTreeMap<Source, Answered>;

impl SearchCoverage {
    /// Returns how many searches in a span were answered.
    #[must_use]
    pub fn answers(&self, span: Span) -> Answers {
        let inside = self.runs_in(span);
        let count = |source: &Source| {
            let own = || {
                let searches = inside.iter().filter_map(|run| Some((run.at, run.search.as_ref()?)));
                searches.filter(|(_, search)| search.source == *source)
            };
            let answered = own().filter(|(_, search)| is_answered(search));
            // A run may search several times.
            let at: BTreeSet<Time> = answered.map(|(at, _)| at).collect();
            let all = !inside.iter().any(is_lost) && own().all(|(time, _)| at.contains(&time));
            (*source, Answered { many: at.len() as u64, all })
        };
        self.moments().sources.iter().map(count).collect()
    }

    /// The runs of a span. Runs are in order of time.
    fn runs_in(&self, span: Span) -> &[RunSearch] {
        let before = |at: Time| self.runs().partition_point(|run| run.at < at);
        self.runs().get(before(span.from)..before(span.until)).unwrap_or_default()
    }
}

/// Divides a span into days of a time zone; the last may be shorter. A day of 25 hours stays whole, also at the end of a
/// week.
fn days_of(span: Span, timezone: &str) -> Vec<Span> {
    let (mut days, mut from, mut number) = (Vec::new(), span.from, 0);
    while span.until.0.saturating_sub(from.0) > DAY + DAY / 24 {
        number += 1;
        let until = days_later(span.from, number, timezone).unwrap_or(Time(from.0 + DAY)).min(span.until);
        // A zone may have skipped a day.
        days.extend(Span::new(from, until));
        from = until.max(from);
    }
    days.extend(Span::new(from, span.until));
    days
}

fn is_answered(search: &CoverageSearch) -> bool {
    matches!(search.state, SearchState::Ok | SearchState::Empty)
}

/// Whether a run ended, or never began, without any search.
fn is_lost(run: &RunSearch) -> bool {
    let is_open = matches!(run.state, RunState::Queued | RunState::Running);
    run.search.is_none() && !is_open && !matches!(run.state, RunState::Ok | RunState::Partial)
}

/// Whether a source was due in a span, and no search of it was answered.
fn is_mute(coverage: &SearchCoverage, source: Source, watched: &WatchedTopic, span: Span) -> bool {
    let inside = coverage.runs_in(span);
    let own = || inside.iter().filter_map(|run| run.search.as_ref()).filter(|search| search.source == source);
    if own().any(is_answered) {
        return false;
    }
    own().any(|search| search.state != SearchState::Started)
        || inside.iter().any(is_lost) && {
            let had = memberships(source, watched, coverage.runs(), span);
            inside.iter().any(|run| is_lost(run) && had.iter().any(|member| member.span.contains(run.at)))
        }
}

/// Whether a topic was paused in more than a little of a span while it had a source.
fn is_paused(coverage: &SearchCoverage, source: Source, watched: &WatchedTopic, span: Span) -> bool {
    let pauses = coverage.moments().pauses.iter().filter_map(|pause| pause.intersection(span));
    let pauses: Vec<Span> = pauses.collect();
    if pauses.is_empty() {
        return false;
    }
    let had = memberships(source, watched, coverage.runs(), span);
    let inside = had.iter().flat_map(|member| pauses.iter().filter_map(move |pause| pause.intersection(member.span)));
    covered_share(span, inside) > 1.0 - COVERED
}

/// Whether a topic was not watched yet in a span, and has had a source since. A source that was added later missed nothing.
fn is_unwatched(coverage: &SearchCoverage, source: Source, watched: &WatchedTopic, span: Span) -> bool {
    if span.until > watched.began {
        return false;
    }
    // Runs after a span show its sources only if it lasts until then.
    let last = coverage.runs().last().map_or(span.until, |run| Time(run.at.0.saturating_add(1)));
    let seen = Span { until: last.max(span.until), ..span };
    let had = memberships(source, watched, coverage.runs(), seen);
    had.iter().any(|member| member.span.intersection(span).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_day_of_a_span_may_be_short_or_have_25_hours() {
        const HOUR: i64 = DAY / 24;
        let lengths = |hours: i64| -> Vec<i64> {
            let days = days_of(Span { from: Time(0), until: Time(hours * HOUR) }, "UTC");
            days.iter().map(|day| (day.until.0 - day.from.0) / HOUR).collect()
        };
        let expected = [vec![23], vec![25], vec![24, 2], vec![24, 25], vec![24, 24, 2]];
        assert_eq!([23, 25, 26, 49, 50].map(lengths), expected);
    }

    #[test]
    fn the_days_of_a_span_are_those_of_its_zone() {
        let at = |text: &str| Time::parse(text).unwrap_or_default();
        for (from, until, timezone, hours) in [
            ("2026-03-27T23:00:00Z", "2026-03-30T22:00:00Z", "Europe/Berlin", vec![24, 23, 24]),
            ("2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z", "Europe/Berlin", vec![24, 25, 24]),
            // Not from midnight on.
            ("2026-03-28T09:00:00Z", "2026-03-30T11:00:00Z", "Europe/Berlin", vec![23, 24, 3]),
            // Friday has no midnight.
            ("2026-04-22T22:00:00Z", "2026-04-25T21:00:00Z", "Africa/Cairo", vec![24, 23, 24]),
            // Samoa had no 30 December.
            ("2011-12-28T10:00:00Z", "2012-01-01T10:00:00Z", "Pacific/Apia", vec![24, 24, 24, 24]),
        ] {
            let days = days_of(Span { from: at(from), until: at(until) }, timezone);
            let lengths: Vec<u64> = days.iter().map(|day| day.length().as_secs() / 3_600).collect();
            assert_eq!(lengths, hours, "{from} {timezone}");
            assert!(days.iter().zip(days.iter().skip(1)).all(|(day, next)| day.until == next.from), "{days:?}");
        }
    }

    #[test]
    fn answers_are_counted_by_run_and_compared_with_the_searches_that_were_due() {
        let run = |(at, state): (i64, Option<SearchState>)| {
            let search = |state: SearchState| CoverageSearch {
                source: Source::Web,
                operation: "search".into(),
                state,
                requested_span: None,
                covered: None,
                saturated: false,
                trouble: None,
            };
            let run_state = if state.is_some() { RunState::Ok } else { RunState::Missed };
            RunSearch {
                topic: "acme".into(),
                at: Time(at),
                seq: at,
                state: run_state,
                reason: None,
                search: state.map(search),
            }
        };
        let (ok, failed) = (Some(SearchState::Ok), Some(SearchState::Error));
        for (runs, many, all) in [
            (vec![(1, ok), (2, Some(SearchState::Empty))], 2, true),
            (vec![(1, failed), (1, ok), (2, ok)], 2, true),
            (vec![(1, ok), (2, failed)], 1, false),
            (vec![(1, ok), (2, None)], 1, false),
            (vec![(1, ok), (12, failed)], 1, true),
        ] {
            let seen = Span { from: Time(0), until: Time(20) };
            let got = SearchCoverage::new(None, runs.iter().copied().map(run).collect(), seen, seen.until);
            let answers = got.answers(Span { from: Time(0), until: Time(10) });
            assert_eq!(answers, Answers::from([(Source::Web, Answered { many, all })]), "{runs:?}");
        }
    }
}
