//! Tests of backfills: the time between a backfill and the first run is a gap if the run looked back to the backfill.
//! Other time before the topic was watched is not.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::tests::{at, full, holes_of, ok, search, span, watched};
use super::*;
use crate::insight::daily::SearchCoverage;
use crate::model::LookBack;

/// A backfill, made at this hour, of the UTC day from hour -81 to hour -57.
fn filled(hour: i64) -> RunSearch {
    let day = LookBack::Day(at(0).utc_day() - 3);
    search(hour, SearchState::Ok, day, Some(day.span(at(hour))))
}

fn topic(filled_from: Option<i64>) -> WatchedTopic {
    WatchedTopic { filled_from: filled_from.map(at), ..watched(SocialOperation::Search) }
}

const FULL: &str = "the reply was full and did not reach further back";

#[test]
fn time_after_a_backfill_is_a_gap_as_far_as_a_search_looked_back() {
    let part = |oldest: i64| {
        let mut day = filled(0);
        let search = day.search.as_mut().unwrap();
        (search.covered, search.saturated) = (Some(span(oldest, -57)), true);
        day
    };
    let over = |day: i64| {
        let day = LookBack::Day(at(0).utc_day() - day);
        search(0, SearchState::Ok, day, Some(day.span(at(0))))
    };
    for (name, filled_from, runs, from, covered, gaps) in [
        ("nothing ran", None, vec![], -168, vec![], vec![]),
        ("a first run with a full reply", None, vec![full(0, -24, Some(-2))], -168, vec![(-2, 0)], vec![]),
        (
            "a full reply that looked back",
            Some(-81),
            vec![filled(0), full(1, -57, Some(-30))],
            -168,
            vec![(-81, -57), (-30, 1)],
            vec![(-57, -30, FULL)],
        ),
        (
            "a period that begins later",
            Some(-81),
            vec![filled(0), full(1, -57, Some(-30))],
            -48,
            vec![(-30, 1)],
            vec![(-48, -30, FULL)],
        ),
        ("backfilled after the first run", Some(-81), vec![ok(0), filled(1)], -168, vec![(-81, -57), (-24, 0)], vec![]),
        ("not run since", Some(-81), vec![filled(0)], -168, vec![(-81, -57)], vec![]),
        ("one day long before", Some(-1_665), vec![over(69), full(1, -167, Some(-30))], -168, vec![(-30, 1)], vec![]),
        (
            "days apart that nothing looked back over",
            Some(-129),
            vec![over(5), over(3), full(1, -24, Some(-2))],
            -168,
            vec![(-129, -105), (-81, -57), (-2, 1)],
            vec![],
        ),
        (
            "a later day of which the reply was full",
            Some(-129),
            vec![over(5), part(-60)],
            -168,
            vec![(-129, -105), (-60, -57)],
            vec![(-81, -60, FULL)],
        ),
    ] {
        let (has, got, _) = holes_of(&topic(filled_from), &runs, span(from, 1));
        let gaps: Vec<_> = gaps.into_iter().map(|(from, until, why)| (from, until, why.to_owned())).collect();
        assert_eq!((has, got), (covered, gaps), "{name}");
    }
}

#[test]
fn pruned_time_is_not_a_gap_and_only_time_before_a_backfill_is_marked_as_before() {
    let runs = vec![filled(0), full(1, -57, Some(-30))];
    let mut pruned = topic(Some(-81));
    pruned.forget_before(at(-40));
    assert_eq!(holes_of(&pruned, &runs, span(-168, 1)).1, [(-40, -30, FULL.to_owned())]);
    let week = span(-168, 1);
    let holes = SearchCoverage::new(Some(topic(Some(-81))), runs, week, at(1)).holes(week);
    let holes: Vec<_> = holes.iter().map(|hole| (hole.span, hole.before, hole.why.as_str())).collect();
    assert_eq!(holes, [(span(-168, -81), true, ""), (span(-57, -30), false, FULL)]);
}

proptest! {
    #[test]
    fn every_moment_since_the_earliest_look_back_is_covered_a_gap_or_open(
        days in prop::collection::btree_set(-20_i64..-1, 1..6),
        looked_back in 1_i64..400,
        reached in 0_i64..400,
        later in 0_i64..60,
    ) {
        let backfill = |day: &i64| {
            let day = LookBack::Day(at(0).utc_day() + day);
            search(0, SearchState::Ok, day, Some(day.span(at(0))))
        };
        let mut runs: Vec<RunSearch> = days.iter().map(backfill).collect();
        let first = runs[0].search.as_ref().unwrap().covered.unwrap().from;
        let ends = runs.iter().map(|run| run.search.as_ref().unwrap().covered.unwrap().until);
        let since = ends.filter(|end| at(1 - looked_back) <= *end).fold(at(0), Time::min);
        runs.push(full(1, 1 - looked_back, Some((1 - looked_back).max(1 - reached).min(0))));
        let acme = WatchedTopic { filled_from: Some(first), ..watched(SocialOperation::Search) };
        let period = Span { from: at(-1_000), until: at(1 + later) };
        let got = source_coverage(&acme, &runs, period, |_| true).remove(0).coverage;
        let Coverage::Spans { covered, holes, open, late_indexing, .. } = got else { panic!("no spans") };
        let gaps = || holes.iter().chain(&open).map(|hole| &hole.span);
        prop_assert!(gaps().all(|gap| since <= gap.span.from), "{since}: {holes:?} {open:?}");
        let mut all: Vec<Span> = covered.iter().chain(gaps()).chain(&late_indexing).map(|length| length.span).collect();
        all.retain(|span| since < span.until);
        all.sort_unstable();
        prop_assert!(all[0].from <= since && all[all.len() - 1].until == period.until, "{since}: {all:?}");
        prop_assert!(all.windows(2).all(|pair| pair[0].until == pair[1].from), "{all:?}");
    }
}
