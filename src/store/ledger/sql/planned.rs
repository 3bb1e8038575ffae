//! Reads how far the ledger is planned, and which jobs would lose slots under another configuration.

use std::collections::{HashMap, HashSet};

use futures_util::TryStreamExt as _;
use sqlx::Row as _;

use super::Conn;
use super::definitions::{self, paused_by_file, schedule_text};
use crate::model::{SchedulePolicy, Time, Topic};
use crate::store::{DefinitionSet, PlannedJob, StoreError};

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

/// Returns the topics that the stored configuration pauses and this set does not, as planned when their pause began.
pub(in crate::store) async fn resumed_by(
    conn: &mut Conn,
    set: DefinitionSet<'_>,
) -> Result<Vec<PlannedJob>, StoreError> {
    let runs = |topic: &&Topic| topic.schedule.as_ref().is_some_and(|policy| !policy.paused);
    let wanted: HashSet<String> = set.topics.iter().filter(runs).map(Topic::job).collect();
    let mut rows = sqlx::query(
        "SELECT id, topic, schedule, definition, planned_until, created_at FROM job WHERE removed_at IS NULL AND paused = 0 \
         AND next_slot IS NULL AND topic IS NOT NULL AND schedule IS NOT NULL AND planned_until IS NOT NULL ORDER BY id",
    )
    .fetch(conn);
    let mut resumed = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let (id, schedule): (String, String) = (row.try_get("id")?, row.try_get("schedule")?);
        if !paused_by_file(&schedule) || !wanted.contains(&id) {
            continue;
        }
        // A definition that cannot be read must not block others.
        let definition = definitions::topic(&row.try_get::<String, _>("definition")?);
        resumed.push(PlannedJob {
            id,
            topic: row.try_get("topic")?,
            schedule: definition.ok().and_then(|topic| topic.schedule),
            planned_until: Time(row.try_get("planned_until")?),
            created_at: Time(row.try_get("created_at")?),
            active: 0,
            running: 0,
            waiting: Vec::new(),
            backlog: 0,
            on_time: 0,
        });
    }
    Ok(resumed)
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
