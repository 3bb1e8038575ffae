//! Adds the findings of a run's replies, as read today, to the stored run: items, keys, sightings, unknown fields.
//! First sightings stay, and counts only grow by the additions.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::{AssertSqlSafe, Row as _};

use super::items::{self, TopicItemUpdate};
use super::loaded_item::Content;
use super::resolve::ITEMS_LOCK;
use super::resolve::{ItemSet, SightedItem, fetch_json, to_json};
use super::{Conn, day_counts, erase, forgotten, item_history, read, snapshot, tone, word_index};
use crate::model::{Engagement, Finding, Source, WindowFit};
use crate::store::{Counts, ReplayChanges, ReplayedRun, SeenItem, StoreError, StoredRun};

/// A stored sighting: its place in the window, and its engagement.
type SightingState = (WindowFit, Engagement);

/// Changes to sightings.
#[derive(Default)]
struct SightingUpdates<'a> {
    /// Index of the item, and what was seen.
    added: Vec<(usize, Source, &'a Finding)>,
    refined: Vec<(usize, Source, SightingState)>,
    /// Items that the run had not seen.
    fresh: Vec<usize>,
    counts: BTreeMap<Source, Counts>,
}

pub(in crate::store) async fn replay_run(
    conn: &mut Conn,
    run: &StoredRun,
    read: &ReplayedRun,
    dry_run: bool,
) -> Result<ReplayChanges, StoreError> {
    let sql =
        format!("SELECT found, erased, thinned, pruned_at FROM run WHERE id = $1 AND topic = $2{}", super::ROW_LOCK);
    let row = sqlx::query(AssertSqlSafe(sql)).bind(run.id).bind(&run.topic).fetch_optional(&mut *conn).await?;
    // The topic was forgotten or renamed meanwhile.
    let Some(row) = row else { return Ok(ReplayChanges::default()) };
    super::lock(conn, ITEMS_LOCK).await?;
    if !dry_run {
        day_counts::mark_due(conn, std::slice::from_ref(&run.topic)).await?;
    }
    let existing = sightings(conn, run.id).await?;
    let gone = row.try_get::<Option<i64>, _>("thinned")? == Some(1)
        || row.try_get::<Option<i64>, _>("pruned_at")?.is_some()
        || (existing.is_empty() && row.try_get::<i64, _>("found")? > row.try_get::<i64, _>("erased")?);
    if gone {
        return Ok(ReplayChanges { thinned: 1, ..ReplayChanges::default() });
    }
    let mut changed = ReplayChanges::default();
    let items = allowed(conn, run, read, dry_run, &mut changed).await?;
    let topics = [run.topic.as_str()].into();
    let mut item_set = ItemSet::load(conn, items.iter(), &topics).await?;
    let before: Vec<Content> = item_set.items.iter().map(|item| item.content.clone()).collect();
    let bare = pruned_items(conn, &item_set).await?;
    let seen_before: HashSet<i64> = existing.keys().map(|(item, _)| *item).collect();
    let seen = item_set.apply_replay((run.id, &run.topic, run.seen_at), &items, &seen_before, &bare);
    let sights = compare(&item_set, &seen, &existing, read, &mut changed);
    select_writes(&mut item_set, &before, &sights, &mut changed);
    let answer = read.answer.as_ref().filter(|(answer, _)| !answer.text.is_empty());
    let answered: i64 =
        sqlx::query_scalar("SELECT count(*) FROM answer WHERE run = $1").bind(run.id).fetch_one(&mut *conn).await?;
    changed.answers = u64::from(answer.is_some() && answered == 0);
    changed.readable = read.replies.iter().map(|reply| reply.readable.unsigned_abs()).sum();
    if dry_run || !changed.is_changed() {
        return Ok(changed);
    }
    write(conn, run, read, &mut item_set, &sights).await?;
    if let Some((answer, cited)) = answer.filter(|_| answered == 0) {
        let cited = snapshot::cited_items(conn, &run.topic, cited).await?;
        sqlx::query("INSERT INTO answer (run, text, model, partial, cited) VALUES ($1, $2, $3, $4, $5)")
            .bind(run.id)
            .bind(&answer.text)
            .bind(&answer.model)
            .bind(i64::from(answer.partial))
            .bind(serde_json::json!(cited).to_string())
            .execute(&mut *conn)
            .await?;
    }
    count(conn, run, read, &sights.counts).await?;
    if changed.new > 0 || changed.texts > 0 {
        erase::restart_clustering(conn, Some(run.seq)).await?;
    }
    Ok(changed)
}

/// Returns the items that were not forgotten.
async fn allowed(
    conn: &mut Conn,
    run: &StoredRun,
    read: &ReplayedRun,
    dry_run: bool,
    changed: &mut ReplayChanges,
) -> Result<Vec<SeenItem>, StoreError> {
    let Some((key, tombstones)) = forgotten::for_items(conn, read.items.iter(), std::iter::empty()).await? else {
        return Ok(read.items.clone());
    };
    let (refused, kept): (Vec<&SeenItem>, Vec<&SeenItem>) =
        read.items.iter().partition(|item| forgotten::is_forgotten(&tombstones, item));
    changed.forgotten = refused.len() as u64;
    if !dry_run {
        forgotten::refuse(conn, key, &refused, run.seen_at).await?;
    }
    Ok(kept.into_iter().cloned().collect())
}

/// Returns items whose words were pruned: a reply that is still kept must not bring them back.
async fn pruned_items(conn: &mut Conn, item_set: &ItemSet) -> Result<HashSet<i64>, StoreError> {
    let ids: Vec<i64> = item_set.items.iter().filter_map(|item| item.id).collect();
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN item i WHERE i.id = given.value AND i.pruned_at IS NOT NULL",
        super::rows_in_one("i.id"),
        super::numbers(1)
    );
    Ok(fetch_json::<(i64,)>(conn, sql, [to_json(&ids)?]).await?.into_iter().map(|(id,)| id).collect())
}

async fn sightings(conn: &mut Conn, run: i64) -> Result<HashMap<(i64, Source), SightingState>, StoreError> {
    let rows = sqlx::query(
        "SELECT item, source, fit, likes, reposts, replies, quotes, bookmarks, views FROM sighting WHERE run = $1",
    )
    .bind(run)
    .fetch_all(conn)
    .await?;
    rows.iter()
        .map(|row| {
            let source = read::word(row, "source", Source::parse)?;
            let fit = read::word(row, "fit", WindowFit::parse)?;
            Ok(((row.try_get("item")?, source), (fit, read::engagement(row)?)))
        })
        .collect()
}

/// Compares with the stored sightings: which are new, improved, or no longer found.
fn compare<'a>(
    item_set: &ItemSet,
    seen: &[(SightedItem<'a>, bool)],
    existing: &HashMap<(i64, Source), SightingState>,
    read: &ReplayedRun,
    changed: &mut ReplayChanges,
) -> SightingUpdates<'a> {
    let places: HashMap<i64, usize> =
        item_set.items.iter().enumerate().filter_map(|(place, item)| Some((item.id?, place))).collect();
    // Sightings of a merged item belong to the item it was merged into.
    let merged_place = |id: i64| {
        places
            .get(&id)
            .map(|place| item_set.merges.iter().fold(*place, |at, (into, from)| if *from == at { *into } else { at }))
    };
    let stored: HashMap<(usize, Source), &SightingState> =
        existing.iter().filter_map(|((id, source), sight)| Some(((merged_place(*id)?, *source), sight))).collect();
    let seen_before: HashSet<usize> = stored.keys().map(|(place, _)| *place).collect();
    let mut sights = SightingUpdates::default();
    let mut found: HashSet<(usize, Source)> = HashSet::new();
    for (one, is_known) in seen {
        let had = seen_before.contains(&one.item);
        if !had {
            sights.fresh.push(one.item);
            changed.new += u64::from(!is_known);
        }
        for (nth, (source, finding)) in one.sightings.iter().enumerate() {
            found.insert((one.item, *source));
            let entries = one.entries.get(source).copied().unwrap_or(1);
            let counts = sights.counts.entry(*source).or_default();
            let Some((fit, engagement)) = stored.get(&(one.item, *source)) else {
                let new = i64::from(nth == 0 && !had && !is_known);
                *counts += Counts::of_item(entries, new, finding.fit);
                sights.added.push((one.item, *source, finding));
                continue;
            };
            let better = if *fit == WindowFit::Undated { finding.fit } else { *fit };
            let filled = super::loaded_item::merge(*engagement, finding.found.engagement);
            if better != *fit || filled != *engagement {
                if better != *fit {
                    counts.undated -= 1;
                    counts.outside += i64::from(better == WindowFit::Outside);
                }
                sights.refined.push((one.item, *source, (better, filled)));
            }
        }
    }
    let readable: HashSet<Source> = read.replies.iter().map(|reply| reply.source).collect();
    let lost = |(id, source): &&(i64, Source)| {
        readable.contains(source) && merged_place(*id).is_none_or(|place| !found.contains(&(place, *source)))
    };
    changed.lost = existing.keys().filter(lost).count() as u64;
    changed.sightings = sights.added.len() as u64;
    changed.refined = sights.refined.len() as u64;
    changed.merged = item_set.merges.len() as u64;
    sights
}

/// Decides which known items are written, and counts their new fields.
fn select_writes(
    item_set: &mut ItemSet,
    before: &[Content],
    sights: &SightingUpdates<'_>,
    changed: &mut ReplayChanges,
) {
    let fresh: HashSet<usize> = sights.fresh.iter().copied().collect();
    for (place, item) in item_set.items.iter_mut().enumerate() {
        let Some(was) = before.get(place) else {
            changed.items += u64::from(item.seen);
            continue;
        };
        if !item.seen {
            continue;
        }
        let now = &item.content;
        let reads = |was: bool, now: bool| u64::from(!was && now);
        changed.titles += reads(was.title.is_some(), now.title.is_some());
        changed.texts += reads(was.text.is_some(), now.text.is_some());
        changed.authors += reads(was.author.is_some(), now.author.is_some());
        changed.dates += reads(was.published_at.is_some(), now.published_at.is_some());
        let other_fields = |content: &Content| {
            let Content { post_id, url, author_name, lang, is_repost, is_quote, conversation_id, .. } = content.clone();
            (post_id, url, author_name, lang, is_repost, is_quote, conversation_id)
        };
        changed.others += u64::from(other_fields(was) != other_fields(now));
        changed.keys += item.keys_to_add.len() as u64;
        item.seen = item.rewritten || item.filled || fresh.contains(&place);
    }
}

async fn write(
    conn: &mut Conn,
    run: &StoredRun,
    read: &ReplayedRun,
    item_set: &mut ItemSet,
    sights: &SightingUpdates<'_>,
) -> Result<(), StoreError> {
    tone::judge(&mut item_set.items, read.judge);
    items::insert_new(conn, &mut item_set.items).await?;
    items::insert_keys(conn, &item_set.items, read.key_version).await?;
    items::update_known(conn, &item_set.items).await?;
    tone::update_reworded(conn, &item_set.items).await?;
    items::keep_revisions(conn, &item_set.items).await?;
    item_history::insert_versions(conn, &item_set.items).await?;
    word_index::note_changed(conn, &item_set.items).await?;
    let id = |place: usize| item_set.items.get(place).and_then(|item| item.id);
    let added =
        sights.added.iter().filter_map(|(place, source, finding)| Some((run.id, id(*place)?, *source, *finding)));
    items::insert_sightings(conn, added.collect()).await?;
    let at = (run.id, run.seen_at);
    let lessons =
        sights.fresh.iter().filter_map(|place| Some((id(*place)?, TopicItemUpdate { first: at, last: at, times: 1 })));
    items::upsert_topic_items(conn, lessons.map(|(id, lesson)| ((run.topic.as_str(), id), lesson)).collect()).await?;
    items::merge_all(conn, item_set).await?;
    let refined: Vec<_> =
        sights.refined.iter().filter_map(|(place, source, sight)| Some((id(*place)?, *source, *sight))).collect();
    for (item, source, (fit, engagement)) in refined {
        sqlx::query(
            "UPDATE sighting SET fit = $1, likes = $2, reposts = $3, replies = $4, quotes = $5, bookmarks = $6, views = $7 \
             WHERE run = $8 AND item = $9 AND source = $10",
        )
        .bind(fit.as_str())
        .bind(engagement.likes)
        .bind(engagement.reposts)
        .bind(engagement.replies)
        .bind(engagement.quotes)
        .bind(engagement.bookmarks)
        .bind(engagement.views)
        .bind(run.id)
        .bind(item)
        .bind(source.as_str())
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Updates the counts of the searches and the run.
async fn count(
    conn: &mut Conn,
    run: &StoredRun,
    read: &ReplayedRun,
    counts: &BTreeMap<Source, Counts>,
) -> Result<(), StoreError> {
    const SET: &str = "found = found + $1, new = new + $2, duplicate = duplicate + $3, outside = outside + $4, undated = undated + $5, \
         unreadable = unreadable - $6 WHERE id = $7";
    let mut run_total = (Counts::default(), 0);
    let mut add = |counts: Counts, readable: i64| {
        run_total.0 += counts;
        run_total.1 += readable;
    };
    let mut rows = Vec::new();
    for reply in &read.replies {
        let counts = counts.get(&reply.source).copied().unwrap_or_default();
        add(counts, reply.readable);
        rows.push(("search", reply.search, counts, reply.readable));
    }
    rows.push(("run", run.id, run_total.0, run_total.1));
    for (table, id, counts, readable) in rows {
        sqlx::query(AssertSqlSafe(format!("UPDATE {table} SET {SET}")))
            .bind(counts.found)
            .bind(counts.new)
            .bind(counts.duplicate)
            .bind(counts.outside)
            .bind(counts.undated)
            .bind(readable)
            .bind(id)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}
