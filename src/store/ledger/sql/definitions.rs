//! Definitions as they are stored: read back, and the part of one that decides which slots are owed. It reads no table.

use sqlx::Row as _;

use super::Row;
use crate::model::{Job, SchedulePolicy, Topic};
use crate::store::StoreError;

/// Reads the stored definition of a topic.
pub(in crate::store) fn topic(text: &str) -> Result<Topic, StoreError> {
    serde_json::from_str(text).map_err(|e| StoreError::unreadable(&format!("a topic definition ({e})")))
}

/// Reads the stored definition of another job.
pub(in crate::store) fn job(text: &str) -> Result<Job, StoreError> {
    serde_json::from_str(text).map_err(|e| StoreError::unreadable(&format!("a job definition ({e})")))
}

/// The part of a definition whose change makes slots that passed irrelevant; a pause belongs to it, since a paused topic
/// owes nothing afterwards.
pub(in crate::store) fn schedule_text(schedule: Option<&SchedulePolicy>) -> Option<String> {
    schedule.map(|policy| {
        let paused = if policy.paused { " paused" } else { "" };
        format!("{} {}{paused}", serde_json::json!(policy.period), policy.timezone)
    })
}

/// Whether a stored schedule text is that of a topic that its file pauses.
pub(in crate::store) fn paused_by_file(schedule: &str) -> bool {
    schedule.ends_with(" paused")
}

/// A count of runs.
pub(in crate::store) fn number(row: &Row, column: &str) -> Result<u32, StoreError> {
    Ok(u32::try_from(row.try_get::<i64, _>(column)?).unwrap_or(u32::MAX))
}
