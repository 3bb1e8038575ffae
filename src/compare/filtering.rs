//! Applies a topic's filter to items that will be counted. Reads their words from the same moment, and only if there
//! is a filter.

use std::collections::BTreeSet;

use super::filter_of;
use crate::model::{CountedItem, Time, Topic};
use crate::store::{ReadSnapshot, Store, StoreError};

/// Items whose words are read at a time.
const CHUNK: usize = 2_000;

/// Items, split by a filter.
#[derive(Debug, Default)]
pub struct FilteredItems {
    /// Items that pass, including those that the filter cannot judge because their text was pruned.
    pub passed: Vec<CountedItem>,
    /// Items that the filter hides.
    pub hidden: Vec<CountedItem>,
    /// Keys of the passed items whose words were pruned although the filter needs them.
    pub unjudged: BTreeSet<String>,
}

impl FilteredItems {
    /// From when on the filter could judge all items. Days before that cannot be compared with later ones. `None` if it
    /// could judge all.
    #[must_use]
    pub fn judged_from(&self) -> Option<Time> {
        let unjudged = self.passed.iter().filter(|mark| self.unjudged.contains(&mark.key));
        unjudged.map(|mark| Time(mark.moment().0.saturating_add(1))).max()
    }
}

/// Whether one of these topics has a filter. Counts of runs ignore filters.
pub async fn any_filter(store: &Store, topics: &[String]) -> Result<bool, StoreError> {
    // An empty list would mean every topic.
    let watched = if topics.is_empty() { Vec::new() } else { store.watched_topics(topics).await? };
    Ok(watched.iter().filter_map(|one| one.definition.as_ref()).any(|topic| !topic.filter.is_none()))
}

/// Splits items into those that pass the topic's filter and those it hides.
pub async fn apply_filter(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    marks: Vec<CountedItem>,
) -> Result<FilteredItems, StoreError> {
    if topic.filter.is_none() {
        return Ok(FilteredItems { passed: marks, ..FilteredItems::default() });
    }
    let filter = filter_of(topic);
    let mut filtered = FilteredItems::default();
    for marks in marks.chunks(CHUNK) {
        let keys: Vec<String> = marks.iter().map(|mark| mark.key.clone()).collect();
        let words = snapshot.words(&keys).await?;
        for mark in marks {
            let found = words.binary_search_by(|words| words.key.cmp(&mark.key)).ok().and_then(|at| words.get(at));
            let passes = found.is_none_or(|w| {
                filter.passes(w.title.as_deref(), w.text.as_deref(), w.author.as_deref(), w.lang.as_deref())
            });
            if passes && found.is_some_and(|words| words.pruned) && filter.needs_text() {
                filtered.unjudged.insert(mark.key.clone());
            }
            (if passes { &mut filtered.passed } else { &mut filtered.hidden }).push(mark.clone());
        }
    }
    Ok(filtered)
}
