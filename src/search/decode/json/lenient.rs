//! Converts bytes to text, and text to JSON, without losing a reply to one bad character. Invalid UTF-8, NUL and lone
//! surrogates become U+FFFD. Numbers that fit no machine integer or float become texts. Everything else is as strict as
//! RFC 8259. One pass before the parser does this. It also limits the depth and remembers where a cut reply was last
//! complete.

use std::borrow::Cow;

use super::build::build;
use super::node::Node;
use crate::search::decode::context::Limits;

const REPLACEMENT: &str = "\\ufffd";

/// The largest value that is built from a body, in units of about 32 bytes of memory: a reply of millions of tiny objects
/// needs a hundred times its length.
const MOST_MEMORY: usize = 10_000_000;

/// Why a text is not JSON.
#[derive(Debug)]
pub(in crate::search::decode) enum ParseError {
    /// Nested deeper than allowed.
    TooDeep,
    /// It ends too early. Holds the complete part before the end, if any.
    Cut(Option<Node>),
    /// It breaks the grammar. Says where and how, without quoting the text.
    Broken(String),
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooDeep => f.write_str("nested too deeply"),
            Self::Cut(_) => f.write_str("it ends too early"),
            Self::Broken(how) => f.write_str(how),
        }
    }
}

/// Converts the body to text: removes the BOM, replaces invalid bytes and NUL by U+FFFD. At most three times as long.
pub(in crate::search::decode) fn text(body: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { text }
}

/// Parses one JSON value with nothing after it.
pub(in crate::search::decode) fn parse(text: &str, limits: Limits) -> Result<Node, ParseError> {
    parse_with(text, limits, false)
}

/// Like [`parse`], but accepts raw control characters inside strings. When a deployment breaks a line inside a string,
/// joining the `data:` lines of the event puts a line feed there.
pub(in crate::search::decode) fn parse_frame(text: &str, limits: Limits) -> Result<Node, ParseError> {
    parse_with(text, limits, true)
}

fn parse_with(text: &str, limits: Limits, controls: bool) -> Result<Node, ParseError> {
    let mut pass = Sanitizer::new(text, controls);
    if !pass.run(limits.max_depth) {
        return Err(ParseError::TooDeep);
    }
    let (clean, complete) = pass.finish();
    match build(&clean, limits) {
        Ok(node) => Ok(node),
        Err(error) if error.is_eof() => Err(ParseError::Cut(complete.and_then(|(end, closers)| {
            let mut rest = clean.get(..end)?.to_owned();
            rest.extend(closers.iter().rev().map(|opener| if *opener == b'[' { ']' } else { '}' }));
            build(&rest, limits).ok()
        }))),
        Err(error) => Err(ParseError::Broken(error.to_string())),
    }
}

/// Parses a body with any members, for replies in other formats than the service's. `None` if it is not JSON, or has far
/// more members than any of them.
pub(in crate::search) fn value(body: &[u8]) -> Option<serde_json::Value> {
    value_as(body)
}

/// The same, as a type of the caller.
pub(in crate::search) fn value_as<T: serde::de::DeserializeOwned>(body: &[u8]) -> Option<T> {
    let text = text(body);
    let mut pass = Sanitizer::new(&text, false);
    if !pass.run(Limits::default().max_depth) || pass.memory > MOST_MEMORY {
        return None;
    }
    serde_json::from_str(&pass.finish().0).ok()
}

/// The pass over the text before the parser. It does not check the grammar; the parser does.
struct Sanitizer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    controls: bool,
    out: String,
    copied: usize,
    open: Vec<u8>,
    lists: usize,
    /// The memory that a value of this text takes, as in [`MOST_MEMORY`].
    memory: usize,
    /// Length of the output up to the last point at which every open bracket held only complete entries, and the
    /// brackets open there.
    complete_end: Option<usize>,
    complete_open: Vec<u8>,
}

impl<'a> Sanitizer<'a> {
    fn new(text: &'a str, controls: bool) -> Self {
        let bytes = text.as_bytes();
        let (out, open, complete_open) = (String::new(), Vec::new(), Vec::new());
        Self { text, bytes, controls, out, copied: 0, open, lists: 0, memory: 0, complete_end: None, complete_open }
    }

    /// Returns false when the text nests too deeply.
    fn run(&mut self, max_depth: usize) -> bool {
        let mut at = 0;
        let mut before = 0_u8;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    at += 1;
                    continue;
                }
                b'"' => {
                    // The first member of an object takes the room of several.
                    self.memory += if before == b'{' { 20 } else { 1 };
                    at = self.string(at + 1);
                    before = byte;
                    continue;
                }
                b'-' | b'0'..=b'9' => {
                    self.memory += 1;
                    at = self.number(at, before);
                    before = b'0';
                    continue;
                }
                b'{' | b'[' => {
                    self.open.push(byte);
                    self.lists += usize::from(byte == b'[');
                    self.memory += if byte == b'[' { 5 } else { 1 };
                    if self.open.len() > max_depth {
                        return false;
                    }
                }
                b'}' | b']' => {
                    let opener = self.open.pop();
                    self.lists -= usize::from(opener == Some(b'['));
                    // In a cut list only objects count as complete entries: a cut bare number looks complete.
                    if byte == b'}' || self.lists == 0 {
                        self.remember(at + 1);
                    }
                }
                b',' if self.lists == 0 => self.remember(at),
                _ => {}
            }
            before = byte;
            at += 1;
        }
        true
    }

    /// Remembers that everything up to `at` is complete, unless `at` lies inside an entry of a list.
    fn remember(&mut self, at: usize) {
        if self.lists == 0 || (self.lists == 1 && self.open.last() == Some(&b'[')) {
            self.complete_end = Some(self.out.len() + (at - self.copied));
            self.complete_open.clear();
            self.complete_open.extend_from_slice(&self.open);
        }
    }

    /// Skips a string, from after the opening quote to after the closing one.
    fn string(&mut self, mut at: usize) -> usize {
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'"' => return at + 1,
                b'\\' => at = self.escape(at),
                0..=0x1f if self.controls => {
                    self.replace(at, at + 1, &format!("\\u{byte:04x}"));
                    at += 1;
                }
                _ => at += 1,
            }
        }
        at
    }

    /// Skips an escape, from its backslash. A valid pair of surrogates is one escape.
    fn escape(&mut self, at: usize) -> usize {
        match self.unit(at) {
            Some(0xd800..=0xdbff) if matches!(self.unit(at + 6), Some(0xdc00..=0xdfff)) => at + 12,
            Some(0 | 0xd800..=0xdfff) => {
                self.replace(at, at + 6, REPLACEMENT);
                at + 6
            }
            Some(_) => at + 6,
            None => at + 2,
        }
    }

    /// Returns the UTF-16 unit of the `\uXXXX` at `at`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0_u16, |unit, digit| {
            let value = char::from(*digit).to_digit(16)?;
            Some(unit << 4 | u16::try_from(value).ok()?)
        })
    }

    /// Skips a number. Puts it in quotes if no machine number can hold it, but never where the grammar wants a key.
    fn number(&mut self, start: usize, before: u8) -> usize {
        let length = self.bytes[start..]
            .iter()
            .position(|b| !matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
            .unwrap_or(self.bytes.len() - start);
        let end = start + length;
        let in_list = self.open.last() == Some(&b'[');
        if (before == b':' || before == 0 || (in_list && matches!(before, b'[' | b',')))
            && let Some(token) = self.text.get(start..end)
            && exceeds_machine_number(token)
        {
            self.replace(start, end, &format!("\"{token}\""));
        }
        end
    }

    fn replace(&mut self, start: usize, end: usize, with: &str) {
        self.out.push_str(self.text.get(self.copied..start).unwrap_or_default());
        self.out.push_str(with);
        self.copied = end;
    }

    fn finish(mut self) -> (Cow<'a, str>, Option<(usize, Vec<u8>)>) {
        let complete = self.complete_end.map(|end| (end, self.complete_open));
        if self.copied == 0 {
            return (Cow::Borrowed(self.text), complete);
        }
        self.out.push_str(self.text.get(self.copied..).unwrap_or_default());
        (Cow::Owned(self.out), complete)
    }
}

/// Whether a token is a JSON integer of more than 64 bits, or a float that overflows.
fn exceeds_machine_number(token: &str) -> bool {
    if token.len() < 4 || !is_number(token) {
        return false;
    }
    if token.contains(['.', 'e', 'E']) {
        return token.parse::<f64>().is_ok_and(f64::is_infinite);
    }
    token.parse::<i64>().is_err() && token.parse::<u64>().is_err()
}

/// Whether a token is a number as in RFC 8259, section 6.
fn is_number(token: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let token = token.strip_prefix('-').unwrap_or(token);
    let (mantissa, exponent) = match token.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (token, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    digits(integer)
        && (integer.len() == 1 || !integer.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

/// Parses JSON inside a text (`"content": "[{…}]"`), when it is a list or an object.
pub(in crate::search::decode) fn parse_nested(text: &str, limits: Limits) -> Option<Node> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    parse(text, limits).ok()
}
