//! Escapes text from outside for XML: none of it becomes markup, and characters that XML forbids are replaced.

use std::fmt::Write as _;

/// Appends text for use between tags and in attributes. `odd` writes characters that XML 1.0 forbids, and line ends
/// that a reader would change.
pub(in crate::export) fn push(out: &mut String, text: &str, odd: impl Fn(&mut String, char)) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => odd(out, c),
            // Terminals would interpret these characters; as references they mean the same.
            '\u{7F}'..='\u{9F}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#x{:x};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
}
