//! Queues of run requests that wait for the next transaction, and their answers. `group_commit` writes them.

use std::sync::Arc;

use crate::model::{ServiceLimits, Source, Time, Topic};
use crate::store::items::queue::Queue;
use crate::store::{Call, Counts, KnownKey, Outcome, Permission, RunRef};

/// Writes that wait for the next transaction, and lookups that wait for the next query.
#[derive(Debug, Default)]
pub(in crate::store) struct CommitQueue {
    pub(in crate::store) writes: Queue<Write, Written>,
    pub(in crate::store) looks: Queue<KeyLookup, Vec<KnownKey>>,
}

/// One write request of a run.
#[derive(Debug, Clone)]
pub(in crate::store) enum Write {
    /// Begins a manual run.
    ManualStart(Box<ManualStart>),
    /// Counts a call that is about to be made.
    CountCall(Box<CountCall>),
    /// Ends a run and stores what it found.
    End(Box<RunRef>, Arc<Outcome>),
}

#[derive(Debug, Clone)]
pub(in crate::store) struct ManualStart {
    pub(in crate::store) topic: Topic,
    pub(in crate::store) public_id: String,
    pub(in crate::store) now: Time,
    pub(in crate::store) lease_until: Time,
    pub(in crate::store) token: String,
}

#[derive(Debug, Clone)]
pub(in crate::store) struct CountCall {
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

/// Keys to look up in the items that a topic knows.
#[derive(Debug, Clone)]
pub(in crate::store) struct KeyLookup {
    pub(in crate::store) topic: String,
    pub(in crate::store) keys: Vec<String>,
}
