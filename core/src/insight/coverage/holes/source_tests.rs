//! Tests of topics that get and lose sources, and of sources that wait while another one fails.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::tests::{BEGAN, at, search, watched};
use super::*;
use crate::insight::daily::{GapReason, SearchCoverage};
use crate::model::{ProviderQuery, PrunedDays, RunState, Window};

const HOUR: i64 = 3_600_000;

fn span(from: i64, until: i64) -> Span {
    Span { from: at(from), until: at(until) }
}

/// A search of a source that looked back a day and covered all of it, or failed.
fn searched(source: &str, hour: i64, answered: bool) -> RunSearch {
    let over = span(hour - 24, hour);
    let state = if answered { SearchState::Ok } else { SearchState::Error };
    let mut run = search(hour, state, Window::Past24Hours.into(), answered.then_some(over));
    let search = run.search.as_mut().unwrap();
    search.source = Source::parse(source).unwrap();
    match source {
        "hn" => search.operation = "hackernews".into(),
        "web" | "ai" => (search.requested_span, search.covered) = (None, None),
        _ => {}
    }
    run
}

/// The topic with its social source, and Hacker News if wanted.
fn topic(with_hn: bool) -> WatchedTopic {
    let mut acme = watched(SocialOperation::Search);
    if let Some(topic) = acme.definition.as_mut().filter(|_| with_hn) {
        let source = Source::parse("hn").unwrap();
        topic.providers = vec![ProviderQuery { source, kind: "hackernews".into(), keys: Default::default() }];
    }
    acme
}

fn hours(length: &SpanLength) -> (i64, i64) {
    ((length.span.from.0 - BEGAN) / HOUR, (length.span.until.0 - BEGAN) / HOUR)
}

#[test]
fn slots_outside_the_time_of_a_source_are_not_its_gaps() {
    let social = |hour: i64| searched("social", hour, true);
    let missed = |hour: i64| RunSearch { search: None, state: RunState::Missed, ..social(hour) };
    // Hacker News is there from hour 48 to 96, and fails at the end. Slots are missed before and after that.
    let mut runs = vec![social(0), missed(12), social(24), social(36)];
    for (hour, answered) in [(48, true), (60, true), (72, true), (84, false), (96, false)] {
        runs.extend([searched("hn", hour, answered), social(hour)]);
    }
    runs.extend([social(108), missed(120), missed(132), social(168), social(180)]);
    let of = |acme: &WatchedTopic| {
        let got = source_coverage(acme, &runs, span(0, 186), |source| source.as_str() == "hn").remove(0).coverage;
        let Coverage::Spans { covered, holes, open, .. } = got else { panic!("no spans") };
        let holes: Vec<_> = holes
            .iter()
            .map(|hole| (hours(&hole.span), hole.causes.iter().map(ToString::to_string).collect::<Vec<_>>()))
            .collect();
        (covered.iter().map(hours).collect::<Vec<_>>(), holes, open)
    };
    let next = Some(at(184));
    let gone = WatchedTopic { next, paused: true, ..topic(false) };
    let failed = ((72, 96), vec!["2 failed searches (server)".to_owned()]);
    assert_eq!(of(&gone), (vec![(24, 72)], vec![failed], None));
}

#[test]
fn a_topic_has_checks_before_its_first_source_with_spans() {
    let web = |hour: i64| searched("web", hour, true);
    let mut runs = vec![web(0), web(12), web(24), web(36)];
    for hour in [48, 60] {
        runs.extend([searched("social", hour, true), web(hour)]);
    }
    let got = SearchCoverage::new(Some(topic(false)), runs, span(0, 72), at(72));
    assert_eq!((got.has_spans(span(0, 24)), got.checks(span(0, 24))), (false, Some(2)));
    assert!(got.has_spans(span(24, 48)) && (got.covered_share(span(24, 48)) - 1.0).abs() < 1e-9);
    // If a day began before, its rest counts.
    assert!((got.covered_share(span(12, 36)) - 1.0).abs() < 1e-9);
    assert!(got.holes(span(0, 72)).iter().all(|hole| hole.open), "{:?}", got.holes(span(0, 72)));
}

#[test]
fn a_source_not_due_yet_is_a_cause_only_if_nothing_else_explains_a_gap() {
    let (social, hn) =
        (|hour: i64, answered| searched("social", hour, answered), |hour: i64| searched("hn", hour, true));
    let why = |runs: Vec<RunSearch>| -> Vec<(i64, i64, String)> {
        let acme = WatchedTopic { next: Some(at(30)), ..topic(true) };
        let got = SearchCoverage::new(Some(acme), runs, span(-24, 28), at(28));
        let hour = |at: Time| (at.0 - BEGAN) / HOUR;
        got.holes(span(0, 28)).into_iter().map(|hole| (hour(hole.span.from), hour(hole.span.until), hole.why)).collect()
    };
    let both = |hour: i64| [hn(hour), social(hour, true)];
    assert_eq!(why([both(0), both(12), both(24)].concat()), [(24, 28, String::new())], "both wait");
    let failed = [both(0), both(12), [hn(24), social(24, false)]].concat();
    assert_eq!(why(failed), [(12, 28, "social: 1 failed search (server)".to_owned())]);
    let later = [both(0).to_vec(), both(12).to_vec(), vec![social(18, true)], vec![social(24, false)]].concat();
    let both_named = "social: 1 failed search (server); hn: no search was due yet";
    assert_eq!(why(later), [(12, 28, both_named.to_owned())]);
}

/// Social twice a day for six days and a half, and another source from hour 60 to hour 108.
fn joined_by(other: &str) -> Vec<RunSearch> {
    let run = |hour: i64| {
        let other = (60..=108).contains(&hour).then(|| searched(other, hour, true));
        std::iter::once(searched("social", hour, true)).chain(other)
    };
    (0..=156).step_by(12).flat_map(run).collect()
}

#[test]
fn days_that_had_a_source_for_only_a_part_are_lower_bounds() {
    for (name, other, expected) in [
        ("none", "social", [false; 6]),
        ("its first search looks back a day", "hn", [false, true, false, false, true, false]),
        ("its searches see only a moment", "web", [false, false, true, false, true, false]),
        ("it finds no items", "ai", [false; 6]),
    ] {
        let got = SearchCoverage::new(Some(topic(false)), joined_by(other), span(0, 156), at(156));
        let days: Vec<Span> = (0..6).map(|day| span(day * 24, day * 24 + 24)).collect();
        let kept = PrunedDays::default();
        let more: Vec<bool> = days.iter().map(|day| got.may_be_more(&kept, *day, at(156))).collect();
        assert_eq!(more, expected, "{name}");
        assert!(days.iter().all(|day| !got.has_gaps(&kept, *day, at(156))), "{name}");
    }
}

#[test]
fn a_day_has_gaps_exactly_if_it_has_gap_reasons() {
    let social = |hour: i64, answered| searched("social", hour, answered);
    let full = |oldest: Time| {
        let mut run = social(72, true);
        let search = run.search.as_mut().unwrap();
        (search.saturated, search.covered) = (true, Some(Span { from: oldest, until: at(72) }));
        run
    };
    // Less than 2 % of the day.
    let minutes_28 = Time(at(48).0 + 28 * 60_000);
    let pruned = PrunedDays { uncounted: Some(at(72)), days: Vec::new() };
    let daily = |failed: i64| (0..=4).map(move |day| social(day * 24, day * 24 != failed)).collect::<Vec<_>>();
    for (name, runs, pruned_days, day, expected) in [
        ("covered", daily(-1), PrunedDays::default(), span(24, 48), vec![]),
        ("a failed search", daily(48), PrunedDays::default(), span(24, 48), vec![GapReason::Uncovered]),
        ("before it was watched", daily(-1), PrunedDays::default(), span(-72, -48), vec![GapReason::NotWatched]),
        ("pruned", daily(48), pruned, span(24, 48), vec![GapReason::Pruned]),
        (
            "a full reply",
            vec![social(48, true), full(at(60)), social(96, true)],
            PrunedDays::default(),
            span(48, 72),
            vec![GapReason::FullReply, GapReason::Uncovered],
        ),
        (
            "a full reply that left out minutes",
            vec![social(48, true), full(minutes_28), social(96, true)],
            PrunedDays::default(),
            span(48, 72),
            vec![GapReason::FullReply],
        ),
    ] {
        let got = SearchCoverage::new(Some(topic(false)), runs, span(-96, 96), at(96));
        assert_eq!(got.gap_reasons(&pruned_days, day, at(96)), expected, "{name}");
        assert_eq!(got.has_gaps(&pruned_days, day, at(96)), !expected.is_empty(), "{name}");
    }
}

#[test]
fn a_day_is_complete_if_a_later_search_covered_all_of_it() {
    let web = || (0..=156).step_by(12).map(|hour| searched("web", hour, true));
    let social = || (60..=156).step_by(12).map(|hour| searched("social", hour, true));
    let mut backfill = searched("social", 100, true);
    let search = backfill.search.as_mut().unwrap();
    (search.requested_span, search.covered) = (Some(span(24, 48)), Some(span(24, 48)));
    let mut unasked = searched("social", 60, false);
    let search = unasked.search.as_mut().unwrap();
    (search.state, search.requested_span) = (SearchState::OverQuota, None);
    let added: Vec<RunSearch> = web().chain(social()).collect();
    for (name, mut runs, expected) in [
        ("its first search looks back to noon of the second day", added.clone(), [false, true, false]),
        ("that day was backfilled", added.into_iter().chain([backfill]).collect(), [false; 3]),
        (
            "the first search had no budget, but the second looks back to midnight",
            web().chain([unasked]).chain(social().skip(1)).collect(),
            [false; 3],
        ),
    ] {
        runs.sort_by_key(|run| run.at);
        let got = SearchCoverage::new(Some(topic(false)), runs, span(0, 156), at(156));
        let days = [0, 24, 48].map(|hour| span(hour, hour + 24));
        let more = days.map(|day| got.is_part_time(day, at(156)));
        assert_eq!(more, expected, "{name}");
    }
}

#[test]
fn coverage_names_the_time_of_a_source_unless_it_is_the_whole_period() {
    let had = |acme: &WatchedTopic, other: &str, period: Span| -> Vec<_> {
        let all = source_coverage(acme, &joined_by(other), period, |_| true);
        all.into_iter().map(|one| (one.source.to_string(), one.had)).collect()
    };
    let social = ("social".to_owned(), None);
    let hn = |had: Option<Vec<Span>>| ("hn".to_owned(), had);
    let sorted = |mut all: Vec<(String, Option<Vec<Span>>)>| {
        all.sort_by(|a, b| b.0.cmp(&a.0));
        all
    };
    assert_eq!(had(&topic(false), "social", span(-48, 156)), std::slice::from_ref(&social), "also before it began");
    assert_eq!(
        sorted(had(&topic(false), "hn", span(0, 156))),
        [social.clone(), hn(Some(vec![span(36, 108)]))],
        "added and removed"
    );
    assert_eq!(sorted(had(&topic(false), "hn", span(48, 96))), [social.clone(), hn(None)], "in all of the period");
    assert_eq!(sorted(had(&topic(true), "social", span(0, 156))), [social, hn(Some(Vec::new()))], "not searched yet");
    // Its next search looked back over the run that lacked it.
    let mut away = joined_by("hn");
    away.retain(|run| run.at != at(84) || run.search.as_ref().is_some_and(|search| search.source == Source::Social));
    let got = source_coverage(&topic(false), &away, span(48, 96), |source| source.as_str() == "hn").remove(0);
    assert_eq!(got.had, None, "away for one run");
}

#[test]
fn time_without_a_source_does_not_count_as_distance_between_checks() {
    let distance = |hours: &[i64], with_web: &[i64]| {
        let run = |hour: &i64| {
            let web = with_web.contains(hour).then(|| searched("web", *hour, true));
            std::iter::once(searched("social", *hour, true)).chain(web)
        };
        let runs: Vec<RunSearch> = hours.iter().flat_map(run).collect();
        let got = source_coverage(&topic(false), &runs, span(0, 120), |source| source == Source::Web).remove(0);
        let Coverage::Checks { checks, largest_distance_ms, .. } = got.coverage else { panic!("no checks") };
        assert_eq!(checks.len(), with_web.len());
        largest_distance_ms.map(|ms| ms / HOUR)
    };
    let hours: Vec<i64> = (0..=120).step_by(12).collect();
    assert_eq!(distance(&hours, &[0, 12, 24]), Some(12), "removed");
    assert_eq!(distance(&hours, &[0, 12, 96, 108, 120]), Some(12), "removed, and added again after days");
    assert_eq!(distance(&hours, &[0, 96]), None, "one check each time");
    assert_eq!(distance(&[0, 12, 60, 72, 84], &[0, 12, 60]), Some(48), "no run was made for two days");
}

#[test]
fn a_day_on_which_no_check_answered_has_a_gap() {
    let runs = vec![searched("web", 12, true), searched("web", 36, false), searched("web", 60, true)];
    let acme = WatchedTopic { definition: None, ..topic(false) };
    let got = SearchCoverage::new(Some(acme), runs, span(-24, 72), at(72));
    let gaps = |day: i64| got.gap_reasons(&PrunedDays::default(), span(day * 24, day * 24 + 24), at(72));
    let expected = [vec![GapReason::NotWatched], vec![], vec![GapReason::Uncovered], vec![]];
    assert_eq!([-1, 0, 1, 2].map(gaps), expected);
}

#[test]
fn a_day_on_which_a_source_of_moments_gave_no_answer_has_a_gap() {
    let social = |hour: i64| searched("social", hour, true);
    let with = |state: SearchState| {
        let mut web = searched("web", 36, false);
        web.search.as_mut().unwrap().state = state;
        vec![social(36), web]
    };
    let without = |state: RunState| vec![RunSearch { search: None, state, ..social(36) }];
    for (name, second_day, has_gap) in [
        ("it answered", vec![social(36), searched("web", 36, true)], false),
        ("it failed", with(SearchState::Error), true),
        ("it was over quota", with(SearchState::OverQuota), true),
        ("it is being searched", with(SearchState::Started), false),
        ("the slot was missed", without(RunState::Missed), true),
        ("the run waits", without(RunState::Queued), false),
        ("no search was due", Vec::new(), false),
        (
            "a later search of the day answered",
            [with(SearchState::Error), vec![searched("web", 40, true)]].concat(),
            false,
        ),
        ("an answer is missing, which finds no items", vec![social(36), searched("ai", 36, false)], false),
    ] {
        // Social covers all three days.
        let first = vec![social(12), searched("web", 12, true)];
        let last = vec![social(60), searched("web", 60, true)];
        let mut runs = [first, second_day, last].concat();
        runs.iter_mut().filter_map(|run| run.search.as_mut()).filter(|s| s.source == Source::Social).for_each(
            |search| {
                search.covered = Some(span(-24, 72));
            },
        );
        let acme = WatchedTopic { definition: None, ..topic(false) };
        let got = SearchCoverage::new(Some(acme), runs, span(0, 72), at(72));
        let gaps = [0, 24, 48].map(|hour| got.gap_reasons(&PrunedDays::default(), span(hour, hour + 24), at(72)));
        let expected = if has_gap { vec![GapReason::NoAnswer] } else { Vec::new() };
        assert_eq!(gaps, [Vec::new(), expected, Vec::new()], "{name}");
    }
}

#[test]
fn a_pause_is_a_gap_of_searches_that_see_a_moment() {
    let web = |hour: i64| searched("web", hour, true);
    let reason = Some("the topic was paused: the fair".to_owned());
    let dropped = RunSearch { search: None, state: RunState::Skipped, reason, ..web(36) };
    let every_six = |from: i64, until: i64| (from..until).step_by(6).map(web).collect::<Vec<_>>();
    let resumed = [every_six(0, 36), vec![dropped], every_six(54, 96)].concat();
    // Of four days, and of all of them together.
    for (name, runs, paused, now, expected) in [
        ("it was never paused", every_six(0, 96), false, 96, [false; 5]),
        ("from noon of day two to the morning of day three", resumed, false, 96, [false, true, true, false, true]),
        ("since noon of the last day", every_six(0, 84), true, 96, [false, false, false, true, true]),
        ("no slot has passed since", every_six(0, 84), true, 83, [false; 5]),
    ] {
        let acme = WatchedTopic { definition: None, paused, ..topic(false) };
        let got = SearchCoverage::new(Some(acme), runs, span(0, 96), at(now));
        let days = [(0, 24), (24, 48), (48, 72), (72, 96), (0, 96)].map(|(from, until)| span(from, until));
        let gaps = days.map(|day| got.gap_reasons(&PrunedDays::default(), day, at(now)));
        let expected = expected.map(|paused| if paused { vec![GapReason::Paused] } else { Vec::new() });
        assert_eq!(gaps, expected, "{name}");
    }
}

#[test]
fn only_sources_that_a_topic_had_from_its_start_missed_the_time_before_it() {
    for (web_from, expected) in [(12, vec![GapReason::NotWatched]), (36, Vec::new())] {
        let mut runs = Vec::new();
        for hour in [12, 36, 60] {
            let mut social = searched("social", hour, true);
            social.search.as_mut().unwrap().covered = Some(span(-48, hour));
            runs.push(social);
            runs.extend((hour >= web_from).then(|| searched("web", hour, true)));
        }
        let acme = WatchedTopic { definition: None, ..topic(false) };
        let got = SearchCoverage::new(Some(acme), runs, span(-24, 72), at(72));
        assert_eq!(got.gap_reasons(&PrunedDays::default(), span(-24, 0), at(72)), expected, "web from {web_from}");
    }
}

#[test]
fn an_ai_answer_does_not_replace_a_search_for_items() {
    let acme = || Some(WatchedTopic { definition: None, ..topic(false) });
    let of = |runs: Vec<RunSearch>| SearchCoverage::new(acme(), runs, span(-24, 72), at(72));
    let ai = [12, 36].map(|hour| searched("ai", hour, true));
    let checks = |got: &SearchCoverage| [0, 1].map(|day| got.checks(span(day * 24, day * 24 + 24)));
    let failed = of([&ai[..], &[searched("web", 12, true), searched("web", 36, false)]].concat());
    assert_eq!(checks(&failed), [Some(1), Some(0)]);
    assert!(failed.is_partly_uncovered(span(24, 48), &PrunedDays::default()));
    // A topic that is asked about and not searched for.
    assert_eq!(checks(&of(ai.to_vec())), [Some(1), Some(1)]);
}
