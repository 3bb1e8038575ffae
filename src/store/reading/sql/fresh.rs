//! Decides whether items were new when a topic first saw them: in the window of the search, and not part of a baseline.
//! Uses the fit stored with the first sighting, not the topic's current window. The terms are those of
//! docs/explanation/changes.md; `insight::changes` implements them for a diff, and this module for reads of many rows.

use std::collections::{BTreeSet, HashMap};

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, followers, read};
use crate::model::{Time, WindowFit};
use crate::store::StoreError;

/// Topics or keys per statement.
const CHUNK: usize = 1_000;

/// [`FIT`] from the searches of run `f`.
macro_rules! fit_by_searches {
    () => {
        concat!("(SELECT min(CASE WHEN g.fit = 'outside' THEN 2 \
         WHEN (SELECT min(CASE WHEN ", is_backfill!("q", "f"), " THEN 1 ELSE 0 END) FROM search q WHERE q.run = f.id AND q.attempt = f.attempt AND q.source = g.source) = 1 THEN 2 \
         WHEN g.fit = 'undated' THEN 3 ELSE 1 END) FROM sighting g WHERE g.run = f.id AND g.item = t.item)")
    };
}

/// [`BASELINE`] from the searches of run `f` and of earlier ones. Walks back to the last answer, as
/// [`not_answered_before`] does.
macro_rules! baseline_by_searches {
    () => {
        "(CASE WHEN EXISTS (SELECT 1 FROM search q WHERE q.run = f.id AND q.attempt = f.attempt AND q.state NOT IN ('not_run', 'over_quota') \
         AND (EXISTS (SELECT 1 FROM sighting g WHERE g.run = f.id AND g.item = t.item AND g.source = q.source) \
           OR NOT EXISTS (SELECT 1 FROM sighting g WHERE g.run = f.id AND g.item = t.item)) \
         AND (SELECT e.seq FROM run e CROSS JOIN search a WHERE e.topic = f.topic AND e.seq < f.seq AND e.started_at IS NOT NULL \
           AND a.run = e.id AND a.attempt = e.attempt AND a.source = q.source AND a.operation = q.operation AND a.query = q.query \
           AND a.state IN ('ok', 'empty') ORDER BY e.seq DESC LIMIT 1) IS NOT NULL) \
         OR f.pruned_at IS NOT NULL THEN 0 ELSE 1 END)"
    };
}

/// The fit of an item `t` at its topic's first sighting in run `f`, as a number: in the window (1) if any source said
/// so, else outside (2), else undated (3); NULL if those sightings are deleted. Findings of a search for a past span (a
/// backfill) are outside, also without a date. Scalar subqueries, which PostgreSQL evaluates row by row.
pub(in crate::store) const FIT: &str = concat!("coalesce(t.first_fit, ", fit_by_searches!(), ")");

/// Whether an item existed before its topic began to search, 0 or 1: no source that showed it to the first run had
/// answered the same query before. If the sightings of that run are deleted, every source that the run searched counts.
/// Runs that an earlier version pruned were not first answers, because those are never pruned.
pub(in crate::store) const BASELINE: &str = concat!("coalesce(t.first_baseline, ", baseline_by_searches!(), ")");

/// Stores the facts that only the searches of these runs show, before they are deleted.
pub(in crate::store) async fn keep(conn: &mut Conn, runs: &str) -> Result<(), StoreError> {
    const KEEP: &str = concat!(
        "UPDATE topic_item AS t SET first_fit = ",
        fit_by_searches!(),
        ", first_baseline = ",
        baseline_by_searches!(),
        " FROM run f WHERE t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id AND f.id IN (SELECT given.value FROM "
    );
    let sql = format!("{KEEP}{})", super::numbers(1));
    sqlx::query(AssertSqlSafe(sql)).bind(runs).execute(conn).await?;
    Ok(())
}

/// [`FIT`] as column `fit` of an item `i`. Without sightings, an item with a date counts as in the window, as in a
/// diff.
pub(in crate::store) fn fit_column() -> String {
    format!("CAST(coalesce({FIT}, CASE WHEN i.published_at IS NULL THEN 3 ELSE 1 END) AS BIGINT) AS fit")
}

/// Reads that column.
pub(in crate::store) fn fit(row: &Row) -> Result<WindowFit, StoreError> {
    Ok(match row.try_get("fit")? {
        1_i64 => WindowFit::In,
        2 => WindowFit::Outside,
        _ => WindowFit::Undated,
    })
}

/// Returns by topic and key the fits of items at their first sighting by each topic, or by one.
pub(in crate::store) async fn fits(
    conn: &mut Conn,
    topic: Option<&str>,
    keys: &[String],
) -> Result<HashMap<(String, String), WindowFit>, StoreError> {
    let sql = format!(
        "SELECT t.topic, i.key, {} \
         FROM {} CROSS JOIN item i CROSS JOIN topic_item t CROSS JOIN run f \
         WHERE i.key = given.value AND t.item = i.id AND f.id = t.first_run AND ($2 = '' OR t.topic = $2)",
        fit_column(),
        super::texts(1)
    );
    let mut all = HashMap::new();
    for chunk in keys.chunks(CHUNK) {
        let list = serde_json::json!(chunk).to_string();
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(list).bind(topic.unwrap_or(""));
        for row in query.fetch_all(&mut *conn).await? {
            all.insert((row.try_get("topic")?, row.try_get("key")?), fit(&row)?);
        }
    }
    Ok(all)
}

/// Returns by run how many of the items it saw first were older than its window. Runs without any are left out.
pub(in crate::store) async fn older_counts(
    conn: &mut Conn,
    runs: &[String],
) -> Result<HashMap<String, i64>, StoreError> {
    let sql = format!(
        "SELECT f.public_id AS run, count(*) AS many FROM {} CROSS JOIN run f CROSS JOIN topic_item t \
         WHERE f.public_id = given.value AND f.new > 0 AND t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id \
         AND {FIT} = 2 GROUP BY f.public_id",
        super::texts(1)
    );
    counts_by_run(conn, &sql, runs).await
}

/// Returns by run how many items that it counted as new were forgotten or merged since although none of them was new:
/// each search of the run was a first answer or of a past span. For other runs this is unknown. Runs without any are
/// left out.
pub(in crate::store) async fn gone_counts(
    conn: &mut Conn,
    runs: &[String],
) -> Result<HashMap<String, i64>, StoreError> {
    let sql = format!(
        "SELECT f.public_id AS run, CAST(f.erased_new + f.merged_new AS BIGINT) AS many FROM {} CROSS JOIN run f \
         WHERE f.public_id = given.value AND f.erased_new + f.merged_new > 0 AND f.pruned_at IS NULL \
         AND (SELECT 1 FROM search q WHERE q.run = f.id AND q.attempt = f.attempt AND q.state NOT IN ('not_run', 'over_quota') \
           AND ({}) IS NOT TRUE AND NOT {} LIMIT 1) IS NULL",
        super::texts(1),
        is_backfill!("q", "f"),
        not_answered_before("f", "q")
    );
    counts_by_run(conn, &sql, runs).await
}

/// Runs a statement that counts by run, in parts.
async fn counts_by_run(conn: &mut Conn, sql: &str, runs: &[String]) -> Result<HashMap<String, i64>, StoreError> {
    let mut all = HashMap::new();
    for chunk in runs.chunks(CHUNK) {
        let list = serde_json::json!(chunk).to_string();
        for row in sqlx::query(AssertSqlSafe(sql.to_owned())).bind(list).fetch_all(&mut *conn).await? {
            all.insert(row.try_get("run")?, row.try_get("many")?);
        }
    }
    Ok(all)
}

/// Like [`FIT`], but without checking for backfills. For many items at once, where the few backfill runs are handled
/// separately.
pub(super) const PLAIN: &str = "coalesce((SELECT min(CASE g.fit WHEN 'in' THEN 1 WHEN 'outside' THEN 2 ELSE 3 END) \
     FROM sighting g WHERE g.run = f.id AND g.item = t.item), 1)";

/// Items first seen since an instant, by topic, before any filter.
#[derive(Debug, Default)]
pub(in crate::store) struct NewItems {
    /// The number of new items.
    pub(in crate::store) new: HashMap<String, i64>,
    /// The number of baseline items, without those older than their window.
    pub(in crate::store) baseline: HashMap<String, i64>,
}

/// Counts what is new since an instant. Baselines and backfills belong to few runs; their items are found by run and
/// subtracted. Items stored by a clock that was ahead count with the runs after it.
pub(in crate::store) async fn new_since(
    conn: &mut Conn,
    topics: &[String],
    since: Time,
) -> Result<NewItems, StoreError> {
    let list = serde_json::json!(topics).to_string();
    let ahead = followers::ahead_before(conn, since).await?;
    let sql = format!(
        "SELECT given.value AS topic, (SELECT count(*) FROM topic_item t CROSS JOIN run f WHERE t.topic = given.value AND t.first_seen >= $2 \
         AND f.id = t.first_run AND f.seq IS NOT NULL AND (f.outside = 0 OR {PLAIN} <> 2){}) AS many FROM {}",
        followers::none_of(&ahead),
        super::texts(1)
    );
    let mut new = HashMap::new();
    for row in sqlx::query(AssertSqlSafe(sql)).bind(&list).bind(since.0).fetch_all(&mut *conn).await? {
        new.insert(row.try_get::<String, _>("topic")?, row.try_get::<i64, _>("many")?);
    }
    let is_ahead = |run: &i64| ahead.iter().any(|(id, _)| id == run);
    let mut begun = first_answers(conn, &list, since).await?;
    begun.retain(|(run, _)| !is_ahead(run));
    let mut backfills = backfill_runs(conn, &list, since).await?;
    backfills.retain(|run| !is_ahead(run));
    if begun.is_empty() && backfills.is_empty() {
        return Ok(NewItems { new, ..NewItems::default() });
    }
    let runs: BTreeSet<i64> = begun.iter().map(|(run, _)| *run).chain(backfills).collect();
    let sql = format!(
        "SELECT f.topic, count(*) AS many FROM {} CROSS JOIN run f CROSS JOIN topic_item t \
         WHERE f.id = given.value AND t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id AND {PLAIN} <> 2 \
         AND (coalesce({FIT}, 1) = 2 OR {}) GROUP BY f.topic",
        super::numbers(1),
        only_first_answers(2)
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(runs).to_string());
    for row in query.bind(pairs(&begun)).fetch_all(&mut *conn).await? {
        if let Some(new) = new.get_mut(row.try_get::<&str, _>("topic")?) {
            *new -= row.try_get::<i64, _>("many")?;
        }
    }
    Ok(NewItems { new, baseline: baseline_items(conn, &begun, "topic").await? })
}

/// Encodes first answers for binding: run and source in one text.
pub(super) fn pairs(begun: &[(i64, String)]) -> String {
    let texts: Vec<String> = begun.iter().map(|(run, source)| format!("{run} {source}")).collect();
    serde_json::json!(texts).to_string()
}

/// SQL condition: everything that run `f` saw of item `t` came from first answers, which are bound at this place.
pub(super) fn only_first_answers(place: u8) -> String {
    format!(
        "(SELECT count(*) FROM sighting s WHERE s.run = f.id AND s.item = t.item) = \
         (SELECT nullif(count(*), 0) FROM sighting s WHERE s.run = f.id AND s.item = t.item \
           AND CAST(s.run AS TEXT) || ' ' || s.source IN (SELECT given.value FROM {}))",
        super::texts(place)
    )
}

/// Returns by run how many of the items it saw first belong to a baseline and are not older than its window. Runs without
/// any are left out.
pub(in crate::store) async fn baselines_of_runs(
    conn: &mut Conn,
    runs: &[String],
) -> Result<HashMap<String, i64>, StoreError> {
    let begun = first_answers_of_runs(conn, runs).await?;
    baseline_items(conn, &begun, "public_id").await
}

/// Returns the sources of these runs that answered a query for the first time, each with the run.
pub(super) async fn first_answers_of_runs(conn: &mut Conn, runs: &[String]) -> Result<Vec<(i64, String)>, StoreError> {
    let sql = format!(
        "WITH asked AS MATERIALIZED (SELECT r.id AS run, r.topic AS topic, r.seq AS seq, s.source AS source, s.operation AS operation, s.query AS query \
         FROM {} CROSS JOIN run r CROSS JOIN search s WHERE r.public_id = given.value AND r.seq IS NOT NULL AND r.new > 0 \
         AND s.run = r.id AND s.attempt = r.attempt AND s.state NOT IN ('not_run', 'over_quota')) \
         SELECT asked.run AS run, asked.source AS source FROM asked WHERE {}",
        super::texts(1),
        not_answered_before("asked", "asked")
    );
    let mut begun = Vec::new();
    for chunk in runs.chunks(CHUNK) {
        let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(serde_json::json!(chunk).to_string());
        for row in query.fetch_all(&mut *conn).await? {
            begun.push((row.try_get("run")?, row.try_get("source")?));
        }
    }
    Ok(begun)
}

/// Counts the items that only first answers found, by this column of their runs.
async fn baseline_items(
    conn: &mut Conn,
    begun: &[(i64, String)],
    by: &str,
) -> Result<HashMap<String, i64>, StoreError> {
    if begun.is_empty() {
        return Ok(HashMap::new());
    }
    let runs: BTreeSet<i64> = begun.iter().map(|(run, _)| *run).collect();
    let sql = format!(
        "SELECT f.{by} AS name, count(*) AS many FROM {} CROSS JOIN run f CROSS JOIN topic_item t \
         WHERE f.id = given.value AND t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id \
         AND coalesce({FIT}, 1) <> 2 AND {} GROUP BY f.{by}",
        super::numbers(1),
        only_first_answers(2)
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(runs).to_string());
    let mut all = HashMap::new();
    for row in query.bind(pairs(begun)).fetch_all(conn).await? {
        all.insert(row.try_get("name")?, row.try_get("many")?);
    }
    Ok(all)
}

/// SQL condition: no earlier run answered the same query. `run` has the topic and seq, `search` the source and query.
/// The order makes both databases walk back from the run: from the first run on, they would read all runs with earlier
/// queries. Select the searches before, in `WITH … AS MATERIALIZED`: next to this condition, PostgreSQL considers any
/// join of them cheap, and reads all searches.
pub(super) fn not_answered_before(run: &str, search: &str) -> String {
    format!(
        "(SELECT e.seq FROM run e CROSS JOIN search a WHERE e.topic = {run}.topic AND e.seq < {run}.seq AND e.started_at IS NOT NULL \
         AND a.run = e.id AND a.attempt = e.attempt AND a.source = {search}.source AND a.operation = {search}.operation AND a.query = {search}.query \
         AND a.state IN ('ok', 'empty') ORDER BY e.seq DESC LIMIT 1) IS NULL"
    )
}

/// Returns the runs since an instant in which a source answered a query for the first time, with the source. Checks the
/// first run of each query that found something new; if the query was answered before, walking back from there finds
/// that quickly.
pub(super) async fn first_answers(
    conn: &mut Conn,
    topics: &str,
    since: Time,
) -> Result<Vec<(i64, String)>, StoreError> {
    let sql = format!(
        "SELECT r.id AS run, begun.source AS source FROM (SELECT r.topic AS topic, s.source AS source, s.operation AS operation, s.query AS query, \
           min(r.seq) AS seq FROM {} CROSS JOIN run r CROSS JOIN search s \
           WHERE r.topic = given.value AND {at} >= $2 AND r.seq IS NOT NULL AND r.new > 0 AND s.run = r.id AND s.attempt = r.attempt \
           AND s.state IN ('ok', 'empty') GROUP BY r.topic, s.source, s.operation, s.query) begun JOIN run r ON r.seq = begun.seq \
         WHERE {}",
        super::texts(1),
        not_answered_before("begun", "begun"),
        at = read::RUN_AT
    );
    let mut rows = sqlx::query(AssertSqlSafe(sql)).bind(topics).bind(since.0).fetch_all(&mut *conn).await?;
    // Findings of a cut reply are part of a baseline, too, but such a reply does not answer the query.
    let sql = format!(
        "WITH asked AS MATERIALIZED (SELECT r.id AS run, r.topic AS topic, r.seq AS seq, s.source AS source, s.operation AS operation, s.query AS query \
         FROM {} CROSS JOIN run r CROSS JOIN search s WHERE r.topic = given.value AND {} >= $2 AND r.seq IS NOT NULL AND r.new > 0 \
         AND s.run = r.id AND s.attempt = r.attempt AND s.state NOT IN ('ok', 'empty', 'not_run', 'over_quota') AND s.new > 0) \
         SELECT asked.run AS run, asked.source AS source FROM asked WHERE {}",
        super::texts(1),
        read::RUN_AT,
        not_answered_before("asked", "asked")
    );
    rows.extend(sqlx::query(AssertSqlSafe(sql)).bind(topics).bind(since.0).fetch_all(conn).await?);
    rows.iter().map(|row| Ok((row.try_get("run")?, row.try_get("source")?))).collect()
}

/// Returns the runs since an instant that searched a past span.
pub(super) async fn backfill_runs(conn: &mut Conn, topics: &str, since: Time) -> Result<Vec<i64>, StoreError> {
    let sql = format!(
        "SELECT DISTINCT r.id FROM {} CROSS JOIN run r CROSS JOIN search s \
         WHERE r.topic = given.value AND {} >= $2 AND r.seq IS NOT NULL AND r.new > 0 AND s.run = r.id AND s.attempt = r.attempt \
         AND {}",
        super::texts(1),
        read::RUN_AT,
        is_backfill!("s", "r")
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(topics).bind(since.0).fetch_all(conn).await?)
}
