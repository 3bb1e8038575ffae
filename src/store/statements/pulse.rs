//! What the sources of topics gave over their latest searches. Whether one fell silent is `insight`'s to say.

use std::collections::BTreeMap;

use sqlx::Row as _;

use super::{Conn, read};
use crate::model::{Beat, Pulse, Source, Time};
use crate::store::StoreError;

/// Runs of a topic that are looked at.
const RUNS: i64 = 150;

/// The tables in this order: the topics that were asked for, their latest runs by the index on topic and `seq`. Searches
/// of days that were over when they were asked for (backfills) say nothing about the present.
pub(in crate::store) async fn pulses(conn: &mut Conn, topics: &[String]) -> Result<Vec<Pulse>, StoreError> {
    let mut all = Vec::new();
    for topic in topics {
        let rows = sqlx::query(
            "SELECT s.source, latest.started_at AS at, s.found, s.new, s.duplicate, s.outside, s.undated \
             FROM (SELECT id, attempt, started_at, seq FROM run WHERE topic = $1 AND seq IS NOT NULL AND started_at IS NOT NULL ORDER BY seq DESC LIMIT $2) latest \
             CROSS JOIN search s WHERE s.run = latest.id AND s.attempt = latest.attempt AND s.state IN ('ok', 'empty') \
             AND (s.asked_until IS NULL OR s.asked_until >= latest.started_at - 60000) ORDER BY latest.seq",
        )
        .bind(topic)
        .bind(RUNS)
        .fetch_all(&mut *conn)
        .await?;
        let mut sources: BTreeMap<Source, Vec<Beat>> = BTreeMap::new();
        for row in &rows {
            let beat = Beat { at: Time(row.try_get("at")?), counts: read::counts(row)? };
            sources.entry(read::word(row, "source", Source::parse)?).or_default().push(beat);
        }
        let pulse = |(source, beats)| Pulse { topic: topic.clone(), source, beats };
        all.extend(sources.into_iter().map(pulse));
    }
    Ok(all)
}
