//! Topics as the ledger knows them: their stored definitions, and which of them a planner has to look at.

use std::time::Duration;

use crate::model::{Time, Topic};
use crate::store::{Nature, PlannedTopic, Store, StoreError};

impl Store {
    /// What it holds; `None` before anything was stored.
    pub async fn nature(&self) -> Result<Option<Nature>, StoreError> {
        read!(self, topics::nature())
    }

    /// Makes the stored definitions equal to these: new topics begin at `now` (never retroactive), a changed schedule
    /// too, topics that are gone are marked and their queued runs cancelled. Returns how many changed.
    pub async fn sync_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, topics::sync(topics, now, true))?.sum())
    }

    /// The same without removing any: for whoever runs topics by hand, perhaps of another file, beside a daemon.
    pub async fn add_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, topics::sync(topics, now, false))?.sum())
    }

    /// Scheduled topics that a planner has to look at: those with a slot up to `now`, those that nobody has looked at
    /// since they began or changed, and those planned more than `ahead` into the future. What it costs does not grow with
    /// the topics that wait for later.
    pub async fn topics_to_plan(
        &self,
        now: Time,
        ahead: Duration,
        limit: u32,
    ) -> Result<Vec<PlannedTopic>, StoreError> {
        read!(self, topics::to_plan(now, ahead, limit))
    }

    /// Topics and other jobs and their next slots, the next one first.
    pub async fn next_slots(&self, limit: u32) -> Result<Vec<(String, Time)>, StoreError> {
        read!(self, topics::next_slots(limit))
    }
}
