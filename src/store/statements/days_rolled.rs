//! What topics found on each of their local days, counted beside the loop. Which days there are, the caller says; a count is
//! read first and written afterwards, unless somebody else wrote meanwhile.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::resolve::list;
use super::{Conn, Database};
use crate::model::{Brought, DayCount, Span, Time};
use crate::store::{DueDays, RolledDays, StoreError};

/// When an item counts: a report's day is the same.
const MOMENT: &str = "coalesce(i.published_at, t.first_seen)";

/// Days are held until they are so old.
const KEPT: i64 = 40 * 86_400_000;

pub(in crate::store) async fn progress(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM topic_day_progress").fetch_one(conn).await?)
}

/// Runs after a number that brought something, in their order: of each its topic and when it looked.
pub(in crate::store) async fn brought(conn: &mut Conn, after: i64, limit: i64) -> Result<Vec<Brought>, StoreError> {
    let rows = sqlx::query(
        "SELECT seq, topic, started_at FROM run WHERE seq IS NOT NULL AND new > 0 AND seq > $1 ORDER BY seq LIMIT $2",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Brought {
                seq: row.try_get("seq")?,
                topic: row.try_get::<Option<String>, _>("topic")?.unwrap_or_default(),
                at: Time(row.try_get::<Option<i64>, _>("started_at")?.unwrap_or(0)),
            })
        })
        .collect()
}

/// Topics whose days are to be counted anew.
pub(in crate::store) async fn due(conn: &mut Conn, limit: i64) -> Result<Vec<DueDays>, StoreError> {
    let rows = sqlx::query("SELECT topic, turn FROM topic_day_due ORDER BY topic LIMIT $1").bind(limit);
    rows.fetch_all(conn)
        .await?
        .iter()
        .map(|row| Ok(DueDays { topic: row.try_get("topic")?, turn: row.try_get("turn")? }))
        .collect()
}

/// When what a topic saw first since an instant counts, each moment once.
pub(in crate::store) async fn moments(
    conn: &mut Conn,
    topic: &str,
    since: Time,
    from: Time,
) -> Result<Vec<Time>, StoreError> {
    let sql = format!(
        "SELECT DISTINCT {MOMENT} AS moment FROM topic_item t JOIN item i ON i.id = t.item \
         WHERE t.topic = $1 AND t.first_seen >= $2 AND {MOMENT} >= $3 LIMIT 20000"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(since.0).bind(from.0).fetch_all(conn).await?;
    rows.iter().map(|row| Ok(Time(row.try_get("moment")?))).collect()
}

/// What a topic found on days. An item is seen on its day or later, or a little before by a clock that is ahead.
pub(in crate::store) async fn count(conn: &mut Conn, topic: &str, days: &[Span]) -> Result<Vec<DayCount>, StoreError> {
    const AHEAD: i64 = 86_400_000;
    let sum = |tone: &str| format!("CAST(coalesce(sum(CASE WHEN i.tone = '{tone}' THEN 1 ELSE 0 END), 0) AS BIGINT)");
    let sql = format!(
        "SELECT count(*) AS items, count(DISTINCT coalesce(i.cluster, i.id)) AS unique_items, \
         {} AS negative, {} AS neutral, {} AS positive \
         FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run \
         WHERE t.topic = $1 AND t.first_seen >= $2 AND f.seq IS NOT NULL AND {MOMENT} >= $3 AND {MOMENT} < $4",
        sum("negative"),
        sum("neutral"),
        sum("positive")
    );
    let mut counted = Vec::with_capacity(days.len());
    for day in days {
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(topic).bind(day.from.0.saturating_sub(AHEAD));
        let row = query.bind(day.from.0).bind(day.until.0).fetch_one(&mut *conn).await?;
        counted.push(DayCount {
            span: *day,
            items: row.try_get("items")?,
            unique: row.try_get("unique_items")?,
            negative: row.try_get("negative")?,
            neutral: row.try_get("neutral")?,
            positive: row.try_get("positive")?,
        });
    }
    Ok(counted)
}

/// Keeps what was counted, from one number to another; false when somebody else was first, and nothing is changed.
pub(in crate::store) async fn keep(
    conn: &mut Conn,
    topics: &[RolledDays],
    from: i64,
    to: i64,
    now: Time,
) -> Result<bool, StoreError> {
    let moved = sqlx::query("UPDATE topic_day_progress SET seq = $1 WHERE seq = $2").bind(to).bind(from);
    if moved.execute(&mut *conn).await?.rows_affected() == 0 {
        return Ok(false);
    }
    for rolled in topics {
        // Days of another zone begin at other instants: whatever lies across a counted day goes with it.
        if rolled.turn.is_some() {
            sqlx::query("DELETE FROM topic_day WHERE topic = $1").bind(&rolled.topic).execute(&mut *conn).await?;
        }
        for day in &rolled.days {
            sqlx::query("DELETE FROM topic_day WHERE topic = $1 AND day_from < $2 AND day_until > $3")
                .bind(&rolled.topic)
                .bind(day.span.until.0)
                .bind(day.span.from.0)
                .execute(&mut *conn)
                .await?;
        }
        let some: Vec<&DayCount> = rolled.days.iter().filter(|day| day.items > 0).collect();
        if !some.is_empty() {
            let mut insert = QueryBuilder::<Database>::new(
                "INSERT INTO topic_day (topic, day_from, day_until, items, unique_items, negative, neutral, positive) ",
            );
            insert.push_values(some, |mut row, day| {
                row.push_bind(&rolled.topic)
                    .push_bind(day.span.from.0)
                    .push_bind(day.span.until.0)
                    .push_bind(day.items);
                row.push_bind(day.unique).push_bind(day.negative).push_bind(day.neutral).push_bind(day.positive);
            });
            insert.build().persistent(false).execute(&mut *conn).await?;
        }
        sqlx::query("DELETE FROM topic_day WHERE topic = $1 AND day_until < $2")
            .bind(&rolled.topic)
            .bind(now.0 - KEPT)
            .execute(&mut *conn)
            .await?;
        if let Some(turn) = rolled.turn {
            sqlx::query("DELETE FROM topic_day_due WHERE topic = $1 AND turn = $2")
                .bind(&rolled.topic)
                .bind(turn)
                .execute(&mut *conn)
                .await?;
        }
    }
    Ok(true)
}

/// The days of topics from an instant on.
pub(in crate::store) async fn read(
    conn: &mut Conn,
    topics: &[String],
    from: Time,
) -> Result<Vec<(String, DayCount)>, StoreError> {
    let sql = format!(
        "SELECT d.topic, d.day_from, d.day_until, d.items, d.unique_items, d.negative, d.neutral, d.positive \
         FROM {} CROSS JOIN topic_day d WHERE d.topic = given.value AND d.day_from >= $2 ORDER BY d.topic, d.day_from",
        super::texts(1)
    );
    let list = serde_json::json!(topics).to_string();
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(list).bind(from.0).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let day = DayCount {
                span: Span { from: Time(row.try_get("day_from")?), until: Time(row.try_get("day_until")?) },
                items: row.try_get("items")?,
                unique: row.try_get("unique_items")?,
                negative: row.try_get("negative")?,
                neutral: row.try_get("neutral")?,
                positive: row.try_get("positive")?,
            };
            Ok((row.try_get("topic")?, day))
        })
        .collect()
}

/// Whether runs are not counted yet.
pub(in crate::store) async fn waits(conn: &mut Conn) -> Result<bool, StoreError> {
    let waits: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM (SELECT topic FROM topic_day_due LIMIT 1) AS due) + \
         (SELECT count(*) FROM (SELECT r.seq FROM run r WHERE r.seq IS NOT NULL AND r.new > 0 \
          AND r.seq > (SELECT coalesce(max(p.seq), 0) FROM topic_day_progress p) LIMIT 1) AS later)",
    )
    .fetch_one(conn)
    .await?;
    Ok(waits > 0)
}

/// Has topics' days counted anew: what they hold changes otherwise than by a run.
pub(super) async fn renew(conn: &mut Conn, topics: &[String]) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO topic_day_due (topic, turn) SELECT DISTINCT given.value, 0 FROM {} WHERE 1 = 1 \
         ON CONFLICT (topic) DO UPDATE SET turn = topic_day_due.turn + 1",
        super::texts(1)
    );
    let list = serde_json::json!(topics).to_string();
    sqlx::query(AssertSqlSafe(sql)).bind(list).execute(conn).await?;
    Ok(())
}

/// The same of whichever topics know items.
pub(super) async fn renew_of(conn: &mut Conn, items: &[i64]) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO topic_day_due (topic, turn) SELECT DISTINCT t.topic, 0 FROM {} CROSS JOIN topic_item t WHERE t.item = given.value \
         ON CONFLICT (topic) DO UPDATE SET turn = topic_day_due.turn + 1",
        super::numbers(1)
    );
    sqlx::query(AssertSqlSafe(sql)).bind(list(items)?).execute(conn).await?;
    Ok(())
}
