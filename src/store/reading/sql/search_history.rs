//! When each topic was looked at, and how far what was covered reaches. What is a hole is `insight`'s to say.

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, Row, definitions, read};
use crate::model::{Look, LookSearch, RunState, SearchState, Source, Span, Time, Watched};
use crate::store::StoreError;

/// One row per run and search, and per run without any.
pub(in crate::store) const LOOK: &str = "SELECT r.topic, coalesce(r.started_at, r.slot, r.planned_at) AS at, r.state AS run_state, r.reason AS run_reason, \
     s.source, s.operation, s.state, s.asked_from, s.asked_until, s.covered_from, s.covered_until, s.saturated, \
     coalesce(s.error_class, s.reason) AS trouble FROM run r LEFT JOIN search s ON s.run = r.id";

pub(in crate::store) fn look(row: &Row) -> Result<Look, StoreError> {
    let span = |from, until| {
        Ok::<_, StoreError>(read::time(row, from)?.zip(read::time(row, until)?).and_then(|(a, b)| Span::new(a, b)))
    };
    let search = match row.try_get::<Option<String>, _>("source")? {
        None => None,
        Some(_) => Some(LookSearch {
            source: read::word(row, "source", Source::parse)?,
            operation: row.try_get("operation")?,
            state: read::word(row, "state", SearchState::parse)?,
            asked: span("asked_from", "asked_until")?,
            covered: span("covered_from", "covered_until")?,
            saturated: read::flag(row, "saturated")?.unwrap_or(false),
            trouble: row.try_get("trouble")?,
        }),
    };
    Ok(Look {
        topic: row.try_get("topic")?,
        at: Time(row.try_get("at")?),
        state: read::word(row, "run_state", RunState::parse)?,
        reason: row.try_get("run_reason")?,
        search,
    })
}

/// The looks of a topic from the begin of a span on, as far as they were about it: a search may look back over it later.
pub(in crate::store) async fn looks_over(conn: &mut Conn, topic: &str, span: Span) -> Result<Vec<Look>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(LOOK);
    query.push(" WHERE r.seq IS NOT NULL AND r.topic = ").push_bind(topic.to_owned());
    query.push(" AND ").push(read::RUN_AT).push(" >= ").push_bind(span.from.0);
    query.push(" AND (").push(read::RUN_AT).push(" < ").push_bind(span.until.0);
    query.push(" OR coalesce(s.asked_from, s.covered_from) < ").push_bind(span.until.0);
    query.push(") ORDER BY at, r.public_id, s.attempt, s.source");
    query.build().fetch_all(conn).await?.iter().map(look).collect()
}

/// Until when a source was covered, or was looked at and its reply was so full that it covers nothing: asking further back
/// would not make that better.
pub(in crate::store) async fn looked_until(
    conn: &mut Conn,
    topic: &str,
    source: Source,
) -> Result<Option<Time>, StoreError> {
    let until: Option<i64> = sqlx::query_scalar(
        "SELECT max(until) FROM ( \
         SELECT max(covered_until) AS until FROM search WHERE topic = $1 AND source = $2 AND covered_until IS NOT NULL UNION ALL \
         SELECT max(asked_until) FROM search WHERE topic = $1 AND source = $2 AND saturated = 1 AND covered_until IS NULL) AS looked",
    )
    .bind(topic)
    .bind(source.as_str())
    .fetch_one(conn)
    .await?;
    Ok(until.map(Time))
}

pub(in crate::store) async fn watched(conn: &mut Conn, named: &[String]) -> Result<Vec<Watched>, StoreError> {
    let mut all = Vec::new();
    // No list names those that are still watched; a name finds also one that is not any more.
    let lists: Vec<&[String]> = if named.is_empty() { vec![&[]] } else { named.chunks(500).collect() };
    for list in lists {
        let mut query = QueryBuilder::<Database>::new(
            "SELECT t.id, t.created_at, t.removed_at, t.paused, t.next_slot, t.definition FROM topic t WHERE ",
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
            all.push(Watched {
                topic: row.try_get("id")?,
                began: Time(row.try_get("created_at")?),
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
