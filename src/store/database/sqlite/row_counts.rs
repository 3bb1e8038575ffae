//! Row counts of all tables, to compare a copy with its source.

use sqlx::AssertSqlSafe;

use super::Conn;
use crate::store::StoreError;
use crate::store::database::copying::tables::TABLES;

/// Returns the number of rows of each table.
pub(super) async fn row_counts(conn: &mut Conn) -> Result<Vec<(&'static str, i64)>, StoreError> {
    let mut sizes = Vec::with_capacity(TABLES.len());
    for table in TABLES {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        sizes.push((table.name, sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut *conn).await?));
    }
    Ok(sizes)
}
