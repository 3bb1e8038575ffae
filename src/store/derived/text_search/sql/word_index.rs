//! The text index: waiting items, indexing them, and removing them. The tokenizer is passed in; `sqlite.rs` and
//! `postgres.rs` store the tokens in each database.

use sqlx::{AssertSqlSafe, Row as _};

use super::loaded_item::LoadedItem;
use super::resolve::to_json;
use super::{Conn, Row, read, tokens};
use crate::model::{Kind, SearchableItem, Tokenise};
use crate::store::StoreError;

/// Items per statement.
const BATCH: usize = 500;

/// Returns the version of the tokenizing rules in force; `None` before anything was indexed.
pub(in crate::store) async fn version(conn: &mut Conn) -> Result<Option<i64>, StoreError> {
    Ok(sqlx::query_scalar("SELECT max(version) FROM item_words_rules").fetch_one(conn).await?)
}

/// Switches to these rules: empties the index and marks every item to be indexed again. Newer rules stay in force.
pub(in crate::store) async fn renew(conn: &mut Conn, to: i64) -> Result<(), StoreError> {
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    if version(conn).await?.is_some_and(|current| current >= to) {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO item_words_due (item) SELECT i.id FROM item i WHERE i.id > 0 ON CONFLICT (item) DO NOTHING",
    )
    .execute(&mut *conn)
    .await?;
    tokens::empty_index(conn).await?;
    sqlx::query("DELETE FROM item_words_rules").execute(&mut *conn).await?;
    sqlx::query("INSERT INTO item_words_rules (version) VALUES ($1)").bind(to).execute(conn).await?;
    Ok(())
}

/// Returns the number of items that wait to be indexed by these rules. If no rules or only older ones were in force, as
/// in a database that was upgraded or moved, all items wait.
pub(in crate::store) async fn waiting(conn: &mut Conn, rules: i64) -> Result<i64, StoreError> {
    let sql = "SELECT CASE WHEN EXISTS (SELECT 1 FROM item_words_rules WHERE version >= $1) \
               THEN (SELECT count(*) FROM item_words_due) ELSE (SELECT count(*) FROM item WHERE id > 0) END";
    Ok(sqlx::query_scalar(sql).bind(rules).fetch_one(conn).await?)
}

/// Returns how many of these a topic knows.
pub(in crate::store) async fn waiting_of(conn: &mut Conn, topic: &str, rules: i64) -> Result<i64, StoreError> {
    let sql = "SELECT CASE WHEN EXISTS (SELECT 1 FROM item_words_rules WHERE version >= $2) \
               THEN (SELECT count(*) FROM item_words_due d JOIN topic_item t ON t.item = d.item WHERE t.topic = $1) \
               ELSE (SELECT count(*) FROM topic_item t WHERE t.topic = $1) END";
    Ok(sqlx::query_scalar(sql).bind(topic).bind(rules).fetch_one(conn).await?)
}

/// Returns whether any item waits.
pub(in crate::store) async fn any_waiting(conn: &mut Conn) -> Result<bool, StoreError> {
    Ok(sqlx::query("SELECT item FROM item_words_due LIMIT 1").fetch_optional(conn).await?.is_some())
}

/// Marks items of this transaction to be indexed: new ones, and those with changes in more than their engagement.
pub(in crate::store) async fn note_changed(conn: &mut Conn, items: &[LoadedItem]) -> Result<(), StoreError> {
    let changed = items.iter().filter(|item| !item.stored || item.rewritten);
    let mut ids: Vec<i64> = changed.filter_map(|item| item.id).collect();
    ids.sort_unstable();
    queue_items(conn, &ids).await
}

/// Marks items to be indexed (again), after a change of their words elsewhere.
pub(in crate::store) async fn queue_items(conn: &mut Conn, items: &[i64]) -> Result<(), StoreError> {
    if items.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO item_words_due (item) SELECT given.value FROM {} WHERE given.value > 0 ON CONFLICT (item) DO NOTHING",
        super::numbers(1)
    );
    sqlx::query(AssertSqlSafe(sql)).bind(to_json(items)?).execute(conn).await?;
    Ok(())
}

/// Removes items from the index and from those waiting.
pub(in crate::store) async fn remove(conn: &mut Conn, items: &[i64]) -> Result<(), StoreError> {
    if items.is_empty() {
        return Ok(());
    }
    for (table, column) in [("item_words", tokens::ITEM), ("item_words_due", "item")] {
        let sql = format!("DELETE FROM {table} WHERE {column} IN (SELECT given.value FROM {})", super::numbers(1));
        sqlx::query(AssertSqlSafe(sql)).bind(to_json(items)?).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Indexes up to `limit` waiting items by these rules and returns how many. Indexes none if a newer program has put its
/// rules in force: the items wait for that program. The lock keeps items from changing meanwhile.
pub(in crate::store) async fn index(
    conn: &mut Conn,
    rules: i64,
    tokenise: Tokenise,
    limit: i64,
) -> Result<u64, StoreError> {
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    if version(conn).await?.is_some_and(|current| current > rules) {
        return Ok(0);
    }
    let rows = sqlx::query(
        "SELECT d.item, i.kind, i.title, i.text, i.author, i.author_name, i.url \
         FROM (SELECT item FROM item_words_due ORDER BY item LIMIT $1) AS d LEFT JOIN item i ON i.id = d.item",
    )
    .bind(limit)
    .fetch_all(&mut *conn)
    .await?;
    let mut ids = Vec::with_capacity(rows.len());
    let mut indexed = Vec::with_capacity(rows.len());
    for row in &rows {
        let item: i64 = row.try_get("item")?;
        ids.push(item);
        indexed.extend(readable(row)?.map(|item| tokenise(&item)).filter(|t| !t.is_empty()).map(|t| (item, t)));
    }
    remove(conn, &ids).await?;
    indexed.sort_unstable_by_key(|(item, _)| *item);
    for chunk in indexed.chunks(BATCH) {
        tokens::insert(conn, chunk).await?;
    }
    Ok(ids.len() as u64)
}

/// Returns the words of a row; `None` if the item is gone.
fn readable(row: &Row) -> Result<Option<SearchableItem<'_>>, StoreError> {
    if row.try_get::<Option<&str>, _>("kind")?.is_none() {
        return Ok(None);
    }
    Ok(Some(SearchableItem {
        kind: read::word(row, "kind", Kind::parse)?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        author: row.try_get("author")?,
        author_name: row.try_get("author_name")?,
        url: row.try_get("url")?,
    }))
}

/// Removes deleted words from the index on disk, too. Takes long; only for erasure.
pub(in crate::store) async fn rebuild(conn: &mut Conn) -> Result<(), StoreError> {
    tokens::merge_index(conn).await
}
