//! What all sources of a topic covered together. A source that missed something leaves a hole even if another one
//! searched that time: its posts are missing. A source counts from its first search on, and until its last one if it
//! was removed.

use crate::insight::{Hole, HoleCause, split_coverage};
use crate::model::{RunSearch, Source, Span, Time, WatchedTopic};

/// What one source covered.
#[derive(Debug, Clone)]
pub(super) struct SourceSpans {
    pub(super) source: Source,
    /// The time in which it counts.
    pub(super) active: Span,
    pub(super) covered: Vec<Span>,
    /// The last minutes before searches, which are not counted as covered.
    pub(super) late: Vec<Span>,
    pub(super) holes: Vec<Hole>,
    /// The hole since the last search; the next one looks back over it.
    pub(super) open: Option<Hole>,
    /// Whether no search was due in `open`.
    pub(super) idle: bool,
}

impl SourceSpans {
    /// Holes that exist only because replies were full.
    fn full(&self) -> impl Iterator<Item = Span> {
        let full = |hole: &&Hole| hole.causes.iter().all(|cause| cause.why == HoleCause::Saturated);
        self.holes.iter().filter(full).map(|hole| hole.span.span)
    }
}

/// What all sources covered.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AllSources {
    pub(super) covered: Vec<Span>,
    pub(super) late: Vec<Span>,
    pub(super) full: Vec<Span>,
    /// Holes of single sources and their causes; with the source's name if there are several sources.
    pub(super) reasons: Vec<(Span, String)>,
    /// Since when no search was due; `None` if one was.
    pub(super) idle_from: Option<Time>,
    /// Since when the next search looks back over what is not covered.
    pub(super) open_from: Option<Time>,
}

/// Combines the sources in a period.
pub(super) fn all_sources(sources: &[SourceSpans], period: Span) -> AllSources {
    let covered = common(sources, period, |source| source.covered.clone());
    let claimed = common(sources, period, |source| source.covered.iter().chain(&source.late).copied().collect());
    let reached = common(sources, period, |source| {
        source.covered.iter().chain(&source.late).copied().chain(source.full()).collect()
    });
    let mut reasons = Vec::new();
    for source in sources {
        for hole in source.holes.iter().chain(&source.open) {
            let causes: Vec<String> = hole.causes.iter().map(ToString::to_string).collect();
            let name = if sources.len() > 1 { format!("{}: ", source.source) } else { String::new() };
            let inside = hole.span.span.intersection(source.active);
            reasons.extend(inside.map(|span| (span, format!("{name}{}", causes.join("; ")))));
        }
    }
    let open = || sources.iter().filter_map(|source| Some((source, source.open.as_ref()?.span.span.from)));
    let open_from = open().map(|(_, from)| from).min();
    AllSources {
        late: without(&claimed, &covered),
        full: without(&reached, &claimed),
        idle_from: open_from.filter(|_| open().all(|(source, _)| source.idle)),
        covered,
        reasons,
        open_from,
    }
}

/// The parts of a period that lie in the spans of each source, as far as it is active, and in which any is.
fn common(sources: &[SourceSpans], period: Span, spans: impl Fn(&SourceSpans) -> Vec<Span>) -> Vec<Span> {
    let active = split_coverage(period, sources.iter().map(|source| source.active)).holes;
    let missing = sources.iter().flat_map(|source| {
        source.active.intersection(period).map_or_else(Vec::new, |active| split_coverage(active, spans(source)).holes)
    });
    split_coverage(period, active.into_iter().chain(missing)).holes
}

/// The parts of spans that lie in none of the others.
fn without(spans: &[Span], others: &[Span]) -> Vec<Span> {
    spans.iter().flat_map(|span| split_coverage(*span, others.iter().copied()).holes).collect()
}

/// Returns the time in which a source counts: from the start of its first requested span, until its last search if the
/// topic no longer has it.
pub(super) fn active(source: Source, watched: Option<&WatchedTopic>, runs: &[RunSearch], period: Span) -> Span {
    let searches = || runs.iter().filter_map(|run| Some((run.at, run.search.as_ref().filter(|s| s.source == source)?)));
    let requested_from = |(at, search): (Time, &crate::model::CoverageSearch)| {
        search.requested_span.map_or(at, |requested| requested.from.min(at))
    };
    let from = searches().map(requested_from).min().unwrap_or(period.until).clamp(period.from, period.until);
    let topic = watched.and_then(|watched| watched.definition.as_ref());
    let removed = topic.is_some_and(|topic| !topic.sources().into_iter().any(|own| own == source));
    let last = searches().map(|(at, _)| at).max().filter(|_| removed);
    Span { from, until: last.unwrap_or(period.until).clamp(from, period.until) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use proptest::prelude::*;

    use super::*;
    use crate::insight::{Cause, SpanLength};

    const LENGTH: i64 = 60;

    fn span(from: i64, until: i64) -> Span {
        Span { from: Time(from), until: Time(until) }
    }

    /// What a source did at each instant: covered, left the last minutes out, met a full reply, or missed it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum At {
        Covered,
        Late,
        Full,
        Missed,
    }

    fn source(number: usize, timeline: &[At], active: Span) -> SourceSpans {
        let spans = |what: At| -> Vec<Span> {
            let of = (0_i64..).zip(timeline).filter(|(_, at)| **at == what);
            split_coverage(span(0, LENGTH), of.map(|(at, _)| span(at, at + 1))).covered
        };
        let hole = |why: HoleCause| {
            move |span: Span| Hole {
                span: SpanLength { span, length_ms: span.until.0 - span.from.0 },
                causes: vec![Cause { why, count: 1, detail: None }],
            }
        };
        let full = spans(At::Full).into_iter().map(hole(HoleCause::Saturated));
        SourceSpans {
            source: [Source::Social, Source::Web, Source::Ai][number],
            active,
            covered: spans(At::Covered),
            late: spans(At::Late),
            holes: full.chain(spans(At::Missed).into_iter().map(hole(HoleCause::FailedSearch))).collect(),
            open: None,
            idle: false,
        }
    }

    fn timeline() -> impl Strategy<Value = Vec<At>> {
        let at = prop::sample::select(vec![At::Covered, At::Late, At::Full, At::Missed]);
        let piece = (at, 1_usize..20).prop_map(|(at, many)| vec![at; many]);
        let whole = usize::try_from(LENGTH).unwrap();
        prop::collection::vec(piece, 10..30).prop_map(move |pieces| {
            let mut all: Vec<At> = pieces.concat();
            all.resize(whole, At::Missed);
            all
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn an_instant_is_covered_only_if_each_active_source_covered_it(
            of in prop::collection::vec((timeline(), 0..LENGTH, 1..LENGTH), 1..4)
        ) {
            let sources: Vec<SourceSpans> = of
                .iter()
                .enumerate()
                .map(|(number, (timeline, from, length))| {
                    source(number, timeline, span(*from, (from + length).min(LENGTH)))
                })
                .collect();
            let all = all_sources(&sources, span(0, LENGTH));
            let holds = |spans: &[Span], at: i64| spans.iter().any(|span| span.contains(Time(at)));
            for at in 0..LENGTH {
                let here: Vec<At> = of
                    .iter()
                    .filter(|(_, from, length)| (*from..(from + length).min(LENGTH)).contains(&at))
                    .map(|(timeline, ..)| timeline[usize::try_from(at).unwrap()])
                    .collect();
                let only = |allowed: &[At]| !here.is_empty() && here.iter().all(|one| allowed.contains(one));
                let covered = only(&[At::Covered]);
                let late = !covered && only(&[At::Covered, At::Late]);
                let full = !covered && !late && only(&[At::Covered, At::Late, At::Full]);
                prop_assert_eq!(
                    (holds(&all.covered, at), holds(&all.late, at), holds(&all.full, at)),
                    (covered, late, full),
                    "{}: {:?}", at, here
                );
                let missed = here.contains(&At::Missed);
                let named = all.reasons.iter().any(|(hole, why)| hole.contains(Time(at)) && why.contains("failed"));
                prop_assert_eq!(named, missed, "{}: {:?}", at, here);
            }
        }
    }
}
