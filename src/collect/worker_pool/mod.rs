//! Runs several runs side by side: limits how many, and keeps each lease alive until its run ends. A run whose lease
//! was lost is stopped; the store would refuse its results anyway.

pub(super) mod commit_order;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Collector, RunReport, Stop, fetch};
use crate::model::Topic;
use crate::store::{RunRef, StoreError, StoreErrorKind};
use commit_order::{CommitOrder, CommitTurn};

/// A run that ended, and its result.
#[derive(Debug)]
pub struct Done {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// Its report, or why nothing of it could be stored.
    pub result: Result<RunReport, StoreError>,
}

/// The runs in this process.
#[derive(Clone)]
pub struct WorkerPool {
    /// Used by runs that start from now on; a reload replaces it.
    collector: Arc<Mutex<Arc<Collector>>>,
    permits: Arc<Semaphore>,
    size: Arc<AtomicU32>,
    active: Arc<Mutex<HashMap<String, (RunRef, CancellationToken)>>>,
    tasks: TaskTracker,
    ended: Arc<Notify>,
    ends: Arc<AtomicU64>,
    stuck: Arc<AtomicBool>,
    turns: Option<Arc<CommitOrder>>,
    cancel: CancellationToken,
    done: mpsc::UnboundedSender<Done>,
}

impl WorkerPool {
    /// Creates a pool of `size`. Ended runs are sent through the channel; `cancel` asks every run to stop.
    #[must_use]
    pub fn new(
        collector: Arc<Collector>,
        size: u32,
        cancel: CancellationToken,
    ) -> (Self, mpsc::UnboundedReceiver<Done>) {
        let (done, ends) = mpsc::unbounded_channel();
        let permits = Arc::new(Semaphore::new(size.max(1) as usize));
        let (collector, size) = (Arc::new(Mutex::new(collector)), Arc::new(AtomicU32::new(size.max(1))));
        let (active, tasks, ended, count) = (Arc::default(), TaskTracker::new(), Arc::default(), Arc::default());
        let stuck = Arc::default();
        (Self { collector, permits, size, active, tasks, ended, ends: count, stuck, turns: None, cancel, done }, ends)
    }

    /// Makes the pool store its runs in the order in which they began. Days of a backfill are not part of that order:
    /// they run one after another anyway.
    #[must_use]
    pub fn in_order(self) -> Self {
        Self { turns: Some(Arc::new(CommitOrder::new())), ..self }
    }

    fn turn(&self) -> CommitTurn {
        self.turns.as_ref().map(|turns| turns.take()).unwrap_or_default()
    }

    /// Runs that start from now on use this collector, at most `size` at a time. Runs in progress keep their collector.
    pub fn replace(&self, collector: Arc<Collector>, size: u32) {
        collector.share_refusals(&self.collector());
        *self.collector.lock().unwrap_or_else(PoisonError::into_inner) = collector;
        let (size, before) = (size.max(1), self.size.swap(size.max(1), Ordering::SeqCst));
        if size > before {
            self.permits.add_permits((size - before) as usize);
        } else if size < before {
            // Permits in use are removed when their runs end.
            let permits = Arc::clone(&self.permits);
            tokio::spawn(async move {
                if let Ok(gone) = permits.acquire_many_owned(before - size).await {
                    gone.forget();
                }
            });
        }
    }

    fn collector(&self) -> Arc<Collector> {
        Arc::clone(&self.collector.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for a free permit; `None` once the pool is cancelled.
    pub async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            permit = Arc::clone(&self.permits).acquire_owned() => permit.ok(),
            () = self.cancel.cancelled() => None,
        }
    }

    /// Returns a permit if one is free now.
    #[must_use]
    pub fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    /// Returns the number of permits that are free now.
    #[must_use]
    pub fn free(&self) -> u32 {
        u32::try_from(self.permits.available_permits()).unwrap_or(u32::MAX)
    }

    /// Starts a manual run with a permit. Returns at once, so that runs started one after another are committed
    /// together.
    /// A run that could not be started is reported through the channel and by [`WorkerPool::is_stuck`].
    pub fn start_manual(
        &self,
        topic: Topic,
        public_id: String,
        token: String,
        lease: Duration,
        permit: OwnedSemaphorePermit,
    ) {
        let (worker_pool, turn) = (self.clone(), self.turn());
        self.tasks.spawn(async move {
            let collector = worker_pool.collector();
            let (store, now) = (collector.store(), collector.now());
            match store.start_manual(&topic, &public_id, now, lease, &token).await {
                Ok(run) => worker_pool.spawn_run(run, permit, None, turn),
                Err(error) => {
                    // A refusal is about this run alone.
                    worker_pool.stuck.fetch_or(error.kind != StoreErrorKind::Refused, Ordering::Relaxed);
                    worker_pool.report_end(Done { run: public_id, topic: topic.id, result: Err(error) }, permit);
                }
            }
        });
    }

    /// Whether a run could not even be started, so that trying others is pointless.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Relaxed)
    }

    /// Starts a claimed run with a permit.
    pub fn start(&self, run: RunRef, permit: OwnedSemaphorePermit) {
        self.spawn_run(run, permit, None, self.turn());
    }

    /// Like [`WorkerPool::start`], but over one UTC day, given as days since 1970.
    pub fn start_day(&self, run: RunRef, permit: OwnedSemaphorePermit, day: i64) {
        self.spawn_run(run, permit, Some(day), CommitTurn::default());
    }

    fn spawn_run(&self, run: RunRef, permit: OwnedSemaphorePermit, day: Option<i64>, turn: CommitTurn) {
        let cancel = self.cancel.child_token();
        if let Some((_, before)) = self.active().insert(run.public_id.clone(), (run.clone(), cancel.clone())) {
            // This process lost the run's lease and claimed the run again before it noticed.
            before.cancel();
        }
        let worker_pool = self.clone();
        let timeout = run.topic.run_timeout();
        self.tasks.spawn(async move {
            let stop = Stop { cancel, deadline: tokio::time::Instant::now() + timeout };
            // In its own task, so that a panic ends only this run.
            let (collector, claimed) = (worker_pool.collector(), run.clone());
            let ran = tokio::spawn(async move {
                match day {
                    None => collector.run_in_turn(&claimed, &stop, &turn).await,
                    Some(day) => collector.run_day(&claimed, &stop, day).await,
                }
            })
            .await;
            let result = match ran {
                Ok(result) => result,
                Err(panic) => Err(StoreError::new(
                    StoreErrorKind::Statement,
                    format!("run {} crashed: {panic}", run.public_id),
                    "please report this bug; the run is retried when its lease expires",
                )),
            };
            if let Err(error) = &result
                && fetch::is_fenced(error)
            {
                tracing::warn!(run = %run.public_id, "{error}");
            }
            worker_pool.ends.fetch_add(1, Ordering::SeqCst);
            worker_pool.forget(&run);
            worker_pool.report_end(Done { run: run.public_id, topic: run.topic.id, result }, permit);
        });
    }

    /// Reports an ended run and frees its permit.
    fn report_end(&self, done: Done, permit: OwnedSemaphorePermit) {
        // The receiver is gone only if the process is ending.
        let _ = self.done.send(done);
        drop(permit);
        self.ended.notify_one();
    }

    /// Returns how many runs have ended so far.
    #[must_use]
    pub fn ends(&self) -> u64 {
        self.ends.load(Ordering::SeqCst)
    }

    /// Waits until the number of ended runs exceeds `before`. Supports only one caller. Returns `false` if no run is in
    /// progress that could end.
    pub async fn ended_since(&self, before: u64) -> bool {
        // An end is counted before its run is forgotten, and a notification is kept until someone waits: no end is
        // missed.
        while self.ends() == before {
            if self.active().is_empty() {
                return self.ends() != before;
            }
            self.ended.notified().await;
        }
        true
    }

    /// Renews the leases of all runs, until dropped.
    pub async fn keep_alive(&self, lease: Duration) {
        let beat = || {
            let runs: Vec<RunRef> = self.active().values().map(|(run, _)| run.clone()).collect();
            let collector = self.collector();
            (!runs.is_empty()).then_some(async move {
                let lost = collector.store().heartbeat(&runs, collector.now(), lease).await?;
                Ok(runs.into_iter().filter(|run| lost.contains(&run.public_id)).collect())
            })
        };
        renew_leases(lease, beat, |run: RunRef| {
            // It may have ended, or been claimed again, during the heartbeat. If it was just stored, it has no lease
            // either, so only the store's refusal at its end is a warning.
            if let Some((current, cancel)) = self.active().get(&run.public_id)
                && current.token == run.token
            {
                cancel.cancel();
            }
        })
        .await;
    }

    /// Renews the leases of all runs now.
    pub async fn renew(&self, lease: Duration) -> Result<(), StoreError> {
        let runs: Vec<RunRef> = self.active().values().map(|(run, _)| run.clone()).collect();
        if !runs.is_empty() {
            let collector = self.collector();
            collector.store().heartbeat(&runs, collector.now(), lease).await?;
        }
        Ok(())
    }

    /// Waits until every run has ended.
    pub async fn finished(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        // In its own task: the caller may stop waiting.
        let collector = self.collector();
        let _ = tokio::spawn(async move { collector.release_limits().await }).await;
    }

    /// Forgets the run of this claim; a later claim of the same run stays.
    fn forget(&self, run: &RunRef) {
        let mut active = self.active();
        if active.get(&run.public_id).is_some_and(|(kept, _)| kept.token == run.token) {
            active.remove(&run.public_id);
        }
    }

    fn active(&self) -> std::sync::MutexGuard<'_, HashMap<String, (RunRef, CancellationToken)>> {
        // The map is consistent between any two statements, even after a panic.
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Renews leases every third of a lease, until dropped between two beats. `beat` returns the future that renews all
/// leases held now, which runs in its own task. `lost` is called for each lease that this process no longer holds.
pub async fn renew_leases<T, B>(lease: Duration, beat: impl Fn() -> Option<B>, lost: impl Fn(T))
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
            Ok(Err(error)) => tracing::warn!("leases could not be renewed: {error}"),
            Err(ended) => tracing::warn!("leases could not be renewed: {ended}"),
        }
    }
}
