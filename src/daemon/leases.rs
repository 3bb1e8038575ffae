//! Renews the leases of this process's runs, so that no other process takes them over, and takes over the runs of
//! stopped processes.

use std::time::Duration;

use tokio::task::JoinHandle;

use super::Jobs;
use crate::collect::WorkerPool;
use crate::model::Time;
use crate::store::{Store, StoreError};

/// Renews the leases of the pool's runs until aborted.
pub(super) fn keep_alive(worker_pool: &WorkerPool, lease: Duration) -> JoinHandle<()> {
    let worker_pool = worker_pool.clone();
    tokio::spawn(async move { worker_pool.keep_alive(lease).await })
}

/// Renews the leases of other jobs until aborted.
pub(super) fn keep_jobs_alive(jobs: Option<&Jobs>, lease: Duration) -> JoinHandle<()> {
    let jobs = jobs.cloned();
    tokio::spawn(async move {
        if let Some(jobs) = jobs {
            jobs.keep_alive(lease).await;
        }
    })
}

/// Handles runs whose process stopped or hung. First renews this process's own leases: it may be late itself, because
/// the machine slept or another process locked the database.
pub(super) async fn rescue(
    worker_pool: &WorkerPool,
    jobs: Option<&Jobs>,
    store: &Store,
    lease: Duration,
    now: Time,
) -> Result<(), StoreError> {
    if !store.any_lost(now).await? {
        return Ok(());
    }
    worker_pool.renew(lease).await?;
    if let Some(jobs) = jobs {
        jobs.renew(lease).await?;
    }
    let rescued = store.rescue(now).await?;
    if rescued > 0 {
        tracing::warn!(runs = rescued, "found runs whose process stopped or hung");
    }
    Ok(())
}
