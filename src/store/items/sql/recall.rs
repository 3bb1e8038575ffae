//! The history of a query, for judging its next reply: the sizes of earlier replies, the posts they contained, and how
//! late posts were. `collect` draws the conclusions.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, read};
use crate::model::{QueryHistory, Question, Span, Time};
use crate::store::StoreError;

/// The number of earlier replies that are read.
const REPLIES: i64 = 20;
/// The most posts compared, the latest ones.
const POSTS: i64 = 2_000;

/// Returns the latest replies to a query of a topic, without those of a clock that was ahead, and the posts of a span that the
/// query showed when it last saw them.
pub(in crate::store) async fn query_history(
    conn: &mut Conn,
    topic: &str,
    question: &Question,
    span: Span,
    now: Time,
) -> Result<QueryHistory, StoreError> {
    let replies = sqlx::query(
        "SELECT found + unreadable AS size, late_ms, covered_from, asked_until FROM search WHERE topic = $1 AND source = $2 AND covered_until <= $6 \
         AND operation = $3 AND query = $4 ORDER BY covered_until DESC LIMIT $5",
    )
    .bind(topic)
    .bind(question.source.as_str())
    .bind(&question.operation)
    .bind(&question.query)
    .bind(REPLIES)
    .bind(now.0)
    .fetch_all(&mut *conn)
    .await?;
    let mut recall = QueryHistory::default();
    for (place, row) in replies.iter().enumerate() {
        recall.late.extend(row.try_get::<Option<i64>, _>("late_ms")?);
        let (from, until) = (read::time(row, "covered_from")?, read::time(row, "asked_until")?);
        let span = from.zip(until).and_then(|(from, until)| Span::new(from, until));
        if place == 0 {
            recall.before = span;
        }
        recall.sizes.push(row.try_get("size")?);
        recall.spans.push(span.unwrap_or(Span { from: Time(0), until: Time(0) }));
    }
    if replies.is_empty() {
        return Ok(recall);
    }
    if let Some(before) = recall.before {
        recall.was_emptied = was_emptied_between(conn, topic, question, (before.until, now)).await?;
    }
    // A post is first seen after it was published, so the index on `first_seen` finds the posts of the span.
    let posts = sqlx::query(
        "SELECT i.key, i.published_at FROM topic_item t JOIN item i ON i.id = t.item \
         JOIN sighting s ON s.run = t.last_run AND s.item = t.item AND s.source = $2 \
         JOIN search q ON q.run = t.last_run AND q.source = $2 AND q.operation = $3 AND q.query = $4 \
         WHERE t.topic = $1 AND t.first_seen >= $5 AND i.published_at >= $5 AND i.published_at < $6 \
         ORDER BY i.published_at DESC, i.key LIMIT $7",
    )
    .bind(topic)
    .bind(question.source.as_str())
    .bind(&question.operation)
    .bind(&question.query)
    .bind(span.from.0)
    .bind(span.until.0)
    .bind(POSTS)
    .fetch_all(&mut *conn)
    .await?;
    for row in &posts {
        recall.shown.push((Time(row.try_get("published_at")?), row.try_get("key")?));
    }
    Ok(recall)
}

/// Returns whether the last reply to a query between these times was empty and covers nothing. A reply with posts shows
/// that the service works again, even if it covers nothing.
async fn was_emptied_between(
    conn: &mut Conn,
    topic: &str,
    question: &Question,
    (since, until): (Time, Time),
) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT CAST(CASE WHEN s.state = 'empty' THEN 1 ELSE 0 END AS BIGINT) FROM run r CROSS JOIN search s \
         WHERE r.topic = $1 AND {} > $5 AND s.run = r.id AND s.source = $2 AND s.operation = $3 AND s.query = $4 \
         AND s.asked_until > $5 AND s.asked_until <= $6 AND (s.state = 'empty' AND s.covered_until IS NULL OR s.found > 0 OR s.unreadable > 0) \
         ORDER BY s.asked_until DESC, r.id DESC LIMIT 1",
        read::RUN_AT
    );
    let query = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).bind(topic).bind(question.source.as_str());
    let query = query.bind(&question.operation).bind(&question.query).bind(since.0).bind(until.0);
    Ok(query.fetch_optional(conn).await? == Some(1))
}
