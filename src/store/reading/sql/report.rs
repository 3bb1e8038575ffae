//! Reads of a daily report, per topic and bounded: marks, words, engagement, searches, the last answer. Figures and
//! days are computed elsewhere; bounds are passed in as instants.

use std::collections::HashSet;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::day_counts::MOMENT;
use super::spent::UNBILLED;
use super::{Conn, Database, Row, read};
use crate::model::{
    CountedItem, EngagementAt, ItemContent, Kind, Micros, ResolvedKey, SearchCost, SearchState, SearchSummary, Source,
    Span, Time, Tone, WindowFit,
};
use crate::store::{AnswerRow, StoreError};

/// An item with its cluster: the key of the first near-copy, or its own key if it has none. `fit` is the best one among
/// the sources of the first run, read by the primary key of `sighting`.
const MARK: &str = "SELECT i.key, i.kind, i.author, CASE WHEN i.kind = 'page' THEN i.url END AS url, i.published_at, t.first_seen, f.seq, \
     coalesce(c.key, i.key) AS cluster, i.tone, CAST(i.score AS BIGINT) AS score, i.scorer, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views, \
     i.revisions + i.past AS changes, i.pruned_at, \
     CAST((SELECT max(CASE s.fit WHEN 'in' THEN 2 WHEN 'undated' THEN 1 ELSE 0 END) FROM sighting s \
     WHERE s.run = t.first_run AND s.item = t.item) AS BIGINT) AS fit \
     FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run LEFT JOIN item c ON c.id = i.cluster \
     WHERE t.topic = $1 AND t.first_seen >= $2 AND f.seq IS NOT NULL";

pub(in crate::store) async fn marks(
    conn: &mut Conn,
    topic: &str,
    seen: Span,
    most: i64,
) -> Result<Vec<CountedItem>, StoreError> {
    let sql = format!("{MARK} AND t.first_seen < $3 ORDER BY t.first_seen DESC, i.key LIMIT $4");
    let query = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(seen.from.0).bind(seen.until.0).bind(most);
    read_counted_items(&query.fetch_all(conn).await?)
}

/// Returns items of a topic that count in a span ([`CountedItem::moment`]). None was first seen before the span.
pub(in crate::store) async fn counted_items(
    conn: &mut Conn,
    topic: &str,
    span: Span,
) -> Result<Vec<CountedItem>, StoreError> {
    let sql = format!("{MARK} AND {MOMENT} >= $2 AND {MOMENT} < $3 ORDER BY t.first_seen DESC, i.key");
    read_counted_items(
        &sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(span.from.0).bind(span.until.0).fetch_all(conn).await?,
    )
}

/// Returns when a topic first saw items, within a span.
pub(in crate::store) async fn first_seen_in(conn: &mut Conn, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
    let rows: Vec<i64> = sqlx::query_scalar(
        "SELECT t.first_seen FROM topic_item t JOIN run f ON f.id = t.first_run \
         WHERE t.topic = $1 AND t.first_seen >= $2 AND t.first_seen < $3 AND f.seq IS NOT NULL",
    )
    .bind(topic)
    .bind(span.from.0)
    .bind(span.until.0)
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Time).collect())
}

fn read_counted_items(rows: &[Row]) -> Result<Vec<CountedItem>, StoreError> {
    rows.iter()
        .map(|row| {
            let fit = match row.try_get::<Option<i64>, _>("fit")? {
                Some(2) => WindowFit::In,
                Some(1) => WindowFit::Undated,
                _ => WindowFit::Outside,
            };
            Ok(CountedItem {
                key: row.try_get("key")?,
                kind: read::word(row, "kind", Kind::parse)?,
                author: row.try_get("author")?,
                url: row.try_get("url")?,
                published_at: read::time(row, "published_at")?,
                first_seen: read::time(row, "first_seen")?.unwrap_or_default(),
                seq: row.try_get("seq")?,
                fit,
                cluster: row.try_get("cluster")?,
                // A tone unknown to this version counts as not scored.
                sound: row.try_get::<Option<String>, _>("tone")?.as_deref().and_then(Tone::parse),
                score: row.try_get("score")?,
                scorer: row.try_get("scorer")?,
                engagement: read::engagement(row)?,
                changes: row.try_get("changes")?,
                pruned: read::time(row, "pruned_at")?.is_some(),
            })
        })
        .collect()
}

/// Returns when the topic's last run that was started began.
pub(in crate::store) async fn last_run(conn: &mut Conn, topic: &str) -> Result<Option<Time>, StoreError> {
    let at: Option<i64> = sqlx::query_scalar(
        "SELECT r.started_at FROM run r WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.started_at IS NOT NULL ORDER BY r.seq DESC LIMIT 1",
    )
    .bind(topic)
    .fetch_optional(conn)
    .await?;
    Ok(at.map(Time))
}

/// Returns the start of the topic's last run with the sources' current items: one of them answered, and it was not a
/// backfill.
pub(in crate::store) async fn last_look(conn: &mut Conn, topic: &str) -> Result<Option<Time>, StoreError> {
    let at: Option<i64> = sqlx::query_scalar(
        concat!(
            "SELECT r.started_at FROM run r WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.started_at IS NOT NULL AND EXISTS (SELECT 1 \
             FROM search s WHERE s.run = r.id AND s.attempt = r.attempt AND s.state IN ('ok', 'empty') AND s.source <> 'ai' AND (",
            is_backfill!("s", "r"),
            ") IS NOT TRUE) ORDER BY r.seq DESC LIMIT 1"
        ),
    )
    .bind(topic)
    .fetch_optional(conn)
    .await?;
    Ok(at.map(Time))
}

/// Returns when each source last found something before a time, from the latest 90 such searches, as in a `diff`.
pub(in crate::store) async fn last_finds_before(
    conn: &mut Conn,
    topic: &str,
    at: Time,
) -> Result<Vec<(Source, Time)>, StoreError> {
    let sql = format!(
        "SELECT f.source, max(f.at) AS at FROM (SELECT s.source AS source, {at} AS at FROM run r CROSS JOIN search s \
           WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.started_at IS NOT NULL AND {at} < $2 \
           AND s.run = r.id AND s.attempt = r.attempt AND s.found > 0 ORDER BY r.seq DESC LIMIT 90) AS f GROUP BY f.source ORDER BY f.source",
        at = read::RUN_AT
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(at.0).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((read::word(row, "source", Source::parse)?, Time(row.try_get("at")?)))).collect()
}

pub(in crate::store) async fn words(conn: &mut Conn, keys: &[String]) -> Result<Vec<ItemContent>, StoreError> {
    let mut all = Vec::new();
    for list in keys.chunks(500) {
        let mut query = QueryBuilder::<Database>::new(
            "SELECT i.key, i.url, i.author, i.title, i.text, i.lang, i.pruned_at FROM item i WHERE i.key IN (",
        );
        let mut names = query.separated(", ");
        for key in list {
            names.push_bind(key);
        }
        names.push_unseparated(")");
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            all.push(ItemContent {
                key: row.try_get("key")?,
                url: row.try_get("url")?,
                author: row.try_get("author")?,
                title: row.try_get("title")?,
                text: row.try_get("text")?,
                lang: row.try_get("lang")?,
                pruned: read::time(&row, "pruned_at")?.is_some(),
            });
        }
    }
    all.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(all)
}

pub(in crate::store) async fn reactions(
    conn: &mut Conn,
    topic: &str,
    span: Span,
    most: i64,
) -> Result<Vec<EngagementAt>, StoreError> {
    // `CROSS JOIN` makes SQLite begin with the runs.
    let mut query = QueryBuilder::<Database>::new(
        "SELECT i.key, s.source, r.started_at, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views FROM run r CROSS JOIN sighting s CROSS JOIN item i \
         WHERE s.run = r.id AND i.id = s.item AND r.seq IS NOT NULL AND coalesce(s.likes, s.reposts, s.replies, s.quotes, s.bookmarks) IS NOT NULL AND r.topic = ",
    );
    span_conditions(&mut query, topic, span);
    query.push(" ORDER BY ").push(read::RUN_AT).push(" DESC, r.public_id DESC, i.key, s.source LIMIT ").push_bind(most);
    let rows = query.build().fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(EngagementAt {
                key: row.try_get("key")?,
                source: read::word(row, "source", Source::parse)?,
                at: read::time(row, "started_at")?.unwrap_or_default(),
                engagement: read::engagement(row)?,
            })
        })
        .collect()
}

/// Returns which source showed which item in the topic's runs of a span.
pub(in crate::store) async fn shown_by(
    conn: &mut Conn,
    topic: &str,
    span: Span,
    most: i64,
) -> Result<Vec<(Source, String)>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(
        "SELECT DISTINCT s.source, i.key FROM run r CROSS JOIN sighting s CROSS JOIN item i \
         WHERE s.run = r.id AND i.id = s.item AND r.seq IS NOT NULL AND r.topic = ",
    );
    span_conditions(&mut query, topic, span);
    query.push(" ORDER BY i.key, s.source LIMIT ").push_bind(most);
    let rows = query.build().fetch_all(conn).await?;
    rows.iter().map(|row| Ok((read::word(row, "source", Source::parse)?, row.try_get("key")?))).collect()
}

/// Returns the keys of the items that a topic first saw since the start of a span and that one of these sources showed
/// in the topic's runs of the span, up to a place in the reading order.
pub(in crate::store) async fn found_by(
    conn: &mut Conn,
    topic: &str,
    sources: &[Source],
    span: Span,
    until: i64,
) -> Result<HashSet<String>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(
        "SELECT DISTINCT i.key FROM run r CROSS JOIN sighting s CROSS JOIN topic_item t CROSS JOIN item i \
         WHERE s.run = r.id AND t.topic = r.topic AND t.item = s.item AND i.id = s.item AND r.seq IS NOT NULL AND r.topic = ",
    );
    span_conditions(&mut query, topic, span);
    query.push(" AND r.seq <= ").push_bind(until).push(" AND t.first_seen >= ").push_bind(span.from.0);
    query.push(" AND s.source IN (");
    let mut names = query.separated(", ");
    for source in sources {
        names.push_bind(source.as_str());
    }
    names.push_unseparated(")");
    let keys = query.build_query_scalar().persistent(false).fetch_all(conn).await?;
    Ok(keys.into_iter().collect())
}

/// Returns what the searches of these topics cost in a span. Their runs began at an instant or later.
pub(in crate::store) async fn cost_of_topics(
    conn: &mut Conn,
    topics: &[String],
    began_from: Time,
    span: Span,
) -> Result<SearchCost, StoreError> {
    let sql = format!(
        "SELECT CAST(coalesce(sum(coalesce(s.cost, s.expected_cost)), 0) AS BIGINT) AS cost, \
         CAST(coalesce(sum(CASE WHEN {UNBILLED} THEN coalesce(s.cost, s.expected_cost) ELSE 0 END), 0) AS BIGINT) AS assumed \
         FROM {given} CROSS JOIN run r CROSS JOIN search s \
         WHERE r.topic = given.value AND r.seq IS NOT NULL AND {at} >= $2 AND {at} < $4 \
         AND s.run = r.id AND s.started_at >= $3 AND s.started_at < $4",
        given = super::texts(1),
        at = read::RUN_AT,
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(super::resolve::to_json(topics)?);
    let row = query.bind(began_from.0).bind(span.from.0).bind(span.until.0).fetch_one(conn).await?;
    Ok(SearchCost { total: Micros(row.try_get("cost")?), assumed: Micros(row.try_get("assumed")?) })
}

/// Returns the latest searches of a span, in order.
pub(in crate::store) async fn searches(
    conn: &mut Conn,
    topic: &str,
    span: Span,
    most: i64,
) -> Result<Vec<SearchSummary>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(format!(
        "SELECT r.public_id, s.tries, s.source, s.state, s.started_at, coalesce(s.error_class, s.reason) AS trouble, s.saturated, coalesce(s.cost, s.expected_cost) AS cost, \
         CAST(CASE WHEN s.state = 'not_run' AND (s.error_class IS NOT NULL OR s.reason = 'interrupted') THEN 1 ELSE 0 END AS BIGINT) AS refused, \
         {} AS empty_in_error, \
         CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT) AS past, \
         CASE WHEN {UNBILLED} THEN coalesce(s.cost, s.expected_cost) ELSE 0 END AS assumed \
         FROM run r JOIN search s ON s.run = r.id WHERE r.seq IS NOT NULL AND r.topic = ",
        read::EMPTY_IN_ERROR,
        is_backfill!("s", "r")
    ));
    span_conditions(&mut query, topic, span);
    query.push(" ORDER BY ").push(read::RUN_AT).push(" DESC, r.public_id DESC, s.attempt DESC, s.source DESC LIMIT ");
    let rows = query.push_bind(most).build().fetch_all(conn).await?;
    rows.iter()
        .rev()
        .map(|row| {
            Ok(SearchSummary {
                run: row.try_get("public_id")?,
                tries: row.try_get("tries")?,
                source: read::word(row, "source", Source::parse)?,
                state: read::word(row, "state", SearchState::parse)?,
                at: Time(row.try_get("started_at")?),
                trouble: row.try_get("trouble")?,
                refused: read::flag(row, "refused")?.unwrap_or(false),
                saturated: read::flag(row, "saturated")?.unwrap_or(false),
                empty_in_error: read::flag(row, "empty_in_error")?.unwrap_or(false),
                past: read::flag(row, "past")?.unwrap_or(false),
                cost: Micros(row.try_get("cost")?),
                assumed: Micros(row.try_get("assumed")?),
            })
        })
        .collect()
}

pub(in crate::store) async fn answer(
    conn: &mut Conn,
    topic: &str,
    span: Span,
) -> Result<Option<AnswerRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::ANSWER);
    query.push(" WHERE r.seq IS NOT NULL AND r.topic = ");
    span_conditions(&mut query, topic, span);
    query.push(" AND ").push(read::ANSWER_IS_PRESENT).push(" ORDER BY r.seq DESC LIMIT 1");
    query.build().fetch_optional(conn).await?.as_ref().map(read::answer).transpose()
}

pub(in crate::store) async fn resolve_keys(conn: &mut Conn, keys: &[String]) -> Result<Vec<ResolvedKey>, StoreError> {
    let mut all = Vec::new();
    for list in keys.chunks(500) {
        let mut query = QueryBuilder::<Database>::new(
            "SELECT k.key AS asked, i.key FROM item_key k JOIN item i ON i.id = k.item WHERE k.key IN (",
        );
        let mut names = query.separated(", ");
        for key in list {
            names.push_bind(key);
        }
        names.push_unseparated(")");
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            all.push(ResolvedKey { asked: row.try_get("asked")?, key: row.try_get("key")? });
        }
    }
    all.sort_by(|a, b| a.asked.cmp(&b.asked));
    Ok(all)
}

/// Adds the conditions for the topic, and for the span by the time of its runs.
fn span_conditions(query: &mut QueryBuilder<Database>, topic: &str, span: Span) {
    query.push_bind(topic.to_owned()).push(" AND ").push(read::RUN_AT).push(" >= ").push_bind(span.from.0);
    query.push(" AND ").push(read::RUN_AT).push(" < ").push_bind(span.until.0);
}
