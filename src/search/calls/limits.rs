//! Limits the calls in flight and the rate of their starts within one process: a semaphore and a leaky bucket
//! (`governor`). Used without a database (`try`, `check --probe`, the sandbox). Limits that processes share are rows of
//! the database (`collect/limits/`), another [`CallLimiter`]. The ledger durably counts the calls of a day.

use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::gate::{Admission, CallLimiter, CallPermit, Refusal};
use crate::search::Rate;

/// A burst after a pause has at most the calls of this time.
const MINUTE: Duration = Duration::from_secs(60);

/// A leaky bucket on a given clock.
type Bucket<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// The client's limits. The clock is a parameter for tests.
pub(in crate::search) struct Limits<C: Clock = DefaultClock> {
    permits: Arc<Semaphore>,
    bucket: Option<Bucket<C>>,
    clock: C,
}

impl<C: Clock + Clone> Limits<C> {
    /// At most `max_concurrent` calls (at least one) at a time, started at `rate`. After a pause, a burst of
    /// `max_concurrent` calls may start at once, or the calls of one minute if those are fewer. A rate finer than a
    /// nanosecond or of no calls at all means unlimited: the configuration refuses both.
    pub(in crate::search) fn new(max_concurrent: u32, rate: Option<Rate>, clock: C) -> Self {
        let most = max_concurrent.max(1);
        let permits = usize::try_from(most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        let period = rate.and_then(|rate| rate.per.checked_div(rate.count)).filter(|period| !period.is_zero());
        let quota = period.and_then(|period| {
            let of_a_minute = u32::try_from(MINUTE.as_nanos() / period.as_nanos()).unwrap_or(u32::MAX);
            let burst = NonZeroU32::new(most.min(of_a_minute)).unwrap_or(NonZeroU32::MIN);
            Some(Quota::with_period(period)?.allow_burst(burst))
        });
        let bucket = quota.map(|quota| RateLimiter::direct_with_clock(quota, clock.clone()));
        Self { permits: Arc::new(Semaphore::new(permits)), bucket, clock }
    }

    /// Waits until a call may start, and counts it as started. Dropping the permit frees it.
    async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        // First the permit, then the rate: in the other order, calls that passed the rate limit would queue for permits
        // and then start together. `None` only for a closed semaphore, which never happens.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        while let Some(wait) = self.take() {
            tokio::time::sleep(wait).await;
        }
        permit
    }

    /// Takes one call from the bucket, or returns how long to wait for it.
    fn take(&self) -> Option<Duration> {
        let refused = self.bucket.as_ref()?.check().err()?;
        Some(refused.wait_time_from(self.clock.now()))
    }
}

impl<C: Clock + Clone + Send + Sync> CallLimiter for Limits<C>
where
    C::Instant: Send + Sync,
{
    fn acquire(&self) -> Pin<Box<dyn Future<Output = Admission> + Send + '_>> {
        Box::pin(async {
            let permit = self.acquire().await;
            let closed = || Refusal::new("the client accepts no more calls");
            permit.map(|permit| Box::new(LocalPermit(permit)) as Box<dyn CallPermit>).ok_or_else(closed)
        })
    }
}

/// A permit of this process only.
struct LocalPermit(#[expect(dead_code, reason = "given back when dropped")] OwnedSemaphorePermit);

impl CallPermit for LocalPermit {
    fn is_valid(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limits(max_concurrent: u32, rate: Option<Rate>) -> (Limits<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (Limits::new(max_concurrent, rate, clock.clone()), clock)
    }

    #[test]
    fn after_a_burst_calls_begin_one_period_apart() {
        let (limits, clock) = limits(3, Some(Rate { count: 60, per: Duration::from_secs(60) }));
        for _ in 0..3 {
            assert_eq!(limits.take(), None);
        }
        for _ in 0..5 {
            assert_eq!(limits.take(), Some(Duration::from_secs(1)));
            clock.advance(Duration::from_secs(1));
            assert_eq!(limits.take(), None);
        }
    }

    #[test]
    fn a_long_pause_saves_up_for_one_burst_only() {
        let (limits, clock) = limits(2, Some(Rate { count: 1, per: Duration::from_secs(10) }));
        clock.advance(Duration::from_secs(86_400));
        assert_eq!((limits.take(), limits.take()), (None, None));
        assert_eq!(limits.take(), Some(Duration::from_secs(10)));
    }

    #[test]
    fn a_rate_of_few_calls_per_hour_allows_no_burst() {
        let (limits, clock) = limits(8, Some(Rate { count: 2, per: Duration::from_secs(3_600) }));
        clock.advance(Duration::from_secs(86_400));
        assert_eq!((limits.take(), limits.take()), (None, Some(Duration::from_secs(1_800))));
    }

    #[test]
    fn without_a_rate_limit_no_call_waits() {
        for rate in [None, Some(Rate { count: 0, per: Duration::from_secs(1) })] {
            let (limits, _) = limits(0, rate);
            assert!((0..1_000).all(|_| limits.take().is_none()));
        }
    }

    #[tokio::test]
    async fn a_permit_is_free_again_when_it_is_dropped() {
        let (limits, _) = limits(2, None);
        let first = limits.acquire().await;
        let _second = limits.acquire().await;
        assert_eq!(limits.permits.available_permits(), 0);
        drop(first);
        assert!(limits.acquire().await.is_some());
    }
}
