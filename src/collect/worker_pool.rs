//! Several runs side by side: at most so many at a time, each with its lease kept alive until it ends. A run whose lease
//! was lost is told to stop; what it would have stored is refused by the store in any case.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::commit_order::{Turn, Turns};
use super::{Collector, RunReport, Stop, fetch};
use crate::model::Topic;
use crate::store::{RunRef, StoreError};

/// A run that ended, and how.
#[derive(Debug)]
pub struct Done {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// Its report, or why nothing of it could be stored.
    pub result: Result<RunReport, StoreError>,
}

/// Runs in this process.
#[derive(Clone)]
pub struct WorkerPool {
    /// What a run that begins now is run with; a reload replaces it.
    collector: Arc<Mutex<Arc<Collector>>>,
    places: Arc<Semaphore>,
    size: Arc<AtomicU32>,
    held: Arc<Mutex<HashMap<String, (RunRef, CancellationToken)>>>,
    tasks: TaskTracker,
    ended: Arc<Notify>,
    ends: Arc<AtomicU64>,
    stuck: Arc<AtomicBool>,
    turns: Option<Arc<Turns>>,
    cancel: CancellationToken,
    done: mpsc::UnboundedSender<Done>,
}

/// Longest duration of a run that has no schedule of its own to say so.
const TIMEOUT: Duration = Duration::from_secs(300);

impl WorkerPool {
    /// A worker_pool of `size`; ends are told through the channel, and `cancel` asks every run to stop.
    #[must_use]
    pub fn new(
        collector: Arc<Collector>,
        size: u32,
        cancel: CancellationToken,
    ) -> (Self, mpsc::UnboundedReceiver<Done>) {
        let (done, ends) = mpsc::unbounded_channel();
        let places = Arc::new(Semaphore::new(size.max(1) as usize));
        let (collector, size) = (Arc::new(Mutex::new(collector)), Arc::new(AtomicU32::new(size.max(1))));
        let (held, tasks, ended, count) = (Arc::default(), TaskTracker::new(), Arc::default(), Arc::default());
        let stuck = Arc::default();
        (Self { collector, places, size, held, tasks, ended, ends: count, stuck, turns: None, cancel, done }, ends)
    }

    /// The same worker_pool, which stores its runs in the order in which they began. A day of a backfill has no place in it:
    /// those run one after the other anyway.
    #[must_use]
    pub fn in_order(self) -> Self {
        Self { turns: Some(Arc::new(Turns::new())), ..self }
    }

    fn turn(&self) -> Turn {
        self.turns.as_ref().map(|turns| turns.take()).unwrap_or_default()
    }

    /// Runs that begin from now on use this collector, and so many run at a time; those under way finish with what they
    /// began with.
    pub fn replace(&self, collector: Arc<Collector>, size: u32) {
        *self.collector.lock().unwrap_or_else(PoisonError::into_inner) = collector;
        let (size, before) = (size.max(1), self.size.swap(size.max(1), Ordering::SeqCst));
        if size > before {
            self.places.add_permits((size - before) as usize);
        } else if size < before {
            // Permits that are taken go when their runs end.
            let places = Arc::clone(&self.places);
            tokio::spawn(async move {
                if let Ok(gone) = places.acquire_many_owned(before - size).await {
                    gone.forget();
                }
            });
        }
    }

    fn collector(&self) -> Arc<Collector> {
        Arc::clone(&self.collector.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for a free place; `None` once the worker_pool is told to stop.
    pub async fn place(&self) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            place = Arc::clone(&self.places).acquire_owned() => place.ok(),
            () = self.cancel.cancelled() => None,
        }
    }

    /// A place that is free now.
    #[must_use]
    pub fn place_now(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    /// Free places now.
    #[must_use]
    pub fn free(&self) -> u32 {
        u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX)
    }

    /// Begins a manual run in a place. It returns at once, so that those that begin one after the other are committed
    /// together; that a run could not be begun is told through the channel, and by [`WorkerPool::is_stuck`].
    pub fn start_manual(
        &self,
        topic: Topic,
        public_id: String,
        token: String,
        lease: Duration,
        place: OwnedSemaphorePermit,
    ) {
        let (worker_pool, turn) = (self.clone(), self.turn());
        self.tasks.spawn(async move {
            let collector = worker_pool.collector();
            let (store, now) = (collector.store(), collector.now());
            match store.start_manual(&topic, &public_id, now, lease, &token).await {
                Ok(run) => worker_pool.begin(run, place, None, turn),
                Err(error) => {
                    worker_pool.stuck.store(true, Ordering::Relaxed);
                    worker_pool.tell(Done { run: public_id, topic: topic.id, result: Err(error) }, place);
                }
            }
        });
    }

    /// Whether a run could not even be begun, so that trying others is of no use.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Relaxed)
    }

    /// Begins a run that was claimed in a place.
    pub fn start(&self, run: RunRef, place: OwnedSemaphorePermit) {
        self.begin(run, place, None, self.turn());
    }

    /// The same over one UTC day, named by its number since 1970.
    pub fn start_day(&self, run: RunRef, place: OwnedSemaphorePermit, day: i64) {
        self.begin(run, place, Some(day), Turn::default());
    }

    fn begin(&self, run: RunRef, place: OwnedSemaphorePermit, day: Option<i64>, turn: Turn) {
        let cancel = self.cancel.child_token();
        if let Some((_, before)) = self.held().insert(run.public_id.clone(), (run.clone(), cancel.clone())) {
            // This process lost the run's lease, took the run again, and has not yet noticed the first.
            before.cancel();
        }
        let worker_pool = self.clone();
        let timeout = run.topic.schedule.as_ref().map_or(TIMEOUT, |policy| Duration::from_millis(policy.timeout_ms));
        self.tasks.spawn(async move {
            let stop = Stop { cancel, deadline: tokio::time::Instant::now() + timeout };
            // In a task of its own, so that a panic ends this run and no other.
            let (collector, held) = (worker_pool.collector(), run.clone());
            let ran = tokio::spawn(async move {
                match day {
                    None => collector.run_in_turn(&held, &stop, &turn).await,
                    Some(day) => collector.run_day(&held, &stop, day).await,
                }
            })
            .await;
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
            worker_pool.ends.fetch_add(1, Ordering::SeqCst);
            worker_pool.forget(&run);
            worker_pool.tell(Done { run: run.public_id, topic: run.topic.id, result }, place);
        });
    }

    /// Tells of an end and gives its place free.
    fn tell(&self, done: Done, place: OwnedSemaphorePermit) {
        // Nobody listens any more only when the process is ending.
        let _ = self.done.send(done);
        drop(place);
        self.ended.notify_one();
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

    /// Prolongs the leases of all runs, until dropped.
    pub async fn keep_alive(&self, lease: Duration) {
        let beat = || {
            let runs: Vec<RunRef> = self.held().values().map(|(run, _)| run.clone()).collect();
            let collector = self.collector();
            (!runs.is_empty()).then_some(async move {
                let lost = collector.store().heartbeat(&runs, collector.now(), lease).await?;
                Ok(runs.into_iter().filter(|run| lost.contains(&run.public_id)).collect())
            })
        };
        prolong(lease, beat, |run: RunRef| {
            // It may have ended, or been taken again, while the heart beat.
            if let Some((held, cancel)) = self.held().get(&run.public_id)
                && held.token == run.token
            {
                tracing::warn!(run = %run.public_id, "lost its lease and is stopped");
                cancel.cancel();
            }
        })
        .await;
    }

    /// Waits until every run has ended.
    pub async fn finished(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        // In a task of its own: whoever waits here may stop waiting.
        let collector = self.collector();
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

/// Prolongs leases a third of a lease apart, until dropped between two beats. `beat` makes what prolongs all that are held
/// now, and is done in a task of its own; `lost` hears of each that was not this process's any more.
pub async fn prolong<T, B>(lease: Duration, beat: impl Fn() -> Option<B>, lost: impl Fn(T))
where
    T: Send + 'static,
    B: Future<Output = Result<Vec<T>, StoreError>> + Send + 'static,
{
    let mut pace = tokio::time::interval(lease / 3);
    pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    pace.tick().await;
    loop {
        pace.tick().await;
        let Some(beating) = beat() else { continue };
        match tokio::spawn(beating).await {
            Ok(Ok(gone)) => gone.into_iter().for_each(&lost),
            Ok(Err(error)) => tracing::warn!("leases could not be prolonged: {error}"),
            Err(ended) => tracing::warn!("leases could not be prolonged: {ended}"),
        }
    }
}
