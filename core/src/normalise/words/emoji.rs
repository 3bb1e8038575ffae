//! Finds emoji that consist of several characters with joiners between them, such as 👨‍👩‍👧. Folding removes the
//! joiners, so terms take these emoji from the original text.

use std::borrow::Cow;

use super::split::is_emoji;

const JOINER: char = '\u{200D}';

/// The most characters of an emoji, without joiners. Unicode's longest have four.
const MOST: usize = 8;

/// Returns a text without its joined emoji, and these, without skin tones, in order.
pub(super) fn take_joined(text: &str) -> (Cow<'_, str>, Vec<String>) {
    if !text.contains(JOINER) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let (mut rest, mut joined) = (String::with_capacity(text.len()), Vec::new());
    let mut emoji = Emoji::default();
    for c in text.chars() {
        if !emoji.continues(c) {
            std::mem::take(&mut emoji).end(&mut rest, &mut joined);
            if is_emoji(c) {
                emoji.begin(c);
            } else {
                rest.push(c);
            }
        }
    }
    emoji.end(&mut rest, &mut joined);
    (Cow::Owned(rest), joined)
}

/// An emoji that is being read.
#[derive(Default)]
struct Emoji {
    /// As it is written.
    written: String,
    /// Its characters without skin tones and variants.
    parts: Vec<char>,
    /// Whether a joiner came last.
    open: bool,
}

impl Emoji {
    fn begin(&mut self, c: char) {
        self.written.push(c);
        self.parts.push(c);
    }

    /// Adds a character if it belongs to the emoji. Returns whether it does.
    fn continues(&mut self, c: char) -> bool {
        let belongs = match c {
            _ if self.parts.is_empty() => false,
            JOINER => !self.open,
            '\u{1F3FB}'..='\u{1F3FF}' | '\u{FE0F}' => true,
            _ => self.open && is_emoji(c) && self.parts.len() < MOST,
        };
        if belongs {
            self.written.push(c);
            self.open = c == JOINER;
            if is_emoji(c) {
                self.parts.push(c);
            }
        }
        belongs
    }

    /// A single character stays in the text.
    fn end(self, rest: &mut String, joined: &mut Vec<String>) {
        if self.parts.len() > 1 {
            let parts: Vec<String> = self.parts.iter().map(char::to_string).collect();
            joined.push(parts.join("\u{200D}"));
            rest.push(' ');
        } else {
            rest.push_str(&self.written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::take_joined;

    #[test]
    fn joined_emoji_are_one_term_and_the_text_around_them_is_kept() {
        for (text, rest, joined) in [
            ("so 👨‍👩‍👧 nice🔥", "so   nice🔥", vec!["👨‍👩‍👧"]),
            ("👩🏽‍💻👩‍💻 ❤️‍🔥", "     ", vec!["👩‍💻", "👩‍💻", "❤‍🔥"]),
            ("🔥👍🏽 🇩🇪 a\u{200D}b 🔥\u{200D}x", "🔥👍🏽 🇩🇪 a\u{200D}b 🔥\u{200D}x", vec![]),
        ] {
            let joined: Vec<String> = joined.into_iter().map(str::to_owned).collect();
            let rest: String = rest.to_owned();
            let (left, found) = take_joined(text);
            assert_eq!(
                (left.split_whitespace().collect::<Vec<_>>(), found),
                (rest.split_whitespace().collect(), joined)
            );
        }
        let long = ["🔥"; 20].join("\u{200D}");
        assert!(take_joined(&long).1.iter().all(|one| one.chars().count() < 16), "no term is longer than an emoji");
    }
}
