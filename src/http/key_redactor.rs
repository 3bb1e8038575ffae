//! Makes text from a server safe to store and to show: removes a key in every spelling that it may echo, and makes one
//! line without control characters.

use std::fmt::Write as _;
use std::ops::Range;

use bytes::Bytes;
use secrecy::{ExposeSecret, SecretString};

use super::escapes::{each_spelling, may_begin_an_escape};
use super::key_encodings::{KeyEncoding, key_encodings};
use crate::model::{is_invisible, is_joiner};

/// Replaces the key.
const MASK: &str = "***";
/// A key with fewer bytes may be a word that posts use, too, so it stays in bodies. It is still removed from error
/// texts.
const SHORTEST_IN_BODIES: usize = 8;

/// Removes one key from texts.
pub(crate) struct KeyRedactor {
    key: SecretString,
    spellings: Vec<KeyEncoding>,
    /// How many letters suffice where the text ends within the key.
    least_at_end: usize,
}

impl KeyRedactor {
    /// Prepares the removal of this key.
    pub(crate) fn new(key: SecretString) -> Self {
        let spellings = key_encodings(key.expose_secret().as_bytes());
        Self { key, spellings, least_at_end: usize::MAX }
    }

    /// The same for a secret whose prefix is not secret, such as a URL: it is removed only as a whole, or where the
    /// text ends within it and has at least `least_at_end` of its letters.
    pub(crate) fn of_whole_secret(secret: SecretString, least_at_end: usize) -> Self {
        let mut redactor = Self { least_at_end, ..Self::new(secret) };
        redactor.spellings.iter_mut().for_each(|spelling| spelling.least = spelling.letters.len());
        redactor
    }

    /// Returns the text without the key and without a long beginning of it. The key may be plain, base64 or
    /// hexadecimal; each of these may be percent-encoded or escaped as in JSON or HTML, in part or whole, once or
    /// several times.
    pub(crate) fn text(&self, text: &str) -> String {
        // The mask and every spelling are whole characters, so cutting at bytes cannot break one.
        self.without_key(text.as_bytes())
            .map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The same for text written by a service, in which a short key may be a word.
    pub(crate) fn long_text(&self, text: &str) -> String {
        if self.key.expose_secret().len() < SHORTEST_IN_BODIES { text.to_owned() } else { self.text(text) }
    }

    /// Returns the body without the key. Does not copy it when the key is not in it.
    pub(crate) fn body(&self, body: Bytes) -> Bytes {
        if self.key.expose_secret().len() < SHORTEST_IN_BODIES {
            return body;
        }
        self.without_key(&body).map_or(body, Bytes::from)
    }

    /// Returns one printable line of at most `max` characters without the key, for an error or a header.
    pub(crate) fn line(&self, text: &str, max: usize) -> String {
        // Remove the key first: cut or escaped, it would not be recognised.
        one_line(&self.text(text), max)
    }

    fn without_key(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut kept = Vec::new();
        let mut done = 0;
        for Range { start, end } in self.find_key(text) {
            kept.extend_from_slice(&text[done..start]);
            kept.extend_from_slice(MASK.as_bytes());
            done = end;
        }
        (done > 0).then(|| {
            kept.extend_from_slice(&text[done..]);
            kept
        })
    }

    /// Returns where in a text the key is, in order.
    pub(crate) fn find_key(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        if self.key.expose_secret().is_empty() {
            return places;
        }
        let mut first = [false; 256];
        let letters = self.spellings.iter().filter_map(|spelling| spelling.letters.first());
        for byte in letters.chain(b"%+\\&") {
            first[usize::from(*byte)] = true;
        }
        let mut at = 0;
        let mut ends = MatchEnds::default();
        while at < text.len() {
            if !first[usize::from(text[at])] {
                at += 1;
                continue;
            }
            let ended =
                self.spellings.iter().filter_map(|spelling| ends.of(text, at, spelling, self.least_at_end)).max();
            match ended {
                Some(end) => {
                    places.push(at..end);
                    at = end;
                }
                None => at += 1,
            }
        }
        places
    }
}

/// Where a key may end, followed byte by byte. A `%` or `\` may be itself or begin an escape, which only the next bytes
/// show.
#[derive(Default)]
struct MatchEnds {
    now: Vec<usize>,
    next: Vec<usize>,
}

impl MatchEnds {
    /// Returns where a spelling that begins at `at` ends, as far as it matches.
    fn of(&mut self, text: &[u8], at: usize, spelling: &KeyEncoding, least_at_end: usize) -> Option<usize> {
        self.now.clear();
        self.now.push(at);
        for (many, &wanted) in spelling.letters.iter().enumerate() {
            self.next.clear();
            for &end in &self.now {
                each_spelling(text.get(end..).unwrap_or_default(), wanted, &mut |length| {
                    if !self.next.contains(&(end + length)) {
                        self.next.push(end + length);
                    }
                });
            }
            if self.next.is_empty() {
                let cut = |end: &usize| may_begin_an_escape(text.get(*end..).unwrap_or_default());
                return match self.now.iter().copied().max() {
                    Some(end) if many >= spelling.least => Some(end),
                    Some(_) if many >= least_at_end && self.now.iter().any(cut) => Some(text.len()),
                    _ => None,
                };
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
        self.now.iter().copied().max()
    }
}

/// Replaces white space by single spaces, and other invisible or direction-changing characters by visible escapes. A
/// text of more than `max` characters ends in `…`.
fn one_line(text: &str, max: usize) -> String {
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
            if is_invisible(c) || is_joiner(c) {
                // Writing to a string cannot fail.
                let _ = write!(line, "\\u{{{:x}}}", u32::from(c));
            } else {
                line.push(c);
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    fn scrub(key: &str) -> KeyRedactor {
        KeyRedactor::new(SecretString::from(key.to_owned()))
    }

    #[test]
    fn the_key_is_redacted_in_every_encoding() {
        let key = r#"dt_$a/b"c\\d e"#;
        for (text, expected) in [
            (key.to_owned(), "***"),
            (format!("key {key}!{key}"), "key ***!***"),
            ("q=dt_%24a%2Fb%22c%5C%5cd+e&x".to_owned(), "q=***&x"),
            ("dt_%24a/b\"c\\\\d%20e".to_owned(), "***"),
            (r#"{"k":"dt_\u0024a\/b\"c\\\\d e"}"#.to_owned(), r#"{"k":"***"}"#),
            ("dt_$a/b and no more".to_owned(), "dt_$a/b and no more"),
            ("ключ %zz % \\u00".to_owned(), "ключ %zz % \\u00"),
            // Inside HTML, inside JSON inside JSON, encoded twice, and as much of each as a server happens to do.
            ("<b>dt_$a/b&quot;c\\\\d e</b>".to_owned(), "<b>***</b>"),
            ("dt_&#36;a&#x2F;b&amp;quot;c&#92;&#092;d e".to_owned(), "***"),
            (r#"{"log":"{\"key\":\"dt_$a/b\\\"c\\\\\\\\d e\"}"}"#.to_owned(), r#"{"log":"{\"key\":\"***\"}"}"#),
            ("dt_%2524a%252Fb%2522c%255C%255cd%2520e".to_owned(), "***"),
            ("&amp; &amp;amp; &#; &#x; &quot".to_owned(), "&amp; &amp;amp; &#; &#x; &quot"),
        ] {
            assert_eq!(scrub(key).text(&text), expected, "{text}");
        }
    }

    #[test]
    fn base64_and_prefixes_of_the_key_are_redacted() {
        let key = "sk-0123456789?>~abcdef";
        let scrub = scrub(key);
        for before in ["", "x", "xy", "key: ", "Bearer ", "user:"] {
            for after in ["", "!", " and more"] {
                let bytes = format!("{before}{key}{after}");
                for encoded in [
                    STANDARD_NO_PAD.encode(&bytes),
                    URL_SAFE_NO_PAD.encode(&bytes),
                    base64::engine::general_purpose::STANDARD.encode(&bytes),
                    STANDARD_NO_PAD.encode(&bytes).replace('/', "\\/"),
                    url::form_urlencoded::byte_serialize(STANDARD_NO_PAD.encode(&bytes).as_bytes()).collect(),
                ] {
                    let clean = scrub.text(&format!("<{encoded}>"));
                    assert!(clean.contains("***"), "{bytes}: {clean}");
                    // At each end, up to two bytes share base64 letters with other bytes.
                    assert!(clean.len() <= encoded.len() + 2 + 3 - key.len() * 8 / 6 + 2, "{bytes}: {clean}");
                }
                let lower: String = bytes.bytes().map(|byte| format!("{byte:02x}")).collect();
                for digits in [lower.to_uppercase(), lower] {
                    let around = 2 * (before.len() + after.len());
                    assert_eq!(scrub.text(&digits).len(), around + 3, "{digits}");
                }
            }
        }
        for many in 12..key.len() {
            assert_eq!(scrub.text(&format!("begins with {}, he said", &key[..many])), "begins with ***, he said");
            let encoded = STANDARD_NO_PAD.encode(&key[..many]);
            assert!(scrub.text(&format!("[{encoded}]")).starts_with("[***"), "{many}");
            let digits: String = key[..many].bytes().map(|byte| format!("{byte:02X}")).collect();
            assert_eq!(scrub.text(&digits), "***");
        }
        for innocent in [&key[..11], "c2stMDEyMzQ", "736b2d30", "sk-01234 56789?>~abcdef", "0123456789?>~abcdef"] {
            assert_eq!(scrub.text(innocent), innocent);
        }
    }

    #[test]
    fn an_empty_key_redacts_nothing_and_a_short_one_only_in_errors() {
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
        fn redacted_text_never_contains_the_key(
            before in "\\PC{0,20}", key in "[ -~]{4,20}", after in "\\PC{0,20}", encoded in any::<bool>()
        ) {
            let spelled = if encoded {
                url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>()
            } else {
                key.clone()
            };
            // A key of asterisks equals its own mask.
            prop_assume!(!key.contains('*'));
            let clean = scrub(&key).text(&format!("{before}{spelled}{after}"));
            prop_assert!(clean.contains(MASK));
            prop_assert!(!clean.contains(&key));
        }
    }
}
