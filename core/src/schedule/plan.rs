//! The plan for due slots, as plain values: the rows for the run ledger. `decide` chooses them.

use std::time::Duration;

use crate::model::{Time, Trigger};

/// The newest due slot is on time up to this age; older, it is a catch-up.
pub const ON_TIME: Duration = Duration::from_secs(60);

/// The decision about a due slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A run is queued.
    Run(Trigger),
    /// Recorded as missed, with the reason.
    Missed(&'static str),
    /// Recorded as skipped, with the reason.
    Skipped(&'static str),
}

/// The reasons of [`Decision::Missed`] and [`Decision::Skipped`], as stored in the ledger.
pub mod reason {
    /// `catch_up = "latest"` and a later slot was due as well.
    pub const SUPERSEDED: &str = "not started in time; only the latest due slot runs";
    /// `catch_up = "none"`.
    pub const NOT_CAUGHT_UP: &str = "not started in time; missed slots are not caught up";
    /// Older than `catch_up_window`.
    pub const TOO_OLD: &str = "not started in time; older than catch_up_window";
    /// `catch_up = "all"`, and `max_catch_up_runs` later slots were due as well.
    pub const TOO_MANY: &str = "not started in time; only the latest max_catch_up_runs slots are caught up";
    /// `overlap = "skip"` and a run is still going.
    pub const OVERLAP: &str = "the last run was still going on";
    /// `overlap = "skip"` and the run of an earlier slot waits for its jitter or for a place.
    pub const WAITING: &str = "the run of an earlier slot was still waiting to begin";
    /// `overlap = "buffer_one"`, one run is going and another waits.
    pub const BUFFER_FULL: &str = "the last run was still going on and another was waiting";
    /// Left in the queue, and `catch_up = "none"`.
    pub const LEFT: &str = "waited, and was not started in time; missed slots are not caught up";
    /// Left in the queue, and older than `catch_up_window`.
    pub const LEFT_TOO_OLD: &str = "waited, and was not started in time; older than catch_up_window";
    /// Left in the queue, and `catch_up = "latest"`.
    pub const LEFT_SUPERSEDED: &str = "waited, and was not started in time; only the latest due slot runs";
    /// `catch_up = "all"` and the job falls behind.
    pub const BACKLOG_FULL: &str = "more than twice max_catch_up_runs runs were still waiting";
}

/// The rows to insert for a job, and how far it is planned then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Slots and their decisions, oldest first.
    pub rows: Vec<(Time, Decision)>,
    /// The job's new `planned_until`.
    pub planned_until: Time,
    /// There are more due slots: insert these rows and call again from `planned_until`.
    pub more: bool,
    /// `planned_until` was more than a day in the future and was set back to now; log it.
    pub clamped: bool,
}
