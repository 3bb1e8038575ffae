//! The states of runs and searches. "Stale" and "silent" are not states: they are computed from history.

use crate::model::closed_list;

/// Start of the reason of a run cancelled by a pause; the reason for the pause follows.
pub const PAUSED: &str = "the topic was paused: ";

/// The reason of a slot recorded, but not run, by a clock that was ahead. The slot can run when it really comes.
pub const RECORDED_AHEAD: &str = "recorded by a clock that was ahead";

/// The reason of a run made by a clock that was ahead, once another run has its slot.
pub const RUN_AHEAD: &str = "run by a clock that was ahead";

closed_list! {
    /// The state of a run.
    RunState {
        /// Planned, not started.
        Queued = "queued",
        /// Claimed by a process that holds a lease.
        Running = "running",
        /// Every search that should have run succeeded.
        Ok = "ok",
        /// Some searches failed; the findings of the others are stored.
        Partial = "partial",
        /// No search succeeded.
        Failed = "failed",
        /// The day's calls or money were used up before the first search.
        OverQuota = "over_quota",
        /// The slot was due while nothing was running, and was not caught up.
        Missed = "missed",
        /// The slot was skipped on purpose; the reason says why.
        Skipped = "skipped",
        /// Cancelled by a person or by the removal of the topic.
        Cancelled = "cancelled",
    }
}

closed_list! {
    /// The state of one search.
    SearchState {
        /// Committed before the call is made; the call may cost money.
        Started = "started",
        /// Answered with entries.
        Ok = "ok",
        /// Answered with a well-formed, empty reply.
        Empty = "empty",
        /// Refused, broken or unreachable; class and text have the details.
        Error = "error",
        /// Not made: the day's calls or money were used up.
        OverQuota = "over_quota",
        /// Not made for another reason, which is recorded.
        NotRun = "not_run",
        /// The process died between the call and its record. Counts at the expected price.
        Lost = "lost",
    }
}

closed_list! {
    /// Why a run exists.
    Trigger {
        /// Its slot was due.
        Scheduled = "scheduled",
        /// Its slot was missed and caught up later.
        CatchUp = "catch_up",
        /// A person requested it.
        Manual = "manual",
    }
}

impl SearchState {
    /// Whether the counts of a search in this state say something: it was answered, or failed, or found something before it
    /// was ended. Otherwise it was not made, or its reply is unknown.
    #[must_use]
    pub fn has_counts(self, found: i64) -> bool {
        matches!(self, Self::Ok | Self::Empty | Self::Error) || found > 0
    }
}

impl RunState {
    /// Whether the run is over.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

closed_list! {
    /// Assigns due runs to processes.
    Engine {
        /// The ledger itself.
        Local = "local",
        /// graphile_worker, on PostgreSQL.
        Graphile = "graphile",
    }
}
