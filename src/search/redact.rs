//! Makes text from a service safe to store and to show: removes the key in every spelling that a server may echo, and
//! makes one line without control characters.

use std::fmt::Write as _;

use bytes::Bytes;
use secrecy::{ExposeSecret, SecretString};

use super::key_encodings::{KeyEncoding, key_encodings};
use crate::model::{is_invisible, is_joiner};

/// Replaces the key.
const MASK: &str = "***";
/// A key with fewer bytes may be a word that posts use, too, so it stays in bodies. It is still removed from error
/// texts.
const SHORTEST_IN_BODIES: usize = 8;

/// Removes one key from texts.
pub(super) struct KeyRedactor {
    key: SecretString,
    spellings: Vec<KeyEncoding>,
}

impl KeyRedactor {
    /// Prepares the removal of this key.
    pub(super) fn new(key: SecretString) -> Self {
        let spellings = key_encodings(key.expose_secret().as_bytes());
        Self { key, spellings }
    }

    /// Returns the text without the key and without a long beginning of it. The key may be plain, base64 or
    /// hexadecimal; each of these may be percent-encoded or escaped as in JSON or HTML, in part or whole, once or
    /// several times.
    pub(super) fn text(&self, text: &str) -> String {
        // The mask and every spelling are whole characters, so cutting at bytes cannot break one.
        self.without_key(text.as_bytes())
            .map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The same for text written by a service, in which a short key may be a word.
    pub(super) fn long_text(&self, text: &str) -> String {
        if self.key.expose_secret().len() < SHORTEST_IN_BODIES { text.to_owned() } else { self.text(text) }
    }

    /// Returns the body without the key. Does not copy it when the key is not in it.
    pub(super) fn body(&self, body: Bytes) -> Bytes {
        if self.key.expose_secret().len() < SHORTEST_IN_BODIES {
            return body;
        }
        self.without_key(&body).map_or(body, Bytes::from)
    }

    /// Returns one printable line of at most `max` characters without the key, for an error or a header.
    pub(super) fn line(&self, text: &str, max: usize) -> String {
        // Remove the key first: cut or escaped, it would not be recognised.
        one_line(&self.text(text), max)
    }

    fn without_key(&self, text: &[u8]) -> Option<Vec<u8>> {
        if self.key.expose_secret().is_empty() {
            return None;
        }
        let mut first = [false; 256];
        let letters = self.spellings.iter().filter_map(|spelling| spelling.letters.first());
        for byte in letters.chain(b"%+\\&") {
            first[usize::from(*byte)] = true;
        }
        let mut kept = Vec::new();
        let (mut done, mut at) = (0, 0);
        let mut ends = MatchEnds::default();
        while at < text.len() {
            if !first[usize::from(text[at])] {
                at += 1;
                continue;
            }
            let ended = self.spellings.iter().filter_map(|spelling| ends.of(text, at, spelling)).max();
            match ended {
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

/// Where a key may end, followed byte by byte. A `%` or `\` may be itself or begin an escape, which only the next bytes
/// show.
#[derive(Default)]
struct MatchEnds {
    now: Vec<usize>,
    next: Vec<usize>,
}

impl MatchEnds {
    /// Returns where a spelling that begins at `at` ends, as far as it matches.
    fn of(&mut self, text: &[u8], at: usize, spelling: &KeyEncoding) -> Option<usize> {
        self.now.clear();
        self.now.push(at);
        for (many, &wanted) in spelling.letters.iter().enumerate() {
            self.next.clear();
            for &end in &self.now {
                spelled(text.get(end..).unwrap_or_default(), wanted, &mut |length| {
                    if !self.next.contains(&(end + length)) {
                        self.next.push(end + length);
                    }
                });
            }
            if self.next.is_empty() {
                return if many >= spelling.least { self.now.iter().copied().max() } else { None };
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
        self.now.iter().copied().max()
    }
}

/// The maximum number of times that an escape may itself be escaped.
const DEEPEST: usize = 4;

/// Passes on the length of each way in which `text` may begin with the byte `wanted`.
fn spelled(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let Some(&first) = text.first() else { return };
    if first == wanted || (first == b'+' && wanted == b' ') {
        found(1);
    }
    match first {
        b'%' => percent(text, wanted, found),
        b'\\' => json(text, wanted, found),
        b'&' => html(text, wanted, found),
        _ => {}
    }
}

/// Percent encoding: `%24`, and `%2524` for a `%24` that was encoded again.
fn percent(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let mut at = 1;
    for _ in 0..DEEPEST {
        if text.get(at..at + 2).and_then(hex) == Some(wanted) {
            found(at + 2);
        }
        if text.get(at..at + 2) != Some(b"25") {
            return;
        }
        at += 2;
    }
}

/// JSON escapes: `\"`, `\/`, `\u0022`, and more backslashes for JSON inside a JSON string.
fn json(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let run = text.iter().take(1 << DEEPEST).take_while(|byte| **byte == b'\\').count();
    if wanted == b'\\' {
        (1..=DEEPEST).map(|depth| 1 << depth).filter(|length| *length <= run).for_each(&mut *found);
    } else if text.get(run) == Some(&wanted) {
        found(run + 1);
    }
    if let Some([b'u', b'0', b'0', digits @ ..]) = text.get(run..run + 5)
        && hex(digits) == Some(wanted)
    {
        found(run + 5);
    }
}

/// HTML entities: `&quot;`, `&#34;`, `&#x22;`, and `&amp;quot;` for one that was escaped again.
fn html(text: &[u8], wanted: u8, found: &mut dyn FnMut(usize)) {
    let mut at = 1;
    for _ in 0..DEEPEST {
        let rest = text.get(at..).unwrap_or_default();
        if let Some((byte, length)) = entity(rest)
            && byte == wanted
        {
            found(at + length);
        }
        if !rest.starts_with(b"amp;") {
            return;
        }
        at += 4;
    }
}

/// Returns the byte of an entity from its name or number after the `&`, and its length with the `;`.
fn entity(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(8).position(|byte| *byte == b';')?;
    let byte = match &text[..end] {
        b"quot" => b'"',
        b"apos" => b'\'',
        b"lt" => b'<',
        b"gt" => b'>',
        b"amp" => b'&',
        [b'#', b'x' | b'X', digits @ ..] => hex(digits)?,
        [b'#', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        _ => return None,
    };
    Some((byte, end + 1))
}

fn hex(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Replaces white space by single spaces, and other invisible or direction-changing characters by visible escapes. A
/// text of more than `max` characters ends in `…`.
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
    fn base64_digits_and_a_beginning_of_the_key_are_taken_out() {
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
            // A key of asterisks equals its own mask.
            prop_assume!(!key.contains('*'));
            let clean = scrub(&key).text(&format!("{before}{spelled}{after}"));
            prop_assert!(clean.contains(MASK));
            prop_assert!(!clean.contains(&key));
        }
    }
}
