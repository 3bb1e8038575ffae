//! Works out what each source of a topic covered in a period: covered spans, holes, and the causes of each hole from
//! the ledger. Pure; `coverage` has the arithmetic of spans.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::hole_causes::{Cause, HoleCause, causes};
use super::membership::{Membership, memberships};
use super::{split_coverage, total_ms};
use crate::model::{CoverageSearch, RunSearch, SearchState, SocialOperation, Source, Span, Time, WatchedTopic};

/// A gap between two search windows shorter than this many milliseconds is not reported as a hole.
const SHORT: i64 = 60_000;

/// A span with its length.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SpanLength {
    /// Start and end.
    #[serde(flatten)]
    pub span: Span,
    /// Length in milliseconds.
    pub length_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Hole {
    /// Where the hole is.
    #[serde(flatten)]
    pub span: SpanLength,
    /// Its causes from the ledger.
    pub causes: Vec<Cause>,
}

/// How a source covers time.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Coverage {
    /// Its searches cover spans of time.
    Spans {
        /// Covered spans, in order.
        covered: Vec<SpanLength>,
        /// Holes, in order.
        holes: Vec<Hole>,
        /// The hole since the last search; the next search looks back over it. `None` if the topic no longer has the
        /// source.
        open: Option<Hole>,
        covered_ms: i64,
        /// Milliseconds of all holes.
        holes_ms: i64,
        /// The last minutes before searches, in order: posts from then may have been indexed later, and no later search
        /// looked back over them.
        late_indexing: Vec<SpanLength>,
        /// Milliseconds of late indexing.
        late_indexing_ms: i64,
        /// The covered share of covered, holes and late indexing together.
        covered_share: Option<f64>,
    },
    /// Its searches show only the moment of the search.
    Checks {
        /// When it answered.
        checks: Vec<Time>,
        /// Searches that failed.
        failed: usize,
        /// The longest time between two checks while the topic had the source, milliseconds.
        largest_distance_ms: Option<i64>,
    },
}

/// The coverage of one source of a topic.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SourceCoverage {
    pub source: Source,
    /// When the topic had the source, if not in all of the period. Empty if it has not been searched yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub had: Option<Vec<Span>>,
    /// How it covers time, and what it covered.
    #[serde(flatten)]
    pub coverage: Coverage,
}

/// A span in which a topic had a source.
type SpanOfMember<'a> = (Span, &'a Membership);

/// Returns what each source accepted by `wanted` covered in a period. `runs` are the topic's, in time order. Time in
/// which the topic did not have a source is not a hole of the source.
#[must_use]
pub fn source_coverage(
    watched: &WatchedTopic,
    runs: &[RunSearch],
    period: Span,
    wanted: impl Fn(Source) -> bool,
) -> Vec<SourceCoverage> {
    let mut on: BTreeSet<Source> = watched.definition.iter().flat_map(crate::model::Topic::sources).collect();
    on.extend(runs.iter().filter_map(|run| run.search.as_ref()).map(|search| search.source));
    let searched = |source: Source| runs.iter().filter_map(|l| l.search.as_ref()).filter(move |s| s.source == source);
    let mut all = Vec::new();
    for source in on.into_iter().filter(|source| wanted(*source)) {
        // A source covers spans if any of its searches, or the topic's definition, uses an operation that names a span.
        let posts = SocialOperation::Posts.as_str();
        let defined = watched.definition.as_ref().and_then(|t| t.social.as_ref()).map(|s| s.operation.as_str());
        let mut operations = searched(source).map(|s| s.operation.as_str()).chain(defined);
        let spans = match source {
            Source::Social => operations.any(|operation| operation != posts),
            Source::Web | Source::Ai => false,
            _ => {
                let defined = watched.definition.as_ref().and_then(|topic| topic.provider(source));
                let mut kinds = searched(source).map(|s| s.operation.as_str()).chain(defined.map(|d| d.kind.as_str()));
                kinds.any(crate::model::covers_spans)
            }
        };
        let coverage = if spans {
            span_coverage(watched, runs, period, source)
        } else {
            check_coverage(watched, runs, period, source)
        };
        all.push(SourceCoverage { source, had: source_spans(watched, runs, period, source), coverage });
    }
    all
}

/// Returns when a topic had a source; `None` if in all of the period in which it was watched.
fn source_spans(watched: &WatchedTopic, runs: &[RunSearch], period: Span, source: Source) -> Option<Vec<Span>> {
    let since_it_began = |span: Span| Span::new(span.from.max(watched.began), span.until).unwrap_or(span);
    let had: Vec<Span> = member_spans(watched, runs, period, source).into_iter().map(since_it_began).collect();
    (had != [since_it_began(period)]).then_some(had)
}

/// Returns when a topic had a source, in order. One that was away for a run may have been searched for all of the time.
fn member_spans(watched: &WatchedTopic, runs: &[RunSearch], period: Span, source: Source) -> Vec<Span> {
    let members = memberships(source, watched, runs, period).into_iter().map(|member| member.span);
    split_coverage(period, members).covered
}

fn check_coverage(watched: &WatchedTopic, runs: &[RunSearch], period: Span, source: Source) -> Coverage {
    // Searches of the time before may have been pruned.
    let from = period.from.max(watched.began);
    let inside = runs.iter().filter(|run| from <= run.at && run.at <= period.until);
    let (mut checks, mut failed) = (Vec::new(), 0);
    for run in inside {
        match run.search.as_ref().filter(|search| search.source == source).map(|search| search.state) {
            Some(SearchState::Ok | SearchState::Empty) => checks.push(run.at),
            Some(SearchState::Error | SearchState::Lost) => failed += 1,
            _ => {}
        }
    }
    // From its removal until it was added again, no check of the source was due.
    let had = member_spans(watched, runs, period, source);
    let is_in = |a: &Time, b: &Time| had.iter().any(|span| span.from <= *a && *b <= span.until);
    let pairs = checks.iter().zip(checks.iter().skip(1));
    let largest_distance_ms = pairs.filter(|(a, b)| is_in(a, b)).map(|(a, b)| b.0 - a.0).max();
    Coverage::Checks { checks, failed, largest_distance_ms }
}

fn span_coverage(watched: &WatchedTopic, runs: &[RunSearch], period: Span, source: Source) -> Coverage {
    let searches = || runs.iter().filter_map(|l| l.search.as_ref().map(|s| (l, s))).filter(|(_, s)| s.source == source);
    let divided = split_coverage(period, searches().filter_map(|(_, search)| search.covered));
    let memberships = memberships(source, watched, runs, period);
    let during = |hole: Span| {
        memberships.iter().filter_map(move |member| Some((hole.intersection(member.span)?, member))).collect::<Vec<_>>()
    };
    // The last minutes that a search asked for but does not claim: from the end of its claim to the end of its request.
    let mut unclaimed: HashMap<Time, Time> = HashMap::new();
    for (_, search) in searches() {
        if let (Some(requested), Some(covered)) = (search.requested_span, search.covered) {
            let until = unclaimed.entry(covered.until).or_insert(requested.until);
            *until = requested.until.max(*until);
        }
    }
    let late = |hole: &Span| unclaimed.get(&hole.from).is_some_and(|until| hole.until.0 - until.0 < SHORT);
    // The search whose covered span starts where a hole ends is the one that ends it.
    let mut enders: HashMap<Time, (&RunSearch, &CoverageSearch)> = HashMap::new();
    for (run, search) in searches() {
        if let Some(span) = search.covered {
            enders.entry(span.from).or_insert((run, search));
        }
    }
    // Time before the topic began is no hole, except what a backfill asked for or the next search looked back over, and
    // the last minutes that its first search asked for.
    let meant = Meant::new(watched, searches().map(|(_, search)| search), source);
    let counted = |hole: Span| {
        let since = meant.since(hole.until);
        let asked = unclaimed.get(&hole.from).is_some_and(|until| *until >= since);
        Span::new(if asked { hole.from } else { hole.from.max(since) }, hole.until)
    };
    let (lates, missed): (Vec<SpanOfMember<'_>>, Vec<SpanOfMember<'_>>) =
        divided.holes.iter().flat_map(|hole| during(*hole)).partition(|(hole, member)| {
            // No search looks back over the last minutes of a removed source.
            (hole.until < period.until || !member.lasts) && late(hole)
        });
    // The next search does not look back over the time of a full reply that covers nothing, but over that of a search
    // that a failure or a limit stopped.
    let sampled = |(_, search): (&RunSearch, &CoverageSearch)| {
        let is_whole = search.state == SearchState::Ok && search.trouble.is_none();
        (is_whole && search.saturated && search.covered.is_none()).then_some(search.requested_span?.until)
    };
    let sampled_until = searches().filter_map(sampled).max();
    let parts = |hole: Span| {
        let last = sampled_until.filter(|at| hole.until == period.until && hole.from < *at && *at < hole.until);
        let first = Span { until: last.unwrap_or(hole.until), ..hole };
        [Some(first), last.map(|from| Span { from, ..hole })].into_iter().flatten()
    };
    // A hole counts from the last search: the minutes before it wait for posts, not for a search.
    let answered = |hole: &Span| unclaimed.get(&hole.from).map_or(hole.from, |until| hole.from.max(*until));
    let mut holes: Vec<Hole> = missed
        .into_iter()
        .filter_map(|(hole, member)| Some((counted(hole)?, member)))
        .flat_map(|(hole, member)| parts(hole).map(move |part| (part, member)))
        .map(|(hole, member)| {
            let ender = enders.get(&hole.until).copied();
            // Events while the topic did not have the source are no cause.
            let about = runs.get(member.first_row..).unwrap_or_default();
            let mut causes = causes(about, hole, answered(&hole), source, ender, member.span.until);
            let still_open = ender.is_none() && member.lasts && watched.ended.is_none();
            if still_open && watched.paused {
                causes.retain(|cause| !matches!(cause.why, HoleCause::Paused | HoleCause::NothingDue));
                causes.insert(0, Cause { why: HoleCause::Paused, count: 1, detail: None });
            }
            // The next planning records the missed slots; until then the ledger has no row for them.
            let passed = |next: &Time| hole.contains(*next) && still_open;
            if let Some(next) = watched.next.filter(passed) {
                causes.retain(|cause| cause.why != HoleCause::NothingDue);
                causes.push(Cause { why: HoleCause::MissedSlot, count: 0, detail: Some(next.to_string()) });
                causes.sort_by_key(|cause| cause.why);
            }
            Hole { span: span_length(hole), causes }
        })
        .collect();
    let window = watched.definition.as_ref().map_or(Duration::ZERO, |topic| topic.window.length());
    let waits = |hole: &Hole| {
        let Span { from, until } = hole.span.span;
        let idle = until.since(answered(&Span { from, until }));
        until == period.until && idle <= window && watched.ended.is_none()
    };
    let has_now = memberships.last().is_some_and(|member| member.lasts);
    let open = if has_now && holes.last().is_some_and(waits) { holes.pop() } else { None };
    let holes_ms = holes.iter().map(|hole| hole.span.length_ms).sum();
    let late_indexing: Vec<SpanLength> =
        lates.into_iter().filter_map(|(late, _)| counted(late)).map(span_length).collect();
    let late_indexing_ms = late_indexing.iter().map(|late| late.length_ms).sum();
    let covered_ms = total_ms(&divided.covered);
    Coverage::Spans {
        covered: divided.covered.into_iter().map(span_length).collect(),
        covered_share: share(covered_ms, covered_ms + holes_ms + late_indexing_ms),
        late_indexing,
        late_indexing_ms,
        holes,
        open,
        covered_ms,
        holes_ms,
    }
}

/// Since when uncovered time of a source was meant to be covered.
struct Meant {
    since: Time,
    /// Nothing before this counts.
    first: Time,
    /// The spans that backfills of the time before asked for, up to the end of their coverage.
    backfilled: Vec<Span>,
}

impl Meant {
    /// Time counts since the topic began. Time between a backfill of earlier time and that counts, too, if another
    /// search looked back to the backfill.
    fn new<'a>(watched: &WatchedTopic, searches: impl Iterator<Item = &'a CoverageSearch>, source: Source) -> Self {
        let mut meant = Self { since: watched.began, first: watched.began, backfilled: Vec::new() };
        let Some(first) = watched.filled_from.filter(|_| source == Source::Social) else { return meant };
        meant.first = first;
        let asked = searches.filter_map(|search| Some((search.requested_span?, search.covered)));
        // Only a backfill asks for a time that was over before the topic began.
        let (before, after): (Vec<_>, Vec<_>) = asked.partition(|(asked, _)| asked.until < watched.began);
        let claimed = |(asked, covered): (Span, Option<Span>)| Span::new(asked.from, covered?.until);
        meant.backfilled = before.into_iter().filter_map(claimed).collect();
        let back_to = after.iter().map(|(asked, _)| asked.from).min();
        let reached = meant.backfilled.iter().map(|span| span.until).filter(|end| back_to.is_some_and(|at| at <= *end));
        meant.since = reached.min().map_or(meant.since, |end| end.min(meant.since));
        meant
    }

    /// Returns since when a hole that ends at this time counts.
    fn since(&self, until: Time) -> Time {
        let ends = self.backfilled.iter().filter(|span| span.from < until && until <= span.until);
        ends.map(|span| span.from).fold(self.since, Time::min).max(self.first)
    }
}

fn span_length(span: Span) -> SpanLength {
    SpanLength { span, length_ms: span.until.0 - span.from.0 }
}

/// Returns `part / whole` to four decimals, rounded down: 1 means all of it.
fn share(part: i64, whole: i64) -> Option<f64> {
    let of_ten_thousand = i128::from(part) * 10_000 / i128::from(whole.max(1));
    #[expect(clippy::cast_precision_loss, reason = "at most ten thousand")]
    (whole > 0).then(|| of_ten_thousand as f64 / 10_000.0)
}

#[cfg(test)]
mod backfill_tests;
#[cfg(test)]
mod late_tests;
#[cfg(test)]
mod partition_tests;
#[cfg(test)]
mod source_tests;
#[cfg(test)]
mod tests;
