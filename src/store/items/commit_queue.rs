//! Requests of runs that wait for the next transaction, and what they are answered. Writing them is `group_commit`'s.

use std::sync::Arc;

use crate::model::{ServiceLimits, Source, Time, Topic};
use crate::store::items::queue::Queue;
use crate::store::{Call, Counts, KnownKey, Outcome, Permission, RunRef};

/// Requests that wait for the next transaction, and questions that wait for the next look.
#[derive(Debug, Default)]
pub(in crate::store) struct CommitQueue {
    pub(in crate::store) writes: Queue<Write, Written>,
    pub(in crate::store) looks: Queue<Look, Vec<KnownKey>>,
}

/// One request of a run.
#[derive(Debug, Clone)]
pub(in crate::store) enum Write {
    /// A manual run begins.
    Begin(Box<Begin>),
    /// A call is about to be made.
    Count(Box<Count>),
    /// A run ends, with what it found.
    End(Box<RunRef>, Arc<Outcome>),
}

#[derive(Debug, Clone)]
pub(in crate::store) struct Begin {
    pub(in crate::store) topic: Topic,
    pub(in crate::store) public_id: String,
    pub(in crate::store) now: Time,
    pub(in crate::store) lease_until: Time,
    pub(in crate::store) token: String,
}

#[derive(Debug, Clone)]
pub(in crate::store) struct Count {
    pub(in crate::store) run: RunRef,
    pub(in crate::store) call: Call,
    pub(in crate::store) now: Time,
    pub(in crate::store) limits: ServiceLimits,
}

/// The answer to a [`Write`], of the same kind.
#[derive(Debug)]
pub(in crate::store) enum Written {
    Begun(Box<RunRef>),
    Counted(Permission),
    Ended(Vec<(Source, Counts)>),
}

/// Keys a topic may know.
#[derive(Debug, Clone)]
pub(in crate::store) struct Look {
    pub(in crate::store) topic: String,
    pub(in crate::store) keys: Vec<String>,
}
