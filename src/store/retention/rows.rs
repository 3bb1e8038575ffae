//! Row types of pruning: the input of a step, and what it deleted.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// A day in milliseconds.
pub(in crate::store) const DAY: i64 = 86_400_000;

/// Rough sizes of a row with its indexes, for reports to people.
pub(in crate::store) const SIGHTING_BYTES: i64 = 80;
pub(in crate::store) const SEARCH_BYTES: &str = "400";
pub(in crate::store) const RUN_BYTES: &str = "500";
pub(in crate::store) const MESSAGE_BYTES: i64 = 300;

/// Rows that a batch reads: at first, at least and at most.
pub(in crate::store) const ROWS: (i64, i64, i64) = (200, 20, 4_000);

/// How long a batch should take, since other writers wait for it.
pub(in crate::store) const BATCH: Duration = Duration::from_millis(60);

/// How far a step has got.
#[derive(Debug, Clone, Default)]
pub(in crate::store) struct Progress {
    pub(in crate::store) at: i64,
    pub(in crate::store) id: i64,
    pub(in crate::store) name: String,
}

/// The input of a step.
#[derive(Debug, Clone)]
pub(in crate::store) struct StepInput {
    pub(in crate::store) before: i64,
    pub(in crate::store) after: Progress,
    pub(in crate::store) limit: i64,
    /// Runs above this number still have to be read by a follower.
    pub(in crate::store) floor: i64,
    pub(in crate::store) now: i64,
    pub(in crate::store) dry_run: bool,
    /// Data that earlier steps of a dry run would have deleted: replies before this instant, and snapshots of these
    /// runs.
    pub(in crate::store) raw_before: i64,
    pub(in crate::store) thinned: HashSet<i64>,
}

/// The result of a step.
#[derive(Debug, Default)]
pub(in crate::store) struct Batch {
    pub(in crate::store) after: Progress,
    pub(in crate::store) more: bool,
    pub(in crate::store) gone: Vec<(&'static str, i64, i64)>,
    /// Runs that lost their snapshots.
    pub(in crate::store) thinned: Vec<i64>,
}

impl Batch {
    /// Creates the result for a batch that has read this many rows.
    pub(in crate::store) fn new(input: &StepInput, rows_read: usize) -> Self {
        let more = i64::try_from(rows_read).unwrap_or(i64::MAX) >= input.limit;
        Self { after: input.after.clone(), more, ..Self::default() }
    }

    pub(in crate::store) fn add(&mut self, table: &'static str, rows: usize, bytes: i64) {
        self.gone.push((table, i64::try_from(rows).unwrap_or(i64::MAX), bytes));
    }
}

/// The position of the follower that is furthest behind.
#[derive(Debug, Clone)]
pub(in crate::store) struct SlowestFollower {
    /// The last run it has read.
    pub(in crate::store) seq: i64,
    /// When the first run after that began.
    pub(in crate::store) at: i64,
    pub(in crate::store) whose: Option<String>,
}

impl Default for SlowestFollower {
    fn default() -> Self {
        Self { seq: i64::MAX, at: i64::MAX, whose: None }
    }
}

/// Rows of a table that were deleted or emptied, and their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PrunedRows {
    pub rows: i64,
    /// Approximate bytes, without indexes and page overhead.
    pub bytes: i64,
}

/// The result of pruning or of its dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Pruned {
    /// By table. Items stay; only their words are deleted.
    pub gone: BTreeMap<&'static str, PrunedRows>,
    /// Runs that keep only their lasting sightings.
    pub thinned: i64,
    /// A follower that has not read all data that is old enough to be deleted; the unread data stays.
    pub held_by: Option<String>,
    /// Bytes returned to the disk.
    pub given_back: i64,
    /// Whether everything that is too old was deleted.
    pub finished: bool,
}

impl Pruned {
    /// Returns the number of rows in all tables.
    #[must_use]
    pub fn rows(&self) -> i64 {
        self.gone.values().map(|gone| gone.rows).sum()
    }
}

/// Disk usage of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disk {
    /// The total size in bytes.
    pub bytes: i64,
    /// The part of it that is free for new data.
    pub free: i64,
    /// Whether free space can be returned to the disk without rewriting the whole file.
    pub gives_back: bool,
}

/// The steps of pruning, ordered so that references are deleted before what they refer to.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) enum Step {
    Raw,
    Thin,
    Items,
    Runs,
    /// Messages without a run, such as those of alerts and tests.
    Messages,
}
