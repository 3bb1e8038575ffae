//! Applies the filters of topics to rows that are shown, and counts how many they hide.

use std::collections::{BTreeMap, HashMap};

use super::filter_of;
use crate::filter::Filter;
use crate::model::{CopyRow, Source, closed_list};
use crate::store::{FirstSightingRow, ItemRow, SightingRow, Store, StoreError};

closed_list! {
    /// What to do with rows that a topic's filter hides.
    FilterMode {
        /// Leave them out.
        Hide = "hide",
        /// Show them like all others.
        Keep = "keep",
        /// Show only them.
        Only = "only",
    }
}

/// The filters of topics, and what to do with the rows they hide.
#[derive(Debug)]
pub struct RowFilter {
    filters: HashMap<String, Filter>,
    mode: FilterMode,
    hidden: u64,
}

impl RowFilter {
    /// Reads the filters of these topics, or of all if none are given.
    pub async fn of(store: &Store, topics: &[String], mode: FilterMode) -> Result<Self, StoreError> {
        let watched = store.watched_topics(topics).await?;
        let definitions = watched.into_iter().filter_map(|watched| watched.definition);
        let filters = definitions.map(|topic| (filter_of(&topic), topic.id)).filter(|(filter, _)| !filter.is_empty());
        Ok(Self { filters: filters.map(|(filter, id)| (id, filter)).collect(), mode, hidden: 0 })
    }

    /// A filter that hides nothing.
    #[must_use]
    pub fn none() -> Self {
        Self { filters: HashMap::new(), mode: FilterMode::Keep, hidden: 0 }
    }

    /// Whether any topic has a filter.
    #[must_use]
    pub fn has_filters(&self) -> bool {
        !self.filters.is_empty()
    }

    /// The treatment of hidden rows, in words.
    #[must_use]
    pub fn mode(&self) -> &'static str {
        match self.mode {
            FilterMode::Hide => "left out",
            FilterMode::Keep => "included",
            FilterMode::Only => "only these",
        }
    }

    /// How many of the checked rows a filter hides, shown or not.
    #[must_use]
    pub fn hidden_count(&self) -> u64 {
        self.hidden
    }

    /// Whether to show an item.
    pub fn shows_item(&mut self, row: &ItemRow) -> bool {
        self.shows(&row.topic, [&row.title, &row.text, &row.author, &row.lang])
    }

    /// The same without counting the item: it is no row of its own.
    #[must_use]
    pub fn would_show_item(&self, row: &ItemRow) -> bool {
        self.mode_shows(self.passes(&row.topic, [&row.title, &row.text, &row.author, &row.lang]))
    }

    /// Whether it leaves anything out.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        self.has_filters() && self.mode != FilterMode::Keep
    }

    /// Whether to show a near-copy of an item in a topic's list. It is not counted.
    #[must_use]
    pub fn would_show_copy(&self, topic: &str, copy: &CopyRow) -> bool {
        self.mode_shows(self.passes(topic, [&copy.title, &copy.text, &copy.author, &copy.lang]))
    }

    /// Whether to show a sighting.
    pub fn shows_sighting(&mut self, row: &SightingRow) -> bool {
        self.shows(&row.topic, [&row.title, &row.text, &row.author, &row.lang])
    }

    /// Whether to show an item at its first sighting.
    pub fn shows_new_item(&mut self, row: &FirstSightingRow) -> bool {
        self.shows(&row.topic, [&row.title, &row.text, &row.author, &row.lang])
    }

    /// Undoes the count of a checked item, because it is not shown after all.
    pub fn uncount_new_item(&mut self, row: &FirstSightingRow) {
        let passes = self.passes(&row.topic, [&row.title, &row.text, &row.author, &row.lang]);
        self.hidden = self.hidden.saturating_sub(u64::from(!passes));
    }

    fn passes(&self, topic: &str, [title, text, author, lang]: [&Option<String>; 4]) -> bool {
        self.filters
            .get(topic)
            .is_none_or(|filter| filter.passes(title.as_deref(), text.as_deref(), author.as_deref(), lang.as_deref()))
    }

    fn shows(&mut self, topic: &str, fields: [&Option<String>; 4]) -> bool {
        let passes = self.passes(topic, fields);
        self.hidden += u64::from(!passes);
        self.mode_shows(passes)
    }

    fn mode_shows(&self, passes: bool) -> bool {
        match self.mode {
            FilterMode::Hide => passes,
            FilterMode::Keep => true,
            FilterMode::Only => !passes,
        }
    }
}

/// Counts the new items that the filters of topics hide: for each run, by the source that counted the item as new.
/// Each run comes with its topic.
pub async fn hidden_new(
    store: &Store,
    runs: &[(&str, &str)],
) -> Result<HashMap<String, BTreeMap<Source, i64>>, StoreError> {
    let mut topics: Vec<String> = runs.iter().map(|(_, topic)| (*topic).to_owned()).collect();
    topics.sort_unstable();
    topics.dedup();
    let mut row_filter = RowFilter::of(store, &topics, FilterMode::Hide).await?;
    let mut all = HashMap::new();
    for (run, topic) in runs {
        if !row_filter.filters.contains_key(*topic) {
            continue;
        }
        // The ledger counts an item once, for the first of the sources that showed it.
        let mut counted: HashMap<String, Source> = HashMap::new();
        for row in store.sightings_of(run).await?.into_iter().filter(|row| row.new) {
            if !row_filter.shows_sighting(&row) {
                let source = counted.entry(row.key).or_insert(row.source);
                *source = row.source.min(*source);
            }
        }
        let hidden: &mut BTreeMap<Source, i64> = all.entry((*run).to_owned()).or_default();
        for source in counted.into_values() {
            *hidden.entry(source).or_default() += 1;
        }
    }
    Ok(all)
}
