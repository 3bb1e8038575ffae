//! Properties of the ranker that hold for any input.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::*;

/// Numbered items about two subjects; those about one are good.
fn item_set(items: usize, noise: impl Fn(usize) -> bool) -> Vec<(String, Features, bool)> {
    (0..items)
        .map(|number| {
            let good = !noise(number);
            let about = if good { ["storm", "power", "flood"] } else { ["cake", "music", "cat"] };
            let words = [about[number % 3], about[(number / 3) % 3], ["the", "a", "of"][number % 3]];
            (format!("k{number:05}"), Features::of(words, usize::from(good && number % 4 > 0)), good)
        })
        .collect()
}

/// A mark of an item that was not suggested.
fn by_hand(good: bool) -> TrainingMark {
    TrainingMark { good, suggested: false }
}

fn seen(item_set: &[(String, Features, bool)], marks: usize) -> Vec<TrainingItem<'_>> {
    let mark = |number: usize, good: bool| (number < marks).then_some(by_hand(good));
    item_set
        .iter()
        .enumerate()
        .map(|(n, (key, features, good))| TrainingItem { key, features, mark: mark(n, *good) })
        .collect()
}

#[test]
fn too_few_marks_or_marks_of_one_kind_give_no_ranker() {
    let mixed = item_set(200, |number| number % 2 == 0);
    assert!(Ranker::learn(&seen(&mixed, LEAST_MARKS - 1)).is_none());
    assert!(Ranker::learn(&seen(&mixed, LEAST_MARKS)).is_some());
    assert!(Ranker::learn(&seen(&item_set(200, |_| false), 100)).is_none());
    assert!(Ranker::learn(&seen(&item_set(200, |_| true), 100)).is_none());
    assert!(Ranker::learn(&[]).is_none());
}

#[test]
fn noise_with_distinct_words_is_folded_and_no_good_item_is() {
    let item_set = item_set(600, |number| number % 3 == 0);
    let ranker = Ranker::learn(&seen(&item_set, 30)).unwrap();
    let folded = |good: bool| {
        let of = item_set.iter().skip(30).filter(|one| one.2 == good);
        of.filter(|one| ranker.folds(ranker.relevance(&one.1))).count()
    };
    assert!(ranker.can_fold());
    assert_eq!(folded(true), 0);
    assert!(folded(false) > 60, "{}", folded(false));
    let checked = ranker.cross_check();
    assert_eq!((checked.good + checked.noise, checked.good_folded), (30, 0));
}

#[test]
fn nothing_is_folded_if_words_do_not_distinguish_noise() {
    // The marks do not depend on the words.
    let mut item_set = item_set(600, |number| number % 3 == 0);
    for (number, one) in item_set.iter_mut().enumerate() {
        one.1 = Features::of([["storm", "cake", "cat"][number % 3]], 1);
        one.2 = (number * 7_919) % 5 < 3;
    }
    let ranker = Ranker::learn(&seen(&item_set, 40)).unwrap();
    assert!(!ranker.can_fold());
    assert!(item_set.iter().all(|one| !ranker.folds(ranker.relevance(&one.1))));
}

/// One item in twenty is noise and about cakes; one good item in ten has a cake in it, too.
#[test]
fn relevance_does_not_depend_on_the_share_of_noise_marks() {
    let item_set: Vec<(String, Features, bool)> = (0..1_000)
        .map(|number| {
            let good = number % 20 != 0;
            let about = if good && number % 10 != 3 { ["storm", "power", "flood"][number % 3] } else { "cake" };
            let words = [about, ["the", "a", "of"][(number / 20) % 3]];
            (format!("k{number:05}"), Features::of(words, usize::from(good)), good)
        })
        .collect();
    let mean = |noise_marks: usize| {
        let marks = [(false, noise_marks), (true, 40 - noise_marks)];
        let of = |wanted: bool, count: usize| (0..1_000).filter(move |number| (number % 20 != 0) == wanted).take(count);
        let marked: Vec<usize> = marks.into_iter().flat_map(|(wanted, count)| of(wanted, count)).collect();
        let items: Vec<TrainingItem<'_>> = item_set
            .iter()
            .enumerate()
            .map(|(n, (key, features, good))| TrainingItem {
                key,
                features,
                mark: marked.contains(&n).then_some(by_hand(*good)),
            })
            .collect();
        let ranker = Ranker::learn(&items).unwrap();
        item_set.iter().map(|one| ranker.relevance(&one.1)).sum::<f64>() / 1_000.0
    };
    for noise_marks in [2, 10, 20, 30] {
        let mean = mean(noise_marks);
        assert!((mean - 0.95).abs() < 0.08, "{noise_marks} of 40 marks are on noise: {mean}");
    }
}

/// Items with their marks.
fn marked<'a>(
    item_set: &'a [(String, Features, bool)],
    mark: impl Fn(&str, bool) -> Option<TrainingMark>,
) -> Vec<TrainingItem<'a>> {
    let item =
        |(key, features, good): &'a (String, Features, bool)| TrainingItem { key, features, mark: mark(key, *good) };
    item_set.iter().map(item).collect()
}

/// Marks suggested items until there are this many marks.
fn follow(item_set: &[(String, Features, bool)], marks: usize) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    while keys.len() < marks {
        let mark =
            |key: &str, good: bool| keys.iter().any(|one| one == key).then_some(TrainingMark { good, suggested: true });
        let next = suggest(&marked(item_set, mark)).into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert!(!next.is_empty(), "nothing is suggested after {}", keys.len());
        keys.extend(next);
    }
    keys
}

#[test]
fn the_first_suggestions_show_the_whole_ranking_and_later_ones_mostly_noise() {
    let item_set = item_set(600, |number| number % 3 == 0);
    let noise = |keys: &[String]| keys.iter().filter(|key| item_set.iter().any(|one| one.0 == **key && !one.2)).count();
    let keys = follow(&item_set, 20);
    assert!((2..=5).contains(&noise(&keys[..10])), "{keys:?}");
    assert!(noise(&keys[10..]) >= 8, "{keys:?}");
    let mark =
        |key: &str, good: bool| keys.iter().any(|one| one == key).then_some(TrainingMark { good, suggested: true });
    let ranker = Ranker::learn(&marked(&item_set, mark)).unwrap();
    let folded =
        |good: bool| item_set.iter().filter(|one| one.2 == good && ranker.folds(ranker.relevance(&one.1))).count();
    assert_eq!(folded(true), 0);
    assert!(folded(false) > 100, "{}", folded(false));
}

#[test]
fn marking_one_suggestion_keeps_most_of_the_others() {
    let item_set = item_set(600, |number| number % 3 == 0);
    for marks in [0, 5, 10, 15] {
        let mut keys = follow(&item_set, marks);
        let suggestions = |keys: &[String]| {
            let mark = |key: &str, good: bool| {
                keys.iter().any(|one| one == key).then_some(TrainingMark { good, suggested: true })
            };
            suggest(&marked(&item_set, mark)).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let before = suggestions(&keys);
        keys.push(before[0].clone());
        let after = suggestions(&keys);
        let back = before[1..].iter().filter(|key| after.contains(key)).count();
        assert!(back >= 3 && !after.contains(&before[0]), "{marks} marks: {before:?} {after:?}");
    }
}

#[test]
fn suggestions_end_with_the_last_unmarked_item() {
    let item_set = item_set(23, |number| number % 3 == 0);
    let mut keys = follow(&item_set, 23);
    keys.sort();
    assert!(keys.iter().eq(item_set.iter().map(|one| &one.0)), "{keys:?}");
    assert!(suggest(&[]).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn relevance_is_a_probability_and_independent_of_the_order_of_items(
        items in proptest::collection::vec((proptest::collection::vec(0u8..30, 0..8), 0usize..6, any::<bool>(), any::<bool>()), 20..90),
        turn in any::<u64>(),
        suggested in any::<bool>(),
    ) {
        let all: Vec<(String, Features, Option<TrainingMark>)> = items.iter().enumerate().map(|(number, (words, query_word_count, marked, good))| {
            let words: Vec<String> = words.iter().map(|word| format!("w{word}")).collect();
            (format!("k{number}"), Features::of(words.iter().map(String::as_str), *query_word_count), (*marked || number < 25).then_some(TrainingMark { good: *good, suggested: suggested && number % 3 > 0 }))
        }).collect();
        let mut seen: Vec<TrainingItem<'_>> = all.iter().map(|(key, features, mark)| TrainingItem { key, features, mark: *mark }).collect();
        let (first, next) = (Ranker::learn(&seen), suggest(&seen).into_iter().map(str::to_owned).collect::<Vec<_>>());
        let places = seen.len() as u64;
        seen.sort_by_key(|one| one.key.bytes().fold(turn, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte))) % places);
        let second = Ranker::learn(&seen);
        prop_assert_eq!(&next, &suggest(&seen));
        // As many as there are, each once, none of them marked.
        let unmarked: Vec<&str> = all.iter().filter(|one| one.2.is_none()).map(|one| one.0.as_str()).collect();
        prop_assert_eq!(next.len(), unmarked.len().min(SUGGESTIONS));
        for (number, key) in next.iter().enumerate() {
            prop_assert!(unmarked.contains(&key.as_str()) && !next[..number].contains(key), "{:?}", next);
        }
        prop_assert_eq!(first.is_some(), second.is_some());
        if let (Some(first), Some(second)) = (first, second) {
            prop_assert_eq!(first.cross_check(), second.cross_check());
            let empty = Features::default();
            for features in all.iter().map(|one| &one.1).chain([&empty]) {
                let relevance = first.relevance(features);
                prop_assert!((0.0..=1.0).contains(&relevance), "{}", relevance);
                prop_assert_eq!(relevance.to_bits(), second.relevance(features).to_bits());
                prop_assert_eq!(first.folds(relevance), second.folds(relevance));
            }
        }
    }
}
