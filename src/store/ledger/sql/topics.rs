//! The ids and stored definitions of watched topics.

use sqlx::AssertSqlSafe;

use super::{Conn, definitions};
use crate::model::Topic;
use crate::store::StoreError;

pub(in crate::store) async fn ids(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT id FROM topic WHERE removed_at IS NULL ORDER BY id").fetch_all(conn).await?)
}

/// Returns the ids of all topics but these, including those that are no longer watched and those that were forgotten but
/// have runs. Reads one entry of an index for each topic that has any.
pub(in crate::store) async fn except(conn: &mut Conn, known: &[&str]) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "WITH RECURSIVE ran (id) AS (SELECT min(topic) FROM run UNION ALL \
           SELECT (SELECT min(r.topic) FROM run r WHERE r.topic > ran.id) FROM ran WHERE ran.id IS NOT NULL) \
         SELECT known.id FROM (SELECT id FROM ran WHERE id IS NOT NULL UNION SELECT id FROM topic) AS known \
         WHERE known.id NOT IN (SELECT given.value FROM {}) ORDER BY known.id",
        super::texts(1)
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(super::resolve::to_json(known)?).fetch_all(conn).await?)
}

pub(in crate::store) async fn definitions(conn: &mut Conn) -> Result<Vec<Topic>, StoreError> {
    let texts: Vec<String> =
        sqlx::query_scalar("SELECT definition FROM topic WHERE removed_at IS NULL ORDER BY id").fetch_all(conn).await?;
    texts.iter().map(|text| definitions::topic(text)).collect()
}
