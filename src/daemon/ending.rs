//! The end of the loop: what is waited for after a stop, and for how long.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::notify::Manager;
use crate::collect::WorkerPool;

/// How long a stop waits for what the loop does beside the runs: a database that says nothing any more is not waited for.
pub(super) const ERRANDS_END_WITHIN: Duration = Duration::from_secs(10);

/// How long cancelled runs may take to end after the grace.
pub(super) const GIVEN_UP_WITHIN: Duration = Duration::from_secs(30);

/// Waits until every run has ended, at most so long; whether they have. The service manager hears meanwhile that this is
/// no standstill.
pub(super) async fn finished(worker_pool: &WorkerPool, manager: &Manager, within: Duration) -> bool {
    let limit = tokio::time::sleep(within);
    let alive = async {
        let Some(beat) = manager.beat() else { return std::future::pending().await };
        loop {
            manager.alive();
            tokio::time::sleep(beat).await;
        }
    };
    tokio::select! {
        () = worker_pool.finished() => true,
        () = limit => false,
        () = alive => false,
    }
}

/// Longer after the stop than anything takes in a database that answers.
pub(super) async fn silent(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(ERRANDS_END_WITHIN).await;
}
