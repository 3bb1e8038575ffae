//! The closed lists of what can become of a run and of a search. "Stale" and "silent" are not here: they are read from
//! history, never stored as a state.

use super::closed_list;

/// What the reason of a run that a pause cancelled begins with; why people paused follows.
pub const PAUSED: &str = "the topic was paused: ";

closed_list! {
    /// What became of a run.
    RunState {
        /// Planned, not begun.
        Queued = "queued",
        /// Claimed by a process that holds a lease.
        Running = "running",
        /// Every search that should have run did.
        Ok = "ok",
        /// Some searches failed; what the others found is stored.
        Partial = "partial",
        /// No search succeeded.
        Failed = "failed",
        /// The day's calls or money were used up before anything could be asked.
        OverQuota = "over_quota",
        /// The slot was due while nothing was running, and was not caught up.
        Missed = "missed",
        /// The slot was due and left out on purpose; the reason says why.
        Skipped = "skipped",
        /// Ended by a person or by a topic's removal.
        Cancelled = "cancelled",
    }
}

closed_list! {
    /// What became of one search.
    SearchState {
        /// Committed before the call is made; money may be spent from here on.
        Started = "started",
        /// Answered with something.
        Ok = "ok",
        /// Answered well-formed with nothing in it.
        Empty = "empty",
        /// Refused, broken or unreachable; class and text say how.
        Error = "error",
        /// Not asked: the day's calls or money were used up.
        OverQuota = "over_quota",
        /// Not asked for another reason, which is recorded.
        NotRun = "not_run",
        /// The process died between the call and its record; counts at its expected price.
        Lost = "lost",
    }
}

closed_list! {
    /// Why a run exists.
    Trigger {
        /// Its slot came.
        Scheduled = "scheduled",
        /// Its slot was missed and made up for later.
        CatchUp = "catch_up",
        /// A person asked.
        Manual = "manual",
    }
}

impl RunState {
    /// Whether nothing more will happen to the run.
    #[must_use]
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

closed_list! {
    /// Who says which process runs what is due.
    Engine {
        /// The ledger itself.
        Local = "local",
        /// graphile_worker, on PostgreSQL.
        Graphile = "graphile",
    }
}
