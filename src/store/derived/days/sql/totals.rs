//! Running totals over finished runs for `/metrics`, read and added in `seq` order, and counts of the current state
//! that indexes answer. Stored, because Prometheus expects counters that never fall: runs of `once` count, restarts and
//! pruning lose nothing. The caller defines what is counted.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::pulse::FRESH;
use super::spent::UNBILLED;
use super::{Conn, Database, Row, alert_cards, followers, read, spent};
use crate::model::{
    Follower, MetricSum, Micros, RunState, SearchCost, SearchState, Source, SourceLatest, StoreCounts, TallyRun,
    TallySearch, Time, TopicLimits, Trigger, Usage, alert_of,
};
use crate::store::StoreError;

/// The most totals returned. The program makes a few hundred; this limits the damage if something else filled the
/// table.
const MOST_SUMS: i64 = 5_000;

/// The most alerts returned.
const MOST_ALERTS: i64 = 200;

/// Returns the number of the last run that was added, and whether the totals have ever caught up.
pub(in crate::store) async fn progress(conn: &mut Conn) -> Result<(i64, bool), StoreError> {
    followers::progress(conn, Follower::Counters.as_str()).await
}

/// Returns runs after a number, in order, with their searches.
pub(in crate::store) async fn after(conn: &mut Conn, seq: i64, limit: i64) -> Result<Vec<TallyRun>, StoreError> {
    let rows = sqlx::query(
        "SELECT seq, job, topic, trigger, state, slot, started_at, finished_at FROM run \
         WHERE seq IS NOT NULL AND seq > $1 ORDER BY seq LIMIT $2",
    )
    .bind(seq)
    .bind(limit)
    .fetch_all(&mut *conn)
    .await?;
    let mut runs = rows.iter().map(run).collect::<Result<Vec<TallyRun>, StoreError>>()?;
    let Some(last) = runs.last().map(|run| run.seq) else { return Ok(runs) };
    // `CROSS JOIN` fixes the order: the runs by number, then the searches of each.
    let sql = format!(
        "SELECT r.seq, s.source, s.state, s.error_class, s.tries, s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, \
         CAST({FRESH} AS BIGINT) AS fresh, s.unreadable, coalesce(s.cost, s.expected_cost) AS cost, \
         CASE WHEN {UNBILLED} THEN coalesce(s.cost, s.expected_cost) ELSE 0 END AS assumed FROM run r CROSS JOIN search s \
         WHERE r.seq IS NOT NULL AND r.seq > $1 AND r.seq <= $2 AND s.run = r.id ORDER BY r.seq, s.attempt, s.source"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(seq).bind(last).fetch_all(conn).await?;
    for row in &rows {
        let seq: i64 = row.try_get("seq")?;
        if let Ok(at) = runs.binary_search_by_key(&seq, |run| run.seq)
            && let Some(run) = runs.get_mut(at)
        {
            run.searches.push(search(row)?);
        }
    }
    Ok(runs)
}

fn run(row: &Row) -> Result<TallyRun, StoreError> {
    Ok(TallyRun {
        seq: row.try_get("seq")?,
        job: row.try_get("job")?,
        topic: row.try_get("topic")?,
        trigger: read::word(row, "trigger", Trigger::parse)?,
        state: read::word(row, "state", RunState::parse)?,
        slot: read::time(row, "slot")?,
        started_at: read::time(row, "started_at")?,
        finished_at: read::time(row, "finished_at")?,
        searches: Vec::new(),
    })
}

fn search(row: &Row) -> Result<TallySearch, StoreError> {
    Ok(TallySearch {
        source: read::word(row, "source", Source::parse)?,
        state: read::word(row, "state", SearchState::parse)?,
        class: row.try_get("error_class")?,
        tries: row.try_get("tries")?,
        latency_ms: row.try_get("latency_ms")?,
        counts: read::counts(row)?,
        fresh: row.try_get::<i64, _>("fresh")? > 0,
        unreadable: row.try_get("unreadable")?,
        cost: SearchCost { total: Micros(row.try_get("cost")?), assumed: Micros(row.try_get("assumed")?) },
    })
}

/// Adds totals of the runs from one number to another. Returns false and changes nothing if another process was first,
/// or if a topic was renamed since its runs were read: otherwise its latest answers would be stored under its old id.
pub(in crate::store) async fn add_totals(
    conn: &mut Conn,
    sums: &[MetricSum],
    latest: &[SourceLatest],
    from: i64,
    to: i64,
    caught_up: bool,
) -> Result<bool, StoreError> {
    followers::hold(conn, Follower::Counters).await?;
    if !are_topics_of_runs(conn, latest, from, to).await?
        || !followers::advance(conn, Follower::Counters.as_str(), from, to, caught_up).await?
    {
        return Ok(false);
    }
    for chunk in sums.chunks(200) {
        let mut insert = QueryBuilder::<Database>::new("INSERT INTO tally (name, labels, bound, value) ");
        insert.push_values(chunk, |mut row, sum| {
            row.push_bind(&sum.name).push_bind(&sum.labels).push_bind(sum.bound).push_bind(sum.value);
        });
        insert.push(" ON CONFLICT (name, labels, bound) DO UPDATE SET value = tally.value + excluded.value");
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    for chunk in latest.chunks(200) {
        let mut insert =
            QueryBuilder::<Database>::new("INSERT INTO topic_latest (topic, source, answered_at, new_at) ");
        insert.push_values(chunk, |mut row, latest| {
            row.push_bind(&latest.topic).push_bind(latest.source.as_str());
            row.push_bind(latest.answered_at.0).push_bind(latest.new_at.map(|at| at.0));
        });
        // Runs are numbered in the order in which they ended, not in which they started. One that started a day before shows
        // that the clock was ahead.
        let newer =
            |at: &str| format!("excluded.{at} > topic_latest.{at} OR excluded.{at} < topic_latest.{at} - 86400000");
        insert.push(format!(
            " ON CONFLICT (topic, source) DO UPDATE SET \
             answered_at = CASE WHEN {} THEN excluded.answered_at ELSE topic_latest.answered_at END, \
             new_at = CASE WHEN topic_latest.new_at IS NULL OR {} THEN excluded.new_at ELSE topic_latest.new_at END",
            newer("answered_at"),
            newer("new_at")
        ));
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(true)
}

/// Whether these are still the topics of runs in the range.
async fn are_topics_of_runs(conn: &mut Conn, latest: &[SourceLatest], from: i64, to: i64) -> Result<bool, StoreError> {
    if latest.is_empty() {
        return Ok(true);
    }
    // In order of their numbers: otherwise SQLite may read the topics of all runs from another index.
    let sql = "SELECT topic FROM run WHERE seq IS NOT NULL AND seq > $1 AND seq <= $2 ORDER BY seq";
    let topics: Vec<Option<String>> = sqlx::query_scalar(sql).bind(from).bind(to).fetch_all(conn).await?;
    let topics: BTreeSet<String> = topics.into_iter().flatten().collect();
    Ok(latest.iter().all(|one| topics.contains(&one.topic)))
}

pub(in crate::store) async fn sums(conn: &mut Conn) -> Result<Option<Vec<MetricSum>>, StoreError> {
    if !progress(conn).await?.1 {
        return Ok(None);
    }
    let rows = sqlx::query("SELECT name, labels, bound, value FROM tally ORDER BY name, labels, bound LIMIT $1");
    let rows = rows.bind(MOST_SUMS).fetch_all(conn).await?;
    let sum = |row: &Row| {
        Ok(MetricSum {
            name: row.try_get("name")?,
            labels: row.try_get("labels")?,
            bound: row.try_get("bound")?,
            value: row.try_get("value")?,
        })
    };
    rows.iter().map(sum).collect::<Result<_, StoreError>>().map(Some)
}

pub(in crate::store) async fn latest(conn: &mut Conn, topics: &[String]) -> Result<Vec<SourceLatest>, StoreError> {
    let sql = format!(
        "SELECT l.topic, l.source, l.answered_at, l.new_at FROM {} CROSS JOIN topic_latest l WHERE l.topic = given.value ORDER BY l.topic, l.source",
        super::texts(1)
    );
    let list = serde_json::json!(topics).to_string();
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(list).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            Ok(SourceLatest {
                topic: row.try_get("topic")?,
                source: read::word(row, "source", Source::parse)?,
                answered_at: Time(row.try_get("answered_at")?),
                new_at: read::time(row, "new_at")?,
            })
        })
        .collect()
}

/// Returns all sources that ever answered, and those of the search service. A new source appears after the next count.
pub(in crate::store) async fn searched_sources(conn: &mut Conn) -> Result<Vec<Source>, StoreError> {
    let names: Vec<String> = sqlx::query_scalar("SELECT DISTINCT source FROM topic_latest").fetch_all(conn).await?;
    let all = names.iter().filter_map(|name| Source::parse(name)).chain(Source::SERVICE.iter().copied());
    Ok(all.collect::<BTreeSet<Source>>().into_iter().collect())
}

pub(in crate::store) async fn first_topics(conn: &mut Conn, limit: i64) -> Result<Vec<String>, StoreError> {
    let ids = sqlx::query_scalar("SELECT id FROM topic WHERE removed_at IS NULL ORDER BY id LIMIT $1");
    Ok(ids.bind(limit).fetch_all(conn).await?)
}

/// Returns topics that have limits, and their use today.
pub(in crate::store) async fn limited(
    conn: &mut Conn,
    day: i64,
    topics: &[String],
) -> Result<Vec<(String, TopicLimits, Usage)>, StoreError> {
    let sql = format!(
        "SELECT t.definition FROM {} CROSS JOIN topic t WHERE t.id = given.value ORDER BY t.id",
        super::texts(1)
    );
    let list = serde_json::json!(topics).to_string();
    let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql)).bind(list).fetch_all(&mut *conn).await?;
    // A topic that this version cannot read is not run by it either.
    let topics = rows.iter().filter_map(|definition| super::definitions::topic(definition).ok());
    let limited: Vec<_> =
        topics.filter(|topic| !topic.limits.is_none()).map(|topic| (topic.id, topic.limits)).collect();
    let ids: Vec<&str> = limited.iter().map(|(id, _)| id.as_str()).collect();
    // A topic whose limits are new has no counter yet.
    let mut used = spent::of_topics(conn, day, &ids).await?;
    Ok(limited
        .into_iter()
        .map(|(id, limits)| {
            let used = used.remove(&id).unwrap_or_default();
            (id, limits, used)
        })
        .collect())
}

/// The counts of the current state. An index answers each of them.
pub(in crate::store) const STANDING: &str = "SELECT (SELECT count(*) FROM topic WHERE removed_at IS NULL) AS topics, \
     (SELECT count(*) FROM run WHERE state = 'queued' AND due_at <= $1) AS due, \
     (SELECT count(*) FROM run WHERE state = 'running') AS running, \
     (SELECT count(*) FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND next_slot > 0 AND next_slot < $2) AS overdue, \
     (SELECT count(*) FROM outbox WHERE state = 'queued') AS queued, \
     (SELECT count(*) FROM outbox WHERE state = 'sending') AS sending, \
     (SELECT count(*) FROM outbox WHERE state = 'dead') AS dead, \
     (SELECT coalesce(max(seq), 0) FROM run WHERE seq IS NOT NULL) - (SELECT coalesce(max(seq), 0) FROM follower WHERE name = 'counters') AS uncounted";

pub(in crate::store) async fn current(conn: &mut Conn, now: Time, planned_by: Time) -> Result<StoreCounts, StoreError> {
    let row = sqlx::query(STANDING).bind(now.0).bind(planned_by.0).fetch_one(&mut *conn).await?;
    let day: Option<(i64, Option<i64>)> =
        sqlx::query_as("SELECT made, spent FROM calls WHERE day = $1 AND provider = 'service'")
            .bind(now.utc_day())
            .fetch_optional(&mut *conn)
            .await?;
    let firing = format!(
        "SELECT j.id, (SELECT count(*) FROM alert_firing f WHERE f.alert = substr(j.id, 7) AND {} AND {} AND NOT {}) AS firing FROM job j \
         WHERE j.removed_at IS NULL AND j.id > 'alert:' AND j.id < 'alert;' ORDER BY j.id LIMIT $1",
        alert_cards::NOT_PAUSED,
        alert_cards::still_fires("$2"),
        alert_cards::held_back()
    );
    let firing = sqlx::query(AssertSqlSafe(firing)).bind(MOST_ALERTS).bind(now.utc_date()).fetch_all(conn).await?;
    let name = |id: String| alert_of(&id).map_or(id.clone(), str::to_owned);
    let firing = firing.iter().map(|row| Ok((name(row.try_get("id")?), row.try_get("firing")?)));
    Ok(StoreCounts {
        topics: row.try_get("topics")?,
        due: row.try_get("due")?,
        running: row.try_get("running")?,
        overdue: row.try_get("overdue")?,
        outbox: [row.try_get("queued")?, row.try_get("sending")?, row.try_get("dead")?],
        firing: firing.collect::<Result<_, StoreError>>()?,
        calls: day.map_or(0, |(calls, _)| calls),
        spent: day.map_or(Some(Micros(0)), |(_, spent)| spent.map(Micros)),
        uncounted: row.try_get("uncounted")?,
    })
}
