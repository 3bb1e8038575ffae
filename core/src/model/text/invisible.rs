//! Detects invisible characters: control characters, direction marks, and characters that are not drawn at all, which
//! can hide words from a reader. Each writer decides whether to escape or omit them.

/// Whether a character is a control character, a direction mark, a tag, a filler, or otherwise not drawn
/// (`Default_Ignorable_Code_Point` of Unicode 16). Excludes joiners and variation selectors: see [`is_invisible_after`].
#[must_use]
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is a zero-width joiner or non-joiner, used between emoji and in Persian and Indic words.
#[must_use]
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether a character is a variation selector: it chooses another form of the character before it.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}')
}

/// Like [`is_invisible`], but knows the previous character. A single joiner or selector is visible when it follows a
/// character that it can apply to. Any further ones in a row are hidden: they could carry invisible text.
#[must_use]
pub fn is_invisible_after(before: Option<char>, c: char) -> bool {
    let is_visible = |before: char| !is_invisible(before) && !is_joiner(before) && !before.is_whitespace();
    if is_joiner(c) {
        return !before.is_some_and(|before| is_visible(before) && !before.is_ascii());
    }
    if is_selector(c) {
        // A keycap is a digit, `#` or `*`, then a selector, then a frame.
        let keycap = |before: char| before.is_ascii_digit() || matches!(before, '#' | '*');
        let takes_selector =
            |before: char| is_visible(before) && !is_selector(before) && (!before.is_ascii() || keycap(before));
        return !before.is_some_and(takes_selector);
    }
    is_invisible(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The visible characters of a text.
    fn visible_text(text: &str) -> String {
        let mut before = None;
        text.chars().filter(|c| !is_invisible_after(before.replace(*c), *c)).collect()
    }

    #[test]
    fn sequences_of_emoji_and_words_of_other_scripts_stay_whole() {
        for text in ["👩‍👩‍👧 👁️‍🗨️ 🏳️‍🌈 ❤️ 👍🏽 1️⃣ #️⃣ 🇩🇪", "می‌خواهم", "क्‍ष श्री", "ᠮᠣᠩᠭᠣᠯ᠋", "naïve – “quoted” … 漢字 한글 ١٢٣ ½"]
        {
            assert_eq!(visible_text(text), text);
        }
    }

    #[test]
    fn invisible_characters_are_removed() {
        for c in [
            '\0',
            '\u{1b}',
            '\u{7f}',
            '\u{9b}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{17b4}',
            '\u{180e}',
            '\u{200b}',
            '\u{200e}',
            '\u{2028}',
            '\u{202e}',
            '\u{2060}',
            '\u{2064}',
            '\u{2069}',
            '\u{206f}',
            '\u{3164}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{1d173}',
            '\u{e0000}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0100}',
            '\u{e01ef}',
            '\u{e0fff}',
        ] {
            assert_eq!(visible_text(&format!("a{c}b é{c}")), "ab é", "{:x}", u32::from(c));
        }
        // Joiners and selectors with nothing to apply to.
        for (text, expected) in [
            ("a\u{200d}b\u{200c}c", "abc"),
            ("\u{200d}a", "a"),
            ("é\u{200d}\u{200d}\u{200c}\u{200d}é", "é\u{200d}é"),
            ("🙂\u{fe0f}\u{fe01}\u{fe02}\u{fe0e}", "🙂\u{fe0f}"),
            ("a\u{fe0f}b \u{fe00}c", "ab c"),
            ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴"),
        ] {
            assert_eq!(visible_text(text), expected, "{text:?}");
        }
    }
}
