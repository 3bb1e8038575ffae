//! Jobs other than topics: planned, claimed and ended in the same ledger, but run by the code for their kind. A run's
//! result, its messages and its end are stored in one transaction.

use std::time::Duration;

use crate::model::Time;
use crate::store::{Cursor, JobEnd, JobRun, RunClaim, Store, StoreError};

impl Store {
    /// Claims up to `limit` due runs of jobs. A job waits for the runs of topics with the same or an earlier slot, so
    /// that it includes their findings, but no longer than `waits`.
    pub async fn claim_jobs(
        &self,
        now: Time,
        limit: u32,
        lease: Duration,
        waits: Duration,
        token: &str,
    ) -> Result<Vec<JobRun>, StoreError> {
        if !read!(self, jobs::any_due(now))? {
            return Ok(Vec::new());
        }
        write_tx!(self, jobs::claim(now, limit, lease, waits, token))
    }

    /// Returns whether a later slot of the job of a run is due and waits for this run.
    pub async fn later_slot_is_due(&self, run: &JobRun, now: Time) -> Result<bool, StoreError> {
        let Some(slot) = run.slot else { return Ok(false) };
        read!(self, jobs::later_slot_is_due(&run.job.id, slot, now))
    }

    /// Returns when the last finished runs of a job began, the latest first.
    pub async fn last_starts_of_job(&self, job: &str, most: i64) -> Result<Vec<Time>, StoreError> {
        read!(self, jobs::last_starts(job, most))
    }

    /// Extends the leases of these runs. Returns the public ids of those that are no longer ours.
    pub async fn heartbeat_jobs(&self, runs: &[JobRun], now: Time, lease: Duration) -> Result<Vec<String>, StoreError> {
        let claims: Vec<RunClaim> = runs.iter().map(|run| run.hold.clone()).collect();
        write_tx!(self, ledger::heartbeat(&claims, now, lease))
    }

    /// Returns a claimed run to the queue; the attempt is not counted.
    pub async fn release_job(&self, run: &JobRun, now: Time) -> Result<(), StoreError> {
        let claim = run.hold.clone();
        write_tx!(self, ledger::release_claim(&claim, now))
    }

    /// Ends a run with its report and messages, all or nothing, fenced by its token. A report without messages counts
    /// as delivered at once.
    pub async fn end_job(&self, run: &JobRun, end: &JobEnd) -> Result<(), StoreError> {
        write_tx!(self, jobs::end(run, end))
    }

    /// Returns the position of a follower; `None` if it has not processed anything yet.
    pub async fn cursor(&self, name: &str) -> Result<Option<Cursor>, StoreError> {
        read!(self, followers::cursor(name))
    }
}
