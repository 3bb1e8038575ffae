//! The source of runs for the loop: the ledger itself, or another engine that delivers one run at a time. Either way
//! a run is claimed in the ledger before it starts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::connections::OnRunStart;
use super::settings::Settings;
use crate::collect::{Collector, WorkerPool};
use crate::model::Time;
use crate::store::{DeliveredRun, RunHandler, RunRef, Store, StoreError};

/// Jobs that an engine may deliver here and that wait for a permit. Few, because other processes could run them.
const AT_A_TIME: u32 = 8;
/// Pause after the engine failed; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Where runs come from.
pub(super) struct Source {
    pub(super) worker_pool: WorkerPool,
    store: Store,
    /// The runs that the engine delivered; `None` if the ledger itself is asked.
    handed_runs: Option<Arc<Mutex<VecDeque<DeliveredRun>>>>,
    begun: Option<OnRunStart>,
}

impl Source {
    /// Creates the source of a store. Another engine is supervised until `stop`, and wakes the loop when it hands out a
    /// run.
    pub(super) fn new(
        worker_pool: &WorkerPool,
        store: &Store,
        settings: &Settings,
        wake: &Arc<Notify>,
        stop: &CancellationToken,
        begun: Option<OnRunStart>,
    ) -> Self {
        if !store.has_engine() {
            return Self { worker_pool: worker_pool.clone(), store: store.clone(), handed_runs: None, begun };
        }
        let handed_runs: Arc<Mutex<VecDeque<DeliveredRun>>> = Arc::default();
        let handler: RunHandler = Arc::new({
            let (handed_runs, wake) = (Arc::clone(&handed_runs), Arc::clone(wake));
            move |job| {
                handed_runs.lock().unwrap_or_else(PoisonError::into_inner).push_back(job);
                wake.notify_one();
            }
        });
        tokio::spawn(supervise(
            store.clone(),
            handler,
            settings.max_concurrent_runs.min(AT_A_TIME),
            settings.lease,
            stop.clone(),
        ));
        Self { worker_pool: worker_pool.clone(), store: store.clone(), handed_runs: Some(handed_runs), begun }
    }

    /// Starts due runs while there are permits. Returns when it last looked.
    pub(super) async fn begin(
        &self,
        collector: &Collector,
        settings: &Settings,
        token: &(dyn Fn() -> String + Send + Sync),
        stop: &CancellationToken,
    ) -> Result<Option<Time>, StoreError> {
        let mut last_check = None;
        while !stop.is_cancelled() && self.worker_pool.free() > 0 {
            let now = collector.now();
            last_check = Some(now);
            let claimed = self.claim(&self.store, now, self.worker_pool.free(), settings.lease, token).await?;
            if claimed.is_empty() {
                break;
            }
            for run in claimed {
                let Some(permit) = self.worker_pool.acquire().await else { return Ok(last_check) };
                if let Some(begun) = &self.begun {
                    begun(&run);
                }
                self.worker_pool.start(run, permit);
            }
        }
        Ok(last_check)
    }

    /// Claims up to `free` runs that may start now.
    async fn claim(
        &self,
        store: &Store,
        now: Time,
        free: u32,
        lease: Duration,
        token: &(dyn Fn() -> String + Send + Sync),
    ) -> Result<Vec<RunRef>, StoreError> {
        let Some(handed_runs) = &self.handed_runs else {
            return if store.any_due(now).await? {
                store.claim(now, free, lease, &token()).await
            } else {
                Ok(Vec::new())
            };
        };
        // Hands over runs that became ready because a run ended, or a lease or a job was lost.
        store.enqueue_runs(now).await?;
        let mut claimed = Vec::new();
        while claimed.len() < free as usize {
            let Some(job) = handed_runs.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else { break };
            claimed.extend(store.claim_delivered(job, now, lease, &token()).await?);
        }
        Ok(claimed)
    }
}

/// Restarts the engine whenever a database error ended it.
async fn supervise(store: Store, handler: RunHandler, at_a_time: u32, lease: Duration, stop: CancellationToken) {
    let mut pause = FIRST_PAUSE;
    while !stop.is_cancelled() {
        let begun = tokio::time::Instant::now();
        match store.serve_engine(Arc::clone(&handler), at_a_time, lease, stop.clone()).await {
            Ok(()) => {}
            Err(error) => tracing::warn!("{error}; restarting the engine"),
        }
        if begun.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
