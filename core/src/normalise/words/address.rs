//! Search phrases for a URL. Texts spell a URL in many ways, so only words that every spelling contains are used. The
//! caller must compare the results with the URL itself.

use super::super::post::post_of_url;
use super::super::url::canonical;
use super::fold::fold;
use super::split::{self, Piece};
use crate::model::{Phrase, TextQuery};

/// The most words of a phrase, and the most phrases of a URL: enough to make a URL specific.
const IN_A_ROW: usize = 24;
const MOST_PHRASES: usize = 12;

/// The most characters of a URL that are tokenised.
const MOST_READ: usize = 8_192;

/// The phrases of a URL; `None` if it is not an http(s) URL or has no words that every spelling contains.
#[must_use]
pub fn url_query(address: &str) -> Option<TextQuery> {
    if let Some(post) = post_of_url(address) {
        // Only the id: the handle before it can be anything, and the site has two names.
        return Some(TextQuery { all: vec![Phrase { tokens: vec![post.id], open: false }], none: Vec::new() });
    }
    let canonical = canonical(address)?;
    let rest = canonical.strip_prefix("https://")?;
    let (host, rest) = rest.split_at_checked(rest.find('/')?)?;
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, after) = rest.split_at_checked(end)?;
    let rows = path.split('/').chain(after.split(['?', '#', '&', '!', '/']));
    let mut all: Vec<Phrase> = site(host).into_iter().collect();
    for part in rows {
        let mut tokens = words(common_to_spellings(part));
        tokens.truncate(IN_A_ROW);
        if !tokens.is_empty() && all.len() < MOST_PHRASES {
            all.push(Phrase { tokens, open: false });
        }
    }
    (!all.is_empty()).then_some(TextQuery { all, none: Vec::new() })
}

/// The start of a part, up to the first character that may be percent-encoded: `%28x` is one word, `(x` another. If it
/// is percent-encoded here, also drops the word before it: decoded, it may be a letter of that word.
fn common_to_spellings(part: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '=');
    let Some(at) = part.find(|c| !plain(c)) else { return part };
    let (begin, rest) = part.split_at_checked(at).unwrap_or((part, ""));
    if rest.starts_with('%') { begin.trim_end_matches(|c: char| c.is_ascii_alphanumeric()) } else { begin }
}

/// The last two labels of a host: earlier ones may select a layout. `None` for names with two spellings:
/// internationalised names and X.
fn site(host: &str) -> Option<Phrase> {
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if port.contains(']') { host } else { name });
    let labels: Vec<&str> = name.rsplit('.').take(2).collect();
    if labels.iter().any(|label| label.starts_with("xn--")) || name == "x.com" {
        return None;
    }
    let tokens: Vec<String> = labels.iter().rev().flat_map(|label| words(label)).collect();
    (!tokens.is_empty()).then_some(Phrase { tokens, open: false })
}

fn words(part: &str) -> Vec<String> {
    let pieces = split::split(&fold(part), MOST_READ).pieces;
    pieces.into_iter().filter_map(|piece| if let Piece::Word(word) = piece { Some(word) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use proptest::prelude::*;

    use super::*;
    use crate::model::{Kind, SearchableItem};
    use crate::normalise::words::tokens;

    /// Whether the tokens of a text contain every phrase, as in both databases.
    fn found(text: &str, wanted: &TextQuery) -> bool {
        let item = SearchableItem {
            kind: Kind::Post,
            title: None,
            text: Some(text),
            author: None,
            author_name: None,
            url: None,
        };
        let tokens = tokens(&item);
        wanted.all.iter().all(|phrase| {
            tokens
                .windows(phrase.tokens.len())
                .any(|row| row.iter().zip(&phrase.tokens).all(|(token, word)| token.as_deref() == Some(word.as_str())))
        })
    }

    #[test]
    fn every_spelling_of_a_url_is_found_by_its_words() {
        for (address, spellings) in [
            (
                "https://acme.example/News/launch_2026?b=2&a=1",
                vec![
                    "see http://www.acme.example/News/launch_2026/?a=1&b=2&utm_source=x!",
                    "(https://m.acme.example:443/News/launch_2026?b=2&amp;a=1)",
                ],
            ),
            ("https://x.com/ann/status/1234567890123", vec!["https://twitter.com/i/web/status/1234567890123?s=20"]),
            (
                "https://en.wikipedia.org/wiki/Rust_%28language%29",
                vec!["https://en.m.wikipedia.org/wiki/Rust_(language)"],
            ),
            ("https://a.example/caf%C3%A9/menu", vec!["https://a.example/café/menu"]),
            ("https://münchen.example/plan", vec!["https://xn--mnchen-3ya.example/plan"]),
            ("https://a.example/?q=new+phone&id=7", vec!["https://a.example/?id=7&q=new%20phone"]),
            ("https://a.example/#!topic/7", vec!["so: https://a.example/#!topic/7, yes"]),
            ("https://blog.example/@ann/a-story-42", vec!["https://blog.example/%40ann/a-story-42 ok"]),
            ("https://127.0.0.1:8080/x", vec!["http://127.0.0.1:8080/x"]),
        ] {
            let wanted = url_query(address).unwrap();
            for text in spellings {
                assert!(found(text, &wanted), "{address} in {text}: {wanted:?}");
            }
            assert!(!found("https://other.example/else", &wanted), "{address}");
        }
        assert_eq!(url_query("ftp://a.example/x"), None);
        assert_eq!(url_query("no address"), None);
    }

    proptest! {
        #[test]
        fn a_search_for_any_url_finds_text_that_contains_it(path in "[a-zA-Z0-9/_.~%+@!-]{0,40}", query in "[a-z0-9=&+%]{0,20}") {
            let address = format!("https://site.example/{path}?{query}");
            if let Some(wanted) = url_query(&address) {
                prop_assert!(wanted.all.iter().all(|phrase| !phrase.tokens.is_empty()));
                let read = canonical(&address).unwrap();
                prop_assert!(found(&format!("see {read} there"), &wanted), "{}: {:?}", read, wanted);
                // Nobody percent-encodes letters.
                prop_assert!(path.contains('%') || query.contains('%') || found(&format!("see {address} there"), &wanted), "{}: {:?}", address, wanted);
            }
        }
    }
}
