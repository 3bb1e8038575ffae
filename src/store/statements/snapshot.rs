//! One run's results become visible in one transaction: its end, its searches, items, sightings and answer. Fenced by
//! the claim's token; storing a second time is refused and changes nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::{QueryBuilder, Row as _};

use super::resolve::{Content, Held, Resolved, merge, resolve};
use super::topics::claim_nature;
use super::{Conn, Database};
use crate::model::{Micros, Source, Time, WindowFit};
use crate::store::open::mixed;
use crate::store::{Counts, KnownKey, Outcome, RunRef, SearchResult, StoreError};

/// Rows per statement: 23 columns stay far below both databases' limits on bound values.
const BATCH: usize = 500;

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

    for search in &outcome.searches {
        store_search(conn, run, outcome, search, count(search.source)).await?;
    }
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

async fn store_search(
    conn: &mut Conn,
    run: &RunRef,
    outcome: &Outcome,
    search: &SearchResult,
    counts: Counts,
) -> Result<(), StoreError> {
    // A search that was called has its row since before the call; one that was not called gets it now.
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO search (run, attempt, source, operation, query, state, reason, http_status, started_at, finished_at, latency_ms, found, new, \
         duplicate, outside, undated, unreadable, saturated, cost, cost_basis, error_class, error_text) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) \
         ON CONFLICT (run, attempt, source) DO UPDATE SET state = excluded.state, reason = excluded.reason, http_status = excluded.http_status, \
         finished_at = excluded.finished_at, latency_ms = excluded.latency_ms, found = excluded.found, new = excluded.new, \
         duplicate = excluded.duplicate, outside = excluded.outside, undated = excluded.undated, unreadable = excluded.unreadable, \
         saturated = excluded.saturated, cost = excluded.cost, cost_basis = excluded.cost_basis, error_class = excluded.error_class, \
         error_text = excluded.error_text RETURNING id",
    )
    .bind(run.id)
    .bind(run.attempt)
    .bind(search.source.as_str())
    .bind(search.operation)
    .bind(&search.query)
    .bind(search.state.as_str())
    .bind(&search.reason)
    .bind(search.http_status.map(i64::from))
    .bind(outcome.seen_at.0)
    .bind(outcome.finished_at.0)
    .bind(search.latency_ms)
    .bind(counts.found)
    .bind(counts.new)
    .bind(counts.duplicate)
    .bind(counts.outside)
    .bind(counts.undated)
    .bind(search.unreadable)
    .bind(i64::from(search.saturated))
    .bind(search.cost.max(Micros(0)).0)
    .bind(search.cost_basis)
    .bind(search.error.as_ref().map(|e| &e.0))
    .bind(search.error.as_ref().map(|e| &e.1))
    .fetch_one(&mut *conn)
    .await?;
    if let Some(raw) = &search.raw {
        sqlx::query("INSERT INTO raw_reply (search, request, dialect, headers, received_at, bytes, truncated, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
            .bind(id)
            .bind(&raw.request)
            .bind(raw.dialect)
            .bind(&raw.headers)
            .bind(outcome.finished_at.0)
            .bind(raw.bytes)
            .bind(i64::from(raw.truncated))
            .bind(&raw.body)
            .execute(conn)
            .await?;
    }
    Ok(())
}

async fn store_items(conn: &mut Conn, run: &RunRef, outcome: &Outcome) -> Result<BTreeMap<Source, Counts>, StoreError> {
    // Items are resolved and written under one lock, so that two runs that find the same new item store it once.
    super::lock(conn, 4).await?;
    let resolved = resolve(conn, &outcome.items).await?;
    let ids = insert_new(conn, &resolved, outcome.seen_at).await?;
    let id_of = |item: &Resolved<'_>| -> Option<i64> {
        item.held.as_ref().map(|h| h.id).or_else(|| item.keys.first().and_then(|key| ids.get(*key)).copied())
    };
    let with_id: Vec<(i64, &Resolved<'_>)> =
        resolved.iter().filter_map(|item| id_of(item).map(|id| (id, item))).collect();
    insert_keys(conn, &with_id, outcome.key_version).await?;
    update_known(conn, run, &resolved, outcome.seen_at).await?;

    let all: Vec<i64> = with_id.iter().map(|(id, _)| *id).collect();
    let topic_knows = present(conn, "SELECT item FROM topic_item WHERE topic = ", &run.topic.id, &all).await?;
    let run_saw = present(conn, "SELECT item FROM sighting WHERE run = ", run.id, &all).await?;
    insert_sightings(conn, run, &with_id).await?;
    upsert_topic_items(conn, run, &with_id, &run_saw, outcome.seen_at).await?;

    let mut counts: BTreeMap<Source, Counts> = BTreeMap::new();
    for (id, item) in &with_id {
        for (place, (source, finding)) in item.sightings.iter().enumerate() {
            let entries = item.entries.get(source).copied().unwrap_or(1);
            let new = i64::from(place == 0 && !topic_knows.contains(id));
            let count = counts.entry(*source).or_default();
            count.found += entries;
            count.new += new;
            count.duplicate += entries - new;
            match finding.fit {
                WindowFit::In => {}
                WindowFit::Outside => count.outside += entries,
                WindowFit::Undated => count.undated += entries,
            }
        }
    }
    Ok(counts)
}

async fn insert_new(
    conn: &mut Conn,
    resolved: &[Resolved<'_>],
    seen_at: Time,
) -> Result<HashMap<String, i64>, StoreError> {
    let mut new: Vec<(&str, &Resolved<'_>)> = resolved
        .iter()
        .filter(|item| item.held.is_none())
        .filter_map(|item| item.keys.first().map(|key| (*key, item)))
        .collect();
    new.sort_by_key(|(key, _)| *key);
    let mut ids = HashMap::with_capacity(new.len());
    for chunk in new.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO item (key, kind, strong, post_id, url, author, author_name, title, text, lang, published_at, first_seen, last_seen, is_repost, \
             is_quote, conversation_id, likes, reposts, replies, quotes, bookmarks, views) ",
        );
        insert.push_values(chunk, |mut row, (key, item)| {
            let content = item.content();
            let engagement = item.engagement();
            row.push_bind(*key).push_bind(item.kind.as_str()).push_bind(i64::from(item.strong));
            row.push_bind(content.post_id)
                .push_bind(content.url)
                .push_bind(content.author)
                .push_bind(content.author_name);
            row.push_bind(content.title)
                .push_bind(content.text)
                .push_bind(content.lang)
                .push_bind(content.published_at.map(|t| t.0));
            row.push_bind(seen_at.0).push_bind(seen_at.0);
            row.push_bind(content.is_repost.map(i64::from))
                .push_bind(content.is_quote.map(i64::from))
                .push_bind(content.conversation_id);
            row.push_bind(engagement.likes).push_bind(engagement.reposts).push_bind(engagement.replies);
            row.push_bind(engagement.quotes).push_bind(engagement.bookmarks).push_bind(engagement.views);
        });
        insert.push(" RETURNING key, id");
        for row in insert.build().persistent(false).fetch_all(&mut *conn).await? {
            ids.insert(row.try_get(0)?, row.try_get(1)?);
        }
    }
    Ok(ids)
}

async fn insert_keys(conn: &mut Conn, items: &[(i64, &Resolved<'_>)], version: i64) -> Result<(), StoreError> {
    let mut seen = HashSet::new();
    let mut keys: Vec<(&str, i64)> = items
        .iter()
        .flat_map(|(id, item)| item.keys.iter().map(move |key| (*key, *id)))
        .filter(|(key, _)| seen.insert(*key))
        .collect();
    keys.sort_unstable();
    for chunk in keys.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new("INSERT INTO item_key (key, version, item) ");
        insert.push_values(chunk, |mut row, (key, id)| {
            row.push_bind(*key).push_bind(version).push_bind(*id);
        });
        insert.push(" ON CONFLICT (key) DO NOTHING").build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Brings known items up to date: the last sighting never falls, unknown fields are filled, changed words are kept as a
/// revision. Items about which nothing changed but the time take part in one statement.
async fn update_known(
    conn: &mut Conn,
    run: &RunRef,
    resolved: &[Resolved<'_>],
    seen_at: Time,
) -> Result<(), StoreError> {
    let mut known: Vec<(&Held, &Resolved<'_>)> =
        resolved.iter().filter_map(|item| item.held.as_ref().map(|held| (held, item))).collect();
    known.sort_by_key(|(held, _)| held.id);
    for chunk in known.chunks(BATCH) {
        let mut update = QueryBuilder::<Database>::new(
            "UPDATE item SET last_seen = CASE WHEN v.column2 > item.last_seen THEN v.column2 ELSE item.last_seen END, likes = v.column3, \
             reposts = v.column4, replies = v.column5, quotes = v.column6, bookmarks = v.column7, views = v.column8 FROM (",
        );
        update.push_values(chunk, |mut row, (held, item)| {
            // After a step back of the clock the stored numbers are the later ones.
            let engagement = if seen_at < held.last_seen {
                merge(held.engagement, item.engagement())
            } else {
                merge(item.engagement(), held.engagement)
            };
            row.push_bind(held.id).push_bind(seen_at.0);
            row.push_bind(engagement.likes).push_bind(engagement.reposts).push_bind(engagement.replies);
            row.push_bind(engagement.quotes).push_bind(engagement.bookmarks).push_bind(engagement.views);
        });
        update.push(") AS v WHERE item.id = v.column1").build().persistent(false).execute(&mut *conn).await?;
    }
    for (held, item) in known {
        let mut content = held.content.clone();
        let edited = seen_at >= held.last_seen && item.home_content().is_some_and(|now| revise(&mut content, &now));
        content.fill(&item.content());
        if edited {
            keep_revision(conn, run, held, seen_at).await?;
        }
        if content != held.content || (item.strong && !held.strong) {
            rewrite(conn, held, item, &content, edited).await?;
        }
    }
    Ok(())
}

/// Takes over words that changed; true when some did.
fn revise(content: &mut Content, now: &Content) -> bool {
    let mut changed = false;
    for (mine, new) in [(&mut content.title, &now.title), (&mut content.text, &now.text)] {
        if mine.is_some() && new.is_some() && mine != new {
            mine.clone_from(new);
            changed = true;
        }
    }
    changed
}

async fn keep_revision(conn: &mut Conn, run: &RunRef, held: &Held, seen_at: Time) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO item_revision (item, run, replaced_at, title, text) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (item, run) DO NOTHING")
        .bind(held.id)
        .bind(run.id)
        .bind(seen_at.0)
        .bind(&held.content.title)
        .bind(&held.content.text)
        .execute(conn)
        .await?;
    Ok(())
}

async fn rewrite(
    conn: &mut Conn,
    held: &Held,
    item: &Resolved<'_>,
    content: &Content,
    edited: bool,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE item SET strong = $1, post_id = $2, url = $3, author = $4, author_name = $5, title = $6, text = $7, lang = $8, published_at = $9, \
         is_repost = $10, is_quote = $11, conversation_id = $12, revisions = revisions + $13 WHERE id = $14",
    )
    .bind(i64::from(item.strong || held.strong))
    .bind(&content.post_id)
    .bind(&content.url)
    .bind(&content.author)
    .bind(&content.author_name)
    .bind(&content.title)
    .bind(&content.text)
    .bind(&content.lang)
    .bind(content.published_at.map(|t| t.0))
    .bind(content.is_repost.map(i64::from))
    .bind(content.is_quote.map(i64::from))
    .bind(&content.conversation_id)
    .bind(i64::from(edited))
    .bind(held.id)
    .execute(conn)
    .await?;
    Ok(())
}

async fn insert_sightings(conn: &mut Conn, run: &RunRef, items: &[(i64, &Resolved<'_>)]) -> Result<(), StoreError> {
    let mut rows: Vec<_> = items
        .iter()
        .flat_map(|(id, item)| item.sightings.iter().map(move |(source, finding)| (*id, *source, *finding)))
        .collect();
    rows.sort_by_key(|(id, source, _)| (*id, *source));
    for chunk in rows.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO sighting (run, item, source, rank, fit, likes, reposts, replies, quotes, bookmarks, views) ",
        );
        insert.push_values(chunk, |mut row, (id, source, finding)| {
            let engagement = finding.found.engagement;
            row.push_bind(run.id)
                .push_bind(*id)
                .push_bind(source.as_str())
                .push_bind(i64::from(finding.found.rank))
                .push_bind(finding.fit.as_str());
            row.push_bind(engagement.likes).push_bind(engagement.reposts).push_bind(engagement.replies);
            row.push_bind(engagement.quotes).push_bind(engagement.bookmarks).push_bind(engagement.views);
        });
        insert
            .push(" ON CONFLICT (run, item, source) DO NOTHING")
            .build()
            .persistent(false)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}

async fn upsert_topic_items(
    conn: &mut Conn,
    run: &RunRef,
    items: &[(i64, &Resolved<'_>)],
    run_saw: &HashSet<i64>,
    seen_at: Time,
) -> Result<(), StoreError> {
    let mut ids: Vec<i64> = items.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    for chunk in ids.chunks(BATCH) {
        let mut upsert = QueryBuilder::<Database>::new(
            "INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen) ",
        );
        upsert.push_values(chunk, |mut row, id| {
            row.push_bind(&run.topic.id)
                .push_bind(*id)
                .push_bind(seen_at.0)
                .push_bind(run.id)
                .push_bind(seen_at.0)
                .push_bind(run.id);
            row.push_bind(i64::from(!run_saw.contains(id)));
        });
        upsert.push(
            " ON CONFLICT (topic, item) DO UPDATE SET times_seen = topic_item.times_seen + excluded.times_seen, \
             last_run = CASE WHEN excluded.last_seen >= topic_item.last_seen THEN excluded.last_run ELSE topic_item.last_run END, \
             last_seen = CASE WHEN excluded.last_seen > topic_item.last_seen THEN excluded.last_seen ELSE topic_item.last_seen END",
        );
        upsert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Which of these items a statement, narrowed by its first value, returns.
async fn present<'q, V>(
    conn: &mut Conn,
    select: &'static str,
    value: V,
    ids: &[i64],
) -> Result<HashSet<i64>, StoreError>
where
    V: sqlx::Encode<'q, Database> + sqlx::Type<Database> + Clone + 'q,
{
    let mut found = HashSet::with_capacity(ids.len());
    for chunk in ids.chunks(1_000) {
        let mut query = QueryBuilder::<Database>::new(select);
        query.push_bind(value.clone()).push(" AND item IN (");
        let mut list = query.separated(", ");
        for id in chunk {
            list.push_bind(*id);
        }
        list.push_unseparated(")");
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            found.insert(row.try_get::<i64, _>(0)?);
        }
    }
    Ok(found)
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
