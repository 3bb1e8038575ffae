//! The store's words for the service's limits, which hold over all processes that use one database. Who asks and when is
//! the caller's; nothing here waits for a place or a start.

use std::time::Duration;

use super::{Db, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
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
pub struct Standing {
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

impl Standing {
    /// Places that are nobody's while this process has `held`.
    #[must_use]
    pub fn free(&self, held: u32) -> u32 {
        self.limit.saturating_sub(self.taken).saturating_sub(held)
    }
}

impl Store {
    /// Where the process stands; changes nothing.
    pub async fn look_at_limits(&self, ask: &LeaseAsk, now: Time) -> Result<Standing, StoreError> {
        read!(self, limits::look(ask, now))
    }

    /// Takes or renews the process's lease of places; the sum of all leases stays within the limit.
    pub async fn lease_places(&self, ask: &LeaseAsk, now: Time, length: Duration) -> Result<Standing, StoreError> {
        write_tx!(self, limits::lease(ask, now, length))
    }

    /// Gives the process's lease back.
    pub async fn give_places_back(&self, ask: &LeaseAsk) -> Result<(), StoreError> {
        write_tx!(self, limits::give_back(&ask.service, &ask.holder))
    }

    /// Reserves the next starts of the service: microseconds from `now` to each. Starts that are not used are lost.
    pub async fn reserve_starts(&self, ask: &LeaseAsk, count: u32, now: Time) -> Result<Vec<i64>, StoreError> {
        write_tx!(self, limits::reserve(ask, count, now))
    }
}
