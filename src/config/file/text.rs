//! The configuration file as text: reads it within a limit, and turns byte offsets into places that are safe to print.

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use crate::config::mistakes::location::{Location, unprintable};
use crate::config::mistakes::redact::mask_secrets;

/// The largest file that is read. A file of 20,000 topics is about 3 MB.
pub(super) const LARGEST_FILE: u64 = 8 * 1024 * 1024;
/// The longest line that is accepted, because each mistake scans its whole line.
const LONGEST_LINE: usize = 64 * 1024;
/// Long lines are cut to about this many characters around the mistake.
const EXCERPT: usize = 240;

/// The file's text and the offsets at which its lines start.
#[derive(Debug)]
pub(in crate::config) struct Text {
    display_name: String,
    text: String,
    lines: Vec<usize>,
}

/// Why a file is not text: message and hint.
pub(in crate::config) struct NotText {
    /// What is wrong.
    pub(in crate::config) message: String,
    /// What to do.
    pub(in crate::config) hint: String,
}

impl Text {
    /// Takes text from memory; drops a byte order mark.
    pub(in crate::config) fn new(display_name: impl Into<String>, text: &str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).to_owned();
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { display_name: display_name.into(), text, lines }
    }

    /// Reads a file.
    pub(in crate::config) fn read(path: &Path, display_name: &str) -> Result<Self, NotText> {
        let unreadable = |error: std::io::Error| NotText {
            message: format!("cannot be read: {error}"),
            hint: "check the path and its permissions".to_owned(),
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LARGEST_FILE {
            let message = format!("is larger than {} MiB", LARGEST_FILE / 1024 / 1024);
            return Err(NotText { message, hint: "is this the right file?".to_owned() });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(display_name, &text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
                Err(NotText {
                    message: format!("is not UTF-8 text: byte {at} (line {line}) is not a valid character"),
                    hint: "save it as UTF-8".to_owned(),
                })
            }
        }
    }

    /// Rejects lines that are too long to be written by hand.
    pub(in crate::config) fn check_lines(&self) -> Result<(), NotText> {
        match self.text.split('\n').position(|line| line.len() > LONGEST_LINE) {
            Some(line) => Err(NotText {
                message: format!(
                    "is not a configuration: line {} is longer than {} KiB",
                    line + 1,
                    LONGEST_LINE / 1024
                ),
                hint: "is this the right file?".to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Returns the name of the file for people.
    pub(in crate::config) fn display_name(&self) -> &str {
        &self.display_name
    }

    /// Returns the text, without byte order mark.
    pub(in crate::config) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the line of a byte offset, from 1.
    pub(in crate::config) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).max(1)
    }

    /// Returns the place of a span: its first line, cut and cleaned, with the part to underline.
    pub(in crate::config) fn location(&self, span: &Range<usize>) -> Location {
        let line = self.line(span.start.min(self.text.len()));
        let begin = self.lines.get(line - 1).copied().unwrap_or(0);
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let raw = self.text.get(begin..end).unwrap_or("").trim_end_matches('\r');
        let chars_before = |at: usize| raw.char_indices().take_while(|(i, _)| begin + i < at).count();
        let (from, to) = (chars_before(span.start), chars_before(span.end.max(span.start)));

        let first = from.saturating_sub(EXCERPT / 2);
        let clean: Vec<char> = mask_secrets(raw).skip(first).take(EXCERPT).map(printable).collect();
        let bytes = |upto: usize| clean.iter().take(upto.saturating_sub(first)).map(|c| c.len_utf8()).sum();
        Location {
            line,
            column: from + 1,
            underline: bytes(from)..bytes(to),
            excerpt: clean.iter().collect(),
            excerpt_column: first + 1,
        }
    }
}

/// Replaces one character by one, so that columns stay correct.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if unprintable(c) => '\u{FFFD}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_unprintable_ones_are_removed() {
        let text = Text::new("jobs.toml", "\u{FEFF}a = 1\r\n\tb😀\u{1b}[31m x = 2\r\n");
        let at = text.as_str().find("x =").unwrap_or(0);
        let place = text.location(&(at..at + 1));
        assert_eq!((place.line, place.column), (2, 10));
        assert_eq!(place.excerpt, " b😀\u{FFFD}[31m x = 2");
        assert_eq!(&place.excerpt[place.underline], "x");
    }

    #[test]
    fn a_long_line_is_cut_around_its_mistake() {
        let long = format!("{}x = 1{}", "é ".repeat(1_000), " ".repeat(10_000));
        let text = Text::new("jobs.toml", &long);
        let at = long.find('x').unwrap_or(0);
        let place = text.location(&(at..at + 1));
        assert_eq!(place.column, 2_001);
        assert!(place.excerpt.chars().count() <= EXCERPT);
        assert_eq!(&place.excerpt[place.underline], "x");
    }

    #[test]
    fn a_span_past_the_end_of_the_file_has_a_valid_place() {
        let text = Text::new("jobs.toml", "");
        let place = text.location(&(7..9));
        assert_eq!((place.line, place.column), (1, 1));
    }
}
