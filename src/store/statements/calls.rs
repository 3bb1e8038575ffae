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
    let counted = sqlx::query(
        "INSERT INTO calls (day, made) SELECT $1, 1 WHERE $2 > 0 \
         ON CONFLICT (day) DO UPDATE SET made = calls.made + 1 WHERE calls.made < $2",
    )
    .bind(now.utc_day())
    .bind(i64::from(max_per_day))
    .execute(&mut *conn)
    .await?;
    if counted.rows_affected() == 0 {
        return Ok(Permission::OverQuota);
    }
    // The run is held until this commits: one that is being ended at this moment must not get an open search afterwards.
    let sql = format!(
        "INSERT INTO search (run, attempt, source, operation, query, state, tries, started_at, expected_cost) \
         SELECT id, $1, $2, $3, $4, 'started', 1, $5, $6 FROM run WHERE id = $7 AND token = $8 AND state = 'running'{} \
         ON CONFLICT (run, attempt, source) DO UPDATE SET tries = search.tries + 1, expected_cost = search.expected_cost + excluded.expected_cost",
        super::HOLD_LOCK
    );
    let kept = sqlx::query(AssertSqlSafe(sql))
        .bind(run.attempt)
        .bind(call.source.as_str())
        .bind(call.operation)
        .bind(&call.query)
        .bind(now.0)
        .bind(call.price.0)
        .bind(run.id)
        .bind(&run.token)
        .execute(conn)
        .await?;
    if kept.rows_affected() == 0 { Err(StoreError::fenced(&run.public_id)) } else { Ok(Permission::Granted) }
}

pub(in crate::store) async fn made_on(conn: &mut Conn, day: i64) -> Result<i64, StoreError> {
    let made: Option<i64> =
        sqlx::query_scalar("SELECT made FROM calls WHERE day = $1").bind(day).fetch_optional(conn).await?;
    Ok(made.unwrap_or(0))
}
