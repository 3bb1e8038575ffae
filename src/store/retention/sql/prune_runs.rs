//! Prunes runs: first snapshots beyond one a day, then searches, answers and the runs themselves. Keeps the sightings
//! that show when a topic first or last saw an item, and the rows that identify the first answer to a query.

use std::collections::HashSet;

use sqlx::{AssertSqlSafe, Row as _};

use super::resolve::ITEMS_LOCK;
use super::resolve::to_json;
use super::{Conn, fresh};
use crate::store::StoreError;
use crate::store::retention::rows::{Batch, DAY, Progress, RUN_BYTES, SEARCH_BYTES, SIGHTING_BYTES, StepInput};

/// SQL condition: this sighting is the first or the last of the item by its topic.
const LASTING: &str = "EXISTS (SELECT 1 FROM run o CROSS JOIN topic_item t WHERE o.id = sighting.run AND t.topic = o.topic \
     AND t.item = sighting.item AND (t.first_run = o.id OR t.last_run = o.id))";

/// A run that may lose its snapshot.
struct Candidate {
    id: i64,
    seq: i64,
    found: i64,
    /// How complete its snapshot is.
    rank: i64,
}

/// Thins out the snapshots of each topic and past UTC day: keeps the last complete one and those that were the first
/// answer to a query. Works on whole days; a day with very many runs takes several batches, and the kept snapshot is
/// always the last.
pub(in crate::store) async fn thin_snapshots(conn: &mut Conn, input: &StepInput) -> Result<Batch, StoreError> {
    if !input.dry_run {
        super::lock(conn, ITEMS_LOCK).await?;
    }
    let mut limit = input.limit.max(2);
    let (rows, full) = loop {
        let query = sqlx::query(DAYS).bind(input.before.div_euclid(DAY)).bind(input.after.at).bind(&input.after.name);
        let rows = query.bind(input.floor).bind(limit).fetch_all(&mut *conn).await?;
        let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) >= limit;
        let one =
            |row: &super::Row| Ok::<_, StoreError>((row.try_get::<i64, _>("day")?, row.try_get::<String, _>("topic")?));
        match (rows.first(), rows.last()) {
            // The first day does not fit completely, so nothing can be decided about it yet.
            (Some(first), Some(last)) if full && one(first)? == one(last)? => limit = limit.saturating_mul(4),
            _ => break (rows, full),
        }
    };
    let mut days: Vec<(i64, String, Vec<Candidate>)> = Vec::new();
    for row in &rows {
        let (day, topic): (i64, String) = (row.try_get("day")?, row.try_get("topic")?);
        let run = Candidate {
            id: row.try_get("id")?,
            seq: row.try_get("seq")?,
            found: row.try_get("found")?,
            rank: row.try_get("rank")?,
        };
        match days.last_mut() {
            Some((known, of, runs)) if *known == day && *of == topic => runs.push(run),
            _ => days.push((day, topic, vec![run])),
        }
    }
    if full {
        days.pop();
    }
    let mut batch = Batch { more: full, ..Batch::new(input, 0) };
    let ids: Vec<i64> = days.iter().flat_map(|(_, _, runs)| runs.iter().map(|run| run.id)).collect();
    let firsts = first_answers(conn, &ids).await?;
    let (mut go, mut stay, mut room) = (Vec::new(), Vec::new(), input.limit.saturating_mul(10));
    'days: for (day, topic, runs) in &days {
        let last = runs.iter().max_by_key(|run| (run.rank, run.seq)).map(|run| run.id);
        for run in runs.iter().filter(|run| Some(run.id) != last && !firsts.contains(&run.id)) {
            go.push(run.id);
            room -= run.found;
            if room <= 0 && !input.dry_run {
                // The rest of the day is read again in the next batch; thinned runs are marked.
                batch.more = true;
                break 'days;
            }
        }
        stay.extend(runs.iter().filter(|run| Some(run.id) == last || firsts.contains(&run.id)).map(|run| run.id));
        batch.after = Progress { at: *day, id: 0, name: topic.clone() };
    }
    let thinned_ids = to_json(&go)?;
    let count = format!(
        "SELECT count(*) FROM sighting WHERE run IN (SELECT given.value FROM {}) AND NOT {LASTING}",
        super::numbers(1)
    );
    let sightings: i64 = sqlx::query_scalar(AssertSqlSafe(count)).bind(&thinned_ids).fetch_one(&mut *conn).await?;
    batch.gone.push(("sighting", sightings, sightings * SIGHTING_BYTES));
    batch.thinned = go;
    if input.dry_run {
        return Ok(batch);
    }
    let delete =
        format!("DELETE FROM sighting WHERE run IN (SELECT given.value FROM {}) AND NOT {LASTING}", super::numbers(1));
    sqlx::query(AssertSqlSafe(delete)).bind(&thinned_ids).execute(&mut *conn).await?;
    for (thinned, runs) in [(1_i64, thinned_ids), (0, to_json(&stay)?)] {
        let mark = format!("UPDATE run SET thinned = $2 WHERE id IN (SELECT given.value FROM {})", super::numbers(1));
        sqlx::query(AssertSqlSafe(mark)).bind(runs).bind(thinned).execute(&mut *conn).await?;
    }
    Ok(batch)
}

const DAYS: &str = "SELECT id, topic, (started_at / 86400000) AS day, seq, found, \
     CAST(CASE state WHEN 'ok' THEN 2 WHEN 'partial' THEN 1 ELSE 0 END AS BIGINT) AS rank FROM run \
     WHERE thinned IS NULL AND found > 0 AND seq IS NOT NULL AND topic IS NOT NULL AND (started_at / 86400000) < $1 \
     AND (started_at / 86400000) >= $2 AND ((started_at / 86400000) > $2 OR topic > $3) AND seq <= $4 \
     ORDER BY (started_at / 86400000), topic, seq LIMIT $5";

/// Returns those of these runs that were the first to answer a query of their topic.
async fn first_answers(conn: &mut Conn, runs: &[i64]) -> Result<HashSet<i64>, StoreError> {
    let sql = format!(
        "WITH asked AS MATERIALIZED (SELECT r.id AS id, r.topic AS topic, r.seq AS seq, s.source AS source, s.operation AS operation, s.query AS query \
         FROM {} CROSS JOIN run r CROSS JOIN search s WHERE r.id = given.value AND s.run = r.id AND s.attempt = r.attempt \
         AND s.state IN ('ok', 'empty')) SELECT DISTINCT asked.id FROM asked WHERE {}",
        super::numbers(1),
        fresh::not_answered_before("asked", "asked")
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(to_json(runs)?).fetch_all(conn).await?.into_iter().collect())
}

/// Deletes searches, answers and all but lasting sightings of runs that began before an instant; a run with nothing
/// left is deleted. Keeps unchanged: the last successful run, the run with the furthest coverage, first answers, and
/// the run with the highest number, from which numbering continues.
pub(in crate::store) async fn runs(conn: &mut Conn, input: &StepInput) -> Result<Batch, StoreError> {
    if !input.dry_run {
        super::lock(conn, ITEMS_LOCK).await?;
    }
    let query = sqlx::query(RUNS).bind(input.before).bind(input.after.at).bind(input.after.id).bind(input.limit);
    let rows = query.bind(input.floor).fetch_all(&mut *conn).await?;
    let mut batch = Batch::new(input, rows.len());
    let mut goes: Vec<(i64, i64)> = Vec::new();
    for row in &rows {
        batch.after = Progress { at: row.try_get("at")?, id: row.try_get("id")?, ..Progress::default() };
        if row.try_get::<i64, _>("goes")? == 1 {
            goes.push((batch.after.id, batch.after.at));
        }
    }
    let firsts = first_answers(conn, &goes.iter().map(|(id, _)| *id).collect::<Vec<_>>()).await?;
    goes.retain(|(id, _)| !firsts.contains(id));
    let Some(latest) = goes.iter().map(|(_, at)| *at).max() else { return Ok(batch) };
    let ids: Vec<i64> = goes.into_iter().map(|(id, _)| id).collect();
    let whole_ids: Vec<i64> = ids.iter().copied().filter(|id| !input.thinned.contains(id)).collect();
    let (run_ids, unthinned) = (to_json(&ids)?, to_json(&whole_ids)?);
    let of = format!("(SELECT given.value FROM {})", super::numbers(1));
    // `CROSS JOIN` makes SQLite begin with the given runs.
    let searches = format!("(SELECT s.id FROM {} CROSS JOIN search s WHERE s.run = given.value)", super::numbers(1));
    let public = format!(
        "(SELECT r.public_id FROM {} CROSS JOIN run r WHERE r.id = given.value AND r.topic IS NULL)",
        super::numbers(1)
    );
    let deletable = format!(
        "FROM run WHERE id IN {of} AND NOT EXISTS (SELECT 1 FROM item_revision v WHERE v.run = run.id) \
         AND NOT EXISTS (SELECT 1 FROM item_past h WHERE h.run = run.id) \
         AND NOT EXISTS (SELECT 1 FROM outbox m WHERE m.origin = run.public_id AND m.state IN ('queued', 'sending'))"
    );
    let unseen = " AND NOT EXISTS (SELECT 1 FROM sighting WHERE sighting.run = run.id";
    if !input.dry_run {
        // Count them first, so that the day's runs and cost stay known.
        let count = format!(
            "INSERT INTO pruned_day (topic, day, runs, calls, cost) SELECT r.topic, s.started_at / 86400000, count(DISTINCT s.run), \
             CAST(sum(s.tries) AS BIGINT), CAST(sum(coalesce(s.cost, s.expected_cost)) AS BIGINT) \
             FROM search s JOIN run r ON r.id = s.run WHERE s.run IN {of} AND r.topic IS NOT NULL GROUP BY r.topic, s.started_at / 86400000 \
             ON CONFLICT (topic, day) DO UPDATE SET runs = pruned_day.runs + excluded.runs, calls = pruned_day.calls + excluded.calls, \
             cost = pruned_day.cost + excluded.cost"
        );
        sqlx::query(AssertSqlSafe(count)).bind(&run_ids).execute(&mut *conn).await?;
        fresh::keep(conn, &run_ids).await?;
    }
    for (table, bytes, rest) in [
        (
            "raw_reply",
            "length(body) + length(request) + length(headers)",
            format!("FROM raw_reply WHERE search IN {searches}"),
        ),
        ("search", SEARCH_BYTES, format!("FROM search WHERE run IN {of}")),
        ("answer", "length(text) + length(cited)", format!("FROM answer WHERE run IN {of}")),
        ("sighting", "80", format!("FROM sighting WHERE run IN {of} AND NOT {LASTING}")),
        ("report", "300", format!("FROM report WHERE run IN {public}")),
        ("outbox", "300", format!("FROM outbox WHERE origin IN {public} AND state IN ('sent', 'dead')")),
        ("run", RUN_BYTES, format!("{deletable}{unseen} AND {LASTING})")),
    ] {
        // A dry run must not count rows twice.
        let (but, runs) = match table {
            "raw_reply" if input.dry_run => (format!(" AND received_at >= {}", input.raw_before), &run_ids),
            "sighting" if input.dry_run => (String::new(), &unthinned),
            _ => (String::new(), &run_ids),
        };
        let count = format!("SELECT count(*) AS many, CAST(coalesce(sum({bytes}), 0) AS BIGINT) AS bytes {rest}{but}");
        let row = sqlx::query(AssertSqlSafe(count)).bind(runs).fetch_one(&mut *conn).await?;
        batch.gone.push((table, row.try_get("many")?, row.try_get("bytes")?));
        if !input.dry_run {
            sqlx::query(AssertSqlSafe(format!("DELETE {rest}"))).bind(&run_ids).execute(&mut *conn).await?;
        }
    }
    if input.dry_run {
        return Ok(batch);
    }
    let mark = format!(
        "UPDATE run SET pruned_at = $2, error_text = NULL, thinned = CASE WHEN topic IS NULL THEN NULL ELSE 1 END WHERE id IN {of}"
    );
    sqlx::query(AssertSqlSafe(mark)).bind(&run_ids).bind(input.now).execute(&mut *conn).await?;
    sqlx::query(
        "INSERT INTO store_info (name, value) VALUES ('pruned_until', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value \
         WHERE CAST(excluded.value AS BIGINT) > CAST(store_info.value AS BIGINT)",
    )
    .bind((latest + 1).to_string())
    .execute(conn)
    .await?;
    Ok(batch)
}

/// The condition that needs one lookup comes first: for a topic that fails for months, the next one would read all
/// later runs. Values instead of `EXISTS` for searches: for that PostgreSQL would read the whole table, with each
/// batch.
const RUNS: &str = "SELECT r.id, coalesce(r.started_at, r.slot, r.planned_at) AS at, CAST(CASE WHEN \
     r.seq IS NOT NULL AND r.seq <= $5 AND r.seq < (SELECT max(m.seq) FROM run m WHERE m.seq IS NOT NULL) AND r.state NOT IN ('queued', 'running') \
     AND ((r.state NOT IN ('ok', 'partial') AND r.found = 0 AND EXISTS (SELECT 1 FROM run q WHERE q.topic = r.topic AND q.seq > r.seq)) \
       OR EXISTS (SELECT 1 FROM run q WHERE q.topic = r.topic AND q.seq > r.seq AND q.started_at IS NOT NULL AND q.state IN ('ok', 'partial')) \
       OR (r.topic IS NULL AND EXISTS (SELECT 1 FROM run q WHERE q.job = r.job AND q.slot > coalesce(r.slot, r.due_at) AND q.state = 'ok'))) \
     AND (SELECT 1 FROM search s WHERE s.run = r.id AND s.covered_until IS NOT NULL AND (SELECT 1 FROM search n \
       WHERE n.topic = s.topic AND n.source = s.source AND n.covered_until > s.covered_until AND n.run <> s.run LIMIT 1) IS NULL LIMIT 1) IS NULL \
     THEN 1 ELSE 0 END AS BIGINT) AS goes \
     FROM (SELECT o.id FROM run o WHERE o.pruned_at IS NULL AND coalesce(o.started_at, o.slot, o.planned_at) < $1 \
       AND coalesce(o.started_at, o.slot, o.planned_at) >= $2 AND (coalesce(o.started_at, o.slot, o.planned_at) > $2 OR o.id > $3) \
       ORDER BY coalesce(o.started_at, o.slot, o.planned_at), o.id LIMIT $4) AS few JOIN run r ON r.id = few.id ORDER BY 2, 1";
