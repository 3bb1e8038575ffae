//! Table tests of the rules: what fires, what does not, and what is not judged.

use super::samples::spec;
use super::*;
use crate::insight::daily::{self, share, usual_share};
use crate::model::{Counts, Kind, Usage};

fn usual(expected: f64, high: f64) -> UsualRange {
    UsualRange { expected, low: 0.0, high, far: expected + 2.0 * (high - expected), days: 28, weekday: true }
}

fn status(evaluation: Option<Evaluation>) -> Option<Status> {
    evaluation.map(|evaluation| evaluation.status)
}

#[test]
fn a_volume_alert_fires_far_above_the_usual_range_and_ends_within_it() {
    let spec = AlertSpec { least: 10, ..spec() };
    for (unique, usual, expected) in [
        (41, Some(usual(20.0, 30.0)), Some(Status::Bad)),
        // Unusual, but not by enough: the state does not change.
        (40, Some(usual(20.0, 30.0)), None),
        (31, Some(usual(20.0, 30.0)), None),
        (30, Some(usual(20.0, 30.0)), Some(Status::Well)),
        (0, Some(usual(20.0, 30.0)), Some(Status::Well)),
        // Far above the usual, and still too few to be worth a message.
        (9, Some(usual(0.0, 0.0)), None),
        (10, Some(usual(0.0, 0.0)), Some(Status::Bad)),
        (500, None, None),
    ] {
        let counted = ItemCounts { raw: unique * 2, unique, ..ItemCounts::default() };
        let usual = UsualVolume { usual, at_any_hour: false };
        let about = WindowVolume { counted: &counted, at_least: false, usual, length: "24h", top: &[] };
        assert_eq!(status(volume(&spec, "acme", &about)), expected, "{unique}");
    }
    // A full reply in the window: there may be more.
    let counted = ItemCounts { raw: 31, unique: 30, authors: 2, ..ItemCounts::default() };
    let some = vec![Source::Social, Source::Web];
    for (sources, at_least, said) in [
        (Vec::new(), false, "acme: 30 new unique items in 24h (31 items by 2 authors); "),
        (Vec::new(), true, "acme: ≥30 new unique items in 24h (≥31 items by ≥2 authors); "),
        (some, false, "acme: 30 new unique items from social, web in 24h (31 items by 2 authors); "),
    ] {
        let spec = AlertSpec { sources, ..spec.clone() };
        let usual = UsualVolume { usual: Some(usual(20.0, 30.0)), at_any_hour: false };
        let about = WindowVolume { counted: &counted, at_least, usual, length: "24h", top: &[] };
        let summary = volume(&spec, "acme", &about).map(|evaluation| evaluation.summary).unwrap_or_default();
        assert!(summary.starts_with(said), "{summary}");
    }
}

#[test]
fn with_few_days_windows_at_any_hour_are_compared() {
    let day = |hour: i64| {
        let end = Time(1_770_000_000_000 + hour * 3_600_000);
        daily::window_before(end, 0, std::time::Duration::from_secs(3_600), "UTC")
    };
    let some =
        |many: i64, apart: i64| -> Vec<(Day, u64)> { (0..many).filter_map(|n| Some((day(n * apart)?, 20))).collect() };
    let now = day(1_000).map(|now| {
        let of = |same: &[(Day, u64)], any: &[(Day, u64)]| {
            let volume = usual_volume(&now, same, any);
            (volume.usual.map(|usual| usual.days), volume.at_any_hour)
        };
        assert_eq!(of(&some(7, 24), &[]), (Some(7), false));
        assert_eq!(of(&some(6, 24), &some(9, 3)), (Some(9), true));
        assert_eq!(of(&some(6, 24), &some(8, 3)), (None, true), "21 hours");
        assert_eq!(of(&some(6, 24), &some(6, 6)), (None, true));
    });
    assert!(now.is_some());
}

#[test]
fn a_negative_share_fires_when_chance_does_not_explain_it() {
    let spec = AlertSpec { least: 30, ..spec() };
    let week: Vec<Share> = [20, 22, 18, 21, 19, 20, 23].repeat(2).iter().filter_map(|part| share(*part, 100)).collect();
    for (part, whole, earlier, expected) in [
        (60, 100, 14, Some(Status::Bad)),
        (25, 100, 14, Some(Status::Well)),
        // Two of three posts is a large share, but three posts say nothing; nor do forty posts of which 35 % sound
        // negative.
        (2, 3, 14, None),
        (14, 40, 14, Some(Status::Well)),
        (42, 100, 14, None),
        (60, 100, 4, None),
    ] {
        let usual = usual_share(whole, week.get(..earlier).unwrap_or_default());
        let about = WindowTone { negative: share(part, whole), usual, length: "24h", top: &[] };
        assert_eq!(status(negative(&spec, "acme", &about)), expected, "{part} of {whole}, usually {usual:?}");
    }
    let of_web = AlertSpec { sources: vec![Source::Web], ..spec };
    let about = WindowTone { negative: share(60, 100), usual: usual_share(100, &week), length: "24h", top: &[] };
    let summary = negative(&of_web, "acme", &about).map(|evaluation| evaluation.summary).unwrap_or_default();
    assert!(summary.starts_with("acme: 60% of 100 items from web in 24h sound negative ("), "{summary}");
}

/// Searches an hour apart: `+` new, `=` nothing new, `.` empty, `?` empty in error, `x` failed, `-` not made.
fn searches(all: &str) -> Vec<SearchHealth> {
    let one = |(hour, kind): (i64, char)| {
        let (state, found, new) = match kind {
            '+' => (SearchState::Ok, 9, 2),
            '=' => (SearchState::Ok, 9, 0),
            '.' | '?' => (SearchState::Empty, 0, 0),
            'x' => (SearchState::Error, 0, 0),
            _ => (SearchState::NotRun, 0, 0),
        };
        SearchHealth {
            source: Source::Web,
            state,
            at: Time(hour * 3_600_000),
            counts: Counts { found, new, duplicate: found - new, ..Counts::default() },
            fresh: new,
            past: false,
            empty_in_error: kind == '?',
            trouble: (state == SearchState::Error).then(|| "timeout".to_owned()),
        }
    };
    (0..).zip(all.chars()).map(one).collect()
}

#[test]
fn a_source_alert_fires_on_failure_or_silence_and_ends_with_an_answer() {
    let long = "+".repeat(20);
    for (name, all, expected) in [
        ("well", "+++++".to_owned(), Some((Status::Well, "acme: web works again"))),
        ("two of five failed", "+x+x+".to_owned(), Some((Status::Well, "acme: web works again"))),
        ("the last failed, two of five", "+x++x".to_owned(), None),
        ("the last was empty in error", "++x+?".to_owned(), None),
        (
            "three of five",
            "+x+xx".to_owned(),
            Some((Status::Bad, "acme: web failed in 3 of its last 5 searches: timeout")),
        ),
        (
            "those that were not made do not count",
            "xx+-----x".to_owned(),
            Some((Status::Bad, "acme: web failed in 3 of its last 4 searches: timeout")),
        ),
        (
            "silent",
            format!("{long}...."),
            Some((
                Status::Bad,
                "acme: web is silent: no items in 4 searches in a row since 1970-01-01T19:00:00Z; usually at most 2",
            )),
        ),
        (
            "stale",
            format!("{long}======"),
            Some((
                Status::Bad,
                "acme: web is stale: nothing new in 6 searches since 1970-01-01T19:00:00Z; usually for at most 3h",
            )),
        ),
        ("too young to be silent", "++++....".to_owned(), Some((Status::Well, "acme: web works again"))),
    ] {
        let got = sources(&spec(), "acme", &searches(&all));
        let got = got.first().map(|evaluation| (evaluation.status.clone(), evaluation.summary.as_str()));
        assert_eq!(got, expected, "{name}");
    }
    let others = AlertSpec { sources: vec![Source::Social], ..spec() };
    assert!(sources(&others, "acme", &searches("xxxxx")).is_empty());
}

#[test]
fn a_budget_alert_fires_at_its_percentage_of_calls_or_money() {
    let limits = TopicLimits { calls: Some(100), micros: Some(2_000_000) };
    for (calls, money, expected) in [
        (79, 0, Status::Well),
        (80, 0, Status::Bad),
        (0, 1_600_000, Status::Bad),
        (10, 1_599_999, Status::Well),
        (i64::MAX, i64::MAX, Status::Bad),
    ] {
        let evaluation = budget(
            &spec(),
            "service",
            Usage { calls, money: Micros(money) }.with_assumed(Micros(0)),
            limits,
            None,
            "on the UTC day 2026-03-11",
        );
        assert_eq!(evaluation.status, expected, "{calls} calls, {money}");
    }
    let none = budget(
        &spec(),
        "service",
        Usage { calls: 9, money: Micros(9) }.with_assumed(Micros(0)),
        TopicLimits::default(),
        Some(Micros(9)),
        "on the UTC day 2026-03-11",
    );
    assert_eq!(none.status, Status::Well, "no limit is never used up");
}

#[test]
fn a_budget_alert_fires_when_no_further_call_fits() {
    // A free call fits into any limit.
    let prices = vec![(Source::Social, 0), (Source::Web, 3_000), (Source::Ai, 4_000)];
    let spec = AlertSpec { share: 100, prices, ..spec() };
    let cheapest = spec.cheapest_call(Source::is_service);
    assert_eq!((cheapest, spec.cheapest_call(|source| source == Source::Social)), (Some(Micros(3_000)), None));
    let limits = TopicLimits { calls: Some(10), micros: Some(10_000) };
    for (calls, money, cheapest, expected) in [
        (2, 7_000, cheapest, (Status::Well, "acme: $0.007 of $0.010 used today (70%)")),
        (
            2,
            7_001,
            cheapest,
            (
                Status::Bad,
                "acme: $0.007001 of $0.010 used today (70%); no paid call fits into the rest: the cheapest may cost $0.003",
            ),
        ),
        // The limit of money refuses the next call, however many calls are left.
        (
            9,
            8_000,
            cheapest,
            (
                Status::Bad,
                "acme: $0.008 of $0.010 used today (80%); no paid call fits into the rest: the cheapest may cost $0.003",
            ),
        ),
        (10, 8_000, cheapest, (Status::Bad, "acme: 10 of 10 calls used today (100%)")),
        (2, 10_000, cheapest, (Status::Bad, "acme: $0.010 of $0.010 used today (100%)")),
        (2, 9_999, None, (Status::Well, "acme: $0.009999 of $0.010 used today (99%)")),
        (2, 10_000, None, (Status::Bad, "acme: $0.010 of $0.010 used today (100%)")),
        // A limit below one price is not used up, and would be reported every day.
        (0, 0, Some(Micros(10_001)), (Status::Well, "acme: $0.000 of $0.010 used today (0%)")),
    ] {
        let used = Usage { calls, money: Micros(money) }.with_assumed(Micros(0));
        let evaluation = budget(&spec, "acme", used, limits, cheapest, "today");
        assert_eq!((evaluation.status, evaluation.summary.as_str()), expected, "{calls} calls, {money}");
    }
    let used = Usage { calls: 3, money: Micros(10_000) };
    for (assumed, words) in
        [(4_000, "$0.010 ($0.004 assumed) of $0.010 used"), (10_001, "$0.010 (assumed) of $0.010 used")]
    {
        let evaluation = budget(&spec, "acme", used.with_assumed(Micros(assumed)), limits, cheapest, "today");
        assert_eq!(evaluation.summary, format!("acme: {words} today (100%)"));
    }
}

#[test]
fn missed_slots_are_reported_together() {
    let (summary, lines) = missed("acme", 3, Time(0), Time(120_000));
    assert_eq!(summary, "acme: 3 slots missed, from 1970-01-01T00:00:00Z to 1970-01-01T00:02:00Z");
    assert_eq!(lines.len(), 1);
}

#[test]
fn an_alert_about_one_slot_or_one_search_names_one() {
    let (summary, _) = missed("acme", 1, Time(0), Time(0));
    assert_eq!(summary, "acme: 1 slot missed, at 1970-01-01T00:00:00Z");
    let one = AlertSpec { failures: 1, of: 1, ..spec() };
    let got = sources(&one, "acme", &searches("xx"));
    let summaries: Vec<&str> = got.iter().map(|evaluation| evaluation.summary.as_str()).collect();
    assert_eq!(summaries, ["acme: web failed in its last search: timeout"]);
}

#[test]
fn words_never_match_an_item_without_text() {
    let spec = AlertSpec { words: vec!["recall".into()], ..spec() };
    let item = |text: Option<&str>| ItemSummary {
        key: "post:x:1".into(),
        kind: Kind::Post,
        url: None,
        author: None,
        title: None,
        text: text.map(str::to_owned),
        lang: None,
        published_at: None,
        cluster: None,
        pruned: false,
    };
    assert_eq!(WordFilters::of(&spec).first_match(&item(Some("A recall."))), Some("recall"));
    assert_eq!(WordFilters::of(&spec).first_match(&item(None)), None);
}

#[test]
fn an_item_line_contains_only_visible_characters() {
    let item = |author: &str, title: Option<&str>, text: &str| ItemContent {
        key: "post:x:1".into(),
        url: None,
        author: Some(author.into()),
        title: title.map(str::to_owned),
        text: Some(text.into()),
        lang: None,
        pruned: false,
    };
    for (item, expected) in [
        (item("ann\u{202e}", None, "a\u{1b}[2J \u{202e}recall\u{2069}"), "@ann: a[2J recall"),
        (item("bob", Some("\u{2066}\u{200b}"), "words"), "@bob: words"),
        (item("@eve", None, "\u{7}"), "@eve: (without words)"),
    ] {
        assert_eq!(item_line(&item).text, expected);
    }
}
