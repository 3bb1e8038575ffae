//! Statements for near-copies: items not compared yet, keys that lead to clusters, and the stored decisions. The caller
//! decides. A batch is written only if nothing was written since it was read.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::cluster_keys::AGES;
use super::resolve::ITEMS_LOCK;
use super::resolve::{fetch_json, to_json};
use super::{Conn, Database, ROW_LOCK, Row, cluster_keys, day_counts, filter_conditions, followers, read};
use crate::model::{Assignment, ClusterHead, ClusterRow, Follower, ItemText, KeyTableLimits, Kind, Time, Volume};
use crate::store::{Filter, StoreError, UnclusteredBatch};

/// Rows per statement. Small, so that most statements are full and their parsed form is reused.
const BATCH: usize = 200;

/// The most runs read for one batch.
const RUNS: i64 = 50;

/// The most characters read of a text or title.
const MOST_READ: i64 = 8_192;

/// Returns the next items to compare, ordered by the run that found them and by key. Skips runs that found nothing new.
pub(in crate::store) async fn unclustered(
    conn: &mut Conn,
    most: usize,
) -> Result<Option<UnclusteredBatch>, StoreError> {
    let row = sqlx::query("SELECT f.seq, s.next, s.turn, s.young, s.middle, s.sinking FROM cluster_state s CROSS JOIN follower f WHERE f.name = 'near-copies'")
        .fetch_one(&mut *conn)
        .await?;
    let (from, next, turn): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let (young, middle, sinking): (i64, i64, i64) = (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?);
    let runs =
        sqlx::query("SELECT seq, new FROM run WHERE seq IS NOT NULL AND new > 0 AND seq > $1 ORDER BY seq LIMIT $2")
            .bind(from)
            .bind(RUNS)
            .fetch_all(&mut *conn)
            .await?;
    let (mut last, mut brought) = (None, 0);
    for run in &runs {
        if brought >= i64::try_from(most).unwrap_or(i64::MAX) {
            break;
        }
        last = Some(run.try_get::<i64, _>("seq")?);
        brought += run.try_get::<i64, _>("new")?;
    }
    let Some(last) = last else { return Ok(None) };
    // `CROSS JOIN` makes SQLite begin with the runs.
    let rows = sqlx::query(
        "SELECT i.id, i.kind, substr(i.title, 1, CAST($4 AS INTEGER)) AS title, substr(i.text, 1, CAST($4 AS INTEGER)) AS text, i.score, min(r.seq) AS seq \
         FROM run r CROSS JOIN sighting s CROSS JOIN item i \
         WHERE r.seq IS NOT NULL AND r.new > 0 AND r.seq > $1 AND r.seq <= $2 AND s.run = r.id AND i.id = s.item AND i.cluster IS NULL \
         GROUP BY i.id ORDER BY min(r.seq), i.key LIMIT $3",
    )
    .bind(from)
    .bind(last)
    .bind(i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1))
    .bind(MOST_READ)
    .fetch_all(conn)
    .await?;
    let mut batch = UnclusteredBatch {
        from,
        until: last,
        next,
        turn,
        young,
        middle,
        sinking: sinking >= 0,
        items: Vec::new(),
        words: Vec::new(),
    };
    for row in rows.iter().take(most) {
        batch.items.push(row.try_get("id")?);
        batch.words.push(ItemText {
            kind: read::word(row, "kind", Kind::parse)?,
            title: row.try_get("title")?,
            text: row.try_get("text")?,
            score: row.try_get("score")?,
        });
    }
    if let Some(beyond) = rows.get(most) {
        // The run of the first item left out is not finished yet.
        batch.until = beyond.try_get::<i64, _>("seq")? - 1;
    }
    Ok(Some(batch))
}

/// Returns where keys lead, whichever table holds them. One statement, so that a key that is moved meanwhile is seen
/// once.
pub(in crate::store) async fn places_of_keys(conn: &mut Conn, keys: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
    let given = super::numbers(1);
    let of = |table: &str| format!("SELECT l.key, l.place FROM {given} CROSS JOIN {table} l WHERE l.key = given.value");
    let [young, middle, old] = AGES.map(of);
    let sql = format!(
        "SELECT {} FROM ({young} UNION ALL {middle} UNION ALL {old}) AS found",
        super::rows_in_one("found.key, found.place")
    );
    fetch_json(conn, sql, [to_json(keys)?]).await
}

/// Moves the smallest keys of a table that is being emptied, or is over its limit, to the next table. Keys move in
/// order, so that one page write of the next table takes many of them. If the process stops, the next one continues.
pub(in crate::store) async fn age_keys(conn: &mut Conn, room: &KeyTableLimits) -> Result<bool, StoreError> {
    let sql = format!("SELECT young, middle, sinking FROM cluster_state{ROW_LOCK}");
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut *conn).await?;
    let (young, middle, sinking): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    // The middle table first, to make room for the young keys.
    let (from, into, age) = match sinking {
        1 => (AGES[1], AGES[2], 1),
        0 => (AGES[0], AGES[1], 0),
        _ if middle > room.middle => (AGES[1], AGES[2], 1),
        _ if young > room.young => (AGES[0], AGES[1], 0),
        _ => return Ok(false),
    };
    let bound = format!("SELECT max(key) FROM (SELECT key FROM {from} ORDER BY key LIMIT $1) AS least");
    let bound: Option<i64> =
        sqlx::query_scalar(AssertSqlSafe(bound)).bind(room.slice.max(1)).fetch_one(&mut *conn).await?;
    let mut moved = 0;
    if let Some(bound) = bound {
        let copy = format!(
            "INSERT INTO {into} (key, place) SELECT key, place FROM {from} WHERE key <= $1 ORDER BY key, place"
        );
        let drop = format!("DELETE FROM {from} WHERE key <= $1");
        for statement in [copy, drop] {
            let done = sqlx::query(AssertSqlSafe(statement)).bind(bound).execute(&mut *conn).await?;
            moved = i64::try_from(done.rows_affected()).unwrap_or(i64::MAX);
        }
    }
    let emptied = moved < room.slice;
    let left = |keys: i64| if emptied { 0 } else { (keys - moved).max(0) };
    let (young, middle) = if age == 0 { (left(young), middle + moved) } else { (young, left(middle)) };
    sqlx::query("UPDATE cluster_state SET young = $1, middle = $2, sinking = $3")
        .bind(young)
        .bind(middle)
        .bind(if emptied { -1 } else { age })
        .execute(conn)
        .await?;
    Ok(true)
}

/// Returns the first items of the clusters at these places.
pub(in crate::store) async fn heads(conn: &mut Conn, places: &[i64]) -> Result<Vec<ClusterHead>, StoreError> {
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN cluster_head h WHERE h.place = given.value",
        super::rows_in_one(&format!("h.place, {}", super::digits("h.sketch"))),
        super::numbers(1)
    );
    let heads = fetch_json::<(i64, String)>(conn, sql, [to_json(places)?]).await?;
    Ok(heads
        .into_iter()
        .map(|(place, digits)| ClusterHead { place, sketch: cluster_keys::decode_hex(&digits) })
        .collect())
}

/// Stores the decisions about a batch. Returns false and writes nothing if anything was written since it was read.
pub(in crate::store) async fn store_decisions(
    conn: &mut Conn,
    batch: &UnclusteredBatch,
    choices: &[Assignment],
) -> Result<bool, StoreError> {
    super::lock(conn, ITEMS_LOCK).await?;
    let begins: Vec<(i64, &ClusterHead, &[i64])> = batch
        .items
        .iter()
        .zip(choices)
        .filter_map(|(item, choice)| match choice {
            Assignment::Begins(head, keys) => Some((*item, head, keys.as_slice())),
            Assignment::Alone | Assignment::CopyOf(..) => None,
        })
        .collect();
    let mut keys: Vec<(i64, i64)> =
        begins.iter().flat_map(|(_, head, keys)| keys.iter().map(|key| (*key, head.place))).collect();
    keys.extend(choices.iter().filter_map(|choice| match choice {
        Assignment::CopyOf(place, Some(key)) => Some((*key, *place)),
        Assignment::CopyOf(_, None) | Assignment::Alone | Assignment::Begins(..) => None,
    }));
    keys.sort_unstable();
    let moved =
        sqlx::query("UPDATE cluster_state SET next = next + $1, turn = turn + 1, young = young + $2 WHERE turn = $3")
            .bind(i64::try_from(begins.len()).unwrap_or(i64::MAX))
            .bind(i64::try_from(keys.len()).unwrap_or(i64::MAX))
            .bind(batch.turn)
            .execute(&mut *conn)
            .await?;
    if moved.rows_affected() == 0 {
        return Ok(false);
    }
    followers::advance(conn, Follower::NearCopies.as_str(), batch.from, batch.until.max(batch.from), false).await?;
    day_counts::recount_if_early(conn, batch.from, &batch.items).await?;
    for chunk in begins.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new("INSERT INTO cluster_head (place, item, sketch, keys) ");
        insert.push_values(chunk, |mut row, (item, head, keys)| {
            row.push_bind(head.place)
                .push_bind(*item)
                .push_bind(&head.sketch)
                .push_bind(cluster_keys::encode_keys(keys));
        });
        insert.build().persistent(chunk.len() == BATCH).execute(&mut *conn).await?;
    }
    for chunk in keys.chunks(BATCH) {
        let mut insert = QueryBuilder::<Database>::new("INSERT INTO cluster_lead_young (key, place) ");
        insert.push_values(chunk, |mut row, (key, place)| {
            row.push_bind(*key).push_bind(*place);
        });
        insert.build().persistent(chunk.len() == BATCH).execute(&mut *conn).await?;
    }
    write(conn, batch, choices).await?;
    Ok(true)
}

/// Writes which cluster each item belongs to.
async fn write(conn: &mut Conn, batch: &UnclusteredBatch, choices: &[Assignment]) -> Result<(), StoreError> {
    let copied = |choice: &Assignment| if let Assignment::CopyOf(place, _) = choice { Some(*place) } else { None };
    let places: Vec<i64> = choices.iter().filter_map(copied).collect();
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN cluster_head h WHERE h.place = given.value",
        super::rows_in_one("h.place, h.item"),
        super::numbers(1)
    );
    let firsts: HashMap<i64, i64> =
        fetch_json::<(i64, i64)>(conn, sql, [to_json(&places)?]).await?.into_iter().collect();
    let of = |(item, choice): (&i64, &Assignment)| match choice {
        Assignment::Alone | Assignment::Begins(..) => Some((*item, *item, None)),
        Assignment::CopyOf(place, own) => {
            firsts.get(place).map(|first| (*item, *first, own.map(|key| cluster_keys::encode_keys(&[key]))))
        }
    };
    let mut clusters: Vec<(i64, i64, Option<Vec<u8>>)> = batch.items.iter().zip(choices).filter_map(of).collect();
    clusters.sort_unstable();
    for chunk in clusters.chunks(BATCH) {
        let mut update =
            QueryBuilder::<Database>::new("UPDATE item SET cluster = v.column2, fingerprint = v.column3 FROM (");
        update.push_values(chunk, |mut row, (item, cluster, own)| {
            row.push_bind(*item).push_bind(*cluster).push_bind(own);
        });
        update.push(") AS v WHERE item.id = v.column1");
        update.build().persistent(chunk.len() == BATCH).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Moves copies and keys of `from` to `into`, before `from` is merged into it. If both have a cluster, the two become
/// one, whose first item is the one seen earlier. Deletes the key that `from` added as a reworded copy, if any.
pub(in crate::store) async fn merge_clusters(conn: &mut Conn, into: i64, from: i64) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT i.id, i.cluster, coalesce(c.first_seen, i.first_seen) AS first_seen FROM item i LEFT JOIN item c ON c.id = i.cluster \
         WHERE i.id IN ($1, $2)",
    )
    .bind(into)
    .bind(from)
    .fetch_all(&mut *conn)
    .await?;
    let mut clusters: HashMap<i64, (Option<i64>, i64)> = HashMap::new();
    for row in &rows {
        clusters.insert(row.try_get("id")?, (row.try_get("cluster")?, row.try_get("first_seen")?));
    }
    // A batch being decided now contains an item that is about to be deleted: invalidate it.
    sqlx::query("UPDATE cluster_state SET turn = turn + 1").execute(&mut *conn).await?;
    let (Some((into_cluster, into_since)), Some((Some(from_cluster), from_since))) =
        (clusters.get(&into), clusters.get(&from))
    else {
        return Ok(());
    };
    cluster_keys::forget_own(conn, &to_json(&[from])?).await?;
    let first = match into_cluster {
        Some(into_cluster) if into_cluster == from_cluster => *into_cluster,
        Some(into_cluster) if into_since <= from_since => *into_cluster,
        Some(_) | None => *from_cluster,
    };
    // The first item of the cluster may be the one that is deleted.
    let first = if first == from { into } else { first };
    for left in [*into_cluster, Some(*from_cluster)].into_iter().flatten().filter(|left| *left != first) {
        for statement in [
            "UPDATE item SET cluster = $1 WHERE cluster = $2 AND cluster <> id",
            "UPDATE item SET cluster = $1 WHERE id = $2",
            "UPDATE cluster_head SET item = $1 WHERE item = $2",
        ] {
            sqlx::query(statement).bind(first).bind(left).execute(&mut *conn).await?;
        }
        // A topic with copies of both has fewer different texts now, even if it has neither of the merged items.
        day_counts::mark_due_for_copies(conn, first).await?;
    }
    for item in [into, from] {
        sqlx::query("UPDATE item SET cluster = $1 WHERE id = $2").bind(first).bind(item).execute(&mut *conn).await?;
    }
    // Nothing may refer to the item that is about to be deleted.
    sqlx::query("UPDATE cluster_head SET item = $1 WHERE item = $2").bind(first).bind(from).execute(conn).await?;
    Ok(())
}

/// Returns counts of items, texts and authors for each topic, by when the topic first saw the items.
pub(in crate::store) async fn volumes(conn: &mut Conn, filter: &Filter) -> Result<Vec<(String, Volume)>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(
        "SELECT t.topic, count(*) AS heard, count(DISTINCT coalesce(i.cluster, i.id)) AS texts, count(DISTINCT lower(i.author)) AS authors, \
         count(CASE WHEN i.cluster IS NULL THEN 1 END) AS uncompared \
         FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run",
    );
    filter_conditions::topics(&mut query, filter, "t.topic", "t.first_seen");
    query.push(" AND f.seq IS NOT NULL GROUP BY t.topic ORDER BY t.topic");
    query.build().fetch_all(conn).await?.iter().map(|row| Ok((row.try_get("topic")?, volume(row)?))).collect()
}

/// Returns the same counts over everything that some runs saw.
pub(in crate::store) async fn volume_of(conn: &mut Conn, runs: &[String]) -> Result<Volume, StoreError> {
    let sql = format!(
        "SELECT count(DISTINCT i.id) AS heard, count(DISTINCT coalesce(i.cluster, i.id)) AS texts, count(DISTINCT lower(i.author)) AS authors, \
         count(DISTINCT CASE WHEN i.cluster IS NULL THEN i.id END) AS uncompared \
         FROM {} CROSS JOIN run r CROSS JOIN sighting s CROSS JOIN item i \
         WHERE r.public_id = given.value AND r.seq IS NOT NULL AND s.run = r.id AND i.id = s.item",
        super::texts(1)
    );
    volume(&sqlx::query(AssertSqlSafe(sql)).bind(to_json(runs)?).fetch_one(conn).await?)
}

fn volume(row: &Row) -> Result<Volume, StoreError> {
    Ok(Volume::new(row.try_get("heard")?, row.try_get("texts")?, row.try_get("authors")?, row.try_get("uncompared")?))
}

/// Returns texts that several items of a topic share, those with the most authors first.
pub(in crate::store) async fn clusters(
    conn: &mut Conn,
    filter: &Filter,
    least: i64,
    most: i64,
) -> Result<Vec<ClusterRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(
        "SELECT t.topic, c.key AS cluster, count(*) AS members, count(DISTINCT lower(i.author)) AS authors, \
         min(t.first_seen) AS first_seen, max(t.first_seen) AS last_new, c.title, c.text, c.url \
         FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run JOIN item c ON c.id = i.cluster",
    );
    filter_conditions::topics(&mut query, filter, "t.topic", "t.first_seen");
    query.push(" AND f.seq IS NOT NULL GROUP BY t.topic, c.id HAVING count(*) >= ").push_bind(least);
    query.push(" ORDER BY authors DESC, members DESC, t.topic, c.key LIMIT ").push_bind(most);
    let row = |row: &Row| {
        Ok(ClusterRow {
            topic: row.try_get("topic")?,
            cluster: row.try_get("cluster")?,
            members: row.try_get("members")?,
            authors: row.try_get("authors")?,
            first_seen: Time(row.try_get("first_seen")?),
            last_new: Time(row.try_get("last_new")?),
            title: row.try_get("title")?,
            text: row.try_get("text")?,
            url: row.try_get("url")?,
        })
    };
    query.build().fetch_all(conn).await?.iter().map(row).collect()
}
