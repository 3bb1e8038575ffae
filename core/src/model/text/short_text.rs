//! Text from outside, made short for one line of a message. Texts with other limits (bytes, columns, tokens) are cut
//! where they are written.

use unicode_normalization::char::is_combining_mark;

use super::invisible::is_invisible_after;
use super::whole_characters::whole_start;

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

/// Whether a reader sees nothing of a text: only spaces, invisible characters, and accents without a letter.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    // The blank pattern of Braille is drawn as a space.
    visible_words(text).all(|word| word.chars().all(|c| is_combining_mark(c) || c == '\u{2800}'))
}

/// Joins the visible words of a text to one line, and cuts it to a number of characters and `…`.
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = visible_words(text).collect::<Vec<_>>().join(" ");
    if line.chars().nth(max).is_some() {
        line.truncate(whole_start(&line, max, |_| 1).len());
        line.push('…');
    }
    line
}

/// A caller's value for use in a message: short, and without control characters.
#[must_use]
pub fn excerpt(value: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut excerpt_text: String = whole_start(value, MAX_CHARS, |_| 1).chars().map(visible).collect();
    if value.chars().nth(MAX_CHARS).is_some() {
        excerpt_text.push('…');
    }
    excerpt_text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_visible_character_is_blank() {
        for blank in ["", " \t\u{a0}", "\u{200b}", "\u{2060}\u{ad} \u{202e}", "\u{301}", "\u{200d}\u{fe0f}", "\u{2800}"]
        {
            assert!(is_blank(blank), "{blank:?}");
        }
        for seen in ["a", "\u{200b}.", "e\u{301}", "क्ष", "👩‍👩‍👧", "漢", "…"] {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(one_line(" a\n\t b ", 3), "a b");
        assert_eq!(one_line("äöü", 2), "äö…");
        assert_eq!(one_line("a🇩🇪b", 2), "a…");
        assert_eq!(one_line("a\u{1b}[2J \u{202e} b\u{200b}c\u{2066}d 👩‍👩‍👧", 20), "a[2J bcd 👩‍👩‍👧");
        assert_eq!(excerpt("a\u{1b}[2J"), "a\u{fffd}[2J");
        assert_eq!(excerpt(&"ä".repeat(60)), "ä".repeat(60));
        assert_eq!(excerpt(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
        assert_eq!(excerpt(&"e\u{301}".repeat(31)), format!("{}…", "e\u{301}".repeat(30)));
        assert_eq!(excerpt(&format!("{}e\u{301}", "a".repeat(59))), format!("{}…", "a".repeat(59)));
    }
}
