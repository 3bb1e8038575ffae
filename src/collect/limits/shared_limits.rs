//! The service's limits, shared by all processes of one database: permits for calls are leased, starts are reserved.
//! Here a call waits for both, and the lease is renewed. `permits` counts; the store divides both between processes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, watch};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::permits::{Permit, PermitRequest, Permits};
use crate::model::Clock;
use crate::search::{Admission, CallLimiter, CallPermit, Client, Refusal};
use crate::store::{LeaseRequest, Store, StoreError, StoreErrorKind};

/// A start used later than this would coincide with the next ones.
const TOO_LATE: Duration = Duration::from_millis(500);
/// Starts closer together than this are reserved several at a time.
const CLOSE_US: i64 = 20_000;
/// The most starts reserved at a time.
const MOST_STARTS: u32 = 64;
/// The longest lease of permits, so that those of a dead process are free again soon.
const LONGEST_LEASE: Duration = Duration::from_secs(15);

/// This process's share of the service.
pub(in crate::collect) struct SharedLimits {
    pub(in crate::collect) store: Store,
    pub(in crate::collect) clock: Clock,
    /// The constant part of each lease request.
    pub(in crate::collect) ask: LeaseRequest,
    pub(in crate::collect) lease: Duration,
    pub(in crate::collect) permits: Arc<Permits>,
    /// Notified after every check of the lease.
    pub(in crate::collect) looked: watch::Sender<()>,
    pub(in crate::collect) renewals: TaskTracker,
    ahead: Mutex<VecDeque<Reserved>>,
    queueing: AtomicU32,
}

/// A reserved start: its time, and when it was reserved.
struct Reserved {
    at: Instant,
    reserved_at: Instant,
}

impl SharedLimits {
    /// Shares the limits of the client between all processes of this store. `lease` is the lease of runs.
    pub(in crate::collect) fn new(store: Store, clock: Clock, client: &Client, lease: Duration) -> Arc<Self> {
        let (most, rate) = client.limits();
        let period = rate.and_then(|rate| rate.per.checked_div(rate.count)).unwrap_or_default();
        let request = LeaseRequest {
            service: client.service_id(),
            holder: holder(),
            most,
            period_us: i64::try_from(period.as_micros()).unwrap_or(i64::MAX),
            wanted: 0,
            held: 0,
        };
        let permits = Arc::new(Permits::new(lease.min(LONGEST_LEASE) / 5, request.period_us, Arc::clone(&clock)));
        Arc::new(Self {
            store,
            clock,
            ask: request,
            lease: lease.min(LONGEST_LEASE),
            permits,
            looked: watch::channel(()).0,
            renewals: TaskTracker::new(),
            ahead: Mutex::default(),
            queueing: AtomicU32::new(0),
        })
    }

    /// Waits for a permit under a valid lease.
    async fn acquire(self: &Arc<Self>) -> Result<Permit, Refusal> {
        let mut wanting = PermitRequest::new(&self.permits);
        loop {
            self.ensure_renewal();
            let mut checks = self.looked.subscribe();
            let taken = tokio::select! {
                biased;
                permit = wanting.acquire() => permit,
                error = self.failure(checks.clone()) => return Err(Refusal::from_error(error)),
            };
            match taken {
                Ok(permit) => return Ok(permit),
                Err(back) => wanting = back,
            }
            self.permits.wake.notify_one();
            let _ = checks.changed().await;
            // The permits of an expired lease are free at once, so the failure branch above is never reached.
            if let Some(error) = self.permits.blocked_by() {
                return Err(Refusal::from_error(error));
            }
        }
    }

    /// Completes when the store fails and so no lease can be acquired.
    async fn failure(&self, mut checks: watch::Receiver<()>) -> StoreError {
        loop {
            // The sender is our own, so this cannot fail.
            let _ = checks.changed().await;
            if let Some(error) = self.permits.blocked_by() {
                return error;
            }
        }
    }

    /// Waits for a reserved start, if any living process has a rate limit.
    async fn start(self: &Arc<Self>) -> Result<(), Refusal> {
        loop {
            let (period_us, burst) = self.permits.rate();
            if period_us == 0 {
                return Ok(());
            }
            let Reserved { at, reserved_at } = self.reserved(period_us, burst).await?;
            tokio::time::sleep_until(at).await;
            if at.max(reserved_at).elapsed() <= TOO_LATE {
                return Ok(());
            }
        }
    }

    /// Returns the next start of this process. Reserves as many as callers wait for.
    async fn reserved(self: &Arc<Self>, period_us: i64, burst: u32) -> Result<Reserved, Refusal> {
        let queueing = Queueing::new(&self.queueing);
        let mut ahead = self.ahead.lock().await;
        ahead.retain(|start| start.at.max(start.reserved_at).elapsed() <= TOO_LATE);
        if let Some(start) = ahead.pop_front() {
            return Ok(start);
        }
        let close = u32::try_from(CLOSE_US / period_us.max(1)).unwrap_or(u32::MAX);
        let waiting = self.queueing.load(Ordering::Relaxed).min(burst);
        let count = waiting.max(close).clamp(1, MOST_STARTS);
        let (base, now) = (Instant::now(), (self.clock)());
        // In its own task: this future may be dropped at any moment, but a transaction must not be.
        let shared = Arc::clone(self);
        let task = tokio::spawn(async move { shared.store.reserve_starts(&shared.ask, count, now).await });
        let starts = match task.await {
            Ok(Ok(starts)) => starts,
            Ok(Err(error)) => return Err(Refusal::from_error(error)),
            Err(ended) => {
                return Err(Refusal::from_error(StoreError::new(
                    StoreErrorKind::Statement,
                    format!("reserving a call start crashed: {ended}"),
                    "please report this bug; the run is retried when its lease expires",
                )));
            }
        };
        let reserved_at = Instant::now();
        let at = |us: i64| base + Duration::from_micros(u64::try_from(us).unwrap_or(0));
        ahead.extend(starts.into_iter().map(|us| Reserved { at: at(us), reserved_at }));
        drop(queueing);
        Ok(ahead.pop_front().unwrap_or(Reserved { at: base, reserved_at }))
    }
}

/// The pace of a client; a wrapper because the task that renews the lease needs the `Arc`.
pub(in crate::collect) struct SharedPace(pub(in crate::collect) Arc<SharedLimits>);

impl CallLimiter for SharedPace {
    fn acquire(&self) -> Pin<Box<dyn Future<Output = Admission> + Send + '_>> {
        Box::pin(async {
            // First the permit, then the start: otherwise calls with a start would queue for permits and then begin
            // together.
            let permit = self.0.acquire().await?;
            self.0.start().await?;
            Ok(Box::new(permit) as Box<dyn CallPermit>)
        })
    }
}

/// Counts a waiter while it lives.
struct Queueing<'a>(&'a AtomicU32);

impl<'a> Queueing<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Queueing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns a name that no other process has, from random hasher keys and the process id.
fn holder() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let draw = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:016x}{:08x}", draw(), std::process::id())
}

/// Time between two checks for a permit that another process still holds.
const WAITING: Duration = Duration::from_millis(100);
/// The longest time between two checks.
const LOOK: Duration = Duration::from_secs(1);
/// Pause after a store error.
const FAILED: Duration = Duration::from_secs(1);

impl SharedLimits {
    /// Makes sure that a task renews the lease.
    pub(super) fn ensure_renewal(self: &Arc<Self>) {
        if self.permits.needs_renewal() {
            let shared = Arc::clone(self);
            self.renewals.spawn(async move { shared.keep_lease().await });
        }
    }

    /// Gives everything back and waits until that is done. A later call starts again.
    pub(in crate::collect) async fn end(&self) {
        self.permits.end();
        self.renewals.close();
        self.renewals.wait().await;
    }

    async fn keep_lease(self: Arc<Self>) {
        loop {
            let checked = self.check_lease().await;
            let pause = match checked {
                Ok(Some(pause)) => pause,
                Ok(None) => return,
                // A caller that waits for the end would wait forever if nothing can be written.
                Err(error) if self.permits.usage().ending && self.permits.try_stop_renewal() => {
                    tracing::debug!(
                        "the share of the service's limits was not released and expires with its lease: {error}"
                    );
                    return;
                }
                Err(error) => {
                    tracing::warn!("the service's limits cannot be shared: {error}; trying again");
                    self.permits.fail(error);
                    FAILED
                }
            };
            self.looked.send_replace(());
            tokio::select! {
                () = self.permits.wake.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Checks the lease once. Returns the time until the next check, or `None` if there is nothing left to keep.
    async fn check_lease(&self) -> Result<Option<Duration>, StoreError> {
        let (mut seen, base, now) = (self.permits.usage(), Instant::now(), (self.clock)());
        if seen.wanted == 0 || seen.ending {
            if !self.permits.give_up() {
                return Ok(Some(Duration::ZERO));
            }
            self.store.release_permits(&self.ask).await?;
            return Ok((!self.permits.try_stop_renewal()).then_some(Duration::ZERO));
        }
        let wanted = seen.wanted.min(self.ask.most);
        let request = |held| LeaseRequest { wanted, held, ..self.ask.clone() };
        let mut share = seen.allowed;
        let mut write = seen.left < self.lease * 2 / 3;
        if !write {
            let found = self.store.limit_share(&request(seen.held), now).await?;
            self.permits.apply_rate(&found);
            if found.share < seen.allowed && !found.fresh {
                self.permits.shrink(found.share);
                seen = self.permits.usage();
            }
            share = found.share;
            write = found.fresh
                || seen.held < found.permits
                || (found.share > seen.held && found.free(seen.held) > 0)
                || (found.others > 0 && wanted > found.last_wanted);
        }
        if write {
            let leased = self.store.lease_permits(&request(seen.held), now, self.lease).await?;
            self.permits.apply_lease(&leased, (base + self.lease, now.plus(self.lease)));
            share = leased.share;
        }
        let seen = self.permits.usage();
        let waits = seen.allowed < share && wanted > seen.allowed;
        Ok(Some(if waits { WAITING } else { (self.lease / 15).clamp(WAITING / 2, LOOK) }))
    }
}
