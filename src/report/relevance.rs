//! What a report says about posts that hold no word of the question that found them.

use super::facts::TopicFacts;
use super::format::{counted, number, percent};

impl TopicFacts {
    /// Returns a sentence such as `97 of 100 posts hold no word of the question: judge before you quote.`
    pub(super) fn relevance_sentence(&self) -> Option<String> {
        let without = self.relevance.many()?;
        let usual = self.relevance.usual.map_or_else(String::new, |usual| {
            format!(" ({} expected, by {})", percent(usual.expected), counted(usual.samples as u64, "earlier day"))
        });
        let (part, whole) = (number(without.part), counted(without.whole, "post"));
        Some(format!("{part} of {whole} hold no word of the question{usual}: judge before you quote."))
    }

    /// Whether it is reported among what matters.
    pub(super) fn is_told_astray(&self) -> bool {
        if self.calendar.is_some() { self.relevance.is_far_astray() } else { self.relevance.is_astray() }
    }

    /// Whether the query changed, or the posts are not about it: volume and tone are then not compared.
    pub(super) fn asked_or_answered_otherwise(&self) -> bool {
        self.asked_otherwise() || self.relevance.is_astray()
    }
}
