//! The status that only the process itself knows: its start time, the last iteration of its loop, and the results of
//! its pings. Nothing is stored or decided here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::model::Time;

/// How long one iteration of the loop may take: longer than its sleep, and than a database may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(150);

/// The status of a process.
#[derive(Debug)]
pub struct ProcessStatus {
    /// When it started.
    pub started_at: Time,
    /// Its loop, if it has one.
    pub beat: Option<Arc<Heartbeat>>,
    /// The results of its pings.
    pub pings: Arc<PingCounts>,
}

impl ProcessStatus {
    /// The status of a process without a loop.
    #[must_use]
    pub fn without_loop(started_at: Time) -> Self {
        Self { started_at, beat: None, pings: Arc::default() }
    }
}

/// Records the last iteration of a loop.
#[derive(Debug)]
pub struct Heartbeat {
    patience: Duration,
    last: Mutex<(Instant, Time)>,
}

impl Heartbeat {
    /// A loop that starts now.
    #[must_use]
    pub fn new(patience: Duration, now: Time) -> Self {
        Self { patience, last: Mutex::new((Instant::now(), now)) }
    }

    /// Records an iteration.
    pub fn tick(&self, now: Time) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), now);
    }

    /// Returns how long ago the last iteration was, by a monotonic clock, and when it was.
    #[must_use]
    pub fn last(&self) -> (Duration, Time) {
        let (at, time) = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        (at.elapsed(), time)
    }

    /// Returns whether the next iteration is overdue.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.last().0 > self.patience
    }

    /// Returns how long an iteration may take.
    #[must_use]
    pub fn max_interval(&self) -> Duration {
        self.patience
    }

    /// Returns how often the loop should run at least, so that it is never considered stuck.
    #[must_use]
    pub fn tick_interval(&self) -> Duration {
        self.patience / 4
    }
}

/// Counts the results of pings.
#[derive(Debug, Default)]
pub struct PingCounts {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl PingCounts {
    /// Counts an accepted ping.
    pub fn add_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a ping that was given up.
    pub fn add_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a ping dropped because too many were waiting.
    pub fn add_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn counts(&self) -> [(&'static str, u64); 3] {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        [("sent", of(&self.sent)), ("failed", of(&self.failed)), ("dropped", of(&self.dropped))]
    }
}
