//! Requests about topics next to a running daemon: pause, resume, queue a run. Nothing here runs anything.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row};
use crate::model::{PAUSED, Paused, PausedBy, RunState, Time, Trigger};
use crate::store::{ControlResult, StoreError};

/// Locks the topics and returns their state. Fails if one is unknown or no longer watched.
async fn lock_topics(conn: &mut Conn, topics: &[String]) -> Result<Vec<ControlResult>, StoreError> {
    let mut ordered: Vec<&String> = topics.iter().collect();
    ordered.sort();
    ordered.dedup();
    // In order of id, like all code that locks several topics.
    let sql = format!(
        "SELECT paused, coalesce(schedule, '') AS schedule, (SELECT count(*) FROM run r WHERE r.job = 'topic:' || topic.id AND r.state = 'running') AS running, \
         removed_at FROM topic WHERE id = $1{}",
        super::ROW_LOCK
    );
    let mut taken = Vec::with_capacity(ordered.len());
    for topic in ordered {
        let row = sqlx::query(AssertSqlSafe(sql.clone())).bind(topic).fetch_optional(&mut *conn).await?;
        let row = row.ok_or_else(|| StoreError::refused(format!("there is no topic `{topic}` in the database"), ""))?;
        if row.try_get::<Option<i64>, _>("removed_at")?.is_some() {
            return Err(StoreError::refused(
                format!("topic `{topic}` is not watched: it was removed from the configuration"),
                "its findings are kept; `run` or `once` watches it again after reading a file that has it",
            ));
        }
        taken.push(ControlResult {
            topic: topic.clone(),
            already: row.try_get::<i64, _>("paused")? != 0,
            by_file: super::definitions::paused_by_file(&row.try_get::<String, _>("schedule")?),
            cancelled: 0,
            running: row.try_get("running")?,
        });
    }
    Ok(taken)
}

pub(in crate::store) async fn pause(
    conn: &mut Conn,
    topics: &[String],
    reason: Option<&str>,
    now: Time,
) -> Result<Vec<ControlResult>, StoreError> {
    let mut taken = lock_topics(conn, topics).await?;
    for topic in &mut taken {
        sqlx::query(
            "UPDATE job SET paused_at = CASE WHEN paused = 1 THEN paused_at ELSE $1 END, \
             pause_reason = CASE WHEN paused = 1 THEN coalesce($2, pause_reason) ELSE $2 END, paused = 1 WHERE topic = $3",
        )
        .bind(now.0)
        .bind(reason)
        .bind(&topic.topic)
        .execute(&mut *conn)
        .await?;
        let cancelled = sqlx::query(
            "UPDATE run SET state = 'cancelled', reason = $1, finished_at = $2 WHERE job = $3 AND state = 'queued'",
        )
        .bind(pause_text(reason))
        .bind(now.0)
        .bind(format!("topic:{}", topic.topic))
        .execute(&mut *conn)
        .await?;
        topic.cancelled = cancelled.rows_affected();
    }
    super::info::bump_control_version(conn).await?;
    Ok(taken)
}

pub(in crate::store) async fn resume(
    conn: &mut Conn,
    topics: &[String],
    now: Time,
) -> Result<Vec<ControlResult>, StoreError> {
    let taken = lock_topics(conn, topics).await?;
    for topic in taken.iter().filter(|topic| topic.already) {
        record_pause(conn, &topic.topic, now).await?;
        // Slots that passed during the pause are not run later.
        sqlx::query(
            "UPDATE job SET paused = 0, paused_at = NULL, pause_reason = NULL, \
             next_slot = CASE WHEN next_slot IS NULL THEN NULL ELSE 0 END, \
             planned_until = CASE WHEN planned_until > $1 THEN planned_until ELSE $1 END WHERE topic = $2",
        )
        .bind(now.0)
        .bind(&topic.topic)
        .execute(&mut *conn)
        .await?;
    }
    super::info::bump_control_version(conn).await?;
    Ok(taken.into_iter().map(|topic| ControlResult { already: !topic.already, ..topic }).collect())
}

/// Records that slots passed while a topic was paused, with the first of them: it is the cause of the gap that remains.
async fn record_pause(conn: &mut Conn, topic: &str, now: Time) -> Result<(), StoreError> {
    let paused = sqlx::query(
        "SELECT id, next_slot, pause_reason FROM job WHERE topic = $1 AND paused = 1 AND next_slot > 0 AND next_slot <= $2",
    );
    let Some(row) = paused.bind(topic).bind(now.0).fetch_optional(&mut *conn).await? else { return Ok(()) };
    let (job, slot): (String, i64) = (row.try_get("id")?, row.try_get("next_slot")?);
    let why: Option<String> = row.try_get("pause_reason")?;
    sqlx::query(
        "INSERT INTO run (public_id, job, topic, slot, trigger, state, reason, due_at, max_attempts, planned_at, finished_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $4, 1, $8, $8) ON CONFLICT DO NOTHING",
    )
    .bind(format!("{job}@{}", Time(slot)))
    .bind(&job)
    .bind(topic)
    .bind(slot)
    .bind(Trigger::Scheduled.as_str())
    .bind(RunState::Skipped.as_str())
    .bind(pause_text(why.as_deref()))
    .bind(now.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns why a run of a paused topic is not made.
fn pause_text(why: Option<&str>) -> String {
    why.map_or_else(|| "the topic was paused".to_owned(), |why| format!("{PAUSED}{why}"))
}

/// Returns the topics paused here, by id.
pub(in crate::store) async fn pauses(conn: &mut Conn) -> Result<Vec<(String, Paused)>, StoreError> {
    let rows = sqlx::query("SELECT id, paused_at, pause_reason FROM topic WHERE paused = 1 ORDER BY id");
    let paused = |row: &Row| {
        let (since, reason) = (super::read::time(row, "paused_at")?, row.try_get("pause_reason")?);
        Ok((row.try_get("id")?, Paused { by: PausedBy::Pause, since, reason }))
    };
    rows.fetch_all(conn).await?.iter().map(paused).collect()
}

pub(in crate::store) async fn queue_manual(
    conn: &mut Conn,
    runs: &[(String, String)],
    now: Time,
) -> Result<(), StoreError> {
    lock_topics(conn, &runs.iter().map(|(topic, _)| topic.clone()).collect::<Vec<_>>()).await?;
    for chunk in runs.chunks(500) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO run (public_id, job, topic, trigger, state, due_at, max_attempts, planned_at) ",
        );
        insert.push_values(chunk, |mut row, (topic, id)| {
            row.push_bind(id).push_bind(format!("topic:{topic}")).push_bind(topic).push_bind("manual");
            row.push_bind("queued").push_bind(now.0).push_bind(1_i64).push_bind(now.0);
        });
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Queues a manual run of a job that is not a topic. It gets as many attempts as a scheduled run, and is refused while
/// an earlier manual run of the job is queued or running.
pub(in crate::store) async fn queue_job(conn: &mut Conn, job: &str, id: &str, now: Time) -> Result<(), StoreError> {
    // A concurrent request for the same job waits here.
    let sql =
        format!("SELECT definition FROM job WHERE id = $1 AND topic IS NULL AND removed_at IS NULL{}", super::ROW_LOCK);
    let definition: Option<String> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(job).fetch_optional(&mut *conn).await?;
    let refused = |text: String| StoreError::refused(text, "");
    let Some(definition) = definition else {
        return Err(refused(format!("there is no active job `{job}`: does it have a schedule?")));
    };
    let schedule = match super::definitions::job(&definition) {
        Ok(found) => found.schedule,
        // The stored definition will not change by itself: asking again would not help.
        Err(error) => return Err(refused(error.text)),
    };
    let Some(policy) = schedule else {
        return Err(refused(format!("`{job}` has no schedule, so no daemon runs it")));
    };
    if policy.paused {
        return Err(refused(format!("`{job}` is paused in the configuration")));
    }
    let going: Option<String> = sqlx::query_scalar(
        "SELECT public_id FROM run WHERE job = $1 AND trigger = 'manual' AND state IN ('queued', 'running') LIMIT 1",
    )
    .bind(job)
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(going) = going {
        return Err(refused(format!("`{job}` is already running as {going}")));
    }
    sqlx::query(
        "INSERT INTO run (public_id, job, trigger, state, due_at, max_attempts, planned_at) \
         VALUES ($1, $2, 'manual', 'queued', $3, $4, $3)",
    )
    .bind(id)
    .bind(job)
    .bind(now.0)
    .bind(i64::from(policy.max_attempts))
    .execute(conn)
    .await?;
    Ok(())
}
