//! What a process knows of itself alone: since when it lives, when its loop last went round, what became of its pings. It is
//! written where that happens and read where it is told; nothing of it is stored, and nothing is decided here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::model::Time;

/// How long the loop may take to go round once: longer than it sleeps, and than a database may take to answer.
pub const PATIENCE: Duration = Duration::from_secs(150);

/// What a process knows of itself.
#[derive(Debug)]
pub struct ProcessStatus {
    /// Since when it lives.
    pub started_at: Time,
    /// Its loop, where it has one.
    pub beat: Option<Arc<Heartbeat>>,
    /// What became of its pings.
    pub pings: Arc<Pinged>,
}

impl ProcessStatus {
    /// Of a process without a loop.
    #[must_use]
    pub fn without_loop(started_at: Time) -> Self {
        Self { started_at, beat: None, pings: Arc::default() }
    }
}

/// When the loop went round last.
#[derive(Debug)]
pub struct Heartbeat {
    patience: Duration,
    last: Mutex<(Instant, Time)>,
}

impl Heartbeat {
    /// A loop that begins now.
    #[must_use]
    pub fn new(patience: Duration, now: Time) -> Self {
        Self { patience, last: Mutex::new((Instant::now(), now)) }
    }

    /// The loop went round.
    pub fn tick(&self, now: Time) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), now);
    }

    /// How long ago that was, by a clock that nobody sets, and when.
    #[must_use]
    pub fn last(&self) -> (Duration, Time) {
        let (at, time) = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        (at.elapsed(), time)
    }

    /// Whether it should have gone round again.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.last().0 > self.patience
    }

    /// How long it may take.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// How often the loop should go round at least, so that nobody takes it for one that stands still.
    #[must_use]
    pub fn pace(&self) -> Duration {
        self.patience / 4
    }
}

/// What became of pings.
#[derive(Debug, Default)]
pub struct Pinged {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Pinged {
    /// One was taken.
    pub fn add_sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// One was given up.
    pub fn add_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// One was left out because too many waited.
    pub fn add_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    #[must_use]
    pub fn counts(&self) -> [(&'static str, u64); 3] {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        [("sent", of(&self.sent)), ("failed", of(&self.failed)), ("dropped", of(&self.dropped))]
    }
}
