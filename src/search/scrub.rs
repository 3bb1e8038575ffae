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

/// Takes one key out of texts.
pub(super) struct Scrub {
    key: SecretString,
}

impl Scrub {
    /// For this key.
    pub(super) fn new(key: SecretString) -> Self {
        Self { key }
    }

    /// The text without the key, whether plain, percent-encoded, or escaped as in JSON or HTML; in part or whole, once
    /// or several times over.
    pub(super) fn text(&self, text: &str) -> String {
        // The mask and every spelling are whole characters, so that cutting at bytes cannot break one.
        self.without_key(text.as_bytes())
            .map_or_else(|| text.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The same for what a service wrote, in which a short key may be a word.
    pub(super) fn long_text(&self, text: &str) -> String {
        if self.key.expose_secret().len() < SHORTEST_IN_BODIES { text.to_owned() } else { self.text(text) }
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
        let may_begin = |byte: u8| byte == key[0] || matches!(byte, b'%' | b'+' | b'\\' | b'&');
        let mut kept = Vec::new();
        let (mut done, mut at) = (0, 0);
        let mut ends = Ends::default();
        while at < text.len() {
            if !may_begin(text[at]) {
                at += 1;
                continue;
            }
            match ends.of(text, at, key) {
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

/// Where a key may end, followed byte by byte: a `%` or `\` may stand for itself or begin an escape, and only what comes
/// next tells.
#[derive(Default)]
struct Ends {
    now: Vec<usize>,
    next: Vec<usize>,
}

impl Ends {
    /// Where the longest spelling of the key that begins at `at` ends.
    fn of(&mut self, text: &[u8], at: usize, key: &[u8]) -> Option<usize> {
        self.now.clear();
        self.now.push(at);
        for &wanted in key {
            self.next.clear();
            for &end in &self.now {
                spelled(text.get(end..).unwrap_or_default(), wanted, &mut |length| {
                    if !self.next.contains(&(end + length)) {
                        self.next.push(end + length);
                    }
                });
            }
            if self.next.is_empty() {
                return None;
            }
            std::mem::swap(&mut self.now, &mut self.next);
        }
        self.now.iter().copied().max()
    }
}

/// How often an escape may itself have been escaped.
const DEEPEST: usize = 4;

/// The length of each way in which `text` may begin with the byte `wanted`.
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

/// `%24`, and `%2524` for a `%24` that was encoded again.
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

/// `\"`, `\/`, `\u0022`, and with more backslashes for JSON inside a JSON string.
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

/// `&quot;`, `&#34;`, `&#x22;`, and `&amp;quot;` for one that was escaped again.
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

/// What an entity's name or number after the `&` stands for, and its length with the `;`.
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
