//! Counts the permits that this process has leased, and their use. It asks no database and waits only for
//! permits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use crate::model::{Clock, Time};
use crate::search::CallPermit;
use crate::store::{LeaseShare, StoreError};

pub(in crate::collect) struct Permits {
    free: Arc<Semaphore>,
    state: Mutex<State>,
    clock: Clock,
    /// No call starts with this much or less left of the lease.
    margin: Duration,
    /// Wakes the task that renews the lease.
    pub(in crate::collect) wake: Notify,
}

struct State {
    /// Permits that may be used now.
    allowed: u32,
    /// Permits in use beyond `allowed`; they do not become free when their calls end.
    debt: u32,
    /// Calls that have a permit or wait for one, and the maximum since the last check.
    demand: u32,
    peak: u32,
    /// Number of leases acquired; a permit of an earlier lease is no longer valid.
    lease: u64,
    /// End of the lease, by the monotonic clock and, because that may stop while a machine sleeps, by the wall clock.
    until: Option<(Instant, Time)>,
    rate: (i64, u32),
    keeping: bool,
    ending: bool,
    broken: Option<StoreError>,
}

/// The data for the task that renews the lease.
#[derive(Debug, Clone, Copy)]
pub(in crate::collect) struct PermitUse {
    /// Permits that are, or may be, in use without asking again.
    pub(in crate::collect) held: u32,
    pub(in crate::collect) allowed: u32,
    /// The most calls at a time since the last check.
    pub(in crate::collect) wanted: u32,
    /// Time left of the lease.
    pub(in crate::collect) left: Duration,
    pub(in crate::collect) ending: bool,
}

impl Permits {
    pub(in crate::collect) fn new(margin: Duration, period_us: i64, clock: Clock) -> Self {
        let state = State {
            allowed: 0,
            debt: 0,
            demand: 0,
            peak: 0,
            lease: 0,
            until: None,
            rate: (period_us, 1),
            keeping: false,
            ending: false,
            broken: None,
        };
        Self { free: Arc::new(Semaphore::new(0)), state: Mutex::new(state), clock, margin, wake: Notify::new() }
    }

    /// Returns the rate in force: microseconds between starts, and the burst.
    pub(in crate::collect) fn rate(&self) -> (i64, u32) {
        self.state().rate
    }

    /// Returns why no lease can be had, if there is none under which a call could start.
    pub(in crate::collect) fn blocked_by(&self) -> Option<StoreError> {
        let state = self.state();
        state.broken.clone().filter(|_| self.left(&state) <= self.margin)
    }

    pub(in crate::collect) fn fail(&self, error: StoreError) {
        self.state().broken = Some(error);
    }

    /// Whether the task that renews the lease must be started. True for only one caller, which must start it.
    pub(super) fn needs_renewal(&self) -> bool {
        let mut state = self.state();
        !std::mem::replace(&mut state.keeping, true)
    }

    /// Lets that task end, unless a call came in the meantime. Returns whether it may end.
    pub(super) fn try_stop_renewal(&self) -> bool {
        let mut state = self.state();
        if state.demand == 0 {
            (state.keeping, state.ending) = (false, false);
        }
        !state.keeping
    }

    /// Asks that task to give everything back, if there is one.
    pub(in crate::collect) fn end(&self) {
        let mut state = self.state();
        state.ending = state.keeping;
        self.wake.notify_one();
    }

    /// Returns the use for a check of the lease, and restarts the measurement of the maximum.
    pub(in crate::collect) fn usage(&self) -> PermitUse {
        let mut state = self.state();
        let wanted = state.peak.max(state.demand);
        state.peak = state.demand;
        PermitUse {
            held: state.allowed + state.debt,
            allowed: state.allowed,
            wanted,
            left: self.left(&state),
            ending: state.ending && state.demand == 0,
        }
    }

    /// Uses at most this many from now on. The excess is given back as calls end.
    pub(super) fn shrink(&self, to: u32) {
        self.allow(&mut self.state(), to);
    }

    /// Gives up the whole lease, unless a call came in the meantime. Returns whether it did.
    pub(in crate::collect) fn give_up(&self) -> bool {
        let mut state = self.state();
        if state.demand == 0 {
            self.allow(&mut state, 0);
            state.until = None;
        }
        state.demand == 0
    }

    /// Applies a lease.
    pub(super) fn apply_lease(&self, share: &LeaseShare, until: (Instant, Time)) {
        let mut state = self.state();
        if share.fresh {
            // Calls still in flight under an earlier lease count against this one.
            self.allow(&mut state, 0);
            state.lease += 1;
        }
        let to = share.permits.saturating_sub(if share.fresh { 0 } else { state.debt });
        self.allow(&mut state, to.min(share.share));
        (state.until, state.broken) = (Some(until), None);
        state.rate = (share.period_us, share.limit);
    }

    /// Applies the rate that a check found in force.
    pub(super) fn apply_rate(&self, share: &LeaseShare) {
        let mut state = self.state();
        state.rate = (share.period_us, share.limit);
        state.broken = None;
    }

    fn allow(&self, state: &mut State, to: u32) {
        if to >= state.allowed {
            let more = to - state.allowed;
            let paid = more.min(state.debt);
            state.debt -= paid;
            self.free.add_permits((more - paid) as usize);
        } else {
            let less = state.allowed - to;
            let forgotten = u32::try_from(self.free.forget_permits(less as usize)).unwrap_or(less);
            state.debt += less - forgotten;
        }
        state.allowed = to;
    }

    fn left(&self, state: &State) -> Duration {
        let Some((instant, time)) = state.until else { return Duration::ZERO };
        instant.saturating_duration_since(Instant::now()).min(time.since((self.clock)()))
    }

    fn is_valid(&self, lease: u64) -> bool {
        let state = self.state();
        state.lease == lease && self.left(&state) > self.margin
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Consistent between any two statements, even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that waits for a permit or has one.
pub(in crate::collect) struct PermitRequest(Arc<Permits>);

impl PermitRequest {
    pub(in crate::collect) fn new(permits: &Arc<Permits>) -> Self {
        let mut state = permits.state();
        state.demand += 1;
        state.peak = state.peak.max(state.demand);
        drop(state);
        Self(Arc::clone(permits))
    }

    /// Waits for a permit, first come, first served. Returns a new request if the lease has run out.
    pub(in crate::collect) async fn acquire(&mut self) -> Result<Permit, Self> {
        // The semaphore is never closed.
        if let Ok(permit) = self.0.free.acquire().await {
            permit.forget();
        }
        self.make_permit()
    }

    /// Makes a permit of one that was taken from the free ones.
    fn make_permit(&self) -> Result<Permit, Self> {
        let mut state = self.0.state();
        if state.debt > 0 {
            // There are no free permits while there is a debt: this one was taken just before the share shrank or the
            // lease was replaced, so the new lease does not cover it.
            state.debt -= 1;
            drop(state);
            self.0.wake.notify_one();
            return Err(Self::new(&self.0));
        }
        let lease = state.lease;
        drop(state);
        let permit = Permit { of: Self::new(&self.0), lease };
        if permit.is_valid() { Ok(permit) } else { Err(Self::new(&self.0)) }
    }
}

impl Drop for PermitRequest {
    fn drop(&mut self) {
        self.0.state().demand -= 1;
    }
}

/// A permit in use.
pub(in crate::collect) struct Permit {
    of: PermitRequest,
    lease: u64,
}

impl CallPermit for Permit {
    fn is_valid(&self) -> bool {
        self.of.0.is_valid(self.lease)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let permits = &self.of.0;
        let mut state = permits.state();
        if state.debt > 0 {
            state.debt -= 1;
            drop(state);
            // Another process can use it as soon as the database knows.
            permits.wake.notify_one();
        } else {
            drop(state);
            permits.free.add_permits(1);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    fn share(permits: u32, fresh: bool) -> LeaseShare {
        LeaseShare {
            share: permits,
            permits,
            last_wanted: 0,
            fresh,
            taken: 0,
            others: 0,
            limit: 1,
            period_us: 0,
            until: None,
        }
    }

    #[tokio::test]
    async fn a_permit_taken_under_a_replaced_lease_is_not_used() {
        let clock: Clock = Arc::new(|| Time(0));
        let permits = Arc::new(Permits::new(Duration::from_secs(1), 0, clock));
        let until = || (Instant::now() + Duration::from_secs(60), Time(60_000));
        permits.apply_lease(&share(1, true), until());
        let request = PermitRequest::new(&permits);
        // Another thread replaces the lease between the two steps of `acquire`, so another process has the permit now.
        permits.free.acquire().await.unwrap().forget();
        permits.apply_lease(&share(0, true), until());
        assert!(request.make_permit().is_err());
        assert_eq!((permits.usage().held, permits.free.available_permits()), (0, 0));
        // When the permit is free again, only one call gets it.
        permits.apply_lease(&share(1, false), until());
        let mut request = PermitRequest::new(&permits);
        let Ok(permit) = request.acquire().await else { panic!("the lease covers it") };
        assert!(permit.is_valid() && permits.free.available_permits() == 0);
        drop(permit);
        assert_eq!(permits.free.available_permits(), 1);
    }
}
