//! Everything about one item, for its page: topics that know it, sightings, earlier words, near-copies.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::resolve::to_json;
use super::topic_lists::{WordCheck, push_matching, push_since};
use super::{Conn, Database, Row, read};
use crate::model::{CopyRow, ItemSightingRow, RevisionRow, Source, Time, WindowFit};
use crate::store::{Filter, ItemOrder, ItemRow, StoreError};

/// SQL for the item that a key names.
const BY_KEY: &str = "(SELECT k.item FROM item_key k WHERE k.key = $1)";

/// SQL condition: the index of addresses holds item `i`. It is written as in the index. All other items are found by
/// the keys of their addresses.
const HAS_INDEXED_ADDRESS: &str = "NOT (substr(i.key, 1, 5) = 'page:' AND replace(i.key, '#', '') = i.key) \
     AND i.url <> 'https://x.com/' || coalesce(i.author, '') || '/status/' || coalesce(i.post_id, '')";

/// Returns one row for each topic that knows the item.
pub(in crate::store) async fn rows_of_key(conn: &mut Conn, key: &str) -> Result<Vec<ItemRow>, StoreError> {
    let sql = format!("{} WHERE i.id = {BY_KEY} AND f.seq IS NOT NULL ORDER BY t.topic LIMIT 100", read::ITEM);
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(key).fetch_all(conn).await?;
    rows.iter().map(read::item).collect()
}

/// Returns the first of these keys that names an item, else the key of the first item with one of these addresses; of
/// these topics, if given.
pub(in crate::store) async fn key_at_address(
    conn: &mut Conn,
    keys: &[String],
    addresses: &[String],
    topics: Option<&[String]>,
) -> Result<Option<String>, StoreError> {
    let topics = listed(topics);
    let of_topics = |item: &str| {
        let condition = topic_condition("t.topic");
        format!("EXISTS (SELECT 1 FROM topic_item t WHERE t.item = {item} AND {condition})")
    };
    let named = format!(
        "SELECT k.key FROM {} CROSS JOIN item_key k WHERE k.key = given.value AND {}",
        super::texts(1),
        of_topics("k.item")
    );
    let named = sqlx::query_scalar(AssertSqlSafe(named)).bind(to_json(keys)?).bind(&topics);
    let named: Vec<String> = named.fetch_all(&mut *conn).await?;
    if let Some(key) = keys.iter().find(|key| named.contains(key)) {
        return Ok(Some(key.clone()));
    }
    // Chosen before they are sorted: PostgreSQL would rather read all items in order of id.
    let at = format!(
        "WITH found AS MATERIALIZED (SELECT i.id AS id, i.key AS key FROM {} CROSS JOIN item i \
         WHERE i.url = given.value AND {HAS_INDEXED_ADDRESS}) \
         SELECT key FROM found WHERE {} ORDER BY id LIMIT 1",
        super::texts(1),
        of_topics("found.id")
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(at)).bind(to_json(addresses)?).bind(&topics).fetch_optional(conn).await?)
}

/// SQL condition: a column holds one of the topics listed in `$2`; an empty list means all.
fn topic_condition(column: &str) -> String {
    format!("($2 = '[]' OR {column} IN (SELECT given.value FROM {}))", super::texts(2))
}

/// Encodes topics for binding. No topic has an empty id, so `Some([])` becomes a list that matches nothing.
fn listed(topics: Option<&[String]>) -> String {
    match topics {
        None => "[]".to_owned(),
        Some([]) => "[\"\"]".to_owned(),
        Some(topics) => serde_json::json!(topics).to_string(),
    }
}

/// Returns its sightings, the latest first.
pub(in crate::store) async fn seen(
    conn: &mut Conn,
    key: &str,
    topics: Option<&[String]>,
    limit: i64,
) -> Result<Vec<ItemSightingRow>, StoreError> {
    let sql = format!(
        "SELECT r.public_id, r.topic, r.started_at, s.source, s.rank, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views \
         FROM sighting s JOIN run r ON r.id = s.run WHERE s.item = {BY_KEY} AND r.seq IS NOT NULL AND {} \
         ORDER BY r.started_at DESC, r.seq DESC, s.source LIMIT $3",
        topic_condition("r.topic")
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(key).bind(listed(topics)).bind(limit).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(ItemSightingRow {
                run: row.try_get("public_id")?,
                topic: row.try_get::<Option<String>, _>("topic")?.unwrap_or_default(),
                at: read::time(row, "started_at")?.unwrap_or_default(),
                source: read::word(row, "source", Source::parse)?,
                rank: row.try_get("rank")?,
                fit: read::word(row, "fit", WindowFit::parse)?,
                engagement: read::engagement(row)?,
            })
        })
        .collect()
}

/// Returns its earlier words, the latest first. If topics are given, only words that one of them saw, and that were
/// replaced before it last saw the item.
pub(in crate::store) async fn earlier(
    conn: &mut Conn,
    key: &str,
    topics: Option<&[String]>,
    limit: i64,
) -> Result<Vec<RevisionRow>, StoreError> {
    let sql = format!(
        "SELECT v.replaced_at, v.title, v.text FROM item_revision v JOIN run r ON r.id = v.run \
         WHERE v.item = {BY_KEY} AND r.seq IS NOT NULL AND ($2 = '[]' OR ({})) \
         ORDER BY v.replaced_at DESC, r.seq DESC LIMIT $3",
        read::words_seen(topic_condition)
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(key).bind(listed(topics)).bind(limit).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(RevisionRow {
                until: Time(row.try_get("replaced_at")?),
                title: row.try_get("title")?,
                text: row.try_get("text")?,
            })
        })
        .collect()
}

/// Returns the number of its near-copies that these topics (or any) know, and the first of them in order of key.
pub(in crate::store) async fn copies(
    conn: &mut Conn,
    key: &str,
    topics: Option<&[String]>,
    limit: i64,
) -> Result<(i64, Vec<CopyRow>), StoreError> {
    let of = format!(
        // The index of copies contains all but the first of a cluster.
        "FROM item c WHERE c.id IN (\
         SELECT o.id FROM item o WHERE o.cluster = (SELECT h.cluster FROM item h WHERE h.id = {BY_KEY}) AND o.cluster <> o.id \
         UNION ALL SELECT h.cluster FROM item h WHERE h.id = {BY_KEY}) AND c.id <> {BY_KEY} \
         AND EXISTS (SELECT 1 FROM topic_item t JOIN run f ON f.id = t.first_run WHERE t.item = c.id AND f.seq IS NOT NULL AND {})",
        topic_condition("t.topic")
    );
    let topics = listed(topics);
    let count = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) {of}")));
    let many: i64 = count.bind(key).bind(&topics).fetch_one(&mut *conn).await?;
    if many == 0 {
        return Ok((0, Vec::new()));
    }
    let sql = format!("SELECT c.key, c.author, c.title, c.text, c.published_at, c.lang {of} ORDER BY c.key LIMIT $3");
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(key).bind(&topics).bind(limit).fetch_all(conn).await?;
    Ok((many, rows.iter().map(copy).collect::<Result<_, StoreError>>()?))
}

/// The same for a list that shows one item of each cluster: only near-copies in the filter's one topic that match it.
pub(in crate::store) async fn copies_in_list(
    conn: &mut Conn,
    filter: &Filter,
    key: &str,
    hidden: Option<&str>,
    limit: i64,
) -> Result<(i64, Vec<CopyRow>), StoreError> {
    let push = |query: &mut QueryBuilder<Database>| {
        query.push(" FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run WHERE i.id IN (");
        query.push("SELECT o.id FROM item o WHERE o.cluster = (SELECT h.cluster FROM item h WHERE h.key = ");
        query.push_bind(key.to_owned()).push(") AND o.cluster <> o.id ");
        query.push("UNION ALL SELECT h.cluster FROM item h WHERE h.key = ").push_bind(key.to_owned());
        query.push(") AND i.key NOT IN (").push_bind(key.to_owned()).push(", ");
        query.push_bind(hidden.unwrap_or(key).to_owned()).push(") AND t.topic = ");
        query.push_bind(filter.topics.first().cloned().unwrap_or_default()).push(" AND f.seq IS NOT NULL");
        push_since(query, filter);
        push_matching(query, filter, ItemOrder::New, WordCheck::Each);
    };
    let mut count = QueryBuilder::<Database>::new("SELECT count(*)");
    push(&mut count);
    let many: i64 = count.build_query_scalar().persistent(false).fetch_one(&mut *conn).await?;
    if many == 0 {
        return Ok((0, Vec::new()));
    }
    let mut first = QueryBuilder::<Database>::new("SELECT i.key, i.author, i.title, i.text, i.published_at, i.lang");
    push(&mut first);
    first.push(" ORDER BY i.key LIMIT ").push_bind(limit);
    let rows = first.build().persistent(false).fetch_all(conn).await?;
    Ok((many, rows.iter().map(copy).collect::<Result<_, StoreError>>()?))
}

fn copy(row: &Row) -> Result<CopyRow, StoreError> {
    Ok(CopyRow {
        key: row.try_get("key")?,
        author: row.try_get("author")?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        published_at: read::time(row, "published_at")?,
        lang: row.try_get("lang")?,
    })
}
