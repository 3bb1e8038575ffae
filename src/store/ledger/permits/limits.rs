//! The service's limits, which apply across all processes that use one database. The caller decides when to ask;
//! nothing here waits for a permit or a start.

use std::time::Duration;

use crate::model::Time;
use crate::store::{LeaseRequest, LeaseShare, Store, StoreError};

impl Store {
    /// Returns the share of the process; changes nothing.
    pub async fn limit_share(&self, request: &LeaseRequest, now: Time) -> Result<LeaseShare, StoreError> {
        read!(self, limits::share_of(request, now))
    }

    /// Takes or renews the process's lease of permits. The sum of all leases stays within the limit.
    pub async fn lease_permits(
        &self,
        request: &LeaseRequest,
        now: Time,
        length: Duration,
    ) -> Result<LeaseShare, StoreError> {
        write_tx!(self, limits::lease(request, now, length))
    }

    /// Gives up the process's lease.
    pub async fn release_permits(&self, request: &LeaseRequest) -> Result<(), StoreError> {
        write_tx!(self, limits::give_back(&request.service, &request.holder))
    }

    /// Reserves the next starts of the service. Returns microseconds from `now` to each. Unused starts are lost.
    pub async fn reserve_starts(&self, request: &LeaseRequest, count: u32, now: Time) -> Result<Vec<i64>, StoreError> {
        write_tx!(self, limits::reserve(request, count, now))
    }
}
