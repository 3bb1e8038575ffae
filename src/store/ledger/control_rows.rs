//! Results of adopting a configuration, running processes, and results of control requests.

use std::time::Duration;

use crate::model::{Job, Time, Topic};

/// How many topics a new set added, changed and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SyncCounts {
    /// Not known before, or removed earlier.
    pub added: usize,
    /// Topics among these that have a schedule and are not paused: no slot before now is theirs.
    pub new_topics: usize,
    /// Known with another definition.
    pub changed: usize,
    /// Not in the set any more.
    pub removed: usize,
}

impl SyncCounts {
    /// Returns the total number of changes.
    #[must_use]
    pub fn total(self) -> usize {
        self.added + self.changed + self.removed
    }
}

/// A running process.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The id of the process.
    pub id: String,
    /// Its role; a `daemon` plans and runs.
    pub role: &'static str,
    /// When it started.
    pub started_at: Time,
    /// How long it counts as alive after each heartbeat.
    pub lease: Duration,
}

/// The definitions in a configuration: topics and other jobs.
#[derive(Debug, Clone, Copy, Default)]
pub struct DefinitionSet<'a> {
    pub topics: &'a [Topic],
    /// The other jobs.
    pub jobs: &'a [Job],
}

impl<'a> From<&'a [Topic]> for DefinitionSet<'a> {
    fn from(topics: &'a [Topic]) -> Self {
        Self { topics, jobs: &[] }
    }
}

impl<'a> From<&'a Vec<Topic>> for DefinitionSet<'a> {
    fn from(topics: &'a Vec<Topic>) -> Self {
        Self { topics, jobs: &[] }
    }
}

impl<'a, const N: usize> From<&'a [Topic; N]> for DefinitionSet<'a> {
    fn from(topics: &'a [Topic; N]) -> Self {
        Self { topics, jobs: &[] }
    }
}

/// The result of adopting a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivationResult {
    /// Generation of this set.
    pub generation: i64,
    /// The generation in force.
    pub newest: i64,
    /// What changed; nothing if a newer set stays in force.
    pub synced: SyncCounts,
}

impl ActivationResult {
    /// Whether a newer set stays in force because a running daemon uses it.
    #[must_use]
    pub fn follows(&self) -> bool {
        self.generation < self.newest
    }
}

/// The result of pausing or resuming a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlResult {
    pub topic: String,
    /// It was already paused, or already not paused.
    pub already: bool,
    /// The configuration file pauses it, independently of this request.
    pub by_file: bool,
    /// Queued runs that were cancelled.
    pub cancelled: u64,
    /// Runs that continue.
    pub running: i64,
}
