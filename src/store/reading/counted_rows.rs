//! Reads the rows behind numbers of pages: what a run found, and what is new since an instant.

use crate::model::{ItemRow, Source, Time, closed_list};
use crate::store::{Store, StoreError};

closed_list! {
    /// Which of a run's findings are listed.
    RunItems {
        /// What its sources showed: an item once for each of them.
        Found = "found",
        /// Those of `found` that do not count as seen first: the ledger's duplicates.
        Known = "known",
        /// Items that it saw first: those of the next three together.
        First = "first",
        /// New ones.
        New = "new",
        /// Those of a first answer.
        Baseline = "baseline",
        /// Those older than the window.
        Older = "older",
    }
}

/// An item of a run.
#[derive(Debug, Clone)]
pub struct RunItem {
    /// The source that showed it; `None` if that is not kept.
    pub source: Option<Source>,
    pub row: ItemRow,
}

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
}
