//! Stored term counts of topics' local days: kept, read, and deleted with the items they were counted from.
//! `insight::terms` defines the encoding.

use sqlx::{AssertSqlSafe, Row as _};

use super::resolve::{ITEMS_LOCK, to_json};
use super::{Conn, followers};
use crate::model::{Follower, Span, Time};
use crate::store::{StoreError, StoredTerms};

/// The instant at which an item counts; reports use the same.
const MOMENT: &str = "CASE WHEN i.published_at < t.first_seen THEN i.published_at ELSE t.first_seen END";

/// How long days are kept, in milliseconds.
const RETENTION_MS: i64 = 40 * 86_400_000;

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

/// Stores days of a topic. Skips a day that has lost items since it was counted, so that forgotten items do not return.
pub(in crate::store) async fn store_terms(
    conn: &mut Conn,
    topic: &str,
    days: &[StoredTerms],
    now: Time,
) -> Result<(), StoreError> {
    super::lock(conn, ITEMS_LOCK).await?;
    let delete = "DELETE FROM topic_term WHERE topic = $1 AND (day_until < $2 OR (day_from < $4 AND day_until > $3))";
    let insert = format!(
        "INSERT INTO topic_term (topic, day_from, day_until, items, basis, counts) SELECT $1, $2, $3, $4, $5, $6 \
         FROM (SELECT count(*) AS many FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run \
         WHERE t.topic = $1 AND f.seq IS NOT NULL AND t.first_seen >= $2 AND {MOMENT} >= $2 AND {MOMENT} < $3) AS there WHERE there.many >= $4"
    );
    for day in days {
        let (from, until) = (day.span.from.0, day.span.until.0);
        let old = sqlx::query(delete).bind(topic).bind(now.0 - RETENTION_MS).bind(from).bind(until);
        old.execute(&mut *conn).await?;
        let kept = sqlx::query(AssertSqlSafe(insert.clone())).bind(topic).bind(from).bind(until).bind(day.items);
        kept.bind(&day.basis).bind(&day.counts).execute(&mut *conn).await?;
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
