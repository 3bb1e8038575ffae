//! A span of a topic's runs: its place in the reading order, and its searches with their queries. Items are in
//! `item_changes`; `insight::changes` decides what is new or gone.

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, followers, prune, read};
use crate::model::{Question, SearchState, SeqRange, Snapshot, Snapshots, Source, Span, Time};
use crate::store::StoreError;

/// The most searches read of one span. A daily report with a run each minute has 4,320.
const MOST: i64 = 6_000;

/// Searches read before the span for comparison.
const BEFORE: i64 = 90;

/// The offset of the earliest run before a span in which predecessors of its first searches are looked for.
const LAST: i64 = 29;

/// Selects the last attempt's searches of numbered runs. `CROSS JOIN` fixes the order of the tables even without statistics.
fn snapshot_select() -> String {
    format!(
        "SELECT r.public_id, r.seq, coalesce(r.started_at, r.slot, r.planned_at) AS at, s.source, s.operation, s.query, s.state, \
         CAST(CASE WHEN s.state = 'not_run' AND s.error_class IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS refused, \
         CAST(CASE WHEN s.state = 'ok' AND s.error_class IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS in_part, \
         s.saturated, {} AS empty_in_error, s.asked_from, s.asked_until, s.found, s.new, s.duplicate, s.outside, s.undated, r.thinned \
         FROM run r CROSS JOIN search s WHERE s.run = r.id AND s.attempt = r.attempt AND r.topic = $1 AND r.seq > $2 AND r.seq <= $3 \
         ORDER BY r.seq DESC, s.source LIMIT $4",
        read::EMPTY_IN_ERROR
    )
}

/// Returns the last `seq` of a topic's runs that started before an instant. Missed and skipped slots do not count: they
/// may be recorded long after their time, and then have a higher number than runs that started later.
pub(in crate::store) async fn seq_before(conn: &mut Conn, topic: &str, at: Time) -> Result<i64, StoreError> {
    let sql = format!(
        "SELECT r.seq FROM run r WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.started_at IS NOT NULL AND {} < $2 ORDER BY r.seq DESC LIMIT 1",
        read::RUN_AT
    );
    let seq: Option<i64> = sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(at.0).fetch_optional(conn).await?;
    Ok(seq.unwrap_or(0))
}

/// Returns the last `seq` of a topic's runs before all of those that started at or after an instant. The one that
/// started first need not be the one with the lowest `seq`. Missed and skipped slots do not count: nothing was
/// searched, so a comparison cannot begin or end there.
pub(in crate::store) async fn seq_since(conn: &mut Conn, topic: &str, at: Time) -> Result<i64, StoreError> {
    // `seq + 0` keeps both databases from walking along the topic's numbers from the start.
    let sql = format!(
        "SELECT min(r.seq + 0) FROM run r WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.started_at IS NOT NULL AND {} >= $2",
        read::RUN_AT
    );
    let first: Option<i64> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(at.0).fetch_one(&mut *conn).await?;
    let later = Span { from: at, until: Time(i64::MAX) };
    let first = followers::unless_contradicted(conn, Some(topic), later, first).await?;
    // Not simply `first - 1`: findings of other topics' runs in between are news to the first of these runs.
    let before: Option<i64> =
        sqlx::query_scalar("SELECT max(seq) FROM run WHERE topic = $1 AND seq < $2 AND started_at IS NOT NULL")
            .bind(topic)
            .bind(first.unwrap_or(i64::MAX))
            .fetch_one(conn)
            .await?;
    Ok(before.unwrap_or(0))
}

/// Returns the last run that searched up to a place in the reading order, also if its searches were pruned.
pub(in crate::store) async fn run_before(
    conn: &mut Conn,
    topic: &str,
    seq: i64,
) -> Result<Option<(String, Time)>, StoreError> {
    let sql = "SELECT r.public_id, r.started_at FROM run r WHERE r.topic = $1 AND r.seq <= $2 AND r.started_at IS NOT NULL \
         AND (r.pruned_at IS NOT NULL OR EXISTS (SELECT 1 FROM search s WHERE s.run = r.id AND s.attempt = r.attempt)) \
         ORDER BY r.seq DESC LIMIT 1";
    let row = sqlx::query(sql).bind(topic).bind(seq).fetch_optional(conn).await?;
    row.map(|row| Ok((row.try_get("public_id")?, Time(row.try_get("started_at")?)))).transpose()
}

pub(in crate::store) async fn snapshots(
    conn: &mut Conn,
    topic: &str,
    between: SeqRange,
) -> Result<Snapshots, StoreError> {
    let mut found = Snapshots::default();
    collect(conn, topic, between, MOST, &mut found).await?;
    found.cut = found.all.len() >= usize::try_from(MOST).unwrap_or(usize::MAX);
    if !found.cut {
        collect(conn, topic, SeqRange { since: 0, until: between.since }, BEFORE, &mut found).await?;
    }
    found.all.reverse();
    found.known = vec![false; found.questions.len()];
    let first = found.all.first().map_or(0, |snapshot| snapshot.seq);
    for (question, known) in found.questions.iter().zip(&mut found.known) {
        *known = asked_before(conn, topic, question, first).await?;
    }
    found.complete_from = prune::pruned_days(conn, topic).await?.complete_from();
    Ok(found)
}

async fn collect(
    conn: &mut Conn,
    topic: &str,
    between: SeqRange,
    most: i64,
    found: &mut Snapshots,
) -> Result<(), StoreError> {
    let mut rows = sqlx::query(AssertSqlSafe(snapshot_select()))
        .bind(topic)
        .bind(between.since)
        .bind(between.until)
        .bind(most)
        .fetch(conn);
    while let Some(row) = rows.try_next().await? {
        let snapshot = snapshot(&row, &mut found.questions)?;
        found.all.push(snapshot);
    }
    Ok(())
}

fn snapshot(row: &Row, questions: &mut Vec<Question>) -> Result<Snapshot, StoreError> {
    let row_question = Question {
        source: read::word(row, "source", Source::parse)?,
        operation: row.try_get("operation")?,
        query: row.try_get("query")?,
    };
    // There are few, and it is nearly always the latest.
    let question = questions.iter().position(|known| *known == row_question).unwrap_or_else(|| {
        questions.push(row_question);
        questions.len() - 1
    });
    Ok(Snapshot {
        run: row.try_get("public_id")?,
        seq: row.try_get("seq")?,
        at: Time(row.try_get("at")?),
        question,
        state: read::word(row, "state", SearchState::parse)?,
        refused: read::flag(row, "refused")?.unwrap_or(false),
        in_part: read::flag(row, "in_part")?.unwrap_or(false),
        saturated: read::flag(row, "saturated")?.unwrap_or(false),
        empty_in_error: read::flag(row, "empty_in_error")?.unwrap_or(false),
        requested_span: read::time(row, "asked_from")?
            .zip(read::time(row, "asked_until")?)
            .and_then(|(from, until)| Span::new(from, until)),
        counts: read::counts(row)?,
        thinned: read::flag(row, "thinned")?.unwrap_or(false),
    })
}

/// Returns when a topic's query changed within a span, by time: where two successive searches of a source differ. Also
/// reads a few runs before the span, so that its first search has a predecessor.
pub(in crate::store) async fn query_changes(conn: &mut Conn, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
    let before = read::RUN_AT.replace("r.", "o.");
    let sql = format!(
        "SELECT DISTINCT asked.at FROM (SELECT {at} AS at, s.operation AS operation, s.query AS query, \
           lag(s.operation) OVER w AS last_operation, lag(s.query) OVER w AS last_query FROM run r CROSS JOIN search s \
           WHERE r.topic = $1 AND r.seq IS NOT NULL AND {at} < $3 AND {at} >= coalesce((SELECT {before} FROM run o WHERE o.topic = $1 \
             AND o.seq IS NOT NULL AND {before} < $2 ORDER BY {before} DESC, o.public_id DESC LIMIT 1 OFFSET {LAST}), 0) \
           AND s.run = r.id AND s.attempt = r.attempt AND s.state NOT IN ('not_run', 'over_quota') \
           WINDOW w AS (PARTITION BY s.source ORDER BY r.seq)) asked \
         WHERE asked.at >= $2 AND (asked.operation <> asked.last_operation OR asked.query <> asked.last_query) ORDER BY asked.at",
        at = read::RUN_AT
    );
    let at: Vec<i64> =
        sqlx::query_scalar(AssertSqlSafe(sql)).bind(topic).bind(span.from.0).bind(span.until.0).fetch_all(conn).await?;
    Ok(at.into_iter().map(Time).collect())
}

/// Returns whether a query was answered before a place in the reading order. Walks back from there, so that a query in
/// use is found at once.
pub(in crate::store) async fn asked_before(
    conn: &mut Conn,
    topic: &str,
    question: &Question,
    seq: i64,
) -> Result<bool, StoreError> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT r.seq FROM run r CROSS JOIN search s WHERE r.topic = $1 AND r.seq < $2 AND r.started_at IS NOT NULL AND s.run = r.id AND s.attempt = r.attempt AND s.source = $3 \
         AND s.operation = $4 AND s.query = $5 AND s.state IN ('ok', 'empty') ORDER BY r.seq DESC LIMIT 1",
    )
    .bind(topic)
    .bind(seq)
    .bind(question.source.as_str())
    .bind(&question.operation)
    .bind(&question.query)
    .fetch_optional(conn)
    .await?;
    Ok(found.is_some())
}
