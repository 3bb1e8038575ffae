//! Tests which words find which texts: tables of texts and queries, and properties of any text. The matcher here is the
//! simplest possible; tests/it/text_search.rs tests both databases with the same tables.

use proptest::prelude::*;

use super::*;
use crate::model::{Phrase, TextQuery};

fn post(text: &str) -> SearchableItem<'_> {
    SearchableItem { kind: Kind::Post, title: None, text: Some(text), author: None, author_name: None, url: None }
}

fn token_text(text: &str) -> String {
    let tokens = tokens(&post(text));
    tokens.iter().map(|token| token.as_deref().unwrap_or("·")).collect::<Vec<_>>().join(" ")
}

fn has(tokens: &Tokens, phrase: &Phrase) -> bool {
    let last = phrase.tokens.len() - 1;
    tokens.windows(phrase.tokens.len()).any(|row| {
        row.iter().zip(&phrase.tokens).enumerate().all(|(at, (token, wanted))| match token {
            Some(token) if phrase.open && at == last => token.starts_with(wanted.as_str()),
            Some(token) => token == wanted,
            None => false,
        })
    })
}

fn finds(query: &TextQuery, tokens: &Tokens) -> bool {
    query.all.iter().all(|phrase| has(tokens, phrase)) && !query.none.iter().any(|phrase| has(tokens, phrase))
}

#[test]
fn texts_are_split_into_words_as_documented() {
    for (text, cut) in [
        ("Don’t PANIC, it's 3.14%!", "don t panic it s 3 14"),
        ("東京都 Tower", "東京 京都 都 tower"),
        ("สวัสดี", "สวั วัส สดี ดี"),
        ("see https://Example.com/a-b_c?x=1", "see example com a b c x 1"),
        (
            "#Rust_Lang rocks, says @jane_doe. mail me@there.org",
            "rust lang rocks says jane doe mail me there org · ＃rust_lang · ＠jane_doe",
        ),
        ("🎉🎉 great 👍🏽 🇩🇪🇫🇷", "great · 🎉 · 👍 · 🇩🇪 · 🇫🇷"),
        ("C++ & C# \"; DROP TABLE item; --", "c c drop table item"),
        ("#️⃣ # @ ## \u{301} \u{0}", ""),
        ("a\u{200b}b re\u{ad}port", "ab report"),
        ("AT&amp;T don&#x27;t &quot;Acme™&quot;", "at t don t acme"),
    ] {
        assert_eq!(token_text(text), cut, "{text:?}");
    }
}

#[test]
fn phrases_do_not_span_fields_and_a_page_is_found_by_its_site() {
    let page = SearchableItem {
        kind: Kind::Page,
        title: Some("New release"),
        text: Some("notes of it"),
        author: Some("@Jane_Doe"),
        author_name: Some("Jane"),
        url: Some("https://www.Example.com/status/x"),
    };
    let of_page = tokens(&page);
    let texts: Vec<&str> = of_page.iter().map(|token| token.as_deref().unwrap_or("·")).collect();
    assert_eq!(texts.join(" "), "new release · jane doe · jane · example com · notes of it · ＠jane_doe");
    assert!(!finds(&parse_query("\"release jane\"").unwrap(), &of_page));
    assert!(finds(&parse_query("https://example.com @jane_doe \"notes of\"").unwrap(), &of_page));
}

#[test]
fn search_queries_are_parsed_as_documented() {
    let phrase = |tokens: &str, open| Phrase { tokens: tokens.split(' ').map(str::to_owned).collect(), open };
    for (typed, all, none) in [
        ("Price increase", vec![phrase("price", false), phrase("increase", false)], vec![]),
        ("“price increase” -rumour", vec![phrase("price increase", false)], vec![phrase("rumour", false)]),
        ("\"not closed", vec![phrase("not closed", false)], vec![]),
        ("AND OR NOT NEAR(a, b)", ["and", "or", "not", "near a", "b"].map(|w| phrase(w, false)).to_vec(), vec![]),
        ("launch* don't*", vec![phrase("launch", true), phrase("don t", true)], vec![]),
        (
            "東京 京 東京タワー東",
            vec![phrase("東京", false), phrase("京", true), phrase("東京 京タ タワ ワー ー東", false)],
            vec![],
        ),
        ("東京tower", vec![phrase("東京 京 tower", false)], vec![]),
        (
            "#Rust_lang, @jane* -#ad",
            vec![phrase("＃rust_lang", false), phrase("＠jane", true)],
            vec![phrase("＃ad", false)],
        ),
        ("rust-lang.org rust rust", vec![phrase("rust lang org", false), phrase("rust", false)], vec![]),
        ("🎉 great🎉", vec![phrase("🎉", false), phrase("great", false)], vec![]),
        ("words:a ^b {c} 'd' \\e", ["words a", "b", "c", "d", "e"].map(|w| phrase(w, false)).to_vec(), vec![]),
    ] {
        assert_eq!(parse_query(typed), Ok(TextQuery { all, none }), "{typed}");
    }
    for (typed, unclear) in
        [("", QueryError::Empty), (" \"\" * - ... '", QueryError::Empty), ("-a -\"b c\"", QueryError::OnlyExcludes)]
    {
        assert_eq!(parse_query(typed), Err(unclear), "{typed}");
    }
    let many: Vec<String> = (0..=MOST_PHRASES).map(|n| format!("w{n}")).collect();
    assert_eq!(parse_query(&many.join(" ")), Err(QueryError::TooLong));
    assert_eq!(parse_query(&"w".repeat(1_001)), Err(QueryError::TooLong));
}

#[test]
fn the_index_of_a_text_is_bounded() {
    let long = "x".repeat(10_000);
    assert_eq!(tokens(&post(&long)), vec![Some("x".repeat(split::LONGEST))]);
    assert!(finds(&parse_query(&"x".repeat(900)).unwrap(), &tokens(&post(&long))));
    let same = tokens(&post(&"again ".repeat(1_000)));
    assert_eq!(same.iter().flatten().count(), MOST_PLACES);
    let many: String = (0..9_000).map(|n| format!("{n:x}th ")).collect();
    assert_eq!(tokens(&post(&many)).len(), MOST_TOKENS);
    let zalgo = format!("ท{}", "\u{e34}".repeat(500));
    assert!(tokens(&post(&zalgo)).iter().flatten().all(|token| token.chars().count() <= 6));
}

/// Anything people write, with characters near a boundary.
const ANYTHING: &str = "(\\PC|[\\x00-\\x7f]|[a-c ]|[東京都]|[ที่]|[\u{300}-\u{305}]|[#@_\"*-]|🎉|İ){0,40}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn tokens_contain_no_query_syntax(text in ANYTHING) {
        for token in tokens(&post(&text)).into_iter().flatten() {
            prop_assert!(!token.is_empty() && token.len() < 1_000);
            prop_assert!(token.chars().all(|c| !c.is_ascii() || c.is_ascii_digit() || c.is_ascii_lowercase() || c == '_'), "{:?}", token);
            prop_assert!(!token.chars().any(|c| c.is_whitespace() || c == '\u{FFFC}'), "{:?}", token);
        }
    }

    #[test]
    fn a_text_is_found_by_each_word_and_each_phrase_of_it(words in prop::collection::vec("[a-zäöß]{1,6}|[0-9]{1,4}|[東京都]{1,4}", 1..12), from in 0_usize..12, many in 1_usize..5) {
        let text = words.join(" ");
        let of_text = tokens(&post(&text));
        for word in &words {
            prop_assert!(finds(&parse_query(word).unwrap(), &of_text), "{} in {}", word, text);
        }
        let row: Vec<&str> = words.iter().map(String::as_str).cycle().skip(from).take(many).collect();
        if from + many <= words.len() {
            prop_assert!(finds(&parse_query(&format!("\"{}\"", row.join(" "))).unwrap(), &of_text), "{:?} in {}", row, text);
        }
    }

    #[test]
    fn any_query_is_parsed_or_refused_without_panic_and_ignores_case(typed in ANYTHING) {
        if let Ok(query) = parse_query(&typed) {
            prop_assert!(!query.all.is_empty());
            prop_assert!(query.all.iter().chain(&query.none).all(|phrase| !phrase.tokens.is_empty()));
            prop_assert_eq!(parse_query(&typed.to_lowercase()), Ok(query));
        }
    }
}
