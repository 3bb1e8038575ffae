//! The memory of provider searches for the topic's next search. It is written in the same transaction as the findings,
//! so that nothing counts as seen that was not stored.

use std::collections::BTreeMap;

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database};
use crate::model::{Remembered, Source};
use crate::store::{Outcome, RunRef, StoreError};

/// The most entries read for a search.
const MOST: i64 = 2_000;

/// Rows per statement; SQLite allows 32,766 parameters.
const CHUNK: usize = 5_000;

pub(in crate::store) async fn keep_all(conn: &mut Conn, ends: &[(&RunRef, &Outcome)]) -> Result<(), StoreError> {
    // The later of two runs of a topic wins; one statement must not contain a row twice.
    let mut rows: BTreeMap<(&str, Source, &str), (&str, i64)> = BTreeMap::new();
    for (run, outcome) in ends {
        for (source, one) in &outcome.memory {
            rows.insert((&run.topic.id, *source, &one.name), (&one.value, outcome.seen_at.0));
        }
    }
    let rows: Vec<_> = rows.into_iter().collect();
    for chunk in rows.chunks(CHUNK) {
        let mut insert = QueryBuilder::<Database>::new("INSERT INTO provider_memory (topic, source, name, value, at) ");
        insert.push_values(chunk, |mut row, ((topic, source, name), (value, at))| {
            row.push_bind(*topic).push_bind(source.to_string()).push_bind(*name).push_bind(*value).push_bind(*at);
        });
        insert.push(" ON CONFLICT (topic, source, name) DO UPDATE SET value = excluded.value, at = excluded.at");
        insert.build().execute(&mut *conn).await?;
    }
    Ok(())
}

/// Returns what the topic's searches of a provider remembered.
pub(in crate::store) async fn provider_memory(
    conn: &mut Conn,
    topic: &str,
    source: Source,
) -> Result<Vec<Remembered>, StoreError> {
    let rows =
        sqlx::query("SELECT name, value FROM provider_memory WHERE topic = $1 AND source = $2 ORDER BY name LIMIT $3");
    let rows = rows.bind(topic).bind(source.as_str()).bind(MOST).fetch_all(conn).await?;
    rows.iter().map(|row| Ok(Remembered { name: row.try_get(0)?, value: row.try_get(1)? })).collect()
}
