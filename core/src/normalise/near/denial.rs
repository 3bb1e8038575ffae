//! Detects in the words before or after a text that all of it is not true: "It is not true that …", "BREAKING: false: …",
//! "… - NOT".

use super::word_sense::{self, DenialRole};
use super::word_sequence::{Word, WordSort, hashed};

/// The role of a word in a denial of a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InDenial {
    Not,
    No,
    /// Denies alone.
    False,
    Denied,
    Around,
    Asking,
    Label,
}

/// Whether the words before or after a text only say that it is not true. Before it, other words may come first: "@ann
/// says: fake news: …". A remark that contains a negation ("can't believe it: …", "no way!", "…, no?") is no denial.
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
    let is_either = |word: &Word| word.role == Some(DenialRole::Either);
    others.iter().any(|word| word.sort == WordSort::Negation) || others.last().is_some_and(is_either)
}

/// Whether the texts differ only in one word that says in one of them that something is not real: "fake" for
/// "counterfeit". A label does not count: "fake: …" denies what "breaking: …" says.
pub(super) fn is_exchange(a: &[Word], b: &[Word]) -> bool {
    let ([a], [b]) = (a, b) else { return false };
    let is_other = |word: &Word| matches!(word.sort, WordSort::Plain | WordSort::Name) && in_denial(word).is_none();
    let is_denied = |one: &Word, other: &Word| in_denial(one) == Some(InDenial::False) && is_other(other);
    is_denied(a, b) || is_denied(b, a)
}

/// Whether it asks: "is it not true?", also after a label. "The video is fake" does not.
fn asks(denial: &[InDenial], is_start: bool) -> bool {
    let about_it = denial.get(1).is_none_or(|next| *next == InDenial::Around);
    denial.first() == Some(&InDenial::Asking) && (is_start || about_it)
}

fn in_denial(word: &Word) -> Option<InDenial> {
    match word.sort {
        WordSort::Negation if word.hash == hashed("no") => Some(InDenial::No),
        WordSort::Negation => Some(InDenial::Not),
        WordSort::Opposite if word_sense::says_false(word.hash) => Some(InDenial::False),
        WordSort::Opposite if word_sense::says_false(word.hash + 1) => Some(InDenial::Denied),
        WordSort::Opposite | WordSort::Number | WordSort::Character => None,
        WordSort::Plain | WordSort::Name => match word.role? {
            DenialRole::Label => Some(InDenial::Label),
            DenialRole::Around => Some(InDenial::Around),
            DenialRole::Denied => Some(InDenial::Denied),
            DenialRole::Asking => Some(InDenial::Asking),
            DenialRole::Either => None,
        },
    }
}
