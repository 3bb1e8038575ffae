//! Text for a terminal: foreign text is made harmless, cut and wrapped to columns. Prints nothing.

use crate::model::{is_invisible_after, whole_start};

/// Puts foreign text on one line of a terminal. Control characters, characters that change the direction, and invisible
/// ones become escapes. So a post cannot move the cursor, reorder nearby text or hide anything.
pub(in crate::cli) fn escape_control(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let (mut blank, mut before) = (false, None);
    for c in text.chars() {
        let hidden = is_invisible_after(before.replace(c), c);
        // Line and paragraph separators are white space, too.
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && !escaped.is_empty() {
            escaped.push(' ');
        }
        blank = false;
        if hidden {
            escaped.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Like [`escape_control`], but keeps a blank at either end, for texts that are placed side by side.
pub(in crate::cli) fn escape_keep_blanks(text: &str) -> String {
    let end = |blank: bool| if blank { " " } else { "" };
    let escaped = escape_control(text);
    let before = end(text.starts_with(char::is_whitespace));
    let after = end(!escaped.is_empty() && text.ends_with(char::is_whitespace));
    format!("{before}{escaped}{after}")
}

/// Like [`escape_control`], but cut to a number of columns, between whole characters.
pub(in crate::cli) fn truncate(text: &str, max: usize) -> String {
    let escaped = escape_control(text);
    if display_width(&escaped) <= max {
        return escaped;
    }
    let mut cut = whole_start(&escaped, max.saturating_sub(1), char_width).to_owned();
    cut.push('…');
    cut
}

/// Returns the columns of a character: ideographs, kana, Hangul, full-width forms and emoji take two. Combining marks
/// count as one, so that no width is too small.
fn char_width(c: char) -> usize {
    let wide = matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0xA4CF | 0xA960..=0xA97F | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF | 0xFE10..=0xFE19 | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F000..=0x1FAFF
        | 0x2_0000..=0x3_FFFD);
    if wide { 2 } else { 1 }
}

/// Returns the columns of a text.
pub(in crate::cli) fn display_width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// Returns the characters of the longest text.
pub(in crate::cli) fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Wraps words to a width. Every line is indented by the length of `begin`.
pub(in crate::cli) fn wrap(begin: &str, words: &str, width: usize) -> String {
    let margin = begin.chars().count();
    let (mut text, mut line) = (String::new(), begin.to_owned());
    let mut taken = margin;
    for word in words.split(' ') {
        let length = word.chars().count();
        if taken > margin && taken + 1 + length > width {
            text.push_str(line.trim_end());
            text.push('\n');
            (line, taken) = (" ".repeat(margin), margin);
        } else if taken > margin {
            line.push(' ');
            taken += 1;
        }
        line.push_str(word);
        taken += length;
    }
    text.push_str(line.trim_end());
    text.push('\n');
    text
}

/// Formats a number of bytes for people.
pub(in crate::cli) fn bytes(bytes: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one decimal place is shown")]
    let number = bytes as f64;
    match bytes {
        ..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", number / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number / 1e6),
        _ => format!("{:.1} GB", number / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_post_are_escaped() {
        for (text, expected) in [
            ("plain  text\nhere", "plain text here"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("pay\u{200b}pal", "pay\\u{200b}pal"),
            ("hi\u{e0001}\u{e0041}", "hi\\u{e0001}\\u{e0041}"),
            ("👩‍👩‍👧 1️⃣ می‌خواهم", "👩‍👩‍👧 1️⃣ می‌خواهم"),
            ("a\u{200d}b", "a\\u{200d}b"),
        ] {
            assert_eq!(escape_control(text), expected);
        }
    }

    #[test]
    fn a_text_is_cut_to_columns_between_whole_characters() {
        for (text, max, expected) in [
            ("abcdef", 4, "abc…"),
            ("日本語", 5, "日本…"),
            ("a🇩🇪 won", 5, "a…"),
            ("a🇩🇪 won", 6, "a🇩🇪…"),
            ("a 👩‍👩‍👧 b", 9, "a …"),
            ("a 👍🏽 bcd", 6, "a …"),
            ("cafe\u{301} noir", 5, "caf…"),
            ("cafe\u{301} noir", 6, "cafe\u{301}…"),
        ] {
            assert_eq!(truncate(text, max), expected, "{text} {max}");
        }
    }

    #[test]
    fn text_is_wrapped_between_words_and_long_words_stay_whole() {
        assert_eq!(wrap("a  ", "one two three", 10), "a  one two\n   three\n");
        assert_eq!(wrap("a  ", "one-two-three-four five", 10), "a  one-two-three-four\n   five\n");
        assert_eq!(wrap("  ", "", 10), "\n");
    }
}
