//! Splits and cuts texts at what a reader sees as characters: a letter with its accents, a flag, a joined emoji (grapheme
//! clusters, UAX #29). Texts are folded and compared in `normalise`.

use unicode_segmentation::UnicodeSegmentation as _;

/// The most `char`s that stay together: the longest emoji have eleven. Otherwise a letter with a thousand accents would
/// be too long for any limit.
const MOST_TOGETHER: usize = 16;

/// Splits a text into whole characters. Joined they are the text.
pub fn whole_characters(text: &str) -> impl Iterator<Item = &str> {
    text.graphemes(true).flat_map(split_if_long)
}

/// Splits one character of very many `char`s into parts of `MOST_TOGETHER`.
fn split_if_long(whole: &str) -> impl Iterator<Item = &str> {
    let mut rest = whole;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(MOST_TOGETHER).map_or(rest.len(), |(at, _)| at);
        let (first, after) = rest.split_at(end);
        rest = after;
        (!first.is_empty()).then_some(first)
    })
}

/// Returns the longest start of a text that has at most `most` units and ends after a whole character. `size` returns
/// the units of a `char`.
#[must_use]
pub fn whole_start(text: &str, most: usize, size: impl Fn(char) -> usize) -> &str {
    let (mut end, mut taken) = (0, 0);
    for whole in whole_characters(text) {
        taken += whole.chars().map(&size).sum::<usize>();
        if taken > most {
            break;
        }
        end += whole.len();
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_flags_and_emoji_belong_to_one_character() {
        for (text, expected) in [
            ("ab", &["a", "b"][..]),
            ("", &[]),
            ("e\u{301}\u{323}x", &["e\u{301}\u{323}", "x"]),
            ("🇩🇪🇫🇷🇮", &["🇩🇪", "🇫🇷", "🇮"]),
            ("👩‍👩‍👧👍🏽1️⃣", &["👩‍👩‍👧", "👍🏽", "1️⃣"]),
            ("هٔمی\u{200c}خ", &["هٔ", "م", "ی\u{200c}", "خ"]),
            ("कि\u{1112}\u{1161}\u{11ab}", &["कि", "\u{1112}\u{1161}\u{11ab}"]),
            ("🙂\u{200d} a", &["🙂\u{200d}", " ", "a"]),
        ] {
            assert_eq!(whole_characters(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn a_text_is_cut_between_whole_characters() {
        for (text, most, expected) in [
            ("abc", 2, "ab"),
            ("abc", 9, "abc"),
            ("a🇩🇪", 2, "a"),
            ("ae\u{301}b", 2, "a"),
            ("ae\u{301}b", 3, "ae\u{301}"),
            ("👩‍👩‍👧", 4, ""),
        ] {
            assert_eq!(whole_start(text, most, |_| 1), expected, "{text} {most}");
        }
        assert_eq!(whole_start("éé", 3, char::len_utf8), "é");
        let accents = "\u{301}".repeat(1_000);
        assert_eq!(whole_start(&format!("e{accents}"), 99, |_| 1).chars().count(), 96, "no limit leaves nothing");
    }
}
