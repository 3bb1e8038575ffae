//! Jobs as a planner sees them, their claimed runs, and how these end.

use crate::model::{Job, Message, RunState, SchedulePolicy, Time, Trigger};
use crate::store::Hold;

/// A job as the ledger knows it.
#[derive(Debug, Clone)]
pub struct PlannedJob {
    /// Its name: `topic:acme`, `report:daily`.
    pub id: String,
    /// The topic that it is, if it is one.
    pub topic: Option<String>,
    /// When it runs; `None` when never by itself, or when this version cannot read its definition.
    pub schedule: Option<SchedulePolicy>,
    /// Slots up to here have rows.
    pub planned_until: Time,
    /// Runs queued or running now.
    pub active: u32,
    /// Of these, those that are running.
    pub running: u32,
    /// Slots of those that are queued, up to `planned_until`.
    pub waiting: Vec<Time>,
    /// Of these, catch-up runs and runs that are made again.
    pub backlog: u32,
    /// Of these, those that are running and make up for nothing.
    pub on_time: u32,
}

/// A queued run that is not to run any more.
#[derive(Debug, Clone)]
pub struct LeftSlot {
    pub job: String,
    pub slot: Time,
    /// Why, as it stands in the ledger.
    pub reason: &'static str,
}

/// A run of a job, held by this process.
#[derive(Debug, Clone)]
pub struct JobRun {
    pub(crate) hold: Hold,
    /// The stored definition that is to be run.
    pub job: Job,
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
    /// Text of one line.
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
