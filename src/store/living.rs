//! Living with a daemon: which topic set is in force and which processes live, what people ask of topics beside them, and
//! a topic's new name. What a slot becomes is the ledger's.

use std::time::Duration;

use super::{Db, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
use crate::model::{Job, Time, Topic};

/// How many topics a new set added, changed and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Synced {
    /// Not known before, or removed earlier.
    pub added: usize,
    /// Known with another definition.
    pub changed: usize,
    /// Not in the set any more.
    pub removed: usize,
}

impl Synced {
    /// All that is different now.
    #[must_use]
    pub fn sum(self) -> usize {
        self.added + self.changed + self.removed
    }
}

/// A process that runs what is due.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Its own id.
    pub id: String,
    /// What it does: `daemon` plans and runs.
    pub role: &'static str,
    /// When it began.
    pub started_at: Time,
    /// How long it counts as alive after each sign of life.
    pub lease: Duration,
}

/// What a configuration has in force: topics, and jobs that are none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Set<'a> {
    /// The topics.
    pub topics: &'a [Topic],
    /// The other jobs.
    pub jobs: &'a [Job],
}

impl<'a> From<&'a [Topic]> for Set<'a> {
    fn from(topics: &'a [Topic]) -> Self {
        Self { topics, jobs: &[] }
    }
}

impl<'a> From<&'a Vec<Topic>> for Set<'a> {
    fn from(topics: &'a Vec<Topic>) -> Self {
        Self { topics, jobs: &[] }
    }
}

impl<'a, const N: usize> From<&'a [Topic; N]> for Set<'a> {
    fn from(topics: &'a [Topic; N]) -> Self {
        Self { topics, jobs: &[] }
    }
}

/// What became of the topic set of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adopted {
    /// Generation of this set.
    pub generation: i64,
    /// The one in force.
    pub newest: i64,
    /// What changed; nothing when a newer set stays in force.
    pub synced: Synced,
}

impl Adopted {
    /// Whether a newer set, which a living daemon holds, stays in force.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.generation < self.newest
    }
}

/// What a pause or its end found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Controlled {
    /// Topic id.
    pub topic: String,
    /// It was paused (or was not) already.
    pub already: bool,
    /// The file pauses it, whatever is said here.
    pub by_file: bool,
    /// Queued runs that were cancelled.
    pub cancelled: u64,
    /// Runs that go on.
    pub running: i64,
}

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
        read!(self, controls::asked())
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

    /// Queues a manual run for each topic, by topic and public id, for whichever process is next to look.
    pub async fn queue_manual(&self, runs: &[(String, String)], now: Time) -> Result<(), StoreError> {
        asked_tx!(self, controls::queue_manual(runs, now))
    }

    /// Ids of the topics in force.
    pub async fn topic_ids(&self) -> Result<Vec<String>, StoreError> {
        read!(self, controls::topic_ids())
    }

    /// Gives a topic another id; its history goes with it, its runs keep their public ids.
    pub async fn rename_topic(&self, old: &str, new: &str, now: Time) -> Result<(), StoreError> {
        asked_tx!(self, rename::rename(old, new, now))
    }
}
