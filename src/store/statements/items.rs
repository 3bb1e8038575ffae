//! The items of one run, in a handful of statements whatever their number: new ones and their keys, sightings, and what
//! the topic knows. Known items are brought up to date in `revisions`.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::{QueryBuilder, Row as _};

use super::resolve::{Resolved, resolve};
use super::revisions::update_known;
use super::{Conn, Database};
use crate::model::{Source, Time, WindowFit};
use crate::store::{Counts, Outcome, RunRef, StoreError};

/// Rows per statement: 23 columns stay far below both databases' limits on bound values.
pub(super) const BATCH: usize = 500;

/// Stores what a run found; returns counts per source.
pub(super) async fn store_items(
    conn: &mut Conn,
    run: &RunRef,
    outcome: &Outcome,
) -> Result<BTreeMap<Source, Counts>, StoreError> {
    // Items are resolved and written under one lock, so that two runs that find the same new item store it once.
    super::lock(conn, 4).await?;
    let resolved = resolve(conn, &run.topic.id, &outcome.items).await?;
    let ids = insert_new(conn, &resolved, outcome.seen_at).await?;
    let id_of = |item: &Resolved<'_>| -> Option<i64> {
        item.held.as_ref().map(|h| h.id).or_else(|| item.keys.first().and_then(|key| ids.get(*key)).copied())
    };
    let with_id: Vec<(i64, &Resolved<'_>)> =
        resolved.iter().filter_map(|item| id_of(item).map(|id| (id, item))).collect();
    insert_keys(conn, &with_id, outcome.key_version).await?;
    update_known(conn, run, &resolved, outcome.seen_at).await?;

    insert_sightings(conn, run, &with_id).await?;
    upsert_topic_items(conn, run, &with_id, outcome.seen_at).await?;

    let mut counts: BTreeMap<Source, Counts> = BTreeMap::new();
    for item in &resolved {
        let known = item.held.as_ref().is_some_and(|held| held.of_topic);
        for (place, (source, finding)) in item.sightings.iter().enumerate() {
            let entries = item.entries.get(source).copied().unwrap_or(1);
            let new = i64::from(place == 0 && !known);
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
        .flat_map(|(id, item)| item.keys_to_add.iter().map(move |key| (*key, *id)))
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

/// Whoever ends a run has its claim, and ending gives the claim up: the run has no sightings yet. If it had, the insert
/// would fail and the transaction with it, so that none is counted twice.
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
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

async fn upsert_topic_items(
    conn: &mut Conn,
    run: &RunRef,
    items: &[(i64, &Resolved<'_>)],
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
                .push_bind(run.id)
                .push_bind(1_i64);
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
