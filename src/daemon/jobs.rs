//! Runs of jobs other than topics: claimed in the ledger, run by a handler, and ended there with their results. They
//! use no permits of topics' runs.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::collect::renew_leases;
use crate::model::{Clock, JobKind, Message, RunState};
use crate::store::{JobEnd, JobRun, ReportRecord, Store, StoreError, StoreErrorKind};

/// Jobs at the same time in this process.
const AT_A_TIME: usize = 2;

/// How long a due job waits for the topics' runs that were due at the same time.
pub const WAITS_FOR_TOPICS: Duration = Duration::from_secs(15 * 60);

/// The longest duration of a job without a schedule.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The result of a job.
#[derive(Debug, Clone, Default)]
pub struct JobResult {
    /// The report, to be recorded.
    pub report: Option<ReportRecord>,
    /// Number of files written.
    pub files: usize,
    /// The messages to deliver.
    pub messages: Vec<Message>,
    /// Why a successful run was unusual.
    pub reason: Option<String>,
}

/// Why a job failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {text}")]
pub struct Failed {
    pub class: String,
    pub text: String,
    /// What to do next.
    pub hint: String,
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self { class: "store".to_owned(), text: error.text, hint: error.hint }
    }
}

/// Runs a job of any kind: it reads, may write files, and returns what is to be recorded. It may run again after it has
/// done so.
pub type Handler = Arc<dyn Fn(JobRun) -> Pin<Box<dyn Future<Output = Result<JobResult, Failed>> + Send>> + Send + Sync>;

/// A finished run of a job, and its result.
#[derive(Debug, Clone)]
pub struct JobDone {
    /// Public id of the run.
    pub run: String,
    pub job: String,
    /// Its result, or why it failed. A store error means that not even this could be recorded.
    pub result: Result<Result<JobResult, Failed>, StoreError>,
}

/// The jobs in this process.
#[derive(Clone)]
pub struct Jobs {
    store: Store,
    clock: Clock,
    handler: Arc<Mutex<Handler>>,
    permits: Arc<Semaphore>,
    running: Arc<Mutex<HashMap<String, JobRun>>>,
    tasks: TaskTracker,
    ended: Arc<Notify>,
    on_end: Arc<dyn Fn(JobDone) + Send + Sync>,
}

impl Jobs {
    /// Creates the jobs. `handler` runs them; `on_end` is called for each one that ends.
    #[must_use]
    pub fn new(store: Store, clock: Clock, handler: Handler, on_end: Arc<dyn Fn(JobDone) + Send + Sync>) -> Self {
        let (permits, tasks) = (Arc::new(Semaphore::new(AT_A_TIME)), TaskTracker::new());
        let (running, ended, handler) = (Arc::default(), Arc::default(), Arc::new(Mutex::new(handler)));
        Self { store, clock, handler, permits, running, tasks, ended, on_end }
    }

    /// Jobs that start from now on are run by `handler`.
    pub fn replace(&self, handler: Handler) {
        *self.handler.lock().unwrap_or_else(PoisonError::into_inner) = handler;
    }

    /// Starts due jobs while there are permits. Returns how many it started.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub async fn begin(&self, lease: Duration, token: &(dyn Fn() -> String + Send + Sync)) -> Result<u32, StoreError> {
        let mut begun = 0;
        while let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            let claimed = self.store.claim_jobs((self.clock)(), 1, lease, WAITS_FOR_TOPICS, &token()).await?;
            let Some(run) = claimed.into_iter().next() else { break };
            self.start(run, permit);
            begun += 1;
        }
        Ok(begun)
    }

    fn start(&self, run: JobRun, permit: OwnedSemaphorePermit) {
        self.running().insert(run.public_id().to_owned(), run.clone());
        let (jobs, handler) = (self.clone(), Arc::clone(&self.handler.lock().unwrap_or_else(PoisonError::into_inner)));
        let timeout = run.job.schedule.as_ref().map_or(TIMEOUT, |policy| Duration::from_millis(policy.timeout_ms));
        self.tasks.spawn(async move {
            let result = jobs.execute(&run, &handler, timeout).await;
            // By token: the run may have been given back and claimed again meanwhile.
            jobs.running().retain(|_, held| held.hold.token != run.hold.token);
            drop(permit);
            (jobs.on_end)(JobDone { run: run.public_id().to_owned(), job: run.job.id.clone(), result });
            jobs.ended.notify_one();
        });
    }

    /// Runs a job in its own task. A panic ends only this run and leaves it to its lease, so that a job that always
    /// panics fails after its last attempt. A task that takes too long is not dropped midway, but nothing of it is
    /// recorded.
    async fn execute(
        &self,
        run: &JobRun,
        handler: &Handler,
        timeout: Duration,
    ) -> Result<Result<JobResult, Failed>, StoreError> {
        crate::failpoint::at_of("job/begun", &run.job.id);
        // Called here: the start must not be reported after the end of a run whose task began too late.
        let task = tokio::spawn(handler(run.clone()));
        let result = match tokio::time::timeout(timeout, task).await {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => {
                return Err(StoreError::new(
                    StoreErrorKind::Statement,
                    format!("run {} crashed: {panic}", run.public_id()),
                    "please report this bug; the run is retried when its lease expires",
                ));
            }
            Err(_) => Err(Failed {
                class: "timeout".to_owned(),
                text: format!("it took longer than {} s", timeout.as_secs()),
                hint: timeout_hint(run.job.kind).to_owned(),
            }),
        };
        crate::failpoint::at_of("job/made", &run.job.id);
        let at = (self.clock)();
        let end = match result.clone() {
            Ok(JobResult { report, messages, reason, .. }) => {
                JobEnd { at, state: RunState::Ok, reason, error: None, report, messages }
            }
            Err(Failed { class, text, .. }) => JobEnd {
                at,
                state: RunState::Failed,
                reason: None,
                error: Some((class, text)),
                report: None,
                messages: Vec::new(),
            },
        };
        self.store.end_job(run, &end).await?;
        Ok(result)
    }

    /// Renews the leases of all running jobs, until dropped.
    pub async fn keep_alive(&self, lease: Duration) {
        let beat = || {
            let runs: Vec<JobRun> = self.running().values().cloned().collect();
            let (store, now) = (self.store.clone(), (self.clock)());
            (!runs.is_empty()).then_some(async move { store.heartbeat_jobs(&runs, now, lease).await })
        };
        // The token keeps a lost run from recording anything, so there is nothing to stop. A run that was just stored has no
        // lease either, so only the store's refusal at its end is reported.
        renew_leases(lease, beat, |_: String| ()).await;
    }

    /// Renews the leases of all running jobs now.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub async fn renew(&self, lease: Duration) -> Result<(), StoreError> {
        let runs: Vec<JobRun> = self.running().values().cloned().collect();
        if !runs.is_empty() {
            self.store.heartbeat_jobs(&runs, (self.clock)(), lease).await?;
        }
        Ok(())
    }

    /// Waits for the next job to end.
    pub async fn wait_for_end(&self) {
        self.ended.notified().await;
    }

    /// Waits until all jobs have ended, but no longer than `within`. The rest is given back, and nothing of it is
    /// recorded.
    pub async fn finish(&self, within: Duration) {
        self.tasks.close();
        if tokio::time::timeout(within, self.tasks.wait()).await.is_ok() {
            return;
        }
        let left: Vec<JobRun> = self.running().values().cloned().collect();
        for run in left {
            match self.store.release_job(&run, (self.clock)()).await {
                Ok(()) => tracing::warn!(run = run.public_id(), "released; its slot will run again"),
                Err(error) => tracing::debug!(run = run.public_id(), "could not be released: {error}"),
            }
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<String, JobRun>> {
        // The map is consistent between any two statements, even after a panic.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hint for a job that took too long.
fn timeout_hint(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Export => "is the database slow? raise the export's `timeout`, or export fewer rows",
        JobKind::Prune => "is the database slow? the next run goes on with the rest",
        JobKind::Report => "is the database slow? a report on fewer topics takes less time",
        JobKind::Alert => "is the database slow? an alert on fewer topics takes less time",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_a_job_timeout_fits_the_kind_of_job() {
        assert!(timeout_hint(JobKind::Export).contains("the export's `timeout`"));
        for kind in [JobKind::Prune, JobKind::Alert] {
            assert!(!timeout_hint(kind).contains("report"));
        }
    }
}
