//! The tone of a text, as stored with an item. `sentiment` computes it.

use crate::model::closed_list;

closed_list! {
    /// The tone of a text.
    Tone {
        Negative = "negative",
        /// Neither, or both equally.
        Neutral = "neutral",
        Positive = "positive",
        /// No text, or a language that the scorer does not support. Never counted as neutral.
        Unsupported = "unsupported",
    }
}

/// The tone of an item's text and the scorer that computed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToneScore {
    pub tone: Tone,
    /// From -1000 to 1000; `None` if unsupported.
    pub score: Option<i64>,
    /// The scorer's version. Scores of different versions cannot be compared.
    pub scorer: &'static str,
}

/// A scorer: computes the tone of an item's title and text.
pub type Scorer = fn(title: Option<&str>, text: Option<&str>) -> ToneScore;
