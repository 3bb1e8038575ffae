//! The places in flight that this process has by its lease, and who uses them: counting only. It asks no database and
//! waits for nothing but a place.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use crate::model::{Clock, Time};
use crate::search::CallPermit;
use crate::store::{LeaseShare, StoreError};

pub(super) struct Permits {
    free: Arc<Semaphore>,
    state: Mutex<State>,
    clock: Clock,
    /// No call begins so shortly before the lease ends.
    margin: Duration,
    /// Wakes whoever keeps the lease.
    pub(super) wake: Notify,
}

struct State {
    /// Permits that may be used from now on.
    allowed: u32,
    /// Permits in use beyond those; they are not free again when their calls end.
    debt: u32,
    /// Calls that have a place or wait for one, and the most there were since the last look.
    demand: u32,
    peak: u32,
    /// Counts the leases that were taken anew; a place of an earlier one holds no more.
    lease: u64,
    /// Until when, by the monotonic clock and, because that may stand still while a machine sleeps, by the present.
    until: Option<(Instant, Time)>,
    rate: (i64, u32),
    keeping: bool,
    ending: bool,
    broken: Option<StoreError>,
}

/// What the keeper has to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct PermitUse {
    /// Permits that are or may be in use without asking again.
    pub(super) held: u32,
    pub(super) allowed: u32,
    /// Most calls at a time since the last look.
    pub(super) wanted: u32,
    /// What is left of the lease.
    pub(super) left: Duration,
    pub(super) ending: bool,
}

impl Permits {
    pub(super) fn new(margin: Duration, period_us: i64, clock: Clock) -> Self {
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

    /// The rate in force, as microseconds between starts, and the burst.
    pub(super) fn rate(&self) -> (i64, u32) {
        self.state().rate
    }

    /// Why no lease can be had, when there is none under which a call could begin.
    pub(super) fn stuck(&self) -> Option<StoreError> {
        let state = self.state();
        state.broken.clone().filter(|_| self.left(&state) <= self.margin)
    }

    pub(super) fn fail(&self, error: StoreError) {
        self.state().broken = Some(error);
    }

    /// Whether a keeper has to be started; the one that is told so is it.
    pub(super) fn needs_keeper(&self) -> bool {
        let mut state = self.state();
        !std::mem::replace(&mut state.keeping, true)
    }

    /// Lets the keeper go, unless somebody came meanwhile.
    pub(super) fn let_keeper_go(&self) -> bool {
        let mut state = self.state();
        if state.demand == 0 {
            (state.keeping, state.ending) = (false, false);
        }
        !state.keeping
    }

    /// Tells the keeper to give everything back, when there is one.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ending = state.keeping;
        self.wake.notify_one();
    }

    /// For a look at the lease; begins a new span of observation.
    pub(super) fn seen(&self) -> PermitUse {
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

    /// Uses no more than these from now on; what is over is given back as calls end.
    pub(super) fn shrink(&self, to: u32) {
        self.allow(&mut self.state(), to);
    }

    /// Nothing is leased any more, unless a call came meanwhile.
    pub(super) fn give_up(&self) -> bool {
        let mut state = self.state();
        if state.demand == 0 {
            self.allow(&mut state, 0);
            state.until = None;
        }
        state.demand == 0
    }

    /// Takes over what a lease gave.
    pub(super) fn leased(&self, standing: &LeaseShare, until: (Instant, Time)) {
        let mut state = self.state();
        if standing.fresh {
            // Calls still in flight under an earlier lease count against this one.
            self.allow(&mut state, 0);
            state.lease += 1;
        }
        let to = standing.permits.saturating_sub(if standing.fresh { 0 } else { state.debt });
        self.allow(&mut state, to.min(standing.share));
        (state.until, state.broken) = (Some(until), None);
        state.rate = (standing.period_us, standing.limit);
    }

    /// Follows the rate that a look found in force.
    pub(super) fn follow(&self, standing: &LeaseShare) {
        let mut state = self.state();
        state.rate = (standing.period_us, standing.limit);
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

    fn holds(&self, lease: u64) -> bool {
        let state = self.state();
        state.lease == lease && self.left(&state) > self.margin
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whole between any two statements, whoever panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that wants a place, or has one.
pub(super) struct PermitRequest(Arc<Permits>);

impl PermitRequest {
    pub(super) fn new(places: &Arc<Permits>) -> Self {
        let mut state = places.state();
        state.demand += 1;
        state.peak = state.peak.max(state.demand);
        drop(state);
        Self(Arc::clone(places))
    }

    /// Waits for a place, first come, first served; hands itself back when the lease has run out.
    pub(super) async fn place(&mut self) -> Result<Permit, Self> {
        // Nobody closes it.
        if let Ok(permit) = self.0.free.acquire().await {
            permit.forget();
        }
        let lease = self.0.state().lease;
        let held = Permit { of: Self::new(&self.0), lease };
        if held.holds() { Ok(held) } else { Err(Self::new(&self.0)) }
    }
}

impl Drop for PermitRequest {
    fn drop(&mut self) {
        self.0.state().demand -= 1;
    }
}

/// A place in use.
pub(super) struct Permit {
    of: PermitRequest,
    lease: u64,
}

impl CallPermit for Permit {
    fn holds(&self) -> bool {
        self.of.0.holds(self.lease)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let places = &self.of.0;
        let mut state = places.state();
        if state.debt > 0 {
            state.debt -= 1;
            drop(state);
            // It is another's as soon as the database knows.
            places.wake.notify_one();
        } else {
            drop(state);
            places.free.add_permits(1);
        }
    }
}
