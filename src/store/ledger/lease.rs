//! What a process asks of the service's limits, and where it stands.

use crate::model::Time;

/// What a process says of itself when it asks for its part of a service.
#[derive(Debug, Clone)]
pub struct LeaseAsk {
    /// Names the service; a hash of its address.
    pub service: String,
    /// Names the process.
    pub holder: String,
    /// Places it was told to use at most.
    pub most: u32,
    /// Microseconds between two starts that it was told to keep; 0 is unlimited.
    pub period_us: i64,
    /// Places it could use now.
    pub wanted: u32,
    /// Places it does use, or will without asking again.
    pub held: u32,
}

/// Where a process stands among those that use the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseShare {
    /// Places that are its by lease.
    pub permits: u32,
    /// Places that would be fair.
    pub share: u32,
    /// What it said it wanted when it last leased.
    pub told: u32,
    /// It had no lease that still held.
    pub fresh: bool,
    /// Places leased by others.
    pub taken: u32,
    /// How many others there are.
    pub others: u32,
    /// The limit in force, and so the burst: the smallest that a living process was told.
    pub limit: u32,
    /// The slowest rate that a living process was told; 0 is unlimited.
    pub period_us: i64,
    /// When its lease ends.
    pub until: Option<Time>,
}

impl LeaseShare {
    /// Places that are nobody's while this process has `held`.
    #[must_use]
    pub fn free(&self, held: u32) -> u32 {
        self.limit.saturating_sub(self.taken).saturating_sub(held)
    }
}
