//! Stores what runs found in one transaction: their ends, searches, items, sightings and answers. Runs that end at the
//! same time are stored together, in the order in which they ended, as if one after the other. The caller holds the
//! runs; `items` writes the items.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::forgotten;
use super::items::store_items;
use super::resolve::ITEMS_LOCK;
use super::resolve::{fetch_json, to_json};
use super::{Conn, Database, ledger, memory, read};
use crate::model::{Micros, Source, Span};
use crate::store::items::commit_queue::KeyLookup;
use crate::store::{Counts, KnownKey, Outcome, RunRef, SearchResult, StoreError};

/// A run, its outcome, and the counts from storing it.
type Counted<'a> = (&'a RunRef, &'a Outcome, BTreeMap<Source, Counts>);

/// Stores and ends runs that are held. Returns counts per source of each run, in order.
pub(in crate::store) async fn finish_all(
    conn: &mut Conn,
    ends: &[(&RunRef, &Outcome)],
) -> Result<Vec<Vec<(Source, Counts)>>, StoreError> {
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    if ends.iter().any(|(_, outcome)| !outcome.items.is_empty() || outcome.searches.iter().any(|s| s.raw.is_some())) {
        // Items are resolved and written under one lock, so that two transactions with the same new item store it once,
        // and nothing is forgotten meanwhile.
        super::lock(conn, ITEMS_LOCK).await?;
    }
    let allowed = forgotten::filter_outcomes(conn, ends).await?;
    let erased: Vec<i64> = allowed.iter().map(|kept| kept.as_ref().map_or(0, |kept| kept.erased)).collect();
    let ends: Vec<(&RunRef, &Outcome)> = ends
        .iter()
        .zip(&allowed)
        .map(|((run, outcome), kept)| (*run, kept.as_ref().map_or(*outcome, |kept| &kept.outcome)))
        .collect();
    let ends = ends.as_slice();
    let mut counts = store_items(conn, ends).await?;
    for (counts, kept) in counts.iter_mut().zip(&allowed) {
        for (source, refused) in kept.iter().flat_map(|kept| &kept.refused) {
            *counts.entry(*source).or_default() += *refused;
        }
    }
    let counted: Vec<Counted<'_>> =
        ends.iter().zip(counts).map(|((run, outcome), counts)| (*run, *outcome, counts)).collect();
    store_searches(conn, &counted).await?;
    store_answers(conn, ends).await?;
    memory::keep_all(conn, ends).await?;
    // Numbering comes last, since it blocks all other processes that number runs. Numbers follow the order in which
    // items were stored: a run's changes must be changes only for runs with higher numbers.
    let last = ledger::last_number(conn).await?;
    end_runs(conn, &counted, &erased, last).await?;
    Ok(counted
        .into_iter()
        .map(|(_, outcome, counts)| {
            outcome.searches.iter().map(|s| (s.source, counts.get(&s.source).copied().unwrap_or_default())).collect()
        })
        .collect())
}

/// Ends runs. Sets `started_at` to the time of the search, as in its sightings and first-seen items, and gives the run
/// the next place in the reading order.
async fn end_runs(conn: &mut Conn, ends: &[Counted<'_>], erased: &[i64], last: i64) -> Result<(), StoreError> {
    let mut update = QueryBuilder::<Database>::new(
        "UPDATE run SET started_at = v.column2, finished_at = v.column3, state = v.column4, reason = v.column5, error_class = v.column6, \
         error_text = v.column7, found = v.column8, new = v.column9, duplicate = v.column10, outside = v.column11, undated = v.column12, \
         unreadable = v.column13, clears_at = v.column14, erased = v.column15, seq = v.column16, cost = (SELECT CAST(coalesce(sum(s.cost), 0) AS BIGINT) FROM search s WHERE s.run = run.id), \
         lease_until = NULL, token = NULL FROM (",
    );
    update.push_values(ends.iter().zip(erased).zip(last + 1..), |mut row, (((run, outcome, counts), erased), seq)| {
        let sum = |of: fn(&Counts) -> i64| counts.values().map(of).sum::<i64>();
        row.push_bind(run.id).push_bind(outcome.seen_at.0).push_bind(outcome.finished_at.0);
        row.push_bind(outcome.state.as_str()).push_bind(&outcome.reason);
        row.push_bind(outcome.error.as_ref().map(|e| &e.0)).push_bind(outcome.error.as_ref().map(|e| &e.1));
        row.push_bind(sum(|c| c.found)).push_bind(sum(|c| c.new)).push_bind(sum(|c| c.duplicate));
        row.push_bind(sum(|c| c.outside)).push_bind(sum(|c| c.undated));
        row.push_bind(outcome.searches.iter().map(|s| s.unreadable).sum::<i64>());
        row.push_bind(outcome.searches.iter().filter_map(|s| s.clears_at).max().map(|at| at.0));
        row.push_bind(*erased).push_bind(seq);
    });
    update.push(") AS v WHERE run.id = v.column1").build().execute(conn).await?;
    Ok(())
}

async fn store_answers(conn: &mut Conn, ends: &[(&RunRef, &Outcome)]) -> Result<(), StoreError> {
    let mut answers = Vec::new();
    for (run, outcome) in ends {
        let Some((answer, cited)) = &outcome.answer else { continue };
        answers.push((run.id, (answer, cited_items(conn, &run.topic.id, cited).await?)));
    }
    if answers.is_empty() {
        return Ok(());
    }
    let mut insert = QueryBuilder::<Database>::new("INSERT INTO answer (run, text, model, partial, cited) ");
    insert.push_values(answers, |mut row, (run, (answer, cited))| {
        row.push_bind(run).push_bind(&answer.text).push_bind(&answer.model).push_bind(i64::from(answer.partial));
        row.push_bind(serde_json::json!(cited).to_string());
    });
    insert.build().execute(conn).await?;
    Ok(())
}

/// Returns the public keys of those items that a topic knows by these keys.
pub(in crate::store) async fn cited_items(
    conn: &mut Conn,
    topic: &str,
    keys: &[String],
) -> Result<Vec<String>, StoreError> {
    let sql = format!(
        "SELECT DISTINCT i.key FROM {} CROSS JOIN item_key k CROSS JOIN item i CROSS JOIN topic_item t \
         WHERE k.key = given.value AND i.id = k.item AND t.topic = $2 AND t.item = i.id ORDER BY i.key",
        super::texts(1)
    );
    let list = serde_json::json!(keys).to_string();
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(list).bind(topic).fetch_all(conn).await?)
}

/// Stores searches. A search that made a call has a row already; others get theirs now.
async fn store_searches(conn: &mut Conn, ends: &[Counted<'_>]) -> Result<(), StoreError> {
    type Search<'a> = (&'a RunRef, &'a Outcome, &'a SearchResult, Counts);
    let searches: Vec<Search<'_>> = ends
        .iter()
        .flat_map(|(run, outcome, counts)| {
            let of = |s: &SearchResult| counts.get(&s.source).copied().unwrap_or_default();
            outcome.searches.iter().map(move |search| (*run, *outcome, search, of(search)))
        })
        .collect();
    if searches.is_empty() {
        return Ok(());
    }
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO search (run, attempt, source, operation, query, state, reason, http_status, started_at, finished_at, latency_ms, found, new, \
         duplicate, outside, undated, unreadable, saturated, cost, cost_basis, error_class, error_text, topic, asked_from, asked_until, covered_from, covered_until, clears_at, late_ms) ",
    );
    insert.push_values(&searches, |mut row, (run, outcome, search, counts)| {
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
        for span in [search.requested_span, search.covered] {
            row.push_bind(span.map(|span| span.from.0)).push_bind(span.map(|span| span.until.0));
        }
        row.push_bind(search.clears_at.map(|at| at.0)).push_bind(search.late_ms);
    });
    insert.push(
        " ON CONFLICT (run, attempt, source) DO UPDATE SET state = excluded.state, reason = excluded.reason, http_status = excluded.http_status, \
         finished_at = excluded.finished_at, latency_ms = excluded.latency_ms, found = excluded.found, new = excluded.new, \
         duplicate = excluded.duplicate, outside = excluded.outside, undated = excluded.undated, unreadable = excluded.unreadable, \
         saturated = excluded.saturated, cost = excluded.cost, cost_basis = excluded.cost_basis, error_class = excluded.error_class, \
         error_text = excluded.error_text, topic = excluded.topic, asked_from = excluded.asked_from, \
         asked_until = excluded.asked_until, covered_from = excluded.covered_from, covered_until = excluded.covered_until, clears_at = excluded.clears_at, late_ms = excluded.late_ms RETURNING run, source, id",
    );
    let raw: HashMap<(i64, &str), _> = searches
        .iter()
        .filter_map(|(run, outcome, search, _)| {
            search.raw.as_ref().map(|raw| ((run.id, search.source.as_str()), (outcome.finished_at, raw)))
        })
        .collect();
    let mut replies = Vec::with_capacity(raw.len());
    for row in insert.build().persistent(false).fetch_all(&mut *conn).await? {
        let (run, source, id): (i64, String, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        replies.extend(raw.get(&(run, source.as_str())).map(|reply| (id, *reply)));
    }
    if replies.is_empty() {
        return Ok(());
    }
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO raw_reply (search, request, dialect, headers, received_at, bytes, truncated, body) ",
    );
    insert.push_values(replies, |mut row, (id, (received_at, raw))| {
        row.push_bind(id).push_bind(&raw.request).push_bind(raw.dialect).push_bind(&raw.headers);
        row.push_bind(received_at.0).push_bind(raw.bytes).push_bind(i64::from(raw.truncated));
        row.push_bind(&raw.body);
    });
    insert.build().persistent(false).execute(conn).await?;
    Ok(())
}

/// Returns the keys that each topic knows, in the order of the requests.
pub(in crate::store) async fn known_keys(
    conn: &mut Conn,
    lookups: &[KeyLookup],
) -> Result<Vec<Vec<KnownKey>>, StoreError> {
    // `CROSS JOIN` makes SQLite begin with the keys, however many items the topics have.
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN item_key k CROSS JOIN item i CROSS JOIN topic_item t \
         WHERE k.key = given.value AND i.id = k.item AND t.item = i.id AND t.topic IN (SELECT given.value FROM {})",
        super::rows_in_one("t.topic, k.key, i.strong"),
        super::texts(1),
        super::texts(2)
    );
    let keys: BTreeSet<&str> = lookups.iter().flat_map(|lookup| lookup.keys.iter().map(String::as_str)).collect();
    let topics: BTreeSet<&str> = lookups.iter().map(|lookup| lookup.topic.as_str()).collect();
    let rows = fetch_json::<(String, String, i64)>(conn, sql, [to_json(&keys)?, to_json(&topics)?]).await?;
    let known: HashMap<(&str, &str), i64> =
        rows.iter().map(|(topic, key, strong)| ((topic.as_str(), key.as_str()), *strong)).collect();
    // Forgotten items are not stored, so they do not count as new.
    let gone = forgotten::keys_among(conn, &keys).await?;
    let of = |lookup: &KeyLookup| {
        let strong = |key: &String| match known.get(&(lookup.topic.as_str(), key.as_str())) {
            None => gone.contains(key.as_str()).then_some(true),
            Some(strong) => Some(*strong != 0),
        };
        lookup.keys.iter().filter_map(|key| strong(key).map(|strong| KnownKey { key: key.clone(), strong })).collect()
    };
    Ok(lookups.iter().map(of).collect())
}

pub(in crate::store) async fn answered_in(conn: &mut Conn, topic: &str, span: Span) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT count(*) FROM run r JOIN answer a ON a.run = r.id WHERE r.topic = $1 AND {at} >= $2 AND {at} < $3 AND {}",
        read::ANSWER_IS_PRESENT,
        at = read::RUN_AT
    );
    let count = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).bind(topic).bind(span.from.0).bind(span.until.0);
    Ok(count.fetch_one(conn).await? > 0)
}
