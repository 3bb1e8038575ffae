//! The inputs of the loop while it runs: reloads, requests through the ledger, the service manager.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::{Jobs, Manager, Membership};
use crate::collect::Collector;
use crate::process_status::Heartbeat;
use crate::store::{DaemonLock, RunRef, Store, StoreError, StoreErrorKind};

/// The settings of runs that start from now on.
pub struct Reloaded {
    /// Client, prices and limits.
    pub collector: Arc<Collector>,
    /// Runs at the same time.
    pub max_concurrent_runs: u32,
    /// Lease of a claimed run.
    pub lease: Duration,
    /// How long shutdown waits for runs.
    pub shutdown_grace: Duration,
}

/// The loop's connections to the outside. By default there are none.
#[derive(Default)]
pub struct Connections {
    /// Reloads, already checked and with their topics stored.
    pub reloads: Option<mpsc::Receiver<Reloaded>>,
    /// Keeps other daemons from the database file.
    pub lock: Option<DaemonLock>,
    /// This process among the others.
    pub membership: Option<Arc<Membership>>,
    /// The service manager.
    pub manager: Manager,
    /// Runs the jobs other than topics.
    pub jobs: Option<Jobs>,
    /// Checks runs that became readable.
    pub watch: Option<Watch>,
    /// Notified after each round of the loop.
    pub beat: Option<Arc<Heartbeat>>,
    /// Called for each run that starts here.
    pub begun: Option<OnRunStart>,
}

/// A callback for each run that starts. It must not block.
pub type OnRunStart = Arc<dyn Fn(&RunRef) + Send + Sync>;

/// A callback that runs in parallel with the loop, regularly and whenever runs became readable. It reports its own
/// failures.
pub type Watch = Arc<dyn Fn(CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// The longest time between two calls of a [`Watch`]: missed slots and daily budgets wake nothing.
const WATCHED: Duration = Duration::from_secs(15);

/// Calls the watch until the stop. Runs that become readable later are checked at the next start.
pub(super) async fn watch(watch: Watch, woken: Arc<Notify>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        watch(stop.clone()).await;
        tokio::select! {
            () = stop.cancelled() => {}
            () = woken.notified() => {}
            () = tokio::time::sleep(WATCHED) => {}
        }
    }
}

/// Returns the next reload; waits forever if none can come.
pub(super) async fn next(reloads: &mut Option<mpsc::Receiver<Reloaded>>) -> Reloaded {
    let Some(receiver) = reloads else { return std::future::pending().await };
    match receiver.recv().await {
        Some(reloaded) => reloaded,
        None => std::future::pending().await,
    }
}

/// Checks that the database is still the one this process began with, and that no other daemon took it over.
pub(super) fn in_place(store: &Store, lock: Option<&mut DaemonLock>) -> Result<(), StoreError> {
    store.check_file()?;
    lock.map_or(Ok(()), DaemonLock::ensure_held)
}

/// Time between two checks for requests.
const LOOK: Duration = Duration::from_secs(1);

/// Wakes the loop when a topic was paused, resumed, renamed or is to run now. It costs two index look-ups a second, and
/// a round of the loop only if something is new.
pub(super) async fn listen(store: Store, wake: Arc<Notify>, stop: CancellationToken) {
    let mut before: Option<String> = None;
    loop {
        match store.control_version().await {
            Ok(now) => {
                if before.as_ref().is_some_and(|before| *before != now) {
                    wake.notify_one();
                }
                before = Some(now);
            }
            // The loop notices it and ends.
            Err(error) if error.kind == StoreErrorKind::Replaced => wake.notify_one(),
            Err(error) => tracing::debug!("cannot check for requests: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}
