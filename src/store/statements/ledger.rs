//! The run ledger: planning, claiming, leases, rescue and the reading order. A claim is one conditional statement, and
//! whatever ends a run is fenced by the claim's token.

use std::time::Duration;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::topics::definition;
use super::{Conn, Database, read};
use crate::model::{Time, Topic, Trigger};
use crate::store::{JobPlan, RunRef, StoreError};

pub(in crate::store) async fn plan(conn: &mut Conn, plans: &[JobPlan], now: Time) -> Result<u64, StoreError> {
    let mut ordered: Vec<&JobPlan> = plans.iter().collect();
    // Two planners that insert in opposite order deadlock; in key order they do not.
    ordered.sort_by(|a, b| a.topic.cmp(&b.topic));
    let mut kept = Vec::with_capacity(ordered.len());
    for plan in ordered {
        let moved = sqlx::query(
            "UPDATE topic SET planned_until = $1 WHERE id = $2 AND planned_until = $3 AND removed_at IS NULL",
        )
        .bind(plan.until.0)
        .bind(&plan.topic)
        .bind(plan.from.0)
        .execute(&mut *conn)
        .await?;
        if moved.rows_affected() == 1 {
            kept.extend(plan.slots.iter().map(|slot| (plan, slot)));
        }
    }
    let mut added = 0;
    for chunk in kept.chunks(500) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO run (public_id, job, topic, slot, trigger, state, reason, due_at, max_attempts, side_by_side, planned_at, finished_at) ",
        );
        insert.push_values(chunk, |mut row, (plan, slot)| {
            let job = format!("topic:{}", plan.topic);
            row.push_bind(format!("{job}@{}", slot.slot)).push_bind(job).push_bind(&plan.topic).push_bind(slot.slot.0);
            row.push_bind(slot.trigger.as_str())
                .push_bind(slot.state.as_str())
                .push_bind(&slot.reason)
                .push_bind(slot.due_at.0);
            row.push_bind(i64::from(plan.max_attempts))
                .push_bind(i64::from(plan.side_by_side))
                .push_bind(now.0)
                .push_bind(slot.state.is_final().then_some(now.0));
        });
        insert.push(" ON CONFLICT DO NOTHING");
        added += insert.build().persistent(false).execute(&mut *conn).await?.rows_affected();
    }
    Ok(added)
}

pub(in crate::store) async fn claim(
    conn: &mut Conn,
    now: Time,
    limit: u32,
    lease: Duration,
    token: &str,
) -> Result<Vec<RunRef>, StoreError> {
    let sql = format!(
        "UPDATE run SET state = 'running', attempt = attempt + 1, token = $1, lease_until = $2, \
         started_at = CASE WHEN started_at IS NULL THEN $3 ELSE started_at END \
         WHERE id IN (SELECT q.id FROM run q WHERE q.state = 'queued' AND q.due_at <= $3 AND (q.side_by_side = 1 OR NOT EXISTS (\
         SELECT 1 FROM run o WHERE o.job = q.job AND o.id <> q.id AND o.state IN ('queued', 'running') \
         AND (o.state = 'running' OR o.slot < q.slot))) ORDER BY q.due_at, q.id LIMIT $4{}) \
         RETURNING id, public_id, topic, slot, trigger, attempt, (SELECT definition FROM topic t WHERE t.id = run.topic) AS definition",
        super::CLAIM_LOCK
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(token)
        .bind(now.plus(lease).0)
        .bind(now.0)
        .bind(i64::from(limit))
        .fetch_all(conn)
        .await?;
    let mut runs = Vec::with_capacity(rows.len());
    for row in &rows {
        runs.push(RunRef {
            id: row.try_get("id")?,
            public_id: row.try_get("public_id")?,
            token: token.to_owned(),
            topic: definition(&row.try_get::<String, _>("definition")?)?,
            slot: read::time(row, "slot")?,
            trigger: read::word(row, "trigger", Trigger::parse)?,
            attempt: row.try_get("attempt")?,
        });
    }
    runs.sort_by(|a, b| (a.slot, &a.public_id).cmp(&(b.slot, &b.public_id)));
    Ok(runs)
}

pub(in crate::store) async fn start_manual(
    conn: &mut Conn,
    topic: &Topic,
    public_id: &str,
    now: Time,
    lease: Duration,
    token: &str,
) -> Result<RunRef, StoreError> {
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO run (public_id, job, topic, trigger, state, due_at, attempt, max_attempts, lease_until, token, planned_at, started_at) \
         VALUES ($1, $2, $3, 'manual', 'running', $4, 1, 1, $5, $6, $4, $4) RETURNING id",
    )
    .bind(public_id)
    .bind(topic.job())
    .bind(&topic.id)
    .bind(now.0)
    .bind(now.plus(lease).0)
    .bind(token)
    .fetch_one(conn)
    .await?;
    Ok(RunRef {
        id,
        public_id: public_id.to_owned(),
        token: token.to_owned(),
        topic: topic.clone(),
        slot: None,
        trigger: Trigger::Manual,
        attempt: 1,
    })
}

pub(in crate::store) async fn manual_runs(conn: &mut Conn, topic: &str) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM run WHERE topic = $1 AND slot IS NULL")
        .bind(topic)
        .fetch_one(conn)
        .await?)
}

pub(in crate::store) async fn heartbeat(
    conn: &mut Conn,
    runs: &[RunRef],
    now: Time,
    lease: Duration,
) -> Result<Vec<String>, StoreError> {
    let mut lost = Vec::new();
    for run in runs {
        let done = sqlx::query("UPDATE run SET lease_until = $1 WHERE id = $2 AND token = $3 AND state = 'running'")
            .bind(now.plus(lease).0)
            .bind(run.id)
            .bind(&run.token)
            .execute(&mut *conn)
            .await?;
        if done.rows_affected() == 0 {
            lost.push(run.public_id.clone());
        }
    }
    Ok(lost)
}

pub(in crate::store) async fn rescue(conn: &mut Conn, now: Time) -> Result<u64, StoreError> {
    super::lock(conn, 2).await?;
    // What a dead process paid for, or may have, is counted at the price it expected.
    sqlx::query(
        "UPDATE search SET state = 'lost', finished_at = $1, cost = expected_cost, cost_basis = 'assumed', \
         error_text = 'the process ended between the call and its record' \
         WHERE state = 'started' AND run IN (SELECT id FROM run WHERE state = 'running' AND lease_until < $1)",
    )
    .bind(now.0)
    .execute(&mut *conn)
    .await?;
    let done = sqlx::query(
        "UPDATE run SET \
         state = CASE WHEN slot IS NOT NULL AND attempt < max_attempts THEN 'queued' ELSE 'failed' END, \
         finished_at = CASE WHEN slot IS NOT NULL AND attempt < max_attempts THEN NULL ELSE $1 END, \
         error_class = CASE WHEN slot IS NOT NULL AND attempt < max_attempts THEN NULL ELSE 'lease_lost' END, \
         error_text = CASE WHEN slot IS NOT NULL AND attempt < max_attempts THEN NULL \
                      ELSE 'the process that ran it ended or stood still, attempt ' || attempt || ' of ' || max_attempts END, \
         cost = (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) FROM search s WHERE s.run = run.id), \
         token = NULL, lease_until = NULL \
         WHERE state = 'running' AND lease_until < $1",
    )
    .bind(now.0)
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

pub(in crate::store) async fn release(conn: &mut Conn, run: &RunRef, now: Time) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE search SET state = 'lost', finished_at = $1, cost = expected_cost, cost_basis = 'assumed', error_text = 'given up at shutdown' \
         WHERE run = $2 AND state = 'started' AND EXISTS (SELECT 1 FROM run WHERE id = $2 AND token = $3 AND state = 'running')",
    )
    .bind(now.0)
    .bind(run.id)
    .bind(&run.token)
    .execute(&mut *conn)
    .await?;
    // The attempt is given back only when no call was made in it: a search row keeps its (run, attempt, source).
    let done = sqlx::query(
        "UPDATE run SET state = CASE WHEN slot IS NULL THEN 'cancelled' ELSE 'queued' END, \
         reason = CASE WHEN slot IS NULL THEN 'interrupted' ELSE reason END, \
         finished_at = CASE WHEN slot IS NULL THEN $1 ELSE NULL END, \
         attempt = CASE WHEN EXISTS (SELECT 1 FROM search s WHERE s.run = run.id AND s.attempt = run.attempt) THEN attempt ELSE attempt - 1 END, \
         max_attempts = CASE WHEN EXISTS (SELECT 1 FROM search s WHERE s.run = run.id AND s.attempt = run.attempt) THEN max_attempts + 1 ELSE max_attempts END, \
         cost = (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) FROM search s WHERE s.run = run.id), \
         token = NULL, lease_until = NULL WHERE id = $2 AND token = $3 AND state = 'running'",
    )
    .bind(now.0)
    .bind(run.id)
    .bind(&run.token)
    .execute(conn)
    .await?;
    if done.rows_affected() == 0 { Err(StoreError::fenced(&run.public_id)) } else { Ok(()) }
}

pub(in crate::store) async fn next_due(conn: &mut Conn) -> Result<Option<Time>, StoreError> {
    let due: Option<i64> =
        sqlx::query_scalar("SELECT min(due_at) FROM run WHERE state = 'queued'").fetch_one(conn).await?;
    Ok(due.map(Time))
}

pub(in crate::store) async fn publish(conn: &mut Conn) -> Result<u64, StoreError> {
    // One lock for all: whoever numbers sees every run that was committed before, so no number is ever given below one
    // that a reader has passed.
    super::lock(conn, 3).await?;
    let done = sqlx::query(
        "UPDATE run SET seq = numbered.seq FROM (\
           SELECT id, (SELECT coalesce(max(seq), 0) FROM run) + row_number() OVER (ORDER BY finished_at, public_id) AS seq \
           FROM run WHERE seq IS NULL AND finished_at IS NOT NULL) AS numbered WHERE run.id = numbered.id",
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}
