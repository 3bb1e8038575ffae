//! An item to learn from, and its mark.

use super::Features;

/// An item to learn from.
#[derive(Debug, Clone)]
pub struct TrainingItem<'a> {
    /// Its key; items are sorted by it.
    pub key: &'a str,
    pub features: &'a Features,
    pub mark: Option<TrainingMark>,
}

/// The mark of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrainingMark {
    /// Good, or else noise.
    pub good: bool,
    /// Whether [`suggest`](super::suggest) had named the item. If not, a person chose it after reading it.
    pub suggested: bool,
}

/// Each item once, by key, so that the order in which they were read does not matter.
pub(super) fn sorted<'i, 'a>(items: &'i [TrainingItem<'a>]) -> Vec<&'i TrainingItem<'a>> {
    let mut items: Vec<&TrainingItem<'_>> = items.iter().collect();
    items.sort_by_key(|item| item.key);
    items.dedup_by_key(|item| item.key);
    items
}

/// The marks, with the index of each item.
pub(super) fn marks(items: &[&TrainingItem<'_>]) -> Vec<(usize, TrainingMark)> {
    items.iter().enumerate().filter_map(|(place, item)| Some((place, item.mark?))).collect()
}

/// The labels that the weights are learned from: they do not depend on why an item was marked.
pub(super) fn labels<'m>(marks: impl IntoIterator<Item = &'m (usize, TrainingMark)>) -> Vec<(usize, bool)> {
    marks.into_iter().map(|(place, mark)| (*place, mark.good)).collect()
}
