//! Calls are counted, and their search kept as `started`, before they are made: money that may be spent is on record
//! whatever happens next.

use sqlx::AssertSqlSafe;

use super::Conn;
use crate::model::Time;
use crate::store::{Call, Permission, RunRef, StoreError};

pub(in crate::store) async fn before(
    conn: &mut Conn,
    run: &RunRef,
    call: &Call,
    now: Time,
    max_per_day: u32,
) -> Result<Permission, StoreError> {
    // The run's row is kept until the count is committed: a rescue at this moment would leave a call that nobody counts.
    let sql = format!(
        "INSERT INTO calls (day, made) SELECT $1, 1 FROM run WHERE id = $3 AND token = $4 AND state = 'running' AND $2 > 0{} \
         ON CONFLICT (day) DO UPDATE SET made = calls.made + 1 WHERE calls.made < $2",
        super::ROW_LOCK
    );
    let counted = sqlx::query(AssertSqlSafe(sql))
        .bind(now.utc_day())
        .bind(i64::from(max_per_day))
        .bind(run.id)
        .bind(&run.token)
        .execute(&mut *conn)
        .await?;
    if counted.rows_affected() == 0 {
        super::ledger::hold(conn, run).await?;
        return Ok(Permission::OverQuota);
    }
    sqlx::query(
        "INSERT INTO search (run, attempt, source, operation, query, state, tries, started_at, expected_cost) VALUES ($1, $2, $3, $4, $5, 'started', 1, $6, $7) \
         ON CONFLICT (run, attempt, source) DO UPDATE SET state = 'started', tries = search.tries + 1, expected_cost = search.expected_cost + excluded.expected_cost",
    )
    .bind(run.id)
    .bind(run.attempt)
    .bind(call.source.as_str())
    .bind(call.operation)
    .bind(&call.query)
    .bind(now.0)
    .bind(call.price.0)
    .execute(conn)
    .await?;
    Ok(Permission::Granted)
}

pub(in crate::store) async fn made_on(conn: &mut Conn, day: i64) -> Result<i64, StoreError> {
    let made: Option<i64> =
        sqlx::query_scalar("SELECT made FROM calls WHERE day = $1").bind(day).fetch_optional(conn).await?;
    Ok(made.unwrap_or(0))
}
