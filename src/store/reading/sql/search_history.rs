//! Reads when each topic was searched, and how far its coverage reaches. `insight` decides what is a hole.

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, Row, definitions, read};
use crate::model::{
    CoverageSearch, LISTED_NOTHING, RunSearch, RunState, SearchState, Source, Span, Time, WatchedTopic,
};
use crate::store::StoreError;

/// One row per run and search, and one per run without a search. The reason of an answered search is a note, not an
/// error, unless it explains why the search covers nothing.
pub(in crate::store) fn select() -> String {
    format!(
        "SELECT r.topic, coalesce(r.started_at, r.slot, r.planned_at) AS at, r.seq, r.state AS run_state, r.reason AS run_reason, \
     s.source, s.operation, s.state, s.asked_from, s.asked_until, s.covered_from, s.covered_until, s.saturated, \
     CASE WHEN s.state NOT IN ('ok', 'empty') THEN coalesce(s.error_class, s.reason) \
     WHEN s.error_class IS NULL AND s.reason LIKE '%{LISTED_NOTHING}%' THEN '{LISTED_NOTHING}' ELSE s.error_class END AS trouble \
     FROM run r LEFT JOIN search s ON s.run = r.id"
    )
}

pub(in crate::store) fn run_search(row: &Row) -> Result<RunSearch, StoreError> {
    let span = |from, until| {
        Ok::<_, StoreError>(read::time(row, from)?.zip(read::time(row, until)?).and_then(|(a, b)| Span::new(a, b)))
    };
    let search = match row.try_get::<Option<String>, _>("source")? {
        None => None,
        Some(_) => Some(CoverageSearch {
            source: read::word(row, "source", Source::parse)?,
            operation: row.try_get("operation")?,
            state: read::word(row, "state", SearchState::parse)?,
            requested_span: span("asked_from", "asked_until")?,
            covered: span("covered_from", "covered_until")?,
            saturated: read::flag(row, "saturated")?.unwrap_or(false),
            trouble: row.try_get("trouble")?,
        }),
    };
    Ok(RunSearch {
        topic: row.try_get("topic")?,
        at: Time(row.try_get("at")?),
        seq: row.try_get("seq")?,
        state: read::word(row, "run_state", RunState::parse)?,
        reason: row.try_get("run_reason")?,
        search,
    })
}

/// Returns a topic's runs with their searches from the start of a span on: those in the span, and later searches that
/// look back into it.
pub(in crate::store) async fn searches_covering(
    conn: &mut Conn,
    topic: &str,
    span: Span,
) -> Result<Vec<RunSearch>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(select());
    query.push(" WHERE r.seq IS NOT NULL AND r.topic = ").push_bind(topic.to_owned());
    query.push(" AND ").push(read::RUN_AT).push(" >= ").push_bind(span.from.0);
    query.push(" AND (").push(read::RUN_AT).push(" < ").push_bind(span.until.0);
    query.push(" OR coalesce(s.asked_from, s.covered_from) < ").push_bind(span.until.0);
    query.push(") ORDER BY at, r.public_id, s.attempt, s.source");
    query.build().fetch_all(conn).await?.iter().map(run_search).collect()
}

/// Returns until when a source is covered. A search whose reply was so full that it covers nothing counts, too: asking
/// further back would not improve it. One that a failure or a limit stopped, or in which a feed listed nothing, does not
/// count, even if a part was full. Coverage that a clock that was ahead claims after `now` does not count.
pub(in crate::store) async fn covered_until(
    conn: &mut Conn,
    topic: &str,
    source: Source,
    now: Time,
) -> Result<Option<Time>, StoreError> {
    let sql = format!(
        "SELECT max(until) FROM ( \
         SELECT max(covered_until) AS until FROM search WHERE topic = $1 AND source = $2 AND covered_until <= $3 UNION ALL \
         SELECT max(asked_until) FROM search WHERE topic = $1 AND source = $2 AND saturated = 1 AND covered_until IS NULL AND asked_until <= $3 \
           AND state = 'ok' AND error_class IS NULL AND (reason IS NULL OR reason NOT LIKE '%{LISTED_NOTHING}%')) AS looked"
    );
    let until: Option<i64> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(source.as_str()).bind(now.0).fetch_one(conn).await?;
    Ok(until.map(Time))
}

/// Includes failed runs: they searched, too, and may have cost something.
pub(in crate::store) async fn first_search(conn: &mut Conn, topic: &str) -> Result<Option<Time>, StoreError> {
    first_start(conn, topic, "r.state <> 'over_quota' AND r.started_at IS NOT NULL").await
}

pub(in crate::store) async fn first_run(conn: &mut Conn, topic: &str) -> Result<Option<Time>, StoreError> {
    first_start(conn, topic, "r.state IN ('ok', 'partial')").await
}

/// Ordered by `seq`, so that the index on (topic, seq) is walked from its start.
async fn first_start(conn: &mut Conn, topic: &str, which: &'static str) -> Result<Option<Time>, StoreError> {
    let sql = format!(
        "SELECT r.started_at FROM run r WHERE r.topic = $1 AND r.seq IS NOT NULL AND {which} ORDER BY r.seq LIMIT 100"
    );
    let starts: Vec<Option<i64>> = sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).fetch_all(conn).await?;
    let starts: Vec<i64> = starts.into_iter().flatten().collect();
    Ok(first_believed(&starts).map(Time))
}

/// Returns the first of these starts, in reading order, that was not made by a clock that was ahead: then most of the later
/// ones would be earlier.
fn first_believed(starts: &[i64]) -> Option<i64> {
    let mut starts = starts;
    while let [first, later @ ..] = starts {
        if later.iter().filter(|at| *at < first).count() * 2 <= later.len() {
            return Some(*first);
        }
        starts = later;
    }
    None
}

pub(in crate::store) async fn watched_topics(
    conn: &mut Conn,
    named: &[String],
) -> Result<Vec<WatchedTopic>, StoreError> {
    let mut all = Vec::new();
    // An empty list means all topics still watched; a name also finds a topic that no longer is.
    let lists: Vec<&[String]> = if named.is_empty() { vec![&[]] } else { named.chunks(500).collect() };
    for list in lists {
        let mut query = QueryBuilder::<Database>::new(
            // Only a backfill asks for a time that was over before the topic was created.
            "SELECT t.id, t.created_at, t.removed_at, t.paused, t.next_slot, t.definition, \
             (SELECT min(s.covered_from) FROM search s WHERE s.topic = t.id AND s.source = 'social' \
             AND s.covered_until < t.created_at AND s.asked_until < t.created_at) AS filled_from FROM topic t WHERE ",
        );
        if list.is_empty() {
            query.push("t.removed_at IS NULL");
        } else {
            query.push("t.id IN (");
            let mut names = query.separated(", ");
            for name in list {
                names.push_bind(name);
            }
            names.push_unseparated(")");
        }
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            let definition = definitions::topic(&row.try_get::<String, _>("definition")?).ok();
            let rests = definition.as_ref().and_then(|topic| topic.schedule.as_ref()).is_some_and(|s| s.paused);
            all.push(WatchedTopic {
                topic: row.try_get("id")?,
                began: Time(row.try_get("created_at")?),
                filled_from: read::time(&row, "filled_from")?,
                ended: read::time(&row, "removed_at")?,
                paused: rests || read::flag(&row, "paused")?.unwrap_or(false),
                next: read::time(&row, "next_slot")?.filter(|at| at.0 > 0),
                definition,
            });
        }
    }
    all.sort_by(|a, b| a.topic.cmp(&b.topic));
    Ok(all)
}
