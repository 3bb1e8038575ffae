//! Tests of filter entries: tables of matches, and property tests.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::*;

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn term(entry: &str, text: &str) -> bool {
    let filter = TopicFilter { must: list(&[entry]), ..TopicFilter::default() };
    Filter::compile(&filter).unwrap().passes(None, Some(text), None, None)
}

#[test]
fn a_filter_entry_is_words_parts_alternatives_or_a_pattern() {
    for (entry, text, expected) in [
        ("rust", "I like Rust.", true),
        ("rust", "I trust you", false),
        ("rust", "rustacean", false),
        ("rust*", "rustacean", true),
        ("*rust", "I trust you", true),
        ("*rus*", "I trust you", true),
        ("tim cook", "TIM\n  Cook said", true),
        ("tim cook", "Tim. Cook said", false),
        ("#rust", "so #rust!", true),
        ("#rust", "so #rustlang", false),
        ("c++", "C++, of course", true),
        ("@acme", "mail me@acme.com", true),
        ("cafe", "café", false),
        ("ＲＵＳＴ", "rust", true),
        ("发布", "今天发布新产品", true),
        ("한국", "한국어", false),
        ("mac | i pad", "an i pad", true),
        ("mac | i pad", "ipad", false),
        ("/i ?pad(s)?/", "two IPADS", true),
        ("/^v\\d+$/", "v12", true),
        ("/^v\\d+$/", "the v12", false),
        ("a_b", "x a_b y", true),
        ("b", "a_b", false),
        ("zero", "ze\u{200b}ro", true),
        ("ha ha", "aha ha ha", true),
        ("no no", "piano no no thanks", true),
        ("ha ha", "aha hah", false),
        ("AT&T", "AT&amp;T is down", true),
        ("at&amp;t", "AT&T", true),
        ("/^at&t$/", "AT&#38;T", true),
        ("amp", "AT&amp;T", false),
        ("rsquo", "the company&rsquo;s day", false),
        ("acme", "acme&hellip;", true),
        ("a b", "a&nbsp;b", true),
        ("&amp", "x &amp y", true),
        ("<3", "we &lt;3 it", true),
        ("/ＡＣＭＥ/", "acme", true),
        ("/[Ａ-Ｃ]+x/", "abcx", true),
        ("/a  b/", "a   b", true),
        ("/a\u{3000}b/", "a b", true),
        ("/cafe\u{301}/", "CAFÉ", true),
        ("/STRASSE|straße/", "Straße", true),
        ("/（x）/", "so (x)", true),
        ("/（x）/", "x", false),
        ("/\\(x\\)/", "so (x)", true),
        ("/[\u{fe00}-\u{fe0f}]|x/", "x", true),
        ("/usr/bin", "in /usr/bin/env", true),
        ("/s", "sure /s", true),
        ("हम", "हम्पी", false),
        ("हम", "हम हैं", true),
        ("हम*", "हम्पी", true),
        ("नमस", "नमस्ते", false),
        ("नमस्ते", "नमस्ते!", true),
        ("पेड", "पेड़", false),
        ("रत", "भारत", false),
        ("தமி", "தமிழ்", false),
        ("शाम", "शाम\u{200d}", true),
        ("acme", "acme\u{336}s", false),
        ("acme", "❤\u{fe0f}acme❤\u{fe0f}", true),
        ("acme", "1\u{fe0f}\u{20e3}acme", true),
        ("ไทย", "ประเทศไทยที่", true),
        ("McDonald's", "at McDonald’s today", true),
        ("mcdonald’s", "at McDonald&#39;s today", true),
        ("acme", "acmeʼs", true),
        ("/l’or[ée]al/", "L'Oréal", true),
        ("t-mobile", "T\u{2011}Mobile is down", true),
        ("t\u{2010}mobile", "T-Mobile is down", true),
        ("acme", "Acme™ and Globex℠", true),
        ("globex™", "Acme™ and Globex℠", true),
        ("acme and", "Acme™ and Globex℠", true),
        ("/acme™ and/", "Acme™ and Globex℠", true),
        ("/acme™/", "we like Acme™", true),
        ("/acme™/", "acmetm", false),
        ("acme", "acmetm", false),
        ("istanbul", "İSTANBUL", true),
        ("İstanbul", "ISTANBUL", true),
        ("/^İst/", "istanbul", true),
        ("/^i\u{307}st/", "İSTANBUL", true),
        ("ısparta", "ISPARTA", true),
    ] {
        assert_eq!(term(entry, text), expected, "{entry:?} in {text:?}");
    }
}

#[test]
fn an_invalid_filter_entry_is_refused_with_the_reason() {
    for (entry, part) in [
        ("", "no word"),
        ("**", "no word"),
        ("a |", "no word"),
        ("a*b", "a * inside"),
        ("//", "empty pattern"),
        ("/a(/", "unclosed group"),
        ("/™/", "every text with a space"),
        ("/®|™/", "every text with a space"),
        ("/x/i", "letters after its pattern"),
        ("/x|y/gi", "letters after its pattern"),
        ("/(((\\w{1,1000}){1,1000}){1,1000})/", "too large"),
        (&"x".repeat(501), "longer than 500"),
    ] {
        let error = check_term(entry).unwrap_err();
        assert!(error.text.contains(part) && !error.hint.is_empty(), "{entry:?}: {error:?}");
    }
    for tag in ["english!", "english", "e", "", "en-", "-en", "en--us", "12", "en us", "日本"] {
        let error = check_lang(tag).unwrap_err();
        assert!(error.text.contains("not a language code") && error.hint.contains("ISO 639"), "{tag:?}: {error:?}");
    }
    for tag in ["pt-BR", "en", "zh_Hant_TW", "ast", "DE", "qu", "que"] {
        assert!(check_lang(tag).is_ok(), "{tag:?}");
    }
    for tag in ["und", "zxx", "mul", "mis", "art", "qaa", "QTZ", "und-Latn"] {
        let error = check_lang(tag).unwrap_err();
        assert!(error.text.contains("names no language") && error.hint.contains("leave it out"), "{tag:?}: {error:?}");
        let stored = TopicFilter { lang: list(&["en", tag]), ..TopicFilter::default() };
        assert!(
            Filter::compile(&stored).unwrap().hidden_by(None, None, None, Some("de")).is_some(),
            "the stored settings stay in force"
        );
    }
    assert!(check_author("/a/").is_err() && check_author("@bot*").is_ok());
    let several = check_author("a | b").unwrap_err();
    assert!(several.text.contains("more than one") && several.hint.contains("several entries"), "{several:?}");
}

#[test]
fn all_must_entries_and_no_excluded_ones_have_to_match() {
    let filter = TopicFilter {
        must: list(&["rust", "tokio | async"]),
        exclude: list(&["hiring", "/\\bjobs?\\b/"]),
        lang: list(&["en", "de"]),
        exclude_authors: list(&["@spam_bot", "promo*"]),
    };
    let filter = Filter::compile(&filter).unwrap();
    for (title, text, author, lang, expected) in [
        (Some("Rust"), Some("async at last"), Some("ann"), Some("en"), true),
        (Some("Rust"), None, Some("ann"), Some("en"), false),
        (None, Some("rust tokio"), None, None, true),
        (None, Some("rust tokio"), None, Some("de-AT"), true),
        (None, Some("rust tokio"), None, Some("fr"), false),
        (None, Some("rust tokio"), None, Some("und"), true),
        (Some("We are hiring"), Some("rust tokio"), None, None, false),
        (None, Some("rust tokio job"), None, None, false),
        (None, Some("rust tokio"), Some("@Spam_Bot"), None, false),
        (None, Some("rust tokio"), Some("spam_bot2"), None, true),
        (None, Some("rust tokio"), Some("PromoKing"), None, false),
        // Unknown words hide nothing; known values still hide.
        (None, None, None, None, true),
        (None, None, Some("PromoKing"), None, false),
        (None, None, None, Some("fr"), false),
    ] {
        assert_eq!(filter.passes(title, text, author, lang), expected, "{title:?} {text:?} {author:?} {lang:?}");
    }
    assert!(Filter::compile(&TopicFilter::default()).unwrap().passes(None, None, None, None));
}

#[test]
fn any_code_of_a_language_matches_and_an_unknown_language_is_not_hidden() {
    let passes = |wanted: &str, lang: &str| {
        let filter = TopicFilter { lang: list(&[wanted]), ..TopicFilter::default() };
        Filter::compile(&filter).unwrap().passes(None, Some("text"), None, Some(lang))
    };
    // Codes and words that name no language.
    for lang in
        ["und", "zxx", "art", "mul", "mis", "qme", "qht", "qst", "qam", "qct", "QHT", "und-Latn", "", "English", "?"]
    {
        assert!(passes("en", lang), "{lang:?}");
    }
    for (one, other) in [
        ("iw", "he"),
        ("in", "id"),
        ("ji", "yi"),
        ("jw", "jv"),
        ("mo", "ro"),
        ("nb", "no"),
        ("nn", "nb"),
        ("fil", "tl"),
        ("eng", "en-US"),
        ("deu", "ger"),
        ("zh-Hant", "chi"),
    ] {
        assert!(passes(one, other) && passes(other, one), "{one} {other}");
    }
    for (wanted, lang) in
        [("en", "de"), ("en", "qu"), ("en", "que"), ("en", "eo"), ("he", "hi"), ("in", "it"), ("en", "ast")]
    {
        assert!(!passes(wanted, lang), "{wanted} {lang}");
    }
}

#[test]
fn only_filters_on_words_and_authors_need_the_pruned_text() {
    let with = |set: fn(&mut TopicFilter)| {
        let mut filter = TopicFilter::default();
        set(&mut filter);
        Filter::compile(&filter).unwrap().needs_text()
    };
    assert!(with(|f| f.must = list(&["a"])) && with(|f| f.exclude = list(&["a"])));
    assert!(with(|f| f.exclude_authors = list(&["a"])));
    assert!(!with(|f| f.lang = list(&["en"])) && !with(|_| {}));
    assert_eq!(unjudged_note(0), None);
    assert_eq!(unjudged_note(1).unwrap(), "1 item whose text was pruned is counted regardless of the filter");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_entry_or_text_panics_and_exclude_is_the_opposite_of_must(entry in "\\PC{0,12}", text in "(\\PC|[a-c *|/#@]){0,40}") {
        let Ok(()) = check_term(&entry) else { return Ok(()) };
        let must = Filter::compile(&TopicFilter { must: vec![entry.clone()], ..TopicFilter::default() }).unwrap();
        let exclude = Filter::compile(&TopicFilter { exclude: vec![entry], ..TopicFilter::default() }).unwrap();
        prop_assert_ne!(must.passes(None, Some(&text), None, None), exclude.passes(None, Some(&text), None, None));
    }

    #[test]
    fn a_word_matches_between_spaces_but_not_inside_a_word(word in "[a-z]{1,8}", around in "[0-9]{1,3}") {
        let text = format!("{around} {word} {around}");
        let inside = format!("{around}{word}{around}");
        prop_assert!(term(&word, &text));
        prop_assert!(!term(&word, &inside));
        let part = format!("*{word}*");
        prop_assert!(term(&part, &inside));
    }
}
