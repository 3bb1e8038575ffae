//! How a text sounds: negative, neutral or positive, with probabilities, in the languages the model was trained on. Pure,
//! offline, and the same on every machine. What it is not: an opinion on the topic a text is about (docs/explanation/sentiment.md).

mod complaints;
mod emoticon;
pub mod features;
mod language;
mod language_words;
mod lexicon;
mod other_languages;
mod scorer;
pub mod text;
pub mod valence;
pub mod weights;

pub use language::{Detected, detect};
pub use scorer::{Scored, judge, learned, score, score_with, sums};

/// The scorer's version: another one whenever the same text could get another score. Scores of different versions must not
/// be put together: readers take those of the version that judged most; `topicwatch db rescore` brings all up to this one.
pub const VERSION: &str = "builtin-4";

/// Languages the model was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lang {
    English,
    German,
    French,
    Italian,
    Portuguese,
    Spanish,
    /// Hindi in Latin letters.
    Hindi,
    Arabic,
}

impl Lang {
    /// Each of them; the order is that of the weights.
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

    /// ISO 639-1.
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
