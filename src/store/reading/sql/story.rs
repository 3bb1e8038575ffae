//! Reads for a story: near-copies of an item, items that may contain an address, and when topics and sources saw them.
//! Each query uses an index and is bounded. The caller checks whether a text contains an address.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::resolve::to_json;
use super::{Conn, Database, Row, read, tokens};
use crate::model::{
    Kind, LinkSource, STORY_WORDS, Source, SourceSighting, StoryItem, TextQuery, Tie, Time, TopicSighting,
};
use crate::store::StoreError;

/// Characters of a text in which links are looked for.
const MOST_READ: i64 = 8_192;

/// SQL condition: readers may see the item.
fn seen(item: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM topic_item t JOIN run f ON f.id = t.first_run WHERE t.item = {item} AND f.seq IS NOT NULL)"
    )
}

fn linking(row: &Row) -> Result<LinkSource, StoreError> {
    Ok(LinkSource {
        key: row.try_get("key")?,
        kind: read::word(row, "kind", Kind::parse)?,
        url: row.try_get("url")?,
        text: row.try_get("text")?,
        keys: Vec::new(),
    })
}

/// Returns the item that a key names, with all its keys.
pub(in crate::store) async fn link_source(conn: &mut Conn, key: &str) -> Result<Option<LinkSource>, StoreError> {
    let sql = format!(
        "SELECT i.key, i.kind, i.url, substr(i.text, 1, CAST($2 AS INTEGER)) AS text FROM item_key k JOIN item i ON i.id = k.item WHERE k.key = $1 AND {}",
        seen("i.id")
    );
    let row = sqlx::query(AssertSqlSafe(sql)).bind(key).bind(MOST_READ).fetch_optional(&mut *conn).await?;
    let Some(mut item) = row.as_ref().map(linking).transpose()? else { return Ok(None) };
    let keys = "SELECT a.key FROM item_key k JOIN item_key a ON a.item = k.item WHERE k.key = $1 ORDER BY a.key";
    item.keys = sqlx::query_scalar(keys).bind(key).fetch_all(conn).await?;
    Ok(Some(item))
}

/// Returns keys of the item and its near-copies, in order of first sighting.
pub(in crate::store) async fn copies(conn: &mut Conn, key: &str, most: i64) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "WITH head AS (SELECT i.cluster AS id FROM item_key k JOIN item i ON i.id = k.item WHERE k.key = $1) \
         SELECT m.key FROM (SELECT c.id, c.key, c.first_seen FROM item c WHERE c.cluster = (SELECT id FROM head) AND c.cluster <> c.id \
         UNION ALL SELECT c.id, c.key, c.first_seen FROM item c WHERE c.id = (SELECT id FROM head)) AS m \
         WHERE {} ORDER BY m.first_seen, m.id LIMIT $2",
        seen("m.id")
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(key).bind(most).fetch_all(conn).await?)
}

/// Returns posts that contain certain words, in order of arrival.
pub(in crate::store) async fn posts_with_words(
    conn: &mut Conn,
    wanted: &TextQuery,
    most: i64,
) -> Result<Vec<LinkSource>, StoreError> {
    // Find the matching items in the word index once, before reading any of them.
    let mut query = QueryBuilder::<Database>::new("WITH found (id) AS MATERIALIZED ");
    tokens::push_found(&mut query, wanted);
    query
        .push(" SELECT i.key, i.kind, i.url, substr(i.text, 1, CAST(")
        .push_bind(MOST_READ)
        .push(" AS INTEGER)) AS text FROM ");
    query.push("(SELECT id FROM found ORDER BY id LIMIT ").push_bind(most).push(") AS w CROSS JOIN item i ");
    query.push("WHERE i.id = w.id AND i.kind = 'post' AND ").push(seen("i.id")).push(" ORDER BY i.id");
    query.build().persistent(false).fetch_all(conn).await?.iter().map(linking).collect()
}

/// Returns items by key with their ties, in order of first sighting, at most `most`.
pub(in crate::store) async fn items(
    conn: &mut Conn,
    ties: &HashMap<String, Tie>,
    most: usize,
) -> Result<Vec<StoryItem>, StoreError> {
    let mut keys: Vec<&String> = ties.keys().collect();
    keys.sort_unstable();
    let sql = format!(
        "SELECT i.key, i.kind, i.author, substr(i.title, 1, CAST($3 AS INTEGER)) AS title, substr(i.text, 1, CAST($3 AS INTEGER)) AS text, \
         i.url, i.published_at, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views, i.revisions, i.pruned_at, \
         coalesce((SELECT c.key FROM item c WHERE c.id = i.cluster), i.key) AS cluster \
         FROM {} CROSS JOIN item i WHERE i.key = given.value AND {} ORDER BY i.first_seen, i.id LIMIT $2",
        super::texts(1),
        seen("i.id")
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(to_json(&keys)?)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .bind(i64::try_from(STORY_WORDS).unwrap_or(i64::MAX))
        .fetch_all(&mut *conn)
        .await?;
    let mut items: Vec<StoryItem> = Vec::with_capacity(rows.len());
    for row in &rows {
        let key: String = row.try_get("key")?;
        let Some(tie) = ties.get(&key) else { continue };
        items.push(StoryItem {
            tie: *tie,
            kind: read::word(row, "kind", Kind::parse)?,
            author: row.try_get("author")?,
            title: row.try_get("title")?,
            text: row.try_get("text")?,
            url: row.try_get("url")?,
            published_at: read::time(row, "published_at")?,
            engagement: read::engagement(row)?,
            cluster: row.try_get("cluster")?,
            revisions: row.try_get("revisions")?,
            pruned: read::time(row, "pruned_at")?.is_some(),
            topics: Vec::new(),
            sources: Vec::new(),
            key,
        });
    }
    seen_by(conn, &mut items).await?;
    Ok(items)
}

/// Fills in when topics and sources saw the items.
async fn seen_by(conn: &mut Conn, items: &mut [StoryItem]) -> Result<(), StoreError> {
    let places: HashMap<String, usize> = items.iter().enumerate().map(|(at, item)| (item.key.clone(), at)).collect();
    let keys = to_json(&items.iter().map(|item| &item.key).collect::<Vec<_>>())?;
    let topics = format!(
        "SELECT i.key, t.topic, t.first_seen, t.last_seen, t.times_seen, \
         (SELECT count(DISTINCT s.run) FROM sighting s JOIN run r ON r.id = s.run WHERE s.item = i.id AND r.topic = t.topic) AS kept FROM {} CROSS JOIN item i CROSS JOIN topic_item t CROSS JOIN run f \
         WHERE i.key = given.value AND t.item = i.id AND f.id = t.first_run AND f.seq IS NOT NULL ORDER BY i.key, t.topic",
        super::texts(1)
    );
    for row in sqlx::query(AssertSqlSafe(topics)).bind(&keys).fetch_all(&mut *conn).await? {
        if let Some(item) = at(&places, items, &row)? {
            item.topics.push(TopicSighting {
                topic: row.try_get("topic")?,
                first_seen: Time(row.try_get("first_seen")?),
                last_seen: Time(row.try_get("last_seen")?),
                times_seen: row.try_get("times_seen")?,
                kept: row.try_get("kept")?,
            });
        }
    }
    let sources = format!(
        "SELECT i.key, r.topic, s.source, min(r.started_at) AS first_seen, count(*) AS runs \
         FROM {} CROSS JOIN item i CROSS JOIN sighting s CROSS JOIN run r \
         WHERE i.key = given.value AND s.item = i.id AND r.id = s.run AND r.seq IS NOT NULL AND r.topic IS NOT NULL AND r.started_at IS NOT NULL \
         GROUP BY i.key, r.topic, s.source ORDER BY i.key, r.topic, s.source",
        super::texts(1)
    );
    for row in sqlx::query(AssertSqlSafe(sources)).bind(&keys).fetch_all(&mut *conn).await? {
        if let Some(item) = at(&places, items, &row)? {
            item.sources.push(SourceSighting {
                topic: row.try_get("topic")?,
                source: read::word(&row, "source", Source::parse)?,
                first_seen: Time(row.try_get("first_seen")?),
                runs: row.try_get("runs")?,
            });
        }
    }
    Ok(())
}

fn at<'i>(
    places: &HashMap<String, usize>,
    items: &'i mut [StoryItem],
    row: &Row,
) -> Result<Option<&'i mut StoryItem>, StoreError> {
    let place = places.get(&row.try_get::<String, _>("key")?);
    Ok(place.and_then(|place| items.get_mut(*place)))
}

/// Returns whether there are items not compared with others yet.
pub(in crate::store) async fn uncompared(conn: &mut Conn) -> Result<bool, StoreError> {
    let first = "SELECT seq FROM run WHERE seq IS NOT NULL AND new > 0 AND seq > (SELECT seq FROM follower WHERE name = 'near-copies') ORDER BY seq LIMIT 1";
    Ok(sqlx::query(first).fetch_optional(conn).await?.is_some())
}

/// The same for the items of one topic.
pub(in crate::store) async fn uncompared_of(conn: &mut Conn, topic: &str) -> Result<bool, StoreError> {
    let first = "SELECT seq FROM run WHERE topic = $1 AND seq IS NOT NULL AND new > 0 AND seq > (SELECT seq FROM follower WHERE name = 'near-copies') ORDER BY seq LIMIT 1";
    Ok(sqlx::query(first).bind(topic).fetch_optional(conn).await?.is_some())
}
