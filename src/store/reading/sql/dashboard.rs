//! Reads for pages: topics as cards, running processes, figures of the ledger. Each read is bounded by its caller or an
//! index.

use std::collections::{HashMap, HashSet};

use sqlx::{AssertSqlSafe, Row as _};

use super::status_and_runs::LAST_RUN;
use super::{Conn, fresh, read, status_and_runs};
use crate::model::{
    LedgerRow, ProcessRow, RECORDED_AHEAD, ResultKind, Source, Span, Time, Topic, TopicCard, result_kind,
};
use crate::store::StoreError;

/// Returns topics after an id, in order of id; only those in `only` if given. Items count as new from `since` on.
pub(in crate::store) async fn cards(
    conn: &mut Conn,
    only: Option<&[String]>,
    after: &str,
    limit: i64,
    since: Time,
) -> Result<Vec<TopicCard>, StoreError> {
    let among = only.map(|_| format!(" AND t.id IN (SELECT given.value FROM {})", super::texts(3))).unwrap_or_default();
    // Each last run is one lookup in the index of started runs.
    let sql = format!(
        "SELECT t.id, t.title, t.definition, t.planned_until, t.next_slot, t.paused, t.paused_at, t.pause_reason, coalesce(t.schedule, '') AS schedule, \
         (SELECT l.public_id FROM {LAST_RUN}) AS last_run, \
         (SELECT r.started_at FROM run r WHERE r.topic = t.id AND r.seq IS NOT NULL AND r.started_at IS NOT NULL AND r.state IN ('ok', 'partial') ORDER BY r.seq DESC LIMIT 1) AS last_success \
         FROM topic t WHERE t.removed_at IS NULL AND t.id > $1{among} ORDER BY t.id LIMIT $2"
    );
    let mut query = sqlx::query(AssertSqlSafe(sql)).bind(after).bind(limit);
    if let Some(only) = only {
        query = query.bind(serde_json::json!(only).to_string());
    }
    let rows = query.fetch_all(&mut *conn).await?;
    let mut cards = Vec::with_capacity(rows.len());
    let mut last = Vec::new();
    for row in &rows {
        let definition: String = row.try_get("definition")?;
        last.push(row.try_get::<Option<String>, _>("last_run")?);
        cards.push(TopicCard {
            topic: row.try_get("id")?,
            title: row.try_get("title")?,
            definition: serde_json::from_str::<Topic>(&definition).ok(),
            paused: status_and_runs::paused(row)?,
            planned_until: read::time(row, "planned_until")?,
            next_slot: read::time(row, "next_slot")?.filter(|at| at.0 > 0),
            last_run: None,
            last_success: read::time(row, "last_success")?,
            new: 0,
            fails: false,
            may_be_more: false,
            new_at_least: false,
            new_baseline: 0,
        });
    }
    let list = serde_json::json!(last.iter().flatten().collect::<Vec<_>>()).to_string();
    let sql = format!("{} WHERE r.public_id IN (SELECT given.value FROM {})", read::RUN, super::texts(1));
    let mut runs = HashMap::new();
    for row in sqlx::query(AssertSqlSafe(sql)).bind(&list).fetch_all(&mut *conn).await? {
        let run = read::run(&row)?;
        runs.insert(run.run.clone(), run);
    }
    let ids: Vec<String> = cards.iter().map(|card| card.topic.clone()).collect();
    let full = full_since(conn, &ids, since).await?;
    let failing = failing(conn, &list).await?;
    let mut counted = fresh::new_since(conn, &ids, since).await?;
    for (card, last) in cards.iter_mut().zip(last) {
        card.last_run = last.and_then(|run| runs.remove(&run));
        card.new = counted.new.remove(&card.topic).unwrap_or(0);
        card.new_baseline = counted.baseline.remove(&card.topic).unwrap_or(0);
        let is_full = full.contains(&card.topic);
        card.fails = failing.contains(&card.topic);
        card.may_be_more = card.fails || is_full;
        // Items of a first answer do not count as new, even if the reply was full.
        card.new_at_least = card.fails || card.new > 0 && is_full;
    }
    Ok(cards)
}

/// Returns those of these topics for which a run since an instant got a full reply. Begins with the full replies, which are
/// few. A search begins after its run; the hour before leaves room for a clock that was set back meanwhile.
async fn full_since(conn: &mut Conn, topics: &[String], since: Time) -> Result<HashSet<String>, StoreError> {
    let sql = format!(
        "SELECT given.value FROM {} WHERE EXISTS (SELECT 1 FROM search s CROSS JOIN run r WHERE s.topic = given.value AND s.saturated = 1 \
         AND s.started_at >= CAST($2 AS BIGINT) - 3600000 AND r.id = s.run AND r.attempt = s.attempt AND r.topic = s.topic \
         AND r.seq IS NOT NULL AND {} >= $2)",
        super::texts(1),
        read::RUN_AT
    );
    let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(serde_json::json!(topics).to_string()).bind(since.0);
    Ok(query.fetch_all(conn).await?.into_iter().collect())
}

/// Returns those topics for which a source that finds items failed in one of these runs, wholly or in part, or returned
/// nothing in error.
async fn failing(conn: &mut Conn, runs: &str) -> Result<HashSet<String>, StoreError> {
    let sql = format!(
        "SELECT r.topic, s.source, s.operation FROM {} CROSS JOIN run r CROSS JOIN search s WHERE r.public_id = given.value AND s.run = r.id \
         AND s.attempt = r.attempt AND (s.state IN ('error', 'lost', 'over_quota') OR s.state IN ('ok', 'not_run') AND s.error_class IS NOT NULL OR {} = 1)",
        super::texts(1),
        read::EMPTY_IN_ERROR
    );
    let mut topics = HashSet::new();
    for row in sqlx::query(AssertSqlSafe(sql)).bind(runs).fetch_all(conn).await? {
        let source = read::word(&row, "source", Source::parse)?;
        if result_kind(source, row.try_get("operation")?) != ResultKind::Answer {
            topics.insert(row.try_get("topic")?);
        }
    }
    Ok(topics)
}

/// Returns the number of watched topics.
pub(in crate::store) async fn count_topics(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM topic WHERE removed_at IS NULL").fetch_one(conn).await?)
}

/// Returns whether there is any readable run.
pub(in crate::store) async fn any_run(conn: &mut Conn) -> Result<bool, StoreError> {
    Ok(sqlx::query("SELECT seq FROM run WHERE seq IS NOT NULL LIMIT 1").fetch_optional(conn).await?.is_some())
}

/// Returns processes, the latest heartbeat first.
pub(in crate::store) async fn process_rows(conn: &mut Conn) -> Result<Vec<ProcessRow>, StoreError> {
    let rows = sqlx::query(
        "SELECT id, role, started_at, seen_at, alive_until FROM instance ORDER BY seen_at DESC, id LIMIT 50",
    )
    .fetch_all(conn)
    .await?;
    let time = |row, column| Ok::<_, StoreError>(read::time(row, column)?.unwrap_or_default());
    rows.iter()
        .map(|row| {
            Ok(ProcessRow {
                id: row.try_get("id")?,
                role: row.try_get("role")?,
                started_at: time(row, "started_at")?,
                seen_at: time(row, "seen_at")?,
                alive_until: time(row, "alive_until")?,
            })
        })
        .collect()
}

/// Returns the slots missed in a span, the oldest slot before `planned_by` that is not planned yet, and the end of the
/// last numbered run. Slots recorded by a clock that was ahead were not missed.
pub(in crate::store) async fn ledger(conn: &mut Conn, missed: Span, planned_by: Time) -> Result<LedgerRow, StoreError> {
    let sql = format!(
        "SELECT (SELECT count(*) FROM run r WHERE {at} >= $1 AND {at} < $3 AND r.state = 'missed' AND coalesce(r.reason, '') <> $4) AS missed, \
         (SELECT min(next_slot) FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND next_slot > 0 AND next_slot < $2) AS overdue_since, \
         (SELECT finished_at FROM run WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1) AS last_end",
        at = read::RUN_AT
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(missed.from.0).bind(planned_by.0).bind(missed.until.0);
    let row = query.bind(RECORDED_AHEAD).fetch_one(conn).await?;
    Ok(LedgerRow {
        missed: row.try_get("missed")?,
        overdue_since: read::time(&row, "overdue_since")?,
        last_end: read::time(&row, "last_end")?,
    })
}
