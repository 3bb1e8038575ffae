//! Living with a daemon: which topic set is in force and which processes live, what people ask of topics beside them, and
//! a topic's new name. What a slot becomes is the ledger's.

use crate::model::{Paused, Time};
use crate::store::{Adopted, Controlled, Instance, Set, Store, StoreError};

impl Store {
    /// Makes this set the one in force, unless an older generation had it and a daemon of a newer one lives. Registers
    /// the process, if it is one that lives on.
    pub async fn adopt<'a>(
        &self,
        set: impl Into<Set<'a>>,
        me: Option<&Instance>,
        now: Time,
    ) -> Result<Adopted, StoreError> {
        let set = set.into();
        write_tx!(self, instances::adopt(set, me, now))
    }

    /// A sign of life; whether a daemon of a newer generation lives.
    pub async fn beat(&self, me: &Instance, generation: i64, now: Time) -> Result<bool, StoreError> {
        write_tx!(self, instances::beat(me, generation, now))
    }

    /// The process ends.
    pub async fn leave(&self, id: &str) -> Result<(), StoreError> {
        write_tx!(self, instances::leave(id))
    }

    /// How many processes live that would take a queued run.
    pub async fn living(&self, now: Time) -> Result<i64, StoreError> {
        read!(self, instances::living(now))
    }

    /// A word that changes whenever a daemon should look at the ledger before its next slot.
    pub async fn asked(&self) -> Result<String, StoreError> {
        read!(self, info::asked())
    }

    /// Pauses topics: nothing is planned or begun for them, queued runs are cancelled, running ones go on.
    pub async fn pause_topics(
        &self,
        topics: &[String],
        reason: Option<&str>,
        now: Time,
    ) -> Result<Vec<Controlled>, StoreError> {
        asked_tx!(self, controls::pause(topics, reason, now))
    }

    /// Ends a pause; the time it took owes nothing.
    pub async fn resume_topics(&self, topics: &[String], now: Time) -> Result<Vec<Controlled>, StoreError> {
        asked_tx!(self, controls::resume(topics, now))
    }

    /// The topics that are paused beside the file, and why. One that was removed is still paused when it comes back.
    pub async fn pauses(&self) -> Result<Vec<(String, Paused)>, StoreError> {
        read!(self, controls::pauses())
    }

    /// Queues a manual run for each topic, by topic and public id, for whichever process is next to look.
    pub async fn queue_manual(&self, runs: &[(String, String)], now: Time) -> Result<(), StoreError> {
        asked_tx!(self, controls::queue_manual(runs, now))
    }

    /// Ids of the topics in force.
    pub async fn topic_ids(&self) -> Result<Vec<String>, StoreError> {
        read!(self, topics::ids())
    }

    /// Gives a topic another id; its history goes with it, its runs keep their public ids.
    pub async fn rename_topic(&self, old: &str, new: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, rename::rename(old, new, now))
    }
}
