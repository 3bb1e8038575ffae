//! The ids and stored definitions of watched topics.

use sqlx::AssertSqlSafe;

use super::{Conn, definitions};
use crate::model::Topic;
use crate::store::StoreError;

pub(in crate::store) async fn ids(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT id FROM topic WHERE removed_at IS NULL ORDER BY id").fetch_all(conn).await?)
}

/// Returns the ids of all topics but these, including those that are no longer watched.
pub(in crate::store) async fn except(conn: &mut Conn, known: &[&str]) -> Result<Vec<String>, StoreError> {
    let sql = format!("SELECT id FROM topic WHERE id NOT IN (SELECT given.value FROM {}) ORDER BY id", super::texts(1));
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(super::resolve::to_json(known)?).fetch_all(conn).await?)
}

pub(in crate::store) async fn definitions(conn: &mut Conn) -> Result<Vec<Topic>, StoreError> {
    let texts: Vec<String> =
        sqlx::query_scalar("SELECT definition FROM topic WHERE removed_at IS NULL ORDER BY id").fetch_all(conn).await?;
    texts.iter().map(|text| definitions::topic(text)).collect()
}
