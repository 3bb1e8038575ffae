//! Stored term counts of topics' local days: kept, read, and deleted with the items they were counted from.
//! `insight::terms` defines the encoding.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::day_counts::{MOMENT, RETENTION_MS, ROWS};
use super::resolve::{ITEMS_LOCK, to_json};
use super::{Conn, Database, followers};
use crate::model::{Follower, Span, Time};
use crate::store::{StoreError, StoredTerms};

pub(in crate::store) async fn progress(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(followers::progress(conn, Follower::Terms.as_str()).await?.0)
}

/// Records up to which run days were counted; changes nothing if another process is further.
pub(in crate::store) async fn advance(conn: &mut Conn, from: i64, to: i64) -> Result<bool, StoreError> {
    followers::advance(conn, Follower::Terms.as_str(), from, to, true).await
}

/// Returns the `basis` of each of the topics' days since an instant.
pub(in crate::store) async fn bases(
    conn: &mut Conn,
    topics: &[String],
    from: Time,
) -> Result<Vec<(String, Span, Vec<u8>)>, StoreError> {
    let sql = format!(
        "SELECT d.topic, d.day_from, d.day_until, d.basis FROM {} CROSS JOIN topic_term d \
         WHERE d.topic = given.value AND d.day_from >= $2 ORDER BY d.topic, d.day_from",
        super::texts(1)
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(topics).to_string()).bind(from.0);
    let rows = rows.fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("topic")?, span(row)?, row.try_get("basis")?))).collect()
}

fn span(row: &super::Row) -> Result<Span, StoreError> {
    Ok(Span { from: Time(row.try_get("day_from")?), until: Time(row.try_get("day_until")?) })
}

/// Returns a topic's days within a span, by time.
pub(in crate::store) async fn read(conn: &mut Conn, topic: &str, inside: Span) -> Result<Vec<StoredTerms>, StoreError> {
    let rows = sqlx::query(
        "SELECT day_from, day_until, items, basis, counts FROM topic_term \
         WHERE topic = $1 AND day_from >= $2 AND day_until <= $3 ORDER BY day_from",
    );
    let rows = rows.bind(topic).bind(inside.from.0).bind(inside.until.0).fetch_all(conn).await?;
    rows.iter().map(stored_terms).collect()
}

/// Returns days that ended by an instant, of the topics next to this one by id: a sample of how people write elsewhere.
pub(in crate::store) async fn of_other_topics(
    conn: &mut Conn,
    topic: &str,
    until: Time,
    most: i64,
) -> Result<Vec<StoredTerms>, StoreError> {
    let mut all = Vec::new();
    for (beyond, order) in [(">", ""), ("<", "DESC")] {
        let sql = format!(
            "SELECT day_from, day_until, items, basis, counts FROM topic_term \
             WHERE topic {beyond} $1 AND day_until <= $2 AND items > 0 ORDER BY topic {order}, day_from {order} LIMIT $3"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(until.0).bind(most).fetch_all(&mut *conn).await?;
        for row in &rows {
            all.push(stored_terms(row)?);
        }
    }
    Ok(all)
}

fn stored_terms(row: &super::Row) -> Result<StoredTerms, StoreError> {
    Ok(StoredTerms {
        span: span(row)?,
        items: row.try_get("items")?,
        basis: row.try_get("basis")?,
        counts: row.try_get("counts")?,
    })
}

/// Stores days of topics. Skips a day that has lost items since it was counted, so that forgotten items do not return.
/// Also skips days of a topic without items, because it was renamed or forgotten.
pub(in crate::store) async fn store_terms(
    conn: &mut Conn,
    days: &[(String, StoredTerms)],
    now: Time,
) -> Result<(), StoreError> {
    super::lock(conn, ITEMS_LOCK).await?;
    let topics: BTreeSet<&str> = days.iter().map(|(topic, _)| topic.as_str()).collect();
    let old = format!(
        "DELETE FROM topic_term WHERE topic IN (SELECT given.value FROM {}) AND day_until < $2",
        super::texts(1)
    );
    sqlx::query(AssertSqlSafe(old)).bind(to_json(&topics)?).bind(now.0 - RETENTION_MS).execute(&mut *conn).await?;
    for some in days.chunks(ROWS) {
        let mut delete = QueryBuilder::<Database>::new(
            "DELETE FROM topic_term WHERE (topic, day_from) IN (SELECT d.topic, d.day_from FROM (",
        );
        delete.push_values(some, |mut row, (topic, day)| {
            row.push_bind(topic).push_bind(day.span.from.0).push_bind(day.span.until.0);
        });
        // Every stored day that overlaps a counted one.
        delete.push(") AS v CROSS JOIN topic_term d WHERE d.topic = v.column1 AND d.day_from < v.column3 AND d.day_until > v.column2)");
        delete.build().persistent(false).execute(&mut *conn).await?;
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO topic_term (topic, day_from, day_until, items, basis, counts) \
             SELECT v.column1, v.column2, v.column3, v.column4, v.column5, v.column6 FROM (",
        );
        insert.push_values(some, |mut row, (topic, day)| {
            row.push_bind(topic).push_bind(day.span.from.0).push_bind(day.span.until.0).push_bind(day.items);
            row.push_bind(&day.basis).push_bind(&day.counts);
        });
        insert.push(format!(
            ") AS v WHERE EXISTS (SELECT 1 FROM topic_item o WHERE o.topic = v.column1) \
             AND (v.column4 <= 0 OR v.column4 <= (SELECT count(*) FROM topic_item t JOIN item i ON i.id = t.item \
             JOIN run f ON f.id = t.first_run WHERE t.topic = v.column1 AND f.seq IS NOT NULL \
             AND t.first_seen >= v.column2 AND {MOMENT} >= v.column2 AND {MOMENT} < v.column3))"
        ));
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Deletes the days on which these items count.
pub(in crate::store) async fn forget(conn: &mut Conn, items: &[i64]) -> Result<(), StoreError> {
    let sql = format!(
        "DELETE FROM topic_term WHERE (topic, day_from) IN (SELECT d.topic, d.day_from FROM {} \
         CROSS JOIN topic_item t CROSS JOIN item i CROSS JOIN topic_term d WHERE t.item = given.value AND i.id = t.item \
         AND d.topic = t.topic AND d.day_from <= {MOMENT} AND d.day_until > {MOMENT})",
        super::numbers(1)
    );
    sqlx::query(AssertSqlSafe(sql)).bind(to_json(items)?).execute(conn).await?;
    Ok(())
}
