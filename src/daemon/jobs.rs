//! Runs of jobs that are no topics: claimed in the ledger, run by whoever was handed in for them, ended there with what
//! they made. They take no place of a topic's run. What a kind of job does is not known here.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::collect::prolong;
use crate::model::{Clock, Message, RunState};
use crate::store::{JobEnd, JobRun, MadeReport, Store, StoreError, StoreErrorKind};

/// Jobs at the same time in this process.
const AT_A_TIME: usize = 2;

/// How long a job that is due waits for the runs of topics that were due with it.
pub const WAITS_FOR_TOPICS: Duration = Duration::from_secs(15 * 60);

/// Longest duration of a job without a schedule to say so.
const TIMEOUT: Duration = Duration::from_secs(300);

/// What a job made.
#[derive(Debug, Clone, Default)]
pub struct JobResult {
    /// The report, for the record.
    pub report: Option<MadeReport>,
    /// How many files were put in place.
    pub files: usize,
    /// What is to be delivered.
    pub messages: Vec<Message>,
    /// Why it ended well in an unusual way.
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

/// What a job does, whatever its kind: it reads, it may put files in place, and it returns what is to be recorded. It may
/// be run again after it has done so.
pub type Handler = Arc<dyn Fn(JobRun) -> Pin<Box<dyn Future<Output = Result<JobResult, Failed>> + Send>> + Send + Sync>;

/// A run of a job that ended, and how.
#[derive(Debug, Clone)]
pub struct JobDone {
    /// Public id of the run.
    pub run: String,
    pub job: String,
    /// What it made, or why it failed. An error of the store means that not even the end could be recorded.
    pub result: Result<Result<JobResult, Failed>, StoreError>,
}

/// Jobs in this process.
#[derive(Clone)]
pub struct Jobs {
    store: Store,
    clock: Clock,
    handler: Arc<Mutex<Handler>>,
    places: Arc<Semaphore>,
    held: Arc<Mutex<HashMap<String, JobRun>>>,
    tasks: TaskTracker,
    ended: Arc<Notify>,
    tell: Arc<dyn Fn(JobDone) + Send + Sync>,
}

impl Jobs {
    /// Jobs that are run by `handler`; `tell` hears of every end.
    #[must_use]
    pub fn new(store: Store, clock: Clock, handler: Handler, tell: Arc<dyn Fn(JobDone) + Send + Sync>) -> Self {
        let (places, tasks) = (Arc::new(Semaphore::new(AT_A_TIME)), TaskTracker::new());
        let (held, ended, handler) = (Arc::default(), Arc::default(), Arc::new(Mutex::new(handler)));
        Self { store, clock, handler, places, held, tasks, ended, tell }
    }

    /// Jobs that begin from now on are run by this.
    pub fn replace(&self, handler: Handler) {
        *self.handler.lock().unwrap_or_else(PoisonError::into_inner) = handler;
    }

    /// Begins what is due while there are places. Returns how many it began.
    ///
    /// # Errors
    /// When the ledger cannot be asked.
    pub async fn begin(&self, lease: Duration, token: &(dyn Fn() -> String + Send + Sync)) -> Result<u32, StoreError> {
        let mut begun = 0;
        while let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            let claimed = self.store.claim_jobs((self.clock)(), 1, lease, WAITS_FOR_TOPICS, &token()).await?;
            let Some(run) = claimed.into_iter().next() else { break };
            self.start(run, place);
            begun += 1;
        }
        Ok(begun)
    }

    fn start(&self, run: JobRun, place: OwnedSemaphorePermit) {
        self.held().insert(run.public_id().to_owned(), run.clone());
        let (jobs, handler) = (self.clone(), Arc::clone(&self.handler.lock().unwrap_or_else(PoisonError::into_inner)));
        let timeout = run.job.schedule.as_ref().map_or(TIMEOUT, |policy| Duration::from_millis(policy.timeout_ms));
        self.tasks.spawn(async move {
            let result = jobs.execute(&run, handler, timeout).await;
            jobs.held().remove(run.public_id());
            drop(place);
            (jobs.tell)(JobDone { run: run.public_id().to_owned(), job: run.job.id.clone(), result });
            jobs.ended.notify_one();
        });
    }

    /// Runs it in a task of its own: a panic ends this run only, and leaves it to its lease, so that one that panics each
    /// time is failed at its last attempt. A task that takes too long is not dropped midway, but nothing of it is recorded.
    async fn execute(
        &self,
        run: &JobRun,
        handler: Handler,
        timeout: Duration,
    ) -> Result<Result<JobResult, Failed>, StoreError> {
        crate::failpoint::at_of("job/begun", &run.job.id);
        let going = run.clone();
        let task = tokio::spawn(async move { handler(going).await });
        let made = match tokio::time::timeout(timeout, task).await {
            Ok(Ok(made)) => made,
            Ok(Err(panic)) => {
                return Err(StoreError::new(
                    StoreErrorKind::Statement,
                    format!("run {} ended by a defect: {panic}", run.public_id()),
                    "please report it; the run is tried again when its lease runs out",
                ));
            }
            Err(_) => Err(Failed {
                class: "timeout".to_owned(),
                text: format!("it took longer than {} s", timeout.as_secs()),
                hint: "is the database slow? a report about fewer topics takes less".to_owned(),
            }),
        };
        crate::failpoint::at_of("job/made", &run.job.id);
        let at = (self.clock)();
        let end = match made.clone() {
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
        Ok(made)
    }

    /// Prolongs the leases of all that run, until dropped.
    pub async fn keep_alive(&self, lease: Duration) {
        let beat = || {
            let runs: Vec<JobRun> = self.held().values().cloned().collect();
            let (store, now) = (self.store.clone(), (self.clock)());
            (!runs.is_empty()).then_some(async move { store.heartbeat_jobs(&runs, now, lease).await })
        };
        // What a lost run would record is refused by its token; there is nothing else to stop.
        prolong(lease, beat, |run: String| tracing::warn!(run, "lost its lease")).await;
    }

    /// Waits for the next end.
    pub async fn ended(&self) {
        self.ended.notified().await;
    }

    /// Waits until all have ended, at most so long; what then still runs is given back, and nothing of it is recorded.
    pub async fn finish(&self, within: Duration) {
        self.tasks.close();
        if tokio::time::timeout(within, self.tasks.wait()).await.is_ok() {
            return;
        }
        let left: Vec<JobRun> = self.held().values().cloned().collect();
        for run in left {
            match self.store.release_job(&run, (self.clock)()).await {
                Ok(()) => tracing::warn!(run = run.public_id(), "given back; its slot runs again"),
                Err(error) => tracing::debug!(run = run.public_id(), "could not be given back: {error}"),
            }
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<String, JobRun>> {
        // The map is whole between any two statements, whoever panicked.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
