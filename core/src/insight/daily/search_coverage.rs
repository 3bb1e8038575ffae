//! How well days were searched: the covered part of a span, its holes and their causes, and where replies were full.
//! `holes` defines holes; the caller reads the searches.

use super::all_sources::{AllSources, HolePart, SourceSpans, all_sources, counting, hole_parts, idle, item_checks};
use super::hole_facts::HoleFacts;
use super::moments::Moments;
use crate::insight::coverage::membership::memberships;
use crate::insight::coverage::wrong_times::without_wrong_times;
use crate::insight::{Cause, Coverage, source_coverage, split_coverage, total_ms};
use crate::model::{CoverageSearch, RunSearch, Source, Span, Time, WatchedTopic};

/// Shorter holes are not reported, milliseconds: a daily search that starts seconds after its slot leaves one.
const SHORT: i64 = 60_000;

/// If less than this share of a span is covered, its holes are reported, and there may be more items than are counted.
pub const COVERED: f64 = 0.98;

/// The coverage of a topic's searches.
#[derive(Debug)]
pub struct SearchCoverage {
    watched: Option<WatchedTopic>,
    runs: Vec<RunSearch>,
    /// The time zone of the days into which longer spans are divided.
    timezone: String,
    /// The sources whose searches cover spans.
    covering: Vec<Source>,
    /// The others, and pauses.
    moments: Moments,
    /// The combined coverage of the covering sources; `None` if there are none.
    spans: Option<Vec<Span>>,
    /// Holes of single sources, and why.
    reasons: Vec<(Span, String)>,
    /// The ends of single sources for which no search was due.
    waiting: Vec<(Span, String)>,
    /// The last minutes before searches, not counted as covered: posts may have been indexed later.
    late: Vec<Span>,
    /// Holes only because replies were full: the search returned as much as it could.
    full: Vec<Span>,
    checks: Vec<Time>,
    /// The current time: time after it is not missing yet.
    present: Time,
    /// Since when no search was due; the next one looks back to here.
    idle_from: Option<Time>,
    /// Since when nothing is covered and the next search looks back, whether or not one was due.
    open_from: Option<Time>,
    /// Since when searches cover spans, if the topic got its first such source later. Before that, searches are checks.
    spans_from: Option<Time>,
    /// Since when no search covers spans, because the topic no longer has such a source. From then on, searches are
    /// checks.
    checks_from: Option<Time>,
}

impl SearchCoverage {
    /// Builds the coverage of `seen` from the searches of a topic; time after `present` is not missing. If several
    /// sources cover spans, only time that all of them covered counts. Runs with wrong times are left out.
    #[must_use]
    pub fn new(watched: Option<WatchedTopic>, runs: Vec<RunSearch>, seen: Span, present: Time) -> Self {
        let runs = without_wrong_times(runs);
        let (mut checks, mut sources) = (Vec::new(), Vec::new());
        for source in watched.iter().flat_map(|watched| source_coverage(watched, &runs, seen, |_| true)) {
            match source.coverage {
                Coverage::Spans { covered, holes, open, late_indexing, .. } => sources.push(SourceSpans {
                    source: source.source,
                    idle: open
                        .as_ref()
                        .zip(watched.as_ref())
                        .is_some_and(|(hole, watched)| idle(hole, watched, &runs, present)),
                    active: Vec::new(),
                    covered: covered.into_iter().map(|length| length.span).collect(),
                    late: late_indexing.into_iter().map(|length| length.span).collect(),
                    holes,
                    open,
                }),
                Coverage::Checks { checks: answered, .. } => checks.push((source.source, answered)),
            }
        }
        let checks = item_checks(checks, &runs);
        for source in &mut sources {
            let all =
                watched.as_ref().map_or_else(Vec::new, |watched| memberships(source.source, watched, &runs, seen));
            source.active = all.into_iter().map(|member| member.span).collect();
        }
        // Ignore a source that was just added and has not been searched yet.
        sources.retain(|source| !source.active.is_empty() || !source.covered.is_empty());
        let (spans_from, checks_from) = counting(&sources, watched.as_ref(), seen);
        if let [only] = &mut sources[..] {
            only.active = vec![seen];
        }
        let covering: Vec<Source> = sources.iter().map(|source| source.source).collect();
        let AllSources { covered, late, full, reasons, waiting, idle_from, open_from } = all_sources(&sources, seen);
        Self {
            spans: (!sources.is_empty()).then_some(covered),
            moments: Moments::of(watched.as_ref(), &runs, &covering, present),
            covering,
            watched,
            runs,
            timezone: "UTC".to_owned(),
            reasons,
            waiting,
            late,
            full,
            checks,
            present,
            idle_from: idle_from.filter(|_| checks_from.is_none()),
            open_from: open_from.filter(|_| checks_from.is_none()),
            spans_from,
            checks_from,
        }
    }

    /// The same with the days of a time zone; without it, they are those of UTC.
    #[must_use]
    pub fn in_zone(self, timezone: &str) -> Self {
        Self { timezone: timezone.to_owned(), ..self }
    }

    pub(super) fn timezone(&self) -> &str {
        &self.timezone
    }

    pub(super) fn watched(&self) -> Option<&WatchedTopic> {
        self.watched.as_ref()
    }

    pub(super) fn runs(&self) -> &[RunSearch] {
        &self.runs
    }

    pub(super) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The covered spans, if the searches of a span cover spans.
    fn spans_in(&self, span: Span) -> Option<&[Span]> {
        let is_before = self.spans_from.is_some_and(|from| span.until <= from);
        self.spans.as_deref().filter(|_| !is_before && self.checks_from.is_none_or(|from| span.from < from))
    }

    /// Returns whether searches of this time cover spans; otherwise each shows only the moment it was made.
    #[must_use]
    pub fn has_spans(&self, span: Span) -> bool {
        self.spans_in(span).is_some()
    }

    /// Returns the covered milliseconds of a span, up to the present; `None` if its searches cover no spans.
    #[must_use]
    pub fn covered_ms(&self, span: Span) -> Option<i64> {
        self.spans_in(span)
            .map(|spans| total_ms(&split_coverage(self.covered_part(span), spans.iter().copied()).covered))
    }

    /// Returns how many searches in a span answered, if they cover no spans; otherwise `None`. AI answers count only if
    /// nothing else does.
    #[must_use]
    pub fn checks(&self, span: Span) -> Option<u64> {
        (!self.has_spans(span)).then(|| self.checks.iter().filter(|at| span.contains(**at)).count() as u64)
    }

    /// Returns the covered share of a span, up to the present. If searches cover no spans: 1 if any answered in it,
    /// else 0.
    #[must_use]
    pub fn covered_share(&self, span: Span) -> f64 {
        match self.spans_in(span) {
            None if self.checks.iter().any(|at| span.contains(*at)) => 1.0,
            None => 0.0,
            Some(spans) => covered_share(self.covered_part(span), spans.iter().copied()),
        }
    }

    /// Returns the part of a span in which searches were due or made; the rest is not searched yet.
    #[must_use]
    pub fn due(&self, span: Span) -> Span {
        let until = self.idle_from.map_or(span.until, |from| span.until.min(from)).max(span.from);
        Span { until, ..span }
    }

    /// Like [`Self::covered_share`], for the part that was due; 0 if nothing was.
    #[must_use]
    pub fn covered_share_due(&self, span: Span) -> f64 {
        self.covered_share(self.due(span))
    }

    /// Like [`Self::covered_share`], but time that full replies did not reach, and time left out for late indexing,
    /// counts as covered. The busiest days have such gaps; excluding them would make every busy day look unusual.
    #[must_use]
    pub fn searched_share(&self, span: Span) -> f64 {
        match self.spans_in(span) {
            None => self.covered_share(span),
            Some(spans) => {
                covered_share(self.covered_part(span), spans.iter().chain(&self.full).chain(&self.late).copied())
            }
        }
    }

    /// Returns since when the end of the searched time is not a hole yet, whether or not a search was due; `None` if
    /// there is no such part.
    #[must_use]
    pub fn open_from(&self) -> Option<Time> {
        self.open_from
    }

    /// The part of a span that has passed, and in which searches cover spans.
    pub(super) fn covered_part(&self, span: Span) -> Span {
        let until = self.checks_from.map_or(self.present, |from| from.min(self.present));
        let from = self.spans_from.map_or(span.from, |from| span.from.max(from));
        Span { from, until: span.until.min(until).max(from) }
    }

    /// Returns whether the topic was watched during all of a span.
    #[must_use]
    pub fn was_watched(&self, span: Span) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.began <= span.from)
    }

    /// Returns whether there may be more items than were returned: a full reply left a hole in the span that no other
    /// search filled. If searches cover no spans, any full reply counts.
    #[must_use]
    pub fn saturated(&self, span: Span) -> bool {
        if !self.has_spans(span) {
            return self.full_pages(span);
        }
        self.covering.iter().any(|source| self.full_of(*source, span))
    }

    fn full_of(&self, source: Source, span: Span) -> bool {
        let searches = || self.runs.iter().filter_map(|run| run.search.as_ref()).filter(|s| s.source == source);
        // The last minutes before a search are not claimed; they do not make a reply full.
        let reached = |search: &CoverageSearch| {
            let covered = search.covered?;
            let until = search.requested_span.map_or(covered.until, |requested| requested.until.max(covered.until));
            Span::new(covered.from, until)?.intersection(span)
        };
        let reached: Vec<Span> = searches().filter_map(reached).collect();
        // A full reply covers from its oldest post on, or nothing.
        let unreached = |search: &CoverageSearch| {
            let requested = search.requested_span?;
            Span::new(requested.from, search.covered.map_or(requested.until, |covered| covered.from))?
                .intersection(span)
        };
        let left = |gap: Span| {
            let holes = split_coverage(gap, reached.iter().copied()).holes;
            holes.iter().any(|hole| hole.until.0 - hole.from.0 >= SHORT)
        };
        searches().filter(|search| search.saturated).filter_map(unreached).any(left)
    }

    /// Counts the full replies of a source to searches for this span, or made in it if they name no span.
    #[must_use]
    pub fn full_replies(&self, source: Source, span: Span) -> u64 {
        let about = |run: &&RunSearch| {
            let search = run.search.as_ref().filter(|search| search.source == source && search.saturated);
            search.is_some_and(|s| {
                s.requested_span.map_or(span.contains(run.at), |requested| requested.intersection(span).is_some())
            })
        };
        self.runs.iter().filter(about).count() as u64
    }

    /// Returns whether a web search in the span returned a full reply.
    #[must_use]
    pub fn full_pages(&self, span: Span) -> bool {
        let full = |run: &RunSearch| run.search.as_ref().is_some_and(|s| s.saturated && s.source == Source::Web);
        self.runs.iter().any(|run| span.contains(run.at) && full(run))
    }

    /// Returns the milliseconds of a span left out because posts may have been indexed after the search.
    #[must_use]
    pub fn late_ms(&self, span: Span) -> i64 {
        total_ms(&split_coverage(span, self.late.iter().copied()).covered)
    }

    /// Returns the holes of a span with causes. Time before the topic was watched (unless it follows a backfill), and time
    /// not searched yet, are marked. The last minutes before a search are no hole.
    #[must_use]
    pub fn holes(&self, span: Span) -> Vec<HoleFacts> {
        let (Some(spans), Some(watched)) = (self.spans_in(span), &self.watched) else { return Vec::new() };
        let span = self.checks_from.map_or(span, |from| Span { until: span.until.min(from), ..span });
        let span = self.spans_from.map_or(span, |from| Span { from: span.from.max(from), ..span });
        let idle_from = self.idle_from.unwrap_or(span.until);
        // The last minutes before the first search wait for the next one, as those of any other search.
        let began = watched.began.min(idle_from);
        let reasons = if watched.filled_from.is_some() { self.reasons.as_slice() } else { &[] };
        let mut holes = Vec::new();
        for hole in split_coverage(span, spans.iter().chain(&self.late).copied()).holes {
            holes.extend(hole_parts(hole, began, idle_from, reasons).into_iter().map(|(span, part)| {
                let why = if part == HolePart::Missed { self.why(span) } else { String::new() };
                HoleFacts { span, why, before: part == HolePart::Before, open: part == HolePart::Open }
            }));
        }
        holes.retain(|hole| hole.span.until.0 - hole.span.from.0 >= SHORT);
        holes
    }

    /// Returns why a span is not covered. A source that only waits for its next search is named only if the others do
    /// not explain the whole span.
    fn why(&self, span: Span) -> String {
        let here = |(hole, _): &&(Span, String)| hole.intersection(span).is_some();
        let mut all: Vec<&(Span, String)> = self.reasons.iter().filter(here).collect();
        let unexplained = split_coverage(span, all.iter().map(|(hole, _)| *hole)).holes;
        if unexplained.iter().any(|rest| rest.until.0 - rest.from.0 >= SHORT) {
            all.extend(self.waiting.iter().filter(here));
        }
        let all: Vec<&str> = all.into_iter().map(|(_, why)| why.as_str()).collect();
        // Between a source that was removed and one that was added later, the topic had none.
        if all.is_empty() { Cause::of_nothing_due().to_string() } else { all.join("; ") }
    }
}

/// Returns the share of a span that is covered.
pub(super) fn covered_share(span: Span, spans: impl IntoIterator<Item = Span>) -> f64 {
    let inside = total_ms(&split_coverage(span, spans).covered);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a few days")]
    let part = inside as f64 / (span.until.0 - span.from.0).max(1) as f64;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_the_future_does_not_lower_the_covered_share() {
        let span = |from: i64, until: i64| Span { from: Time(from), until: Time(until) };
        let coverage = SearchCoverage {
            watched: None,
            runs: Vec::new(),
            timezone: "UTC".to_owned(),
            covering: vec![Source::Social],
            moments: Moments::of(None, &[], &[], Time(80)),
            spans: Some(vec![span(0, 60), span(70, 80)]),
            reasons: Vec::new(),
            waiting: Vec::new(),
            late: Vec::new(),
            full: Vec::new(),
            checks: Vec::new(),
            present: Time(80),
            idle_from: None,
            open_from: None,
            spans_from: None,
            checks_from: None,
        };
        for (day, part) in [(span(0, 100), 0.875), (span(0, 60), 1.0), (span(60, 80), 0.5), (span(90, 200), 0.0)] {
            assert!((coverage.covered_share(day) - part).abs() < 1e-9, "{day:?}: {}", coverage.covered_share(day));
        }
    }
}
