//! Bounded reads for people: status, runs, one snapshot, items. Streams for exports are in `stream`.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::spent::UNBILLED;
use super::{Conn, Database, Row, filter_conditions, read};
use crate::model::{Micros, Paused, PausedBy};
use crate::store::{
    AnswerRow, Filter, FoundItem, ItemRow, RunRow, SearchCursor, SearchRow, SightingRow, StoreError, TopicStatus,
};

/// SQL for the last run `l` of topic `t`, in reading order. A run whose process died becomes readable only when its lease
/// has ended; it is not the last if another one began later and was readable before.
pub(in crate::store) const LAST_RUN: &str = "run l WHERE l.topic = t.id AND l.seq IS NOT NULL AND l.started_at IS NOT NULL \
     AND NOT (l.state = 'failed' AND EXISTS (SELECT 1 FROM search s WHERE s.run = l.id AND s.state = 'lost') \
       AND EXISTS (SELECT 1 FROM run e WHERE e.topic = l.topic AND coalesce(e.started_at, e.slot, e.planned_at) > l.started_at \
         AND e.started_at IS NOT NULL AND e.seq < l.seq)) ORDER BY l.seq DESC LIMIT 1";

/// Returns the status of a page of topics, or of the named ones.
pub(in crate::store) async fn status(
    conn: &mut Conn,
    after: &str,
    most: u32,
    named: &[String],
) -> Result<Vec<TopicStatus>, StoreError> {
    // By reading order, never by database id; the index of started runs is walked back to the first match.
    let mut last: HashMap<String, RunRow> = HashMap::new();
    let mut latest = QueryBuilder::<Database>::new(format!("SELECT (SELECT l.public_id FROM {LAST_RUN}) FROM"));
    page(&mut latest, after, most, named);
    let latest =
        latest.build_query_scalar::<Option<String>>().persistent(named.is_empty()).fetch_all(&mut *conn).await?;
    let ids = serde_json::json!(latest.into_iter().flatten().collect::<Vec<_>>()).to_string();
    let sql = format!("{} WHERE r.public_id IN (SELECT given.value FROM {})", read::RUN, super::texts(1));
    for row in sqlx::query(AssertSqlSafe(sql)).bind(ids).fetch_all(&mut *conn).await? {
        let run = read::run(&row)?;
        if let Some(topic) = run.topic.clone() {
            last.insert(topic, run);
        }
    }
    // Items first seen by a run that has no number yet do not count; there is seldom such a run.
    let mut query = QueryBuilder::<Database>::new(
        "SELECT t.id, t.title, t.planned_until, t.next_slot, t.paused, t.paused_at, t.pause_reason, coalesce(t.schedule, '') AS schedule, (SELECT count(*) FROM topic_item i WHERE i.topic = t.id) - \
         (SELECT count(*) FROM run u CROSS JOIN topic_item i WHERE i.topic = u.topic AND i.first_run = u.id \
          AND u.seq IS NULL AND u.finished_at IS NOT NULL AND u.topic = t.id) AS items, \
         (SELECT r.started_at FROM run r WHERE r.topic = t.id AND r.seq IS NOT NULL AND r.started_at IS NOT NULL AND r.state IN ('ok', 'partial') ORDER BY r.seq DESC LIMIT 1) \
         AS last_success FROM",
    );
    page(&mut query, after, most, named);
    query.push(" ORDER BY t.id");
    let rows = query.build().persistent(named.is_empty()).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let topic: String = row.try_get("id")?;
            Ok(TopicStatus {
                title: row.try_get("title")?,
                items: row.try_get("items")?,
                last_run: last.remove(&topic),
                last_success: read::time(row, "last_success")?,
                planned_until: read::time(row, "planned_until")?,
                next_slot: read::time(row, "next_slot")?.filter(|at| at.0 > 0),
                paused: paused(row)?,
                topic,
            })
        })
        .collect()
}

/// Selects, as `t`, a page of watched topics, or the named topics whether watched or not.
fn page(query: &mut QueryBuilder<Database>, after: &str, most: u32, named: &[String]) {
    if !named.is_empty() {
        query.push(" (SELECT * FROM topic WHERE id IN (");
        let mut names = query.separated(", ");
        for name in named {
            names.push_bind(name.clone());
        }
        query.push(")) t");
        return;
    }
    query.push(" (SELECT * FROM topic WHERE removed_at IS NULL AND id > ").push_bind(after.to_owned());
    query.push(" ORDER BY id LIMIT ").push_bind(i64::from(most)).push(") t");
}

/// Returns the last runs of jobs other than topics that failed, of those jobs that are still configured.
pub(in crate::store) async fn failed_jobs(conn: &mut Conn) -> Result<Vec<RunRow>, StoreError> {
    let sql = format!(
        "{} WHERE r.state = 'failed' AND r.id IN (SELECT (SELECT l.id FROM run l WHERE l.job = j.id AND l.state IN ('ok', 'partial', 'failed') \
         ORDER BY l.id DESC LIMIT 1) FROM job j WHERE j.topic IS NULL AND j.removed_at IS NULL) ORDER BY r.job",
        read::RUN
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(conn).await?;
    rows.iter().map(read::run).collect()
}

/// Returns whether a topic is paused, and by whom: `resume` cannot undo a pause in the configuration file.
pub(in crate::store) fn paused(row: &Row) -> Result<Option<Paused>, StoreError> {
    let by_file = super::definitions::paused_by_file(&row.try_get::<String, _>("schedule")?);
    if !by_file && row.try_get::<i64, _>("paused")? == 0 {
        return Ok(None);
    }
    let by = if by_file { PausedBy::File } else { PausedBy::Pause };
    Ok(Some(Paused { by, since: read::time(row, "paused_at")?, reason: row.try_get("pause_reason")? }))
}

pub(in crate::store) async fn runs(conn: &mut Conn, filter: &Filter, limit: i64) -> Result<Vec<RunRow>, StoreError> {
    // The ledger includes runs of jobs other than topics; exports and views include only those of topics.
    let of = if filter.topics.is_empty() && filter.tags.is_empty() { "r.job" } else { "r.topic" };
    let list = filter_conditions::latest_list(conn, filter, of).await?;
    let mut query = QueryBuilder::<Database>::new("");
    for (place, filter) in list.parts.iter().enumerate() {
        query.push(if place > 0 { " UNION ALL " } else { "" }).push(read::ordered_run());
        filter_conditions::topics(&mut query, filter, &list.topic, read::RUN_AT);
        filter_conditions::any_time(&mut query, read::RUN_AT, filter.since, filter.until);
    }
    query.push(" ORDER BY ").push(read::LATEST_RUN_FIRST).push(" LIMIT ").push_bind(limit);
    query.build().persistent(list.parts.len() == 1).fetch_all(conn).await?.iter().map(read::run).collect()
}

pub(in crate::store) async fn run(conn: &mut Conn, public_id: &str) -> Result<Option<RunRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::RUN);
    query.push(" WHERE r.public_id = ").push_bind(public_id);
    query.build().fetch_optional(conn).await?.as_ref().map(read::run).transpose()
}

pub(in crate::store) async fn last_snapshot(conn: &mut Conn, topic: &str) -> Result<Option<RunRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::RUN);
    // A run in which every search failed may still have kept earlier findings.
    query.push(
        " WHERE (r.state IN ('ok', 'partial') OR r.found > 0 OR EXISTS (SELECT 1 FROM answer a WHERE a.run = r.id))",
    );
    query.push(" AND r.seq IS NOT NULL AND r.topic = ").push_bind(topic);
    query.push(" ORDER BY r.seq DESC LIMIT 1");
    query.build().fetch_optional(conn).await?.as_ref().map(read::run).transpose()
}

pub(in crate::store) async fn last_found_before(
    conn: &mut Conn,
    topic: &str,
    seq: i64,
) -> Result<Option<RunRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::RUN);
    query.push(" WHERE r.found > 0 AND r.started_at IS NOT NULL AND r.topic = ").push_bind(topic);
    query.push(" AND r.seq < ").push_bind(seq).push(" ORDER BY r.seq DESC LIMIT 1");
    query.build().fetch_optional(conn).await?.as_ref().map(read::run).transpose()
}

pub(in crate::store) async fn searches(conn: &mut Conn, runs: &[String]) -> Result<Vec<SearchRow>, StoreError> {
    let mut found = Vec::new();
    for chunk in runs.chunks(500) {
        let mut query = QueryBuilder::<Database>::new("SELECT ");
        query.push(read::search_columns()).push(" FROM search s JOIN run r ON r.id = s.run WHERE r.public_id IN (");
        let mut list = query.separated(", ");
        for run in chunk {
            list.push_bind(run);
        }
        list.push_unseparated(") ORDER BY r.public_id, s.attempt, ");
        query.push(read::BY_SOURCE);
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            found.push(read::search(&row)?);
        }
    }
    Ok(found)
}

/// Returns by run how much of its cost no bill confirms; `None` if its searches were deleted. Runs without such a part
/// are left out.
pub(in crate::store) async fn assumed_of_runs(
    conn: &mut Conn,
    runs: &[String],
) -> Result<HashMap<String, Option<Micros>>, StoreError> {
    // The expected cost of an unfinished search is not yet part of its run's cost.
    let given = super::texts(1);
    let sql = format!(
        "SELECT r.public_id, CAST(sum(s.cost) AS BIGINT) AS assumed FROM {given} CROSS JOIN run r CROSS JOIN search s \
         WHERE r.public_id = given.value AND s.run = r.id AND {UNBILLED} AND s.cost > 0 GROUP BY r.public_id \
         UNION ALL SELECT r.public_id, CAST(NULL AS BIGINT) FROM {given} CROSS JOIN run r \
         WHERE r.public_id = given.value AND r.pruned_at IS NOT NULL AND r.cost > 0"
    );
    let mut assumed = HashMap::new();
    for chunk in runs.chunks(500) {
        let select = sqlx::query(AssertSqlSafe(sql.clone())).bind(serde_json::json!(chunk).to_string());
        for row in select.fetch_all(&mut *conn).await? {
            assumed.insert(row.try_get("public_id")?, row.try_get::<Option<i64>, _>("assumed")?.map(Micros));
        }
    }
    Ok(assumed)
}

pub(in crate::store) async fn sightings_of(conn: &mut Conn, run: &str) -> Result<Vec<SightingRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::SIGHTING);
    query.push(" WHERE r.seq IS NOT NULL AND r.public_id = ").push_bind(run);
    query.push(read::SIGHTING_ON).push(" ORDER BY ").push(read::BY_SOURCE).push(", s.rank, i.key");
    query.build().fetch_all(conn).await?.iter().map(read::sighting).collect()
}

pub(in crate::store) async fn answer_of(conn: &mut Conn, run: &str) -> Result<Option<AnswerRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::ANSWER);
    query.push(" WHERE r.seq IS NOT NULL AND r.public_id = ").push_bind(run);
    query.build().fetch_optional(conn).await?.as_ref().map(read::answer).transpose()
}

/// Returns answers of a topic before a place in the reading order, the latest first.
pub(in crate::store) async fn answers(
    conn: &mut Conn,
    topic: &str,
    before: i64,
    limit: i64,
) -> Result<Vec<(i64, AnswerRow)>, StoreError> {
    let sql = format!(
        "{} WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.seq < $2 ORDER BY r.seq DESC LIMIT $3",
        read::ANSWER.replacen("SELECT ", "SELECT r.seq, ", 1)
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(before).bind(limit).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("seq")?, read::answer(row)?))).collect()
}

/// Returns the last answer of a topic before a place in the reading order. Those of a backfill are about other days.
pub(in crate::store) async fn latest_answer(
    conn: &mut Conn,
    topic: &str,
    before: i64,
) -> Result<Option<AnswerRow>, StoreError> {
    let sql = format!(
        "{} WHERE r.topic = $1 AND r.seq IS NOT NULL AND r.seq < $2 AND {} ORDER BY r.seq DESC LIMIT 1",
        read::ANSWER,
        read::ANSWER_IS_PRESENT
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(topic).bind(before);
    query.fetch_optional(conn).await?.as_ref().map(read::answer).transpose()
}

pub(in crate::store) async fn items(
    conn: &mut Conn,
    filter: &Filter,
    after: Option<&ItemRow>,
    limit: i64,
) -> Result<Vec<ItemRow>, StoreError> {
    let list = filter_conditions::latest_list(conn, filter, "t.topic").await?;
    // Merged lists must contain the columns that they are ordered by.
    let select = read::ITEM.replacen("SELECT ", "SELECT coalesce(i.published_at, 0) AS published, ", 1);
    let mut query = QueryBuilder::<Database>::new("");
    for (place, filter) in list.parts.iter().enumerate() {
        query.push(if place > 0 { " UNION ALL " } else { "" }).push(&select);
        let filter = &filter_conditions::from_place(filter, after.map(|after| after.first_seen));
        filter_conditions::topics(&mut query, filter, &list.topic, "t.first_seen");
        filter_conditions::latest_items(&mut query, filter);
        filter_conditions::items(&mut query, filter);
        if let Some(after) = after {
            // Skips rows of the same instant already shown.
            let published = after.published_at.unwrap_or_default().0;
            query.push(" AND (t.first_seen < ").push_bind(after.first_seen.0);
            query.push(" OR coalesce(i.published_at, 0) < ").push_bind(published);
            query.push(" OR (coalesce(i.published_at, 0) = ").push_bind(published);
            query.push(" AND (i.key > ").push_bind(after.key.clone()).push(" OR (i.key = ");
            query.push_bind(after.key.clone()).push(" AND t.topic > ").push_bind(after.topic.clone()).push("))))");
        }
        query.push(" AND f.seq IS NOT NULL");
    }
    query.push(" ORDER BY t.first_seen DESC, coalesce(i.published_at, 0) DESC, i.key, t.topic LIMIT ").push_bind(limit);
    query.build().persistent(list.parts.len() == 1).fetch_all(conn).await?.iter().map(read::item).collect()
}

pub(in crate::store) async fn search_items(
    conn: &mut Conn,
    filter: &Filter,
    after: Option<&SearchCursor>,
    limit: i64,
) -> Result<Vec<FoundItem>, StoreError> {
    // Choose the page by few columns, and read the texts only for it.
    let mut query = QueryBuilder::<Database>::new(
        "WITH page AS (SELECT t.topic AS of, t.item AS item, f.seq AS seq FROM topic_item t \
         JOIN run f ON f.id = t.first_run JOIN item i ON i.id = t.item",
    );
    filter_conditions::topics(&mut query, filter, "t.topic", "t.first_seen");
    filter_conditions::items(&mut query, filter);
    query.push(" AND f.seq IS NOT NULL");
    if let Some(after) = after {
        query.push(" AND (f.seq < ").push_bind(after.seq).push(" OR (f.seq = ").push_bind(after.seq);
        query.push(" AND (t.topic > ").push_bind(after.topic.clone()).push(" OR (t.topic = ");
        query.push_bind(after.topic.clone()).push(" AND i.key > ").push_bind(after.key.clone()).push("))))");
    }
    query.push(" ORDER BY f.seq DESC, t.topic, i.key LIMIT ").push_bind(limit).push(") ");
    query
        .push(read::ITEM)
        .push(" JOIN page ON page.item = t.item AND page.of = t.topic ORDER BY page.seq DESC, t.topic, i.key");
    let rows = query.build().fetch_all(conn).await?;
    rows.iter().map(|row| Ok(FoundItem { seq: row.try_get("first_seq")?, item: read::item(row)? })).collect()
}

pub(in crate::store) async fn table_sizes(conn: &mut Conn) -> Result<Vec<(&'static str, i64)>, StoreError> {
    const TABLES: [(&str, &str); 10] = [
        ("topic", "SELECT count(*) FROM topic"),
        ("run", "SELECT count(*) FROM run"),
        ("search", "SELECT count(*) FROM search"),
        ("item", "SELECT count(*) FROM item"),
        ("item_key", "SELECT count(*) FROM item_key"),
        ("sighting", "SELECT count(*) FROM sighting"),
        ("topic_item", "SELECT count(*) FROM topic_item"),
        ("answer", "SELECT count(*) FROM answer"),
        ("item_revision", "SELECT count(*) FROM item_revision"),
        ("raw_reply", "SELECT count(*) FROM raw_reply"),
    ];
    let mut sizes = Vec::with_capacity(TABLES.len());
    for (table, count) in TABLES {
        sizes.push((table, sqlx::query_scalar(count).fetch_one(&mut *conn).await?));
    }
    Ok(sizes)
}
