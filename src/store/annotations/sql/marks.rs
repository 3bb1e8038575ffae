//! Marks of items: set, remove, read, and merge when two items turn out to be the same.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row as _};

use super::resolve::{ITEMS_LOCK, to_json};
use super::{Conn, read};
use crate::model::{Mark, MarkChange, MarkRow, MarkedVia, NewMark, Time};
use crate::store::StoreError;

/// An unknown key is cut to this many characters in the error.
const MAX_KEY_CHARS: usize = 80;

pub(in crate::store) async fn mark(
    conn: &mut Conn,
    topic: &str,
    keys: &[String],
    NewMark { mark, through, suggested }: NewMark,
    now: Time,
) -> Result<Vec<MarkChange>, StoreError> {
    // Items must not be merged or forgotten meanwhile.
    super::lock(conn, ITEMS_LOCK).await?;
    let sql = format!(
        "SELECT k.key AS asked, i.id, i.key, m.mark FROM {} CROSS JOIN item_key k JOIN item i ON i.id = k.item \
         JOIN topic_item t ON t.item = i.id AND t.topic = $2 JOIN run f ON f.id = t.first_run AND f.seq IS NOT NULL \
         LEFT JOIN item_mark m ON m.item = i.id AND m.topic = t.topic WHERE k.key = given.value",
        super::texts(1)
    );
    let keys_json = serde_json::json!(keys).to_string();
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(keys_json).bind(topic).fetch_all(&mut *conn).await?;
    let (mut known, mut items) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        known.push(row.try_get::<String, _>("asked")?);
        let before = row.try_get::<Option<String>, _>("mark")?.as_deref().and_then(Mark::parse);
        items.insert(row.try_get::<String, _>("key")?, (row.try_get::<i64, _>("id")?, before));
    }
    if let Some(unknown) = keys.iter().find(|key| !known.contains(key)) {
        let cut: String = unknown.chars().take(MAX_KEY_CHARS).collect();
        return Err(StoreError::refused(
            format!("topic `{topic}` has no item `{cut}`; nothing was marked"),
            format!("for keys, run: topicwatch items --topic {topic} --json"),
        ));
    }
    let ids: Vec<i64> = items.values().map(|(id, _)| *id).collect();
    let ids = to_json(&ids)?;
    if let Some(mark) = mark {
        // `WHERE true`, because SQLite would otherwise read ON CONFLICT as the ON of a join. An item that was suggested
        // stays suggested if its mark is corrected elsewhere: it was still chosen by its words.
        let sql = format!(
            "INSERT INTO item_mark (topic, item, mark, at, through, suggested) SELECT $2, given.value, $3, $4, $5, $6 FROM {} WHERE true \
             ON CONFLICT (topic, item) DO UPDATE SET mark = excluded.mark, at = excluded.at, through = excluded.through, \
             suggested = item_mark.suggested | excluded.suggested",
            super::numbers(1)
        );
        let insert = sqlx::query(AssertSqlSafe(sql)).bind(ids).bind(topic).bind(mark.as_str()).bind(now.0);
        insert.bind(through.as_str()).bind(i64::from(suggested)).execute(conn).await?;
    } else {
        let given = super::numbers(1);
        let sql = format!("DELETE FROM item_mark WHERE topic = $2 AND item IN (SELECT given.value FROM {given})");
        sqlx::query(AssertSqlSafe(sql)).bind(ids).bind(topic).execute(conn).await?;
    }
    Ok(items.into_iter().map(|(key, (_, before))| MarkChange { key, mark, before }).collect())
}

pub(in crate::store) async fn counts(conn: &mut Conn) -> Result<Vec<(String, i64)>, StoreError> {
    Ok(sqlx::query_as("SELECT topic, count(*) FROM item_mark GROUP BY topic ORDER BY topic").fetch_all(conn).await?)
}

pub(in crate::store) async fn keys(
    conn: &mut Conn,
    topic: &str,
    mark: Option<Mark>,
    most: i64,
) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT i.key FROM item_mark m JOIN item i ON i.id = m.item WHERE m.topic = $1 AND m.mark = coalesce($2, m.mark) \
               ORDER BY m.at DESC, i.key LIMIT $3";
    let query = sqlx::query_scalar(sql).bind(topic).bind(mark.map(Mark::as_str));
    Ok(query.bind(most).fetch_all(conn).await?)
}

pub(in crate::store) async fn set(
    conn: &mut Conn,
    topic: &str,
    after: Option<&(Time, String)>,
    limit: i64,
) -> Result<Vec<MarkRow>, StoreError> {
    let sql = "SELECT i.key, m.mark, m.at, m.through, m.suggested FROM item_mark m JOIN item i ON i.id = m.item WHERE m.topic = $1 \
               AND m.at <= $2 AND (m.at < $2 OR i.key > $3) ORDER BY m.at DESC, i.key LIMIT $4";
    let (at, key) = after.map_or((i64::MAX, ""), |(at, key)| (at.0, key.as_str()));
    let rows = sqlx::query(sql).bind(topic).bind(at).bind(key).bind(limit).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(MarkRow {
                key: row.try_get("key")?,
                mark: read::word(row, "mark", Mark::parse)?,
                at: Time(row.try_get("at")?),
                through: read::word(row, "through", MarkedVia::parse)?,
                suggested: row.try_get::<i64, _>("suggested")? != 0,
            })
        })
        .collect()
}

/// Moves the marks of `from` to `into`; of two marks for one topic the later one is kept.
pub(in crate::store) async fn merge_marks(conn: &mut Conn, into: i64, from: i64) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO item_mark (topic, item, mark, at, through, suggested) \
         SELECT topic, $1, mark, at, through, suggested FROM item_mark WHERE item = $2 \
         ON CONFLICT (topic, item) DO UPDATE SET mark = excluded.mark, at = excluded.at, through = excluded.through, \
         suggested = excluded.suggested WHERE excluded.at > item_mark.at",
    )
    .bind(into)
    .bind(from)
    .execute(&mut *conn)
    .await?;
    sqlx::query("DELETE FROM item_mark WHERE item = $1").bind(from).execute(conn).await?;
    Ok(())
}
