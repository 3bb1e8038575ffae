//! How well days were looked at: what social searches covered of a span, where its holes are and why, where there may be more
//! than was returned. What a hole is, `holes` says; which looks there were is read elsewhere.

use crate::insight::{Coverage, Hole, Why, cover, covered, sum};
use crate::model::{Look, LookSearch, Source, Span, Time, Watched};

/// A stretch that nothing covered.
#[derive(Debug, Clone, serde::Serialize)]
pub struct HoleFacts {
    /// Where it is.
    #[serde(flatten)]
    pub span: Span,
    /// Causes in words; empty where the topic was not watched yet.
    pub why: String,
    /// Before the topic was watched.
    pub before: bool,
    /// Nothing was due since the last search: it is not looked at yet, and the next search looks back over it.
    #[serde(skip_serializing_if = "is_no")]
    pub open: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
fn is_no(flag: &bool) -> bool {
    !flag
}

/// Shorter holes are not told, milliseconds: a daily search that begins seconds after its slot leaves one.
const SHORT: i64 = 60_000;

/// When a topic was looked at.
#[derive(Debug)]
pub struct SearchCoverage {
    watched: Option<Watched>,
    looks: Vec<Look>,
    /// What social searches covered; `None` for a topic without them, whose sources are asked at instants.
    spans: Option<Vec<Span>>,
    told: Vec<HoleFacts>,
    /// The last minutes before searches, which are not claimed: posts of then may have been indexed later.
    late: Vec<Span>,
    /// Holes that are there only because replies were full: somebody looked, and saw as much as could be had.
    full: Vec<Span>,
    checks: Vec<Time>,
    /// What comes after it cannot be covered yet, and is not missing.
    present: Time,
    /// Since when no search was due; the next one looks back so far.
    idle_from: Option<Time>,
    /// Since when nothing is covered, where the next search looks back so far, whether one was due or not.
    open_from: Option<Time>,
}

impl SearchCoverage {
    /// What is known of the looks at a topic in a span; what comes after the present is not missing.
    #[must_use]
    pub fn new(watched: Option<Watched>, looks: Vec<Look>, seen: Span, present: Time) -> Self {
        let mut looked = Self {
            watched,
            looks,
            spans: None,
            told: Vec::new(),
            late: Vec::new(),
            full: Vec::new(),
            checks: Vec::new(),
            present,
            idle_from: None,
            open_from: None,
        };
        let Some(watched) = &looked.watched else { return looked };
        for source in covered(watched, &looked.looks, seen, |_| true) {
            match source.coverage {
                Coverage::Spans { covered, holes, open, late_indexing, .. } => {
                    looked.late = late_indexing.iter().map(|stretch| stretch.span).collect();
                    looked.spans = Some(covered.iter().map(|stretch| stretch.span).collect());
                    let full = |hole: &&Hole| hole.causes.iter().all(|cause| cause.why == Why::Saturated);
                    looked.full = holes.iter().filter(full).map(|hole| hole.stretch.span).collect();
                    let idle = open.as_ref().filter(|hole| idle(hole, watched, &looked.looks, present));
                    looked.idle_from = idle.map(|hole| hole.stretch.span.from);
                    looked.open_from = open.as_ref().map(|hole| hole.stretch.span.from);
                    looked.told = holes
                        .iter()
                        .chain(&open)
                        .map(|hole| HoleFacts {
                            span: hole.stretch.span,
                            why: hole.causes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
                            before: false,
                            open: false,
                        })
                        .collect();
                }
                Coverage::Checks { checks, .. } => looked.checks.extend(checks),
            }
        }
        looked.checks.sort_unstable();
        looked
    }

    /// Whether its searches look back over spans; a topic without such searches is only asked at instants.
    #[must_use]
    pub fn has_spans(&self) -> bool {
        self.spans.is_some()
    }

    /// Milliseconds of a span, as far as it has passed, that were covered; none where nothing covers spans.
    #[must_use]
    pub fn covered_ms(&self, span: Span) -> Option<i64> {
        self.spans.as_ref().map(|spans| sum(&cover(self.passed(span), spans.iter().copied()).covered))
    }

    /// How often a topic that is only asked at instants was asked and answered in a span; `None` of one that covers spans.
    #[must_use]
    pub fn checks(&self, span: Span) -> Option<u64> {
        self.spans.is_none().then(|| self.checks.iter().filter(|at| span.holds(**at)).count() as u64)
    }

    /// Part of a span, as far as it has passed, that was covered; of a topic that is only asked at
    /// instants, whether it was asked at all.
    #[must_use]
    pub fn covered(&self, span: Span) -> f64 {
        match &self.spans {
            None if self.checks.iter().any(|at| span.holds(*at)) => 1.0,
            None => 0.0,
            Some(spans) => part(self.passed(span), spans.iter().copied()),
        }
    }

    /// The part of a span in which searches were due or made: what lies after it is not looked at yet.
    #[must_use]
    pub fn due(&self, span: Span) -> Span {
        let until = self.idle_from.map_or(span.until, |from| span.until.min(from)).max(span.from);
        Span { until, ..span }
    }

    /// What [`Self::covered`] tells of the part that was due; 0 where nothing was.
    #[must_use]
    pub fn covered_so_far(&self, span: Span) -> f64 {
        self.covered(self.due(span))
    }

    /// The same, with what replies that were full did not reach and what is not claimed for late indexing: the busiest days
    /// are those, and leaving them out would make every busy day look unusual.
    #[must_use]
    pub fn looked_at(&self, span: Span) -> f64 {
        match &self.spans {
            None => self.covered(span),
            Some(spans) => part(self.passed(span), spans.iter().chain(&self.full).chain(&self.late).copied()),
        }
    }

    /// Since when what was looked at ends in what is no gap yet, whether a search was due or not; `None` where all is settled.
    #[must_use]
    pub fn open_from(&self) -> Option<Time> {
        self.open_from
    }

    fn passed(&self, span: Span) -> Span {
        Span { until: span.until.min(self.present).max(span.from), ..span }
    }

    /// Whether the topic was watched in all of a span.
    #[must_use]
    pub fn watched(&self, span: Span) -> bool {
        self.watched.as_ref().is_some_and(|watched| watched.began <= span.from)
    }

    /// Whether there may be more than was returned: a full reply left a hole in the span, which no other search filled. A
    /// topic that is only asked at instants never knows more than a full reply says.
    #[must_use]
    pub fn saturated(&self, span: Span) -> bool {
        if self.spans.is_none() {
            return self.full_pages(span);
        }
        let social =
            || self.looks.iter().filter_map(|look| look.search.as_ref()).filter(|s| s.source == Source::Social);
        // The last minutes before a search are not claimed; no reply is full because of them.
        let reached = |search: &LookSearch| {
            let covered = search.covered?;
            let until = search.asked.map_or(covered.until, |asked| asked.until.max(covered.until));
            Span::new(covered.from, until)?.within(span)
        };
        let reached: Vec<Span> = social().filter_map(reached).collect();
        // A full reply covers from its oldest post on, or nothing.
        let unreached = |search: &LookSearch| {
            let asked = search.asked?;
            Span::new(asked.from, search.covered.map_or(asked.until, |covered| covered.from))?.within(span)
        };
        let left = |gap: Span| {
            let holes = cover(gap, reached.iter().copied()).holes;
            holes.iter().any(|hole| hole.until.0 - hole.from.0 >= SHORT)
        };
        social().filter(|search| search.saturated).filter_map(unreached).any(left)
    }

    /// Full replies of a source to searches that asked about a span, or that were made in it where they name none.
    #[must_use]
    pub fn full_replies(&self, source: Source, span: Span) -> u64 {
        let about = |look: &&Look| {
            let search = look.search.as_ref().filter(|search| search.source == source && search.saturated);
            search.is_some_and(|s| s.asked.map_or(span.holds(look.at), |asked| asked.within(span).is_some()))
        };
        self.looks.iter().filter(about).count() as u64
    }

    /// Whether a web search of the span returned as many pages as it may.
    #[must_use]
    pub fn full_pages(&self, span: Span) -> bool {
        let full = |look: &Look| look.search.as_ref().is_some_and(|s| s.saturated && s.source == Source::Web);
        self.looks.iter().any(|look| span.holds(look.at) && full(look))
    }

    /// Milliseconds of a span that are not claimed because posts may have been indexed after the search that asked for them.
    #[must_use]
    pub fn late_ms(&self, span: Span) -> i64 {
        sum(&cover(span, self.late.iter().copied()).covered)
    }

    /// What of a span nothing covered, with causes; what lies before the topic was watched is told apart, and so is what was
    /// not looked at yet. The last minutes before a search are no hole.
    #[must_use]
    pub fn holes(&self, span: Span) -> Vec<HoleFacts> {
        let (Some(spans), Some(watched)) = (&self.spans, &self.watched) else { return Vec::new() };
        let idle_from = self.idle_from.unwrap_or(span.until);
        let mut holes = Vec::new();
        for hole in cover(span, spans.iter().chain(&self.late).copied()).holes {
            let mut tell = |from: Time, until: Time, before: bool, open: bool| {
                let Some(span) = Span::new(from, until) else { return };
                let why = self.told.iter().find(|told| !before && !open && told.span.within(span).is_some());
                holes.push(HoleFacts { span, why: why.map_or_else(String::new, |t| t.why.clone()), before, open });
            };
            let begun = hole.from.max(watched.began);
            tell(hole.from, hole.until.min(watched.began), true, false);
            tell(begun, hole.until.min(idle_from), false, false);
            tell(begun.max(idle_from), hole.until, false, true);
        }
        holes.retain(|hole| hole.span.until.0 - hole.span.from.0 >= SHORT);
        holes
    }
}

/// Whether a stretch up to the present is one in which no search was due. Where nobody planned slots nobody knows what is due:
/// it is one as long as its searches are usually apart.
fn idle(open: &Hole, watched: &Watched, looks: &[Look], present: Time) -> bool {
    if watched.paused || watched.ended.is_some() || !open.causes.iter().all(|cause| cause.why == Why::NothingDue) {
        return false;
    }
    if let Some(next) = watched.next {
        return next > present;
    }
    let mut at: Vec<i64> = looks.iter().map(|look| look.at.0).collect();
    at.sort_unstable();
    at.dedup();
    let mut apart: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    apart.sort_unstable();
    let usual = apart.get(apart.len() / 2).copied().unwrap_or(0);
    // The last minutes before a search wait for their posts, not for a search.
    let last = at.last().map_or(open.stretch.span.from.0, |last| open.stretch.span.from.0.max(*last));
    open.stretch.span.until.0 - last <= usual + usual / 2
}

/// The part of a span that spans cover together.
fn part(span: Span, spans: impl IntoIterator<Item = Span>) -> f64 {
    let inside = sum(&cover(span, spans).covered);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a few days")]
    let part = inside as f64 / (span.until.0 - span.from.0).max(1) as f64;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_passed_yet_is_not_missing() {
        let span = |from: i64, until: i64| Span { from: Time(from), until: Time(until) };
        let looked = SearchCoverage {
            watched: None,
            looks: Vec::new(),
            spans: Some(vec![span(0, 60), span(70, 80)]),
            told: Vec::new(),
            late: Vec::new(),
            full: Vec::new(),
            checks: Vec::new(),
            present: Time(80),
            idle_from: None,
            open_from: None,
        };
        for (day, part) in [(span(0, 100), 0.875), (span(0, 60), 1.0), (span(60, 80), 0.5), (span(90, 200), 0.0)] {
            assert!((looked.covered(day) - part).abs() < 1e-9, "{day:?}: {}", looked.covered(day));
        }
    }
}
