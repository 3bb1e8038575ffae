//! A place in the file, cut out so that it can be shown without the file, and the escaping of unprintable characters.

use std::ops::Range;

use crate::model::{is_invisible, is_joiner};

/// Where in the file a mistake is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode scalar values, from 1.
    pub column: usize,
    /// The line (or the part of a long line around the mistake): no control characters, secrets masked.
    pub excerpt: String,
    /// Bytes of `excerpt` to underline.
    pub underline: Range<usize>,
    /// Column of the excerpt's first character, from 1; more than 1 only when a long line was cut.
    pub excerpt_column: usize,
}

/// Makes text from a file safe for one line of a terminal: control characters and characters that reorder text become
/// escapes, and long text is cut.
pub(in crate::config) fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut line = String::with_capacity(text.len().min(LONGEST));
    for (n, c) in text.chars().enumerate() {
        if n == LONGEST {
            line.push('…');
            break;
        }
        if unprintable(c) { line.extend(c.escape_unicode()) } else { line.push(c) }
    }
    line
}

/// Whether a character is a control character, or not drawn at all.
pub(in crate::config) fn unprintable(c: char) -> bool {
    is_invisible(c) || is_joiner(c)
}
