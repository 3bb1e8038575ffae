//! Word diff of two texts. Compares words, and single characters in scripts written without spaces; bounded for long
//! texts.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::model::whole_characters;

/// The most words on either side that are compared; a longer change is reported as one replacement.
const MOST: usize = 2_000;

/// A part of a diff.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// In both texts.
    Same(String),
    /// Only in the old text.
    Removed(String),
    /// Only in the new text.
    Added(String),
}

/// Splits a text into words, whitespace and other characters; joined they are the text.
fn tokenize(text: &str) -> Vec<&str> {
    let alone = |c: char| matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}');
    let kind = |c: char| match c {
        c if alone(c) => 0,
        c if c.is_whitespace() => 1,
        c if c.is_alphanumeric() || matches!(c, '_' | '\'' | '’') => 2,
        _ => 3,
    };
    let mut parts = Vec::new();
    let (mut begin, mut at, mut last) = (0, 0, None);
    for whole in whole_characters(text) {
        let this = whole.chars().next().map_or(3, kind);
        if last.is_some_and(|last| last != this || this == 0) {
            parts.extend(text.get(begin..at));
            begin = at;
        }
        last = Some(this);
        at += whole.len();
    }
    parts.extend(text.get(begin..).filter(|rest| !rest.is_empty()));
    parts
}

fn push(pieces: &mut Vec<Piece>, make: fn(String) -> Piece, parts: &[&str]) {
    if !parts.is_empty() {
        pieces.push(make(parts.concat()));
    }
}

/// Returns the diff from `before` to `after`. Without `Added` the pieces are `before`, without `Removed` they are
/// `after`.
#[must_use]
pub fn word_diff(before: &str, after: &str) -> Vec<Piece> {
    let (old, new) = (tokenize(before), tokenize(after));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (gone, come) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut pieces = Vec::new();
    push(&mut pieces, Piece::Same, &old[..head]);
    if gone.len() > MOST || come.len() > MOST {
        push(&mut pieces, Piece::Removed, gone);
        push(&mut pieces, Piece::Added, come);
    } else {
        for op in capture_diff_slices(Algorithm::Myers, gone, come) {
            match op {
                DiffOp::Equal { old_index, len, .. } => {
                    push(&mut pieces, Piece::Same, &gone[old_index..old_index + len]);
                }
                DiffOp::Delete { old_index, old_len, .. } => {
                    push(&mut pieces, Piece::Removed, &gone[old_index..old_index + old_len]);
                }
                DiffOp::Insert { new_index, new_len, .. } => {
                    push(&mut pieces, Piece::Added, &come[new_index..new_index + new_len]);
                }
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    push(&mut pieces, Piece::Removed, &gone[old_index..old_index + old_len]);
                    push(&mut pieces, Piece::Added, &come[new_index..new_index + new_len]);
                }
            }
        }
    }
    push(&mut pieces, Piece::Same, &old[old.len() - tail..]);
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn render_diff(before: &str, after: &str) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Same(text) => text.clone(),
            Piece::Removed(text) => format!("[-{text}-]"),
            Piece::Added(text) => format!("{{+{text}+}}"),
        };
        word_diff(before, after).iter().map(piece).collect()
    }

    #[test]
    fn a_diff_compares_words_not_letters() {
        for (before, after, expected) in [
            ("price is $10 now", "price is $12 now", "price is $[-10-]{+12+} now"),
            ("same", "same", "same"),
            ("", "new", "{+new+}"),
            ("old", "", "[-old-]"),
            ("it's fine", "it's not fine", "it's {+not +}fine"),
            ("今天发布", "今日发布", "今[-天-]{+日+}发布"),
            ("नमस्ते दुनिया", "नमस्कार दुनिया", "[-नमस्ते-]{+नमस्कार+} दुनिया"),
            ("ที่นี่ ดี", "ที่นี้ ดี", "ที่[-นี่-]{+นี้+} ดี"),
            ("cafe\u{301}s", "cafes", "[-cafe\u{301}s-]{+cafes+}"),
            ("می\u{200c}خواهم", "نمی\u{200c}خواهم", "[-می\u{200c}خواهم-]{+نمی\u{200c}خواهم+}"),
            ("1\u{fe0f}\u{20e3} one", "2\u{fe0f}\u{20e3} one", "[-1\u{fe0f}\u{20e3}-]{+2\u{fe0f}\u{20e3}+} one"),
        ] {
            assert_eq!(render_diff(before, after), expected);
        }
    }

    #[test]
    fn a_diff_of_long_texts_is_a_bounded_replacement() {
        let (before, after) = ("a ".repeat(50_000), "b ".repeat(60_000));
        assert_eq!(word_diff(&format!("x {before}"), &format!("x {after}")).len(), 4);
    }

    proptest! {
        #[test]
        fn diff_pieces_reproduce_both_texts(before in "(\\PC|[a-c ]|今){0,30}", after in "(\\PC|[a-c ]|今){0,30}") {
            let (mut old, mut new) = (String::new(), String::new());
            for piece in word_diff(&before, &after) {
                match piece {
                    Piece::Same(text) => { old.push_str(&text); new.push_str(&text); }
                    Piece::Removed(text) => old.push_str(&text),
                    Piece::Added(text) => new.push_str(&text),
                }
            }
            prop_assert_eq!(old, before);
            prop_assert_eq!(new, after);
        }
    }
}
