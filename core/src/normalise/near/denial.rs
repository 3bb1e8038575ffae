//! Detects in the words before or after a text that all of it is not true: "It is not true that …", "BREAKING: false: …",
//! "… - NOT".

use std::collections::HashMap;
use std::sync::LazyLock;

use super::word_sense;
use super::word_sequence::{Word, WordSort, hashed};

/// What a word does in a denial of a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InDenial {
    Not,
    No,
    /// Denies with a negation.
    Denied,
    /// Denies alone.
    False,
    /// Adds nothing.
    Around,
    /// Adds nothing; at the start it asks.
    Asking,
    /// Adds nothing, and may come first.
    Label,
}

/// Whether words before or after a whole text say nothing but that it is not true. Before it, other words may come
/// first: "@ann says: fake news: …". A remark that contains a negation ("can't believe it: …", "no way!", "…, no?") is no
/// denial.
pub(super) fn denies(words: &[Word], before: bool) -> bool {
    let roles: Vec<Option<InDenial>> = words.iter().map(in_denial).collect();
    let first = roles.iter().rposition(Option::is_none).map_or(0, |at| at + 1);
    let others = words.get(..first).unwrap_or_default();
    if !others.is_empty() && (!before || leaves_open(others)) {
        return false;
    }
    let roles: Vec<InDenial> = roles.into_iter().skip(first).flatten().collect();
    let labels = roles.iter().take_while(|role| **role == InDenial::Label).count();
    let denial = roles.get(labels..).unwrap_or_default();
    if before && asks(denial, others.is_empty() && labels == 0) {
        return false;
    }
    let has = |role| denial.contains(&role);
    let negates = has(InDenial::Not) || has(InDenial::No);
    if denial.iter().all(|role| matches!(role, InDenial::Not | InDenial::No)) {
        return others.is_empty() && (before && denial.len() == 1 || has(InDenial::Not));
    }
    // "No fake: …" affirms it.
    if has(InDenial::False) { !negates } else { negates && has(InDenial::Denied) }
}

/// Whether other words before a denial take it back: "I don't think it is fake: …", "true or false: …".
fn leaves_open(others: &[Word]) -> bool {
    let is_either = |word: &Word| word_sense::EITHER.split_whitespace().any(|either| hashed(either) == word.hash);
    others.iter().any(|word| word.sort == WordSort::Negation) || others.last().is_some_and(is_either)
}

/// Whether it asks: "is it not true?", also after a label. "The video is fake" does not.
fn asks(denial: &[InDenial], is_start: bool) -> bool {
    let about_it = denial.get(1).is_none_or(|next| *next == InDenial::Around);
    denial.first() == Some(&InDenial::Asking) && (is_start || about_it)
}

fn in_denial(word: &Word) -> Option<InDenial> {
    static WORDS: LazyLock<HashMap<u16, InDenial>> = LazyLock::new(|| {
        let of = |list: &'static str, what| list.split_whitespace().map(move |word| (hashed(word), what));
        let labels = of(word_sense::LABELS, InDenial::Label);
        let around = of(word_sense::AROUND_DENIAL, InDenial::Around);
        let denied = of(word_sense::DENIED, InDenial::Denied);
        let asking = word_sense::ASKING.into_iter().map(|word| (hashed(word), InDenial::Asking));
        labels.chain(around).chain(denied).chain(asking).collect()
    });
    match word.sort {
        WordSort::Negation if word.hash == hashed("no") => Some(InDenial::No),
        WordSort::Negation => Some(InDenial::Not),
        WordSort::Opposite if word_sense::says_false(word.hash) => Some(InDenial::False),
        WordSort::Opposite if word_sense::says_false(word.hash + 1) => Some(InDenial::Denied),
        WordSort::Plain | WordSort::Name => WORDS.get(&word.hash).copied(),
        _ => None,
    }
}
