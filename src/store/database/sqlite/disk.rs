//! Disk usage of a SQLite file, and returning its free pages to the disk.

use sqlx::Row as _;

use super::Conn;
use crate::store::{Disk, StoreError};

pub(in crate::store) async fn disk(conn: &mut Conn) -> Result<Disk, StoreError> {
    let row = sqlx::query(
        "SELECT p.page_count * s.page_size AS bytes, f.freelist_count * s.page_size AS free, a.auto_vacuum AS vacuum \
         FROM pragma_page_count p, pragma_page_size s, pragma_freelist_count f, pragma_auto_vacuum a",
    )
    .fetch_one(conn)
    .await?;
    let vacuum: i64 = row.try_get("vacuum")?;
    Ok(Disk { bytes: row.try_get("bytes")?, free: row.try_get("free")?, gives_back: vacuum == 2 })
}

/// Returns up to `pages` free pages to the disk.
pub(in crate::store) async fn give_back(conn: &mut Conn, pages: i64) -> Result<(), StoreError> {
    let sql = format!("PRAGMA incremental_vacuum({pages})");
    sqlx::query(sqlx::AssertSqlSafe(sql)).persistent(false).fetch_all(conn).await?;
    Ok(())
}

/// The clause that allows explicit values for generated ids: SQLite needs none.
pub(in crate::store) const COUNTED: &str = "";

/// Returns what identifies the open database, whatever its address was: its file.
pub(in crate::store) const IDENTITY: &str = "SELECT file FROM pragma_database_list WHERE name = 'main'";

/// Does nothing: SQLite itself continues after the largest id ever used.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL writes")]
pub(in crate::store) async fn count_on(_conn: &mut Conn, _table: &'static str) -> Result<(), StoreError> {
    Ok(())
}
