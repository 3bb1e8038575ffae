//! Followers read the runs in `seq` order; only this file moves their cursors. Each follower decides what to do with
//! the runs.

use std::time::Duration;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row, read};
use crate::model::{Follower, SIGN_AHEAD, Span, Time, runs_in_order};
use crate::store::{Cursor, StoreError};

/// The most runs whose order is checked.
const CHECKED: usize = 10_000;

/// How many of the latest runs show the present time.
const LATEST: usize = 200;

/// The most runs to leave out because their clock was ahead.
const AHEAD: usize = 1_000;

/// The longest duration of a run.
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

/// Returns the last number before all runs that began at an instant or later, up to `now`. Runs of a clock that was
/// ahead do not count, even once their time has come.
pub(in crate::store) async fn last_seq_until(conn: &mut Conn, until: Time, now: Time) -> Result<i64, StoreError> {
    let span = Span { from: until, until: Time(now.plus(SIGN_AHEAD).0.saturating_add(1)) };
    // `seq + 0` keeps the database from walking through the whole index on `seq`: few runs are later.
    let sql = format!(
        "SELECT min(r.seq + 0) FROM run r WHERE r.seq IS NOT NULL AND {at} >= $1 AND {at} < $2",
        at = read::RUN_AT
    );
    let first = sqlx::query_scalar::<_, Option<i64>>(AssertSqlSafe(sql)).bind(span.from.0).bind(span.until.0);
    let first = first.fetch_one(&mut *conn).await?;
    match unless_contradicted(conn, None, span, first).await? {
        Some(first) => Ok(first - 1),
        None => last_seq(conn).await,
    }
}

/// Returns the number of the first run of a span, of a topic or of all, unless a run with a higher number began well before the
/// span: then the clock was wrong at one of them, and it is the first whose time agrees with the reading order.
pub(in crate::store) async fn unless_contradicted(
    conn: &mut Conn,
    topic: Option<&str>,
    span: Span,
    first: Option<i64>,
) -> Result<Option<i64>, StoreError> {
    let Some(first) = first else { return Ok(None) };
    let at = read::RUN_AT;
    let mut query = QueryBuilder::<Database>::new("SELECT max(b.seq) FROM (SELECT r.seq FROM run r WHERE ");
    of_topic(&mut query, topic);
    query.push("r.started_at IS NOT NULL AND ").push(at).push(" < ").push_bind(span.from.minus(LONGEST_RUN).0);
    query.push(" ORDER BY ").push(at).push(" DESC, r.public_id DESC LIMIT 200) AS b");
    let before: Option<i64> = query.build_query_scalar().persistent(false).fetch_one(&mut *conn).await?;
    if before.is_none_or(|before| before < first) {
        return Ok(Some(first));
    }
    let mut query = QueryBuilder::<Database>::new("SELECT r.seq, ");
    query.push(at).push(" AS began FROM run r WHERE ");
    of_topic(&mut query, topic);
    query.push("r.seq IS NOT NULL AND r.started_at IS NOT NULL AND ").push(at);
    query.push(" >= ").push_bind(span.from.minus(LONGEST_RUN * 9).0).push(" AND ").push(at);
    query.push(" < ").push_bind(span.until.0).push(format!(" ORDER BY r.seq DESC LIMIT {CHECKED}"));
    let rows = query.build().persistent(false).fetch_all(conn).await?;
    // Otherwise, the first run of the span might be left out, with all its findings.
    if rows.len() == CHECKED {
        return Ok(Some(first));
    }
    let run = |row: &Row| Ok::<_, StoreError>((row.try_get::<i64, _>("seq")?, Time(row.try_get("began")?)));
    let runs = runs_in_order(rows.iter().map(run).collect::<Result<_, _>>()?);
    Ok(runs.into_iter().find(|(_, began)| span.contains(*began)).map(|(seq, _)| seq))
}

/// Returns runs of a clock that was ahead that were over before an instant. Each has its id and its public id. Nearly
/// always there are none. In doubt, a run is not returned: showing an old item as new is better than hiding a new one.
pub(in crate::store) async fn ahead_before(conn: &mut Conn, since: Time) -> Result<Vec<(i64, String)>, StoreError> {
    let mut ahead = still_ahead(&mut *conn, since).await?;
    ahead.extend(once_ahead(conn, since).await?);
    Ok(ahead)
}

/// [`ahead_before`] of runs whose time has not come, to a day: the last run with a believed time began before it.
async fn still_ahead(conn: &mut Conn, since: Time) -> Result<Vec<(i64, String)>, StoreError> {
    let sql =
        format!("SELECT seq, started_at, finished_at FROM run WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT {LATEST}");
    let latest: Vec<(i64, Option<i64>, Option<i64>)> = sqlx::query_as(AssertSqlSafe(sql)).fetch_all(&mut *conn).await?;
    let checked_from = latest.last().map_or(i64::MAX, |(seq, ..)| *seq);
    // An interrupted run may end, and get its number, weeks after it began. It shows nothing about the clock.
    let prompt = latest.into_iter().filter_map(|(seq, started, finished)| {
        let (started, finished) = (Time(started?), Time(finished?));
        (finished <= started.plus(LONGEST_RUN)).then_some((seq, started))
    });
    let believed = runs_in_order(prompt.collect());
    let Some((seq, last)) = believed.last() else { return Ok(Vec::new()) };
    // Few runs are later. But a clock that was ahead may have recorded very many slots as missed; its runs follow them.
    let sql = format!(
        "SELECT w.seq, w.id, w.public_id FROM (SELECT r.seq, r.started_at, r.id, r.public_id FROM run r \
         WHERE {at} > $1 ORDER BY {at} DESC, r.public_id DESC LIMIT {CHECKED}) AS w \
         WHERE w.seq < $2 AND w.started_at IS NOT NULL ORDER BY w.started_at LIMIT {AHEAD}",
        at = read::RUN_AT
    );
    let query = sqlx::query_as(AssertSqlSafe(sql)).bind(last.plus(LONGEST_RUN).0).bind(*seq);
    let ahead: Vec<(i64, i64, String)> = query.fetch_all(&mut *conn).await?;
    if ahead.is_empty() {
        return Ok(Vec::new());
    }
    // A run of a clock that was behind was not over before.
    let is_believed = |number: i64| believed.iter().any(|(seq, _)| *seq == number);
    let before = latest_before(conn, since, LATEST).await?.into_iter().map(|(seq, _)| seq);
    let before = before.filter(|seq| *seq < checked_from || is_believed(*seq)).max();
    let was_over = |run: &(i64, i64, String)| before.is_some_and(|before| run.0 < before);
    Ok(ahead.into_iter().filter(was_over).map(|(_, id, run)| (id, run)).collect())
}

/// [`ahead_before`] of runs whose time may have come. Of such a run, all of this is true: the clock went far forward before
/// it and back after it; a run that was over a day before the instant is later in the reading order; and from there on runs
/// followed each other up to the instant.
///
/// If the clock was right all the time, a run that was over before another began has the lower number, so there are none.
/// After a clock that was behind, the first or the last is missing.
async fn once_ahead(conn: &mut Conn, since: Time) -> Result<Vec<(i64, String)>, StoreError> {
    let bound = since.minus(LONGEST_RUN);
    let before = latest_before(&mut *conn, bound, LATEST).await?;
    let Some(highest) = before.into_iter().map(|(seq, _)| seq).max() else { return Ok(Vec::new()) };
    // The inner limit counts all rows, so that missed slots, which may be very many, are not walked through.
    let sql = format!(
        "SELECT b.seq, b.started_at, b.id, b.public_id FROM (SELECT r.seq, r.started_at, r.id, r.public_id FROM run r \
         WHERE {at} >= $1 ORDER BY {at} LIMIT {CHECKED}) AS b \
         WHERE b.seq < $2 AND b.started_at IS NOT NULL ORDER BY b.started_at LIMIT {AHEAD}",
        at = read::RUN_AT
    );
    let query = sqlx::query_as(AssertSqlSafe(sql)).bind(bound.0).bind(highest);
    let later: Vec<(i64, i64, i64, String)> = query.fetch_all(&mut *conn).await?;
    if later.is_empty() {
        return Ok(Vec::new());
    }
    // Enough to outnumber these if the clock was right ever since.
    let mut runs = latest_before(&mut *conn, bound, 2 * AHEAD).await?;
    let are_all = runs.len() < 2 * AHEAD;
    runs.extend(later.iter().map(|(seq, at, ..)| (*seq, Time(*at))));
    let believed = runs_in_order(runs.clone());
    let Some((last, _)) = believed.iter().rev().find(|(_, at)| *at < bound) else { return Ok(Vec::new()) };
    let after = latest_before(conn, since, LATEST).await?.into_iter().filter(|(seq, _)| seq >= last);
    let Some(end) = after.map(|(_, at)| at).max() else { return Ok(Vec::new()) };
    let was_ahead = |run: &(i64, i64, i64, String)| {
        let (seq, at) = (run.0, Time(run.1));
        let Some((_, next)) = believed.iter().find(|(number, _)| *number > seq) else { return false };
        let back = at.since(*next);
        let forward = match believed.iter().rev().find(|(number, _)| *number < seq) {
            Some((number, previous)) => {
                let first = runs.iter().filter(|(other, _)| other > number).min();
                first.map_or(Duration::ZERO, |(_, first)| first.since(*previous))
            }
            // The clock may have been right from the first run on, and behind since.
            None if are_all => Duration::ZERO,
            None => back,
        };
        at >= since && seq < *last && forward > back / 2 && since.since(end) < back / 4
    };
    Ok(later.into_iter().filter(was_ahead).map(|(_, _, id, run)| (id, run)).collect())
}

/// Returns the latest runs, at most `most`, that began and were over before an instant, by number and time, without
/// interrupted ones. If most slots before it were missed, it returns fewer, rather than walk through them.
async fn latest_before(conn: &mut Conn, until: Time, most: usize) -> Result<Vec<(i64, Time)>, StoreError> {
    let sql = format!(
        "SELECT b.seq, b.started_at FROM (SELECT r.seq, r.started_at, r.finished_at FROM run r WHERE {at} < $1 \
         ORDER BY {at} DESC, r.public_id DESC LIMIT {walked}) AS b \
         WHERE b.seq IS NOT NULL AND b.finished_at < $1 AND b.finished_at <= b.started_at + {prompt} LIMIT {most}",
        at = read::RUN_AT,
        walked = 5 * most,
        prompt = LONGEST_RUN.as_millis()
    );
    let runs: Vec<(i64, i64)> = sqlx::query_as(AssertSqlSafe(sql)).bind(until.0).fetch_all(conn).await?;
    Ok(runs.into_iter().map(|(seq, at)| (seq, Time(at))).collect())
}

/// SQL condition: run `f` is none of these.
pub(in crate::store) fn none_of(runs: &[(i64, String)]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let ids: Vec<String> = runs.iter().map(|(id, _)| id.to_string()).collect();
    format!(" AND f.id NOT IN ({})", ids.join(", "))
}

fn of_topic(query: &mut QueryBuilder<Database>, topic: Option<&str>) {
    if let Some(topic) = topic {
        query.push("r.topic = ").push_bind(topic.to_owned()).push(" AND ");
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

/// Keeps others from moving a follower until the transaction ends, so that none of its counts is stored meanwhile.
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

/// Moves the cursors of alerts, so that checks that have begun cannot store anything.
pub(in crate::store) async fn restart_alerts(conn: &mut Conn) -> Result<(), StoreError> {
    // `;` follows `:` in ASCII.
    sqlx::query("UPDATE follower SET at = at + 1 WHERE name > 'alert:' AND name < 'alert;'").execute(conn).await?;
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
