//! What adopting a set of topics changed, the processes that live, and what became of a request.

use std::time::Duration;

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
