//! The scorer: results for plain cases, any text is scored within bounds, and texts are preprocessed as in training.

use proptest::prelude::*;
use topicwatch_core::model::Tone;
use topicwatch_core::sentiment::{self, Lang, VERSION, features, judge, score, text};

const WEIGHTS: &[u8] = include_bytes!("../../src/sentiment/weights/builtin-4.bin");
const PARITY: &str = include_str!("../../src/sentiment/weights/builtin-4.tsv");
const TEXTS: &str = include_str!("../../src/sentiment/weights/parity.txt");

/// How much quantisation to bytes may change a probability.
const BYTES_COST: f32 = 0.02;

#[test]
fn the_weights_match_the_recorded_hash_of_this_version() {
    assert_eq!(
        PARITY.lines().next(),
        Some(blake3::hash(WEIGHTS).to_hex().as_str()),
        "another file, the same {VERSION}"
    );
    assert!(WEIGHTS.len() <= sentiment::weights::LARGEST);
    assert!(sentiment::weights::Weights::parse(WEIGHTS).is_some());
}

#[test]
fn texts_are_preprocessed_as_in_training_and_quantised_weights_lose_little() {
    let weights = sentiment::weights::Weights::parse(WEIGHTS).unwrap();
    let lines: Vec<&str> = PARITY.lines().skip(1).collect();
    assert_eq!(lines.len(), TEXTS.lines().count());
    for (text, line) in TEXTS.lines().zip(lines) {
        let cells: Vec<&str> = line.split('\t').collect();
        let reading = text::tokenize(text);
        let mut groups = [Vec::new(), Vec::new()];
        let counted = features::features(&reading, sentiment::detect(&reading), &weights.valences, |group, bucket| {
            groups[group as usize].push(u32::try_from(bucket).unwrap());
        });
        let buckets = groups.iter().flatten().flat_map(|bucket| bucket.to_le_bytes());
        let bytes: Vec<u8> = buckets.chain(counted.iter().flat_map(|value| value.to_le_bytes())).collect();
        assert_eq!(&blake3::hash(&bytes).to_hex()[..16], cells[0], "{text}");
        for (p, recorded) in sentiment::score_without_rules(&weights, text).p.iter().zip(&cells[1..]) {
            let recorded: f32 = recorded.parse().unwrap();
            assert!((p - recorded).abs() < BYTES_COST, "{text}: {p} and {recorded}");
        }
    }
}

#[test]
fn complaints_without_a_bad_word_are_negative() {
    for (text, lang) in [
        ("on hold for 2 hours", "en"),
        ("been on hold with your agents since noon", "en"),
        ("still no refund after three weeks", "en"),
        ("still waiting for my bag in Denver", "en"),
        ("your flight was cancelled and nobody answers the phone", "en"),
        ("flight to Boston delayed again", "en"),
        ("they lost my luggage", "en"),
        ("the agent hung up on me", "en"),
        ("sitting on the plane at the gate for two hours", "en"),
        ("stranded in Charlotte overnight", "en"),
        ("how much longer will I be on hold", "en"),
        ("the app keeps crashing", "en"),
        ("charged me twice for one seat", "en"),
        ("shares plunge 12 %", "en"),
        ("Profit slumps 40 % in the first quarter", "en"),
        ("J'adore pas", "fr"),
        ("J'adore pas du tout ce film", "fr"),
    ] {
        let scored = score(text);
        assert_eq!((scored.tone, scored.lang), (Tone::Negative, lang), "{text}: {scored:?}");
    }
}

#[test]
fn words_used_in_complaints_are_neutral_by_themselves() {
    for text in [
        "waiting for friends at the bar",
        "hold on to your hats",
        "the shop is open 3 hours longer on Friday",
        "the flight lands at noon",
        "I love waiting for the weekend",
        "customer service representative, full time, apply by Friday",
        "our order of service for Sunday",
    ] {
        let scored = score(text);
        assert_ne!(scored.tone, Tone::Negative, "{text}: {scored:?}");
    }
}

#[test]
fn german_without_common_words_is_read_by_its_letters_and_endings() {
    for text in ["Lächerlich", "Besucherzahlen explodieren", "Saftig geschriebener, innerseelischer Konflikt"] {
        assert_eq!(score(text).lang, "de", "{text}");
    }
    for text in ["Motörhead rocks", "32 degrees Fahrenheit", "hungry young Samsung fans"] {
        assert_eq!(score(text).lang, "en", "{text}");
    }
}

#[test]
fn plain_cases_get_the_right_tone_in_each_language() {
    for (text, tone, lang) in [
        ("I love this so much, thank you!", Tone::Positive, "en"),
        ("this is terrible, I hate it", Tone::Negative, "en"),
        ("The meeting is at noon on Thursday", Tone::Neutral, "en"),
        ("Das ist wunderbar, vielen Dank euch allen!", Tone::Positive, "de"),
        ("Ich finde das so schlecht und traurig, was für ein Mist", Tone::Negative, "de"),
        ("c'est magnifique, merci pour tout", Tone::Positive, "fr"),
        ("che schifo, è una vergogna per tutti", Tone::Negative, "it"),
        ("que lindo, amei demais essa música", Tone::Positive, "pt"),
        ("qué horrible, estoy muy triste y lo odio", Tone::Negative, "es"),
        ("شكرا لكم هذا رائع وجميل", Tone::Positive, "ar"),
    ] {
        let scored = score(text);
        assert_eq!((scored.tone, scored.lang), (tone, lang), "{text}: {scored:?}");
        assert!(tone == Tone::Neutral || (scored.score > 0) == (tone == Tone::Positive), "{text}: {scored:?}");
    }
}

#[test]
fn other_languages_and_empty_texts_are_unsupported() {
    for (text, lang) in [
        ("Это просто ужасно, я очень расстроен", "ru"),
        ("これは本当に素晴らしいですね", "ja"),
        ("오늘은 정말 기분이 좋아요", "ko"),
        ("ik vind het niet leuk dat jullie nog niet klaar zijn met het werk", "nl"),
        ("bu çok güzel bir gün ve ben çok mutluyum", "tr"),
        ("nie wiem co to jest ale jest bardzo dobre", "pl"),
        ("", "und"),
        (" \n\t ", "und"),
        ("\u{200b}\u{feff}", "und"),
    ] {
        let scored = score(text);
        assert_eq!((scored.tone, scored.lang, scored.score), (Tone::Unsupported, lang, 0), "{text}: {scored:?}");
        assert_eq!(judge(None, Some(text)).score, None);
    }
}

#[test]
fn texts_of_only_emoji_are_scored() {
    assert_eq!(score("😍😍😍").tone, Tone::Positive);
    assert_eq!(score("😡🤬").tone, Tone::Negative);
    assert_eq!(score(":-(").tone, Tone::Negative);
    assert_eq!(score("😍").lang, "und");
}

#[test]
fn html_entities_score_like_their_characters() {
    for text in
        ["I don't like this at all", "it isn't good, we aren't happy", "I wouldn't say that it's bad, I can't complain"]
    {
        let plain = score(text);
        for spelling in [
            "’", "‘", "&#39;", "&#039;", "&#8217;", "&#8216;", "&#x27;", "&#X27;", "&#x2019;", "&#x2018;", "&#146;",
            "&apos;", "&rsquo;", "&lsquo;",
        ] {
            assert_eq!(score(&text.replace('\'', spelling)), plain, "{spelling} in {text}");
        }
    }
    for (written, plain) in [
        ("&#128512;", "😀"),
        ("&#x1F621;&#x1f92c;", "😡🤬"),
        ("I &lt;3 &#116;&#104;&#105;&#115;", "I <3 this"),
        ("well&hellip; &ldquo;good&rdquo; &mdash; or &ndash; bad", "well… “good” — or – bad"),
        ("not&nbsp;good&#160;at&#9;all", "not good at\tall"),
        ("so&#8203; sad&#7;!", "so\u{200b} sad !"),
        ("caf&#233; na&#xEF;ve cafe&#769;", "café naïve cafe\u{301}"),
    ] {
        assert_eq!(score(written), score(plain), "{written}");
        assert_eq!(text::tokenize(written).text, text::tokenize(plain).text, "{written}");
    }
    // Text that is not an entity stays as it is.
    for text in ["AT&T;", "&#xD800; &#x110000; &#99999999999; &#; &#x; &", "a &rsquo b &nothing; c&#39"] {
        assert!(text::tokenize(text).text.contains('&'), "{text}");
    }
}

#[test]
fn texts_of_any_size_are_scored_within_bounds() {
    let zalgo = format!("z{}a{}lgo", "\u{301}".repeat(5_000), "\u{489}".repeat(5_000));
    for text in [
        "😀".repeat(10_000),
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}".repeat(5_000),
        zalgo,
        "\u{202e}مرحبا hello \u{2066}".repeat(1_000),
        "a".repeat(1_000_000),
        "great! ".repeat(150_000),
        "#".repeat(100_000),
        ":)".repeat(100_000),
        ":".repeat(100_000),
        "@a".repeat(100_000),
        "&amp;".repeat(100_000),
        "&#39;".repeat(100_000),
        "&#x1F600;".repeat(100_000),
        format!("&#{}", "9".repeat(1_000_000)),
        "&".repeat(100_000),
        "&#".repeat(100_000),
        "http://".repeat(100_000),
        "x".into(),
        "\0".into(),
        "ßẞŉİ".repeat(3_000),
    ] {
        let reading = text::tokenize(&text);
        assert!(reading.tokens.len() <= text::MAX_CHARS && reading.text.len() <= text::MAX_CHARS * 16);
        let scored = score(&text);
        assert!((-1_000..=1_000).contains(&scored.score));
    }
}

#[test]
fn text_after_the_length_limit_does_not_change_the_score() {
    let long = "fine weather in the valley ".repeat(400);
    assert_eq!(score(&long), score(&format!("{long} I hate hate hate it")));
}

#[test]
fn an_item_is_scored_by_title_and_text_together() {
    let both = judge(Some("Acme update"), Some("this is terrible, I hate it"));
    assert_eq!((both.tone, both.scorer), (Tone::Negative, VERSION));
    assert_eq!(judge(Some("so good, I love it"), None).tone, Tone::Positive);
    assert_eq!(judge(None, None).tone, Tone::Unsupported);
}

#[test]
fn truncated_or_extended_weights_are_refused() {
    for length in [0, 7, 8, 20, 1_000, 50_000, WEIGHTS.len() - 1] {
        assert!(sentiment::weights::Weights::parse(&WEIGHTS[..length]).is_none(), "{length}");
    }
    let mut longer = WEIGHTS.to_vec();
    longer.push(0);
    assert!(sentiment::weights::Weights::parse(&longer).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_gets_a_score_and_probabilities_that_sum_to_one(text in prop_oneof![
        "\\PC{0,200}",
        "[ -~]{0,200}",
        "([a-z]{1,6}|[:;=8xX<>^()\\[\\]/\\\\|'*DPp3-]{1,4}|#[A-Za-z_]{1,9}|@[a-z]{1,4}|&[a-z#0-9]{0,4};?|&#[0-9]{1,7};?|&#x[0-9a-fA-F]{1,6};?|\u{301}|😀|!|\\.){0,60}",
        "[\u{600}-\u{6ff} \u{900}-\u{97f}\u{4e00}-\u{4e20}a-z]{0,80}",
    ]) {
        let scored = score(&text);
        if scored.tone == Tone::Unsupported {
            prop_assert_eq!(scored.score, 0);
        } else {
            prop_assert!((scored.p.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{:?}", scored);
            prop_assert_eq!(scored.thousandths().iter().sum::<i64>(), 1_000);
            let most = scored.p.iter().copied().fold(0.0, f32::max);
            prop_assert!(scored.p[scored.tone as usize] >= most);
        }
        prop_assert_eq!(score(&text), scored);
    }
}

#[test]
fn each_language_of_the_model_has_its_own_code() {
    let mut codes: Vec<&str> = Lang::ALL.iter().map(|lang| lang.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Lang::ALL.len());
}
