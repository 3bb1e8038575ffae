//! Making foreign text safe to keep and to show: the key taken out in every spelling a server echoes, one line, no
//! control characters. It does not judge whether a text is true.

use std::fmt::Write as _;

use bytes::Bytes;
use secrecy::{ExposeSecret, SecretString};

/// What stands where the key stood.
const MASK: &str = "***";
/// A key shorter than this is a word that posts use too, and stays in bodies. It is taken out of error texts all the
/// same.
const SHORTEST_IN_BODIES: usize = 8;

/// How a key may be spelled.
#[derive(Clone, Copy)]
enum Spelling {
    Plain,
    Percent,
    Json,
}

/// Takes one key out of texts.
pub(super) struct Scrub {
    key: SecretString,
}

impl Scrub {
    /// For this key.
    pub(super) fn new(key: SecretString) -> Self {
        Self { key }
    }

    /// The text without the key, whether plain, percent-encoded (in part or whole) or escaped as in JSON.
    pub(super) fn text(&self, text: &str) -> String {
        // The mask and every spelling are whole characters, so that cutting at bytes cannot break one.
        self.without_key(text.as_bytes())
            .map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The body without the key; not copied when the key is not in it.
    pub(super) fn body(&self, body: Bytes) -> Bytes {
        if self.key.expose_secret().len() < SHORTEST_IN_BODIES {
            return body;
        }
        self.without_key(&body).map_or(body, Bytes::from)
    }

    /// One printable line of at most `max` characters without the key, for an error or a header.
    pub(super) fn line(&self, text: &str, max: usize) -> String {
        // The key goes first: cut or escaped it would not be recognised.
        one_line(&self.text(text), max)
    }

    fn without_key(&self, text: &[u8]) -> Option<Vec<u8>> {
        let key = self.key.expose_secret().as_bytes();
        if key.is_empty() {
            return None;
        }
        let may_begin = |byte: u8| byte == key[0] || matches!(byte, b'%' | b'+' | b'\\');
        let mut kept = Vec::new();
        let (mut done, mut at) = (0, 0);
        while at < text.len() {
            if !may_begin(text[at]) {
                at += 1;
                continue;
            }
            let found = [Spelling::Plain, Spelling::Percent, Spelling::Json]
                .into_iter()
                .find_map(|spelling| match_end(text, at, key, spelling));
            match found {
                Some(end) => {
                    kept.extend_from_slice(&text[done..at]);
                    kept.extend_from_slice(MASK.as_bytes());
                    (done, at) = (end, end);
                }
                None => at += 1,
            }
        }
        (done > 0).then(|| {
            kept.extend_from_slice(&text[done..]);
            kept
        })
    }
}

/// Where a key that begins at `at` ends.
fn match_end(text: &[u8], mut at: usize, key: &[u8], spelling: Spelling) -> Option<usize> {
    for &wanted in key {
        let rest = text.get(at..)?;
        let (byte, length) = match spelling {
            Spelling::Plain => (*rest.first()?, 1),
            Spelling::Percent => percent(rest)?,
            Spelling::Json => json_escape(rest)?,
        };
        if byte != wanted {
            return None;
        }
        at += length;
    }
    Some(at)
}

/// The next byte of percent-encoded text and its length there.
fn percent(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'%', high, low, ..] => Some((hex(&[*high, *low])?, 3)),
        [b'+', ..] => Some((b' ', 1)),
        [byte, ..] => Some((*byte, 1)),
        [] => None,
    }
}

/// The next byte of a JSON string's inside and its length there.
fn json_escape(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\\', b'u', b'0', b'0', high, low, ..] => Some((hex(&[*high, *low])?, 6)),
        [b'\\', byte, ..] => Some((*byte, 2)),
        [byte, ..] => Some((*byte, 1)),
        [] => None,
    }
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// White space becomes single spaces, other invisible or line-turning characters visible escapes, and what is longer
/// than `max` characters ends in `…`.
pub(super) fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for (index, word) in text.split_whitespace().enumerate() {
        let gap = if index == 0 { "" } else { " " };
        for c in gap.chars().chain(word.chars()) {
            if length == max {
                line.pop();
                line.push('…');
                return line;
            }
            length += 1;
            if is_hidden(c) {
                // Writing to a string cannot fail.
                let _ = write!(line, "\\u{{{:x}}}", u32::from(c));
            } else {
                line.push(c);
            }
        }
    }
    line
}

/// C0, C1, and the characters that hide or turn text on a terminal.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scrub(key: &str) -> Scrub {
        Scrub::new(SecretString::from(key.to_owned()))
    }

    #[test]
    fn the_key_is_taken_out_in_every_spelling() {
        let key = r#"dt_$a/b"c\\d e"#;
        for (text, expected) in [
            (key.to_owned(), "***"),
            (format!("key {key}!{key}"), "key ***!***"),
            ("q=dt_%24a%2Fb%22c%5C%5cd+e&x".to_owned(), "q=***&x"),
            ("dt_%24a/b\"c\\\\d%20e".to_owned(), "***"),
            (r#"{"k":"dt_\u0024a\/b\"c\\\\d e"}"#.to_owned(), r#"{"k":"***"}"#),
            ("dt_$a/b and no more".to_owned(), "dt_$a/b and no more"),
            ("ключ %zz % \\u00".to_owned(), "ключ %zz % \\u00"),
        ] {
            assert_eq!(scrub(key).text(&text), expected, "{text}");
        }
    }

    #[test]
    fn an_empty_key_changes_nothing_and_a_short_one_only_error_texts() {
        assert_eq!(scrub("").text("as it is"), "as it is");
        assert_eq!(scrub("key").text("a key"), "a ***");
        assert_eq!(scrub("key").body(Bytes::from_static(b"a key")), "a key");
        assert_eq!(scrub("long-enough").body(Bytes::from_static(b"a long-enough \xff")), &b"a *** \xff"[..]);
    }

    #[test]
    fn a_line_is_one_line_cut_and_without_control_characters() {
        let scrub = scrub("secret");
        assert_eq!(scrub.line(" a\r\n\tb\u{1b}[31m\u{202e} ", 300), "a b\\u{1b}[31m\\u{202e}");
        assert_eq!(scrub.line("12345", 5), "12345");
        assert_eq!(scrub.line("123456", 5), "1234…");
        assert_eq!(scrub.line("123secret", 6), "123***");
        assert_eq!(scrub.line("1234secret", 6), "1234*…");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_text_survives_with_the_key_in_it(
            before in "\\PC{0,20}", key in "[ -~]{4,20}", after in "\\PC{0,20}", encoded in any::<bool>()
        ) {
            let spelled = if encoded {
                url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>()
            } else {
                key.clone()
            };
            // A key of asterisks is its own mask.
            prop_assume!(!key.contains('*'));
            let clean = scrub(&key).text(&format!("{before}{spelled}{after}"));
            prop_assert!(clean.contains(MASK));
            prop_assert!(!clean.contains(&key));
        }
    }
}
