//! The runs between which reactions are compared: those of the span, and for each source its search directly before it.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{SeqRange, Snapshot, Snapshots, Source};

/// Returns each source's last search before the span that found something. In the run before the span, the source may
/// have failed.
fn last_finds(snapshots: &Snapshots, between: SeqRange) -> BTreeMap<Source, &Snapshot> {
    let before = snapshots.all.iter().filter(|s| s.seq <= between.since && s.counts.found > 0);
    before.filter_map(|s| Some((snapshots.questions.get(s.question)?.source, s))).collect()
}

/// Returns whether searches after this one may have been pruned.
fn is_followed_by_pruned(snapshots: &Snapshots, search: &Snapshot) -> bool {
    snapshots.complete_from.is_some_and(|from| search.at < from)
}

/// Returns the runs in which the reactions of each source are compared. If searches after the last one that is stored
/// before the span were pruned, returns only the span itself: changes in between are not news of the span.
#[must_use]
pub fn growth_ranges(snapshots: &Snapshots, between: SeqRange) -> BTreeMap<Source, SeqRange> {
    let last = last_finds(snapshots, between);
    let of = |source: Source| {
        let compared = last.get(&source).filter(|search| !is_followed_by_pruned(snapshots, search));
        (source, SeqRange { since: compared.map_or(between.since, |search| search.seq - 1), ..between })
    };
    let asked = snapshots.all.iter().filter_map(|s| Some(snapshots.questions.get(s.question)?.source));
    asked.collect::<BTreeSet<_>>().into_iter().map(of).collect()
}

/// Returns whether the search with which a source of the span would be compared may have been pruned.
pub(super) fn is_start_pruned(snapshots: &Snapshots, between: SeqRange) -> bool {
    let last = last_finds(snapshots, between);
    let inside = snapshots.all.iter().filter(|s| s.seq > between.since && s.counts.found > 0);
    inside
        .filter_map(|s| last.get(&snapshots.questions.get(s.question)?.source))
        .any(|search| is_followed_by_pruned(snapshots, search))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Counts, Question, SearchState, Time};

    #[test]
    fn growth_starts_at_the_previous_search_of_a_source_unless_pruned() {
        let search = |seq: i64, question: usize, found: i64| Snapshot {
            run: format!("r{seq}"),
            seq,
            at: Time(seq),
            question,
            state: SearchState::Ok,
            refused: false,
            in_part: false,
            saturated: false,
            empty_in_error: false,
            requested_span: None,
            counts: Counts { found, ..Counts::default() },
            thinned: false,
        };
        let question = |source| Question { source, operation: "search".into(), query: "a".into() };
        let mut snapshots = Snapshots {
            questions: vec![question(Source::Social), question(Source::Web)],
            all: vec![
                search(3, 0, 1),
                search(3, 1, 1),
                search(7, 0, 1),
                search(7, 1, 0),
                search(9, 0, 1),
                search(9, 1, 1),
            ],
            ..Snapshots::default()
        };
        let between = SeqRange { since: 7, until: 9 };
        for (complete_from, social, web, pruned) in
            [(None, 6, 2, false), (Some(3), 6, 2, false), (Some(4), 6, 7, true), (Some(8), 7, 7, true)]
        {
            snapshots.complete_from = complete_from.map(Time);
            let since: Vec<i64> = growth_ranges(&snapshots, between).values().map(|range| range.since).collect();
            assert_eq!(since, [social, web], "{complete_from:?}");
            assert_eq!(is_start_pruned(&snapshots, between), pruned, "{complete_from:?}");
        }
        snapshots.all.pop();
        snapshots.complete_from = Some(Time(4));
        assert!(!is_start_pruned(&snapshots, between), "the web search of the span found nothing to compare");
    }
}
