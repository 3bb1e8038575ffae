//! One run's results become visible in one transaction: its end, its searches, items, sightings and answer. Fenced by
//! the claim's token; storing a second time is refused and changes nothing. How items are written is `items`'.

use std::collections::BTreeMap;

use sqlx::{QueryBuilder, Row as _};

use super::items::store_items;
use super::topics::claim_nature;
use super::{Conn, Database};
use crate::model::{Micros, Source, Time};
use crate::store::open::mixed;
use crate::store::{Counts, KnownKey, Outcome, RunRef, StoreError};

pub(in crate::store) async fn finish(
    conn: &mut Conn,
    run: &RunRef,
    outcome: &Outcome,
    place: &str,
) -> Result<Vec<(Source, Counts)>, StoreError> {
    // The row's own lock keeps a rescue away; the token says whether the run is still ours.
    // It began when it looked at the world, so that its sightings and the items it saw first tell one time.
    let held = sqlx::query(
        "UPDATE run SET started_at = $1, finished_at = $2 WHERE id = $3 AND token = $4 AND state = 'running'",
    )
    .bind(outcome.seen_at.0)
    .bind(outcome.finished_at.0)
    .bind(run.id)
    .bind(&run.token)
    .execute(&mut *conn)
    .await?;
    if held.rows_affected() == 0 {
        return Err(StoreError::fenced(&run.public_id));
    }
    if let Some(nature) = outcome.nature {
        let held = claim_nature(conn, nature).await?;
        if held != nature {
            return Err(mixed(place, held));
        }
    }
    let counts = if outcome.items.is_empty() { BTreeMap::new() } else { store_items(conn, run, outcome).await? };
    let count = |source: Source| counts.get(&source).copied().unwrap_or_default();

    store_searches(conn, run, outcome, count).await?;
    if let Some((answer, cited)) = &outcome.answer {
        sqlx::query("INSERT INTO answer (run, text, model, partial, cited) VALUES ($1, $2, $3, $4, $5)")
            .bind(run.id)
            .bind(&answer.text)
            .bind(&answer.model)
            .bind(i64::from(answer.partial))
            .bind(serde_json::json!(cited).to_string())
            .execute(&mut *conn)
            .await?;
    }
    let sum = |of: fn(&Counts) -> i64| counts.values().map(of).sum::<i64>();
    sqlx::query(
        "UPDATE run SET state = $1, reason = $2, error_class = $3, error_text = $4, found = $5, new = $6, duplicate = $7, outside = $8, \
         undated = $9, unreadable = $10, cost = (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) FROM search s WHERE s.run = run.id), \
         lease_until = NULL, token = NULL WHERE id = $11",
    )
    .bind(outcome.state.as_str())
    .bind(&outcome.reason)
    .bind(outcome.error.as_ref().map(|e| &e.0))
    .bind(outcome.error.as_ref().map(|e| &e.1))
    .bind(sum(|c| c.found))
    .bind(sum(|c| c.new))
    .bind(sum(|c| c.duplicate))
    .bind(sum(|c| c.outside))
    .bind(sum(|c| c.undated))
    .bind(outcome.searches.iter().map(|s| s.unreadable).sum::<i64>())
    .bind(run.id)
    .execute(conn)
    .await?;
    Ok(outcome.searches.iter().map(|search| (search.source, count(search.source))).collect())
}

async fn store_searches(
    conn: &mut Conn,
    run: &RunRef,
    outcome: &Outcome,
    count: impl Fn(Source) -> Counts,
) -> Result<(), StoreError> {
    if outcome.searches.is_empty() {
        return Ok(());
    }
    // A search that was called has its row since before the call; one that was not called gets it now.
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO search (run, attempt, source, operation, query, state, reason, http_status, started_at, finished_at, latency_ms, found, new, \
         duplicate, outside, undated, unreadable, saturated, cost, cost_basis, error_class, error_text, topic, asked_from, asked_until, covered_from, covered_until) ",
    );
    insert.push_values(&outcome.searches, |mut row, search| {
        let counts = count(search.source);
        row.push_bind(run.id).push_bind(run.attempt).push_bind(search.source.as_str()).push_bind(search.operation);
        row.push_bind(&search.query).push_bind(search.state.as_str()).push_bind(&search.reason);
        row.push_bind(search.http_status.map(i64::from))
            .push_bind(outcome.seen_at.0)
            .push_bind(outcome.finished_at.0)
            .push_bind(search.latency_ms);
        row.push_bind(counts.found).push_bind(counts.new).push_bind(counts.duplicate);
        row.push_bind(counts.outside).push_bind(counts.undated).push_bind(search.unreadable);
        row.push_bind(i64::from(search.saturated)).push_bind(search.cost.max(Micros(0)).0).push_bind(search.cost_basis);
        row.push_bind(search.error.as_ref().map(|e| &e.0)).push_bind(search.error.as_ref().map(|e| &e.1));
        row.push_bind(&run.topic.id);
        for span in [search.asked, search.covered] {
            row.push_bind(span.map(|span| span.from.0)).push_bind(span.map(|span| span.until.0));
        }
    });
    insert.push(
        " ON CONFLICT (run, attempt, source) DO UPDATE SET state = excluded.state, reason = excluded.reason, http_status = excluded.http_status, \
         finished_at = excluded.finished_at, latency_ms = excluded.latency_ms, found = excluded.found, new = excluded.new, \
         duplicate = excluded.duplicate, outside = excluded.outside, undated = excluded.undated, unreadable = excluded.unreadable, \
         saturated = excluded.saturated, cost = excluded.cost, cost_basis = excluded.cost_basis, error_class = excluded.error_class, \
         error_text = excluded.error_text, topic = excluded.topic, asked_from = excluded.asked_from, \
         asked_until = excluded.asked_until, covered_from = excluded.covered_from, covered_until = excluded.covered_until RETURNING source, id",
    );
    // At most one search for each source, so there are few such statements and each is worth keeping prepared.
    let mut replies = Vec::with_capacity(outcome.searches.len());
    for row in insert.build().fetch_all(&mut *conn).await? {
        let (source, id): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
        let search = outcome.searches.iter().find(|search| search.source.as_str() == source);
        replies.extend(search.and_then(|search| search.raw.as_ref()).map(|raw| (id, raw)));
    }
    if replies.is_empty() {
        return Ok(());
    }
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO raw_reply (search, request, dialect, headers, received_at, bytes, truncated, body) ",
    );
    insert.push_values(replies, |mut row, (id, raw)| {
        row.push_bind(id).push_bind(&raw.request).push_bind(raw.dialect).push_bind(&raw.headers);
        row.push_bind(outcome.finished_at.0).push_bind(raw.bytes).push_bind(i64::from(raw.truncated));
        row.push_bind(&raw.body);
    });
    insert.build().execute(conn).await?;
    Ok(())
}

pub(in crate::store) async fn known(
    conn: &mut Conn,
    topic: &str,
    keys: &[String],
) -> Result<Vec<KnownKey>, StoreError> {
    let mut known = Vec::new();
    for chunk in keys.chunks(1_000) {
        let mut query = QueryBuilder::<Database>::new(
            // Written so that SQLite begins with the keys, however many items the topic has.
            "SELECT k.key, i.strong FROM item_key k CROSS JOIN item i CROSS JOIN topic_item t WHERE i.id = k.item AND t.item = i.id AND t.topic = ",
        );
        query.push_bind(topic).push(" AND k.key IN (");
        let mut list = query.separated(", ");
        for key in chunk {
            list.push_bind(key);
        }
        list.push_unseparated(")");
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            let strong: i64 = row.try_get(1)?;
            known.push(KnownKey { key: row.try_get(0)?, strong: strong != 0 });
        }
    }
    Ok(known)
}

pub(in crate::store) async fn answered_since(conn: &mut Conn, topic: &str, since: Time) -> Result<bool, StoreError> {
    let count: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM run r JOIN answer a ON a.run = r.id WHERE r.topic = $1 AND coalesce(r.started_at, r.slot, r.planned_at) >= $2",
    )
    .bind(topic)
    .bind(since.0)
    .fetch_one(conn)
    .await?;
    Ok(count > 0)
}
