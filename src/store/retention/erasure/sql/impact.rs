//! Reads what forgetting would remove: items with their authors, addresses and keys, counts of dependent data, all
//! topics, and recent reports. Read-only.

use sqlx::{AssertSqlSafe, Row as _};

use super::resolve::{fetch_json, to_json};
use super::{Conn, read};
use crate::model::Time;
use crate::store::{ERASED, ErasedCounts, NamedItem, ReportFiles, StoreError};

/// Returns items after one, by id, with their authors, addresses and keys.
pub(in crate::store) async fn named_items(
    conn: &mut Conn,
    after: i64,
    most: i64,
) -> Result<Vec<NamedItem>, StoreError> {
    let sql = format!(
        "SELECT {} FROM (SELECT id, author, url FROM item WHERE id > $1 ORDER BY id LIMIT $2) AS i JOIN item_key k ON k.item = i.id",
        super::rows_in_one("i.id, i.author, i.url, k.key")
    );
    let text: String = sqlx::query_scalar(AssertSqlSafe(sql)).bind(after).bind(most).fetch_one(conn).await?;
    let mut rows: Vec<(i64, Option<String>, Option<String>, String)> =
        serde_json::from_str(&text).map_err(|e| StoreError::unreadable(&format!("rows ({e})")))?;
    rows.sort();
    let mut all: Vec<NamedItem> = Vec::new();
    for (id, author, url, key) in rows {
        match all.last_mut().filter(|last| last.id == id) {
            Some(last) => last.keys.push(key),
            None => all.push(NamedItem { id, author, url, keys: vec![key] }),
        }
    }
    Ok(all)
}

/// Returns what erasing these items would remove, and when the first of them was seen.
pub(in crate::store) async fn of_items(
    conn: &mut Conn,
    ids: &[i64],
) -> Result<(ErasedCounts, Option<Time>), StoreError> {
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN item i WHERE i.id = given.value",
        super::rows_in_one(
            "(SELECT count(*) FROM sighting s WHERE s.item = i.id), (SELECT count(*) FROM item_revision v WHERE v.item = i.id), i.first_seen"
        ),
        super::numbers(1)
    );
    let rows = fetch_json::<(u64, u64, i64)>(conn, sql, [to_json(ids)?]).await?;
    let mut taken = ErasedCounts { items: rows.len() as u64, ..ErasedCounts::default() };
    for (sightings, revisions, _) in &rows {
        taken.sightings += sightings;
        taken.revisions += revisions;
    }
    Ok((taken, rows.iter().map(|(_, _, seen)| Time(*seen)).min()))
}

/// Returns what forgetting a topic would remove, and when its first item was seen.
pub(in crate::store) async fn of_topic(
    conn: &mut Conn,
    topic: &str,
) -> Result<(ErasedCounts, Option<Time>), StoreError> {
    let row = sqlx::query(
        "SELECT count(CASE WHEN o.topics = 1 THEN 1 END) AS items, count(CASE WHEN o.topics > 1 THEN 1 END) AS shared, min(o.first_seen) AS since, \
         (SELECT count(*) FROM run r JOIN sighting s ON s.run = r.id WHERE r.topic = $1) AS sightings, \
         (SELECT count(*) FROM topic_item t JOIN item_revision v ON v.item = t.item WHERE t.topic = $1 \
           AND NOT EXISTS (SELECT 1 FROM topic_item x WHERE x.item = t.item AND x.topic <> $1)) AS revisions, \
         (SELECT count(*) FROM run r JOIN answer a ON a.run = r.id WHERE r.topic = $1 AND a.text <> $2) AS answers, \
         (SELECT count(*) FROM run r JOIN search q ON q.run = r.id WHERE r.topic = $1) AS words, \
         (SELECT count(*) FROM run r JOIN search q ON q.run = r.id JOIN raw_reply w ON w.search = q.id WHERE r.topic = $1) AS raw_replies \
         FROM (SELECT t.first_seen, (SELECT count(*) FROM topic_item x WHERE x.item = t.item) AS topics FROM topic_item t WHERE t.topic = $1) AS o",
    )
    .bind(topic)
    .bind(ERASED)
    .fetch_one(conn)
    .await?;
    let number = |name: &str| Ok::<_, StoreError>(u64::try_from(row.try_get::<i64, _>(name)?).unwrap_or(0));
    let taken = ErasedCounts {
        items: number("items")?,
        shared: number("shared")?,
        sightings: number("sightings")?,
        revisions: number("revisions")?,
        raw_replies: number("raw_replies")?,
        answers: number("answers")?,
        words: number("words")?,
        ..ErasedCounts::default()
    };
    Ok((taken, read::time(&row, "since")?))
}

/// Returns the ids of all topics that have runs or a job, each with the creation time of its job if it has one.
pub(in crate::store) async fn topics(conn: &mut Conn) -> Result<Vec<(String, Option<Time>)>, StoreError> {
    let rows = sqlx::query(
        "SELECT r.topic, t.created_at FROM (SELECT DISTINCT topic FROM run WHERE topic IS NOT NULL UNION SELECT id FROM topic) AS r \
         LEFT JOIN topic t ON t.id = r.topic ORDER BY r.topic",
    )
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| Ok((row.try_get("topic")?, read::time(row, "created_at")?))).collect()
}

/// Returns reports and editions made since an instant, the latest first.
pub(in crate::store) async fn reports(conn: &mut Conn, since: Time, most: i64) -> Result<Vec<ReportFiles>, StoreError> {
    let rows = sqlx::query(
        "SELECT run, made_at, files FROM report WHERE made_at >= $1 \
         UNION ALL SELECT run, done_at, files FROM export_edition WHERE done_at >= $1 AND files <> '[]' \
         ORDER BY made_at DESC, run LIMIT $2",
    )
    .bind(since.0)
    .bind(most)
    .fetch_all(conn)
    .await?;
    rows.iter()
        .map(|row| {
            let files: String = row.try_get("files")?;
            let files = serde_json::from_str(&files).unwrap_or_default();
            Ok(ReportFiles { run: row.try_get("run")?, made_at: Time(row.try_get("made_at")?), files })
        })
        .collect()
}
