//! Which characters nobody sees: those that command a terminal, turn text around, or are not drawn at all, in which words
//! can be carried past a reader. How they are shown or left out is each writer's.

/// Whether a character is a command, a mark of direction, a tag, a filler, or else is not drawn (`Default_Ignorable_Code_Point`
/// of Unicode 16). Joiners and variation selectors are not counted: see [`is_hidden_after`].
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character joins its neighbours or keeps them apart: between emoji, and in Persian and Indic words.
#[must_use]
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether a character chooses another form of the one before it.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}')
}

/// The same where the character before is known: a joiner or a selector belongs to a sequence when it follows something
/// that can be joined or chosen, and one alone; in a row, they carry what nobody sees.
#[must_use]
pub fn is_hidden_after(before: Option<char>, c: char) -> bool {
    let drawn = |before: char| !is_hidden(before) && !is_joiner(before) && !before.is_whitespace();
    if is_joiner(c) {
        return !before.is_some_and(|before| drawn(before) && !before.is_ascii());
    }
    if is_selector(c) {
        // Keycaps are a digit, `#` or `*`, a selector, and a frame.
        let keycap = |before: char| before.is_ascii_digit() || matches!(before, '#' | '*');
        let chosen = |before: char| drawn(before) && !is_selector(before) && (!before.is_ascii() || keycap(before));
        return !before.is_some_and(chosen);
    }
    is_hidden(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader is shown of a text.
    fn shown(text: &str) -> String {
        let mut before = None;
        text.chars().filter(|c| !is_hidden_after(before.replace(*c), *c)).collect()
    }

    #[test]
    fn sequences_of_emoji_and_words_of_other_scripts_stay_whole() {
        for text in ["👩‍👩‍👧 👁️‍🗨️ 🏳️‍🌈 ❤️ 👍🏽 1️⃣ #️⃣ 🇩🇪", "می‌خواهم", "क्‍ष श्री", "ᠮᠣᠩᠭᠣᠯ᠋", "naïve – “quoted” … 漢字 한글 ١٢٣ ½"]
        {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn what_nobody_sees_is_hidden() {
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
            assert_eq!(shown(&format!("a{c}b é{c}")), "ab é", "{:x}", u32::from(c));
        }
        // Joiners and selectors that join or choose nothing.
        for (text, expected) in [
            ("a\u{200d}b\u{200c}c", "abc"),
            ("\u{200d}a", "a"),
            ("é\u{200d}\u{200d}\u{200c}\u{200d}é", "é\u{200d}é"),
            ("🙂\u{fe0f}\u{fe01}\u{fe02}\u{fe0e}", "🙂\u{fe0f}"),
            ("a\u{fe0f}b \u{fe00}c", "ab c"),
            ("🏴\u{e0067}\u{e0062}\u{e007f}", "🏴"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
        }
    }
}
