//! The stored definitions of topics, and what the database holds at all.

use std::collections::HashSet;

use crate::model::{Time, Topic};
use crate::store::{Nature, Set, Store, StoreError};

impl Store {
    /// What it holds; `None` before anything was stored.
    pub async fn nature(&self) -> Result<Option<Nature>, StoreError> {
        read!(self, info::nature())
    }

    /// Makes the stored definitions equal to these: new topics begin at `now` (never retroactive), a changed schedule
    /// too, topics that are gone are marked and their queued runs cancelled. Returns how many changed.
    pub async fn sync_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, sync::topics(topics, now, true))?.sum())
    }

    /// The same without removing any: for whoever runs topics by hand, perhaps of another file, beside a daemon.
    pub async fn add_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, sync::topics(topics, now, false))?.sum())
    }

    /// The jobs in force whose slots would be forgotten if this set came in force: their schedule is another in it, or
    /// (`removes`) it does not hold them.
    pub async fn left_behind<'a>(&self, set: impl Into<Set<'a>>, removes: bool) -> Result<HashSet<String>, StoreError> {
        let set = set.into();
        read!(self, planned::left_behind(set, removes))
    }

    /// How far the ledger is planned, as far as that is before an end.
    pub async fn planned_until(&self, end: Time) -> Result<Option<Time>, StoreError> {
        read!(self, planned::until(end))
    }

    /// The stored definitions of all topics that are watched now, by id.
    pub async fn definitions(&self) -> Result<Vec<Topic>, StoreError> {
        read!(self, topics::definitions())
    }
}
