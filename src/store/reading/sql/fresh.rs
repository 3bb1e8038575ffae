//! Whether what a topic saw first was new: in the window of the search that found it, and not of a baseline. The fit is the one
//! that was stored with the first sighting, whatever the topic's window is today. The words are those of docs/explanation/changes.md, as
//! `insight::changes` has them for a diff; here they are for readers of many rows.

use std::collections::{BTreeSet, HashMap};

use sqlx::{AssertSqlSafe, Row as _};

use super::{Conn, Row, read};
use crate::model::{Time, WindowFit};
use crate::store::StoreError;

/// Names of one statement.
const CHUNK: usize = 1_000;

/// The fit of an item `t` at its topic's first sighting, by the first run `f`, as a number: in the window (1) when any source
/// said so, else outside (2), else undated (3); null once those sightings are gone. What was found by a search of a time that
/// was over (a backfill) is outside. Scalar selections, which PostgreSQL looks up row by row.
pub(in crate::store) const FIT: &str = "(SELECT min(CASE WHEN g.fit = 'undated' THEN 3 WHEN g.fit = 'outside' THEN 2 \
     WHEN (SELECT max(q.asked_until) FROM search q WHERE q.run = f.id AND q.attempt = f.attempt AND q.source = g.source) < f.started_at - 60000 THEN 2 \
     ELSE 1 END) FROM sighting g WHERE g.run = f.id AND g.item = t.item)";

/// The same as the column `fit` of an item `i`; without sightings, whatever has a date lay in the window, as in a diff.
pub(in crate::store) fn condition() -> String {
    format!("CAST(coalesce({FIT}, CASE WHEN i.published_at IS NULL THEN 3 ELSE 1 END) AS BIGINT) AS fit")
}

/// What that column says.
pub(in crate::store) fn fit(row: &Row) -> Result<WindowFit, StoreError> {
    Ok(match row.try_get("fit")? {
        1_i64 => WindowFit::In,
        2 => WindowFit::Outside,
        _ => WindowFit::Undated,
    })
}

/// The fits of items at the first sighting of each topic that knows them, or of one, by topic and key.
pub(in crate::store) async fn fits(
    conn: &mut Conn,
    topic: Option<&str>,
    keys: &[String],
) -> Result<HashMap<(String, String), WindowFit>, StoreError> {
    let sql = format!(
        "SELECT t.topic, i.key, {} \
         FROM {} CROSS JOIN item i CROSS JOIN topic_item t CROSS JOIN run f \
         WHERE i.key = given.value AND t.item = i.id AND f.id = t.first_run AND ($2 = '' OR t.topic = $2)",
        condition(),
        super::texts(1)
    );
    let mut all = HashMap::new();
    for chunk in keys.chunks(CHUNK) {
        let list = serde_json::json!(chunk).to_string();
        let asked = sqlx::query(AssertSqlSafe(sql.clone())).bind(list).bind(topic.unwrap_or(""));
        for row in asked.fetch_all(&mut *conn).await? {
            all.insert((row.try_get("topic")?, row.try_get("key")?), fit(&row)?);
        }
    }
    Ok(all)
}

/// Of what runs saw first, how much was older than its window, by run; runs that saw nothing of the kind are not there.
pub(in crate::store) async fn older(conn: &mut Conn, runs: &[String]) -> Result<HashMap<String, i64>, StoreError> {
    let sql = format!(
        "SELECT f.public_id AS run, count(*) AS many FROM {} CROSS JOIN run f CROSS JOIN topic_item t \
         WHERE f.public_id = given.value AND f.new > 0 AND t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id \
         AND {FIT} = 2 GROUP BY f.public_id",
        super::texts(1)
    );
    let mut all = HashMap::new();
    for chunk in runs.chunks(CHUNK) {
        let list = serde_json::json!(chunk).to_string();
        for row in sqlx::query(AssertSqlSafe(sql.clone())).bind(list).fetch_all(&mut *conn).await? {
            all.insert(row.try_get("run")?, row.try_get("many")?);
        }
    }
    Ok(all)
}

/// The same without asking whether the time that a search looked at was over: of many items at once, where the few runs of which
/// that is so are looked at by themselves.
const PLAIN: &str = "coalesce((SELECT min(CASE g.fit WHEN 'in' THEN 1 WHEN 'outside' THEN 2 ELSE 3 END) \
     FROM sighting g WHERE g.run = f.id AND g.item = t.item), 1)";

/// How many items of each of these topics are new since an instant, before any filter. Those of baselines and backfills are few
/// runs': they are looked for by run, and taken off.
pub(in crate::store) async fn new_since(
    conn: &mut Conn,
    topics: &[String],
    since: Time,
) -> Result<HashMap<String, i64>, StoreError> {
    let list = serde_json::json!(topics).to_string();
    let sql = format!(
        "SELECT given.value AS topic, (SELECT count(*) FROM topic_item t CROSS JOIN run f WHERE t.topic = given.value AND t.first_seen >= $2 \
         AND f.id = t.first_run AND f.seq IS NOT NULL AND (f.outside = 0 OR {PLAIN} <> 2)) AS many FROM {}",
        super::texts(1)
    );
    let mut new = HashMap::new();
    for row in sqlx::query(AssertSqlSafe(sql)).bind(&list).bind(since.0).fetch_all(&mut *conn).await? {
        new.insert(row.try_get::<String, _>("topic")?, row.try_get::<i64, _>("many")?);
    }
    let begun = first_answers(conn, &list, since).await?;
    let past = of_the_past(conn, &list, since).await?;
    if begun.is_empty() && past.is_empty() {
        return Ok(new);
    }
    let runs: BTreeSet<i64> = begun.iter().map(|(run, _)| *run).chain(past).collect();
    let sql = format!(
        "SELECT f.topic, count(*) AS many FROM {} CROSS JOIN run f CROSS JOIN topic_item t \
         WHERE f.id = given.value AND t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id AND {PLAIN} <> 2 \
         AND (coalesce({FIT}, 1) = 2 OR {}) GROUP BY f.topic",
        super::numbers(1),
        only_begun(2)
    );
    let asked = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(runs).to_string());
    for row in asked.bind(pairs(&begun)).fetch_all(conn).await? {
        if let Some(new) = new.get_mut(row.try_get::<&str, _>("topic")?) {
            *new -= row.try_get::<i64, _>("many")?;
        }
    }
    Ok(new)
}

/// First answers as they are bound: the run and its source in one text.
fn pairs(begun: &[(i64, String)]) -> String {
    let texts: Vec<String> = begun.iter().map(|(run, source)| format!("{run} {source}")).collect();
    serde_json::json!(texts).to_string()
}

/// Whether all that run `f` saw of item `t` came from first answers, which are bound at this place.
fn only_begun(place: u8) -> String {
    format!(
        "(SELECT count(*) FROM sighting s WHERE s.run = f.id AND s.item = t.item) = \
         (SELECT nullif(count(*), 0) FROM sighting s WHERE s.run = f.id AND s.item = t.item \
           AND CAST(s.run AS TEXT) || ' ' || s.source IN (SELECT given.value FROM {}))",
        super::texts(place)
    )
}

/// How many items of these topics were seen first since an instant and belong to a baseline: what [`new_since`] takes off for
/// that reason. Older ones are not among them.
pub(in crate::store) async fn of_baselines(
    conn: &mut Conn,
    topics: &[String],
    since: Time,
) -> Result<HashMap<String, i64>, StoreError> {
    let begun = first_answers(conn, &serde_json::json!(topics).to_string(), since).await?;
    if begun.is_empty() {
        return Ok(HashMap::new());
    }
    let runs: BTreeSet<i64> = begun.iter().map(|(run, _)| *run).collect();
    let sql = format!(
        "SELECT f.topic, count(*) AS many FROM {} CROSS JOIN run f CROSS JOIN topic_item t \
         WHERE f.id = given.value AND t.topic = f.topic AND t.first_seen = f.started_at AND t.first_run = f.id \
         AND coalesce({FIT}, 1) <> 2 AND {} GROUP BY f.topic",
        super::numbers(1),
        only_begun(2)
    );
    let asked = sqlx::query(AssertSqlSafe(sql)).bind(serde_json::json!(runs).to_string());
    let mut all = HashMap::new();
    for row in asked.bind(pairs(&begun)).fetch_all(conn).await? {
        all.insert(row.try_get("topic")?, row.try_get("many")?);
    }
    Ok(all)
}

/// The runs since an instant in which a source answered a question for the first time, with that source. Of each question the first
/// run that brought something is looked at; was it answered before, a walk back from there meets that nearly at once.
async fn first_answers(conn: &mut Conn, topics: &str, since: Time) -> Result<Vec<(i64, String)>, StoreError> {
    let sql = format!(
        "SELECT r.id AS run, begun.source AS source FROM (SELECT r.topic AS topic, s.source AS source, s.operation AS operation, s.query AS query, \
           min(r.seq) AS seq FROM {} CROSS JOIN run r CROSS JOIN search s \
           WHERE r.topic = given.value AND {at} >= $2 AND r.seq IS NOT NULL AND r.new > 0 AND s.run = r.id AND s.attempt = r.attempt \
           AND s.state IN ('ok', 'empty') GROUP BY r.topic, s.source, s.operation, s.query) begun JOIN run r ON r.seq = begun.seq \
         WHERE (SELECT e.seq FROM run e CROSS JOIN search a WHERE e.topic = begun.topic AND e.seq < begun.seq AND a.run = e.id AND a.attempt = e.attempt \
           AND a.source = begun.source AND a.operation = begun.operation AND a.query = begun.query AND a.state IN ('ok', 'empty') ORDER BY e.seq DESC LIMIT 1) IS NULL",
        super::texts(1),
        at = read::RUN_AT
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(topics).bind(since.0).fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("run")?, row.try_get("source")?))).collect()
}

/// The runs since an instant that looked at a time that was over.
async fn of_the_past(conn: &mut Conn, topics: &str, since: Time) -> Result<Vec<i64>, StoreError> {
    let sql = format!(
        "SELECT DISTINCT r.id FROM {} CROSS JOIN run r CROSS JOIN search s \
         WHERE r.topic = given.value AND {} >= $2 AND r.seq IS NOT NULL AND r.new > 0 AND s.run = r.id AND s.attempt = r.attempt \
         AND s.asked_until < r.started_at - 60000",
        super::texts(1),
        read::RUN_AT
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).bind(topics).bind(since.0).fetch_all(conn).await?)
}
