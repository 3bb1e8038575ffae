//! Reads the rows behind numbers of pages: what a run found, and what is new since an instant.

use crate::model::{Source, Span, Time};
use crate::store::{RunItem, RunItems, Store, StoreError};

impl Store {
    /// Returns items of a run, in the order of sources and ranks; of all sources, or of one. `page` is how many to skip
    /// and how many to return. A new item counts for the first source that showed it.
    pub async fn run_items(
        &self,
        run: &str,
        which: RunItems,
        source: Option<Source>,
        page: (i64, i64),
    ) -> Result<Vec<RunItem>, StoreError> {
        read!(self, counted_rows::run_items(run, which, source, page))
    }

    /// Returns how many these are.
    pub async fn count_run_items(&self, run: &str, which: RunItems, source: Option<Source>) -> Result<i64, StoreError> {
        read!(self, counted_rows::count_run_items(run, which, source))
    }

    /// Returns the keys of a topic's items that topic cards count as new since an instant, or of the baselines that
    /// they count apart; the latest first, at most `most`.
    pub async fn new_item_keys(
        &self,
        topic: &str,
        since: Time,
        baseline: bool,
        most: u32,
    ) -> Result<Vec<String>, StoreError> {
        read!(self, counted_rows::new_item_keys(topic, since, baseline, i64::from(most)))
    }

    /// Returns the keys of a topic's items that count in a span; those first seen last come first, at most `most`.
    pub async fn counted_item_keys(&self, topic: &str, span: Span, most: u32) -> Result<Vec<String>, StoreError> {
        read!(self, counted_rows::counted_item_keys(topic, span, i64::from(most)))
    }
}
