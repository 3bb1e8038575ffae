//! What a report says of posts that hold no word of the question that found them.

use super::facts::TopicFacts;
use super::format::{counted, number, percent};

/// By how much the share of a week or month must lie above what is expected.
const FAR: f64 = 0.1;

impl TopicFacts {
    /// `97 of 100 posts hold no word of the question: judge before you quote.`
    pub(super) fn relevance_sentence(&self) -> Option<String> {
        let without = self.relevance.many()?;
        let usual = self.relevance.usual.map_or_else(String::new, |usual| {
            format!(" ({} expected, by {})", percent(usual.expected), counted(usual.samples as u64, "earlier day"))
        });
        let (part, whole) = (number(without.part), counted(without.whole, "post"));
        Some(format!("{part} of {whole} hold no word of the question{usual}: judge before you quote."))
    }

    /// Whether that matters. What is expected rests on days: the many posts of a week or month may lie outside of it by little,
    /// which says nothing.
    pub(super) fn is_told_astray(&self) -> bool {
        let far = || {
            let beyond = self.relevance.many().zip(self.relevance.usual);
            beyond.is_none_or(|(without, usual)| without.share - usual.expected >= FAR)
        };
        self.relevance.is_astray() && (self.calendar.is_none() || far())
    }

    /// Whether another question was asked, or the posts are not about the one that was: volume and tone are not compared.
    pub(super) fn asked_or_answered_otherwise(&self) -> bool {
        self.asked_otherwise() || self.relevance.is_astray()
    }
}
