//! How a text sounds, as it is kept with an item; who judges is `sentiment`'s business.

use super::closed_list;

closed_list! {
    /// How a text sounds.
    Tone {
        Negative = "negative",
        /// Neither, or both alike.
        Neutral = "neutral",
        Positive = "positive",
        /// In a language the scorer does not know, or nothing to read; never counted as neutral.
        Unsupported = "unsupported",
    }
}

/// What a scorer said of an item's words, and which scorer it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    pub tone: Tone,
    /// From -1000 to 1000; absent when unsupported.
    pub score: Option<i64>,
    /// The scorer's version. Scores of different versions cannot be compared.
    pub scorer: &'static str,
}

/// A scorer as the store is handed one: from an item's title and text to a judgement.
pub type Judge = fn(title: Option<&str>, text: Option<&str>) -> Judged;
