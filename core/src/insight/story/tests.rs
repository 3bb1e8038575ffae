//! Checks the figures of a story against independent sums, and its first item and chart on small histories.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::*;
use crate::model::{SourceSighting, Span, TopicSighting};

const HOUR: i64 = 3_600_000;

fn no_doubt() -> StoryCaveats {
    StoryCaveats::of(Span { from: Time(0), until: Time(1) }, &[], None, 0)
}

fn item(key: &str, published: Option<i64>, seen: i64) -> StoryItem {
    StoryItem {
        key: key.into(),
        kind: Kind::Post,
        author: None,
        title: None,
        text: Some(key.into()),
        url: None,
        published_at: published.map(Time),
        engagement: Engagement::default(),
        cluster: key.into(),
        revisions: 0,
        pruned: false,
        tie: Tie::Copy,
        topics: vec![TopicSighting {
            topic: "t".into(),
            first_seen: Time(seen),
            last_seen: Time(seen),
            times_seen: 1,
            kept: 1,
        }],
        sources: vec![SourceSighting { topic: "t".into(), source: Source::Social, first_seen: Time(seen), runs: 1 }],
    }
}

fn build_story(items: Vec<StoryItem>) -> Story {
    story(StoryRows { asked: items[0].key.clone(), items, ..StoryRows::default() }, no_doubt()).unwrap()
}

#[test]
fn first_published_and_first_seen_are_separate() {
    let late = item("late", Some(2 * HOUR), 9 * HOUR);
    let early = item("early", Some(HOUR), 12 * HOUR);
    let undated = item("undated", None, 10 * HOUR);
    let story = build_story(vec![late, early, undated]);
    assert_eq!(story.first_published.as_ref().unwrap().key, "early");
    assert_eq!(story.first_seen.key, "late");
    assert_eq!((story.undated, story.from, story.until), (1, Time(HOUR), Time(10 * HOUR)));
    assert_eq!(story.timeline.iter().map(|e| e.key.as_str()).collect::<Vec<_>>(), ["early", "late", "undated"]);
}

#[test]
fn a_date_after_the_first_sighting_is_not_used_as_publication_time() {
    let story = build_story(vec![item("ahead", Some(50 * HOUR), 9 * HOUR)]);
    assert_eq!((story.first_published.as_ref(), story.undated, story.from), (None, 1, Time(9 * HOUR)));
    assert!(story.seen_once);
}

#[test]
fn authors_are_ranked_by_reactions_ignoring_the_case_of_names() {
    let by = |key: &str, author: &str, likes: Option<i64>| StoryItem {
        author: Some(author.into()),
        engagement: Engagement { likes, ..Engagement::default() },
        ..item(key, None, 0)
    };
    let story = build_story(vec![
        by("a", "Ann", Some(3)),
        by("b", "ANN", Some(4)),
        by("c", "bob", None),
        by("d", "cy", Some(0)),
    ]);
    let reach: Vec<_> = story.reach.iter().map(|r| (r.author.as_str(), r.items, r.reactions)).collect();
    assert_eq!(reach, [("Ann", 2, Some(7)), ("cy", 1, Some(0)), ("bob", 1, None)]);
    assert_eq!(story.authors, Some(3));
    assert_eq!(build_story(vec![item("a", None, 0)]).authors, None, "unknown authors are not zero authors");
    let pruned = StoryItem { pruned: true, ..item("e", None, 0) };
    assert_eq!(build_story(vec![by("a", "Ann", None), pruned]).authors, None, "the deleted author may be another one");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn chart_bars_contain_every_item_once_and_are_limited(at in prop::collection::vec((0_i64..90_000 * HOUR, 1_i64..50), 1..40)) {
        // Some close together, some years apart.
        let items: Vec<StoryItem> = at.iter().enumerate().map(|(n, (at, scale))| item(&n.to_string(), None, at / (scale * scale))).collect();
        let story = build_story(items);
        prop_assert!((1..=24).contains(&story.chart.len()));
        prop_assert_eq!(story.chart.iter().map(|bar| bar.items).sum::<usize>(), story.items);
        prop_assert!(story.chart.windows(2).all(|two| two[0].until == two[1].from && two[0].from < two[0].until));
        prop_assert!(story.chart[0].from <= story.from && story.until < story.chart[story.chart.len() - 1].until);
        prop_assert!(story.chart[0].items > 0 && story.chart[story.chart.len() - 1].items > 0);
        let instants: Vec<i64> = story.timeline.iter().map(|entry| entry.at.0).collect();
        if let Some(half) = story.half_ms {
            // By counting: no shorter time holds half of the items.
            let within = |length: i64| instants.iter().filter(|at| **at - instants[0] <= length).count();
            prop_assert!(within(half) * 2 >= instants.len() && (half == 0 || within(half - 1) * 2 < instants.len()));
        }
        if let Some(peak) = story.peak {
            let inside = |from: i64| instants.iter().filter(|at| from <= **at && **at < from + HOUR).count();
            prop_assert_eq!(inside(peak.hour.0), peak.items);
            prop_assert!(instants.iter().all(|at| inside(at / HOUR * HOUR) <= peak.items));
            prop_assert!(instants.iter().all(|at| inside(at / HOUR * HOUR) < peak.items || at / HOUR * HOUR >= peak.hour.0));
        }
    }
}

#[test]
fn the_first_item_is_not_certain_where_posts_may_be_indexed_late() {
    use super::caveats::TopicSearches;
    use crate::insight::coverage::holes::{Coverage, SourceCoverage, SpanLength};
    let hours = |from: i64, until: i64| SpanLength {
        span: Span { from: Time(from * HOUR), until: Time(until * HOUR) },
        length_ms: (until - from) * HOUR,
    };
    let doubt = |late: Vec<SpanLength>| {
        let coverage = Coverage::Spans {
            covered: vec![hours(0, 20), hours(21, 40)],
            holes: Vec::new(),
            open: None,
            covered_ms: 39 * HOUR,
            holes_ms: 0,
            late_indexing_ms: late.iter().map(|one| one.length_ms).sum(),
            late_indexing: late,
            covered_share: None,
        };
        let watched = crate::model::WatchedTopic {
            topic: "t".into(),
            began: Time(0),
            filled_from: None,
            ended: None,
            paused: false,
            next: None,
            definition: None,
        };
        let sources = vec![SourceCoverage { source: Source::Social, had: None, coverage }];
        StoryCaveats::of(Span { from: Time(0), until: Time(40 * HOUR) }, &[TopicSearches { watched, sources }], None, 0)
    };
    assert!(doubt(Vec::new()).is_certain_at(Time(30 * HOUR)));
    let late = doubt(vec![hours(20, 21)]);
    assert!(late.holes[0].late_indexing && !late.is_certain_at(Time(30 * HOUR)));
    assert!(late.is_certain_at(Time(20 * HOUR)), "earlier items are certain");
}
