//! Small hand-made cases. core/tests/simulations/cause_accuracy.rs measures how often causes are right.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::insight::daily::{days, share, usual_range, usual_share};
use crate::model::{CountedItem, Engagement, Kind, Source, Time, Tone, WindowFit};

/// Items of a day with something in common: how many, text (`None`: a different one each), author, source, and whether
/// they are negative.
type Part = (usize, Option<&'static str>, Option<&'static str>, &'static str, bool);

fn marks(parts: &[Part]) -> Vec<(CountedItem, Source)> {
    let mut all = Vec::new();
    for (many, text, author, source, negative) in parts {
        for _ in 0..*many {
            let key = format!("k{:03}", all.len());
            let mark = CountedItem {
                cluster: text.map_or_else(|| key.clone(), str::to_owned),
                author: Some(author.map_or_else(|| format!("Author{}", all.len() % 50), str::to_owned)),
                key,
                kind: Kind::Post,
                url: None,
                published_at: None,
                first_seen: Time(0),
                seq: 1,
                fit: WindowFit::In,
                sound: Some(if *negative { Tone::Negative } else { Tone::Neutral }),
                score: None,
                scorer: Some("s".into()),
                engagement: Engagement::default(),
                changes: 0,
                pruned: false,
            };
            all.push((mark, Source::parse(source).unwrap()));
        }
    }
    all
}

/// Returns the causes for a day of `now` after two weeks of days of `before`; `once` counts near-copies once.
fn why_of(now: &[Part], before: &[Part], once: bool) -> (Option<Cause>, Option<Cause>) {
    let calendar = days(Time::parse("2026-03-30T12:00:00Z").unwrap(), 15, "UTC");
    let (today, earlier) = calendar.split_last().unwrap();
    let (now, before) = (marks(now), marks(before));
    let of = |day: &Day, marks: &'static [(CountedItem, Source)]| {
        let sources = OnlySources::of(marks.iter().map(|(mark, source)| (*source, mark.key.clone())).collect());
        let items = DayItems::of(*day, marks.iter().map(|(mark, _)| mark), &sources, Some((Tone::Negative, "s")));
        if once { items.merge_copies() } else { items }
    };
    let (now, before): (&'static _, &'static _) = (Box::leak(now.into()), Box::leak(before.into()));
    let earlier: Vec<_> = earlier.iter().map(|day| of(day, before)).collect();
    let compared = Compared { now: of(today, now), earlier: &earlier, terms: &[] };
    let counts: Vec<(Day, u64)> = compared.earlier.iter().map(|day| (day.day, day.items.len() as u64)).collect();
    let negative = |items: &[Item<'_>]| {
        share(items.iter().filter(|item| item.has_tone == Some(true)).count() as u64, items.len() as u64)
    };
    let shares: Vec<_> = compared.earlier.iter().filter_map(|day| negative(&day.items)).collect();
    let band = usual_share(compared.now.items.len() as u64, &shares).unwrap();
    (volume_cause(&compared, &usual_range(today, &counts).unwrap()), tone_cause(&compared, &band, 20))
}

const CALM: [Part; 3] =
    [(20, None, None, "social", true), (40, None, None, "social", false), (30, None, None, "web", false)];

fn calm_and(parts: &[Part]) -> Vec<Part> {
    CALM.iter().chain(parts).copied().collect()
}

fn name(cause: Option<&Cause>) -> Option<(Dimension, &str)> {
    cause.map(|cause| (cause.dimension, cause.name.as_str()))
}

#[test]
fn the_most_specific_cause_of_a_rise_is_named() {
    let copied = |author, many| (many, Some("t"), author, "web", false);
    let alike: Vec<Part> = CALM.iter().map(|part| (part.0 * 3, part.1, part.2, part.3, part.4)).collect();
    for (what, now, expected) in [
        ("a text by many", calm_and(&[copied(None, 60)]), Some((Dimension::Text, "t"))),
        ("a text by one author in one source", calm_and(&[copied(Some("Ann"), 60)]), Some((Dimension::Text, "t"))),
        ("an author", calm_and(&[(60, None, Some("Ann"), "web", false)]), Some((Dimension::Author, "ann"))),
        ("a source", calm_and(&[(60, None, None, "web", false)]), Some((Dimension::Source, "web"))),
        (
            "an author who is a third of it",
            calm_and(&[(20, None, Some("Ann"), "web", false), (40, None, None, "social", false)]),
            None,
        ),
        ("a source that was never there", calm_and(&[(60, None, None, "hn", false)]), Some((Dimension::Source, "hn"))),
        ("everything", alike, None),
        ("a source that stopped", CALM[..2].to_vec(), Some((Dimension::Source, "web"))),
    ] {
        let (volume, _) = why_of(&now, &CALM, false);
        assert_eq!(name(volume.as_ref()), expected, "{what}: {volume:?}");
        assert!(volume.is_none_or(|cause| cause.rest_as_usual), "{what}");
    }
}

#[test]
fn other_causes_that_explain_as_much_are_counted() {
    let cause = |dimension, explained: f64, name: &str| {
        let (name, part) = (name.to_owned(), explained);
        let rest_as_usual = true;
        let (items, usual, sounding, authors, as_much) = (45, 0.3, 0, 3, 0);
        (explained, Cause { dimension, name, part, items, usual, sounding, authors, rest_as_usual, as_much })
    };
    let (text, author, term) = (Dimension::Text, Dimension::Author, Dimension::Term);
    for (causes, expected) in [
        (vec![cause(text, 0.6, "t"), cause(text, 0.55, "u"), cause(author, 0.6, "ann")], (text, 1)),
        (vec![cause(author, 0.6, "ann"), cause(author, 0.58, "bob"), cause(author, 0.55, "eve")], (author, 2)),
        // One explains less than half; one explains much less than the best.
        (vec![cause(text, 0.6, "t"), cause(text, 0.4, "u")], (text, 0)),
        (vec![cause(text, 0.9, "t"), cause(text, 0.6, "u")], (text, 0)),
        // Terms share items.
        (vec![cause(term, 0.6, "f"), cause(term, 0.6, "g")], (term, 0)),
    ] {
        let found = most_specific_cause(causes).unwrap();
        assert_eq!((found.dimension, found.as_much), expected, "{found:?}");
    }
}

#[test]
fn the_only_source_is_never_a_cause() {
    let (volume, _) = why_of(&[(300, None, None, "web", false)], &[(90, None, None, "web", false)], false);
    assert_eq!(volume, None);
}

#[test]
fn a_property_of_nearly_all_items_is_a_cause_only_if_it_was_rare() {
    let before = [(40, None, None, "social", false), (10, None, None, "web", true)];
    let (volume, tone) = why_of(&[(118, None, None, "social", false), (6, None, None, "web", true)], &before, false);
    assert_eq!((name(volume.as_ref()), name(tone.as_ref())), (None, None), "usually four in five");
    for (flood, expected) in [
        ((1_000, Some("t"), None, "web", false), (Dimension::Text, "t")),
        ((1_000, None, Some("Ann"), "web", false), (Dimension::Author, "ann")),
        ((1_000, None, None, "hn", false), (Dimension::Source, "hn")),
    ] {
        let (volume, _) = why_of(&calm_and(&[flood]), &CALM, false);
        assert_eq!(name(volume.as_ref()), Some(expected), "{volume:?}");
    }
}

#[test]
fn merged_near_copies_keep_their_common_author_and_source() {
    let copies = [(100, Some("t"), None, "web", false), (20, None, Some("Ann"), "web", false)];
    let (all, _) = why_of(&calm_and(&copies), &CALM, false);
    assert_eq!(name(all.as_ref()), Some((Dimension::Text, "t")));
    let (once, _) = why_of(&calm_and(&copies), &CALM, true);
    assert_eq!(name(once.as_ref()), Some((Dimension::Author, "ann")));
}

#[test]
fn the_cause_of_a_tone_is_the_group_without_which_it_is_usual() {
    let alike: Vec<Part> = vec![
        (35, None, None, "social", true),
        (25, None, None, "social", false),
        (15, None, None, "web", true),
        (15, None, None, "web", false),
    ];
    for (what, now, expected) in [
        ("a negative text", calm_and(&[(40, Some("t"), None, "social", true)]), Some((Dimension::Text, "t"))),
        (
            "an author who complains",
            calm_and(&[(40, None, Some("Ann"), "social", true)]),
            Some((Dimension::Author, "ann")),
        ),
        (
            "a source that turned",
            vec![CALM[0], CALM[1], (30, None, None, "web", true)],
            Some((Dimension::Source, "web")),
        ),
        ("a neutral source that stopped", CALM[..2].to_vec(), Some((Dimension::Source, "web"))),
        ("everything", alike, None),
    ] {
        let (_, tone) = why_of(&now, &CALM, false);
        assert_eq!(name(tone.as_ref()), expected, "{what}: {tone:?}");
    }
}

#[test]
fn a_group_with_its_usual_tone_is_not_a_cause() {
    let before = |ann: Option<&'static str>| {
        vec![
            (20, None, ann, "social", true),
            (20, None, None, "social", false),
            (4, None, None, "web", true),
            (26, None, None, "web", false),
        ]
    };
    let now = |ann, web: (usize, usize)| {
        let mut parts = before(ann);
        (parts[2].0, parts[3].0) = web;
        parts
    };
    for (what, ann, web, expected) in [
        // All posts sound less negative, because the source that sounds less negative has more of them.
        ("beside a source that grew", None, (20, 110), Some((Dimension::Source, "web"))),
        ("an author beside a source that grew", Some("Ann"), (20, 110), Some((Dimension::Source, "web"))),
        ("beside a source that stopped", None, (0, 0), Some((Dimension::Source, "web"))),
        ("beside a source that grew and sounds more negative", None, (25, 75), Some((Dimension::Source, "web"))),
    ] {
        let (_, tone) = why_of(&now(ann, web), &before(ann), false);
        assert_eq!(name(tone.as_ref()), expected, "{what}: {tone:?}");
    }
}

#[test]
fn group_sizes_are_compared_with_every_day_if_few_days_are_known() {
    let calendar = days(Time::parse("2026-03-30T12:00:00Z").unwrap(), 7, "UTC");
    let (today, earlier) = calendar.split_last().unwrap();
    let counts: Vec<(Day, u64)> = earlier.iter().zip([3, 5, 4, 9, 5, 4]).map(|(day, many)| (*day, many)).collect();
    for (now, grew, shrank) in [(10, true, false), (9, false, false), (3, false, false), (2, false, true)] {
        let strays = |grown| tone::size_changed(today, now, &counts, grown);
        assert_eq!((strays(true), strays(false)), (grew, shrank), "{now}");
    }
}

#[test]
fn sources_of_items_are_unknown_if_few_sightings_are_left() {
    let all = marks(&[(20, None, None, "web", false)]);
    let day = days(Time(0), 1, "UTC")[0];
    let known = |many: usize| {
        let some = all
            .iter()
            .take(many)
            .flat_map(|(mark, source)| [(*source, mark.key.clone()), (Source::Ai, mark.key.clone())]);
        DayItems::of(day, all.iter().map(|(mark, _)| mark), &OnlySources::of(some.collect()), None)
    };
    assert!(known(18).sourced && !known(17).sourced);
    assert!(known(18).items.iter().all(|item| item.source.is_none()), "two sources found each");
    assert!(!DayItems::of(day, [], &OnlySources::default(), None).sourced);
    // Other sources' sightings of items first seen by then were deleted.
    for (thinned_until, sourced) in [(None, true), (Some(Time(i64::MIN)), true), (Some(Time(i64::MAX)), false)] {
        let items = || all.iter().map(|(mark, _)| mark);
        let sources = OnlySources::of(all.iter().map(|(mark, source)| (*source, mark.key.clone())).collect());
        let sources = sources.without_thinned(items(), thinned_until);
        assert_eq!(DayItems::of(day, items(), &sources, None).sourced, sourced, "{thinned_until:?}");
    }
}

#[test]
fn a_cause_is_described_with_its_share_and_the_rest() {
    let cause = |dimension, authors, rest_as_usual| Cause {
        dimension,
        name: String::new(),
        part: 0.824,
        items: 45,
        usual: 0.3,
        sounding: 40,
        authors,
        rest_as_usual,
        as_much: 0,
    };
    for (cause, figure, label, expected) in [
        (
            Cause { as_much: 2, ..cause(Dimension::Author, 1, false) },
            Figure::Rise,
            "Ann",
            "most of the rise (82%) comes from @Ann (45 items, 0 expected); 2 other authors explain about as much",
        ),
        (
            cause(Dimension::Text, 13, true),
            Figure::Rise,
            "",
            "most of the rise (82%) comes from one text by 13 authors (45 items); without it, the number is as usual",
        ),
        (
            cause(Dimension::Text, 1, false),
            Figure::Tone("negative"),
            "Buy",
            "most of the change (82%) comes from one text by 1 author, “Buy” (40 of 45 sound negative)",
        ),
        (
            cause(Dimension::Author, 1, false),
            Figure::Rise,
            "Ann",
            "most of the rise (82%) comes from @Ann (45 items, 0 expected)",
        ),
        (
            Cause { part: 0.997, ..cause(Dimension::Author, 1, false) },
            Figure::Rise,
            "Ann",
            "most of the rise (99%) comes from @Ann (45 items, 0 expected)",
        ),
        (
            Cause { part: 0.5, ..cause(Dimension::Author, 1, false) },
            Figure::Rise,
            "Ann",
            "half of the rise comes from @Ann (45 items, 0 expected)",
        ),
        (
            Cause { part: 1.2, items: 0, usual: 39.6, ..cause(Dimension::Source, 0, true) },
            Figure::Fall,
            "web",
            "all of the fall comes from items found only by web (0 items, 40 expected); without it, the number is as usual",
        ),
        (
            Cause { items: 0, sounding: 0, usual: 30.2, ..cause(Dimension::Source, 0, false) },
            Figure::Tone("negative"),
            "web",
            "most of the change (82%) comes from items found only by web (0 items, 30 expected)",
        ),
        (
            cause(Dimension::Term, 9, false),
            Figure::Rise,
            "fire",
            "most of the rise (82%) comes from items with “fire” (45 items, 0 expected)",
        ),
    ] {
        assert_eq!(cause.describe(figure, label), expected);
    }
}
