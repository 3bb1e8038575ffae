//! The stored definitions of topics, and the origin of the database.

use std::collections::HashSet;

use crate::model::{Time, Topic};
use crate::store::{DataOrigin, DefinitionSet, PlannedJob, Store, StoreError};

impl Store {
    /// Returns the origin of the stored data; `None` if nothing was stored yet.
    pub async fn origin(&self) -> Result<Option<DataOrigin>, StoreError> {
        read!(self, info::origin())
    }

    /// Whether the findings are invented; before anything is stored, whether searches will give invented ones.
    pub async fn is_sandbox(&self) -> Result<bool, StoreError> {
        Ok(self.origin().await?.or(self.search_origin) == Some(DataOrigin::Sandbox))
    }

    /// Makes the stored definitions equal to these. New topics and changed schedules begin at `now`, never
    /// retroactively; removed topics are marked and their queued runs cancelled. Returns how many changed.
    pub async fn sync_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, sync::topics(topics, now, true))?.total())
    }

    /// Like [`Self::sync_topics`], but removes none: for running topics by hand next to a daemon, perhaps from another
    /// file.
    pub async fn add_topics(&self, topics: &[Topic], now: Time) -> Result<usize, StoreError> {
        Ok(write_tx!(self, sync::topics(topics, now, false))?.total())
    }

    /// Returns the jobs in force whose missed slots would be dropped if this set came in force: their schedule differs
    /// in it, or (with `removes`) it does not contain them.
    pub async fn jobs_losing_slots<'a>(
        &self,
        set: impl Into<DefinitionSet<'a>>,
        removes: bool,
    ) -> Result<HashSet<String>, StoreError> {
        let set = set.into();
        read!(self, planned::jobs_losing_slots(set, removes))
    }

    /// Returns the topics that the stored configuration pauses and this set does not. Nothing of them was planned since
    /// their pause began.
    pub async fn resumed_by<'a>(&self, set: impl Into<DefinitionSet<'a>>) -> Result<Vec<PlannedJob>, StoreError> {
        let set = set.into();
        read!(self, planned::resumed_by(set))
    }

    /// Returns the latest instant, not after `end`, up to which a job is planned.
    pub async fn planned_until(&self, end: Time) -> Result<Option<Time>, StoreError> {
        read!(self, planned::planned_until(end))
    }

    /// Refuses a topic of `named` that was renamed while the configuration still has its old id.
    pub async fn refuse_renamed(&self, configured: &[Topic], named: &[String]) -> Result<(), StoreError> {
        read!(self, rename::refuse_named(configured, named))
    }

    /// Returns the ids that a topic had before it was renamed.
    pub async fn former_ids(&self, topic: &str) -> Result<Vec<String>, StoreError> {
        read!(self, rename::former_ids(topic))
    }

    /// Returns the stored definitions of all watched topics, by id.
    pub async fn definitions(&self) -> Result<Vec<Topic>, StoreError> {
        read!(self, topics::definitions())
    }
}
