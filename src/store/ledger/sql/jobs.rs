//! Runs of jobs other than topics: claiming and ending them.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, definitions, ledger, outbox, read};
use crate::model::{Time, Trigger};
use crate::store::{JobEnd, JobRun, RunClaim, StoreError};

pub(in crate::store) async fn any_due(conn: &mut Conn, now: Time) -> Result<bool, StoreError> {
    let due: Option<i64> =
        sqlx::query_scalar("SELECT id FROM run WHERE state = 'queued' AND topic IS NULL AND due_at <= $1 LIMIT 1")
            .bind(now.0)
            .fetch_optional(conn)
            .await?;
    Ok(due.is_some())
}

pub(in crate::store) async fn later_slot_is_due(
    conn: &mut Conn,
    job: &str,
    slot: Time,
    now: Time,
) -> Result<bool, StoreError> {
    let later = sqlx::query_scalar::<_, i64>(
        "SELECT id FROM run WHERE job = $1 AND state = 'queued' AND slot > $2 AND due_at <= $3 LIMIT 1",
    );
    Ok(later.bind(job).bind(slot.0).bind(now.0).fetch_optional(conn).await?.is_some())
}

/// Returns when the last finished runs of a job began, the latest first.
pub(in crate::store) async fn last_starts(conn: &mut Conn, job: &str, most: i64) -> Result<Vec<Time>, StoreError> {
    // `seq + 0` keeps the database from walking through the runs of all jobs.
    let at = sqlx::query_scalar::<_, i64>(
        "SELECT started_at FROM run WHERE job = $1 AND seq IS NOT NULL AND started_at IS NOT NULL ORDER BY seq + 0 DESC LIMIT $2",
    );
    Ok(at.bind(job).bind(most).fetch_all(conn).await?.into_iter().map(Time).collect())
}

/// Claims due runs, at most one of each job: the manual one first, then the one with the earliest slot.
pub(in crate::store) async fn claim(
    conn: &mut Conn,
    now: Time,
    limit: u32,
    lease: Duration,
    waits: Duration,
    token: &str,
) -> Result<Vec<JobRun>, StoreError> {
    let sql = format!(
        "WITH due AS MATERIALIZED (SELECT q.id FROM run q WHERE q.state = 'queued' AND q.topic IS NULL AND q.due_at <= $3 \
         AND NOT EXISTS (SELECT 1 FROM run o WHERE o.job = q.job AND o.id <> q.id AND o.state IN ('queued', 'running') \
           AND (o.state = 'running' OR o.slot < q.slot \
             OR o.slot IS NULL AND q.slot IS NOT NULL AND o.due_at <= $3)) \
         AND EXISTS (SELECT 1 FROM job j WHERE j.id = q.job AND j.removed_at IS NULL) \
         AND (q.due_at <= $5 OR NOT EXISTS (SELECT 1 FROM run o WHERE o.topic IS NOT NULL AND o.state IN ('queued', 'running') AND o.slot <= q.slot) \
           AND NOT EXISTS (SELECT 1 FROM job t WHERE t.topic IS NOT NULL AND t.removed_at IS NULL AND t.paused = 0 AND t.next_slot IS NOT NULL \
             AND t.next_slot <= q.slot)) \
         ORDER BY q.due_at, q.id LIMIT $4{}) \
         UPDATE run SET state = 'running', attempt = attempt + 1, token = $1, lease_until = $2, started_at = $3 WHERE id IN (SELECT id FROM due) \
         RETURNING id, public_id, slot, trigger, attempt, (SELECT definition FROM job j WHERE j.id = run.job) AS definition",
        super::CLAIM_LOCK
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(token).bind(now.plus(lease).0).bind(now.0);
    let rows = query.bind(i64::from(limit)).bind(now.minus(waits).0).fetch_all(&mut *conn).await?;
    let mut runs = Vec::with_capacity(rows.len());
    for row in &rows {
        let id = row.try_get("id")?;
        let job = match definitions::job(&row.try_get::<String, _>("definition")?) {
            Ok(job) => job,
            Err(error) => {
                ledger::refuse(conn, id, now, &error).await?;
                continue;
            }
        };
        runs.push(JobRun {
            hold: RunClaim { id, public_id: row.try_get("public_id")?, token: token.to_owned() },
            job,
            slot: read::time(row, "slot")?,
            trigger: read::word(row, "trigger", Trigger::parse)?,
            attempt: row.try_get("attempt")?,
        });
    }
    runs.sort_by(|a, b| (a.slot, a.public_id()).cmp(&(b.slot, b.public_id())));
    Ok(runs)
}

pub(in crate::store) async fn end(conn: &mut Conn, run: &JobRun, end: &JobEnd) -> Result<(), StoreError> {
    ledger::lock_claimed(conn, &run.hold).await?;
    let (class, text) = end.error.clone().unzip();
    sqlx::query(
        "UPDATE run SET state = $1, reason = $2, error_class = $3, error_text = $4, finished_at = $5, token = NULL, lease_until = NULL WHERE id = $6",
    )
    .bind(end.state.as_str())
    .bind(&end.reason)
    .bind(class)
    .bind(text)
    .bind(end.at.0)
    .bind(run.hold.id)
    .execute(&mut *conn)
    .await?;
    if let Some(report) = &end.report {
        sqlx::query(
            "INSERT INTO report (run, name, made_at, span_from, span_until, seq, subject, files) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(run.public_id())
        .bind(&run.job.id)
        .bind(end.at.0)
        .bind(report.from.0)
        .bind(report.until.0)
        .bind(report.seq)
        .bind(&report.subject)
        .bind(serde_json::json!(report.files).to_string())
        .execute(&mut *conn)
        .await?;
    }
    outbox::add(conn, &end.messages, run.public_id(), end.at).await?;
    outbox::delivered(conn, run.public_id(), end.at).await
}
