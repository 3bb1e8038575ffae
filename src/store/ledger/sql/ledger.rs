//! The run ledger: claiming, leases, rescue and the reading order. A claim is one conditional statement, and everything
//! that ends a run is fenced by the claim's token.

use std::time::Duration;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, definitions, followers, read};
use crate::model::{Micros, RECORDED_AHEAD, Source, Time, Trigger};
use crate::store::{RunClaim, RunRef, StoreError};

/// SQL condition: run `r` may be started again. Its job must still exist, and it must be a planned run or a manual run
/// of a report or export. A manual run of a topic is not repeated: its calls cost money, and the person sees that it
/// ended.
macro_rules! wanted {
    () => {
        "(r.slot IS NOT NULL OR r.topic IS NULL) AND EXISTS (SELECT 1 FROM job j WHERE j.id = r.job AND j.removed_at IS NULL)"
    };
}

/// SQL condition: queued run `q` may run at `now`, apart from its due time. No earlier run of its job is in the way,
/// and its topic exists and is not paused. A manual run waits for slots that are due, but ignores a pause.
pub(in crate::store) fn ready(now: &str) -> String {
    format!(
        "(q.side_by_side = 1 OR NOT EXISTS (\
         SELECT 1 FROM run o WHERE o.job = q.job AND o.id <> q.id AND o.state IN ('queued', 'running') \
         AND (o.state = 'running' OR o.slot < q.slot OR (q.slot IS NULL AND o.due_at <= {now} AND (o.slot IS NOT NULL OR o.id < q.id))))) \
         AND EXISTS (SELECT 1 FROM job t WHERE t.id = q.job AND t.topic IS NOT NULL AND t.removed_at IS NULL AND (t.paused = 0 OR q.trigger = 'manual'))"
    )
}

pub(in crate::store) async fn claim(
    conn: &mut Conn,
    now: Time,
    limit: u32,
    lease: Duration,
    token: &str,
    only: Option<i64>,
) -> Result<Vec<RunRef>, StoreError> {
    // `MATERIALIZED`, because PostgreSQL may run a plain subquery again for each row, beyond the limit.
    let sql = format!(
        "WITH due AS MATERIALIZED (SELECT q.id FROM run q WHERE q.state = 'queued' AND q.due_at <= $3{} AND {} \
         ORDER BY q.due_at, q.id LIMIT $4{}) \
         UPDATE run SET state = 'running', attempt = attempt + 1, token = $1, lease_until = $2, started_at = $3 WHERE id IN (SELECT id FROM due) \
         RETURNING id, public_id, topic, slot, trigger, attempt, (SELECT definition FROM job t WHERE t.id = run.job) AS definition",
        if only.is_some() { " AND q.id = $5" } else { "" },
        ready("$3"),
        super::CLAIM_LOCK
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(token).bind(now.plus(lease).0).bind(now.0).bind(i64::from(limit));
    let query = match only {
        Some(run) => query.bind(run),
        None => query,
    };
    let rows = query.fetch_all(&mut *conn).await?;
    let mut runs = Vec::with_capacity(rows.len());
    for row in &rows {
        let id = row.try_get("id")?;
        let topic = match definitions::topic(&row.try_get::<String, _>("definition")?) {
            Ok(topic) => topic,
            Err(error) => {
                refuse(conn, id, now, &error).await?;
                continue;
            }
        };
        runs.push(RunRef {
            id,
            public_id: row.try_get("public_id")?,
            token: token.to_owned(),
            topic,
            slot: read::time(row, "slot")?,
            trigger: read::word(row, "trigger", Trigger::parse)?,
            attempt: row.try_get("attempt")?,
        });
    }
    runs.sort_by(|a, b| (a.slot, &a.public_id).cmp(&(b.slot, &b.public_id)));
    Ok(runs)
}

/// Fails a claimed run whose definition this version cannot read, so that it does not block others.
pub(in crate::store) async fn refuse(
    conn: &mut Conn,
    id: i64,
    now: Time,
    error: &StoreError,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE run SET state = 'failed', error_class = 'definition', error_text = $1, finished_at = $2, token = NULL, lease_until = NULL WHERE id = $3",
    )
    .bind(&error.text)
    .bind(now.0)
    .bind(id)
    .execute(conn)
    .await?;
    Ok(())
}

/// Checks that the run is held with this token, and locks it until the transaction ends. Every transaction that touches
/// a run and its searches locks the run first.
pub(in crate::store) async fn lock_claimed(conn: &mut Conn, run: &RunClaim) -> Result<(), StoreError> {
    let sql = format!("SELECT id FROM run WHERE id = $1 AND token = $2 AND state = 'running'{}", super::ROW_LOCK);
    let claimed: Option<i64> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(run.id).bind(&run.token).fetch_optional(conn).await?;
    claimed.map(|_| ()).ok_or_else(|| StoreError::fenced(&run.public_id))
}

pub(in crate::store) async fn manual_runs(conn: &mut Conn, topic: &str) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM run WHERE topic = $1 AND slot IS NULL")
        .bind(topic)
        .fetch_one(conn)
        .await?)
}

pub(in crate::store) async fn heartbeat(
    conn: &mut Conn,
    runs: &[RunClaim],
    now: Time,
    lease: Duration,
) -> Result<Vec<String>, StoreError> {
    let mut lost = Vec::new();
    // In one order, like all code that locks several runs.
    let mut runs: Vec<&RunClaim> = runs.iter().collect();
    runs.sort_by_key(|run| run.id);
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

/// A lease that ends later than this, or a queued run that is due later, was written by a clock that was ahead.
const FARTHEST: Duration = Duration::from_secs(86_400);
/// The longest lease that can be configured.
const LONGEST_LEASE: Duration = Duration::from_secs(3_600);

/// Returns whether there is anything to rescue. Checked first, because usually there is nothing.
pub(in crate::store) async fn any_lost(conn: &mut Conn, now: Time) -> Result<bool, StoreError> {
    // Three selections instead of one with OR, so that each uses its index.
    let lost: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM run WHERE state = 'running' AND lease_until < $1 \
         UNION ALL SELECT id FROM run WHERE state = 'running' AND lease_until > $2 \
         UNION ALL SELECT id FROM run WHERE state = 'queued' AND due_at > $2 LIMIT 1",
    )
    .bind(now.0)
    .bind(now.believed_until(FARTHEST).0)
    .fetch_optional(conn)
    .await?;
    Ok(lost.is_some())
}

/// Shortens leases written by a clock that was ahead: a living process renews its own in time.
async fn shorten_leases(conn: &mut Conn, now: Time) -> Result<(), StoreError> {
    sqlx::query("UPDATE run SET lease_until = $1 WHERE state = 'running' AND lease_until > $2")
        .bind(now.plus(LONGEST_LEASE).0)
        .bind(now.believed_until(FARTHEST).0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Makes runs due that were put off by a clock that was ahead: manual ones, and those whose slot has come. A future
/// slot with a long delay after it keeps waiting.
async fn bring_forward(conn: &mut Conn, now: Time) -> Result<(), StoreError> {
    sqlx::query("UPDATE run SET due_at = $1 WHERE state = 'queued' AND due_at > $2 AND (slot IS NULL OR slot <= $1)")
        .bind(now.0)
        .bind(now.believed_until(FARTHEST).0)
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends queued runs of slots planned by a clock that was ahead: until their time, their jobs would run nothing else.
/// Their slots can run when they really come.
async fn end_future(conn: &mut Conn, now: Time) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE run SET state = CASE WHEN attempt = 0 THEN 'missed' ELSE 'failed' END, \
         error_class = CASE WHEN attempt = 0 THEN NULL ELSE 'lease_lost' END, \
         error_text = CASE WHEN attempt = 0 THEN NULL \
                      ELSE 'the process that ran it stopped or hung, attempt ' || attempt || ' of ' || max_attempts END, \
         public_id = public_id || '~' || id, \
         slot = NULL, reason = $3, planned_at = $1, finished_at = $1 WHERE state = 'queued' AND due_at > $2 AND slot > $2",
    )
    .bind(now.0)
    .bind(now.believed_until(FARTHEST).0)
    .bind(RECORDED_AHEAD)
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) async fn rescue(conn: &mut Conn, now: Time) -> Result<u64, StoreError> {
    shorten_leases(conn, now).await?;
    // Lock the runs first, and skip those that are being ended or extended right now.
    let sql = format!(
        "SELECT id FROM run WHERE state = 'running' AND lease_until < $1 ORDER BY id{}",
        super::ROW_LOCK_OR_PASS_OVER
    );
    let lost: Vec<i64> = sqlx::query_scalar(AssertSqlSafe(sql)).bind(now.0).fetch_all(&mut *conn).await?;
    for id in &lost {
        mark_calls_lost(conn, *id, now, "the process ended before the result of the call was stored").await?;
        sqlx::query(concat!(
            "UPDATE run SET \
             state = CASE WHEN again.may = 1 THEN 'queued' ELSE 'failed' END, \
             finished_at = CASE WHEN again.may = 1 THEN NULL ELSE $1 END, \
             error_class = CASE WHEN again.may = 1 THEN NULL ELSE 'lease_lost' END, \
             error_text = CASE WHEN again.may = 1 THEN NULL \
                          ELSE 'the process that ran it stopped or hung, attempt ' || attempt || ' of ' || max_attempts END, \
             cost = (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) FROM search s WHERE s.run = run.id), \
             token = NULL, lease_until = NULL \
             FROM (SELECT r.id AS of, CASE WHEN r.attempt < r.max_attempts AND ",
            wanted!(),
            " THEN 1 ELSE 0 END AS may FROM run r WHERE r.id = $2) AS again WHERE run.id = again.of",
        ))
        .bind(now.0)
        .bind(id)
        .execute(&mut *conn)
        .await?;
    }
    bring_forward(conn, now).await?;
    end_future(conn, now).await?;
    Ok(lost.len() as u64)
}

/// Counts calls that a dead process paid for, or may have, at their expected price. The price counts as assumed, unless
/// the process recorded it as billed.
async fn mark_calls_lost(conn: &mut Conn, run: i64, now: Time, why: &str) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE search SET state = 'lost', finished_at = $1, cost = expected_cost, \
         cost_basis = CASE WHEN expected_cost > 0 THEN coalesce(cost_basis, 'assumed') ELSE 'none' END, error_text = $2 \
         WHERE run = $3 AND state = 'started'",
    )
    .bind(now.0)
    .bind(why)
    .bind(run)
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) async fn release_claim(conn: &mut Conn, run: &RunClaim, now: Time) -> Result<(), StoreError> {
    lock_claimed(conn, run).await?;
    give_back(conn, run, now).await
}

pub(super) async fn give_back(conn: &mut Conn, run: &RunClaim, now: Time) -> Result<(), StoreError> {
    mark_calls_lost(conn, run.id, now, "given up at shutdown").await?;
    // The attempt is returned only if the run never called: search rows are unique by (run, attempt, source), and a run
    // that called and was begun again is found by its attempt.
    sqlx::query(concat!(
        "UPDATE run SET state = CASE WHEN again.may = 1 THEN 'queued' ELSE 'cancelled' END, \
         reason = CASE WHEN again.may = 1 THEN reason ELSE 'interrupted' END, \
         finished_at = CASE WHEN again.may = 1 THEN NULL ELSE $1 END, \
         attempt = attempt - 1 + again.called, max_attempts = max_attempts + again.called, \
         cost = (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) FROM search s WHERE s.run = run.id), \
         token = NULL, lease_until = NULL \
         FROM (SELECT r.id AS of, CASE WHEN ",
        wanted!(),
        " THEN 1 ELSE 0 END AS may, \
         CASE WHEN EXISTS (SELECT 1 FROM search s WHERE s.run = r.id) THEN 1 ELSE 0 END AS called \
         FROM run r WHERE r.id = $2) AS again WHERE run.id = again.of",
    ))
    .bind(now.0)
    .bind(run.id)
    .execute(conn)
    .await?;
    Ok(())
}

/// Like [`release_claim`], for a run whose searches may have cost less than expected.
pub(in crate::store) async fn release(
    conn: &mut Conn,
    run: &RunRef,
    now: Time,
    costs: &[(Source, Micros, &'static str)],
) -> Result<(), StoreError> {
    let claim = run.claim();
    lock_claimed(conn, &claim).await?;
    super::spent::settle_given_back(conn, run, now, costs).await?;
    give_back(conn, &claim, now).await
}

pub(in crate::store) async fn any_due(conn: &mut Conn, now: Time) -> Result<bool, StoreError> {
    let due: Option<i64> =
        sqlx::query_scalar("SELECT id FROM run WHERE state = 'queued' AND due_at <= $1 AND topic IS NOT NULL LIMIT 1")
            .bind(now.0)
            .fetch_optional(conn)
            .await?;
    Ok(due.is_some())
}

pub(in crate::store) async fn next_due(conn: &mut Conn, after: Time) -> Result<Option<Time>, StoreError> {
    let due: Option<i64> = sqlx::query_scalar("SELECT min(due_at) FROM run WHERE state = 'queued' AND due_at > $1")
        .bind(after.0)
        .fetch_one(conn)
        .await?;
    Ok(due.map(Time))
}

/// Returns whether a run waits for its number. Checked first, because readers check too and usually no run waits.
pub(in crate::store) async fn any_unnumbered(conn: &mut Conn) -> Result<bool, StoreError> {
    let waiting: Option<i64> = sqlx::query_scalar(UNNUMBERED).bind(1_i64).fetch_optional(conn).await?;
    Ok(waiting.is_some())
}

/// Numbers runs that ended without findings (missed, cancelled, lost, jobs other than topics), and runs stored by an
/// older version. A run with findings gets its number together with them: see [`last_number`].
pub(in crate::store) async fn publish(conn: &mut Conn) -> Result<u64, StoreError> {
    // One lock, held until the commit: a process that numbers runs sees all earlier numbers, so no run gets a number
    // below one that a reader has already passed.
    super::lock(conn, 3).await?;
    let mut done = 0;
    loop {
        let waiting: Vec<i64> = sqlx::query_scalar(UNNUMBERED).bind(NUMBERED_AT_ONCE).fetch_all(&mut *conn).await?;
        if waiting.is_empty() {
            return Ok(done);
        }
        let mut seq = followers::last_seq(conn).await?;
        // By id: with statistics from a time with few runs, SQLite would join by scanning, and an outage leaves very
        // many runs.
        let mut update = QueryBuilder::<Database>::new("UPDATE run SET seq = CASE id");
        for id in &waiting {
            seq += 1;
            update.push(" WHEN ").push_bind(*id).push(" THEN CAST(").push_bind(seq).push(" AS BIGINT)");
        }
        update.push(" END WHERE id IN (");
        waiting.iter().fold(&mut update.separated(", "), |ids, id| ids.push_bind(*id)).push_unseparated(")");
        done += update.build().persistent(false).execute(&mut *conn).await?.rows_affected();
    }
}

/// Runs that wait for their numbers, in the order of the numbers.
const UNNUMBERED: &str =
    "SELECT id FROM run WHERE seq IS NULL AND finished_at IS NOT NULL ORDER BY finished_at, public_id LIMIT $1";
/// How many runs get their numbers in one statement.
const NUMBERED_AT_ONCE: i64 = 500;

/// Returns the last number given; no one else can give any until this transaction ends. Numbers waiting runs first, so
/// that numbers follow the order in which runs were stored, whatever their clocks said.
pub(in crate::store) async fn last_number(conn: &mut Conn) -> Result<i64, StoreError> {
    publish(conn).await?;
    followers::last_seq(conn).await
}
