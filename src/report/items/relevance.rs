//! The sentence about posts that hold no word of the question that found them.

use crate::report::facts::TopicFacts;
use crate::report::format::{count_noun, number, percent};

impl TopicFacts {
    /// Returns a sentence such as `97 of 100 posts contain no word of the query: check them before you quote.`
    pub(in crate::report) fn relevance_sentence(&self) -> Option<String> {
        let without = self.relevance.high_share()?;
        let usual = self.relevance.usual.map_or_else(String::new, |usual| {
            format!(
                " ({} expected, based on {})",
                percent(usual.expected),
                count_noun(usual.samples as u64, "earlier day")
            )
        });
        let latest = if self.relevance.beyond > 0 { "the latest " } else { "" };
        let (part, total) = (number(without.part), count_noun(without.whole, "post"));
        let unread = match self.relevance.unread {
            0 => String::new(),
            1 => " 1 more post has no stored text.".to_owned(),
            many => format!(" {} more posts have no stored text.", number(many)),
        };
        Some(format!(
            "{part} of {latest}{total} contain no word of the query{usual}: check them before you quote.{unread}"
        ))
    }

    /// Whether it is reported among what matters.
    pub(in crate::report) fn reports_irrelevance(&self) -> bool {
        if self.calendar.is_some() { self.relevance.is_clearly_off_topic() } else { self.relevance.is_off_topic() }
    }

    /// Whether the query changed, or the posts are not about it: volume and tone are then not compared.
    pub(in crate::report) fn is_not_comparable(&self) -> bool {
        self.query_changed() || self.relevance.is_off_topic()
    }
}
