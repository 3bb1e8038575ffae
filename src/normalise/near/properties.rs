//! What holds for every text, and for texts that were made to break things.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::{alike, marks};
use crate::model::{Kind, Marks, Wording};

fn post(text: &str) -> Option<Marks> {
    marks(&Wording { kind: Kind::Post, title: None, text: Some(text.to_owned()) })
}

fn page(title: &str, text: &str) -> Option<Marks> {
    marks(&Wording { kind: Kind::Page, title: Some(title.to_owned()), text: Some(text.to_owned()) })
}

/// Whether one finds the other and they are copies.
fn are_copies(a: Option<&Marks>, b: Option<&Marks>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    a.bands.iter().any(|key| b.bands.contains(key)) && alike(&a.sketch, &b.sketch).is_some()
}

const STORM: &str = "The storm took the roof of the old station last night, nobody was hurt";

#[test]
fn what_is_said_again_is_a_copy() {
    for copy in [
        "RT @ann: The storm took the roof of the old station last night, nobody was hurt",
        "RT @ann_b: The storm took the roof of the old station last night, nobody was h…",
        "THE STORM TOOK THE ROOF OF THE OLD STATION LAST NIGHT - NOBODY WAS HURT!!!",
        "The storm took the roof of the old station last night, nobody was hurt https://t.co/abc?utm_source=x",
        "The storm took the roof of the old #station last night: nobody was hurt 👍🏽❤\u{fe0f}",
        "“@ann: The storm took the roof of the old station last night, nobody was hurt” wow",
        "@bob @cleo The storm took the roof of the old station last night; nobody was hurt (via @ann)",
        "Ｔhe storm took the r\u{200b}oof of the old station last night, nobody was hurt",
    ] {
        assert!(are_copies(post(STORM).as_ref(), post(copy).as_ref()), "{copy}");
    }
    let (one, other) = (
        "昨日の夜の台風で古い駅の屋根が飛ばされました。けが人はいません",
        "RT @ann: 昨日の夜の台風で古い駅の屋根が飛ばされました！けが人はいません https://t.co/x",
    );
    assert!(are_copies(post(one).as_ref(), post(other).as_ref()));
}

#[test]
fn what_says_something_else_is_none() {
    for other in [
        "The storm took the roof of the new theatre this morning, two were hurt",
        "Magnitude 4.5 earthquake, 244 km south of the old station, nobody was hurt",
        "nobody was hurt",
        "",
    ] {
        assert!(!are_copies(post(STORM).as_ref(), post(other).as_ref()), "{other}");
    }
    let quake =
        |size: &str| post(&format!("Earthquake of magnitude {size} near the coast of Iquique in Chile just now"));
    assert!(!are_copies(quake("4.5").as_ref(), quake("5.4").as_ref()), "other numbers say something else");
    assert!(!are_copies(post(STORM).as_ref(), page(STORM, STORM).as_ref()), "a post is no page");
}

#[test]
fn pages_are_copies_by_their_headline_or_by_their_words() {
    let words = "A man from the village said on Monday that the river had never been as high as this in his life.";
    let one = page("Village floods after three days of rain", words);
    let syndicated = page("Village floods after three days of rain - The Other Post", "Subscribe to read on.");
    let retitled = page("Rain without end: what happened", words);
    let neither = page("Rain without end: what happened", "Subscribe to read on.");
    assert!(are_copies(one.as_ref(), syndicated.as_ref()));
    assert!(are_copies(one.as_ref(), retitled.as_ref()));
    assert!(!are_copies(one.as_ref(), neither.as_ref()));
    let (monday, tuesday) = (page("What is new today", words), page("What is new today", &STORM.repeat(2)));
    assert!(!are_copies(monday.as_ref(), tuesday.as_ref()), "a short title says little");
}

#[test]
fn too_little_is_no_text() {
    for text in
        ["", "a", "so true", "👍", "@ann thanks!", "https://example.com/a/long/address/of/a/page", &"😡".repeat(10_000)]
    {
        assert_eq!(post(text), None, "{text:.40}");
    }
}

#[test]
fn no_text_is_too_much() {
    let zalgo: String =
        "storm".chars().flat_map(|c| [c].into_iter().chain(std::iter::repeat_n('\u{336}', 50))).collect();
    for text in [
        "x".repeat(1_000_000),
        "長".repeat(400_000),
        format!("{zalgo} {zalgo} {zalgo} {zalgo}"),
        "\u{202e}שלום עולם, זה טקסט מימין לשמאל \u{202c}".repeat(50),
        "@".repeat(9_000),
        "&amp;".repeat(9_000),
        "1.2.3,4:".repeat(3_000),
        STORM.repeat(20_000),
    ] {
        let marks = post(&text);
        assert!(marks.iter().all(|marks| marks.sketch.len() < 4_000 && marks.bands.len() <= 7), "{text:.40}");
        if let Some(marks) = &marks {
            assert_eq!(alike(&marks.sketch, &marks.sketch), Some(1_000), "{text:.40}");
        }
    }
}

#[test]
fn a_sketch_of_other_rules_or_cut_off_is_like_nothing() {
    let sketch = post(STORM).unwrap().sketch;
    let newer: Vec<u8> = [&[9], &sketch[1..]].concat();
    assert_eq!(alike(&newer, &newer), None);
    for length in 0..sketch.len() {
        assert_eq!(alike(&sketch, &sketch[..length]), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_text_is_its_own_copy_and_copies_are_mutual(
        one in "(\\PC|[a-z]{1,9}|[0-9]|[ぁ-ん]|@a| |#|http://x/|RT @b: ){0,60}",
        other in "(\\PC|[a-z]{1,9}|[0-9]|[ぁ-ん]|@a| |#|http://x/|RT @b: ){0,60}",
    ) {
        let (a, b) = (post(&one), post(&other));
        if let Some(a) = &a {
            prop_assert!(are_copies(Some(a), Some(a)));
        }
        prop_assert_eq!(are_copies(a.as_ref(), b.as_ref()), are_copies(b.as_ref(), a.as_ref()));
    }

    #[test]
    fn a_repost_shares_every_key(words in "[a-z]{2,9}( [a-z]{2,9}){8,20}", name in "[a-z_]{3,12}") {
        let first = post(&words).unwrap();
        for copy in [
            format!("RT @{name}: {words}"),
            format!("{} http://t.co/{name}", words.to_uppercase()),
            format!("«{}» ❤\u{fe0f}", words.replace(' ', ", ")),
            format!("@{name} {words} (via @{name})"),
        ] {
            prop_assert_eq!(&post(&copy).unwrap(), &first, "{}", copy);
        }
    }

    #[test]
    fn a_text_with_a_word_added_is_found_and_a_copy(words in "[a-z]{4,9}( [a-z]{4,9}){12,18}", more in "[a-z]{2,6}") {
        let (a, b) = (post(&words), post(&format!("{more} {words}")));
        prop_assert!(are_copies(a.as_ref(), b.as_ref()));
    }
}
