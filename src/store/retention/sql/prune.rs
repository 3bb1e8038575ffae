//! Prunes replies and the words of items, batch by batch. Runs and their snapshots are in `runs.rs`. Each batch
//! reads a bounded number of rows by an index and is complete in itself; a dry run only counts.

use sqlx::{AssertSqlSafe, Row as _};

use super::resolve::ITEMS_LOCK;
use super::resolve::to_json;
use super::{Conn, day_terms, followers, item_history, word_index};
use crate::model::{Micros, PrunedDay, PrunedDays, PrunedSummary, Span, Time};
use crate::store::StoreError;
use crate::store::retention::rows::{Batch, DAY, Progress, SlowestFollower, StepInput};

/// Text in the stored definition of an incremental export.
const INCREMENTAL: &str = r#""mode":"incremental""#;

/// Returns the position of the follower that is furthest behind. A cursor whose job was removed does not count. An
/// incremental export has no cursor until its first edition is done, so its starting point counts. Near-copies count
/// from the first run with new items that was not compared.
pub(in crate::store) async fn floor(conn: &mut Conn) -> Result<SlowestFollower, StoreError> {
    let mut floor = SlowestFollower::default();
    let sql = format!(
        "SELECT c.name, c.seq FROM (SELECT name, seq FROM follower WHERE name NOT IN ({}) UNION ALL \
         SELECT export, seq_since FROM export_edition WHERE files IS NULL AND definition LIKE '%{INCREMENTAL}%') AS c \
         WHERE NOT EXISTS (SELECT 1 FROM job j WHERE j.id = c.name AND j.removed_at IS NOT NULL) ORDER BY c.seq, c.name LIMIT 1",
        followers::names()
    );
    if let Some(row) = sqlx::query(AssertSqlSafe(sql)).fetch_optional(&mut *conn).await? {
        (floor.seq, floor.whose) = (row.try_get("seq")?, Some(row.try_get("name")?));
    }
    let unlooked: Option<i64> = sqlx::query_scalar(
        "SELECT min(r.seq) FROM run r WHERE r.seq IS NOT NULL AND r.new > 0 AND r.seq > (SELECT p.seq FROM follower p WHERE p.name = 'near-copies')",
    )
    .fetch_one(&mut *conn)
    .await?;
    if let Some(first) = unlooked.filter(|first| *first <= floor.seq) {
        (floor.seq, floor.whose) = (first - 1, Some("near-copies".to_owned()));
    }
    let at: Option<i64> = sqlx::query_scalar(
        "SELECT min(coalesce(started_at, slot, planned_at)) FROM run WHERE seq IS NOT NULL AND seq > $1",
    )
    .bind(floor.seq)
    .fetch_one(conn)
    .await?;
    floor.at = at.unwrap_or(i64::MAX);
    Ok(floor)
}

/// Deletes replies received before an instant.
pub(in crate::store) async fn raw(conn: &mut Conn, input: &StepInput) -> Result<Batch, StoreError> {
    let rows = sqlx::query(RAW)
        .bind(input.before)
        .bind(input.after.at)
        .bind(input.after.id)
        .bind(input.limit)
        .fetch_all(&mut *conn)
        .await?;
    let (mut searches, mut bytes) = (Vec::with_capacity(rows.len()), 0);
    for row in &rows {
        searches.push(row.try_get::<i64, _>("search")?);
        bytes += row.try_get::<i64, _>("bytes")?;
    }
    let mut batch = Batch::new(input, rows.len());
    if let (Some(last), Some(search)) = (rows.last(), searches.last()) {
        batch.after = Progress { at: last.try_get("received_at")?, id: *search, ..Progress::default() };
    }
    batch.add("raw_reply", searches.len(), bytes);
    if !input.dry_run && !searches.is_empty() {
        let sql = format!("DELETE FROM raw_reply WHERE search IN (SELECT given.value FROM {})", super::numbers(1));
        sqlx::query(AssertSqlSafe(sql)).bind(to_json(&searches)?).execute(conn).await?;
    }
    Ok(batch)
}

const RAW: &str = "SELECT search, received_at, CAST(length(body) + length(request) + length(headers) AS BIGINT) AS bytes FROM raw_reply \
     WHERE received_at < $1 AND received_at >= $2 AND (received_at > $2 OR search > $3) ORDER BY received_at, search LIMIT $4";

/// Deletes the words of items last seen before an instant; keys, times and the topics' data about them stay. A cluster
/// keeps its first item without words: new copies are found by the keys stored when it was compared.
pub(in crate::store) async fn items(conn: &mut Conn, input: &StepInput) -> Result<Batch, StoreError> {
    if !input.dry_run {
        super::lock(conn, ITEMS_LOCK).await?;
    }
    let rows = sqlx::query(ITEMS)
        .bind(input.before)
        .bind(input.after.at)
        .bind(input.after.id)
        .bind(input.limit)
        .fetch_all(&mut *conn)
        .await?;
    let mut batch = Batch::new(input, rows.len());
    let (mut ids, mut bytes) = (Vec::new(), 0);
    for row in &rows {
        batch.after = Progress { at: row.try_get("first_seen")?, id: row.try_get("id")?, ..Progress::default() };
        if row.try_get::<i64, _>("goes")? == 1 {
            ids.push(batch.after.id);
            bytes += row.try_get::<i64, _>("bytes")?;
        }
    }
    batch.add("item", ids.len(), bytes);
    if ids.is_empty() {
        return Ok(batch);
    }
    let gone = ids;
    let ids = to_json(&gone)?;
    for table in ["item_revision", "item_past"] {
        let count_versions = format!(
            "SELECT count(*) AS many, CAST(coalesce(sum(coalesce(length(v.title), 0) + coalesce(length(v.text), 0)), 0) AS BIGINT) AS bytes \
             FROM {} CROSS JOIN {table} v WHERE v.item = given.value",
            super::numbers(1)
        );
        let row = sqlx::query(AssertSqlSafe(count_versions)).bind(&ids).fetch_one(&mut *conn).await?;
        batch.gone.push((table, row.try_get("many")?, row.try_get("bytes")?));
    }
    if input.dry_run {
        return Ok(batch);
    }
    word_index::remove(conn, &gone).await?;
    day_terms::forget(conn, &gone).await?;
    let given = super::numbers(1);
    let delete = format!("DELETE FROM item_revision WHERE item IN (SELECT given.value FROM {given})");
    sqlx::query(AssertSqlSafe(delete)).bind(&ids).execute(&mut *conn).await?;
    item_history::delete(conn, &ids).await?;
    let empty = format!(
        "UPDATE item SET past = 0, post_id = NULL, url = NULL, author = NULL, author_name = NULL, title = NULL, text = NULL, conversation_id = NULL, \
         pruned_at = $2 WHERE id IN (SELECT given.value FROM {given})"
    );
    sqlx::query(AssertSqlSafe(empty)).bind(&ids).bind(input.now).execute(conn).await?;
    Ok(batch)
}

/// Limits the rows read, even if few of them are deleted: items that are seen for years stay among the oldest.
const ITEMS: &str = "SELECT i.id, i.first_seen, \
     CAST(CASE WHEN i.last_seen < $1 THEN 1 ELSE 0 END AS BIGINT) AS goes, \
     CAST(coalesce(length(i.title), 0) + coalesce(length(i.text), 0) + coalesce(length(i.url), 0) + coalesce(length(i.author), 0) \
     + coalesce(length(i.author_name), 0) + coalesce(length(i.post_id), 0) AS BIGINT) AS bytes \
     FROM (SELECT o.id FROM item o WHERE o.pruned_at IS NULL AND o.first_seen < $1 AND o.first_seen >= $2 AND (o.first_seen > $2 OR o.id > $3) \
     ORDER BY o.first_seen, o.id LIMIT $4) AS few JOIN item i ON i.id = few.id ORDER BY i.first_seen, i.id";

/// Returns up to when runs were pruned.
pub(in crate::store) async fn pruned_until(conn: &mut Conn) -> Result<Option<Time>, StoreError> {
    noted_time(conn, "pruned_until").await
}

/// Returns up to when an earlier version pruned runs without counting them for their topics.
async fn uncounted_until(conn: &mut Conn) -> Result<Option<Time>, StoreError> {
    noted_time(conn, "pruned_uncounted").await
}

async fn noted_time(conn: &mut Conn, name: &str) -> Result<Option<Time>, StoreError> {
    let noted: Option<String> =
        sqlx::query_scalar("SELECT value FROM store_info WHERE name = $1").bind(name).fetch_optional(conn).await?;
    Ok(noted.and_then(|noted| noted.parse().ok()).map(Time))
}

/// Returns up to when runs of a topic lost sightings, if runs since an instant did. For items that the topic saw first
/// by then, it is no longer known which other sources showed them later. Reads no earlier runs: a topic may have very
/// many.
pub(in crate::store) async fn thinned_until(
    conn: &mut Conn,
    topic: &str,
    since: Time,
) -> Result<Option<Time>, StoreError> {
    let thinned: Option<i64> = sqlx::query_scalar(
        "SELECT max(coalesce(started_at, slot, planned_at)) FROM run WHERE topic = $1 \
         AND coalesce(started_at, slot, planned_at) >= $2 AND thinned = 1",
    )
    .bind(topic)
    .bind(since.0)
    .fetch_one(&mut *conn)
    .await?;
    // If the row of a run was pruned, too, only the day is known.
    let day: Option<i64> = sqlx::query_scalar("SELECT max(day) FROM pruned_day WHERE topic = $1 AND day >= $2")
        .bind(topic)
        .bind(since.utc_day())
        .fetch_one(&mut *conn)
        .await?;
    let day_end = day.map(|day| Time(Time::of_utc_day(day).next_utc_day().0.saturating_sub(1)));
    // This instant is shared by all topics, so it only bounds that day.
    let last_pruned = pruned_until(conn).await?.map(|until| Time(until.0.saturating_sub(1)));
    let pruned = day_end.map(|day_end| last_pruned.map_or(day_end, |last| day_end.min(last)));
    let until = thinned.map(Time).max(pruned).max(uncounted_until(conn).await?);
    Ok(until.filter(|until| *until >= since))
}

/// Returns the remaining data of a topic's pruned searches.
pub(in crate::store) async fn pruned_days(conn: &mut Conn, topic: &str) -> Result<PrunedDays, StoreError> {
    let rows = sqlx::query("SELECT day, runs, calls, cost FROM pruned_day WHERE topic = $1 ORDER BY day");
    let rows = rows.bind(topic).fetch_all(&mut *conn).await?;
    read_days(conn, &rows).await
}

/// Returns the remaining data of these topics' pruned searches, added up for each day of a span.
pub(in crate::store) async fn pruned_days_of_topics(
    conn: &mut Conn,
    topics: &[String],
    span: Span,
) -> Result<PrunedDays, StoreError> {
    let sql = format!(
        "SELECT p.day, CAST(sum(p.runs) AS BIGINT) AS runs, CAST(sum(p.calls) AS BIGINT) AS calls, CAST(sum(p.cost) AS BIGINT) AS cost \
         FROM {} CROSS JOIN pruned_day p WHERE p.topic = given.value \
         AND p.day >= $2 AND p.day <= $3 GROUP BY p.day ORDER BY p.day",
        super::texts(1)
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(to_json(topics)?);
    let rows = query.bind(span.from.utc_day()).bind(span.until.utc_day()).fetch_all(&mut *conn).await?;
    read_days(conn, &rows).await
}

async fn read_days(conn: &mut Conn, rows: &[super::Row]) -> Result<PrunedDays, StoreError> {
    let uncounted = uncounted_until(conn).await?;
    let day = |row: &super::Row| {
        let from = Time::of_utc_day(row.try_get("day")?);
        Ok::<_, StoreError>(PrunedDay {
            span: Span { from, until: Time(from.0 + DAY) },
            runs: row.try_get("runs")?,
            calls: row.try_get("calls")?,
            cost: Micros(row.try_get("cost")?),
        })
    };
    Ok(PrunedDays { uncounted, days: rows.iter().map(day).collect::<Result<_, _>>()? })
}

/// Returns what was pruned from a topic's span.
pub(in crate::store) async fn pruned_summary(
    conn: &mut Conn,
    topic: &str,
    span: Span,
) -> Result<PrunedSummary, StoreError> {
    let thinned = sqlx::query_scalar(
        "SELECT count(*) FROM run WHERE coalesce(started_at, slot, planned_at) >= $2 AND coalesce(started_at, slot, planned_at) < $3 \
         AND topic = $1 AND thinned = 1",
    );
    let thinned = thinned.bind(topic).bind(span.from.0).bind(span.until.0).fetch_one(&mut *conn).await?;
    let items = sqlx::query_scalar(
        "SELECT count(*) FROM topic_item t JOIN item i ON i.id = t.item WHERE t.topic = $1 AND t.first_seen >= $2 AND t.first_seen < $3 \
         AND i.pruned_at IS NOT NULL",
    );
    let items = items.bind(topic).bind(span.from.0).bind(span.until.0).fetch_one(&mut *conn).await?;
    let ledger_until = pruned_until(conn).await?.filter(|until| *until > span.from);
    Ok(PrunedSummary { thinned, items, ledger_until })
}
