//! Several runs side by side: at most so many at a time, each with its lease kept alive until it ends. A run whose lease
//! was lost is told to stop; what it would have stored is refused by the store in any case.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Collector, RunReport, Stop, fetch};
use crate::store::{RunRef, StoreError};

/// A run that ended, and how.
#[derive(Debug)]
pub struct Done {
    /// Public id of the run.
    pub run: String,
    /// Topic id.
    pub topic: String,
    /// Its report, or why nothing of it could be stored.
    pub result: Result<RunReport, StoreError>,
}

/// Runs in this process.
#[derive(Clone)]
pub struct Crew {
    collector: Arc<Collector>,
    places: Arc<Semaphore>,
    held: Arc<Mutex<HashMap<String, (RunRef, CancellationToken)>>>,
    tasks: TaskTracker,
    ended: Arc<Notify>,
    cancel: CancellationToken,
    done: mpsc::UnboundedSender<Done>,
}

/// Longest duration of a run that has no schedule of its own to say so.
const TIMEOUT: Duration = Duration::from_secs(300);

impl Crew {
    /// A crew of `size`; ends are told through the channel, and `cancel` asks every run to stop.
    #[must_use]
    pub fn new(
        collector: Arc<Collector>,
        size: u32,
        cancel: CancellationToken,
    ) -> (Self, mpsc::UnboundedReceiver<Done>) {
        let (done, ends) = mpsc::unbounded_channel();
        let places = Arc::new(Semaphore::new(size.max(1) as usize));
        (
            Self {
                collector,
                places,
                held: Arc::default(),
                tasks: TaskTracker::new(),
                ended: Arc::default(),
                cancel,
                done,
            },
            ends,
        )
    }

    /// Waits for a free place; `None` once the crew is told to stop.
    pub async fn place(&self) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            place = Arc::clone(&self.places).acquire_owned() => place.ok(),
            () = self.cancel.cancelled() => None,
        }
    }

    /// Free places now.
    #[must_use]
    pub fn free(&self) -> u32 {
        u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX)
    }

    /// Begins a run in a place.
    pub fn start(&self, run: RunRef, place: OwnedSemaphorePermit) {
        let cancel = self.cancel.child_token();
        self.held().insert(run.public_id.clone(), (run.clone(), cancel.clone()));
        let crew = self.clone();
        let timeout = run.topic.schedule.as_ref().map_or(TIMEOUT, |policy| Duration::from_millis(policy.timeout_ms));
        self.tasks.spawn(async move {
            let stop = Stop { cancel, deadline: tokio::time::Instant::now() + timeout };
            // In a task of its own, so that a panic ends this run and no other.
            let (collector, held) = (Arc::clone(&crew.collector), run.clone());
            let ran = tokio::spawn(async move { collector.run(&held, &stop).await }).await;
            let result = match ran {
                Ok(result) => result,
                Err(panic) => Err(StoreError::new(
                    crate::store::StoreErrorKind::Statement,
                    format!("run {} ended by a defect: {panic}", run.public_id),
                    "please report it; the run is tried again when its lease runs out",
                )),
            };
            if let Err(error) = &result
                && fetch::is_fenced(error)
            {
                tracing::warn!(run = %run.public_id, "{error}");
            }
            crew.held().remove(&run.public_id);
            // Nobody listens any more only when the process is ending.
            let _ = crew.done.send(Done { run: run.public_id.clone(), topic: run.topic.id.clone(), result });
            drop(place);
            crew.ended.notify_one();
        });
    }

    /// Waits until a run ends, for the one caller that wants to know; `false` when none is going on.
    pub async fn one_ended(&self) -> bool {
        // An end between the look and the wait is kept by the notification.
        if self.held().is_empty() {
            return false;
        }
        self.ended.notified().await;
        true
    }

    /// Prolongs the leases of all runs, until dropped; a third of the lease apart.
    pub async fn keep_alive(&self, lease: Duration) {
        let mut beat = tokio::time::interval(lease / 3);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        beat.tick().await;
        loop {
            beat.tick().await;
            let runs: Vec<RunRef> = self.held().values().map(|(run, _)| run.clone()).collect();
            if runs.is_empty() {
                continue;
            }
            let (store, now) = (self.collector.store().clone(), self.collector.now());
            let beaten = tokio::spawn(async move { store.heartbeat(&runs, now, lease).await }).await;
            match beaten {
                Ok(Ok(lost)) => {
                    for run in lost {
                        if let Some((_, cancel)) = self.held().get(&run) {
                            tracing::warn!(run, "lost its lease and is stopped");
                            cancel.cancel();
                        }
                    }
                }
                Ok(Err(error)) => tracing::warn!("leases could not be prolonged: {error}"),
                Err(ended) => tracing::warn!("leases could not be prolonged: {ended}"),
            }
        }
    }

    /// Waits until every run has ended.
    pub async fn finished(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<String, (RunRef, CancellationToken)>> {
        // The map is whole between any two statements, whoever panicked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
