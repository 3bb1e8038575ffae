//! Earlier versions of items before runs changed them: written with each change, read with the sightings of earlier
//! runs. Without them an edit would change rows of exports that were already written. `reading/item_history` interprets
//! them.

use sqlx::{AssertSqlSafe, QueryBuilder};

use super::loaded_item::{Content, LoadedItem};
use super::resolve::to_json;
use super::{Conn, Database};
use crate::store::StoreError;

/// Rows per statement.
const BATCH: usize = 500;

/// The most changes kept per item, the latest ones: some pages change at every visit.
const MOST: i64 = 1_000;

/// SQL for all earlier versions of an item `i` as one text of cells, the oldest first; NULL for the many items without
/// any.
pub(in crate::store) fn versions_sql() -> String {
    let texts = ["url", "author", "author_name", "title", "text", "lang"];
    let texts: Vec<String> =
        texts.iter().map(|column| format!("{}, ',', p.{column}", super::octets(&format!("p.{column}")))).collect();
    format!(
        "CASE WHEN i.past > 0 THEN (SELECT string_agg(concat(q.seq, ',', {}, p.published_at, ','), '' ORDER BY p.id) \
         FROM item_past p CROSS JOIN run q WHERE p.item = i.id AND q.id = p.run) END",
        texts.join(", ")
    )
}

/// Stores the earlier versions of items that this transaction changed.
pub(in crate::store) async fn insert_versions(conn: &mut Conn, items: &[LoadedItem]) -> Result<(), StoreError> {
    let changed: Vec<(i64, i64, &Content)> = items
        .iter()
        .filter_map(|item| item.id.map(|id| (id, &item.past)))
        .flat_map(|(id, history)| history.iter().map(move |(run, before)| (id, *run, before)))
        .collect();
    for chunk in changed.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO item_past (item, run, url, author, author_name, title, text, lang, published_at) ",
        );
        insert.push_values(chunk, |mut row, (id, run, before)| {
            row.push_bind(*id).push_bind(*run).push_bind(&before.url).push_bind(&before.author);
            row.push_bind(&before.author_name).push_bind(&before.title).push_bind(&before.text);
            row.push_bind(&before.lang).push_bind(before.published_at.map(|at| at.0));
        });
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    if changed.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = changed.iter().map(|(id, ..)| *id).collect();
    let sql = format!(
        "DELETE FROM item_past WHERE item IN (SELECT i.id FROM {} CROSS JOIN item i WHERE i.id = given.value AND i.past > $2) \
         AND id <= (SELECT o.id FROM item_past o WHERE o.item = item_past.item ORDER BY o.id DESC LIMIT 1 OFFSET $2)",
        super::numbers(1)
    );
    sqlx::query(AssertSqlSafe(sql)).bind(to_json(&ids)?).bind(MOST).execute(conn).await?;
    Ok(())
}

/// Deletes the earlier versions of items that are deleted, or whose words are.
pub(in crate::store) async fn delete(conn: &mut Conn, ids: &str) -> Result<u64, StoreError> {
    let sql = format!("DELETE FROM item_past WHERE item IN (SELECT given.value FROM {})", super::numbers(1));
    Ok(sqlx::query(AssertSqlSafe(sql)).bind(ids).execute(conn).await?.rows_affected())
}
