//! Tests of pages about topics without anything unusual, except for their names or what could not be judged.

use std::collections::BTreeSet;

use super::super::facts::{AnswerFacts, ChangeFacts, Copies, ItemExcerpt, RowFacts, TopicFacts};
use super::super::samples::{report, topic};
use crate::compare::Citations;
use crate::insight::daily::{Campaign, GapReason};
use crate::model::{Kind, ReportWindow, Source, Time};
use crate::report::highlights::matter::Highlight;

fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    html.split(&format!(" {name}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn ids_are_unique_and_every_fragment_link_has_a_target() {
    let names = ["matters", "matters-title", "overview-title", "voice", "a", "a-rows", "a-rows-caption"];
    let mut all = report(names.iter().map(|name| topic(name)).collect());
    for (facts, beyond) in all.topics.iter_mut().zip(0..) {
        facts.answer = Some(AnswerFacts {
            run: "r".into(),
            asked_at: Time(0),
            model: None,
            text: "words".into(),
            partial: false,
            shortened: false,
            // Topics that a visitor may not see are not reported as missing.
            cited: Citations { citations: Vec::new(), beyond },
        });
    }
    let html = all.html();
    let ids = attributes(&html, "id");
    let once: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), once.len(), "{ids:?}");
    let inside: Vec<&str> = attributes(&html, "href").into_iter().filter_map(|link| link.strip_prefix('#')).collect();
    assert!(inside.len() > names.len());
    assert!(inside.iter().all(|id| once.contains(id)), "{inside:?}");
    let labels = attributes(&html, "aria-labelledby");
    assert!(labels.iter().flat_map(|label| label.split(' ')).all(|id| once.contains(id)), "{labels:?}");
    assert_eq!(html.matches("No citation was checked.").count(), names.len(), "{html}");
    assert!(!html.contains("cites nothing") && !html.contains("all found"), "{html}");
}

#[test]
fn an_empty_list_does_not_deny_unknown_items() {
    let page = |raw: u64, no_engagement: u64, uncompared: bool| {
        let mut facts = topic("a");
        (facts.period.raw, facts.period.posts, facts.period.no_engagement) = (raw, raw, no_engagement);
        facts.uncompared = uncompared;
        report(vec![facts]).html()
    };
    for (unknown, reason) in
        [(0, "has any engagement"), (1, "is known to have any engagement"), (2, "is unknown for every item")]
    {
        assert!(page(2, unknown, false).contains(reason), "{unknown}");
    }
    let denied = "No text was found three times in the period.";
    assert!(page(2, 0, false).contains(denied) && !page(2, 0, true).contains(denied));
}

#[test]
fn gone_items_are_reported_with_the_sources_not_judged() {
    let mut facts = topic("a");
    let mut changes = ChangeFacts {
        baseline: 0,
        edited: 3,
        gone: 0,
        at_least: false,
        cut: false,
        pruned: false,
        gone_unjudged: Vec::new(),
        gone_judged: true,
        queries: Vec::new(),
        edits: Vec::new(),
        lost: Vec::new(),
    };
    facts.changes = Some(changes.clone());
    let full_report = report(vec![facts.clone()]);
    for page in [full_report.html(), full_report.markdown()] {
        assert!(
            page.contains("No item is gone: each one that three complete searches in a row showed was in the next"),
            "{page}"
        );
    }
    changes.gone_judged = false;
    for unjudged in [vec![], vec![Source::Social, Source::Web]] {
        changes.gone_unjudged = unjudged;
        facts.changes = Some(changes.clone());
        let never = report(vec![facts.clone()]);
        for page in [never.html(), never.markdown()] {
            assert!(page.contains("Gone items could not be determined"), "{page}");
            assert!(!page.contains("not judged for"), "the reason is said once: {page}");
        }
    }
    changes.gone_judged = true;
    (changes.gone_unjudged, changes.at_least, changes.cut) = (vec![Source::Web], true, true);
    facts.changes = Some(changes);
    let part = report(vec![facts]);
    for page in [part.html(), part.markdown()] {
        assert!(
            page.contains("Gone: not judged for web (too few complete searches in a row within the window)."),
            "{page}"
        );
        assert!(
            page.contains("only the latest were read") && !page.contains("Complete searches still showed"),
            "{page}"
        );
    }
}

#[test]
fn a_cut_list_of_new_pages_says_how_many_there_are_and_how_many_more() {
    let row = RowFacts {
        item: ItemExcerpt { words: "some words".into(), ..ItemExcerpt::default() },
        kind: Kind::Page,
        at: Time(0),
        undated: false,
        engagement: None,
        sound: None,
        score: None,
        scorer: None,
        copy_of: None,
    };
    let mut facts = topic("a");
    facts.rows = vec![row.clone(), row];
    facts.top_pages = vec![0, 1];
    for (all, heading, cut) in [(2, "New pages: 2", false), (1_011, "New pages: 1,011", true)] {
        facts.new_pages = all;
        let made = report(vec![facts.clone()]);
        for page in [made.html(), made.mail(), made.markdown()] {
            assert!(page.contains(heading), "{page}");
            assert_eq!(page.contains(">and 1,009 more<") || page.contains("\n- and 1,009 more\n"), cut, "{page}");
        }
    }
    // A web search returned its maximum.
    facts.full_pages = true;
    let made = report(vec![facts]);
    for page in [made.html(), made.mail(), made.markdown()] {
        assert!(page.contains("New pages: ≥\u{a0}1,011"), "{page}");
    }
}

#[test]
fn copies_are_called_posts_only_if_all_of_them_are() {
    let campaign = |posts: u64| Campaign {
        cluster: "c".into(),
        first: "c".into(),
        copies: 6,
        posts,
        authors: 6,
        authors_at_least: false,
        from: Time(0),
        until: Time(1),
    };
    for (posts, expected, unexpected) in [(6, "6 posts", "6 items"), (2, "6 items", "6 posts")] {
        let mut facts = topic("a");
        facts.campaigns = vec![Copies { campaign: campaign(posts), item: ItemExcerpt::default(), row: None }];
        let mut report = report(vec![facts]);
        (report.matters, _) = super::super::highlights::of(&report.topics, report.span, report.made_at, "UTC");
        for page in [report.html(), report.markdown()] {
            assert!(page.matches(expected).count() >= 2 && !page.contains(unexpected), "{page}");
        }
    }
}

#[test]
fn a_mail_has_no_style_sheet_and_escapes_foreign_text() {
    let mut facts = topic("a");
    facts.title = format!("<b>\"bold\" > 'all' {}", "long".repeat(9));
    let all = report(vec![facts]);
    let mail = all.mail();
    for gone in ["<style", "<svg", "<table", "<details", "class=", "href=\"#", "<b>", "<wbr"] {
        assert!(!mail.contains(gone), "{gone}: {mail}");
    }
    assert!(mail.contains("&lt;b&gt;") && mail.contains(&"long".repeat(9)), "{mail}");
    assert!(mail.contains("<code>topicwatch report "), "{mail}");
    let opened = mail.matches("<div").count();
    assert_eq!(opened, mail.matches("</div>").count());
}

#[test]
fn a_first_since_last_report_covers_one_day() {
    let mut first = report(vec![topic("a")]);
    first.window = ReportWindow::SinceLast;
    assert!(!report(vec![topic("a")]).markdown().contains("Items are those"), "days count all items by time");
    for (since, expected, items) in [
        (None, "(UTC), the last 24 hours.", "first seen since the period began"),
        (Some(7), "(UTC), since the last report.", "of the runs stored since the last report (seq above 7)"),
    ] {
        first.since = since;
        assert!(first.html().contains(expected), "{expected}: {}", first.html());
        let note = format!("Items are those {items}; searches and costs are those of the period.");
        assert!(first.html().contains(&note) && first.mail().contains(&note) && first.markdown().contains(&note));
    }
    assert!(first.markdown().contains("not compared: this is not a whole day"));
    assert!(first.html().contains("on the day it was published, or first seen if that was earlier or it has no date."));
    // No command makes the same report again.
    assert!(
        first.mail().contains("are only in the HTML format.") && !first.mail().contains("<code>topicwatch report ")
    );
}

#[test]
fn an_ad_hoc_report_does_not_suggest_a_report_command() {
    let mut report = report(vec![topic("a")]);
    // A report of the configuration may have any name.
    for (name, ad_hoc) in [("daily", false), ("page", false), ("everything", false), ("everything", true)] {
        (report.name, report.ad_hoc) = (name.to_owned(), ad_hoc);
        let (html, command) = (report.html(), format!("topicwatch report {name}"));
        assert_eq!(html.contains(&command), !ad_hoc, "{name}");
    }
}

#[test]
fn the_legend_says_which_days_count_for_the_usual_range() {
    let html = report(vec![topic("a")]).html();
    assert!(html.contains("(parts cut off by a full reply count)") && !html.contains("left out."), "{html}");
}

#[test]
fn a_topic_of_which_nothing_is_known_is_not_called_quiet() {
    let paused = |id: &str| {
        let facts = topic(id);
        TopicFacts { covered: Some(0.0), covered_in_all: 0.0, partly_uncovered: true, sources: Vec::new(), ..facts }
    };
    let html = report(vec![topic("a"), paused("b")]).html();
    for part in [
        "Quiet: <bdi><a href=\"#t-a\">a</a></bdi>.",
        "Nothing known: <bdi><a href=\"#t-b\">b</a></bdi>.",
        "Quiet or unknown topics",
        ">b</strong>: Nothing was searched in this period, so nothing is known about it.",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let unanswered = TopicFacts { unchecked: Some(GapReason::NoAnswer), ..topic("c") };
    let html = report(vec![topic("a"), unanswered]).html();
    for part in [
        "Quiet: <bdi><a href=\"#t-a\">a</a></bdi>.",
        "None found, but there may be more: <bdi><a href=\"#t-c\">c</a></bdi>.",
        "Quiet or unknown topics",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let known = report(vec![topic("a")]).html();
    assert!(known.contains(">Quiet topics<") && !known.contains("Nothing known"), "{known}");
}

#[test]
fn the_contents_list_the_ten_main_topics_and_fold_the_others() {
    let active_topic = |items: u64| {
        let mut facts = topic(&format!("l{items}"));
        facts.period.raw = items;
        facts
    };
    let list = |topics: Vec<TopicFacts>, about: &str| {
        let mut all = report(topics);
        let sentence = "something happened".to_owned();
        all.matters =
            vec![Highlight { weight: 1, topic: about.to_owned(), section: "numbers", kind: "volume", sentence }];
        let page = all.html();
        page.split_once("<nav").unwrap().1.split_once("</nav>").unwrap().0.to_owned()
    };
    let twelve = list((1..=12).map(active_topic).collect(), "l1");
    assert_eq!((twelve.matches("<li>").count(), twelve.contains("<details")), (12, false), "{twelve}");

    let quiet = ["a", "b", "c"].map(topic);
    let many = list((1..=15).map(active_topic).chain(quiet).collect(), "l2");
    let (listed, folded) = many.split_once("<details class=\"more\"><summary>5 more topics</summary>").unwrap();
    // The one with a sentence comes first, the others by their items.
    let first = listed.find("#t-l2\"").unwrap();
    assert!(first < listed.find("#t-l15\"").unwrap(), "{many}");
    assert_eq!((listed.matches("<li>").count(), folded.matches("<li>").count()), (10, 5), "{many}");
    assert!(listed.contains("#t-l7\"") && folded.contains("#t-l6\""), "{many}");
    assert!(listed.contains("<a href=\"#quiet-title\">3 quiet topics</a>"), "{many}");
}

#[test]
fn pages_without_stored_addresses_are_not_said_to_be_missing() {
    let mut facts = topic("a");
    let domains = |facts: &TopicFacts| {
        let page = report(vec![facts.clone()]).html();
        page.split_once("<li>Domains: ").unwrap().1.split_once('<').unwrap().0.to_owned()
    };
    assert_eq!(domains(&facts), "No pages in the period.");
    (facts.period.raw, facts.period.pages) = (1, 1);
    assert_eq!(domains(&facts), "No addresses of its pages are stored.");
}

#[test]
fn a_source_without_an_answer_in_the_period_is_not_called_ok_because_it_answers_now() {
    let mut facts = topic("a");
    for (searches, failed, refused_by_quota, expected) in
        [(4, 3, 0, "ok"), (4, 4, 0, "social gave no answer"), (0, 0, 2, "social not searched"), (0, 0, 0, "ok")]
    {
        let source = &mut facts.sources[0];
        (source.searches, source.failed, source.refused_by_quota) = (searches, failed, refused_by_quota);
        let html = report(vec![facts.clone()]).html();
        let cell = html.split("data-label=\"Sources\">").nth(1).and_then(|rest| rest.split("</td>").next());
        assert!(cell.is_some_and(|cell| cell.contains(&format!(">{expected}<"))), "{expected}: {cell:?}");
    }
}
