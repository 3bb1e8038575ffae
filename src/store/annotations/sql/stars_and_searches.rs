//! Statements for stars, notes and saved searches, and merging them when two items turn out to be the same.

use std::collections::BTreeMap;

use sqlx::Row as _;

use super::Conn;
use super::resolve::ITEMS_LOCK;
use crate::model::{MOST_SEARCHES, SavedSearch, Time};
use crate::store::StoreError;

/// Returns the item named by a key, if a topic knows it. Locks items against merging and forgetting for this
/// transaction.
async fn item(conn: &mut Conn, key: &str) -> Result<Option<i64>, StoreError> {
    super::lock(conn, ITEMS_LOCK).await?;
    let sql = "SELECT k.item FROM item_key k WHERE k.key = $1 AND EXISTS \
               (SELECT 1 FROM topic_item t JOIN run f ON f.id = t.first_run WHERE t.item = k.item AND f.seq IS NOT NULL)";
    Ok(sqlx::query_scalar(sql).bind(key).fetch_optional(conn).await?)
}

pub(in crate::store) async fn star(conn: &mut Conn, key: &str, starred: bool, now: Time) -> Result<bool, StoreError> {
    let Some(item) = item(conn, key).await? else { return Ok(false) };
    if starred {
        // An existing star keeps its time.
        sqlx::query("INSERT INTO item_star (item, at) VALUES ($1, $2) ON CONFLICT (item) DO NOTHING")
            .bind(item)
            .bind(now.0)
            .execute(conn)
            .await?;
    } else {
        sqlx::query("DELETE FROM item_star WHERE item = $1").bind(item).execute(conn).await?;
    }
    Ok(true)
}

/// Sets or removes a note; only the note `replaces`, if given, where an empty text means that there is none. Returns the
/// note that is stored then, empty if there is none.
pub(in crate::store) async fn note(
    conn: &mut Conn,
    key: &str,
    note: Option<&str>,
    replaces: Option<&str>,
    now: Time,
) -> Result<Option<String>, StoreError> {
    let Some(item) = item(conn, key).await? else { return Ok(None) };
    let (any, replaces) = (replaces.is_none(), replaces.unwrap_or_default());
    match note {
        Some(note) => {
            let sql = "INSERT INTO item_note (item, note, at) SELECT $1, $2, $3 \
                       WHERE $4 OR coalesce((SELECT n.note FROM item_note n WHERE n.item = $1), '') = $5 \
                       ON CONFLICT (item) DO UPDATE SET note = excluded.note, at = excluded.at \
                       WHERE $4 OR item_note.note = $5";
            let query = sqlx::query(sql).bind(item).bind(note).bind(now.0).bind(any).bind(replaces);
            query.execute(&mut *conn).await?;
        }
        None => {
            let sql = "DELETE FROM item_note WHERE item = $1 AND ($2 OR note = $3)";
            sqlx::query(sql).bind(item).bind(any).bind(replaces).execute(&mut *conn).await?;
        }
    }
    let stored: Option<String> =
        sqlx::query_scalar("SELECT note FROM item_note WHERE item = $1").bind(item).fetch_optional(conn).await?;
    Ok(Some(stored.unwrap_or_default()))
}

pub(in crate::store) async fn save(conn: &mut Conn, search: &SavedSearch) -> Result<bool, StoreError> {
    let others: i64 = sqlx::query_scalar("SELECT count(*) FROM saved_search WHERE name <> $1")
        .bind(&search.name)
        .fetch_one(&mut *conn)
        .await?;
    if usize::try_from(others).is_ok_and(|others| others >= MOST_SEARCHES) {
        return Ok(false);
    }
    let mut filters = search.filters.clone();
    let topic = filters.remove("topic");
    let sql = "INSERT INTO saved_search (name, topic, filters, made_at) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (name) DO UPDATE SET topic = excluded.topic, filters = excluded.filters, made_at = excluded.made_at";
    sqlx::query(sql)
        .bind(&search.name)
        .bind(topic)
        .bind(serde_json::json!(filters).to_string())
        .bind(search.made_at.0)
        .execute(conn)
        .await?;
    Ok(true)
}

pub(in crate::store) async fn drop_search(conn: &mut Conn, name: &str) -> Result<bool, StoreError> {
    let gone = sqlx::query("DELETE FROM saved_search WHERE name = $1").bind(name).execute(conn).await?;
    Ok(gone.rows_affected() > 0)
}

/// Returns all saved searches, or the one with this name.
pub(in crate::store) async fn searches(conn: &mut Conn, name: Option<&str>) -> Result<Vec<SavedSearch>, StoreError> {
    let sql = "SELECT name, topic, filters, made_at FROM saved_search WHERE ($1 = '' OR name = $1) ORDER BY name";
    let rows = sqlx::query(sql).bind(name.unwrap_or("")).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let mut filters: BTreeMap<String, String> = serde_json::from_str(row.try_get("filters")?)
                .map_err(|_| StoreError::unreadable("the filters of a saved search"))?;
            if let Some(topic) = row.try_get::<Option<String>, _>("topic")? {
                filters.insert("topic".to_owned(), topic);
            }
            Ok(SavedSearch { name: row.try_get("name")?, filters, made_at: Time(row.try_get("made_at")?) })
        })
        .collect()
}

/// Moves star and note of `from` to `into`: keeps the earlier star, and joins two notes, one below the other.
pub(in crate::store) async fn merge_items(conn: &mut Conn, into: i64, from: i64) -> Result<(), StoreError> {
    for sql in [
        "INSERT INTO item_star (item, at) SELECT $1, at FROM item_star WHERE item = $2 \
         ON CONFLICT (item) DO UPDATE SET at = excluded.at WHERE excluded.at < item_star.at",
        "INSERT INTO item_note (item, note, at) SELECT $1, note, at FROM item_note WHERE item = $2 \
         ON CONFLICT (item) DO UPDATE SET note = item_note.note || '\n' || excluded.note, \
         at = CASE WHEN excluded.at > item_note.at THEN excluded.at ELSE item_note.at END",
    ] {
        sqlx::query(sql).bind(into).bind(from).execute(&mut *conn).await?;
    }
    sqlx::query("DELETE FROM item_star WHERE item = $1").bind(from).execute(&mut *conn).await?;
    sqlx::query("DELETE FROM item_note WHERE item = $1").bind(from).execute(conn).await?;
    Ok(())
}
