//! The current time: this machine's clock, or on PostgreSQL the server's, which all daemons share. It never sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::model::{Clock, Time};
use crate::store::{Store, StoreError};

/// Returns the clock of this machine: one of the two places that read it.
#[must_use]
pub fn system_clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "the daemon hands the present out; everybody else is given it")]
    Arc::new(|| Time::from_jiff(jiff::Timestamp::now()))
}

/// How far the shared time is ahead of this machine's clock. On PostgreSQL every daemon uses the server's time: it is
/// read once per tick, and this machine's clock counts on from there.
#[derive(Debug, Clone, Default)]
pub struct Skew(Arc<AtomicI64>);

impl Skew {
    /// Returns the machine's clock, corrected.
    #[must_use]
    pub fn correct(&self, machine: Clock) -> Clock {
        let ahead = Arc::clone(&self.0);
        Arc::new(move || Time(machine().0.saturating_add(ahead.load(Ordering::Relaxed))))
    }

    /// Adopts the server's time. Warns if the two are far apart.
    pub async fn follow(&self, store: &Store, corrected: Time) -> Result<(), StoreError> {
        let Some(server) = store.server_time().await? else { return Ok(()) };
        let before = self.0.load(Ordering::Relaxed);
        let ahead = before.saturating_add(server.0.saturating_sub(corrected.0));
        self.0.store(ahead, Ordering::Relaxed);
        if ahead.abs() > WORTH_A_WARNING_MS && (ahead - before).abs() > WORTH_A_WARNING_MS {
            tracing::warn!(ahead_ms = ahead, "the database's clock and this machine's differ; the database's counts");
        }
        Ok(())
    }
}

/// Two clocks may differ by this much without a warning.
const WORTH_A_WARNING_MS: i64 = 60_000;
