//! A process's request for a share of the service's limits, and its current share.

use crate::model::Time;

/// A process's request for its share of a service.
#[derive(Debug, Clone)]
pub struct LeaseRequest {
    /// Identifies the service; a hash of its address.
    pub service: String,
    /// Identifies the process.
    pub holder: String,
    /// The most permits that the process is configured to use.
    pub most: u32,
    /// The configured pause between two starts, in microseconds; 0 means unlimited.
    pub period_us: i64,
    /// Permits it could use now.
    pub wanted: u32,
    /// Permits it uses, or will use without asking again.
    pub held: u32,
}

/// A process's share among those that use the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseShare {
    /// Permits it has leased.
    pub permits: u32,
    /// Its fair share of permits.
    pub share: u32,
    /// The `wanted` of its last lease.
    pub last_wanted: u32,
    /// It had no valid lease.
    pub fresh: bool,
    /// Permits leased by others.
    pub taken: u32,
    /// The number of other processes.
    pub others: u32,
    /// The limit in force, which is also the burst: the smallest configured in any running process.
    pub limit: u32,
    /// The longest pause between starts configured in any running process; 0 means unlimited.
    pub period_us: i64,
    /// When its lease ends.
    pub until: Option<Time>,
}

impl LeaseShare {
    /// Returns the number of unleased permits while this process has `held`.
    #[must_use]
    pub fn free(&self, held: u32) -> u32 {
        self.limit.saturating_sub(self.taken).saturating_sub(held)
    }
}
