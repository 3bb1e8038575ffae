//! Merges two stored items that turned out to be the same: for example a post seen once by its address and once by its
//! words alone. All data of one moves to the other; the earliest sighting stays the first.

use sqlx::{AssertSqlSafe, QueryBuilder};

use super::{Conn, Database, clusters, day_counts, marks, stars_and_searches, word_index};
use crate::model::Time;
use crate::store::StoreError;

/// Merges `from` into `into`. `first_seen` is the earlier of the two. The sightings, and what the topics know of
/// `into`, are already written. `knew` are runs of this transaction that did not count it as new, since their topic
/// knew `from`.
pub(in crate::store) async fn merge(
    conn: &mut Conn,
    (into, from): (i64, i64),
    first_seen: Time,
    knew: &[i64],
) -> Result<(), StoreError> {
    clusters::merge_clusters(conn, into, from).await?;
    // If both have a row, `into` keeps its own; the other rows move.
    for (table, same) in [
        ("sighting", "o.run = sighting.run AND o.source = sighting.source"),
        ("item_revision", "o.run = item_revision.run"),
    ] {
        let mut delete = QueryBuilder::<Database>::new(format!("DELETE FROM {table} WHERE item = "));
        delete.push_bind(from).push(format!(" AND EXISTS (SELECT 1 FROM {table} o WHERE {same} AND o.item = "));
        delete.push_bind(into).push(")").build().execute(&mut *conn).await?;
    }
    for table in ["sighting", "item_revision", "item_key"] {
        let mut update = QueryBuilder::<Database>::new(format!("UPDATE {table} SET item = "));
        update.push_bind(into).push(" WHERE item = ").push_bind(from).build().execute(&mut *conn).await?;
    }
    // A topic that knew both counted both as new; the later one was not.
    let merged = format!(
        "UPDATE run SET merged_new = run.merged_new + n.many FROM (\
         SELECT CASE WHEN f.first_seen < i.first_seen THEN i.first_run ELSE f.first_run END AS run, count(*) AS many \
         FROM topic_item f JOIN topic_item i ON i.topic = f.topic AND i.item = $2 WHERE f.item = $3 \
         AND i.first_run NOT IN (SELECT given.value FROM {}) GROUP BY 1) AS n WHERE run.id = n.run",
        super::numbers(1)
    );
    let knew = serde_json::json!(knew).to_string();
    sqlx::query(AssertSqlSafe(merged)).bind(knew).bind(into).bind(from).execute(&mut *conn).await?;
    sqlx::query(
        "INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen, first_fit, first_baseline) \
         SELECT topic, $1, first_seen, first_run, last_seen, last_run, times_seen, first_fit, first_baseline FROM topic_item WHERE item = $2 \
         ON CONFLICT (topic, item) DO UPDATE SET \
         first_fit = CASE WHEN excluded.first_seen < topic_item.first_seen THEN excluded.first_fit ELSE topic_item.first_fit END, \
         first_baseline = CASE WHEN excluded.first_seen < topic_item.first_seen THEN excluded.first_baseline ELSE topic_item.first_baseline END, \
         first_run = CASE WHEN excluded.first_seen < topic_item.first_seen THEN excluded.first_run ELSE topic_item.first_run END, \
         first_seen = CASE WHEN excluded.first_seen < topic_item.first_seen THEN excluded.first_seen ELSE topic_item.first_seen END, \
         last_run = CASE WHEN excluded.last_seen > topic_item.last_seen THEN excluded.last_run ELSE topic_item.last_run END, \
         last_seen = CASE WHEN excluded.last_seen > topic_item.last_seen THEN excluded.last_seen ELSE topic_item.last_seen END, \
         times_seen = CASE WHEN excluded.times_seen > topic_item.times_seen THEN excluded.times_seen ELSE topic_item.times_seen END",
    )
    .bind(into)
    .bind(from)
    .execute(&mut *conn)
    .await?;
    // A run that saw both saw one item. Runs whose sightings are deleted remain counted in the larger number.
    sqlx::query(
        "UPDATE topic_item SET times_seen = n.runs FROM (SELECT r.topic AS of, count(DISTINCT s.run) AS runs FROM sighting s \
         JOIN run r ON r.id = s.run WHERE s.item = $1 GROUP BY r.topic) AS n \
         WHERE topic_item.item = $1 AND topic_item.topic = n.of AND n.runs > topic_item.times_seen",
    )
    .bind(into)
    .execute(&mut *conn)
    .await?;
    day_counts::mark_due_for_items(conn, &[into, from]).await?;
    sqlx::query("DELETE FROM topic_item WHERE item = $1").bind(from).execute(&mut *conn).await?;
    sqlx::query("UPDATE item SET first_seen = $1 WHERE id = $2 AND first_seen > $1")
        .bind(first_seen.0)
        .bind(into)
        .execute(&mut *conn)
        .await?;
    marks::merge_marks(conn, into, from).await?;
    stars_and_searches::merge_items(conn, into, from).await?;
    word_index::remove(conn, &[from]).await?;
    // Earlier versions of the merged item do not belong to the other one.
    sqlx::query("DELETE FROM item_past WHERE item = $1").bind(from).execute(&mut *conn).await?;
    sqlx::query("DELETE FROM item WHERE id = $1").bind(from).execute(conn).await?;
    Ok(())
}
