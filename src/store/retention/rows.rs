//! What is too old, batch by batch: what is asked of the database, and what went.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// Milliseconds of a day.
pub(in crate::store) const DAY: i64 = 86_400_000;

/// What a row takes with its indexes, roughly: it is told to people.
pub(in crate::store) const SIGHTING_BYTES: i64 = 80;
pub(in crate::store) const SEARCH_BYTES: &str = "400";
pub(in crate::store) const RUN_BYTES: &str = "500";
pub(in crate::store) const MESSAGE_BYTES: i64 = 300;

/// Rows that a batch looks at: at first, at least and at most.
pub(in crate::store) const ROWS: (i64, i64, i64) = (200, 20, 4_000);

/// How long a batch should take: others who write wait for it.
pub(in crate::store) const BATCH: Duration = Duration::from_millis(60);

/// How far a step has got.
#[derive(Debug, Clone, Default)]
pub(in crate::store) struct Progress {
    pub(in crate::store) at: i64,
    pub(in crate::store) id: i64,
    pub(in crate::store) name: String,
}

/// What a step is asked.
#[derive(Debug, Clone)]
pub(in crate::store) struct Ask {
    pub(in crate::store) before: i64,
    pub(in crate::store) after: Progress,
    pub(in crate::store) limit: i64,
    /// Runs above it are still to be read by somebody.
    pub(in crate::store) floor: i64,
    pub(in crate::store) now: i64,
    pub(in crate::store) rehearsal: bool,
    /// What earlier steps of a rehearsal would have taken: replies before it, snapshots of these runs.
    pub(in crate::store) raw_before: i64,
    pub(in crate::store) thinned: HashSet<i64>,
}

/// What a step did.
#[derive(Debug, Default)]
pub(in crate::store) struct Batch {
    pub(in crate::store) after: Progress,
    pub(in crate::store) more: bool,
    pub(in crate::store) gone: Vec<(&'static str, i64, i64)>,
    /// Runs that lost their snapshots.
    pub(in crate::store) thinned: Vec<i64>,
}

impl Batch {
    /// One that has looked at so many rows.
    pub(in crate::store) fn new(ask: &Ask, looked_at: usize) -> Self {
        let more = i64::try_from(looked_at).unwrap_or(i64::MAX) >= ask.limit;
        Self { after: ask.after.clone(), more, ..Self::default() }
    }

    pub(in crate::store) fn add(&mut self, table: &'static str, rows: usize, bytes: i64) {
        self.gone.push((table, i64::try_from(rows).unwrap_or(i64::MAX), bytes));
    }
}

/// The reader that has got least far.
#[derive(Debug, Clone)]
pub(in crate::store) struct Floor {
    /// It has read up to this run.
    pub(in crate::store) seq: i64,
    /// When the first run after that began.
    pub(in crate::store) at: i64,
    pub(in crate::store) whose: Option<String>,
}

impl Default for Floor {
    fn default() -> Self {
        Self { seq: i64::MAX, at: i64::MAX, whose: None }
    }
}

/// Rows of a table that went, or lost what they held, and what they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Gone {
    pub rows: i64,
    /// Bytes, roughly: indexes and pages are not counted.
    pub bytes: i64,
}

/// What pruning did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Pruned {
    /// By table. Items stay, only their words go.
    pub gone: BTreeMap<&'static str, Gone>,
    /// Runs of which only lasting sightings are left.
    pub thinned: i64,
    /// A reader that has not read everything that is old enough to go; what it has not read stays.
    pub held_by: Option<String>,
    /// Bytes that the database's file gave back.
    pub given_back: i64,
    /// Whether everything that is too old is gone.
    pub finished: bool,
}

impl Pruned {
    /// Rows of all tables.
    #[must_use]
    pub fn rows(&self) -> i64 {
        self.gone.values().map(|gone| gone.rows).sum()
    }
}

/// What a database takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disk {
    /// All of it.
    pub bytes: i64,
    /// Of these, free for what comes.
    pub free: i64,
    /// Whether what is free can be given back without writing everything anew.
    pub gives_back: bool,
}

/// The steps, in the order in which what refers to something goes before it.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) enum Step {
    Raw,
    Thin,
    Items,
    Runs,
    /// Those of no run, such as alerts' and tests'.
    Messages,
}
