//! Control of a running system: the configuration in force, running processes, pausing and manual runs of topics, and
//! renaming a topic. The ledger decides on slots.

use crate::model::{Paused, Time};
use crate::store::{ActivationResult, ControlResult, DefinitionSet, Instance, Store, StoreError};

impl Store {
    /// Makes this set the one in force, unless it belongs to an older generation and a daemon of a newer one is
    /// running. Registers the process if `me` is given.
    pub async fn activate<'a>(
        &self,
        set: impl Into<DefinitionSet<'a>>,
        me: Option<&Instance>,
        now: Time,
    ) -> Result<ActivationResult, StoreError> {
        let set = set.into();
        write_tx!(self, instances::adopt(set, me, now))
    }

    /// Records a heartbeat. Returns whether a daemon of a newer generation is running.
    pub async fn heartbeat_instance(&self, me: &Instance, generation: i64, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, instances::heartbeat(me, generation, now))
    }

    /// Unregisters a process that ends.
    pub async fn unregister_instance(&self, id: &str) -> Result<(), StoreError> {
        write_tx!(self, instances::unregister(id))
    }

    /// Returns the number of running processes that would take a queued run.
    pub async fn running_instances(&self, now: Time) -> Result<i64, StoreError> {
        read!(self, instances::running_count(now))
    }

    /// Returns the number of running processes of each role: `daemon` and `worker`.
    pub async fn running_roles(&self, now: Time) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, instances::running_roles(now))
    }

    /// Returns whether a daemon is running. Workers plan nothing.
    pub async fn is_daemon_running(&self, now: Time) -> Result<bool, StoreError> {
        Ok(self.running_roles(now).await?.iter().any(|(role, _)| role == "daemon"))
    }

    /// Returns a value that changes whenever a daemon should check the ledger before its next slot.
    pub async fn control_version(&self) -> Result<String, StoreError> {
        read!(self, info::control_version())
    }

    /// Pauses topics: nothing is planned or started for them, queued runs are cancelled, running ones continue.
    pub async fn pause_topics(
        &self,
        topics: &[String],
        reason: Option<&str>,
        now: Time,
    ) -> Result<Vec<ControlResult>, StoreError> {
        asked_tx!(self, controls::pause(topics, reason, now))
    }

    /// Ends a pause. Slots that passed during it are not run later.
    pub async fn resume_topics(&self, topics: &[String], now: Time) -> Result<Vec<ControlResult>, StoreError> {
        asked_tx!(self, controls::resume(topics, now))
    }

    /// Returns the topics paused here, not by the file, and why. A removed topic is still paused when it comes back.
    pub async fn pauses(&self) -> Result<Vec<(String, Paused)>, StoreError> {
        read!(self, controls::pauses())
    }

    /// Queues a manual run for each topic, given by topic and public id. The next process that checks takes it.
    pub async fn queue_manual(&self, runs: &[(String, String)], now: Time) -> Result<(), StoreError> {
        asked_tx!(self, controls::queue_manual(runs, now))
    }

    /// Returns the ids of the topics in force.
    pub async fn topic_ids(&self) -> Result<Vec<String>, StoreError> {
        read!(self, topics::ids())
    }

    /// Gives a topic another id. Its history moves with it; its runs keep their public ids.
    pub async fn rename_topic(&self, old: &str, new: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, rename::rename(old, new, now))
    }
}
