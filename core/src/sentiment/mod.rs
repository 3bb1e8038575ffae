//! Sentiment of a text: negative, neutral or positive, with probabilities, in the languages the model was trained on.
//! Pure, offline, deterministic. It is not the author's opinion of the topic (docs/explanation/sentiment.md).

mod emoticon;
pub mod features;
mod language;
mod language_words;
mod lexicon;
mod other_languages;
mod phrase_rules;
mod scorer;
pub mod text;
pub mod valence;
pub mod weights;

pub use language::{Detected, detect};
pub use scorer::{Score, judge, score, score_with, score_without_rules, weighted_sums};

/// The scorer's version. Change it whenever the same text could get another score. Scores of different versions cannot
/// be combined: readers use the version that scored most items; `topicwatch db rescore` rescores all items with this
/// one.
pub const VERSION: &str = "builtin-4";

/// The languages the model was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lang {
    English,
    German,
    French,
    Italian,
    Portuguese,
    Spanish,
    /// Hindi in Latin script.
    Hindi,
    Arabic,
}

impl Lang {
    /// All languages, in the order of the weights.
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Italian,
        Self::Portuguese,
        Self::Spanish,
        Self::Hindi,
        Self::Arabic,
    ];

    /// The ISO 639-1 code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Italian => "it",
            Self::Portuguese => "pt",
            Self::Spanish => "es",
            Self::Hindi => "hi",
            Self::Arabic => "ar",
        }
    }
}
