//! Renaming a topic: everything that names the topic changes in one transaction. The old id is remembered, so that a
//! configuration that still uses it does not begin a second history.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, access, alert_subjects, day_counts, definitions, followers, info};
use crate::model::{Follower, Time, Topic};
use crate::store::{StoreError, StoreErrorKind};

/// Refuses topics whose id was given up. If the set also contains the new id, the old one is a new topic of its own.
pub(in crate::store) async fn refuse_old_ids(conn: &mut Conn, set: &[Topic]) -> Result<(), StoreError> {
    for row in sqlx::query("SELECT old_id, new_id FROM renamed ORDER BY old_id").fetch_all(&mut *conn).await? {
        let (old, new): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        if !set.iter().any(|topic| topic.id == old) {
            continue;
        }
        if !set.iter().any(|topic| topic.id == new) {
            return Err(renamed(&old, &new));
        }
        sqlx::query("DELETE FROM renamed WHERE old_id = $1").bind(&old).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Refuses these ids if one is the old id of a renamed topic, unless the configuration has both its old and its new id:
/// then the old id belongs to a new topic. Reads only.
pub(in crate::store) async fn refuse_named(
    conn: &mut Conn,
    configured: &[Topic],
    named: &[String],
) -> Result<(), StoreError> {
    let has = |id: &str| configured.iter().any(|topic| topic.id == id);
    for row in sqlx::query("SELECT old_id, new_id FROM renamed ORDER BY old_id").fetch_all(conn).await? {
        let (old, new): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        if !named.contains(&old) || (has(&old) && has(&new)) {
            continue;
        }
        if has(&old) {
            return Err(renamed(&old, &new));
        }
        let text = format!("topic `{old}` was renamed to `{new}`");
        return Err(StoreError::refused(text, format!("use the new id: {new}")));
    }
    Ok(())
}

/// Returns the ids that a topic had before it was renamed.
pub(in crate::store) async fn former_ids(conn: &mut Conn, topic: &str) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT old_id FROM renamed WHERE new_id = $1 ORDER BY old_id";
    Ok(sqlx::query_scalar(sql).bind(topic).fetch_all(conn).await?)
}

fn renamed(old: &str, new: &str) -> StoreError {
    StoreError::refused(
        format!("topic `{old}` was renamed to `{new}`, but the configuration still says `{old}`"),
        format!(
            "change `id = \"{old}\"` to `id = \"{new}\"` there, or undo the rename: topicwatch topic rename {new} {old}"
        ),
    )
}

/// The tables whose rows name their topic, in the order in which they change.
const TOPIC_ROWS: [&str; 11] = [
    "search",
    "topic_calls",
    "topic_latest",
    "provider_memory",
    "item_mark",
    "export_placed",
    "saved_search",
    "topic_item",
    "pruned_day",
    "topic_term",
    "topic_day",
];

/// Those that followers write. After an earlier rename, they may have written rows of finished runs under the id that it
/// ended. The days are counted again, but until then pages show them.
const COUNTED: [&str; 3] = ["topic_latest", "topic_term", "topic_day"];

pub(in crate::store) async fn rename(conn: &mut Conn, old: &str, new: &str, now: Time) -> Result<(), StoreError> {
    // Keeps others from syncing topics, and locks both rows against planners.
    super::lock(conn, 1).await?;
    // Counts that followers make now are stored first and then renamed, or counted again.
    for follower in [Follower::Counters, Follower::Days] {
        followers::hold(conn, follower).await?;
    }
    let sql = format!("SELECT id, definition FROM topic WHERE id = $1 OR id = $2 ORDER BY id{}", super::ROW_LOCK);
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(old).bind(new).fetch_all(&mut *conn).await?;
    let mut topics = std::collections::BTreeMap::new();
    for row in &rows {
        topics.insert(row.try_get::<String, _>("id")?, row.try_get::<String, _>("definition")?);
    }
    let Some(definition) = topics.get(old) else {
        return Err(StoreError::refused(format!("there is no topic `{old}` in the database"), ""));
    };
    if has_history(conn, new).await? {
        // `forget` deletes the job and keeps the runs.
        let (state, hint) = match topics.contains_key(new) {
            true => ("exists and has its own history", format!("choose another id, or rename `{new}` first")),
            false => ("was forgotten, but its runs are still stored", "choose another id".to_owned()),
        };
        return Err(StoreError::refused(format!("topic `{new}` {state}; histories cannot be merged"), hint));
    }
    rename_job(conn, old, new, definition, topics.contains_key(new)).await?;
    alert_subjects::rename(conn, old, new).await?;
    sqlx::query("UPDATE run SET topic = $1, job = 'topic:' || $1 WHERE topic = $2")
        .bind(new)
        .bind(old)
        .execute(&mut *conn)
        .await?;
    // Checked after the rows are locked: an earlier claim is visible here, and a later one skips the rows.
    let running: i64 = sqlx::query_scalar("SELECT count(*) FROM run WHERE topic = $1 AND state = 'running'")
        .bind(new)
        .fetch_one(&mut *conn)
        .await?;
    if running > 0 {
        return Err(StoreError::new(
            StoreErrorKind::Locked,
            format!("a run of topic `{old}` is active"),
            format!("wait until it ends (topicwatch runs --topic {old}) and try again; nothing was changed"),
        ));
    }
    for table in TOPIC_ROWS {
        if COUNTED.contains(&table) {
            let sql = format!("DELETE FROM {table} WHERE topic = $1");
            sqlx::query(AssertSqlSafe(sql)).bind(new).execute(&mut *conn).await?;
        }
        let sql = format!("UPDATE {table} SET topic = $1 WHERE topic = $2");
        sqlx::query(AssertSqlSafe(sql)).bind(new).bind(old).execute(&mut *conn).await?;
    }
    sqlx::query("DELETE FROM topic_day_due WHERE topic = $1").bind(old).execute(&mut *conn).await?;
    sqlx::query("UPDATE request SET topic = $1 WHERE topic = $2").bind(new).bind(old).execute(&mut *conn).await?;
    access::rename(conn, old, new).await?;
    day_counts::mark_due(conn, &[new.to_owned()]).await?;
    rename_in_jobs(conn, old, new).await?;
    sqlx::query("DELETE FROM renamed WHERE old_id = $1").bind(new).execute(&mut *conn).await?;
    sqlx::query("UPDATE renamed SET new_id = $1 WHERE new_id = $2").bind(new).bind(old).execute(&mut *conn).await?;
    sqlx::query("INSERT INTO renamed (old_id, new_id, renamed_at) VALUES ($1, $2, $3)")
        .bind(old)
        .bind(new)
        .bind(now.0)
        .execute(&mut *conn)
        .await?;
    info::bump_control_version(conn).await
}

/// Changes the row of a topic. `definition` is its definition with the old id. `is_configured`: the configuration was
/// changed first.
async fn rename_job(
    conn: &mut Conn,
    old: &str,
    new: &str,
    definition: &str,
    is_configured: bool,
) -> Result<(), StoreError> {
    if is_configured {
        // The new row has its definition. It takes over the pause of the old row.
        sqlx::query(
            "UPDATE job SET created_at = o.created_at, paused = o.paused, paused_at = o.paused_at, pause_reason = o.pause_reason \
             FROM (SELECT created_at, paused, paused_at, pause_reason FROM job WHERE topic = $1) AS o WHERE job.topic = $2",
        )
        .bind(old)
        .bind(new)
        .execute(&mut *conn)
        .await?;
        sqlx::query("DELETE FROM job WHERE topic = $1").bind(old).execute(&mut *conn).await?;
    } else {
        let renamed = Topic { id: new.to_owned(), ..definitions::topic(definition)? };
        let definition =
            serde_json::to_string(&renamed).map_err(|e| StoreError::unreadable(&format!("a topic ({e})")))?;
        sqlx::query("UPDATE job SET id = 'topic:' || $1, topic = $1, definition = $2 WHERE topic = $3")
            .bind(new)
            .bind(definition)
            .bind(old)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}

/// Returns whether a topic has runs or items.
async fn has_history(conn: &mut Conn, topic: &str) -> Result<bool, StoreError> {
    let found: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (SELECT 1 FROM run WHERE topic = $1 UNION ALL SELECT 1 FROM topic_item WHERE topic = $1 LIMIT 1) AS history",
    )
    .bind(topic)
    .fetch_one(conn)
    .await?;
    Ok(found > 0)
}

/// Replaces the topic's id in the definitions of other jobs.
async fn rename_in_jobs(conn: &mut Conn, old: &str, new: &str) -> Result<(), StoreError> {
    for row in
        sqlx::query("SELECT id, definition FROM job WHERE topic IS NULL ORDER BY id").fetch_all(&mut *conn).await?
    {
        let Ok(mut job) = definitions::job(&row.try_get::<String, _>("definition")?) else { continue };
        if !job.rename_topic(old, new) {
            continue;
        }
        let definition = serde_json::to_string(&job).map_err(|e| StoreError::unreadable(&format!("a job ({e})")))?;
        sqlx::query("UPDATE job SET definition = $1 WHERE id = $2")
            .bind(definition)
            .bind(&job.id)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}
