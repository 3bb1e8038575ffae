//! Reads stored definitions, and extracts the part that decides which slots are owed. Reads no table.

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

/// Returns the part of a definition that, when changed, makes past slots irrelevant. A pause is included, since
/// slots missed during a pause are not run afterwards.
pub(in crate::store) fn schedule_text(schedule: Option<&SchedulePolicy>) -> Option<String> {
    schedule.map(|policy| {
        let paused = if policy.paused { " paused" } else { "" };
        format!("{} {}{paused}", serde_json::json!(policy.period), policy.timezone)
    })
}

/// Returns whether a stored schedule text belongs to a topic paused by its file.
pub(in crate::store) fn paused_by_file(schedule: &str) -> bool {
    schedule.ends_with(" paused")
}

/// Reads a count of runs.
pub(in crate::store) fn number(row: &Row, column: &str) -> Result<u32, StoreError> {
    Ok(u32::try_from(row.try_get::<i64, _>(column)?).unwrap_or(u32::MAX))
}
