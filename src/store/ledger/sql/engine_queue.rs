//! Hands queued runs to another engine, in the transaction that planned them or later. The ledger stays authoritative:
//! a run handed over twice runs once, and one that was lost is handed over again.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::Conn;
use super::ledger::ready;
use crate::model::Time;
use crate::store::{JobPlan, StoreError};

/// A run that is still due and queued this long after it was handed over was lost.
const LOST: Duration = Duration::from_secs(60);

pub(in crate::store) async fn plan(
    conn: &mut Conn,
    plans: &[JobPlan],
    now: Time,
    engine: &str,
) -> Result<(u64, u64), StoreError> {
    let planned = super::planning::plan(conn, plans, now).await?;
    hand_over(conn, now, engine).await?;
    Ok(planned)
}

/// Hands over runs that may run and were not handed over in this attempt, or were lost. Returns how many.
pub(in crate::store) async fn hand_over(conn: &mut Conn, now: Time, engine: &str) -> Result<u64, StoreError> {
    let sql = format!(
        "WITH due AS MATERIALIZED (SELECT q.id FROM run q WHERE q.state = 'queued' \
         AND (q.handed_attempt IS NULL OR q.handed_attempt <> q.attempt OR (q.due_at <= $2 AND q.handed_at <= $2)) \
         AND {} ORDER BY q.id{}) \
         UPDATE run SET handed_attempt = attempt, handed_at = $1 WHERE id IN (SELECT id FROM due) RETURNING id, attempt, due_at",
        ready("$1"),
        super::CLAIM_LOCK
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(now.0).bind(now.minus(LOST).0).fetch_all(&mut *conn).await?;
    if rows.is_empty() {
        return Ok(0);
    }
    let column = |name| rows.iter().map(|row| row.try_get::<i64, _>(name)).collect::<Result<Vec<i64>, _>>();
    super::add_jobs(conn, engine, &column("id")?, &column("attempt")?, &column("due_at")?).await?;
    Ok(rows.len() as u64)
}
