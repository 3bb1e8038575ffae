//! Reads how far the ledger is planned, and which jobs would lose slots under another configuration.

use std::collections::{HashMap, HashSet};

use futures_util::TryStreamExt as _;
use sqlx::Row as _;

use super::Conn;
use super::definitions::schedule_text;
use crate::model::{SchedulePolicy, Time};
use crate::store::{DefinitionSet, StoreError};

/// Returns jobs whose schedule differs in another set and, if it removes missing ones, jobs that it does not contain.
/// Paused jobs owe nothing.
pub(in crate::store) async fn jobs_losing_slots(
    conn: &mut Conn,
    set: DefinitionSet<'_>,
    removes: bool,
) -> Result<HashSet<String>, StoreError> {
    let topics = set.topics.iter().map(|topic| (topic.job(), topic.schedule.as_ref()));
    let jobs = set.jobs.iter().map(|job| (job.id.clone(), job.schedule.as_ref()));
    let wanted: HashMap<String, Option<&SchedulePolicy>> = topics.chain(jobs).collect();
    let mut rows = sqlx::query(
        "SELECT id, schedule FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL ORDER BY id",
    )
    .fetch(conn);
    let mut left = HashSet::new();
    while let Some(row) = rows.try_next().await? {
        let id: String = row.try_get(0)?;
        let leaves = match wanted.get(&id) {
            Some(policy) => row.try_get::<Option<String>, _>(1)? != schedule_text(*policy),
            None => removes,
        };
        if leaves {
            left.insert(id);
        }
    }
    Ok(left)
}

/// Returns the latest instant, not after `end`, up to which a job is planned.
pub(in crate::store) async fn planned_until(conn: &mut Conn, end: Time) -> Result<Option<Time>, StoreError> {
    let until: Option<i64> = sqlx::query_scalar(
        "SELECT max(planned_until) FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND planned_until <= $1",
    )
    .bind(end.0)
    .fetch_one(conn)
    .await?;
    Ok(until.map(Time))
}
