//! Stores the items of runs that end together, in a few statements whatever their number: new items and their keys,
//! updates of known ones, replaced words, sightings, and what the topics know. `resolve` decides to which item a
//! sighting belongs.

use std::collections::{BTreeMap, HashMap};

use sqlx::{QueryBuilder, Row as _};

use super::loaded_item::LoadedItem;
use super::merge::merge;
use super::resolve::ItemSet;
use super::{Conn, Database, item_history, tone, word_index};
use crate::model::{Finding, Source, Time};
use crate::store::{Counts, Outcome, RunRef, StoreError};

/// Rows per statement: 27 columns stay far below both databases' limits on bound values.
const BATCH: usize = 500;

/// A sighting to write: run, item, source, what was seen.
pub(in crate::store) type Sighting<'a> = (i64, i64, Source, &'a Finding);

/// What a topic learns about an item: the first and the last run that saw it, and how many did.
pub(in crate::store) struct TopicItemUpdate {
    pub(in crate::store) first: (i64, Time),
    pub(in crate::store) last: (i64, Time),
    pub(in crate::store) times: i64,
}

/// Stores what runs found, as if they were stored one after the other. Returns counts per source of each run. The
/// caller must hold the items' lock.
pub(in crate::store) async fn store_items(
    conn: &mut Conn,
    ends: &[(&RunRef, &Outcome)],
) -> Result<Vec<BTreeMap<Source, Counts>>, StoreError> {
    if ends.iter().all(|(_, outcome)| outcome.items.is_empty()) {
        return Ok(ends.iter().map(|_| BTreeMap::new()).collect());
    }
    let items = ends.iter().flat_map(|(_, outcome)| &outcome.items);
    let topics = ends.iter().map(|(run, _)| run.topic.id.as_str()).collect();
    let mut item_set = ItemSet::load(conn, items, &topics).await?;
    let mut seen = Vec::with_capacity(ends.len());
    let mut counts = Vec::with_capacity(ends.len());
    for (run, outcome) in ends {
        let (items, counted) = item_set.apply_run(run, outcome);
        seen.push(items);
        counts.push(counted);
    }
    // Keys are stored with the version of the rules that made them; one process has only one version.
    let version = ends.iter().map(|(_, outcome)| outcome.key_version).max().unwrap_or_default();
    tone::judge(&mut item_set.items, ends.iter().rev().find_map(|(_, outcome)| outcome.judge));
    insert_new(conn, &mut item_set.items).await?;
    insert_keys(conn, &item_set.items, version).await?;
    update_known(conn, &item_set.items).await?;
    tone::update_reworded(conn, &item_set.items).await?;
    keep_revisions(conn, &item_set.items).await?;
    item_history::insert_versions(conn, &item_set.items).await?;
    word_index::note_changed(conn, &item_set.items).await?;

    let mut sightings: Vec<Sighting<'_>> = Vec::new();
    let mut lessons: BTreeMap<(&str, i64), TopicItemUpdate> = BTreeMap::new();
    for (end, items) in ends.iter().zip(&seen) {
        let at = (end.0.id, end.1.seen_at);
        for one in items {
            let Some(id) = item_set.items.get(one.item).and_then(|item| item.id) else { continue };
            sightings.extend(one.sightings.iter().map(|(source, finding)| (end.0.id, id, *source, *finding)));
            let lesson =
                lessons.entry((&end.0.topic.id, id)).or_insert(TopicItemUpdate { first: at, last: at, times: 0 });
            lesson.times += 1;
            if at.1 >= lesson.last.1 {
                lesson.last = at;
            }
        }
    }
    insert_sightings(conn, sightings).await?;
    upsert_topic_items(conn, lessons).await?;
    merge_all(conn, &item_set).await?;
    Ok(counts)
}

/// Merges items that turned out to be the same; their sightings are already written.
pub(in crate::store) async fn merge_all(conn: &mut Conn, item_set: &ItemSet) -> Result<(), StoreError> {
    for (place, from) in &item_set.merges {
        if let (Some(into), Some(from)) = (item_set.items.get(*place), item_set.items.get(*from))
            && let (Some(into_id), Some(from_id)) = (into.id, from.id)
        {
            let knew = item_set.knew.get(place).map_or(&[][..], Vec::as_slice);
            merge(conn, (into_id, from_id), into.first_seen, knew).await?;
        }
    }
    Ok(())
}

/// Inserts items that have no id yet, and sets their ids.
pub(in crate::store) async fn insert_new(conn: &mut Conn, items: &mut [LoadedItem]) -> Result<(), StoreError> {
    let mut new: Vec<&LoadedItem> = items.iter().filter(|item| item.id.is_none()).collect();
    if new.is_empty() {
        return Ok(());
    }
    new.sort_by(|a, b| a.key.cmp(&b.key));
    let mut ids: HashMap<String, i64> = HashMap::with_capacity(new.len());
    for chunk in new.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO item (key, kind, strong, post_id, url, author, author_name, title, text, lang, published_at, first_seen, last_seen, is_repost, \
             is_quote, conversation_id, likes, reposts, replies, quotes, bookmarks, views, revisions, past, tone, score, scorer) ",
        );
        insert.push_values(chunk, |mut row, item| {
            let (content, engagement) = (&item.content, item.engagement);
            row.push_bind(&item.key).push_bind(item.kind.as_str()).push_bind(i64::from(item.strong));
            row.push_bind(&content.post_id)
                .push_bind(&content.url)
                .push_bind(&content.author)
                .push_bind(&content.author_name);
            row.push_bind(&content.title)
                .push_bind(&content.text)
                .push_bind(&content.lang)
                .push_bind(content.published_at.map(|t| t.0));
            row.push_bind(item.first_seen.0).push_bind(item.last_seen.0);
            row.push_bind(content.is_repost.map(i64::from))
                .push_bind(content.is_quote.map(i64::from))
                .push_bind(&content.conversation_id);
            row.push_bind(engagement.likes).push_bind(engagement.reposts).push_bind(engagement.replies);
            row.push_bind(engagement.quotes).push_bind(engagement.bookmarks).push_bind(engagement.views);
            row.push_bind(i64::try_from(item.revisions.len()).unwrap_or(i64::MAX));
            row.push_bind(i64::try_from(item.past.len()).unwrap_or(i64::MAX));
            row.push_bind(item.judged.map(|tone_score| tone_score.tone.as_str()))
                .push_bind(item.judged.and_then(|tone_score| tone_score.score))
                .push_bind(item.judged.map(|tone_score| tone_score.scorer));
        });
        insert.push(" RETURNING key, id");
        for row in insert.build().persistent(false).fetch_all(&mut *conn).await? {
            ids.insert(row.try_get(0)?, row.try_get(1)?);
        }
    }
    for item in items.iter_mut().filter(|item| item.id.is_none()) {
        item.id = ids.get(&item.key).copied();
    }
    Ok(())
}

pub(in crate::store) async fn insert_keys(
    conn: &mut Conn,
    items: &[LoadedItem],
    version: i64,
) -> Result<(), StoreError> {
    let named =
        |item: &LoadedItem| item.id.map(|id| item.keys_to_add.iter().map(move |key| (key.clone(), id)).collect());
    let mut keys: Vec<(String, i64)> = items.iter().filter_map(named).flat_map(|keys: Vec<_>| keys).collect();
    keys.sort_unstable();
    for chunk in keys.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new("INSERT INTO item_key (key, version, item) ");
        insert.push_values(chunk, |mut row, (key, id)| {
            row.push_bind(key).push_bind(version).push_bind(*id);
        });
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Updates known items. Nearly all of them change only in time and engagement, and share one statement per batch.
pub(in crate::store) async fn update_known(conn: &mut Conn, items: &[LoadedItem]) -> Result<(), StoreError> {
    let mut known: Vec<(i64, &LoadedItem)> =
        items.iter().filter(|item| item.seen && item.stored).filter_map(|item| item.id.map(|id| (id, item))).collect();
    known.sort_by_key(|(id, _)| *id);
    for chunk in known.chunks(BATCH) {
        let mut update = QueryBuilder::<Database>::new(
            "UPDATE item SET last_seen = CASE WHEN v.column2 > item.last_seen THEN v.column2 ELSE item.last_seen END, likes = v.column3, \
             reposts = v.column4, replies = v.column5, quotes = v.column6, bookmarks = v.column7, views = v.column8 FROM (",
        );
        update.push_values(chunk, |mut row, (id, item)| {
            let engagement = item.engagement;
            row.push_bind(*id).push_bind(item.last_seen.0);
            row.push_bind(engagement.likes).push_bind(engagement.reposts).push_bind(engagement.replies);
            row.push_bind(engagement.quotes).push_bind(engagement.bookmarks).push_bind(engagement.views);
        });
        update.push(") AS v WHERE item.id = v.column1").build().persistent(false).execute(&mut *conn).await?;
    }
    for (id, item) in known.into_iter().filter(|(_, item)| item.rewritten) {
        rewrite(conn, id, item).await?;
    }
    Ok(())
}

async fn rewrite(conn: &mut Conn, id: i64, item: &LoadedItem) -> Result<(), StoreError> {
    let content = &item.content;
    sqlx::query(
        "UPDATE item SET strong = $1, post_id = $2, url = $3, author = $4, author_name = $5, title = $6, text = $7, lang = $8, published_at = $9, \
         is_repost = $10, is_quote = $11, conversation_id = $12, revisions = revisions + $13, past = past + $14, pruned_at = NULL WHERE id = $15",
    )
    .bind(i64::from(item.strong))
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
    .bind(i64::try_from(item.revisions.len()).unwrap_or(i64::MAX))
    .bind(i64::try_from(item.past.len()).unwrap_or(i64::MAX))
    .bind(id)
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) async fn keep_revisions(conn: &mut Conn, items: &[LoadedItem]) -> Result<(), StoreError> {
    let of = |item: &LoadedItem| item.id.map(|id| (id, item.revisions.clone()));
    let revisions: Vec<_> = items
        .iter()
        .filter_map(of)
        .flat_map(|(id, revisions)| revisions.into_iter().map(move |revision| (id, revision)))
        .collect();
    for chunk in revisions.chunks(BATCH) {
        let mut insert =
            QueryBuilder::<Database>::new("INSERT INTO item_revision (item, run, replaced_at, title, text) ");
        insert.push_values(chunk, |mut row, (id, revision)| {
            row.push_bind(*id).push_bind(revision.run).push_bind(revision.replaced_at.0);
            row.push_bind(&revision.title).push_bind(&revision.text);
        });
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Inserts sightings. The run has none yet, since its claim is given up when it ends. If it had, the insert and with it
/// the transaction would fail, so nothing is counted twice.
pub(in crate::store) async fn insert_sightings(conn: &mut Conn, mut rows: Vec<Sighting<'_>>) -> Result<(), StoreError> {
    rows.sort_by_key(|(run, item, source, _)| (*run, *item, *source));
    for chunk in rows.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO sighting (run, item, source, rank, fit, likes, reposts, replies, quotes, bookmarks, views) ",
        );
        insert.push_values(chunk, |mut row, (run, item, source, finding)| {
            let engagement = finding.found.engagement;
            row.push_bind(*run)
                .push_bind(*item)
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

pub(in crate::store) async fn upsert_topic_items(
    conn: &mut Conn,
    lessons: BTreeMap<(&str, i64), TopicItemUpdate>,
) -> Result<(), StoreError> {
    let lessons: Vec<_> = lessons.into_iter().collect();
    for chunk in lessons.chunks(BATCH) {
        let mut upsert = QueryBuilder::<Database>::new(
            "INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen) ",
        );
        upsert.push_values(chunk, |mut row, ((topic, item), lesson)| {
            row.push_bind(*topic).push_bind(*item);
            row.push_bind(lesson.first.1.0).push_bind(lesson.first.0);
            row.push_bind(lesson.last.1.0).push_bind(lesson.last.0).push_bind(lesson.times);
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
