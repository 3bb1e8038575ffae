//! Brings the followers (`collect/followers/mod.rs`) up to date in a task of their own, so that no slot waits for them.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::collect::follow;
use crate::model::Clock;
use crate::store::Store;

/// How long a stop waits for the followers of the last runs.
const AT_THE_END: Duration = Duration::from_secs(2);

/// Wakes the task that runs the followers.
#[derive(Debug, Clone, Default)]
pub(super) struct Wake(Arc<Notify>);

impl Wake {
    /// To be called when runs may have become readable. If none has, it costs a few index look-ups.
    pub(super) fn wake(&self) {
        self.0.notify_one();
    }

    /// Runs the followers now and whenever woken, until the stop.
    pub(super) async fn keep_up(self, store: Store, clock: Clock, stop: CancellationToken) {
        while !stop.is_cancelled() {
            follow(&store, &clock, &|| stop.is_cancelled(), "trying again after the next run").await;
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.0.notified() => {}
            }
        }
    }
}

/// Runs the followers for the runs that ended while the loop was stopping.
pub(super) async fn finish(store: &Store, clock: &Clock) {
    let end = Instant::now() + AT_THE_END;
    follow(store, clock, &|| Instant::now() >= end, "retried at the next start").await;
}
