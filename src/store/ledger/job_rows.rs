//! Jobs as the planner sees them, their claimed runs, and how these end.

use crate::model::{Job, Message, RunState, SchedulePolicy, Time, Trigger};
use crate::store::RunClaim;

/// A job in the ledger.
#[derive(Debug, Clone)]
pub struct PlannedJob {
    /// Its name: `topic:acme`, `report:daily`.
    pub id: String,
    /// The topic, if the job is one.
    pub topic: Option<String>,
    /// Its schedule; `None` if it never runs by itself, or if this version cannot read its definition.
    pub schedule: Option<SchedulePolicy>,
    /// Up to here, all slots have rows.
    pub planned_until: Time,
    /// When it was created.
    pub created_at: Time,
    /// Runs that are queued or running.
    pub active: u32,
    /// Runs that are running now.
    pub running: u32,
    /// Slots of those that are queued, up to `planned_until`.
    pub waiting: Vec<Time>,
    /// Catch-up runs and retries among the active ones.
    pub backlog: u32,
    /// Running runs that do not make up for a missed slot.
    pub on_time: u32,
}

/// A queued run that should not run any more.
#[derive(Debug, Clone)]
pub struct ExpiredSlot {
    pub job: String,
    pub slot: Time,
    /// The reason stored in the ledger.
    pub reason: &'static str,
}

/// A run of a job, held by this process.
#[derive(Debug, Clone)]
pub struct JobRun {
    pub(crate) hold: RunClaim,
    /// The stored definition to run.
    pub job: Job,
    pub slot: Option<Time>,
    /// What triggered it.
    pub trigger: Trigger,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

impl JobRun {
    /// Public id: `job@slot` or a ULID.
    #[must_use]
    pub fn public_id(&self) -> &str {
        &self.hold.public_id
    }
}

/// The record of a finished report. Its cursor moves to (`seq`, `until`) when everything is delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRecord {
    /// Start of its span.
    pub from: Time,
    /// End of its span.
    pub until: Time,
    /// The number of the last run it could include.
    pub seq: i64,
    /// The subject, one line.
    pub subject: String,
    /// The files that were put in place.
    pub files: Vec<String>,
}

/// How a run of a job ended.
#[derive(Debug, Clone)]
pub struct JobEnd {
    pub at: Time,
    pub state: RunState,
    pub reason: Option<String>,
    /// Error class and text, when failed.
    pub error: Option<(String, String)>,
    /// The report it made.
    pub report: Option<ReportRecord>,
    /// The messages to deliver.
    pub messages: Vec<Message>,
}

/// The position of a follower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The number of the last run it has processed.
    pub seq: i64,
    /// The instant up to which it has reported.
    pub at: Time,
}
