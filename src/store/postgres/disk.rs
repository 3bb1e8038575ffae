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
