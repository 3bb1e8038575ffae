//! What the database says of itself: whether it holds real or invented findings, which set of definitions is in force, and
//! that somebody asked daemons to look at the ledger.

use sqlx::Row as _;

use super::Conn;
use crate::store::{Nature, StoreError};

/// What the database holds.
pub(in crate::store) async fn nature(conn: &mut Conn) -> Result<Option<Nature>, StoreError> {
    let held: Option<String> =
        sqlx::query_scalar("SELECT value FROM store_info WHERE name = 'nature'").fetch_optional(conn).await?;
    held.map(|word| Nature::parse(&word).ok_or_else(|| StoreError::unreadable(&format!("`{word}` as its nature"))))
        .transpose()
}

/// Says what the database holds from now on, if it holds nothing yet; returns what it holds.
pub(in crate::store) async fn claim_nature(conn: &mut Conn, nature: Nature) -> Result<Nature, StoreError> {
    // What it holds never changes, so only the first run of all has to write.
    if let Some(held) = self::nature(conn).await? {
        return Ok(held);
    }
    sqlx::query("INSERT INTO store_info (name, value) VALUES ('nature', $1) ON CONFLICT (name) DO NOTHING")
        .bind(nature.as_str())
        .execute(&mut *conn)
        .await?;
    Ok(self::nature(conn).await?.unwrap_or(nature))
}

/// Tells daemons to look at the ledger now; see [`asked`].
pub(in crate::store) async fn ask(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO store_info (name, value) VALUES ('asked', '1') \
         ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(store_info.value AS BIGINT) + 1 AS TEXT)",
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Two looks at an index; changes with every control and every new manual run.
pub(in crate::store) async fn asked(conn: &mut Conn) -> Result<String, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT coalesce((SELECT value FROM store_info WHERE name = 'asked'), '') || ' ' || \
         coalesce((SELECT public_id FROM run WHERE state = 'queued' AND trigger = 'manual' ORDER BY id DESC LIMIT 1), '')",
    )
    .fetch_one(conn)
    .await?)
}

/// The generation in force, with the hash of its set.
pub(in crate::store) async fn newest(conn: &mut Conn) -> Result<Option<(i64, String)>, StoreError> {
    let row = sqlx::query("SELECT number, hash FROM config_generation ORDER BY number DESC LIMIT 1")
        .fetch_optional(conn)
        .await?;
    row.map(|row| Ok((row.try_get("number")?, row.try_get("hash")?))).transpose()
}
