//! Regression tests: sentences that once contradicted the facts.
#![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::comparison::calendar::{BeforeFacts, CalendarFacts, PartFacts};
use super::comparison::measures::{EarlierDay, SourceShare, little_searched};
use super::facts::{HoleFacts, TopicFacts};
use super::samples::{HOUR, report, topic};
use super::shares::voice_parts::{VoiceCell, VoicePart};
use super::shares::{share_of_voice, voice_parts};
use super::{comparison, highlights};
use crate::insight::daily::{CalendarUnit, GapReason, ItemCounts, UsualRange};
use crate::model::{ReportWindow, Span, Time};

/// Returns the sentences of "What matters".
fn highlight_sentences(facts: &TopicFacts) -> Vec<String> {
    let span = Span { from: Time(0), until: Time(24 * HOUR) };
    let (all, _) = highlights::of(std::slice::from_ref(facts), span, Time(25 * HOUR), "UTC");
    all.into_iter().map(|matter| matter.sentence).collect()
}

fn both_formats(facts: &TopicFacts) -> [String; 2] {
    let report = report(vec![facts.clone()]);
    [report.markdown(), report.html()]
}

#[test]
fn a_source_over_quota_does_not_fail() {
    let mut facts = topic("a");
    let source = &mut facts.sources[0];
    (source.last, source.over_quota, source.refused_by_quota) = ("over_quota".into(), true, 2);
    source.trouble = Some("2 calls a day".into());
    assert_eq!(
        highlight_sentences(&facts),
        [
            "social is over quota here: its last search, at 01-01 23:00, was not made (2 calls a day); not made in the period: 2."
        ]
    );
    let [markdown, html] = both_formats(&facts);
    assert!(!markdown.contains("failing") && !html.contains("failing"), "{markdown}{html}");
    assert!(html.contains("social over quota") && html.contains(">over quota</strong>, "), "{html}");
    assert!(markdown.contains(": last over quota, ") && markdown.contains(" failed; 2 not made; $"), "{markdown}");
    facts.sources[0].searches = 0;
    assert!(both_formats(&facts)[0].contains("; none made in the period; 2 not made; $"));
}

#[test]
fn items_found_later_for_an_unsearched_period_are_marked_as_such() {
    let mut facts = topic("a");
    (facts.covered, facts.covered_in_all, facts.sources) = (Some(0.0), 0.0, Vec::new());
    assert_eq!(highlight_sentences(&facts), ["was not searched in the period: nothing is known about it."]);
    facts.period.raw = 4;
    assert_eq!(highlight_sentences(&facts), ["was not searched in the period: what is shown was found later."]);
}

#[test]
fn every_count_is_a_lower_bound_after_a_full_reply() {
    let mut facts = topic("a");
    facts.period = ItemCounts { raw: 11, unique: 11, authors: 6, ..ItemCounts::default() };
    (facts.first_day, facts.saturated) = (true, true);
    assert_eq!(highlight_sentences(&facts), ["first day: ≥\u{a0}11 items. Nothing can be compared yet."]);
    let [markdown, html] = both_formats(&facts);
    assert!(markdown.contains("**≥\u{a0}11** items, **≥\u{a0}11** unique, ≥\u{a0}6 authors"), "{markdown}");
    assert!(
        html.contains("data-label=\"Unique\">≥\u{a0}11<") && html.contains("data-label=\"Authors\">≥\u{a0}6<"),
        "{html}"
    );
    assert!(html.contains("<strong>≥\u{a0}11</strong> unique, <strong>≥\u{a0}6</strong> authors"), "{html}");
}

#[test]
fn only_the_day_with_a_full_reply_is_a_lower_bound() {
    let day = |saturated| EarlierDay {
        back: 1,
        date: "1969-12-31".into(),
        weekday: "Wednesday".into(),
        raw: Some(35),
        saturated,
        at_least: saturated,
        why: None,
    };
    let of = |now: bool, before: bool| {
        let mut facts = topic("a");
        (facts.period.raw, facts.saturated, facts.earlier_days) = (28, now, vec![day(before)]);
        comparison::sentence(&report(vec![facts.clone()]), &facts).unwrap_or_default()
    };
    let begin = "Day before (Wednesday 12-31): ";
    assert_eq!(of(false, false), format!("{begin}35 items; now 28, −20%."));
    assert_eq!(of(true, false), format!("{begin}35 items; not compared: this day is incomplete."));
    assert_eq!(of(false, true), format!("{begin}≥\u{a0}35 items; not compared: that day is incomplete."));
}

#[test]
fn checks_cover_no_part_of_a_period() {
    let mut facts = topic("a");
    facts.checks = Some(1);
    for text in both_formats(&facts) {
        assert!(
            text.contains("1 check in the period; such searches see only one moment and cover no time span"),
            "{text}"
        );
        assert!(!text.contains("100% of the period") && !text.contains("No gaps"), "{text}");
    }
}

#[test]
fn a_duration_below_a_minute_is_not_shown_as_zero() {
    let mut facts = topic("a");
    facts.late_ms = 30_000;
    assert_eq!(facts.late_note(), None);
    facts.late_ms = 90_000;
    assert!(facts.late_note().is_some_and(|note| note.contains(": 1m just before")));
    facts.covered = Some(0.5);
    let hole = Span { from: Time(HOUR), until: Time(HOUR + 30_000) };
    facts.holes = vec![HoleFacts { span: hole, why: String::new(), before: false, open: false }];
    assert!(highlight_sentences(&facts)[0].contains("the longest gap is under a minute"));
}

#[test]
fn time_before_a_topic_was_watched_is_not_described_as_without_gaps() {
    let mut facts = topic("a");
    let before = |hours: i64| HoleFacts {
        span: Span { from: Time(-HOUR), until: Time(hours * HOUR) },
        why: String::new(),
        before: true,
        open: false,
    };
    for (hours, words) in
        [(10, "Not watched before 01-01 10:00. No gaps after that."), (24, "Not watched in the period.")]
    {
        (facts.covered, facts.holes, facts.unchecked) = (Some(0.0), vec![before(hours)], Some(GapReason::NotWatched));
        for text in both_formats(&facts) {
            assert!(text.contains(words) && !text.contains("No gaps in the period"), "{text}");
        }
    }
    // Where one of two sources has a gap first, the topic was watched from the start.
    let part = |from: i64, until: i64, before: bool| HoleFacts {
        span: Span { from: Time(from * HOUR), until: Time(until * HOUR) },
        why: String::new(),
        before,
        open: false,
    };
    let day = Span { from: Time(0), until: Time(24 * HOUR) };
    for (holes, words) in [
        (vec![part(0, 5, false), part(5, 10, true)], None),
        (vec![part(-1, 5, true), part(5, 8, false), part(8, 10, true)], Some("Not watched before 01-01 05:00.")),
        (vec![part(-1, 5, true), part(8, 10, true)], Some("Not watched before 01-01 05:00.")),
    ] {
        facts.holes = holes;
        assert_eq!(facts.gaps_words((day, Time(25 * HOUR)), "UTC").as_deref(), words, "{:?}", facts.holes);
    }
}

#[test]
fn ratios_are_worded_as_below_usual_or_as_times_the_usual() {
    assert_eq!(highlights::format_ratio(0.03, false), "97% below usual");
    assert_eq!(highlights::format_ratio(2.345, false), "2.3 times the usual number");
    assert_eq!(highlights::format_ratio(0.036, true), "≤\u{a0}97% below usual");
    assert_eq!(highlights::format_ratio(2.39, true), "≥\u{a0}2.3 times the usual number");
}

#[test]
fn a_calm_week_says_that_weeks_have_no_usual_range() {
    let of_days = "The volume and tone of a week are never marked as unusual: usual ranges exist only for days.";
    let mut week = report(vec![topic("a")]);
    week.window = ReportWindow::Week;
    for text in [week.markdown(), week.html()] {
        assert!(text.contains(&format!("Every source answered and the period is covered. {of_days}")), "{text}");
        assert!(!text.contains("Nothing unusual"), "{text}");
    }
    week.topics[0].sources[0].refused_by_quota = 1;
    for text in [week.markdown(), week.html()] {
        let expected = "The period is covered. Not judged: sources (some searches were over quota). The volume";
        assert!(text.replace('\\', "").contains(expected), "{text}");
    }
    // With a sentence about trust.
    let (mut facts, span) = (topic("a"), week.span);
    (facts.sources[0].failed, facts.sources[0].refused_by_quota) = (1, 0);
    let mut week = report(vec![facts]);
    (week.window, week.matters) = (ReportWindow::Week, highlights::of(&week.topics, span, week.made_at, "UTC").0);
    assert_eq!(week.matters.len(), 1);
    for text in [week.markdown(), week.html()] {
        assert!(text.contains(of_days) && !text.contains("Not judged"), "{text}");
    }
}

#[test]
fn a_share_of_a_lower_bound_has_a_lower_bound_total() {
    let cell =
        |topic: &str, at_least| VoiceCell { topic: topic.into(), at_least, others_at_least: false, unique: None };
    let part = |at_least| VoicePart {
        name: "1970-01-01".into(),
        span: Span { from: Time(0), until: Time(24 * HOUR) },
        unique: 55,
        covered: Some(1.0),
        topics: vec![cell("a", false), cell("b", at_least)],
    };
    for (at_least, expected) in [(true, "≥\u{a0}55"), (false, "55")] {
        let mut week = report(vec![topic("a"), topic("b")]);
        week.voice_parts = vec![part(at_least)];
        assert!(week.markdown().contains(&format!(" {expected} | 100% |")), "{}", week.markdown());
        assert!(week.html().contains(&format!("<td class=\"n\">{expected}</td>")), "{}", week.html());
    }
}

#[test]
fn the_chart_of_shares_marks_bounds() {
    // Unique items of each day, and whether there may be more.
    let with = |id: &str, days: [(u64, bool); 4]| {
        let part = |(n, (unique, at_least)): (usize, (u64, bool))| PartFacts {
            name: format!("1970-01-0{}", n + 5),
            span: Span { from: Time(n as i64 * 24 * HOUR), until: Time((n as i64 + 1) * 24 * HOUR) },
            raw: unique,
            unique,
            at_least,
            has_gaps: at_least,
            covered: Some(1.0),
            voice: None,
        };
        let mut facts = topic(id);
        let span = Span { from: Time(-7 * 24 * HOUR), until: Time(0) };
        let why = Some("it was not watched".to_owned());
        facts.period.unique = days.iter().map(|(unique, _)| unique).sum();
        facts.calendar = Some(CalendarFacts {
            unit: CalendarUnit::Week,
            name: "1970-W02".into(),
            before: BeforeFacts { name: "1970-W01".into(), span, filtered: 0, why, figures: None },
            parts: days.into_iter().enumerate().map(part).collect(),
        });
        facts
    };
    let a = with("a", [(30, true), (20, true), (10, false), (0, false)]);
    let b = with("b", [(10, false), (20, true), (10, false), (0, false)]);
    let voice = share_of_voice::of(&[&a, &b], None);
    let voice_parts = voice_parts::of(&[&a, &b], &voice);
    let mut week = report(vec![a, b]);
    (week.window, week.voice, week.voice_parts) = (ReportWindow::Week, voice, voice_parts);
    let html = week.html();
    let chart = html.split("aria-labelledby=\"voice-parts-title").nth(1).and_then(|rest| rest.split("</svg>").next());
    let chart = chart.unwrap_or_default();
    let spoken = "a: 01-05 ≥\u{a0}75%, 01-06 ≈\u{a0}50%, 01-07 50%, 01-08 none; \
                  b: 01-05 ≤\u{a0}25%, 01-06 ≈\u{a0}50%, 01-07 50%, 01-08 none";
    assert!(chart.contains(&format!(">{spoken}</desc>")), "{chart}");
    for (label, many) in [("≥\u{a0}75%", 1), ("≤\u{a0}25%", 1), ("≈\u{a0}50%", 2), ("50%", 2), ("–", 2)] {
        assert_eq!(chart.matches(&format!(">{label}</text>")).count(), many, "{label}: {chart}");
    }
}

#[test]
fn the_number_of_authors_counts_all_items_not_only_unique_ones() {
    let mut facts = topic("a");
    facts.usual = Some(UsualRange { expected: 40.0, low: 30.0, high: 60.0, far: 90.0, days: 14, weekday: false });
    for (unique, copies) in [(52, " 52 with near-copies counted once."), (96, "")] {
        facts.period = ItemCounts { raw: 96, unique, authors: 95, ..ItemCounts::default() };
        let sentence = "96 items by 95 authors, 2.4 times the usual number: 30–60 are usual, 40 expected (based on 14 earlier days).";
        assert_eq!(highlight_sentences(&facts), [format!("{sentence}{copies}")]);
    }
}

#[test]
fn only_figures_with_sql_claim_to_have_it() {
    let one = report(vec![topic("a")]);
    for text in both_formats(&one.topics[0]).into_iter().chain([one.mail()]) {
        for wrong in ["every number", "all numbers", "these numbers"] {
            assert!(!text.contains(wrong), "{wrong}: {text}");
        }
    }
    for figure in super::sql::queries(&one.topics[0], &one).iter().flat_map(|query| query.figure.split(", ")) {
        let named = super::sql::NAMED.contains(figure.trim_start_matches("unique"));
        assert!(named || figure == "the items themselves" || figure == "failures", "{figure}");
    }
}

#[test]
fn a_poorly_covered_day_has_lower_bounds_and_is_not_compared() {
    let mut facts = topic("a");
    (facts.period.raw, facts.period.unique) = (22, 20);
    (facts.searched_share, facts.partly_uncovered) = (0.899, true);
    facts.earlier_days = vec![EarlierDay {
        back: 1,
        date: "1969-12-31".into(),
        weekday: "Wednesday".into(),
        raw: Some(35),
        saturated: false,
        at_least: false,
        why: None,
    }];
    let of = |facts: &TopicFacts| comparison::sentence(&report(vec![facts.clone()]), facts).unwrap_or_default();
    let begin = "Day before (Wednesday 12-31): 35 items; ";
    assert_eq!(of(&facts), format!("{begin}not compared: only 89% of this day searched."));
    facts.searched_share = 0.0;
    assert_eq!(of(&facts), format!("{begin}not compared: nothing of this day searched."));
    assert_eq!(little_searched(0.0, None), "nothing searched");
    facts.searched_share = 0.899;
    assert!(both_formats(&facts)[0].contains("**≥\u{a0}22** items, **≥\u{a0}20** unique"));
    // A small gap makes the count a lower bound: a fall is uncertain, a rise is certain.
    (facts.searched_share, facts.partly_uncovered) = (0.95, true);
    assert_eq!(of(&facts), format!("{begin}now ≥\u{a0}22."));
    facts.earlier_days[0].raw = Some(20);
    let begin = "Day before (Wednesday 12-31): ";
    assert_eq!(of(&facts), format!("{begin}20 items; now ≥\u{a0}22, ≥\u{a0}+10%."));
    // The same gap on the day before.
    (facts.searched_share, facts.partly_uncovered) = (1.0, false);
    facts.earlier_days[0].at_least = true;
    assert_eq!(of(&facts), format!("{begin}≥\u{a0}20 items; now 22."));
    facts.earlier_days[0].raw = Some(35);
    assert_eq!(of(&facts), format!("{begin}≥\u{a0}35 items; now 22, ≤\u{a0}−37%."));
    // Shares of the other topic are upper bounds, also by source.
    facts.partly_uncovered = true;
    let mut other = topic("b");
    (other.period.raw, other.period.unique) = (20, 20);
    for (facts, unique) in [(&mut facts, 20), (&mut other, 20)] {
        facts.found_by.sources =
            vec![SourceShare { source: crate::model::Source::Social, items: unique, unique, exclusive: Some(unique) }];
    }
    let voices = share_of_voice::of(&[&facts, &other], None);
    assert_eq!(voices[0].sources().as_deref(), Some("social ≥\u{a0}50%"));
    assert_eq!(voices[1].sources().as_deref(), Some("social ≤\u{a0}50%"));
}

#[test]
fn searches_that_covered_nothing_still_count_as_made() {
    let mut facts = topic("a");
    (facts.period, facts.covered, facts.covered_in_all) = (ItemCounts::default(), Some(0.0), 0.0);
    for text in both_formats(&facts) {
        assert!(text.contains(crate::draw::format::UNCOVERED), "{text}");
    }
    facts.sources = Vec::new();
    for text in both_formats(&facts) {
        assert!(text.contains(crate::draw::format::UNSEARCHED), "{text}");
    }
}

#[test]
fn a_share_and_the_bound_that_it_exceeds_look_different() {
    use crate::draw::format::{percent_below, percents_apart};
    assert_eq!(percents_apart(0.4348, 0.431), ("43.5%".to_owned(), "43.1%".to_owned()));
    assert_eq!(percents_apart(0.5, 0.431), ("50%".to_owned(), "43%".to_owned()));
    assert_eq!([0.899, 0.436, 0.004, 0.0].map(|part| percent_below(part, 0.9)), ["89%", "44%", "<1%", "0%"]);
}
