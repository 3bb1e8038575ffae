//! Statements for tokens and links: add, withdraw, read, prune, follow a topic to its new id, and end with a forgotten one.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, read};
use crate::model::{AccessChanges, LinkRow, Role, SharedKind, Time, TokenRow};
use crate::store::StoreError;

/// The most tokens, and the most valid links. The web server holds all of them in memory.
const MOST: i64 = 1_000;

/// The columns of a link.
const LINK: &str = "id, kind, target, hash, made_at, expires_at, withdrawn_at";

pub(in crate::store) async fn add_token(conn: &mut Conn, token: &TokenRow) -> Result<(), StoreError> {
    let many: i64 = sqlx::query_scalar("SELECT count(*) FROM access_token").fetch_one(&mut *conn).await?;
    let sql = "SELECT withdrawn_at FROM access_token WHERE name = $1";
    let existing: Option<Option<i64>> = sqlx::query_scalar(sql).bind(&token.name).fetch_optional(&mut *conn).await?;
    if existing == Some(None) {
        return Err(StoreError::refused(
            format!("a token `{}` already exists", token.name),
            format!("choose another name, or withdraw it first: topicwatch token withdraw {}", token.name),
        ));
    }
    if existing.is_none() && many >= MOST {
        return Err(StoreError::refused(
            format!("there are already {many} tokens, which is the limit"),
            "reuse the name of a withdrawn token (`topicwatch token list` shows them); if there is none, withdraw one and reuse its name: topicwatch token withdraw NAME",
        ));
    }
    sqlx::query(
        "INSERT INTO access_token (name, role, topics, tags, hash, made_at, withdrawn_at, last_used_at) \
         VALUES ($1, $2, $3, $4, $5, $6, NULL, NULL) ON CONFLICT (name) DO UPDATE SET role = excluded.role, topics = excluded.topics, \
         tags = excluded.tags, hash = excluded.hash, made_at = excluded.made_at, withdrawn_at = NULL, last_used_at = NULL",
    )
    .bind(&token.name)
    .bind(token.role.as_str())
    .bind(encode_names(&token.topics, token.covers_all_topics()))
    .bind(encode_names(&token.tags, token.covers_all_topics()))
    .bind(&token.hash)
    .bind(token.made_at.0)
    .execute(conn)
    .await?;
    Ok(())
}

/// Encodes a list for storage; `None` if the token is for all topics.
fn encode_names(names: &[String], all: bool) -> Option<String> {
    (!all).then(|| serde_json::json!(names).to_string())
}

pub(in crate::store) async fn withdraw_token(conn: &mut Conn, name: &str, now: Time) -> Result<(), StoreError> {
    let sql = "UPDATE access_token SET withdrawn_at = $1 WHERE name = $2 AND withdrawn_at IS NULL";
    if sqlx::query(sql).bind(now.0).bind(name).execute(conn).await?.rows_affected() == 0 {
        return Err(StoreError::refused(
            format!("there is no active token `{name}`"),
            "`topicwatch token list` shows all",
        ));
    }
    Ok(())
}

pub(in crate::store) async fn tokens(conn: &mut Conn) -> Result<Vec<TokenRow>, StoreError> {
    select_tokens(conn, "").await
}

async fn select_tokens(conn: &mut Conn, lock: &str) -> Result<Vec<TokenRow>, StoreError> {
    let sql = format!(
        "SELECT name, role, topics, tags, hash, made_at, withdrawn_at, last_used_at FROM access_token ORDER BY name{lock}"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let names = |column: &str| -> Result<Vec<String>, StoreError> {
                let text: Option<String> = row.try_get(column)?;
                let unfit = |e| StoreError::unreadable(&format!("the scope of a token ({e})"));
                text.map_or(Ok(Vec::new()), |text| serde_json::from_str(&text).map_err(unfit))
            };
            Ok(TokenRow {
                name: row.try_get("name")?,
                role: read::word(row, "role", Role::parse)?,
                topics: names("topics")?,
                tags: names("tags")?,
                hash: row.try_get("hash")?,
                made_at: Time(row.try_get("made_at")?),
                withdrawn_at: read::time(row, "withdrawn_at")?,
                last_used_at: read::time(row, "last_used_at")?,
            })
        })
        .collect()
}

pub(in crate::store) async fn token_holds(conn: &mut Conn, hash: &str) -> Result<bool, StoreError> {
    let sql = "SELECT count(*) FROM access_token WHERE hash = $1 AND withdrawn_at IS NULL";
    let many: i64 = sqlx::query_scalar(sql).bind(hash).fetch_one(conn).await?;
    Ok(many > 0)
}

pub(in crate::store) async fn link_holds(conn: &mut Conn, hash: &str) -> Result<bool, StoreError> {
    let sql = "SELECT count(*) FROM share_link WHERE hash = $1 AND withdrawn_at IS NULL";
    let many: i64 = sqlx::query_scalar(sql).bind(hash).fetch_one(conn).await?;
    Ok(many > 0)
}

pub(in crate::store) async fn token_used(conn: &mut Conn, hash: &str, now: Time) -> Result<(), StoreError> {
    let sql = "UPDATE access_token SET last_used_at = $1 WHERE hash = $2 AND coalesce(last_used_at, 0) < $1";
    sqlx::query(sql).bind(now.0).bind(hash).execute(conn).await?;
    Ok(())
}

pub(in crate::store) async fn add_link(conn: &mut Conn, link: &LinkRow) -> Result<(), StoreError> {
    let sql = "SELECT count(*) FROM share_link WHERE withdrawn_at IS NULL AND expires_at > $1";
    let many: i64 = sqlx::query_scalar(sql).bind(link.made_at.0).fetch_one(&mut *conn).await?;
    if many >= MOST {
        return Err(StoreError::refused(
            format!("there are already {many} valid links, which is the limit"),
            "withdraw some: topicwatch token withdraw ID; `topicwatch token list` shows them",
        ));
    }
    sqlx::query(
        "INSERT INTO share_link (id, kind, target, hash, made_at, expires_at, withdrawn_at) VALUES ($1, $2, $3, $4, $5, $6, NULL)",
    )
    .bind(&link.id)
    .bind(link.kind.as_str())
    .bind(&link.of)
    .bind(&link.hash)
    .bind(link.made_at.0)
    .bind(link.expires_at.0)
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) async fn withdraw_link(conn: &mut Conn, id: &str, now: Time) -> Result<(), StoreError> {
    let sql = "UPDATE share_link SET withdrawn_at = $1 WHERE id = $2 AND withdrawn_at IS NULL";
    if sqlx::query(sql).bind(now.0).bind(id).execute(conn).await?.rows_affected() == 0 {
        return Err(StoreError::refused(
            format!("there is no active link `{id}`"),
            "`topicwatch token list` shows all",
        ));
    }
    Ok(())
}

pub(in crate::store) async fn links(conn: &mut Conn) -> Result<Vec<LinkRow>, StoreError> {
    let sql = format!("SELECT {LINK} FROM share_link ORDER BY made_at DESC, id");
    sqlx::query(AssertSqlSafe(sql)).fetch_all(conn).await?.iter().map(link).collect()
}

fn link(row: &Row) -> Result<LinkRow, StoreError> {
    Ok(LinkRow {
        id: row.try_get("id")?,
        kind: read::word(row, "kind", SharedKind::parse)?,
        of: row.try_get("target")?,
        hash: row.try_get("hash")?,
        made_at: Time(row.try_get("made_at")?),
        expires_at: Time(row.try_get("expires_at")?),
        withdrawn_at: read::time(row, "withdrawn_at")?,
    })
}

pub(in crate::store) async fn tagged(
    conn: &mut Conn,
    tags: &[String],
    removed: bool,
) -> Result<Vec<(String, Vec<String>)>, StoreError> {
    let watched = if removed { "1 = 1" } else { "t.removed_at IS NULL" };
    let sql = format!(
        "SELECT t.id, t.tags FROM topic t WHERE {watched} AND EXISTS (SELECT 1 FROM {} WHERE given.value IN \
         (SELECT wanted.value FROM {})) ORDER BY t.id",
        super::listed("t.tags"),
        super::texts(1).replace("AS given", "AS wanted"),
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(tags).to_string()).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let tags: String = row.try_get("tags")?;
            Ok((row.try_get("id")?, serde_json::from_str(&tags).unwrap_or_default()))
        })
        .collect()
}

/// Replaces a topic's id in tokens and links.
pub(in crate::store) async fn rename(conn: &mut Conn, old: &str, new: &str) -> Result<(), StoreError> {
    // Locked, because somebody may be giving one of them to others.
    let all = select_tokens(conn, super::ROW_LOCK).await?;
    for token in all.iter().filter(|token| token.topics.iter().any(|topic| topic == old)) {
        let mut topics: Vec<String> =
            token.topics.iter().map(|topic| if topic == old { new.to_owned() } else { topic.clone() }).collect();
        topics.dedup();
        set_topics(conn, &token.name, &topics).await?;
    }
    sqlx::query("UPDATE share_link SET target = $1 WHERE kind = 'topic' AND target = $2")
        .bind(new)
        .bind(old)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes a forgotten topic from tokens, and withdraws its links and the tokens for it alone: otherwise they would
/// show a new topic with its id. Returns the changes.
pub(in crate::store) async fn forget_topic(
    conn: &mut Conn,
    topic: &str,
    now: Time,
) -> Result<AccessChanges, StoreError> {
    // Locked, because somebody may be withdrawing one of them.
    let all = select_tokens(conn, super::ROW_LOCK).await?;
    let tokens: Vec<TokenRow> = all.iter().filter_map(|token| token.without_topic(topic, now)).collect();
    for token in &tokens {
        if token.withdrawn_at.is_some() {
            withdraw_token(conn, &token.name, now).await?;
        } else {
            set_topics(conn, &token.name, &token.topics).await?;
        }
    }
    let sql = format!(
        "UPDATE share_link SET withdrawn_at = $1 WHERE kind = 'topic' AND target = $2 AND withdrawn_at IS NULL RETURNING {LINK}"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(now.0).bind(topic).fetch_all(conn).await?;
    let mut links = rows.iter().map(link).collect::<Result<Vec<LinkRow>, StoreError>>()?;
    links.retain(|link| now < link.expires_at);
    Ok(AccessChanges { tokens, links })
}

async fn set_topics(conn: &mut Conn, token: &str, topics: &[String]) -> Result<(), StoreError> {
    let sql = "UPDATE access_token SET topics = $1 WHERE name = $2";
    sqlx::query(sql).bind(serde_json::json!(topics).to_string()).bind(token).execute(conn).await?;
    Ok(())
}

/// Deletes links that expired or were withdrawn before an instant, and returns how many. A dry run only counts them.
pub(in crate::store) async fn prune(conn: &mut Conn, before: Time, dry_run: bool) -> Result<i64, StoreError> {
    const GONE: &str = "expires_at < $1 OR coalesce(withdrawn_at, $1) < $1";
    if dry_run {
        let sql = format!("SELECT count(*) FROM share_link WHERE {GONE}");
        return Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(before.0).fetch_one(conn).await?);
    }
    let sql = format!("DELETE FROM share_link WHERE {GONE}");
    let gone = sqlx::query(AssertSqlSafe(sql)).bind(before.0).execute(conn).await?.rows_affected();
    Ok(i64::try_from(gone).unwrap_or(i64::MAX))
}
