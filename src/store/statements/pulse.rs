//! What the sources of topics gave over their latest searches. Whether one fell silent is `insight`'s to say.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, read};
use crate::model::{Beat, Pulse, Source, Time};
use crate::store::StoreError;

/// Topics of one statement.
const CHUNK: usize = 100;

/// The tables in this order: the topics that were asked for, their latest runs by the index on topic and `seq`. Searches
/// of days that were over when they were asked for (backfills) say nothing about the present.
pub(in crate::store) async fn pulses(conn: &mut Conn, topics: &[String], runs: u32) -> Result<Vec<Pulse>, StoreError> {
    let sql = format!(
        "SELECT r.topic, s.source, r.started_at AS at, s.found, s.new, s.duplicate, s.outside, s.undated \
         FROM {} CROSS JOIN run r CROSS JOIN search s WHERE r.topic = given.value AND r.seq >= coalesce((SELECT o.seq FROM run o WHERE o.topic = given.value \
           AND o.seq IS NOT NULL AND o.started_at IS NOT NULL ORDER BY o.seq DESC LIMIT 1 OFFSET $2), 0) \
         AND r.started_at IS NOT NULL AND s.run = r.id AND s.attempt = r.attempt AND s.state IN ('ok', 'empty') \
         AND (s.asked_until IS NULL OR s.asked_until >= r.started_at - 60000) ORDER BY r.topic, s.source, r.seq",
        super::texts(1)
    );
    let mut all: Vec<Pulse> = Vec::new();
    for chunk in topics.chunks(CHUNK) {
        let list = serde_json::json!(chunk).to_string();
        let asked = sqlx::query(AssertSqlSafe(sql.clone())).bind(list).bind(i64::from(runs.max(1)) - 1);
        for row in asked.fetch_all(&mut *conn).await? {
            let beat = Beat { at: Time(row.try_get("at")?), counts: read::counts(&row)? };
            let (topic, source) = (row.try_get::<String, _>("topic")?, read::word(&row, "source", Source::parse)?);
            match all.last_mut() {
                Some(last) if last.topic == topic && last.source == source => last.beats.push(beat),
                _ => all.push(Pulse { topic, source, beats: vec![beat] }),
            }
        }
    }
    Ok(all)
}
