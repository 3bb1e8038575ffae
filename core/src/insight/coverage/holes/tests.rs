//! Tests of holes and their causes, from rows of the ledger. `coverage` tests the arithmetic of spans.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::insight::daily::SearchCoverage;
use crate::model::{LookBack, Period, PrunedDays, RunState, SchedulePolicy, SocialQuery, Topic, Window};

const HOUR: i64 = 3_600_000;
/// 2026-03-11T09:00:00Z.
pub(super) const BEGAN: i64 = 1_773_219_600_000;

pub(super) fn at(hour: i64) -> Time {
    Time(BEGAN + hour * HOUR)
}

pub(super) fn span(from: i64, until: i64) -> Span {
    Span { from: at(from), until: at(until) }
}

pub(super) fn watched(operation: SocialOperation) -> WatchedTopic {
    let definition = Topic {
        id: "acme".into(),
        title: "Acme".into(),
        tags: Vec::new(),
        window: Window::Past24Hours,
        social: Some(SocialQuery { query: "acme".into(), operation, limit: None }),
        web: None,
        ai: None,
        providers: Vec::new(),
        schedule: None,
        unscheduled: Default::default(),
        limits: Default::default(),
        filter: Default::default(),
    };
    WatchedTopic {
        topic: "acme".into(),
        began: at(0),
        filled_from: None,
        ended: None,
        paused: false,
        next: None,
        definition: Some(definition),
    }
}

fn run(hour: i64, state: RunState, reason: Option<&str>) -> RunSearch {
    RunSearch { topic: "acme".into(), at: at(hour), seq: 0, state, reason: reason.map(str::to_owned), search: None }
}

pub(super) fn search(hour: i64, state: SearchState, over: LookBack, covered: Option<Span>) -> RunSearch {
    let trouble = (state == SearchState::Error).then(|| "server".to_owned());
    let requested = Some(over.span(at(hour)));
    let search = CoverageSearch {
        source: Source::Social,
        operation: "search".into(),
        state,
        requested_span: requested,
        covered,
        saturated: false,
        trouble,
    };
    RunSearch { search: Some(search), ..run(hour, RunState::Ok, None) }
}

pub(super) fn ok(hour: i64) -> RunSearch {
    let over = LookBack::from(Window::Past24Hours);
    search(hour, SearchState::Ok, over, Some(over.span(at(hour))))
}

fn failed(hour: i64) -> RunSearch {
    search(hour, SearchState::Error, Window::Past24Hours.into(), None)
}

pub(super) fn full(hour: i64, since: i64, oldest: Option<i64>) -> RunSearch {
    let covered = oldest.map(|oldest| span(oldest, hour));
    let mut run_search = search(hour, SearchState::Ok, LookBack::Since(at(since)), covered);
    run_search.search.as_mut().unwrap().saturated = true;
    run_search
}

/// Covered spans, holes with their causes in words, and the open hole, in hours since the topic began.
type HoleSummary = (Vec<(i64, i64)>, Vec<(i64, i64, String)>, Option<(i64, i64)>);

pub(super) fn holes_of(watched: &WatchedTopic, runs: &[RunSearch], period: Span) -> HoleSummary {
    let got = source_coverage(watched, runs, period, |_| true);
    assert_eq!(got.len(), 1, "{got:?}");
    let Coverage::Spans { covered, holes, open, covered_ms, holes_ms, .. } = &got[0].coverage else {
        panic!("{got:?}");
    };
    let hours = |length: &SpanLength| {
        assert_eq!(length.length_ms, length.span.until.0 - length.span.from.0);
        ((length.span.from.0 - BEGAN) / HOUR, (length.span.until.0 - BEGAN) / HOUR)
    };
    let words = |hole: &Hole| hole.causes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert_eq!(*covered_ms, covered.iter().map(|s| s.length_ms).sum::<i64>());
    assert_eq!(*holes_ms, holes.iter().map(|h| h.span.length_ms).sum::<i64>());
    let listed = holes.iter().map(|hole| {
        let (from, until) = hours(&hole.span);
        (from, until, words(hole))
    });
    (covered.iter().map(hours).collect(), listed.collect(), open.as_ref().map(|hole| hours(&hole.span)))
}

#[test]
fn each_hole_names_its_causes_from_the_ledger() {
    let missed = |hour| run(hour, RunState::Missed, Some("passed while nothing ran"));
    for (name, runs, until, holes) in [
        ("all is well", vec![ok(0), ok(12), ok(24)], 24, vec![]),
        ("a failure that the next search made up for", vec![ok(0), failed(12), ok(24)], 24, vec![]),
        (
            "failures",
            vec![ok(0), failed(12), failed(24), failed(36), ok(48)],
            48,
            vec![(0, 24, "2 failed searches (server); the next search looked back only 1d")],
        ),
        (
            "a downtime",
            vec![ok(0), missed(12), missed(24), missed(36), missed(48), ok(60)],
            60,
            vec![(0, 36, "3 missed slots; the next search looked back only 1d")],
        ),
        (
            "a downtime and a full reply",
            vec![ok(0), missed(12), missed(24), full(36, 0, Some(30))],
            36,
            vec![(0, 30, "2 missed slots; the reply was full and did not reach further back")],
        ),
        (
            "a full reply without a date, then nothing for two days",
            vec![ok(0), full(12, -12, None)],
            50,
            vec![(0, 12, "the reply was full and did not reach further back"), (12, 50, "no search reached it")],
        ),
        (
            "an empty reply although posts were known",
            vec![ok(0), failed(12), search(24, SearchState::Empty, Window::Past24Hours.into(), None), ok(48)],
            48,
            vec![(
                0,
                24,
                "1 failed search (server); an empty reply, although posts from that time are known or certain to exist; the next search looked back only 1d",
            )],
        ),
        ("a period beyond the window", vec![ok(0), ok(36)], 36, vec![(0, 12, "the next search looked back only 1d")]),
        (
            "skipped and cancelled",
            vec![ok(0), run(12, RunState::Skipped, Some("busy")), run(24, RunState::Cancelled, None), ok(60)],
            60,
            vec![(0, 36, "1 skipped slot; 1 search not made (cancelled); the next search looked back only 1d")],
        ),
        (
            "paused for a while",
            vec![ok(0), run(12, RunState::Cancelled, Some("the topic is paused in the configuration")), ok(60)],
            60,
            vec![(0, 36, "paused; the next search looked back only 1d")],
        ),
        ("nothing known", vec![ok(0)], 30, vec![(0, 30, "no search reached it")]),
    ] {
        let (_, got, _) = holes_of(&watched(SocialOperation::Search), &runs, span(0, until));
        let holes: Vec<_> = holes.into_iter().map(|(from, until, why)| (from, until, why.to_owned())).collect();
        assert_eq!(got, holes, "{name}");
    }
}

#[test]
fn time_that_the_next_search_will_cover_is_open_not_a_hole() {
    let acme = watched(SocialOperation::Search);
    assert_eq!(holes_of(&acme, &[ok(0)], span(0, 6)), (vec![], vec![], Some((0, 6))), "nothing covers it yet");
    assert_eq!(holes_of(&acme, &[ok(0), ok(12)], span(0, 18)), (vec![(0, 12)], vec![], Some((12, 18))));
    let (_, holes, open) = holes_of(&acme, &[ok(0)], span(0, 25));
    assert_eq!((holes.len(), open), (1, None), "longer than the window");
    // A slot that passed but is not planned yet: something was due.
    let planned = |next: i64| WatchedTopic { next: Some(at(next)), ..watched(SocialOperation::Search) };
    let causes_of = |next: i64| holes_of(&planned(next), &[ok(0)], span(0, 25)).1[0].2.clone();
    assert_eq!(causes_of(6), "at least one slot has passed, but its run has not started yet");
    assert_eq!(causes_of(30), "no search reached it");
    // After failures, too; and a full reply is not blamed for what came after it.
    let (_, holes, _) = holes_of(&planned(36), &[ok(0), failed(12), failed(24)], span(0, 60));
    assert_eq!(
        holes,
        [(
            0,
            60,
            "at least one slot has passed, but its run has not started yet; 2 failed searches (server)".to_owned()
        )]
    );
    let runs = [ok(0), full(12, -12, None)];
    let full_only = (0, 12, "the reply was full and did not reach further back".to_owned());
    let after = (12, 60, "at least one slot has passed, but its run has not started yet".to_owned());
    assert_eq!(holes_of(&planned(24), &runs, span(0, 60)).1, [full_only.clone(), after]);
    assert_eq!(holes_of(&planned(24), &runs, span(0, 20)), (vec![], vec![full_only], Some((12, 20))));
    let mut stopped = runs;
    stopped[1].search.as_mut().unwrap().trouble = Some("rate_limited".to_owned());
    assert_eq!(holes_of(&planned(24), &stopped, span(0, 20)).2, Some((0, 20)), "the next search looks back to 0");
    let paused = WatchedTopic { paused: true, ..acme };
    assert_eq!(holes_of(&paused, &[ok(0)], span(0, 48)).1, [(0, 48, "paused".to_owned())]);
    let removed = WatchedTopic { ended: Some(at(18)), ..watched(SocialOperation::Search) };
    let end = (12, 18, "no search reached it".to_owned());
    assert_eq!(holes_of(&removed, &[ok(0), ok(12)], span(0, 18)), (vec![(0, 12)], vec![end], None), "removed");
}

#[test]
fn a_backfill_that_ends_a_hole_is_not_blamed_for_it() {
    let day = at(60).utc_day() - 1;
    let over = LookBack::Day(day).span(at(60));
    let runs = [ok(0), search(60, SearchState::Ok, LookBack::Day(day), Some(over))];
    let (_, holes, _) = holes_of(&watched(SocialOperation::Search), &runs, span(0, 60));
    assert_eq!(holes[0].2, "no search reached it");
}

#[test]
fn a_call_without_a_span_covers_an_instant() {
    let checked = |hour: i64| {
        let mut run_search = search(hour, SearchState::Ok, Window::Past24Hours.into(), None);
        let search = run_search.search.as_mut().unwrap();
        (search.operation, search.requested_span) = ("posts".into(), None);
        run_search
    };
    let runs = [checked(1), checked(7), failed(9), checked(20)];
    let mut runs = runs.to_vec();
    runs[2].search.as_mut().unwrap().operation = "posts".into();
    let got = source_coverage(&watched(SocialOperation::Posts), &runs, span(0, 24), |source| source == Source::Social);
    let checks = vec![at(1), at(7), at(20)];
    let largest_distance_ms = Some(13 * HOUR);
    assert_eq!(got[0].coverage, Coverage::Checks { checks, failed: 1, largest_distance_ms });
    assert_eq!(
        source_coverage(&watched(SocialOperation::Posts), &runs, span(0, 24), |source| source == Source::Web),
        []
    );
}

#[test]
fn a_covered_share_is_never_rounded_up_to_100_percent() {
    assert_eq!((share(0, 0), share(1, 3), share(999_999, 1_000_000)), (None, Some(0.3333), Some(0.9999)));
    assert_eq!(share(7, 7), Some(1.0));
}

#[test]
fn the_last_minutes_before_a_search_are_a_hole_only_after_a_missed_search() {
    let daily = |day: i64, seconds: i64| {
        let at = Time(at(24 * day).0 + seconds * 1_000);
        let over = LookBack::from(Window::Past24Hours).span(at);
        let claimed = Span { from: over.from, until: Time(at.0 - 300_000) };
        let mut run_search = search(24 * day, SearchState::Ok, Window::Past24Hours.into(), Some(claimed));
        run_search.at = at;
        run_search.search.as_mut().unwrap().requested_span = Some(over);
        run_search
    };
    let topic = watched(SocialOperation::Search);
    let of = |runs: &[RunSearch], until: i64| match source_coverage(&topic, runs, span(0, until), |_| true)
        .remove(0)
        .coverage
    {
        Coverage::Spans { holes, open, late_indexing, late_indexing_ms, .. } => {
            (holes.len(), open.map(|open| open.span.length_ms / 60_000), late_indexing.len(), late_indexing_ms / 60_000)
        }
        other => panic!("{other:?}"),
    };
    // Daily searches that start up to half a minute after their slots, and almost a day since the last.
    let runs = [daily(1, 0), daily(2, 30), daily(3, 10)];
    assert_eq!(of(&runs, 72 + 24), (0, Some(24 * 60 + 4), 2, 10));
    assert_eq!(of(&runs, 72 + 25), (1, None, 2, 10), "one was due");
    // A later search that looks back over the minutes claims them.
    let between = {
        let mut run_search = daily(1, 6 * 3_600);
        run_search.at = at(30);
        run_search
    };
    assert_eq!(of(&[daily(1, 0), between, daily(2, 0)], 48).2, 0);
    // A skipped search leaves a hole that starts where the last claim ends.
    assert_eq!(of(&[daily(1, 0), daily(3, 0)], 72), (1, Some(5), 0, 0));
}

#[test]
fn a_manual_topic_stays_open_for_as_long_as_its_searches_are_apart() {
    let mut acme = watched(SocialOperation::Search);
    if let Some(topic) = &mut acme.definition {
        topic.schedule = Some(SchedulePolicy::timing_only(Period::Every(6 * 3_600_000), "UTC"));
    }
    // Each search claims all but its last five hours; the next one looks back over them.
    let search_at =
        |hour: i64| search(hour, SearchState::Ok, Window::Past24Hours.into(), Some(span(hour - 24, hour - 5)));
    let runs: Vec<RunSearch> = [0, 6, 12, 18].map(search_at).into();
    let of = |present: i64| SearchCoverage::new(Some(acme.clone()), runs.clone(), span(0, present), at(present));
    assert!(of(24).holes(span(0, 24)).iter().all(|hole| hole.open), "{:?}", of(24).holes(span(0, 24)));
    assert!(of(36).holes(span(0, 36)).iter().any(|hole| !hole.open), "twice as long is not a pause");
}

/// A search of Hacker News that looked back a day; `None` failed.
fn of_provider(hour: i64, covered: Option<Span>) -> RunSearch {
    let state = if covered.is_some() { SearchState::Ok } else { SearchState::Error };
    let mut run_search = search(hour, state, Window::Past24Hours.into(), covered);
    let search = run_search.search.as_mut().unwrap();
    (search.source, search.operation) = (Source::parse("hn").unwrap(), "hackernews".into());
    run_search
}

fn provided(hour: i64) -> RunSearch {
    of_provider(hour, Some(span(hour - 24, hour)))
}

#[test]
fn only_time_that_every_source_covered_counts_as_covered() {
    use crate::model::ProviderQuery;
    let day = span(24, 48);
    let of = |with_provider: bool, runs: &[&[RunSearch]]| {
        let mut acme = watched(SocialOperation::Search);
        let query =
            ProviderQuery { source: Source::parse("hn").unwrap(), kind: "hackernews".into(), keys: Default::default() };
        if let Some(topic) = acme.definition.as_mut().filter(|_| with_provider) {
            topic.providers = vec![query];
        }
        let mut all = runs.concat();
        all.sort_by_key(|run| run.at);
        SearchCoverage::new(Some(acme), all, span(0, 72), at(72))
    };
    let holes = |got: &SearchCoverage| -> Vec<(i64, i64, String)> {
        let hours = |at: Time| (at.0 - BEGAN) / HOUR;
        got.holes(day).into_iter().map(|hole| (hours(hole.span.from), hours(hole.span.until), hole.why)).collect()
    };
    let daily = |search_at: fn(i64) -> RunSearch| [search_at(24), search_at(48), search_at(72)];
    let both = of(true, &[&daily(ok), &daily(provided)]);
    assert!((both.covered_share(day) - 1.0).abs() < 1e-9 && holes(&both).is_empty(), "{:?}", holes(&both));
    // One source fails at hours 24 and 48, and looks back a day at hour 72. Whichever source it is, its posts of the
    // day before are missing.
    let provider_failed = [of_provider(24, None), of_provider(48, None), provided(72)];
    let social_failed = [failed(24), failed(48), ok(72)];
    for (name, got) in
        [("hn", of(true, &[&daily(ok), &provider_failed])), ("social", of(true, &[&social_failed, &daily(provided)]))]
    {
        assert!(got.covered_share(day) < 0.01, "{name}: {}", got.covered_share(day));
        let [(24, 48, why)] = &holes(&got)[..] else { panic!("{name}: {:?}", holes(&got)) };
        assert!(why.starts_with(&format!("{name}: 2 failed searches (server)")), "{why}");
    }
    // A source that was added later leaves no holes before that, and a removed one leaves none after that.
    let later = of(true, &[&daily(ok), &[provided(72)]]);
    assert!((later.covered_share(day) - 1.0).abs() < 1e-9, "{:?}", holes(&later));
    let removed = of(false, &[&daily(ok), &[provided(24)]]);
    assert!((removed.covered_share(day) - 1.0).abs() < 1e-9, "{:?}", holes(&removed));
    let still_there = of(true, &[&daily(ok), &[provided(24)]]);
    assert!(still_there.covered_share(day) < 0.01, "{:?}", holes(&still_there));
    assert!(!both.saturated(day) && !both.is_partly_uncovered(day, &PrunedDays::default()));
    assert!(still_there.is_partly_uncovered(day, &PrunedDays::default()));
    let mut full_reply = of_provider(48, Some(span(40, 48)));
    full_reply.search.as_mut().unwrap().saturated = true;
    let cut = of(true, &[&daily(ok), &[provided(24), full_reply, of_provider(72, Some(span(48, 72)))]]);
    assert!(cut.saturated(day) && (cut.searched_share(day) - 1.0).abs() < 1e-9, "{:?}", holes(&cut));
}
