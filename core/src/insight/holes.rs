//! What each source of a topic covered in a period: covered spans, holes, and the causes of each hole from the ledger.
//! Pure; `coverage` has the arithmetic of spans.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::time::Duration;

use super::coverage::{split_coverage, total_ms};
use crate::model::{
    Look, LookSearch, RunState, SearchState, SocialOperation, Source, Span, Time, WatchedTopic, closed_list,
};

closed_list! {
    /// Why a span of time is not covered.
    HoleCause {
        /// The topic was paused.
        Paused = "paused",
        /// Slots passed while no process ran.
        MissedSlot = "missed_slot",
        /// Slots were skipped, mostly because the previous run was still going.
        SkippedSlot = "skipped_slot",
        /// Searches failed or were lost.
        FailedSearch = "failed_search",
        /// Searches were not made: over quota, interrupted or cancelled.
        NotAsked = "not_asked",
        /// The reply was full and did not reach further back.
        Saturated = "saturated",
        /// The reply was empty although posts of that time were known or certain.
        EmptyReply = "empty_reply",
        /// The next successful search did not look back far enough.
        TooShort = "look_back_too_short",
        /// The search was made by a version that did not record coverage.
        NotRecorded = "not_recorded",
        /// The ledger explains nothing: usually nothing was due.
        NothingDue = "nothing_due",
    }
}

/// A gap between two search windows shorter than this many milliseconds is not reported as a hole.
const SHORT: i64 = 60_000;

/// One cause of a hole.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Cause {
    pub why: HoleCause,
    /// How often it happened; 0 for slots that passed and are not in the ledger yet.
    pub count: usize,
    /// The first one's error class or reason. If the look-back was too short: its length. For a slot not planned yet:
    /// that slot.
    pub detail: Option<String>,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, s) = (self.count, if self.count == 1 { "" } else { "s" });
        let es = if self.count == 1 { "" } else { "es" };
        let detail = self.detail.as_deref().unwrap_or("");
        match self.why {
            HoleCause::Paused => write!(f, "paused"),
            HoleCause::MissedSlot if n == 0 => write!(f, "a slot passed and nothing ran yet"),
            HoleCause::MissedSlot => write!(f, "{n} missed slot{s}"),
            HoleCause::SkippedSlot => write!(f, "{n} skipped slot{s}"),
            HoleCause::FailedSearch => write!(f, "{n} failed search{es} ({detail})"),
            HoleCause::NotAsked => write!(f, "{n} search{es} not made ({detail})"),
            HoleCause::Saturated => write!(f, "the reply was full and reached no further back"),
            HoleCause::EmptyReply if n == 1 => {
                write!(f, "an empty reply, although posts of that time were known or certain")
            }
            HoleCause::EmptyReply => write!(f, "{n} empty replies, although posts of that time were known or certain"),
            HoleCause::TooShort => write!(f, "the next search looked back only {detail}"),
            HoleCause::NotRecorded => write!(f, "{n} search{es} without a record of what was covered"),
            HoleCause::NothingDue => write!(f, "no search reached it"),
        }
    }
}

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
    pub stretch: SpanLength,
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
        /// The hole since the last search; the next search looks back over it.
        open: Option<Hole>,
        /// Covered milliseconds.
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
        /// The longest time between two checks, milliseconds.
        largest_distance_ms: Option<i64>,
    },
}

/// What one source of a topic covered.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SourceCoverage {
    pub source: Source,
    /// How it covers time, and what it covered.
    #[serde(flatten)]
    pub coverage: Coverage,
}

/// Returns what each source accepted by `wanted` covered in a period. `looks` are the topic's, in time order.
#[must_use]
pub fn source_coverage(
    watched: &WatchedTopic,
    looks: &[Look],
    period: Span,
    wanted: impl Fn(Source) -> bool,
) -> Vec<SourceCoverage> {
    let mut on: BTreeSet<Source> = watched.definition.iter().flat_map(crate::model::Topic::sources).collect();
    on.extend(looks.iter().filter_map(|look| look.search.as_ref()).map(|search| search.source));
    let searched = |source: Source| looks.iter().filter_map(|l| l.search.as_ref()).filter(move |s| s.source == source);
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
            span_coverage(watched, looks, period, source)
        } else {
            check_coverage(watched, looks, period, source)
        };
        all.push(SourceCoverage { source, coverage });
    }
    all
}

fn check_coverage(watched: &WatchedTopic, looks: &[Look], period: Span, source: Source) -> Coverage {
    // Of the time before, searches may have been pruned.
    let from = period.from.max(watched.began);
    let inside = looks.iter().filter(|look| from <= look.at && look.at <= period.until);
    let (mut checks, mut failed) = (Vec::new(), 0);
    for look in inside {
        match look.search.as_ref().filter(|search| search.source == source).map(|search| search.state) {
            Some(SearchState::Ok | SearchState::Empty) => checks.push(look.at),
            Some(SearchState::Error | SearchState::Lost) => failed += 1,
            _ => {}
        }
    }
    let distance = |pair: &[Time]| pair.first().zip(pair.last()).map_or(0, |(a, b)| b.0 - a.0);
    let largest_distance_ms = checks.windows(2).map(distance).max();
    Coverage::Checks { checks, failed, largest_distance_ms }
}

fn span_coverage(watched: &WatchedTopic, looks: &[Look], period: Span, source: Source) -> Coverage {
    let searches =
        || looks.iter().filter_map(|l| l.search.as_ref().map(|s| (l, s))).filter(|(_, s)| s.source == source);
    let divided = split_coverage(period, searches().filter_map(|(_, search)| search.covered));
    // The last minutes a search asked for but does not claim: the end of its claim to the end of its request.
    let mut unclaimed: HashMap<Time, Time> = HashMap::new();
    for (_, search) in searches() {
        if let (Some(asked), Some(covered)) = (search.asked, search.covered) {
            let until = unclaimed.entry(covered.until).or_insert(asked.until);
            *until = asked.until.max(*until);
        }
    }
    let late = |hole: &Span| unclaimed.get(&hole.from).is_some_and(|until| hole.until.0 - until.0 < SHORT);
    // The search whose covered span starts where a hole ends is the one that ends it.
    let mut enders: HashMap<Time, (&Look, &LookSearch)> = HashMap::new();
    for (look, search) in searches() {
        if let Some(span) = search.covered {
            enders.entry(span.from).or_insert((look, search));
        }
    }
    // Time before the topic began is no hole.
    let watched_for = Span::new(period.from.max(watched.began), period.until);
    let (lates, missed): (Vec<&Span>, Vec<&Span>) =
        divided.holes.iter().partition(|hole| hole.until < period.until && late(hole));
    // A full reply that covers nothing is not asked for again: the next search looks back to where it ended.
    let sampled = |(_, search): (&Look, &LookSearch)| {
        (search.saturated && search.covered.is_none()).then_some(search.asked?.until)
    };
    let sampled_until = searches().filter_map(sampled).max();
    let parts = |hole: Span| {
        let last = sampled_until.filter(|at| hole.until == period.until && hole.from < *at && *at < hole.until);
        let first = Span { until: last.unwrap_or(hole.until), ..hole };
        [Some(first), last.map(|from| Span { from, ..hole })].into_iter().flatten()
    };
    let mut holes: Vec<Hole> = missed
        .into_iter()
        .filter_map(|hole| hole.intersection(watched_for?))
        .flat_map(parts)
        .map(|hole| {
            let ender = enders.get(&hole.until).copied();
            let mut causes = causes(looks, hole, source, ender, period.until);
            if ender.is_none() && watched.paused && watched.ended.is_none() {
                causes.retain(|cause| !matches!(cause.why, HoleCause::Paused | HoleCause::NothingDue));
                causes.insert(0, Cause { why: HoleCause::Paused, count: 1, detail: None });
            }
            // The next planning records the missed slots; until then the ledger has no row for them.
            let passed = |next: &Time| hole.holds(*next) && ender.is_none() && watched.ended.is_none();
            if let Some(next) = watched.next.filter(passed) {
                causes.retain(|cause| cause.why != HoleCause::NothingDue);
                causes.push(Cause { why: HoleCause::MissedSlot, count: 0, detail: Some(next.to_string()) });
                causes.sort_by_key(|cause| cause.why);
            }
            Hole { stretch: span_length(hole), causes }
        })
        .collect();
    let window = watched.definition.as_ref().map_or(Duration::ZERO, |topic| topic.window.length());
    // An open hole counts from the last search: the minutes before it wait for posts, not for a search.
    let since = |hole: &Span| unclaimed.get(&hole.from).map_or(hole.from, |until| hole.from.max(*until));
    let waits = |hole: &Hole| {
        let Span { from, until } = hole.stretch.span;
        let idle = until.since(since(&Span { from, until }));
        until == period.until && idle <= window && watched.ended.is_none()
    };
    let open = if holes.last().is_some_and(waits) { holes.pop() } else { None };
    let holes_ms = holes.iter().map(|hole| hole.stretch.length_ms).sum();
    let late_indexing: Vec<SpanLength> =
        lates.into_iter().filter_map(|late| late.intersection(watched_for?)).map(span_length).collect();
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

fn span_length(span: Span) -> SpanLength {
    SpanLength { span, length_ms: span.until.0 - span.from.0 }
}

/// Returns `part / whole` to four decimals, rounded down: 1 means all of it.
fn share(part: i64, whole: i64) -> Option<f64> {
    let of_ten_thousand = i128::from(part) * 10_000 / i128::from(whole.max(1));
    #[expect(clippy::cast_precision_loss, reason = "at most ten thousand")]
    (whole > 0).then(|| of_ten_thousand as f64 / 10_000.0)
}

/// Returns the causes of a hole: what happened between the last search that covered and the one that covers again.
fn causes(looks: &[Look], hole: Span, source: Source, ender: Option<(&Look, &LookSearch)>, end: Time) -> Vec<Cause> {
    let mut found: Vec<Cause> = Vec::new();
    let mut note = |why: HoleCause, detail: Option<String>| match found.iter_mut().find(|cause| cause.why == why) {
        Some(cause) => cause.count += 1,
        None => found.push(Cause { why, count: 1, detail }),
    };
    let after = looks.partition_point(|look| look.at <= hole.from);
    let until = |at: Time| looks.get(after..looks.partition_point(|look| look.at <= at)).unwrap_or_default();
    // Prefer what happened inside the hole, else look on to the search that ended it.
    let told = |look: &&Look| cause_of(look, source).is_some();
    let inside = until(hole.until);
    let wider = until(ender.map_or(end, |(look, _)| look.at).max(hole.until));
    let looked = if inside.iter().any(|look| told(&look)) { inside } else { wider };
    for (why, detail) in looked.iter().filter_map(|look| cause_of(look, source)) {
        note(why, detail);
    }
    if let Some((look, search)) = ender {
        let reached = search.asked.is_some_and(|asked| asked.from < hole.until);
        if search.saturated && reached {
            note(HoleCause::Saturated, None);
        } else if let Some(asked) = search.asked.filter(|asked| asked.until == look.at) {
            note(HoleCause::TooShort, Some(crate::model::format_duration(asked.length())));
        }
    }
    if found.is_empty() {
        found.push(Cause { why: HoleCause::NothingDue, count: 1, detail: None });
    }
    found.sort_by_key(|cause| cause.why);
    found
}

/// Returns why a run, or its search of `source`, covered nothing. `None` if it covered something or is not about this
/// source.
fn cause_of(look: &Look, source: Source) -> Option<(HoleCause, Option<String>)> {
    if let Some(search) = &look.search {
        let detail = || search.trouble.clone();
        return match search.state {
            _ if search.source != source || search.covered.is_some() => None,
            SearchState::Error | SearchState::Lost => {
                Some((HoleCause::FailedSearch, detail().or_else(|| Some(search.state.to_string()))))
            }
            SearchState::OverQuota => Some((HoleCause::NotAsked, Some("over quota".to_owned()))),
            SearchState::NotRun => Some((HoleCause::NotAsked, detail())),
            SearchState::Ok | SearchState::Empty if search.saturated && search.asked.is_some() => {
                Some((HoleCause::Saturated, None))
            }
            SearchState::Ok | SearchState::Empty if search.asked.is_none() => Some((HoleCause::NotRecorded, None)),
            SearchState::Empty => Some((HoleCause::EmptyReply, None)),
            // An answer of which only a part came.
            SearchState::Ok => detail().map(|trouble| (HoleCause::FailedSearch, Some(trouble))),
            SearchState::Started => None,
        };
    }
    let reason = look.reason.clone();
    let paused = reason.as_ref().is_some_and(|reason| reason.contains("paused"));
    match look.state {
        RunState::Missed | RunState::Skipped | RunState::Cancelled if paused => Some((HoleCause::Paused, None)),
        RunState::Missed => Some((HoleCause::MissedSlot, reason)),
        RunState::Skipped => Some((HoleCause::SkippedSlot, reason)),
        RunState::Cancelled => Some((HoleCause::NotAsked, reason.or_else(|| Some("cancelled".to_owned())))),
        RunState::Failed => Some((HoleCause::FailedSearch, reason.or_else(|| Some("lost".to_owned())))),
        RunState::OverQuota => Some((HoleCause::NotAsked, Some("over quota".to_owned()))),
        RunState::Queued | RunState::Running | RunState::Ok | RunState::Partial => None,
    }
}

#[cfg(test)]
mod tests;
