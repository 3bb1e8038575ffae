//! Counts of topics per local day, made in the background. The caller knows the days. Counts are read first and stored
//! later, unless another process stored some meanwhile. One statement handles many topics.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::resolve::to_json;
use super::{Conn, Database, Row, followers};
use crate::model::{DayCount, Follower, RunWithNewItems, Span, Time};
use crate::store::{DayCounts, DueDays, StoreError};

/// The instant at which an item counts; reports use the same.
pub(super) const MOMENT: &str = "CASE WHEN i.published_at < t.first_seen THEN i.published_at ELSE t.first_seen END";

/// How long days are kept, in milliseconds.
pub(super) const RETENTION_MS: i64 = 40 * 86_400_000;

/// How many of a topic's last days are kept however old they are: a clock may be ahead, and nothing counts them again.
const KEPT: i64 = 42;

/// Rows per statement.
pub(super) const ROWS: usize = 300;

pub(in crate::store) async fn progress(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(followers::progress(conn, Follower::Days.as_str()).await?.0)
}

/// Returns runs after a number that found something new, in order: topic and start time.
pub(in crate::store) async fn runs_with_new_items(
    conn: &mut Conn,
    after: i64,
    limit: i64,
) -> Result<Vec<RunWithNewItems>, StoreError> {
    let rows = sqlx::query(
        "SELECT seq, topic, started_at FROM run WHERE seq IS NOT NULL AND new > 0 AND seq > $1 ORDER BY seq LIMIT $2",
    )
    .bind(after)
    .bind(limit)
    .fetch_all(conn)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(RunWithNewItems {
                seq: row.try_get("seq")?,
                topic: row.try_get::<Option<String>, _>("topic")?.unwrap_or_default(),
                at: Time(row.try_get::<Option<i64>, _>("started_at")?.unwrap_or(0)),
            })
        })
        .collect()
}

/// Returns topics whose days must all be counted again.
pub(in crate::store) async fn due(conn: &mut Conn, limit: i64) -> Result<Vec<DueDays>, StoreError> {
    let rows = sqlx::query("SELECT topic, turn FROM topic_day_due ORDER BY topic LIMIT $1").bind(limit);
    rows.fetch_all(conn)
        .await?
        .iter()
        .map(|row| Ok(DueDays { topic: row.try_get("topic")?, turn: row.try_get("turn")? }))
        .collect()
}

/// Returns the distinct instants at which items count that topics first saw since an instant, from another instant on.
pub(in crate::store) async fn moments(
    conn: &mut Conn,
    topics: &[(String, Time, Time)],
) -> Result<Vec<(String, Time)>, StoreError> {
    let mut moments = Vec::new();
    for some in topics.chunks(ROWS) {
        let mut query = QueryBuilder::<Database>::new("SELECT DISTINCT v.column1 AS topic, ");
        query.push(MOMENT).push(" AS moment FROM (");
        query.push_values(some, |mut row, (topic, since, from)| {
            row.push_bind(topic).push_bind(since.0).push_bind(from.0);
        });
        query.push(") AS v CROSS JOIN topic_item t CROSS JOIN item i WHERE t.topic = v.column1 AND t.first_seen >= v.column2 AND i.id = t.item AND ");
        query.push(MOMENT).push(" >= v.column3");
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            moments.push((row.try_get("topic")?, Time(row.try_get("moment")?)));
        }
    }
    Ok(moments)
}

/// Counts what topics found on days; a day without findings is left out. An item is first seen on its day or later, or
/// a little earlier if the publisher's clock is ahead.
pub(in crate::store) async fn count(
    conn: &mut Conn,
    days: &[(String, Span)],
) -> Result<Vec<(String, DayCount)>, StoreError> {
    const AHEAD: i64 = 86_400_000;
    let sum = |tone: &str| format!("CAST(coalesce(sum(CASE WHEN i.tone = '{tone}' THEN 1 ELSE 0 END), 0) AS BIGINT)");
    let (negative, neutral, positive) = (sum("negative"), sum("neutral"), sum("positive"));
    let mut counted = Vec::new();
    for some in days.chunks(ROWS) {
        let mut query = QueryBuilder::<Database>::new(format!(
            "SELECT v.column1 AS topic, v.column3 AS day_from, v.column4 AS day_until, count(*) AS items, \
             count(DISTINCT coalesce(i.cluster, i.id)) AS unique_items, {negative} AS negative, {neutral} AS neutral, \
             {positive} AS positive, min(i.scorer) AS scorer_from, max(i.scorer) AS scorer_to FROM ("
        ));
        query.push_values(some, |mut row, (topic, day)| {
            row.push_bind(topic)
                .push_bind(day.from.0.saturating_sub(AHEAD))
                .push_bind(day.from.0)
                .push_bind(day.until.0);
        });
        query.push(format!(
            ") AS v CROSS JOIN topic_item t CROSS JOIN item i CROSS JOIN run f WHERE t.topic = v.column1 AND t.first_seen >= v.column2 \
             AND i.id = t.item AND f.id = t.first_run AND f.seq IS NOT NULL AND {MOMENT} >= v.column3 AND {MOMENT} < v.column4 \
             GROUP BY v.column1, v.column3, v.column4"
        ));
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            counted.push(day(&row)?);
        }
    }
    Ok(counted)
}

fn day(row: &Row) -> Result<(String, DayCount), StoreError> {
    let day = DayCount {
        span: Span { from: Time(row.try_get("day_from")?), until: Time(row.try_get("day_until")?) },
        items: row.try_get("items")?,
        unique: row.try_get("unique_items")?,
        negative: row.try_get("negative")?,
        neutral: row.try_get("neutral")?,
        positive: row.try_get("positive")?,
        scorers: scorers_of(row)?,
    };
    Ok((row.try_get("topic")?, day))
}

fn scorers_of(row: &Row) -> Result<Vec<String>, StoreError> {
    let (from, to): (Option<String>, Option<String>) = (row.try_get("scorer_from")?, row.try_get("scorer_to")?);
    let mut scorers: Vec<String> = from.into_iter().chain(to).collect();
    scorers.dedup();
    Ok(scorers)
}

/// Stores counts of the runs from one number to another. Returns false and changes nothing if another process was
/// first, or if a topic was renamed or forgotten since its days were counted: otherwise a new topic with its id would
/// show them.
pub(in crate::store) async fn store_counts(conn: &mut Conn, rolled: &DayCounts, now: Time) -> Result<bool, StoreError> {
    followers::hold(conn, Follower::Days).await?;
    if !have_items(conn, &rolled.days).await?
        || !followers::advance(conn, Follower::Days.as_str(), rolled.from, rolled.to, true).await?
    {
        return Ok(false);
    }
    // Delete all days of topics that were due: in another time zone, days begin at other instants.
    let due: Vec<&str> = rolled.due.iter().map(|due| due.topic.as_str()).collect();
    let all = format!("DELETE FROM topic_day WHERE topic IN (SELECT given.value FROM {})", super::texts(1));
    sqlx::query(AssertSqlSafe(all)).bind(to_json(&due)?).execute(&mut *conn).await?;
    for some in rolled.spans.chunks(ROWS) {
        let mut delete = QueryBuilder::<Database>::new(
            "DELETE FROM topic_day WHERE (topic, day_from) IN (SELECT d.topic, d.day_from FROM (",
        );
        delete.push_values(some, |mut row, (topic, day)| {
            row.push_bind(topic).push_bind(day.from.0).push_bind(day.until.0);
        });
        // Delete every stored day that overlaps a counted one.
        delete.push(") AS v CROSS JOIN topic_day d WHERE d.topic = v.column1 AND d.day_from < v.column3 AND d.day_until > v.column2)");
        delete.build().persistent(false).execute(&mut *conn).await?;
    }
    for some in rolled.days.chunks(ROWS) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO topic_day (topic, day_from, day_until, items, unique_items, negative, neutral, positive, scorer_from, scorer_to) ",
        );
        insert.push_values(some, |mut row, (topic, day)| {
            row.push_bind(topic).push_bind(day.span.from.0).push_bind(day.span.until.0).push_bind(day.items);
            row.push_bind(day.unique).push_bind(day.negative).push_bind(day.neutral).push_bind(day.positive);
            row.push_bind(day.scorers.first()).push_bind(day.scorers.last());
        });
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    let named: BTreeSet<&str> = rolled.spans.iter().map(|(topic, _)| topic.as_str()).chain(due).collect();
    let old = format!(
        "DELETE FROM topic_day WHERE topic IN (SELECT given.value FROM {}) AND day_until < $2 AND {KEPT} <= \
         (SELECT count(*) FROM topic_day d WHERE d.topic = topic_day.topic AND d.day_from > topic_day.day_from)",
        super::texts(1)
    );
    sqlx::query(AssertSqlSafe(old)).bind(to_json(&named)?).bind(now.0 - RETENTION_MS).execute(&mut *conn).await?;
    for some in rolled.due.chunks(ROWS) {
        let mut done = QueryBuilder::<Database>::new("DELETE FROM topic_day_due WHERE (topic, turn) IN (");
        done.push_values(some, |mut row, due| {
            row.push_bind(&due.topic).push_bind(due.turn);
        });
        done.push(")").build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(true)
}

/// Whether the topics of all these days have items.
async fn have_items(conn: &mut Conn, days: &[(String, DayCount)]) -> Result<bool, StoreError> {
    let topics: BTreeSet<&str> = days.iter().map(|(topic, _)| topic.as_str()).collect();
    let sql = format!(
        "SELECT count(*) FROM {} WHERE NOT EXISTS (SELECT 1 FROM topic_item t WHERE t.topic = given.value)",
        super::texts(1)
    );
    let without: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).bind(to_json(&topics)?).fetch_one(conn).await?;
    Ok(without == 0)
}

/// Deletes some of the days that are kept no longer, with the counts of their terms. Counting deletes old days of the
/// topics that it counts. This function also deletes those of topics that are no longer watched, and term counts of
/// topics that find nothing new. Days of a watched topic stay until it is counted: a clock may be ahead, and without a
/// row nothing was found that day. Missing term counts are simply counted again. Returns whether there may be more.
pub(in crate::store) async fn prune(conn: &mut Conn, now: Time) -> Result<bool, StoreError> {
    const MOST: u64 = 1_000;
    let mut more = false;
    let unwatched = " AND NOT EXISTS (SELECT 1 FROM job j WHERE j.topic = d.topic AND j.removed_at IS NULL)";
    for (table, which) in [("topic_day", unwatched), ("topic_term", "")] {
        // Selected by their start, which is in the key. Even the longest day has ended a day and an hour later. Reads
        // all keys: about forty for each topic.
        let sql = format!(
            "DELETE FROM {table} WHERE (topic, day_from) IN (SELECT d.topic, d.day_from FROM {table} d WHERE d.day_from < $1{which} LIMIT {MOST})"
        );
        let begun = now.0 - RETENTION_MS - 25 * 3_600_000;
        more |= sqlx::query(AssertSqlSafe(sql)).bind(begun).execute(&mut *conn).await?.rows_affected() >= MOST;
    }
    Ok(more)
}

/// Returns the counted days of topics from an instant on.
pub(in crate::store) async fn read(
    conn: &mut Conn,
    topics: &[String],
    from: Time,
) -> Result<Vec<(String, DayCount)>, StoreError> {
    let sql = format!(
        "SELECT d.topic, d.day_from, d.day_until, d.items, d.unique_items, d.negative, d.neutral, d.positive, d.scorer_from, d.scorer_to \
         FROM {} CROSS JOIN topic_day d WHERE d.topic = given.value AND d.day_from >= $2 ORDER BY d.topic, d.day_from",
        super::texts(1)
    );
    let list = serde_json::json!(topics).to_string();
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(list).bind(from.0).fetch_all(conn).await?;
    rows.iter().map(day).collect()
}

/// Returns the scorers of the items that a topic first saw at or next after each of these instants, and of its last
/// item. A few index lookups, however many items there are.
pub(in crate::store) async fn scorers(conn: &mut Conn, topic: &str, at: &[Time]) -> Result<Vec<String>, StoreError> {
    let of = "SELECT i.scorer FROM topic_item t CROSS JOIN item i WHERE t.topic = $1 AND i.id = t.item";
    let sql = format!(
        "SELECT DISTINCT one.scorer FROM (SELECT ({of} AND t.first_seen >= given.value ORDER BY t.first_seen LIMIT 1) AS scorer FROM {} \
         UNION ALL SELECT ({of} ORDER BY t.first_seen DESC LIMIT 1) AS scorer) one WHERE one.scorer IS NOT NULL ORDER BY one.scorer",
        super::numbers(2)
    );
    let list = serde_json::json!(at.iter().map(|at| at.0).collect::<Vec<_>>()).to_string();
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(list).fetch_all(conn).await?)
}

/// Returns whether days or runs of these topics are waiting to be counted.
pub(in crate::store) async fn has_pending(conn: &mut Conn, topics: &[String]) -> Result<bool, StoreError> {
    let given = super::texts(1);
    // One index lookup for each topic: with a join, PostgreSQL would read all runs.
    let sql = format!(
        "SELECT (SELECT count(*) FROM (SELECT d.topic FROM {given} CROSS JOIN topic_day_due d WHERE d.topic = given.value LIMIT 1) AS due) + \
         (SELECT count(*) FROM (SELECT given.value FROM {given} WHERE (SELECT r.seq FROM run r WHERE r.topic = given.value AND r.seq IS NOT NULL \
          AND r.new > 0 AND r.seq > (SELECT coalesce(max(p.seq), 0) FROM follower p WHERE p.name = 'days') ORDER BY r.seq LIMIT 1) IS NOT NULL LIMIT 1) AS later)",
    );
    let waits: i64 = sqlx::query_scalar(AssertSqlSafe(sql)).bind(to_json(topics)?).fetch_one(conn).await?;
    Ok(waits > 0)
}

/// Marks topics so that all their days are counted again, after a change other than by a run. Skips topics without
/// items.
pub(in crate::store) async fn mark_due(conn: &mut Conn, topics: &[String]) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO topic_day_due (topic, turn) SELECT DISTINCT given.value, 0 FROM {} \
         WHERE EXISTS (SELECT 1 FROM topic_item t WHERE t.topic = given.value) OR EXISTS (SELECT 1 FROM topic_day d WHERE d.topic = given.value) \
         ON CONFLICT (topic) DO UPDATE SET turn = topic_day_due.turn + 1",
        super::texts(1)
    );
    let list = serde_json::json!(topics).to_string();
    sqlx::query(AssertSqlSafe(sql)).bind(list).execute(conn).await?;
    Ok(())
}

/// Marks the topics of items that were only now compared with others, if runs after this one are already counted: each
/// copy was counted as a text of its own.
pub(in crate::store) async fn recount_if_early(
    conn: &mut Conn,
    compared: i64,
    items: &[i64],
) -> Result<(), StoreError> {
    if progress(conn).await? > compared { mark_due_for_items(conn, items).await } else { Ok(()) }
}

/// Marks all topics that have one of these items, so that all their days are counted again.
pub(in crate::store) async fn mark_due_for_items(conn: &mut Conn, items: &[i64]) -> Result<(), StoreError> {
    let sql = format!(
        "INSERT INTO topic_day_due (topic, turn) SELECT DISTINCT t.topic, 0 FROM {} CROSS JOIN topic_item t WHERE t.item = given.value \
         ON CONFLICT (topic) DO UPDATE SET turn = topic_day_due.turn + 1",
        super::numbers(1)
    );
    sqlx::query(AssertSqlSafe(sql)).bind(to_json(items)?).execute(conn).await?;
    Ok(())
}

/// Marks all topics that have a copy of this item, so that all their days are counted again.
pub(in crate::store) async fn mark_due_for_copies(conn: &mut Conn, first: i64) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO topic_day_due (topic, turn) SELECT DISTINCT t.topic, 0 FROM item i CROSS JOIN topic_item t \
         WHERE i.cluster = $1 AND i.cluster <> i.id AND t.item = i.id \
         ON CONFLICT (topic) DO UPDATE SET turn = topic_day_due.turn + 1",
    )
    .bind(first)
    .execute(conn)
    .await?;
    Ok(())
}
