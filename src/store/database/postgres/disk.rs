//! What the schema takes on a PostgreSQL server. What is free in its tables the server uses again by itself.

use sqlx::Row as _;

use super::Conn;
use crate::store::{Disk, StoreError};

pub(in crate::store) async fn disk(conn: &mut Conn) -> Result<Disk, StoreError> {
    let row = sqlx::query(
        "SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS bytes FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'",
    )
    .fetch_one(conn)
    .await?;
    Ok(Disk { bytes: row.try_get("bytes")?, free: 0, gives_back: true })
}

/// Numbers that are counted may be given as they are.
pub(in crate::store) const COUNTED: &str = "OVERRIDING SYSTEM VALUE ";

/// Counts on from the largest number that was given.
pub(in crate::store) async fn count_on(conn: &mut Conn, table: &'static str) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT setval(pg_get_serial_sequence('{table}', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) FROM {table}"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *conn).await?;
    super::look_at(conn, table).await
}
