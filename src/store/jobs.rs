//! Jobs that are no topics: planned, claimed and ended in the same ledger as topics are, but run by whoever knows their
//! kind. What a run of one made, what is to be delivered of it and its end are one transaction.

use std::time::Duration;

use super::{Db, Hold, JobPlan, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
use crate::model::{Job, Message, RunState, Time, Topic, Trigger};

/// What is planned from: the two tables that have slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planned {
    Topics,
    Jobs,
}

impl Planned {
    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Topics => "topic",
            Self::Jobs => "job",
        }
    }

    /// The name in the ledger, in SQL, of a row `t` of the table.
    pub(super) fn job_column(self) -> &'static str {
        match self {
            Self::Topics => "'topic:' || t.id",
            Self::Jobs => "t.id",
        }
    }

    pub(super) fn job(self, id: &str) -> String {
        match self {
            Self::Topics => format!("topic:{id}"),
            Self::Jobs => id.to_owned(),
        }
    }

    pub(super) fn topic(self, id: &str) -> Option<&str> {
        (self == Self::Topics).then_some(id)
    }
}

/// A job as the ledger knows it.
#[derive(Debug, Clone)]
pub struct PlannedJob {
    /// Its name.
    pub id: String,
    /// The stored definition; `None` when this version cannot read it.
    pub job: Option<Job>,
    /// Slots up to here have rows.
    pub planned_until: Time,
    /// Runs queued or running now.
    pub active: u32,
    /// Of these, catch-up runs and runs that are made again.
    pub backlog: u32,
    /// Of these, those that are running and make up for nothing.
    pub on_time: u32,
}

/// A run of a job, held by this process.
#[derive(Debug, Clone)]
pub struct JobRun {
    pub(crate) hold: Hold,
    /// The stored definition that is to be run.
    pub job: Job,
    /// Slot.
    pub slot: Option<Time>,
    /// Why it exists.
    pub trigger: Trigger,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

impl JobRun {
    /// Public id: `job@slot`.
    #[must_use]
    pub fn public_id(&self) -> &str {
        &self.hold.public_id
    }
}

/// A report that was made, for the record. Its cursor moves to (`seq`, `until`) when all of it is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeReport {
    /// Begin of what it is about.
    pub from: Time,
    /// End of what it is about.
    pub until: Time,
    /// The number of the last run that it could see.
    pub seq: i64,
    /// One line.
    pub subject: String,
    /// The files that were put in place.
    pub files: Vec<String>,
}

/// How a run of a job ended.
#[derive(Debug, Clone)]
pub struct JobEnd {
    /// When.
    pub at: Time,
    /// Final state.
    pub state: RunState,
    /// Why.
    pub reason: Option<String>,
    /// Error class and text, when failed.
    pub error: Option<(String, String)>,
    /// The report it made.
    pub report: Option<MadeReport>,
    /// What is to be delivered.
    pub messages: Vec<Message>,
}

/// Up to where a named reader has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The number of the last run that it told of.
    pub seq: i64,
    /// The instant up to which it told.
    pub at: Time,
}

impl Store {
    /// Jobs that a planner has to look at, as [`Store::topics_to_plan`] says of topics.
    pub async fn jobs_to_plan(&self, now: Time, ahead: Duration, limit: u32) -> Result<Vec<PlannedJob>, StoreError> {
        read!(self, jobs::to_plan(now, ahead, limit))
    }

    /// Adds ledger rows of jobs, as [`Store::plan`] does of topics. No engine is handed any: whoever can run a kind of
    /// job claims its runs.
    pub async fn plan_jobs(&self, plans: &[JobPlan], now: Time) -> Result<(u64, u64), StoreError> {
        write_tx!(self, ledger::plan(Planned::Jobs, plans, now))
    }

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
        read!(self, jobs::cursor(name))
    }

    /// The stored definitions of all topics that are watched now, by id.
    pub async fn definitions(&self) -> Result<Vec<Topic>, StoreError> {
        read!(self, topics::definitions())
    }
}
