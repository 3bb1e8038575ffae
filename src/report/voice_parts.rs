//! Share of voice over time: each topic's part of the unique items of each day of a week, or each week of a month. The shares
//! of the whole period are `voice`'s.

use super::facts::TopicFacts;
use super::format;
use super::measures::{Voice, WHOLE};
use crate::insight::daily::{Share, share};
use crate::model::Span;

/// A day of a week or a week of a month, and whose voice was heard in it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct VoicePart {
    /// `2026-03-16` or `2026-W12`.
    pub name: String,
    pub span: Span,
    /// Unique items of all topics; an item that two found counts for both.
    pub unique: u64,
    /// What was covered of it for the topic with the least, 0..1; `None` where searches were pruned.
    pub covered: Option<f64>,
    /// In the order of the shares of the whole period.
    pub topics: Vec<VoiceCell>,
}

/// A topic's part.
#[derive(Debug, Clone, serde::Serialize)]
pub struct VoiceCell {
    pub topic: String,
    /// There may be more of it than is counted, …
    pub at_least: bool,
    /// … or of another.
    pub others_at_least: bool,
    /// Its share of unique items; `None` of nothing.
    pub unique: Option<Share>,
}

impl VoiceCell {
    /// `≥ 42% (12)`.
    pub(super) fn words(&self) -> String {
        format::part(self.unique, self.at_least, self.others_at_least)
    }
}

impl VoicePart {
    /// How it is called where there is little room: `03-16` or `W12`.
    pub(super) fn short(&self) -> &str {
        self.name.get(5..).unwrap_or(&self.name)
    }

    /// Whether too little of it was covered for one of the topics for shares to say much.
    pub(super) fn is_thin(&self) -> bool {
        self.covered.is_none_or(|covered| covered < WHOLE)
    }

    /// `≥ 55`: there may be more where there may be more of one topic.
    pub(super) fn unique_words(&self) -> String {
        format::at_least(self.unique, self.topics.iter().any(|cell| cell.at_least))
    }

    /// What was covered of it, in words.
    pub(super) fn covered_words(&self) -> String {
        self.covered.map_or(format::NOT_KEPT.to_owned(), format::percent)
    }
}

/// Each topic's part of each part of a week or month, in the order of their shares of the whole; none of a day, or of a single
/// topic.
pub(super) fn of(topics: &[&TopicFacts], voices: &[Voice]) -> Vec<VoicePart> {
    if topics.len() < 2 {
        return Vec::new();
    }
    let order: Vec<&TopicFacts> =
        voices.iter().filter_map(|voice| topics.iter().copied().find(|topic| topic.id == voice.topic)).collect();
    let parts = order.iter().filter_map(|topic| topic.calendar.as_ref()).map(|calendar| calendar.parts.len()).min();
    (0..parts.unwrap_or(0)).filter_map(|place| part(&order, place)).collect()
}

fn part(order: &[&TopicFacts], place: usize) -> Option<VoicePart> {
    let parts: Vec<_> = order.iter().filter_map(|topic| topic.calendar.as_ref()?.parts.get(place)).collect();
    let whole = parts.iter().map(|part| part.unique).sum();
    let full = parts.iter().filter(|part| part.at_least).count();
    let cells = order.iter().zip(&parts).map(|(topic, part)| VoiceCell {
        topic: topic.id.clone(),
        at_least: part.at_least,
        others_at_least: full > usize::from(part.at_least),
        unique: share(part.unique, whole),
    });
    let first = parts.first()?;
    Some(VoicePart {
        name: first.name.clone(),
        span: first.span,
        unique: whole,
        covered: parts.iter().map(|part| part.covered).try_fold(1.0, |least: f64, covered| Some(least.min(covered?))),
        topics: cells.collect(),
    })
}
