//! Renews the leases of what runs here, so that no other process takes it over.

use std::time::Duration;

use tokio::task::JoinHandle;

use super::Jobs;
use crate::collect::WorkerPool;

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
