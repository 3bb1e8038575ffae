//! Table tests of the change rules: baselines, gone items, items that only look gone, rising items.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::model::{Counts, Edit, Kind, LastSighting, Question, SearchState, SeqRange, Snapshot, Span, Time};

const HOUR: i64 = 3_600_000;
const DAY: Duration = Duration::from_secs(86_400);
/// When hour 0 is.
const BEGAN: i64 = 1_773_219_600_000;

fn at(hour: i64) -> Time {
    Time(BEGAN + hour * HOUR)
}

fn head(key: &str, published: Option<i64>) -> ItemSummary {
    ItemSummary {
        key: key.into(),
        kind: Kind::Post,
        url: None,
        author: Some("Ann".into()),
        title: None,
        text: Some(format!("about {key}")),
        lang: None,
        published_at: published.map(at),
        cluster: None,
        pruned: false,
    }
}

/// A search at hour `seq`, with its question, state and number of items found.
fn snapshot(seq: i64, question: usize, state: SearchState, found: i64) -> Snapshot {
    Snapshot {
        run: format!("r{seq}"),
        seq,
        at: at(seq),
        question,
        state,
        refused: false,
        in_part: false,
        saturated: false,
        empty_in_error: false,
        requested_span: None,
        counts: Counts { found, ..Counts::default() },
        thinned: false,
    }
}

fn ok(seq: i64) -> Snapshot {
    snapshot(seq, 0, SearchState::Ok, 3)
}

fn snapshots(all: Vec<Snapshot>) -> Snapshots {
    let question = |source, query: &str| Question { source, operation: "search".into(), query: query.into() };
    let questions = vec![question(Source::Social, "a"), question(Source::Social, "b"), question(Source::Ai, "a")];
    Snapshots { known: vec![false; questions.len()], questions, all, cut: false, complete_from: None }
}

fn reading(all: Vec<Snapshot>, since: i64) -> ChangeInput {
    ChangeInput {
        between: SeqRange { since, until: all.last().map_or(0, |s| s.seq) },
        window: DAY,
        run_before: all.iter().rev().find(|s| s.seq <= since).map(|s| (s.run.clone(), s.at)),
        snapshots: snapshots(all),
        first: Vec::new(),
        last: Vec::new(),
        edits: Vec::new(),
        growths: Vec::new(),
        most_rows: 1_000,
    }
}

fn changes_of(reading: &ChangeInput) -> Changes {
    changes(reading, &Filter::default(), 100)
}

#[test]
fn a_search_is_a_baseline_until_its_query_was_answered() {
    use SearchState::{Empty, Error, Ok};
    let all = vec![
        snapshot(1, 0, Error, 0),
        snapshot(2, 0, Empty, 0),
        snapshot(3, 0, Ok, 5),
        snapshot(4, 1, Ok, 5),
        snapshot(5, 1, Ok, 5),
        snapshot(6, 0, Ok, 5),
        snapshot(6, 2, Ok, 5),
    ];
    let mut all = snapshots(all);
    let got: Vec<(i64, Source)> = baselines(&all).into_iter().collect();
    assert_eq!(got, [(1, Source::Social), (2, Source::Social), (4, Source::Social), (6, Source::Ai)]);
    all.known = vec![true, false, true];
    assert_eq!(baselines(&all).into_iter().collect::<Vec<_>>(), [(4, Source::Social)]);
}

#[test]
fn an_item_is_gone_only_after_complete_snapshots_of_the_same_query_that_held_it() {
    let seen = |seqs: &[i64]| seqs.iter().map(|seq| (Source::Social, *seq)).collect::<Vec<_>>();
    let with = |seq: i64, change: &dyn Fn(&mut Snapshot)| {
        let mut s = ok(seq);
        change(&mut s);
        s
    };
    let all = || vec![ok(1), ok(2), ok(3), ok(4)];
    let replaced = |change: &dyn Fn(&mut Snapshot), seq: i64| {
        let mut all = all();
        all[usize::try_from(seq).unwrap() - 1] = with(seq, change);
        all
    };
    for (name, all, since, seen, published, expected) in [
        ("gone", all(), 3, seen(&[1, 2, 3]), Some(0), 1),
        ("gone before the span", [all(), vec![ok(5)]].concat(), 4, seen(&[1, 2, 3]), Some(0), 0),
        ("gone within the span", [all(), vec![ok(5)]].concat(), 3, seen(&[1, 2, 3]), Some(0), 1),
        ("held by two only", all(), 3, seen(&[2, 3]), Some(0), 0),
        ("out of the window by now", all(), 3, seen(&[1, 2, 3]), Some(-21), 0),
        ("without a date", all(), 3, seen(&[1, 2, 3]), None, 0),
        ("the last was cut", replaced(&|s| s.saturated = true, 4), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("one before was cut", replaced(&|s| s.saturated = true, 2), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("the last came in part", replaced(&|s| s.in_part = true, 4), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("the last was thinned", replaced(&|s| s.thinned = true, 4), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("one before was thinned", replaced(&|s| s.thinned = true, 1), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("the last failed", replaced(&|s| s.state = SearchState::Error, 4), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("the last was empty", replaced(&|s| s.state = SearchState::Empty, 4), 3, seen(&[1, 2, 3]), Some(0), 0),
        ("another question", replaced(&|s| s.question = 1, 4), 3, seen(&[1, 2, 3]), Some(0), 0),
        (
            "about the past",
            replaced(&|s| s.requested_span = Span::new(at(-50), at(-26)), 4),
            3,
            seen(&[1, 2, 3]),
            Some(0),
            0,
        ),
        (
            "a failure between is no snapshot",
            vec![ok(1), ok(2), with(3, &|s| s.state = SearchState::Error), ok(4), ok(5)],
            4,
            seen(&[1, 2, 4]),
            Some(0),
            1,
        ),
        ("a round number, the most of all", replaced(&|s| s.counts.found = 20, 2), 3, seen(&[1, 2, 3]), Some(0), 0),
    ] {
        let mut reading = reading(all, since);
        let last = seen.iter().map(|(_, seq)| *seq).max().unwrap();
        reading.last = vec![LastSighting { item: head("a", published), last_seq: last, last_seen: at(last), seen }];
        let got = changes_of(&reading);
        assert_eq!([got.gone.len(), got.counts.gone, got.sources[0].gone], [expected; 3], "{name}");
    }
}

#[test]
fn changes_based_on_pruned_snapshots_are_lower_bounds() {
    for (thinned, complete_from, pruned) in
        [(6, None, false), (7, None, true), (12, None, true), (0, Some(10), false), (0, Some(11), true)]
    {
        let all = (1..=12).map(|seq| Snapshot { thinned: seq == thinned, ..ok(seq) }).collect();
        let mut reading = reading(all, 9);
        reading.snapshots.complete_from = complete_from.map(|hour| at(hour - 1));
        assert_eq!(changes_of(&reading).counts.pruned, pruned, "{thinned} {complete_from:?}");
    }
}

#[test]
fn nothing_is_judged_gone_by_searches_that_are_too_far_apart_for_one_window() {
    // Four complete searches in a row; the last can only show what the first found if they lie within the window.
    for (hours_apart, judged) in [(6, true), (7, true), (8, false), (12, false), (24, false)] {
        let all = (1..=4).map(|seq| Snapshot { at: at(seq * hours_apart), ..ok(seq) }).collect();
        let got = changes_of(&reading(all, 3));
        assert_eq!(got.sources[0].gone_judged, judged, "every {hours_apart} hours");
    }
}

#[test]
fn the_query_for_gone_items_covers_all_compared_snapshots() {
    let all = snapshots((1..=9).map(ok).collect());
    let between = SeqRange { since: 8, until: 9 };
    let needs = gone_query(&all, between, DAY).unwrap();
    assert_eq!((needs.between, needs.published_since), (SeqRange { since: 5, until: 9 }, at(9 - 24)));
    assert_eq!(gone_query(&snapshots(vec![ok(1), ok(2), ok(3)]), SeqRange { since: 0, until: 3 }, DAY), None);
}

#[test]
fn a_rise_needs_ten_more_reactions_and_a_fifth_of_the_earlier_number() {
    let likes = |n| Engagement { likes: Some(n), ..Engagement::default() };
    let none = Engagement::default();
    let both = |likes, replies| Engagement { likes: Some(likes), replies: Some(replies), ..none };
    for (name, before, after, minutes, expected) in [
        ("enough", likes(5), likes(15), 120, Some((5, 10, 5.0))),
        ("too few", likes(5), likes(14), 120, None),
        ("a small part", likes(1_000), likes(1_199), 120, None),
        ("a fifth", likes(1_000), likes(1_200), 60, Some((1_000, 200, 200.0))),
        ("within minutes nothing is drawn out", likes(0), likes(60), 5, Some((0, 60, 60.0))),
        ("unknown then", none, likes(60), 60, None),
        ("unknown now", likes(60), none, 60, None),
        ("one kind that shrank more than the other grew", both(10, 90), both(30, 10), 60, None),
        ("one kind that shrank less than the other grew", both(40, 9), both(60, 1), 60, Some((49, 12, 12.0))),
        ("a kind that is known only now", likes(40), both(45, 90), 60, None),
        ("a kind that is known only then", both(40, 90), likes(60), 60, Some((40, 20, 20.0))),
        (
            "views are no reactions",
            Engagement { views: Some(1), ..none },
            Engagement { views: Some(999), ..none },
            60,
            None,
        ),
    ] {
        let mut reading = reading(vec![ok(1), ok(2)], 1);
        let growth = |source, from: i64| Growth {
            item: head("a", None),
            source,
            from: at(from),
            until: Time(at(from).0 + minutes * 60_000),
            before,
            after,
        };
        reading.growths = vec![growth(Source::Ai, 0), growth(Source::Social, 0)];
        let got = changes_of(&reading).rising;
        assert_eq!(got.first().map(|r| (r.had, r.gain, r.per_hour)), expected, "{name}");
        assert!(got.len() <= 1, "two sources report the same rise");
    }
}

#[test]
fn hidden_items_are_counted_only_as_filtered() {
    let mut reading = reading(vec![ok(1), ok(2)], 1);
    reading.snapshots.known = vec![true; 3];
    let first = |key: &str, seen| FirstSighting {
        item: head(key, Some(1)),
        run: "r2".into(),
        seq: 2,
        first_seen: at(2),
        seen,
        kept_baseline: None,
        engagement: Engagement::default(),
    };
    reading.first = vec![
        first("a", vec![(Source::Social, WindowFit::In)]),
        first("b", vec![(Source::Social, WindowFit::Outside), (Source::Web, WindowFit::In)]),
        first("c", vec![(Source::Social, WindowFit::Outside)]),
        first("d", vec![]),
    ];
    reading.edits =
        vec![Edit { item: head("a", None), old_title: None, old_text: Some("x".into()), at: at(2), edits: 1 }];
    // Edited and edited back; and only the space between words.
    let edit = |key: &str, old: &str, edits| Edit {
        item: head(key, None),
        old_title: None,
        old_text: Some(old.to_owned()),
        at: at(2),
        edits,
    };
    reading.edits.extend([edit("z", "about z", 2), edit("y", "about  y", 1)]);
    let all = changes_of(&reading);
    assert_eq!((all.counts.new, all.counts.outside, all.counts.filtered, all.counts.edited), (3, 1, 0, 2));
    let back = all.edited.iter().find(|edited| edited.item.key == "z").map(|edited| (edited.edits, &edited.text));
    assert_eq!(back, Some((2, &None)));
    let filter = crate::model::TopicFilter { exclude: vec!["a | c".into()], ..Default::default() };
    let some = changes(&reading, &Filter::compile(&filter).unwrap(), 1);
    assert_eq!((some.counts.new, some.counts.outside, some.counts.filtered), (2, 0, 2));
    assert_eq!((some.counts.edited, some.counts.filtered_edited, some.new.len()), (1, 1, 1));
}

#[test]
fn items_that_a_filter_can_no_longer_judge_count_and_are_reported() {
    let mut reading = reading(vec![ok(1), ok(2)], 1);
    reading.snapshots.known = vec![true; 3];
    let first = |key: &str, pruned: bool| FirstSighting {
        item: ItemSummary {
            pruned,
            text: (!pruned).then(|| format!("about {key}")),
            author: None,
            ..head(key, Some(1))
        },
        run: "r2".into(),
        seq: 2,
        first_seen: at(2),
        seen: vec![(Source::Social, WindowFit::In)],
        kept_baseline: None,
        engagement: Engagement::default(),
    };
    reading.first = vec![first("a", false), first("b", false), first("c", true), first("d", true)];
    let counted = |filter: crate::model::TopicFilter| {
        let counts = changes(&reading, &Filter::compile(&filter).unwrap(), 9).counts;
        (counts.new, counts.filtered, counts.unjudged)
    };
    let none = crate::model::TopicFilter::default();
    assert_eq!(counted(crate::model::TopicFilter { must: vec!["a".into()], ..none.clone() }), (3, 1, 2));
    assert_eq!(counted(crate::model::TopicFilter { exclude: vec!["a".into()], ..none.clone() }), (3, 1, 2));
    assert_eq!(counted(crate::model::TopicFilter { lang: vec!["en".into()], ..none.clone() }), (4, 0, 0));
    assert_eq!(counted(none), (4, 0, 0));
}

#[test]
fn items_of_a_backfill_are_not_new() {
    let mut reading = reading(vec![ok(1), ok(50)], 1);
    reading.snapshots.known = vec![true; 3];
    reading.first = vec![FirstSighting {
        item: head("a", Some(1)),
        run: "r50".into(),
        seq: 50,
        first_seen: at(50),
        seen: vec![(Source::Social, WindowFit::In)],
        kept_baseline: None,
        engagement: Engagement::default(),
    }];
    assert_eq!(changes_of(&reading).counts.new, 1);
    reading.snapshots.all[1].requested_span = Span::new(at(-4), at(20));
    for fit in [WindowFit::In, WindowFit::Undated] {
        reading.first[0].seen = vec![(Source::Social, fit)];
        let got = changes_of(&reading).counts;
        assert_eq!((got.new, got.outside), (0, 1), "{fit:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_item_seen_first_is_counted_once(
        rows in prop::collection::vec((0_i64..6, 0_usize..4, any::<bool>()), 0..30),
        known in any::<bool>(),
        since in 0_i64..5,
    ) {
        let mut reading = reading((1..=5).map(ok).collect(), since);
        reading.snapshots.known[0] = known;
        reading.first = rows.iter().enumerate().map(|(n, (seq, fit, hidden))| FirstSighting {
            item: ItemSummary { text: Some(if *hidden { "hidden".into() } else { "shown".into() }), ..head(&n.to_string(), None) },
            run: String::new(),
            seq: *seq,
            first_seen: at(*seq),
            seen: [WindowFit::In, WindowFit::Outside, WindowFit::Undated].get(*fit).map(|fit| (Source::Social, *fit)).into_iter().collect(),
            kept_baseline: None,
            engagement: Engagement::default(),
        }).collect();
        let filter = crate::model::TopicFilter { exclude: vec!["hidden".into()], ..Default::default() };
        let counts = changes(&reading, &Filter::compile(&filter).unwrap(), 3).counts;
        prop_assert_eq!(counts.new + counts.outside + counts.baseline + counts.filtered, rows.len());
        prop_assert!(counts.undated <= counts.new && counts.new_texts <= counts.new);
        prop_assert_eq!(counts.filtered, rows.iter().filter(|row| row.2).count());
    }
}
