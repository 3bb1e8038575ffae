//! Foreign text inside XML: nothing in it is markup, and what no XML may hold is replaced.

use std::fmt::Write as _;

/// Text between tags and in attributes. `odd` says what becomes of a character that XML 1.0 forbids, or whose line end
/// a reader would change.
pub(super) fn push(out: &mut String, text: &str, odd: impl Fn(&mut String, char)) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => odd(out, c),
            // A terminal would obey them; as references they say the same.
            '\u{7F}'..='\u{9F}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#x{:x};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
}
