//! Tests properties of any text, and hostile inputs.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::{NEAR_VERSION, fingerprint, similarity};
use crate::model::{Fingerprint, ItemText, Kind};

pub(super) fn post(text: &str) -> Option<Fingerprint> {
    fingerprint(&ItemText { kind: Kind::Post, title: None, text: Some(text.to_owned()), score: None })
}

pub(super) fn page(title: &str, text: &str) -> Option<Fingerprint> {
    fingerprint(&ItemText { kind: Kind::Page, title: Some(title.to_owned()), text: Some(text.to_owned()), score: None })
}

/// Whether one finds the other by a key and they are alike.
pub(super) fn are_copies(a: Option<&Fingerprint>, b: Option<&Fingerprint>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return false };
    a.bands.iter().any(|key| b.bands.contains(key)) && similarity(&a.sketch, &b.sketch).is_some()
}

const STORM: &str = "The storm took the roof of the old station last night, nobody was hurt";

#[test]
fn reposts_and_rewordings_are_copies() {
    for copy in [
        "RT @ann: The storm took the roof of the old station last night, nobody was hurt",
        "RT @ann_b: The storm took the roof of the old station last night, nobody was h…",
        "THE STORM TOOK THE ROOF OF THE OLD STATION LAST NIGHT - NOBODY WAS HURT!!!",
        "The storm took the roof of the old station last night, nobody was hurt https://t.co/abc?utm_source=x",
        "The storm took the roof of the old #station last night: nobody was hurt 👍🏽❤\u{fe0f}",
        "“@ann: The storm took the roof of the old station last night, nobody was hurt” wow",
        "@bob @cleo The storm took the roof of the old station last night; nobody was hurt (via @ann)",
        "Ｔhe storm took the r\u{200b}oof of the old station last night, nobody was hurt",
        "The storm took the roof of the old station last night, nobody was hurt bit.ly/2xYz91",
        "news.example.com/a?b=1 The storm took the roof of the old station last night, nobody was hurt",
        "1\u{fe0f}\u{20e3} The storm took the roof of the old station last night, nobody was hurt",
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
fn texts_with_another_meaning_are_not_copies() {
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
    assert!(!are_copies(quake("4.5").as_ref(), quake("5.4").as_ref()), "other numbers have another meaning");
    for (one, other) in [("4.5", "45"), ("4.5", "4.55"), ("1.99", "199"), ("1.99", "19.9"), ("2:1", "21")] {
        assert!(!are_copies(quake(one).as_ref(), quake(other).as_ref()), "{one} is not {other}");
        assert_ne!(
            quake(one).unwrap().bands.last(),
            quake(other).unwrap().bands.last(),
            "{one} and {other}, as a whole"
        );
    }
    for (one, other) in [("4.5", "4,5"), ("75,000", "75000"), ("75.000", "75,000")] {
        assert_eq!(quake(one), quake(other), "{one} is {other}");
    }
    let flight = |number: &str| post(&format!("Flight {number} to Boston is delayed until further notice"));
    assert!(!are_copies(flight("#123").as_ref(), flight("#456").as_ref()), "a number after a hash is a number");
    assert_eq!(flight("#123"), flight("123"));
    assert!(!are_copies(post(STORM).as_ref(), page(STORM, STORM).as_ref()), "a post is not a page");
}

#[test]
fn pages_are_copies_by_their_headline_or_by_their_words() {
    let words =
        "A man from the flooded village said on Monday that the river had never been as high as this in his life.";
    let one = page("Village floods after three days of rain", words);
    let syndicated = page("Village floods after three days of rain - The Other Post", "Subscribe to read on.");
    let retitled = page("Rain without end: what happened", words);
    let neither = page("Rain without end: what happened", "Subscribe to read on.");
    assert!(are_copies(one.as_ref(), syndicated.as_ref()));
    assert!(are_copies(one.as_ref(), retitled.as_ref()));
    assert!(!are_copies(one.as_ref(), neither.as_ref()));
    let (monday, tuesday) = (page("What is new today", words), page("What is new today", &STORM.repeat(2)));
    assert!(!are_copies(monday.as_ref(), tuesday.as_ref()), "the same short title is not enough");
}

#[test]
fn too_short_texts_have_no_fingerprint() {
    for text in
        ["", "a", "so true", "👍", "@ann thanks!", "https://example.com/a/long/address/of/a/page", &"😡".repeat(10_000)]
    {
        assert_eq!(post(text), None, "{text:.40}");
    }
}

#[test]
fn huge_texts_have_a_bounded_fingerprint() {
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
            assert_eq!(similarity(&marks.sketch, &marks.sketch), Some(1_000), "{text:.40}");
        }
    }
}

#[test]
fn a_sketch_of_another_version_or_cut_has_no_similarity() {
    let sketch = post(STORM).unwrap().sketch;
    let newer: Vec<u8> = [&[9], &sketch[1..]].concat();
    assert_eq!(similarity(&newer, &newer), None);
    let older: Vec<u8> = [&[NEAR_VERSION - 1], &sketch[1..]].concat();
    assert_eq!((similarity(&older, &sketch), similarity(&older, &older)), (None, None));
    for length in 0..sketch.len() {
        assert_eq!(similarity(&sketch, &sketch[..length]), None);
    }
}

/// If this fails because you changed what is stored of a text, raise `NEAR_VERSION`. Keys of older versions must not
/// match.
#[test]
fn stored_fingerprints_change_only_with_near_version() {
    let marks = post(STORM).unwrap();
    let seventh: [i64; 7] = [
        -6_687_798_549_985_007_113,
        2_717_190_280_673_674_782,
        368_871_111_898_969_685,
        2_611_665_965_285_720_066,
        -1_114_250_307_910_070_350,
        -3_551_085_446_313_999_230,
        287_309_149_434_368_712,
    ];
    let sixth: [i64; 7] = [
        2_863_319_785_114_921_811,
        8_691_015_171_743_619_194,
        6_902_481_081_907_926_848,
        -9_207_403_215_286_833_788,
        -6_795_957_029_746_837_680,
        -470_720_344_332_504_927,
        3_259_441_179_705_318_793,
    ];
    let fifth: [i64; 7] = [
        3_308_353_824_298_199_011,
        -9_183_428_830_571_488_768,
        -5_113_480_191_553_612_563,
        6_177_517_187_678_233_050,
        2_993_105_296_362_288_118,
        3_449_619_630_688_114_462,
        850_746_812_897_199_043,
    ];
    let fourth: [i64; 7] = [
        -662_410_988_735_870_396,
        -1_752_113_659_119_439_778,
        -640_224_503_361_666_880,
        4_729_212_328_050_725_184,
        -3_757_614_997_726_354_559,
        3_240_931_574_053_148_341,
        8_110_382_390_310_192_905,
    ];
    let third: [i64; 7] = [
        3_300_086_802_196_707_294,
        5_476_188_004_181_800_098,
        4_186_169_821_916_611_835,
        7_856_111_951_123_962_054,
        1_912_957_211_833_460_953,
        7_909_766_094_487_917_376,
        6_486_443_556_519_136_126,
    ];
    let second: [i64; 7] = [
        -4_948_693_992_091_776_545,
        1_418_772_201_466_337_184,
        -1_994_298_091_446_001_707,
        5_937_472_778_058_468_838,
        -6_373_950_563_485_574_408,
        3_945_508_938_519_953_693,
        -820_160_795_461_257_229,
    ];
    assert_eq!((NEAR_VERSION, marks.bands.as_slice(), marks.sketch.len()), (7, seventh.as_slice(), 150));
    let first: [i64; 7] = [
        -8_732_144_357_671_275_448,
        -6_064_713_155_527_373_680,
        -307_007_849_356_373_310,
        3_927_126_804_288_616_961,
        7_842_400_719_531_313_489,
        -5_530_822_389_944_112_869,
        993_156_730_567_266_645,
    ];
    let earlier = [first, second, third, fourth, fifth, sixth].concat();
    assert!(marks.bands.iter().all(|key| !earlier.contains(key)), "keys of older versions are not found");
    let priced =
        post("Earthquake of magnitude 4.5 at 10:15, 75,000 people near bit.ly/2xYz91 felt it just now").unwrap();
    assert_eq!(priced.bands.last(), Some(&-1_772_403_265_037_720_535));
}

#[test]
fn texts_with_clearly_opposite_tone_are_not_copies() {
    let scored = |text: &str, score: Option<i64>| {
        fingerprint(&ItemText { kind: Kind::Post, title: None, text: Some(text.to_owned()), score })
    };
    let copies = |one: Option<i64>, other: Option<i64>| {
        let (a, b) = (scored(STORM, one), scored(&format!("{STORM}, what a day this has been"), other));
        assert_eq!(are_copies(a.as_ref(), b.as_ref()), are_copies(b.as_ref(), a.as_ref()));
        are_copies(a.as_ref(), b.as_ref())
    };
    assert!(!copies(Some(601), Some(-601)), "both sure");
    for (one, other) in [(Some(600), Some(-900)), (Some(900), Some(900)), (None, Some(-900)), (Some(0), Some(900))] {
        assert!(copies(one, other), "{one:?} {other:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_text_is_its_own_copy_and_copies_are_mutual(
        one in "(\\PC|[a-z]{1,9}|[0-9]|[.,:]|[ぁ-ん]|@a| |#|http://x/|b.cd/|RT @b: ){0,60}",
        other in "(\\PC|[a-z]{1,9}|[0-9]|[.,:]|[ぁ-ん]|@a| |#|http://x/|b.cd/|RT @b: ){0,60}",
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
            format!("{words} bit.ly/2{name}4"),
            format!("3\u{fe0f}\u{20e3} {words}"),
            format!("«{}» ❤\u{fe0f}", words.replace(' ', ", ")),
            format!("@{name} {words} (via @{name})"),
        ] {
            let copied = post(&copy).unwrap();
            prop_assert_eq!(&copied.bands, &first.bands, "{}", &copy);
            prop_assert!(are_copies(Some(&copied), Some(&first)), "{}", &copy);
        }
    }

    #[test]
    // The added word belongs to no language: "no" or "not" would reverse the meaning.
    fn a_text_with_a_word_added_is_found_and_a_copy(words in "[a-z]{4,9}( [a-z]{4,9}){12,18}", more in "q[xzj]{2,5}") {
        let (a, b) = (post(&words), post(&format!("{more} {words}")));
        prop_assert!(are_copies(a.as_ref(), b.as_ref()));
    }
}
