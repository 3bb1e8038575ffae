//! Disk usage of the schema on a PostgreSQL server. The server reuses free space in its tables by itself.

use sqlx::Row as _;

use super::Conn;
use crate::store::{Disk, StoreError};

/// Adds up exact sizes. For that the server has to open each table, index and TOAST table, which takes it some
/// milliseconds in a new session. Cheaper figures are wrong: `pg_database_size` counts other schemas, too, and
/// `relpages` is as old as the last vacuum, and zero before the first.
pub(in crate::store) async fn disk(conn: &mut Conn) -> Result<Disk, StoreError> {
    let row = sqlx::query(
        "SELECT CAST(coalesce(sum(pg_total_relation_size(c.oid)), 0) AS BIGINT) AS bytes FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'",
    )
    .fetch_one(conn)
    .await?;
    Ok(Disk { bytes: row.try_get("bytes")?, free: 0, gives_back: true })
}

/// The clause that allows explicit values for generated ids.
pub(in crate::store) const COUNTED: &str = "OVERRIDING SYSTEM VALUE ";

/// Returns what identifies the open database, whatever its address was: the start of its server, its name and schema.
pub(in crate::store) const IDENTITY: &str =
    "SELECT concat_ws(' ', pg_postmaster_start_time(), current_database(), current_schema())";

/// Sets the id sequence to continue after the largest id.
pub(in crate::store) async fn count_on(conn: &mut Conn, table: &'static str) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT setval(pg_get_serial_sequence('{table}', 'id'), coalesce(max(id), 1), max(id) IS NOT NULL) FROM {table}"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *conn).await?;
    super::analyze(conn, table).await
}
