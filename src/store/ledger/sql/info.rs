//! Facts about the database itself: whether it holds real or sandbox findings, which configuration is in force, and
//! whether daemons were asked to check the ledger.

use sqlx::Row as _;

use super::Conn;
use crate::store::{DataOrigin, StoreError};

/// Returns the origin of the stored data.
pub(in crate::store) async fn origin(conn: &mut Conn) -> Result<Option<DataOrigin>, StoreError> {
    let stored: Option<String> =
        sqlx::query_scalar("SELECT value FROM store_info WHERE name = 'nature'").fetch_optional(conn).await?;
    stored
        .map(|word| {
            DataOrigin::parse(&word).ok_or_else(|| StoreError::unreadable(&format!("the data origin `{word}`")))
        })
        .transpose()
}

/// Sets the origin of the database if it has none yet. Returns the origin it has.
pub(in crate::store) async fn claim_origin(conn: &mut Conn, origin: DataOrigin) -> Result<DataOrigin, StoreError> {
    // The origin never changes, so only the very first run has to write.
    if let Some(stored) = self::origin(conn).await? {
        return Ok(stored);
    }
    sqlx::query("INSERT INTO store_info (name, value) VALUES ('nature', $1) ON CONFLICT (name) DO NOTHING")
        .bind(origin.as_str())
        .execute(&mut *conn)
        .await?;
    Ok(self::origin(conn).await?.unwrap_or(origin))
}

/// Asks daemons to check the ledger now; see [`control_version`].
pub(in crate::store) async fn bump_control_version(conn: &mut Conn) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO store_info (name, value) VALUES ('asked', '1') \
         ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(store_info.value AS BIGINT) + 1 AS TEXT)",
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns a value that changes with every control request and every new manual run. Costs two index lookups.
pub(in crate::store) async fn control_version(conn: &mut Conn) -> Result<String, StoreError> {
    Ok(sqlx::query_scalar(
        "SELECT coalesce((SELECT value FROM store_info WHERE name = 'asked'), '') || ' ' || \
         coalesce((SELECT public_id FROM run WHERE state = 'queued' AND trigger = 'manual' ORDER BY id DESC LIMIT 1), '')",
    )
    .fetch_one(conn)
    .await?)
}

/// Returns the generation in force and the hash of its set.
pub(in crate::store) async fn newest(conn: &mut Conn) -> Result<Option<(i64, String)>, StoreError> {
    let row = sqlx::query("SELECT number, hash FROM config_generation ORDER BY number DESC LIMIT 1")
        .fetch_optional(conn)
        .await?;
    row.map(|row| Ok((row.try_get("number")?, row.try_get("hash")?))).transpose()
}
