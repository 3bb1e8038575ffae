//! Jobs that are no topics: planned, claimed and ended in the same ledger as topics are, but run by whoever knows their
//! kind. What a run of one made, what is to be delivered of it and its end are one transaction.

use std::time::Duration;

use crate::model::Time;
use crate::store::{Cursor, Hold, JobEnd, JobRun, Store, StoreError};

impl Store {
    /// Takes up to `limit` runs of jobs that are due. A job waits for the runs of topics that were due when it was, so that it
    /// tells of what they found, but not after `waits` have passed.
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

    /// Prolongs the leases of these runs; returns the public ids of those that are no longer ours.
    pub async fn heartbeat_jobs(&self, runs: &[JobRun], now: Time, lease: Duration) -> Result<Vec<String>, StoreError> {
        let held: Vec<Hold> = runs.iter().map(|run| run.hold.clone()).collect();
        write_tx!(self, ledger::heartbeat(&held, now, lease))
    }

    /// Gives a claimed run back; the attempt is not counted.
    pub async fn release_job(&self, run: &JobRun, now: Time) -> Result<(), StoreError> {
        let held = run.hold.clone();
        write_tx!(self, ledger::release(&held, now))
    }

    /// Ends a run, with what it made and what is to be delivered, all or none of it, fenced by its token. A report that
    /// nobody is to be sent counts as delivered here.
    pub async fn end_job(&self, run: &JobRun, end: &JobEnd) -> Result<(), StoreError> {
        write_tx!(self, jobs::end(run, end))
    }

    /// Up to where a named reader has got; `None` when it has told of nothing yet.
    pub async fn cursor(&self, name: &str) -> Result<Option<Cursor>, StoreError> {
        read!(self, followers::cursor(name))
    }
}
