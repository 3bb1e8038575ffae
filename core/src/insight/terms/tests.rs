//! Terms that are news, on texts with known truth.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::day_terms::hash;
use super::*;
use crate::model::{Kind, Time, Tone};

/// An item of a day: its text, who says it, its terms.
fn item(n: usize, cluster: &str, voice: &str, terms: &[&str]) -> TermItem {
    let mut terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
    terms.sort();
    TermItem {
        key: format!("k{n:03}"),
        kind: if n % 10 == 9 { Kind::Page } else { Kind::Post },
        cluster: cluster.to_owned(),
        voice: voice.to_owned(),
        day: 0,
        at: Time(i64::try_from(n).unwrap()),
        sound: Some(if n.is_multiple_of(4) { Tone::Negative } else { Tone::Neutral }),
        weight: 0,
        runs: if terms.iter().any(|term| term == "東京") { vec!["東京タワー".to_owned()] } else { Vec::new() },
        terms,
    }
}

/// A day before: a hundred texts by a hundred people, and how many of these hold each term.
fn day(terms: &[(&str, usize)]) -> DayTerms {
    let mut counter = TermCounter::default();
    for n in 0..100 {
        counter.item(&format!("c{n}"), &format!("v{n}"));
        terms.iter().filter(|(_, many)| n < *many).for_each(|(term, _)| counter.term(term));
    }
    counter.end()
}

fn news_of(items: &[TermItem], before: &[DayTerms]) -> Vec<NewsTerm> {
    news(&rises(RiseInput { items, before }, &|term| term == "asked").0, items)
}

/// A hundred different texts; those in a range also hold these terms.
fn period(placed_terms: &[(std::ops::Range<usize>, &[&str])]) -> Vec<TermItem> {
    (0..100)
        .map(|n| {
            let own =
                placed_terms.iter().filter(|(places, _)| places.contains(&n)).flat_map(|(_, terms)| *terms).copied();
            item(n, &format!("t{n}"), &format!("p{n}"), &own.chain(["asked", "usual"]).collect::<Vec<_>>())
        })
        .collect()
}

#[test]
fn a_news_term_needs_several_texts_and_authors_and_no_query_word() {
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[("asked", 90), ("usual", 100), ("rain", 10)])).collect();
    let calm = period(&[(0..12, &["rain"])]);
    assert_eq!(news_of(&calm, &before), [], "twelve where ten are expected");
    let items = period(&[(0..20, &["flood"]), (30..42, &["rain"])]);
    let [flood] = &news_of(&items, &before)[..] else { panic!("{:?}", news_of(&items, &before)) };
    assert_eq!((&*flood.term, flood.items, flood.voices, flood.now, flood.before), ("flood", 20, 20, 20, 0));
    assert_eq!((flood.negative.unwrap().part, flood.negative.unwrap().whole, flood.example), (5, 20, 0));
    // The same by one author, and in one text by many, and by two.
    for (voice, cluster) in [(Some("one"), None), (None, Some("copied"))] {
        let mut items = items.clone();
        for (n, item) in items.iter_mut().enumerate().filter(|(n, _)| *n < 20) {
            item.voice = voice.map_or_else(|| format!("p{n}"), str::to_owned);
            item.cluster = cluster.map_or_else(|| format!("t{n}"), str::to_owned);
        }
        assert_eq!(news_of(&items, &before), [], "{voice:?} {cluster:?}");
    }
    let (own, tested) = rises(RiseInput { items: &items, before: &before }, &|term| term == "flood");
    assert!(own.iter().all(|rise| rise.term != "flood"));
    assert_eq!(tested, 4, "asked, usual, rain, flood");
    let usual = own.iter().find(|rise| rise.term == "usual").unwrap();
    assert!((usual.expected - 100.0).abs() < 1e-9 && !usual.is_news() && usual.items.len() == 100);
}

#[test]
fn of_overlapping_terms_only_one_is_news() {
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[("usual", 100)])).collect();
    let items = period(&[
        (0..20, &["boston", "marathon", "boston marathon", "＃bostonmarathon"]),
        (20..25, &["boston"]),
        (40..60, &["東京", "京タ", "タワ"]),
        (70..90, &["＃storm", "storm"]),
    ]);
    let names: Vec<String> = news_of(&items, &before).into_iter().map(|term| term.term).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    for name in ["boston marathon", "東京タワ", "＃storm"] {
        assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
    }
}

#[test]
fn a_hashtag_stays_a_hashtag_unless_people_also_write_the_word() {
    let tag: &[&str] = &["＃flashmob", "flashmob"];
    assert_eq!(names_of(&period(&[(0..20, tag)])), ["＃flashmob"]);
    assert_eq!(names_of(&period(&[(0..20, tag), (20..21, &["flashmob"])])), ["flashmob"]);
    // With a stronger word that is a part of it.
    let flood: &[&str] = &["flood", "＃yycflood", "yycflood"];
    assert_eq!(names_of(&period(&[(0..20, flood), (20..60, &["flood"])])), ["flood", "＃yycflood"]);
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[("usual", 100), ("flashmob", 1)])).collect();
    let items = period(&[(0..20, tag)]);
    let [term] = &news_of(&items, &before)[..] else { panic!("{:?}", news_of(&items, &before)) };
    assert_eq!((&*term.term, term.kind, term.before), ("＃flashmob", crate::model::TermKind::Hashtag, 0));
}

/// The names of the terms that are news, sorted.
fn names_of(items: &[TermItem]) -> Vec<String> {
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[("usual", 100)])).collect();
    let mut names: Vec<String> = news_of(items, &before).into_iter().map(|term| term.term).collect();
    names.sort();
    names
}

#[test]
fn a_phrase_replaces_its_words_in_any_order() {
    for [a, b] in [["virubo", "kugiro"], ["kugiro", "virubo"]] {
        let phrase = format!("{a} {b}");
        let terms = [a, b, &phrase];
        for more in [&[][..], &[a], &[b]] {
            // Some texts hold one of the words alone, so its z is higher than that of the phrase.
            assert_eq!(names_of(&period(&[(0..20, &terms), (20..24, more)])), [&*phrase], "{phrase}, more {more:?}");
        }
        // A word in many other texts is reported; only the other word remains of the phrase.
        assert_eq!(names_of(&period(&[(0..20, &terms), (20..60, &[b])])), ["kugiro", "virubo"], "{phrase}");
    }
    for [a, b, c] in [
        ["apoki", "bedul", "cimor"],
        ["apoki", "cimor", "bedul"],
        ["bedul", "apoki", "cimor"],
        ["bedul", "cimor", "apoki"],
        ["cimor", "apoki", "bedul"],
        ["cimor", "bedul", "apoki"],
    ] {
        let (begin, end) = (format!("{a} {b}"), format!("{b} {c}"));
        let names = names_of(&period(&[(0..12, &[a, b, c, &begin, &end])]));
        let words: std::collections::BTreeSet<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
        assert_eq!((names.len(), words.len()), (2, 3), "one phrase and the word next to it: {names:?}");
    }
}

#[test]
fn words_without_spaces_are_put_together_only_as_some_text_has_them() {
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[("usual", 100)])).collect();
    let mut items = period(&[(0..20, &["東京", "京都", "都内"])]);
    for item in &mut items[0..20] {
        item.runs = vec!["東京の".to_owned(), "京都内".to_owned()];
    }
    let mut names: Vec<String> = news_of(&items, &before).into_iter().map(|term| term.term).collect();
    names.sort();
    assert_eq!(names, ["京都内", "東京"]);
}

/// A run of letters with the pairs that are counted of it.
fn pairs(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    letters.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// A hundred texts; those of a range hold these runs, too. `*` is a letter that differs from text to text.
fn period_of(runs: &[(std::ops::Range<usize>, &str)]) -> Vec<TermItem> {
    let mut items = period(&[]);
    for (places, run) in runs {
        for (n, item) in items[places.clone()].iter_mut().enumerate() {
            let letter = "春夏秋冬山川海空".chars().nth(n % 8).unwrap();
            let run = run.replace('*', &letter.to_string());
            item.terms.extend(pairs(&run));
            item.terms.sort();
            item.terms.dedup();
            item.runs.push(run);
        }
    }
    items
}

/// The terms of a period that are news, with complete words: term, items, authors, texts, negative items.
fn complete(items: &[TermItem], usual: &[(&str, usize)]) -> Vec<(String, u64, u64, u64, u64)> {
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[&[("usual", 100)], usual].concat())).collect();
    let mut found = news_of(items, &before);
    complete_words(&mut found, items, &|term| term == "asked" || term == "地震");
    let told = found.into_iter().map(|one| (one.term, one.items, one.voices, one.now, one.negative.unwrap().part));
    let mut told: Vec<_> = told.collect();
    told.sort();
    told
}

fn row(term: &str, items: u64, negative: u64) -> (String, u64, u64, u64, u64) {
    (term.to_owned(), items, items, items, negative)
}

#[test]
fn a_joined_word_counts_the_items_that_contain_all_of_it() {
    // 工厂 has the items of both words.
    let items = period_of(&[(0..12, "*工厂爆炸*"), (12..18, "*工厂罢工*")]);
    assert_eq!(complete(&items, &[]), [row("工厂爆炸", 12, 3), row("工厂罢工", 6, 2)]);
    let items = period_of(&[(0..12, "リコール"), (12..19, "コール")]);
    assert_eq!(complete(&items, &[]), [row("リコール", 12, 3)]);
}

#[test]
fn two_adjacent_known_words_are_one_term() {
    let known = [("工厂", 30), ("爆炸", 30), ("東京", 30), ("駅前", 30), ("北京", 30)];
    let items = period_of(&[(0..6, "の工厂爆炸を"), (6..12, "が工厂爆炸で"), (30..42, "工厂"), (50..62, "爆炸")]);
    assert_eq!(complete(&items, &known), [row("工厂爆炸", 12, 3)]);
    let items = period_of(&[(0..6, "東京駅前"), (6..12, "東京駅で")]);
    assert_eq!(complete(&items, &known), [row("東京駅", 12, 3)]);
    // One in four has another letter before it.
    let items = period_of(&[(0..9, "東京駅"), (9..12, "北京駅")]);
    assert_eq!(complete(&items, &known), [row("京駅", 12, 3)]);
    // Letters of the query are not put back.
    let items = period_of(&[(0..12, "地震爆炸"), (30..42, "爆炸")]);
    assert!(complete(&items, &[]).iter().all(|one| !one.0.contains('震')));
}

#[test]
fn particles_next_to_a_word_are_not_part_of_the_term() {
    let items = period_of(&[(0..14, "*バッテリーの*"), (14..20, "*バッテリーが*")]);
    assert_eq!(complete(&items, &[]), [row("バッテリー", 20, 5)]);
    assert_eq!(complete(&period_of(&[(0..12, "女の子")]), &[]), [row("女の子", 12, 3)]);
}

#[test]
fn a_word_that_was_joined_in_several_places_is_one_term() {
    // Some of its pairs are known, so its ends are joined separately and completed to the same word.
    let items = period_of(&[(0..12, "โรงงานระเบด")]);
    assert_eq!(complete(&items, &[("งา", 30), ("ระ", 30)]), [row("โรงงานระเบด", 12, 3)]);
}

#[test]
fn themes_hold_each_item_once_and_the_rest_is_summed() {
    let before: Vec<DayTerms> = (0..28).map(|_| day(&[("usual", 100)])).collect();
    let placed_terms: Vec<(std::ops::Range<usize>, Vec<String>)> =
        (0..9).map(|n| (n * 10..n * 10 + 10, vec![format!("w{n}"), format!("x{n}")])).collect();
    let terms: Vec<(std::ops::Range<usize>, Vec<&str>)> = placed_terms
        .iter()
        .map(|(places, terms)| (places.clone(), terms.iter().map(String::as_str).collect()))
        .collect();
    let terms: Vec<(std::ops::Range<usize>, &[&str])> =
        terms.iter().map(|(places, terms)| (places.clone(), terms.as_slice())).collect();
    let items = period(&terms);
    let found = news_of(&items, &before);
    assert_eq!(found.len(), 18);
    let earlier = [vec!["w0".to_owned()], vec!["other".to_owned()]];
    let all = themes(&found, &items, Some(&earlier));
    assert_eq!((all.largest.len(), all.more, all.more_items, all.other_items), (7, 2, 20, 10));
    let first = &all.largest[0];
    assert_eq!(
        (first.terms.as_slice(), first.items, first.unique, first.voices),
        (&["w0".to_owned(), "x0".to_owned()][..], 10, 10, 10)
    );
    assert_eq!((first.before, first.first, first.post, first.page), (Some(1), 0, Some(0), Some(9)));
    assert_eq!(all.largest[1].before, Some(0));
    assert_eq!(themes(&[], &items, None), Themes { other_items: 100, ..Themes::default() });
}

#[test]
fn term_hashes_never_change() {
    // Computed by other code.
    assert_eq!([hash("flood"), hash("東京"), hash("")], [722_604_035_960, 1_000_870_763_909, 1_052_973_066_665]);
}

proptest! {
    #[test]
    fn stored_day_terms_round_trip_and_invalid_bytes_are_refused(
        mentions in prop::collection::vec((0_usize..40, 0_usize..9, 0_usize..9), 0..120), cut in 0_usize..50, noise in prop::collection::vec(any::<u8>(), 0..40)
    ) {
        let mut counter = TermCounter::default();
        for (term, cluster, voice) in &mentions {
            counter.item(&cluster.to_string(), &voice.to_string());
            counter.term(&term.to_string());
        }
        let day = counter.end();
        for term in 0..40 {
            let of = |which: fn(&(usize, usize, usize)) -> usize| {
                mentions.iter().filter(|one| one.0 == term).map(which).collect::<std::collections::BTreeSet<_>>().len()
            };
            prop_assert_eq!(day.of(&term.to_string()), of(|one| one.1).min(of(|one| one.2)) as u64);
        }
        let bytes = day.encode();
        prop_assert_eq!(DayTerms::decode(&bytes), Some(day));
        let short = bytes.get(..bytes.len().saturating_sub(1 + cut)).unwrap_or(&[]);
        prop_assert_eq!(DayTerms::decode(short), None);
        drop(DayTerms::decode(&noise));
    }
}
