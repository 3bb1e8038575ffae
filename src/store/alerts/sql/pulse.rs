//! Reads what the sources of topics returned in their latest searches. `insight` decides whether a source fell silent.

use sqlx::{AssertSqlSafe, Row as _};

use super::Conn;
use crate::model::{AnsweredSearch, Counts, Source, SourceActivity, Time};
use crate::store::StoreError;
use crate::store::database::cells::Cells;

/// Topics per statement.
const CHUNK: usize = 100;

/// The least number of items that a search returned, that its run was the first of the topic to see, and that lie in
/// its window or have no date. `new` counts an item only for the first source of the run that has it, and `outside`
/// also counts items known before, so the sightings are read if the counts are not enough.
pub(in crate::store) const FRESH: &str = "CASE WHEN r.new = 0 OR s.outside >= s.found THEN 0 WHEN s.outside < s.new THEN s.new - s.outside \
     ELSE (SELECT count(*) FROM sighting g CROSS JOIN topic_item t WHERE g.run = r.id AND g.source = s.source AND g.fit <> 'outside' \
       AND t.topic = r.topic AND t.item = g.item AND t.first_run = r.id) END";

/// Returns, for each topic, the source's searches in its latest runs, found by the index on topic and `seq`. The
/// searches of a topic come as one text, since a list of topics has thousands of them. Searches for spans that were
/// already over (backfills) are left out: they say nothing about the present.
pub(in crate::store) async fn source_activity(
    conn: &mut Conn,
    topics: &[String],
    source: Source,
    runs: u32,
) -> Result<Vec<SourceActivity>, StoreError> {
    let sql = format!(
        "SELECT given.value AS topic, (SELECT string_agg(concat(r.seq, ',', r.started_at, ',', s.found, ',', s.new, ',', s.duplicate, ',', s.outside, ',', s.undated, ',', {FRESH}, ','), '') \
         FROM run r CROSS JOIN search s WHERE r.topic = given.value AND r.seq >= coalesce((SELECT o.seq FROM run o WHERE o.topic = given.value \
           AND o.seq IS NOT NULL AND o.started_at IS NOT NULL ORDER BY o.seq DESC LIMIT 1 OFFSET $2), 0) \
         AND r.started_at IS NOT NULL AND s.run = r.id AND s.attempt = r.attempt AND s.source = $3 AND s.state IN ('ok', 'empty') \
         AND ({}) IS NOT TRUE) AS cells FROM {}",
        is_backfill!("s", "r"),
        super::texts(1)
    );
    let mut all: Vec<SourceActivity> = Vec::new();
    for chunk in topics.chunks(CHUNK) {
        let list = serde_json::json!(chunk).to_string();
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(list).bind(i64::from(runs.max(1)) - 1);
        for row in query.bind(source.as_str()).fetch_all(&mut *conn).await? {
            let Some(cells) = row.try_get::<Option<&str>, _>("cells")? else { continue };
            all.push(SourceActivity {
                topic: row.try_get("topic")?,
                source,
                beats: decode_searches(Cells::of(cells))?,
            });
        }
    }
    Ok(all)
}

/// Decodes the searches of a topic and sorts them by run.
fn decode_searches(mut cells: Cells<'_>) -> Result<Vec<AnsweredSearch>, StoreError> {
    let mut searches = Vec::new();
    while !cells.is_empty() {
        let mut number = || cells.number().map(Option::unwrap_or_default);
        let (seq, at): (i64, _) = (number()?, Time(number()?));
        let (found, new, duplicate, outside, undated) = (number()?, number()?, number()?, number()?, number()?);
        let fresh = number()?;
        searches.push((seq, AnsweredSearch { at, counts: Counts { found, new, duplicate, outside, undated }, fresh }));
    }
    searches.sort_unstable_by_key(|(seq, _)| *seq);
    Ok(searches.into_iter().map(|(_, search)| search).collect())
}
