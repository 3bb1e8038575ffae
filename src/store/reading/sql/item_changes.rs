//! Reads what happened to a topic's items in a span of its runs: first seen, last seen, edited, rising. Each read is
//! bounded by [`MOST_SIGHTS`] rows. Other modules interpret the rows.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, read};
use crate::model::{
    Edit, Engagement, FirstSighting, Growth, ItemSummary, Kind, LastSighting, SeqRange, Source, Time, WindowFit,
};
use crate::store::{MOST_SIGHTS, StoreError};

/// The columns of an [`ItemSummary`], from the tables of [`item_join`].
const HEAD: &str =
    "i.key, i.kind, i.url, i.author, i.title, i.text, i.lang, i.published_at, i.pruned_at, c.key AS cluster_key";

/// Joins the item that a column names, and the first of its near-copies.
fn item_join(on: &str) -> String {
    format!("JOIN item i ON i.id = {on} LEFT JOIN item c ON c.id = i.cluster")
}

fn head(row: &Row) -> Result<ItemSummary, StoreError> {
    Ok(ItemSummary {
        key: row.try_get("key")?,
        kind: read::word(row, "kind", Kind::parse)?,
        url: row.try_get("url")?,
        author: row.try_get("author")?,
        title: row.try_get("title")?,
        text: row.try_get("text")?,
        lang: row.try_get("lang")?,
        published_at: read::time(row, "published_at")?,
        cluster: row.try_get("cluster_key")?,
        pruned: read::time(row, "pruned_at")?.is_some(),
    })
}

/// Returns when the first and the last run of a span began.
async fn times(conn: &mut Conn, topic: &str, between: SeqRange) -> Result<Option<(i64, i64)>, StoreError> {
    let row = sqlx::query(
        "SELECT min(started_at) AS first, max(started_at) AS last FROM run WHERE topic = $1 AND seq > $2 AND seq <= $3",
    )
    .bind(topic)
    .bind(between.since)
    .bind(between.until)
    .fetch_one(conn)
    .await?;
    let (first, last): (Option<i64>, Option<i64>) = (row.try_get("first")?, row.try_get("last")?);
    Ok(first.zip(last))
}

/// Returns items that the topic first saw in the span, the latest first. `first_seen` is the start of the first run, so
/// the index on it finds them. Items of a backfill are outside even after its searches were pruned.
pub(in crate::store) async fn first(
    conn: &mut Conn,
    topic: &str,
    between: SeqRange,
) -> Result<Vec<FirstSighting>, StoreError> {
    let Some((from, to)) = times(conn, topic, between).await? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {HEAD}, f.public_id AS run, f.seq, t.first_seen, s.source, t.first_baseline, CASE WHEN t.first_fit = 2 THEN 'outside' ELSE s.fit END AS fit, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views \
         FROM topic_item t JOIN run f ON f.id = t.first_run {} LEFT JOIN sighting s ON s.run = t.first_run AND s.item = t.item \
         WHERE t.topic = $1 AND t.first_seen >= $2 AND t.first_seen <= $3 AND f.seq > $4 AND f.seq <= $5 \
         ORDER BY t.first_seen DESC, i.key, s.source LIMIT $6",
        item_join("t.item")
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(from).bind(to);
    let rows = query.bind(between.since).bind(between.until).bind(MOST_SIGHTS).fetch_all(conn).await?;
    let mut all: Vec<FirstSighting> = Vec::new();
    for row in &rows {
        let seen = match row.try_get::<Option<String>, _>("source")? {
            None => None,
            Some(_) => Some((read::word(row, "source", Source::parse)?, read::word(row, "fit", WindowFit::parse)?)),
        };
        let key: String = row.try_get("key")?;
        if let Some(last) = all.last_mut()
            && last.item.key == key
        {
            last.seen.extend(seen);
            continue;
        }
        all.push(FirstSighting {
            item: head(row)?,
            run: row.try_get("run")?,
            seq: row.try_get("seq")?,
            first_seen: Time(row.try_get("first_seen")?),
            seen: seen.into_iter().collect(),
            kept_baseline: row.try_get::<Option<i64>, _>("first_baseline")?.map(|was| was != 0),
            engagement: read::engagement(row)?,
        });
    }
    Ok(all)
}

/// Items are first seen after they are published, unless clocks differ by up to this.
const CLOCKS: i64 = 86_400_000;

/// Returns items published since an instant that a run of the span saw before its last one, with their sightings in the
/// span. Found by `first_seen`, which gives far fewer rows than all sightings of the span. `topic_item.last_run` is the
/// latest run by time, but another run may be later in the reading order: clocks are set back, and a run may end after
/// one that began later. So the sightings decide. Items seen at the end of the span or later are left out.
pub(in crate::store) async fn last(
    conn: &mut Conn,
    topic: &str,
    between: SeqRange,
    published_since: Time,
) -> Result<Vec<LastSighting>, StoreError> {
    let Some((from, _)) = times(conn, topic, between).await? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT i.id, {HEAD}, r.seq, t.last_seen FROM topic_item t JOIN run r ON r.id = t.last_run {} \
         WHERE t.topic = $1 AND t.first_seen >= $2 AND t.last_seen >= $3 AND r.seq < $4 AND i.published_at >= $5 ORDER BY i.key LIMIT $6",
        item_join("t.item")
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(published_since.0.saturating_sub(CLOCKS));
    let query = query.bind(from).bind(between.until);
    let rows = query.bind(published_since.0).bind(MOST_SIGHTS).fetch_all(&mut *conn).await?;
    let mut all = Vec::with_capacity(rows.len());
    let mut ids: Vec<i64> = Vec::with_capacity(rows.len());
    for row in &rows {
        ids.push(row.try_get("id")?);
        all.push(LastSighting {
            item: head(row)?,
            last_seq: row.try_get("seq")?,
            last_seen: Time(row.try_get("last_seen")?),
            seen: Vec::new(),
        });
    }
    let sql = format!(
        "SELECT s.item, s.source, s.fit, r.seq FROM {} CROSS JOIN sighting s CROSS JOIN run r \
         WHERE s.item = given.value AND r.id = s.run AND r.topic = $2 AND r.seq > $3 ORDER BY s.item, r.seq, s.source",
        super::numbers(1)
    );
    let places: HashMap<i64, usize> = ids.iter().copied().zip(0..).collect();
    for chunk in ids.chunks(500) {
        let list = serde_json::json!(chunk).to_string();
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(list).bind(topic).bind(between.since);
        for row in query.fetch_all(&mut *conn).await? {
            let place = places.get(&row.try_get::<i64, _>("item")?);
            let Some(item) = place.and_then(|place| all.get_mut(*place)) else { continue };
            let seq: i64 = row.try_get("seq")?;
            item.last_seq = item.last_seq.max(seq);
            if seq <= between.until && read::word(&row, "fit", WindowFit::parse)? == WindowFit::In {
                item.seen.push((read::word(&row, "source", Source::parse)?, seq));
            }
        }
    }
    Ok(all)
}

/// The number of runs after the start of a span that are searched for the earliest start. More runs cannot end while
/// one run lasts.
const RUNS: i64 = 10_000;

/// An item's title and text.
type Words = (Option<String>, Option<String>);

/// Whether two wordings differ only in the space between their words. Pruned words are unknown, and may differ.
fn is_respaced(before: &Words, after: &Words) -> bool {
    let is_same = |before: &Option<String>, after: &Option<String>| match (before, after) {
        (Some(before), Some(after)) => before.split_whitespace().eq(after.split_whitespace()),
        (before, after) => before == after,
    };
    let is_known = before.0.is_some() || before.1.is_some();
    is_known && is_same(&before.0, &after.0) && is_same(&before.1, &after.1)
}

/// Sets the number of edits, the time of the last one and the words before the first. `replaced` has the words that were
/// replaced, and when, the latest first; other space between the same words is no edit.
fn count_edits(edit: &mut Edit, replaced: Vec<(Words, Time)>) {
    let mut after: Words = (edit.item.title.clone(), edit.item.text.clone());
    for (old, at) in replaced {
        if !is_respaced(&old, &after) {
            if edit.edits == 0 {
                edit.at = at;
            }
            edit.edits += 1;
        }
        after = old;
    }
    (edit.old_title, edit.old_text) = after;
}

/// Returns items of the topic whose words were replaced in the span, by a run of any topic, the latest first. Found by
/// the time of the replacement, which is not before the start of any run of the span. Changes before the topic first
/// saw an item are left out: the topic never saw the old words.
pub(in crate::store) async fn edited(
    conn: &mut Conn,
    topic: &str,
    between: SeqRange,
    alone: bool,
) -> Result<Vec<Edit>, StoreError> {
    let since: Option<i64> = sqlx::query_scalar(
        "SELECT min(began.started_at) FROM \
         (SELECT started_at FROM run WHERE seq > $1 AND started_at IS NOT NULL ORDER BY seq LIMIT $2) began",
    )
    .bind(between.since)
    .bind(RUNS)
    .fetch_one(&mut *conn)
    .await?;
    let Some(since) = since else { return Ok(Vec::new()) };
    let known_words =
        if alone { format!(" AND {}", read::words_seen(|column| format!("{column} = $2"))) } else { String::new() };
    let sql = format!(
        "SELECT {HEAD}, v.replaced_at, v.title AS old_title, v.text AS old_text, r.seq \
         FROM item_revision v CROSS JOIN topic_item t JOIN run r ON r.id = v.run JOIN run f ON f.id = t.first_run {} \
         WHERE v.replaced_at >= $1 AND t.topic = $2 AND t.item = v.item AND r.seq > $3 AND r.seq > f.seq{known_words} ORDER BY v.replaced_at DESC, r.seq DESC, i.key LIMIT $4",
        item_join("v.item")
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(since).bind(topic).bind(between.since);
    let rows = query.bind(MOST_SIGHTS).fetch_all(&mut *conn).await?;
    let mut all: Vec<Edit> = Vec::new();
    let mut replaced: Vec<Vec<(Words, Time)>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // The words that a later edit replaced are the result of this one.
    let mut later: HashMap<String, Words> = HashMap::new();
    for row in &rows {
        let key: String = row.try_get("key")?;
        let old: Words = (row.try_get("old_title")?, row.try_get("old_text")?);
        let at = Time(row.try_get("replaced_at")?);
        if row.try_get::<i64, _>("seq")? > between.until {
            later.insert(key, old);
        } else if let Some(steps) = places.get(&key).and_then(|place| replaced.get_mut(*place)) {
            steps.push((old, at));
        } else {
            let mut item = head(row)?;
            if let Some((title, text)) = later.remove(&key) {
                (item.title, item.text) = (title, text);
            }
            places.insert(key, all.len());
            replaced.push(vec![(old, at)]);
            all.push(Edit { item, old_title: None, old_text: None, at, edits: 0 });
        }
    }
    // With `alone`, the words of that time may be words that only another topic saw.
    if !alone {
        let keys: Vec<&str> = all.iter().map(|edit| edit.item.key.as_str()).collect();
        let mut then = words_after(conn, &keys, between.until).await?;
        for item in all.iter_mut().map(|edit| &mut edit.item) {
            if let Some((title, text)) = then.remove(&item.key) {
                (item.title, item.text) = (title, text);
            }
        }
    }
    for (edit, steps) in all.iter_mut().zip(replaced) {
        count_edits(edit, steps);
    }
    all.sort_by_key(|edit| std::cmp::Reverse(edit.at));
    Ok(all)
}

/// Returns by key the words that items had after a run, of those that changed later: by an edit, because another source
/// worded them, or because something unknown was filled in.
async fn words_after(conn: &mut Conn, keys: &[&str], seq: i64) -> Result<HashMap<String, Words>, StoreError> {
    let sql = format!(
        "SELECT i.key, h.title, h.text FROM {} CROSS JOIN item i CROSS JOIN item_past h WHERE i.key = given.value AND h.item = i.id \
         AND h.id = (SELECT n.id FROM item_past n JOIN run p ON p.id = n.run WHERE n.item = i.id AND p.seq > $2 ORDER BY n.id LIMIT 1)",
        super::texts(1)
    );
    let mut all = HashMap::new();
    for chunk in keys.chunks(500) {
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(serde_json::json!(chunk).to_string()).bind(seq);
        for row in query.fetch_all(&mut *conn).await? {
            all.insert(row.try_get("key")?, (row.try_get("title")?, row.try_get("text")?));
        }
    }
    Ok(all)
}

/// Returns items that one source, any or this one, showed twice in the span with growing engagement, in order of key and source.
pub(in crate::store) async fn grown(
    conn: &mut Conn,
    topic: &str,
    between: SeqRange,
    source: Option<Source>,
) -> Result<Vec<Growth>, StoreError> {
    const KINDS: [&str; 6] = ["likes", "reposts", "replies", "quotes", "bookmarks", "views"];
    let columns = |table: &str, name: &str| KINDS.map(|kind| format!("{table}.{kind} AS {name}_{kind}")).join(", ");
    let grew = KINDS.map(|kind| format!("y.{kind} > x.{kind}")).join(" OR ");
    let sql = format!(
        "SELECT {HEAD}, g.source, a.started_at AS first_at, b.started_at AS last_at, {}, {} \
         FROM (SELECT s.item AS item, s.source AS source, min(r.seq) AS lo, max(r.seq) AS hi FROM run r CROSS JOIN sighting s \
           WHERE r.topic = $1 AND r.seq > $2 AND r.seq <= $3 AND s.run = r.id AND ($5 = '' OR s.source = $5) GROUP BY s.item, s.source HAVING min(r.seq) < max(r.seq)) g \
         JOIN run a ON a.seq = g.lo JOIN run b ON b.seq = g.hi \
         JOIN sighting x ON x.run = a.id AND x.item = g.item AND x.source = g.source \
         JOIN sighting y ON y.run = b.id AND y.item = g.item AND y.source = g.source {} WHERE {grew} ORDER BY i.key, g.source LIMIT $4",
        columns("x", "x"),
        columns("y", "y"),
        item_join("g.item")
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(between.since).bind(between.until);
    let source = source.as_ref().map_or("", Source::as_str);
    let rows = query.bind(MOST_SIGHTS).bind(source).fetch_all(conn).await?;
    let engagement = |row: &Row, at: &str| {
        let number = |kind: &str| row.try_get::<Option<i64>, _>(format!("{at}_{kind}").as_str());
        Ok::<_, StoreError>(Engagement {
            likes: number("likes")?,
            reposts: number("reposts")?,
            replies: number("replies")?,
            quotes: number("quotes")?,
            bookmarks: number("bookmarks")?,
            views: number("views")?,
        })
    };
    rows.iter()
        .map(|row| {
            Ok(Growth {
                item: head(row)?,
                source: read::word(row, "source", Source::parse)?,
                from: read::time(row, "first_at")?.unwrap_or_default(),
                until: read::time(row, "last_at")?.unwrap_or_default(),
                before: engagement(row, "x")?,
                after: engagement(row, "y")?,
            })
        })
        .collect()
}
