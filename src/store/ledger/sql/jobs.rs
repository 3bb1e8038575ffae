//! Jobs that are no topics: their stored definitions, the claims of their runs, and how those end. Slots are `ledger`'s.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::topics::{number, rows_to_plan, schedule_text};
use super::{Conn, ledger, outbox, read};
use crate::model::{Job, Time, Trigger};
use crate::store::ledger::job_rows::Planned;
use crate::store::{Cursor, Hold, JobEnd, JobRun, PlannedJob, StoreError, Synced};

/// Makes the stored definitions equal to these, as is done with topics: a new job and a changed schedule begin now.
pub(in crate::store) async fn sync(conn: &mut Conn, jobs: &[Job], now: Time) -> Result<Synced, StoreError> {
    let sql =
        format!("SELECT id, definition, schedule, planned_until, removed_at FROM job ORDER BY id{}", super::ROW_LOCK);
    let mut stored = HashMap::new();
    for row in sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *conn).await? {
        let removed = row.try_get::<Option<i64>, _>("removed_at")?.is_some();
        let held: (String, Option<String>, Option<i64>) =
            (row.try_get("definition")?, row.try_get("schedule")?, row.try_get("planned_until")?);
        stored.insert(row.try_get::<String, _>("id")?, (removed, held));
    }
    let generation = super::instances::newest(conn).await?.map_or(0, |(number, _)| number);
    let mut synced = Synced::default();
    let mut ordered: Vec<&Job> = jobs.iter().collect();
    ordered.sort_by(|a, b| a.id.cmp(&b.id));
    for job in ordered {
        let definition = serde_json::to_string(job).map_err(|e| StoreError::unreadable(&format!("a job ({e})")))?;
        let schedule = schedule_text(job.schedule.as_ref());
        let until = match stored.remove(&job.id) {
            Some((false, (held, _, _))) if held == definition => continue,
            Some((false, (_, held, until))) => {
                synced.changed += 1;
                until.filter(|_| held == schedule)
            }
            _ => {
                synced.added += 1;
                None
            }
        };
        let plans = job.schedule.as_ref().is_some_and(|policy| !policy.paused);
        sqlx::query(
            "INSERT INTO job (id, kind, definition, generation, planned_until, next_slot, schedule, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, definition = excluded.definition, \
             generation = excluded.generation, planned_until = excluded.planned_until, next_slot = excluded.next_slot, \
             schedule = excluded.schedule, removed_at = NULL",
        )
        .bind(&job.id)
        .bind(job.kind.as_str())
        .bind(definition)
        .bind(generation)
        .bind(until.unwrap_or(now.0))
        .bind(plans.then_some(0_i64))
        .bind(schedule)
        .bind(now.0)
        .execute(&mut *conn)
        .await?;
        if !plans {
            cancel(conn, &job.id, "it is not to run by itself any more", now).await?;
        }
    }
    let mut gone: Vec<String> = stored.into_iter().filter(|(_, (removed, _))| !removed).map(|(id, _)| id).collect();
    gone.sort();
    for id in &gone {
        sqlx::query("UPDATE job SET removed_at = $1 WHERE id = $2").bind(now.0).bind(id).execute(&mut *conn).await?;
        cancel(conn, id, "removed from the configuration", now).await?;
    }
    synced.removed = gone.len();
    Ok(synced)
}

/// Has jobs that name a topic follow it to its new id.
pub(in crate::store) async fn rename_topic(conn: &mut Conn, old: &str, new: &str) -> Result<(), StoreError> {
    for row in sqlx::query("SELECT id, definition FROM job ORDER BY id").fetch_all(&mut *conn).await? {
        let Ok(mut job) = definition(&row.try_get::<String, _>("definition")?) else { continue };
        if !job.rename_topic(old, new) {
            continue;
        }
        let definition = serde_json::to_string(&job).map_err(|e| StoreError::unreadable(&format!("a job ({e})")))?;
        sqlx::query("UPDATE job SET definition = $1 WHERE id = $2")
            .bind(definition)
            .bind(&job.id)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}

async fn cancel(conn: &mut Conn, job: &str, why: &str, now: Time) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE run SET state = 'cancelled', reason = $1, finished_at = $2 WHERE job = $3 AND state = 'queued'",
    )
    .bind(why)
    .bind(now.0)
    .bind(job)
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) async fn to_plan(
    conn: &mut Conn,
    now: Time,
    ahead: Duration,
    limit: u32,
) -> Result<Vec<PlannedJob>, StoreError> {
    let rows = rows_to_plan(conn, Planned::Jobs, now, ahead, limit).await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get("id")?;
            let job = definition(&row.try_get::<String, _>("definition")?)
                .inspect_err(|error| tracing::error!(job = id, "not planned: {error}"));
            Ok(PlannedJob {
                id,
                job: job.ok(),
                planned_until: Time(row.try_get("planned_until")?),
                active: number(row, "active")?,
                backlog: number(row, "backlog")?,
                on_time: number(row, "on_time")?,
            })
        })
        .collect()
}

pub(in crate::store) fn definition(text: &str) -> Result<Job, StoreError> {
    serde_json::from_str(text).map_err(|e| StoreError::unreadable(&format!("a job definition ({e})")))
}

pub(in crate::store) async fn any_due(conn: &mut Conn, now: Time) -> Result<bool, StoreError> {
    let due: Option<i64> =
        sqlx::query_scalar("SELECT id FROM run WHERE state = 'queued' AND topic IS NULL AND due_at <= $1 LIMIT 1")
            .bind(now.0)
            .fetch_optional(conn)
            .await?;
    Ok(due.is_some())
}

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
           AND (o.state = 'running' OR o.slot < q.slot)) \
         AND EXISTS (SELECT 1 FROM job j WHERE j.id = q.job AND j.removed_at IS NULL) \
         AND (q.due_at <= $5 OR NOT EXISTS (SELECT 1 FROM run o WHERE o.topic IS NOT NULL AND o.state IN ('queued', 'running') AND o.slot <= q.slot)) \
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
        let job = match definition(&row.try_get::<String, _>("definition")?) {
            Ok(job) => job,
            Err(error) => {
                ledger::refuse(conn, id, now, &error).await?;
                continue;
            }
        };
        runs.push(JobRun {
            hold: Hold { id, public_id: row.try_get("public_id")?, token: token.to_owned() },
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
    ledger::hold(conn, &run.hold).await?;
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

pub(in crate::store) async fn cursor(conn: &mut Conn, name: &str) -> Result<Option<Cursor>, StoreError> {
    let row = sqlx::query("SELECT seq, at FROM cursor WHERE name = $1").bind(name).fetch_optional(conn).await?;
    row.map(|row| Ok(Cursor { seq: row.try_get("seq")?, at: Time(row.try_get("at")?) })).transpose()
}

pub(in crate::store) async fn last_seq(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM run WHERE seq IS NOT NULL").fetch_one(conn).await?)
}

pub(in crate::store) async fn last_seq_until(conn: &mut Conn, until: Time) -> Result<i64, StoreError> {
    // A sum, so that nobody walks through all numbers in their order: few runs are later.
    let sql = format!("SELECT min(r.seq + 0) FROM run r WHERE r.seq IS NOT NULL AND {} >= $1", read::RUN_AT);
    let first: Option<i64> = sqlx::query_scalar(AssertSqlSafe(sql)).bind(until.0).fetch_one(&mut *conn).await?;
    match first {
        Some(first) => Ok(first - 1),
        None => last_seq(conn).await,
    }
}
