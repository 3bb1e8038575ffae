//! Combines the coverage of all sources of a topic. A source that missed time leaves a hole even if another one
//! searched that time: its posts are missing. A source counts while the topic has it.

use crate::insight::{Hole, HoleCause, split_coverage};
use crate::model::{ResultKind, RunSearch, Source, Span, Time, WatchedTopic, result_kind};

/// Returns when searches that cover no spans answered, in order, given these times by source. AI answers count only for
/// a topic without other such searches, because an answer about found items does not find more.
pub(super) fn item_checks(mut checks: Vec<(Source, Vec<Time>)>, runs: &[RunSearch]) -> Vec<Time> {
    let finds = |source: Source| {
        let mut searches = runs.iter().filter_map(|run| run.search.as_ref()).filter(|search| search.source == source);
        searches.any(|search| result_kind(source, &search.operation) != ResultKind::Answer)
    };
    if checks.iter().any(|(source, _)| finds(*source)) {
        checks.retain(|(source, _)| finds(*source));
    }
    let mut all: Vec<Time> = checks.into_iter().flat_map(|(_, at)| at).collect();
    all.sort_unstable();
    all
}

/// The coverage of one source.
#[derive(Debug, Clone)]
pub(super) struct SourceSpans {
    pub(super) source: Source,
    /// The times in which it counts.
    pub(super) active: Vec<Span>,
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

/// The coverage of all sources.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AllSources {
    pub(super) covered: Vec<Span>,
    pub(super) late: Vec<Span>,
    pub(super) full: Vec<Span>,
    /// Holes of single sources and their causes; with the source's name if there are several sources.
    pub(super) reasons: Vec<(Span, String)>,
    /// The same for the ends of sources for which no search was due. Another source may have a hole there.
    pub(super) waiting: Vec<(Span, String)>,
    /// Since when no search was due; `None` if one was.
    pub(super) idle_from: Option<Time>,
    /// The start of the uncovered time that the next search looks back over.
    pub(super) open_from: Option<Time>,
}

/// Combines the sources in a period.
pub(super) fn all_sources(sources: &[SourceSpans], period: Span) -> AllSources {
    let covered = common(sources, period, |source| source.covered.clone());
    let claimed = common(sources, period, |source| source.covered.iter().chain(&source.late).copied().collect());
    let reached = common(sources, period, |source| {
        source.covered.iter().chain(&source.late).copied().chain(source.full()).collect()
    });
    let (mut reasons, mut waiting) = (Vec::new(), Vec::new());
    for source in sources {
        let name = if sources.len() > 1 { format!("{}: ", source.source) } else { String::new() };
        let inside = |hole: &Hole| -> Vec<Span> {
            source.active.iter().filter_map(|active| hole.span.span.intersection(*active)).collect()
        };
        for hole in source.holes.iter().chain(source.open.iter().filter(|_| !source.idle)) {
            let causes: Vec<String> = hole.causes.iter().map(ToString::to_string).collect();
            reasons.extend(inside(hole).into_iter().map(|span| (span, format!("{name}{}", causes.join("; ")))));
        }
        let idle = source.open.iter().filter(|_| source.idle);
        waiting.extend(idle.flat_map(inside).map(|span| (span, format!("{name}no search was due yet"))));
    }
    let open = || sources.iter().filter_map(|source| Some((source, source.open.as_ref()?.span.span.from)));
    let open_from = open().map(|(_, from)| from).min();
    AllSources {
        late: without(&claimed, &covered),
        full: without(&reached, &claimed),
        idle_from: open_from.filter(|_| open().all(|(source, _)| source.idle)),
        covered,
        reasons,
        waiting,
        open_from,
    }
}

/// The parts of a period that lie in the spans of each source, as far as it is active, and in which any is.
fn common(sources: &[SourceSpans], period: Span, spans: impl Fn(&SourceSpans) -> Vec<Span>) -> Vec<Span> {
    let active = split_coverage(period, sources.iter().flat_map(|source| source.active.iter().copied())).holes;
    let missing = sources.iter().flat_map(|source| {
        let active = source.active.iter().filter_map(|active| active.intersection(period));
        active.flat_map(|active| split_coverage(active, spans(source)).holes).collect::<Vec<_>>()
    });
    split_coverage(period, active.into_iter().chain(missing)).holes
}

/// The parts of spans that lie in none of the others.
fn without(spans: &[Span], others: &[Span]) -> Vec<Span> {
    spans.iter().flat_map(|span| split_coverage(*span, others.iter().copied()).holes).collect()
}

/// The kind of a part of a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HolePart {
    /// Before the topic was watched.
    Before,
    Missed,
    /// No search was due yet.
    Open,
}

/// Divides a hole, in order. Before the topic began, only time in `reasons` is missed: the time after a backfill.
pub(super) fn hole_parts(
    hole: Span,
    began: Time,
    idle_from: Time,
    reasons: &[(Span, String)],
) -> Vec<(Span, HolePart)> {
    let since = Span::new(hole.from.max(began), hole.until);
    let divided = split_coverage(hole, reasons.iter().map(|(span, _)| *span).chain(since));
    let mut parts: Vec<(Span, HolePart)> = divided.holes.into_iter().map(|span| (span, HolePart::Before)).collect();
    for Span { from, until } in divided.covered {
        parts.extend(Span::new(from, until.min(idle_from)).map(|span| (span, HolePart::Missed)));
        parts.extend(Span::new(from.max(idle_from), until).map(|span| (span, HolePart::Open)));
    }
    parts.sort_unstable_by_key(|(span, _)| *span);
    parts
}

/// Returns the time in which sources count: its start, and its end if the topic has none of them any more. Before and
/// after that, searches cover no spans. `None` if there is no such bound.
pub(super) fn counting(
    sources: &[SourceSpans],
    watched: Option<&WatchedTopic>,
    seen: Span,
) -> (Option<Time>, Option<Time>) {
    let first = sources.iter().filter_map(|one| one.active.first()).map(|active| active.from).min();
    let own = watched.and_then(|watched| watched.definition.as_ref()).map(crate::model::Topic::sources);
    let has_now = own.is_none_or(|own| sources.iter().any(|one| own.contains(&one.source)));
    let last = sources.iter().filter_map(|one| one.active.last()).map(|active| active.until).max();
    (first.filter(|from| *from > seen.from), last.filter(|_| !has_now))
}

/// Returns whether no search was due in a hole up to the present. Without planned slots, one and a half times the usual
/// distance between searches counts as not due.
pub(super) fn idle(open: &Hole, watched: &WatchedTopic, runs: &[RunSearch], present: Time) -> bool {
    if watched.paused || watched.ended.is_some() || !open.causes.iter().all(|cause| cause.why == HoleCause::NothingDue)
    {
        return false;
    }
    if let Some(next) = watched.next {
        return next > present;
    }
    let mut at: Vec<i64> = runs.iter().map(|run| run.at.0).collect();
    at.sort_unstable();
    at.dedup();
    let mut gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(0);
    // The last minutes before a search wait for posts to be indexed, not for a search.
    let last = at.last().map_or(open.span.span.from.0, |last| open.span.span.from.0.max(*last));
    open.span.span.until.0 - last <= usual + usual / 2
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

    /// The state of a source at each instant: covered, last minutes left out, full reply, or missed.
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
            active: vec![active],
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
