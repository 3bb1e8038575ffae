//! Text from outside, made short for one line of a message. Texts with other limits (bytes, columns, tokens) are cut
//! where they are written.

use super::invisible::is_invisible_after;

/// Characters to which a repeated value is cut.
const MAX_CHARS: usize = 60;

/// The words of a text, without control characters, characters that change the text direction, and invisible ones.
pub fn visible_words(text: &str) -> impl Iterator<Item = String> {
    let visible = |word: &str| {
        let mut before = None;
        word.chars().filter(|c| !is_invisible_after(before.replace(*c), *c)).collect::<String>()
    };
    text.split_whitespace().map(visible).filter(|word| !word.is_empty())
}

/// Joins the visible words of a text to one line, and cuts it to a number of characters and `…`.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = visible_words(text).collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(max) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A caller's value for use in a message: short, and without control characters.
#[must_use]
pub fn excerpt(value: &str) -> String {
    let mut excerpt_text: String =
        value.chars().take(MAX_CHARS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if value.chars().nth(MAX_CHARS).is_some() {
        excerpt_text.push('…');
    }
    excerpt_text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(one_line(" a\n\t b ", 3), "a b");
        assert_eq!(one_line("äöü", 2), "äö…");
        assert_eq!(one_line("a\u{1b}[2J \u{202e} b\u{200b}c\u{2066}d 👩‍👩‍👧", 20), "a[2J bcd 👩‍👩‍👧");
        assert_eq!(excerpt("a\u{1b}[2J"), "a\u{fffd}[2J");
        assert_eq!(excerpt(&"ä".repeat(60)), "ä".repeat(60));
        assert_eq!(excerpt(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
    }
}
