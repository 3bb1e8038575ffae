//! Share of voice over time: each topic's share of the unique items for each day of a week, or each week of a month.
//! `voice` has the shares of the whole period.

use crate::insight::daily::{Share, share};
use crate::model::Span;
use crate::report::comparison::calendar::PartFacts;
use crate::report::comparison::measures::{Voice, WHOLE};
use crate::report::coverage::is_nothing;
use crate::report::facts::TopicFacts;
use crate::report::format;

/// A day of a week or a week of a month, with the topics' shares.
#[derive(Debug, Clone, serde::Serialize)]
pub struct VoicePart {
    /// `2026-03-16` or `2026-W12`.
    pub name: String,
    pub span: Span,
    /// Unique items of all topics, of the sources that are counted. An item found by two topics counts for both.
    pub unique: u64,
    /// The covered share, 0..1, of the topic with the least coverage; `None` if searches were pruned.
    pub covered: Option<f64>,
    /// In the order of the shares in the whole period.
    pub topics: Vec<VoiceCell>,
}

/// A topic's share in one part.
#[derive(Debug, Clone, serde::Serialize)]
pub struct VoiceCell {
    pub topic: String,
    /// Whether it may have more items than are counted, …
    pub at_least: bool,
    /// … or another topic may.
    pub others_at_least: bool,
    /// Its share of unique items; `None` if there are none, or if nothing is known about the topic.
    pub unique: Option<Share>,
}

impl VoiceCell {
    /// Formats the share without its count, such as `≥ 42%`.
    pub(in crate::report) fn label(&self) -> String {
        format::bounded_share(self.unique, self.at_least, self.others_at_least)
    }

    /// Formats the share, such as `≥ 42% (12)`.
    pub(in crate::report) fn words(&self) -> String {
        format::share_with_count(self.unique, self.at_least, self.others_at_least)
    }
}

impl VoicePart {
    /// Returns a short name: `03-16` or `W12`.
    pub(in crate::report) fn short(&self) -> &str {
        self.name.get(5..).unwrap_or(&self.name)
    }

    /// Whether too little of it was covered for one of the topics to make the shares meaningful.
    pub(in crate::report) fn is_thin(&self) -> bool {
        self.covered.is_none_or(|covered| covered < WHOLE)
    }

    /// Formats the number of unique items, such as `≥ 55` if one of the topics may have more.
    pub(in crate::report) fn unique_words(&self) -> String {
        format::at_least(self.unique, self.topics.iter().any(|cell| cell.at_least))
    }

    /// Formats the share covered.
    pub(in crate::report) fn covered_words(&self) -> String {
        self.covered.map_or(format::NOT_KEPT.to_owned(), format::percent)
    }
}

impl PartFacts {
    /// Whether nothing was searched in it and no item of it is known.
    fn is_uncovered(&self) -> bool {
        self.raw == 0 && is_nothing(self.covered)
    }
}

/// Returns the topics' shares for each part of a week or month, in the order of their shares in the whole period. Empty
/// for a day or a single topic.
pub(in crate::report) fn of(topics: &[&TopicFacts], voices: &[Voice]) -> Vec<VoicePart> {
    if topics.len() < 2 {
        return Vec::new();
    }
    let order: Vec<&TopicFacts> =
        voices.iter().filter_map(|voice| topics.iter().copied().find(|topic| topic.id == voice.topic)).collect();
    let parts = order.iter().filter_map(|topic| topic.calendar.as_ref()).map(|calendar| calendar.parts.len()).min();
    (0..parts.unwrap_or(0)).filter_map(|place| voice_part(&order, place)).collect()
}

fn voice_part(order: &[&TopicFacts], place: usize) -> Option<VoicePart> {
    let parts: Vec<_> = order.iter().filter_map(|topic| topic.calendar.as_ref()?.parts.get(place)).collect();
    let total = parts.iter().map(|part| part.voice.unwrap_or(part.unique)).sum();
    let open_ended = parts.iter().filter(|part| part.has_gaps).count();
    let cells = order.iter().zip(&parts).map(|(topic, part)| VoiceCell {
        topic: topic.id.clone(),
        at_least: part.has_gaps,
        others_at_least: open_ended > usize::from(part.has_gaps),
        unique: share(part.voice.unwrap_or(part.unique), total).filter(|_| !part.is_uncovered()),
    });
    let first = parts.first()?;
    Some(VoicePart {
        name: first.name.clone(),
        span: first.span,
        unique: total,
        covered: parts.iter().map(|part| part.covered).try_fold(1.0, |least: f64, covered| Some(least.min(covered?))),
        topics: cells.collect(),
    })
}
