//! Several runs side by side: at most so many at a time, each with its lease kept alive until it ends. A run whose lease
//! was lost is told to stop; what it would have stored is refused by the store in any case.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
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
    ends: Arc<AtomicU64>,
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
        let (held, tasks, ended, count) = (Arc::default(), TaskTracker::new(), Arc::default(), Arc::default());
        (Self { collector, places, held, tasks, ended, ends: count, cancel, done }, ends)
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
        if let Some((_, before)) = self.held().insert(run.public_id.clone(), (run.clone(), cancel.clone())) {
            // This process lost the run's lease, took the run again, and has not yet noticed the first.
            before.cancel();
        }
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
            crew.ends.fetch_add(1, Ordering::SeqCst);
            crew.forget(&run);
            // Nobody listens any more only when the process is ending.
            let _ = crew.done.send(Done { run: run.public_id.clone(), topic: run.topic.id.clone(), result });
            drop(place);
            crew.ended.notify_one();
        });
    }

    /// How many runs have ended so far.
    #[must_use]
    pub fn ends(&self) -> u64 {
        self.ends.load(Ordering::SeqCst)
    }

    /// Waits until more runs have ended than `before`, for the one caller that wants to know; `false` when none is going
    /// on that could.
    pub async fn ended_since(&self, before: u64) -> bool {
        // An end is counted before its run is forgotten, and the notification keeps until somebody waits: an end at any
        // moment of this is seen.
        while self.ends() == before {
            if self.held().is_empty() {
                return self.ends() != before;
            }
            self.ended.notified().await;
        }
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
            let (store, now, beating) = (self.collector.store().clone(), self.collector.now(), runs.clone());
            let beaten = tokio::spawn(async move { store.heartbeat(&beating, now, lease).await }).await;
            match beaten {
                Ok(Ok(lost)) => {
                    for run in runs.iter().filter(|run| lost.contains(&run.public_id)) {
                        // It may have ended, or been taken again, while the heart beat.
                        if let Some((held, cancel)) = self.held().get(&run.public_id)
                            && held.token == run.token
                        {
                            tracing::warn!(run = %run.public_id, "lost its lease and is stopped");
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
        // In a task of its own: whoever waits here may stop waiting.
        let collector = Arc::clone(&self.collector);
        let _ = tokio::spawn(async move { collector.rest().await }).await;
    }

    /// The run of this claim is over; a later claim of the same run stays.
    fn forget(&self, run: &RunRef) {
        let mut held = self.held();
        if held.get(&run.public_id).is_some_and(|(kept, _)| kept.token == run.token) {
            held.remove(&run.public_id);
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<String, (RunRef, CancellationToken)>> {
        // The map is whole between any two statements, whoever panicked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
