//! What reaches the loop from outside while it runs: a reload, what people asked for through the ledger, the service
//! manager. How a configuration is read is cli's.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::{Jobs, Manager, Membership};
use crate::collect::Collector;
use crate::process_status::Heartbeat;
use crate::store::{DaemonLock, RunRef, Store, StoreError, StoreErrorKind};

/// What runs that begin from now on are run with.
pub struct Reloaded {
    /// Client, prices and limits.
    pub collector: Arc<Collector>,
    /// Runs at the same time.
    pub max_concurrent_runs: u32,
    /// Lease of a claimed run.
    pub lease: Duration,
    /// How long a stop waits.
    pub shutdown_grace: Duration,
}

/// The loop's connections to the outside. By default there are none.
#[derive(Default)]
pub struct Life {
    /// Reloads as they come, already checked and with their topics stored.
    pub reloads: Option<mpsc::Receiver<Reloaded>>,
    /// What keeps other daemons from its file.
    pub lock: Option<DaemonLock>,
    /// This process among others.
    pub membership: Option<Arc<Membership>>,
    /// Who supervises it.
    pub manager: Manager,
    /// What runs jobs that are no topics.
    pub jobs: Option<Jobs>,
    /// What looks at runs that became readable.
    pub watch: Option<Watch>,
    /// Who is told whenever the loop went round.
    pub beat: Option<Arc<Heartbeat>>,
    /// Who is told of each run that begins here.
    pub begun: Option<Begun>,
}

/// Somebody who is told that a run begins, and holds nobody up.
pub type Begun = Arc<dyn Fn(&RunRef) + Send + Sync>;

/// Somebody who looks, now and then and whenever runs became readable, beside the loop. A look that fails says so itself.
pub type Watch = Arc<dyn Fn(CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// Longest time between two looks of a [`Watch`]: slots that were missed and budgets of the day wake nobody.
const WATCHED: Duration = Duration::from_secs(15);

/// Looks until the stop. What becomes readable afterwards is looked at by the next start.
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

/// The next reload; never when there is none to come.
pub(super) async fn next(reloads: &mut Option<mpsc::Receiver<Reloaded>>) -> Reloaded {
    let Some(receiver) = reloads else { return std::future::pending().await };
    match receiver.recv().await {
        Some(reloaded) => reloaded,
        None => std::future::pending().await,
    }
}

/// Whether the database is still the one that this process began with, and nobody else's.
pub(super) fn in_place(store: &Store, lock: Option<&mut DaemonLock>) -> Result<(), StoreError> {
    store.in_place()?;
    lock.map_or(Ok(()), DaemonLock::keep)
}

/// Time between two looks at what people asked for.
const LOOK: Duration = Duration::from_secs(1);

/// Wakes the loop when somebody paused, resumed, renamed or asked for a run: two looks at an index a second, and the loop
/// itself only when something is new.
pub(super) async fn listen(store: Store, wake: Arc<Notify>, stop: CancellationToken) {
    let mut before: Option<String> = None;
    loop {
        match store.asked().await {
            Ok(now) => {
                if before.as_ref().is_some_and(|before| *before != now) {
                    wake.notify_one();
                }
                before = Some(now);
            }
            // The loop looks, and ends.
            Err(error) if error.kind == StoreErrorKind::Replaced => wake.notify_one(),
            Err(error) => tracing::debug!("could not look for what was asked: {error}"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}
