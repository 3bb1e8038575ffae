//! Tests the text of reports in which nothing stands out, and what they leave open.

use super::*;
use crate::insight::daily::{SearchCoverage, ToneCounts, UsualRange};
use crate::model::{Micros, SearchState, SearchSummary, Source, Span, Time};
use crate::report::ToneFacts;
use crate::report::coverage::sources;
use crate::report::facts::HoleFacts;
use crate::report::samples::{HOUR, report, topic};

const USUAL: UsualRange = UsualRange { expected: 50.0, low: 36.0, high: 64.0, far: 90.0, days: 14, weekday: false };

#[test]
fn a_calm_report_says_only_what_was_judged() {
    let mut calm = topic("calm");
    (calm.usual, calm.period.raw) = (Some(USUAL), 50);
    let quiet = |neutral| ToneCounts { neutral, ..ToneCounts::default() };
    calm.tone = ToneFacts::of(quiet(40), &vec![quiet(20); 5], &[], None);
    let young = topic("young");
    let mut part = calm.clone();
    part.title = "Part".into();
    part.covered = Some(0.4);
    let rest = "tone has not shifted, every source answered and the period is covered";
    for (topics, expected) in [
        (vec![calm.clone()], format!("Nothing unusual: volume does not stand out from earlier days, {rest}.")),
        (
            vec![young.clone()],
            "Every source answered and the period is covered. Not judged: volume (not compared: only 2 comparable earlier \
             days, 7 are needed); tone (fewer than 20 scored items)."
                .into(),
        ),
        (
            vec![calm.clone(), part],
            "Volume does not stand out from earlier days (1 of 2 topics), tone has not shifted, every source answered and \
             the period is covered (1 of 2 topics). Not judged: volume of Part (only 40% covered). Incomplete: coverage \
             of Part (only 40% covered)."
                .into(),
        ),
    ] {
        assert_eq!(calm_text(&report(topics)), expected);
    }
    let mut nobody = topic("nobody");
    nobody.sources.clear();
    nobody.covered = Some(0.0);
    let nobody = report(vec![nobody]);
    assert!(calm_text(&nobody).starts_with("Not judged: volume ("), "{}", calm_text(&nobody));
    assert!(calm_text(&nobody).ends_with(" Incomplete: coverage (nothing was covered)."), "{}", calm_text(&nobody));
    assert!(nobody.html().contains("Not judged: volume (") && nobody.markdown().contains("Not judged: volume "));
}

#[test]
fn a_source_that_was_never_called_did_not_answer() {
    let span = Span { from: Time(0), until: Time(24 * HOUR) };
    let with = |source: Source, at: i64, trouble: &str, refused: bool| {
        let search = SearchSummary {
            run: "r".into(),
            source,
            state: SearchState::NotRun,
            at: Time(at * HOUR),
            tries: 0,
            trouble: Some(trouble.into()),
            refused,
            saturated: false,
            empty_in_error: false,
            past: false,
            cost: Micros(0),
            assumed: Micros(0),
        };
        let mut facts = topic("a");
        let unknown = SearchCoverage::new(None, Vec::new(), span, Time(25 * HOUR));
        facts.sources = sources(&[search], &unknown, (span, Time(25 * HOUR)));
        report(vec![facts])
    };
    // An AI source is not spared.
    for source in [Source::Web, Source::Ai] {
        let refused = with(source, 9, "auth", true);
        assert!(calm_text(&refused).contains("sources (some searches were not made)"), "{}", calm_text(&refused));
        let html = refused.html();
        assert!(html.contains(&format!("{source} not searched")), "{html}");
        assert!(html.contains("<strong class=\"bad\">not run</strong>"), "{html}");
    }
    // A source that was not needed, or was refused only after the period, is well.
    for (at, trouble, refused) in [(9, "nothing new was found", false), (24, "auth", true)] {
        for source in [Source::Ai, Source::Web] {
            let unneeded = with(source, at, trouble, refused);
            let (text, html) = (calm_text(&unneeded), unneeded.html());
            assert!(text.contains("very source answered") && !html.contains(" not searched<"), "{text}: {html}");
        }
    }
}

#[test]
fn time_not_covered_yet_is_not_described_as_without_gaps() {
    let minutes = |many: i64| Time(many * HOUR / 60);
    let facts_of = |open: Option<i64>, made_at: i64| {
        let mut facts = topic("a");
        facts.open = open.map(|from| Span { from: minutes(from), until: minutes(made_at.min(24 * 60)) });
        facts
    };
    let day = Span { from: Time(0), until: Time(24 * HOUR) };
    for (open, made_at, said) in [
        (None, 25 * 60, "No gaps in the period."),
        (Some(18 * 60), 25 * 60, "No gaps before 01-01 18:00."),
        (Some(0), 25 * 60, ""),
        // On a day that is not over, the gap is measured against the time that has passed: 15 minutes of two hours.
        (Some(105), 120, "No gaps before 01-01 01:45."),
        (Some(23 * 60 + 45), 25 * 60, "No gaps in the period."),
    ] {
        let facts = facts_of(open, made_at);
        assert_eq!(facts.gaps_words((day, minutes(made_at)), "UTC").unwrap_or_default(), said);
        let mut report = report(vec![facts]);
        report.made_at = minutes(made_at);
        let page = report.html();
        assert!(page.contains(said) && page.matches("No gaps").count() == usize::from(!said.is_empty()), "{page}");
    }
    // The same while it had each source, and after its first search.
    let mut facts = facts_of(Some(18 * 60), 25 * 60);
    let of = |facts: &TopicFacts| facts.gaps_words((day, minutes(25 * 60)), "UTC").unwrap_or_default();
    facts.part_time = vec![(Source::Web, vec![day])];
    assert_eq!(of(&facts), "No gaps before 01-01 18:00 while it had each source.");
    facts.part_time.clear();
    let before = |until: i64| HoleFacts {
        span: Span { from: Time(-HOUR), until: Time(until * HOUR) },
        why: String::new(),
        before: true,
        open: false,
    };
    facts.holes = vec![before(10)];
    assert_eq!(of(&facts), "Not watched before 01-01 10:00. No gaps from then until 01-01 18:00.");
    facts.holes = vec![before(18)];
    assert_eq!(of(&facts), "Not watched before 01-01 18:00.");
}

#[test]
fn the_number_of_earlier_days_is_named_only_if_there_are_any() {
    let mut facts = topic("a");
    let of = |facts: &TopicFacts| relation_to_usual(&report(vec![facts.clone()]), facts);
    for (many, expected) in [
        (0, "not compared: no comparable earlier day, 7 are needed"),
        (1, "not compared: only 1 comparable earlier day, 7 are needed"),
        (6, "not compared: only 6 comparable earlier days, 7 are needed"),
    ] {
        facts.comparable = many;
        assert_eq!(of(&facts), expected);
    }
    facts.comparable = 0;
    let (began, first) = (facts.began, "not compared: first day");
    facts.first_day = true;
    assert_eq!(of(&facts), first);
    (facts.first_day, facts.unwatched) = (false, true);
    assert_eq!(of(&facts), "not compared: not watched yet");
    (facts.began, facts.unwatched) = (None, false);
    assert_eq!(of(&facts), "not compared: no run had returned results");
    // The tone needs days with enough scored items, and names what limits these days, not the period.
    facts.began = began;
    let quiet = |neutral| ToneCounts { neutral, ..ToneCounts::default() };
    for (scored, days, since, expected) in [
        (40, vec![], None, "tone (no comparable earlier day has 20 scored items, 5 are needed)"),
        (40, vec![quiet(30), quiet(3)], None, "tone (only 1 comparable earlier day has 20 scored items, 5 are needed)"),
        (
            40,
            vec![quiet(30); 2],
            Some(Time(-HOUR)),
            "tone (only 2 comparable earlier days since the query changed have 20 scored items, 5 are needed)",
        ),
        (3, vec![], Some(Time(-HOUR)), "tone (fewer than 20 scored items)"),
    ] {
        (facts.tone, facts.asked_since) = (ToneFacts::of(quiet(scored), &days, &[], None), since);
        let text = no_news(&report(vec![facts.clone()]));
        assert!(text.starts_with("Not judged: volume (not compared: ") && text.contains(expected), "{text}");
    }
    // The caption of the chart gives the same reason, also if it is another one than too few days.
    facts.period_cut = true;
    let page = report(vec![facts]).html();
    assert!(page.contains("Not compared: more items than can be read at once."), "{page}");
}

#[test]
fn time_not_searched_yet_is_not_called_covered() {
    let mut facts = topic("a");
    (facts.usual, facts.period.raw) = (Some(USUAL), 50);
    (facts.covered_in_all, facts.unseen) = (0.75, true);
    let report = report(vec![facts.clone()]);
    assert_eq!(relation_to_usual(&report, &facts), "not judged: not all of it has been searched yet");
    let text = calm_text(&report);
    assert!(!text.contains("is covered") && text.contains("coverage (not all of it has been searched yet)"), "{text}");
    assert!(report.html().contains("data-label=\"Covered\">75%<"), "{}", report.html());
    for page in [report.html(), report.markdown()] {
        assert!(page.contains("≥\u{a0}50"), "{page}");
    }
}

#[test]
fn items_of_another_query_are_not_compared_with_the_usual_range() {
    let mut facts = topic("a");
    (facts.usual, facts.period.raw) = (Some(USUAL), 500);
    assert!(crate::report::highlights::change(&facts, true).is_some());
    facts.changes = Some(crate::report::ChangeFacts {
        baseline: 0,
        edited: 0,
        gone: 0,
        at_least: false,
        cut: false,
        pruned: false,
        gone_unjudged: Vec::new(),
        gone_judged: true,
        queries: vec!["social searched for “more”".into()],
        edits: Vec::new(),
        lost: Vec::new(),
    });
    assert_eq!(crate::report::highlights::change(&facts, true), None);
    let report = report(vec![facts.clone()]);
    assert_eq!(relation_to_usual(&report, &facts), "not compared: the query changed");
    assert!(calm_text(&report).contains("volume (not compared: the query changed); tone (the query changed)"));
}

#[test]
fn changed_sources_are_named_as_the_reason_for_no_comparison() {
    let mut facts = topic("a");
    facts.sources_since = Some(Time(-HOUR));
    let expected = "not compared: only 2 comparable earlier days with the same sources, 7 are needed";
    assert_eq!(relation_to_usual(&report(vec![facts.clone()]), &facts), expected);
    facts.sources_since = Some(Time(18 * HOUR));
    facts.part_time = vec![(Source::Web, vec![Span { from: Time(0), until: Time(18 * HOUR) }])];
    let report = report(vec![facts.clone()]);
    assert_eq!(relation_to_usual(&report, &facts), "not compared: the sources changed within this day");
    assert!(report.html().contains("Not compared: the sources changed within this day."));
    assert!(no_news(&report).contains("tone (the sources changed within this day)"), "{}", no_news(&report));
    for page in [report.html(), report.markdown()] {
        assert!(page.contains("Searched for a part of the period: web (only 1970-01-01 00:00 – 18:00)."), "{page}");
        assert!(!page.contains("only 2 comparable"), "{page}");
    }
}

#[test]
fn a_period_in_which_a_source_was_removed_is_not_called_complete() {
    let mut facts = topic("a");
    facts.period.raw = 50;
    let web = |from: i64, until: i64| Span { from: Time(from * HOUR), until: Time(until * HOUR) };
    for (times, note) in [
        (vec![web(0, 18)], "Its items of the rest may be missing (web was removed)."),
        (vec![web(6, 24)], "Its items of the rest may be missing (web was added)."),
        (vec![web(6, 18)], "Its items of the rest may be missing (web was added and removed)."),
        (vec![web(0, 6), web(18, 24)], "Its items of the rest may be missing (web was removed and added again)."),
    ] {
        facts.part_time = vec![(Source::Web, times)];
        let report = report(vec![facts.clone()]);
        for page in [report.html(), report.markdown()] {
            assert!(
                page.contains(note) && page.contains("100% of the period covered by the sources it had then"),
                "{page}"
            );
            assert!(page.contains("≥\u{a0}50") && !page.contains("No gaps in the period"), "{page}");
        }
        let calm = calm_text(&report);
        let expected = "Incomplete: coverage (a source was searched for a part of it only).";
        assert!(calm.contains(expected) && !calm.contains("the period is covered"), "{calm}");
    }
    let two = vec![(Source::Social, vec![web(6, 24)]), (Source::Web, vec![web(0, 18)])];
    facts.part_time = two;
    let page = report(vec![facts]).markdown();
    assert!(page.contains("Their items of the rest may be missing (social was added, web was removed)."), "{page}");
}

#[test]
fn cut_counts_are_named_in_both_formats_and_not_compared() {
    let mut facts = topic("a");
    (facts.usual, facts.cut, facts.period_cut) = (None, true, true);
    (facts.risers_cut, facts.searches_cut) = (true, true);
    facts.answer = Some(crate::report::AnswerFacts {
        run: "r".into(),
        asked_at: Time(0),
        model: None,
        text: "many links".into(),
        partial: false,
        shortened: false,
        cited: crate::compare::Citations { beyond: 12, ..Default::default() },
    });
    let report = report(vec![facts.clone()]);
    for expected in [
        "more items than can be read at once: those of the period are incomplete",
        "not compared: more items than can be read at once",
        "the latest of the period were compared",
        "counts and cost cover only the latest",
        "The answer contains 12 more links, which were not looked up.",
    ] {
        assert!(report.html().contains(expected), "{expected}");
        assert!(report.markdown().contains(expected), "{expected}: {}", report.markdown());
    }
    facts.period_cut = false;
    assert!(crate::report::samples::report(vec![facts]).markdown().contains("the oldest days are incomplete"));
}

#[test]
fn a_count_is_called_usual_only_within_the_usual_range() {
    let mut facts = topic("a");
    facts.usual = Some(USUAL);
    for (raw, covered, saturated, expected) in [
        (50, 1.0, false, "as usual"),
        // A figure that could not be judged must not be called usual on the same page.
        (50, 0.5, false, "not judged: only 50% covered"),
        (50, 1.0, true, "not judged: replies were cut short"),
        (20, 0.42, false, "below usual, but only 42% covered"),
        (20, 0.0, false, "not judged: nothing was covered"),
        (20, 1.0, true, "below usual, but replies were cut short"),
    ] {
        (facts.period.raw, facts.covered, facts.saturated) = (raw, Some(covered), saturated);
        let report = report(vec![facts.clone()]);
        assert_eq!(relation_to_usual(&report, &facts), expected);
        assert_eq!(crate::report::highlights::change(&facts, true), None);
        assert!(report.html().contains(expected) && report.markdown().contains(expected), "{expected}");
    }
    facts.usual = Some(UsualRange { expected: 5.0, low: 2.0, high: 8.0, ..USUAL });
    (facts.period.raw, facts.saturated, facts.covered) = (12, false, Some(1.0));
    assert_eq!(relation_to_usual(&report(vec![facts.clone()]), &facts), "above usual, but by fewer than 10 items");
    // With more items than are counted, it may be by more.
    facts.saturated = true;
    assert_eq!(relation_to_usual(&report(vec![facts.clone()]), &facts), "above usual");
    facts.period.raw = 1;
    let expected = "below usual, but replies were cut short";
    assert_eq!(relation_to_usual(&report(vec![facts.clone()]), &facts), expected);
    (facts.period.raw, facts.saturated) = (12, false);
    let mut early = report(vec![facts.clone()]);
    early.made_at = Time(early.span.until.0 - HOUR);
    assert_eq!(relation_to_usual(&early, &facts), "above usual", "there may be more before the day is over");
    // Half a day has fewer items than a whole one, which is no news before the day is over.
    facts.usual = Some(USUAL);
    assert_eq!(relation_to_usual(&early, &facts), "below usual, but the period is not over");
    assert!(crate::report::highlights::change(&facts, early.is_over()).is_none());
    assert!(crate::report::highlights::change(&facts, true).is_some());
}

#[test]
fn an_ai_answer_does_not_count_as_a_search_for_items() {
    let mut facts = topic("a");
    (facts.checks, facts.covered) = (Some(0), Some(0.0));
    assert_eq!(why_incomplete(&facts, WHOLE), "no search for items answered");
    assert_eq!(facts.incomplete_reason().as_deref(), Some("no search for items of this day answered"));
    facts.sources.iter_mut().for_each(|source| source.failed = source.searches);
    assert_eq!(why_incomplete(&facts, WHOLE), "no search answered");
}
