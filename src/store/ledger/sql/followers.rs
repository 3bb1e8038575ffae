//! Followers read the runs in `seq` order; only this file moves their cursors. Each follower decides what to do with
//! the runs.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, read};
use crate::model::{Follower, SIGN_AHEAD, Time};
use crate::store::{Cursor, StoreError};

/// The longest that a run may take.
const LONGEST_RUN: Duration = Duration::from_secs(86_400);

/// The names of the followers that derive data, as a list for `IN`.
pub(in crate::store) fn names() -> String {
    Follower::ALL.iter().map(|follower| format!("'{follower}'")).collect::<Vec<_>>().join(", ")
}

pub(in crate::store) async fn cursor(conn: &mut Conn, name: &str) -> Result<Option<Cursor>, StoreError> {
    let row = sqlx::query("SELECT seq, at FROM follower WHERE name = $1").bind(name).fetch_optional(conn).await?;
    row.map(|row| Ok(Cursor { seq: row.try_get("seq")?, at: Time(row.try_get("at")?) })).transpose()
}

pub(in crate::store) async fn last_seq(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM run WHERE seq IS NOT NULL").fetch_one(conn).await?)
}

/// Returns the last number before all runs that began at an instant or later, up to `now`. Runs of a clock that was ahead do
/// not count, also once their time has come: those that began well before the instant have higher numbers.
pub(in crate::store) async fn last_seq_until(conn: &mut Conn, until: Time, now: Time) -> Result<i64, StoreError> {
    let at = read::RUN_AT;
    // `seq + 0` keeps the database from walking through the whole index on `seq`: few runs are later. A run may take long, and
    // missed slots get their numbers long after their time.
    let sql = format!(
        "SELECT min(r.seq + 0) FROM run r WHERE r.seq IS NOT NULL AND {at} >= $1 AND {at} <= $2 AND r.seq + 0 > coalesce( \
           (SELECT max(b.seq) FROM (SELECT CASE WHEN r.started_at IS NULL THEN NULL ELSE r.seq END AS seq FROM run r \
            WHERE {at} < $3 ORDER BY {at} DESC, r.public_id DESC LIMIT 200) AS b), 0)"
    );
    let first = sqlx::query_scalar::<_, Option<i64>>(AssertSqlSafe(sql)).bind(until.0).bind(now.plus(SIGN_AHEAD).0);
    match first.bind(until.minus(LONGEST_RUN).0).fetch_one(&mut *conn).await? {
        Some(first) => Ok(first - 1),
        None => last_seq(conn).await,
    }
}

/// Returns the number of the last run that a follower has read, and whether it has ever caught up with all runs.
pub(in crate::store) async fn progress(conn: &mut Conn, name: &str) -> Result<(i64, bool), StoreError> {
    let row =
        sqlx::query("SELECT seq, caught_up FROM follower WHERE name = $1").bind(name).fetch_optional(conn).await?;
    Ok(match row {
        Some(row) => (row.try_get("seq")?, read::flag(&row, "caught_up")?.unwrap_or(false)),
        None => (0, false),
    })
}

/// Keeps others from moving a follower until the transaction ends, so that no count of it is stored meanwhile.
pub(in crate::store) async fn hold(conn: &mut Conn, follower: Follower) -> Result<(), StoreError> {
    let sql = format!("SELECT seq FROM follower WHERE name = $1{}", super::ROW_LOCK);
    sqlx::query(AssertSqlSafe(sql)).bind(follower.as_str()).fetch_optional(conn).await?;
    Ok(())
}

/// Moves a follower from one number to another. Returns false and changes nothing if another process was first.
pub(in crate::store) async fn advance(
    conn: &mut Conn,
    name: &str,
    from: i64,
    to: i64,
    caught_up: bool,
) -> Result<bool, StoreError> {
    let moved = sqlx::query(
        "UPDATE follower SET seq = $1, caught_up = CASE WHEN $2 = 1 THEN 1 ELSE caught_up END WHERE name = $3 AND seq = $4",
    );
    let moved = moved.bind(to).bind(i64::from(caught_up)).bind(name).bind(from).execute(conn).await?;
    Ok(moved.rows_affected() > 0)
}

/// Moves a cursor from where its follower began, or creates it if there was none. Returns false and changes nothing if
/// another process was first.
pub(in crate::store) async fn advance_cursor(
    conn: &mut Conn,
    name: &str,
    from: Option<Cursor>,
    to: Cursor,
) -> Result<bool, StoreError> {
    let moved = match from {
        None => sqlx::query("INSERT INTO follower (name, seq, at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING"),
        Some(_) => sqlx::query("UPDATE follower SET seq = $2, at = $3 WHERE name = $1 AND seq = $4 AND at = $5"),
    };
    let moved = moved.bind(name).bind(to.seq).bind(to.at.0);
    let moved = match from {
        None => moved,
        Some(from) => moved.bind(from.seq).bind(from.at.0),
    };
    Ok(moved.execute(conn).await?.rows_affected() == 1)
}

/// Moves the cursor of an export forward to a run, never back.
pub(in crate::store) async fn raise_to_run(conn: &mut Conn, name: &str, to: Cursor) -> Result<(), StoreError> {
    let raised = sqlx::query(
        "INSERT INTO follower (name, seq, at) VALUES ($1, $2, $3) \
         ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, at = excluded.at WHERE excluded.seq > follower.seq",
    );
    raised.bind(name).bind(to.seq).bind(to.at.0).execute(conn).await?;
    Ok(())
}

/// Moves the cursor of a report forward to the end of the report that a run made, never back. It goes by number first:
/// after a clock that was ahead, later reports end earlier.
pub(in crate::store) async fn raise_to_report(conn: &mut Conn, run: &str) -> Result<(), StoreError> {
    let raised = sqlx::query(
        "INSERT INTO follower (name, seq, at) SELECT r.name, r.seq, r.span_until FROM report r WHERE r.run = $1 \
         ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, at = excluded.at \
         WHERE excluded.seq > follower.seq OR (excluded.seq = follower.seq AND excluded.at > follower.at)",
    );
    raised.bind(run).execute(conn).await?;
    Ok(())
}

/// Moves a follower back, so that it reads the runs from this one on again.
pub(in crate::store) async fn rewind(conn: &mut Conn, follower: Follower, from: i64) -> Result<(), StoreError> {
    let back = sqlx::query("UPDATE follower SET seq = $1 - 1 WHERE name = $2 AND seq >= $1");
    back.bind(from).bind(follower.as_str()).execute(conn).await?;
    Ok(())
}

/// Returns the cursors that notify people, each with the last run that it has processed, by name.
pub(in crate::store) async fn cursors(conn: &mut Conn) -> Result<Vec<(String, i64)>, StoreError> {
    let sql = format!("SELECT name, seq FROM follower WHERE name NOT IN ({}) ORDER BY name", names());
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}
