//! The end of the loop: what it waits for after a stop, and for how long.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::service_manager::Manager;
use crate::collect::WorkerPool;

/// How long a stop waits for the loop's other tasks. It does not wait for a database that no longer answers.
pub(super) const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(10);

/// How long cancelled runs may take to end after the grace period.
pub(super) const CANCEL_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until every run has ended, but no longer than `within`. Returns whether they have. Meanwhile it reports to the
/// service manager that the process is alive.
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

/// After the stop, waits longer than anything takes if the database answers.
pub(super) async fn unresponsive_after_stop(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(BACKGROUND_TIMEOUT).await;
}
