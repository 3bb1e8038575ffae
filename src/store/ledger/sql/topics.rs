//! Topics: their stored definitions, and what the database holds at all. Planning is `ledger`'s.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, Row};
use crate::model::{SchedulePolicy, Time, Topic};
use crate::store::ledger::job_rows::Planned;
use crate::store::{Nature, PlannedTopic, StoreError, Synced};

/// So many topics written at once are news to the planner of statements.
const MANY: usize = 200;

/// What the database holds.
pub(in crate::store) async fn nature(conn: &mut Conn) -> Result<Option<Nature>, StoreError> {
    let held: Option<String> =
        sqlx::query_scalar("SELECT value FROM store_info WHERE name = 'nature'").fetch_optional(conn).await?;
    held.map(|word| Nature::parse(&word).ok_or_else(|| StoreError::unreadable(&format!("`{word}` as its nature"))))
        .transpose()
}

/// Says what the database holds from now on, if it holds nothing yet; returns what it holds.
pub(in crate::store) async fn claim_nature(conn: &mut Conn, nature: Nature) -> Result<Nature, StoreError> {
    // What it holds never changes, so only the first run of all has to write.
    if let Some(held) = self::nature(conn).await? {
        return Ok(held);
    }
    sqlx::query("INSERT INTO store_info (name, value) VALUES ('nature', $1) ON CONFLICT (name) DO NOTHING")
        .bind(nature.as_str())
        .execute(&mut *conn)
        .await?;
    Ok(self::nature(conn).await?.unwrap_or(nature))
}

/// The part of a definition whose change makes slots that passed irrelevant; a pause belongs to it, since a paused topic
/// owes nothing afterwards.
pub(in crate::store) fn schedule_text(schedule: Option<&SchedulePolicy>) -> Option<String> {
    schedule.map(|policy| {
        let paused = if policy.paused { " paused" } else { "" };
        format!("{} {}{paused}", serde_json::json!(policy.period), policy.timezone)
    })
}

/// Whether a stored schedule text is that of a topic that its file pauses.
pub(in crate::store) fn paused_by_file(schedule: &str) -> bool {
    schedule.ends_with(" paused")
}

/// Why queued runs of a topic shall not run, if so.
fn rests(topic: &Topic) -> Option<&'static str> {
    match &topic.schedule {
        None => Some("the topic has no schedule any more"),
        Some(policy) if policy.paused => Some("the topic is paused in the configuration"),
        Some(_) => None,
    }
}

/// A topic whose row has to be written: which one, and until when it is planned.
struct Changed<'t> {
    topic: &'t Topic,
    planned_until: Option<i64>,
}

/// What a set changes, told by walking through it and the stored topics side by side, both in order of id: nothing is
/// held of topics that stay as they are, however many they are.
struct Difference<'t> {
    changed: Vec<Changed<'t>>,
    gone: Vec<String>,
    synced: Synced,
}

async fn difference<'t>(
    conn: &mut Conn,
    ordered: &[&'t Topic],
    now: Time,
    remove: bool,
) -> Result<Difference<'t>, StoreError> {
    let mut found = Difference { changed: Vec::new(), gone: Vec::new(), synced: Synced::default() };
    let mut at = 0;
    // Kept from planners until the end: what is written later was decided from what is read here.
    let sql =
        format!("SELECT id, definition, planned_until, schedule, removed_at FROM topic ORDER BY id{}", super::ROW_LOCK);
    let mut rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch(conn);
    while let Some(row) = rows.try_next().await? {
        let id: String = row.try_get(0)?;
        while let Some(topic) = ordered.get(at)
            && topic.id < id
        {
            found.add(topic, now);
            at += 1;
        }
        let removed = row.try_get::<Option<i64>, _>(4)?.is_some();
        let Some(topic) = ordered.get(at).filter(|topic| topic.id == id) else {
            if remove && !removed {
                found.gone.push(id);
            }
            continue;
        };
        at += 1;
        if removed {
            found.add(topic, now);
        } else if row.try_get::<String, _>(1)? != written(topic)? {
            let same = row.try_get::<Option<String>, _>(3)? == schedule_text(topic.schedule.as_ref());
            let until = row.try_get::<Option<i64>, _>(2)?.filter(|_| same);
            found.synced.changed += 1;
            found.changed.push(Changed { topic, planned_until: until.or(Some(now.0)) });
        }
    }
    for topic in &ordered[at..] {
        found.add(topic, now);
    }
    found.synced.removed = found.gone.len();
    Ok(found)
}

impl<'t> Difference<'t> {
    fn add(&mut self, topic: &'t Topic, now: Time) {
        self.synced.added += 1;
        self.changed.push(Changed { topic, planned_until: Some(now.0) });
    }
}

/// A definition as it is stored.
fn written(topic: &Topic) -> Result<String, StoreError> {
    serde_json::to_string(topic).map_err(|e| StoreError::unreadable(&format!("a topic ({e})")))
}

pub(in crate::store) async fn sync(
    conn: &mut Conn,
    topics: &[Topic],
    now: Time,
    remove: bool,
) -> Result<Synced, StoreError> {
    super::lock(conn, 1).await?;
    super::rename::refuse_old_ids(conn, topics).await?;
    let mut ordered: Vec<&Topic> = topics.iter().collect();
    ordered.sort_by(|a, b| a.id.cmp(&b.id));
    let Difference { changed, gone, synced } = difference(conn, &ordered, now, remove).await?;
    let generation = super::instances::newest(conn).await?.map_or(0, |(number, _)| number);
    for chunk in changed.chunks(500) {
        let definitions = chunk.iter().map(|changed| written(changed.topic)).collect::<Result<Vec<String>, _>>()?;
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO topic (id, title, tags, definition, generation, planned_until, schedule, created_at, next_slot) ",
        );
        insert.push_values(chunk.iter().zip(definitions), |mut row, (Changed { topic, planned_until }, definition)| {
            row.push_bind(&topic.id).push_bind(&topic.title).push_bind(serde_json::json!(topic.tags).to_string());
            row.push_bind(definition)
                .push_bind(generation)
                .push_bind(planned_until)
                .push_bind(schedule_text(topic.schedule.as_ref()))
                .push_bind(now.0)
                // To be worked out by the planner, unless there is nothing to plan.
                .push_bind(topic.schedule.as_ref().filter(|policy| !policy.paused).map(|_| 0_i64));
        });
        insert.push(
            " ON CONFLICT (id) DO UPDATE SET title = excluded.title, tags = excluded.tags, definition = excluded.definition, \
             generation = excluded.generation, planned_until = excluded.planned_until, schedule = excluded.schedule, next_slot = excluded.next_slot, removed_at = NULL",
        );
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    // Their days may begin at other instants now.
    let known: Vec<String> = changed.iter().map(|changed| changed.topic.id.clone()).collect();
    if !known.is_empty() {
        super::days_rolled::renew(conn, &known).await?;
    }
    if changed.len() >= MANY {
        super::look_at(conn, "topic").await?;
    }
    for id in &gone {
        sqlx::query("UPDATE topic SET removed_at = $1 WHERE id = $2").bind(now.0).bind(id).execute(&mut *conn).await?;
    }
    for Changed { topic, .. } in &changed {
        let Some(reason) = rests(topic) else { continue };
        sqlx::query(
            "UPDATE run SET state = 'cancelled', reason = $1, finished_at = $2 WHERE topic = $3 AND state = 'queued'",
        )
        .bind(reason)
        .bind(now.0)
        .bind(&topic.id)
        .execute(&mut *conn)
        .await?;
    }
    // Not only of those that went just now: a run may have been given back while its topic went.
    sqlx::query(
        "UPDATE run SET state = 'cancelled', reason = 'topic removed from the configuration', finished_at = $1 \
         WHERE state = 'queued' AND topic IN (SELECT id FROM topic WHERE removed_at IS NOT NULL)",
    )
    .bind(now.0)
    .execute(conn)
    .await?;
    Ok(synced)
}

pub(in crate::store) async fn to_plan(
    conn: &mut Conn,
    now: Time,
    ahead: Duration,
    limit: u32,
) -> Result<Vec<PlannedTopic>, StoreError> {
    let rows = rows_to_plan(conn, Planned::Topics, now, ahead, limit).await?;
    let mut planned = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: String = row.try_get("id")?;
        // One that cannot be read holds up no other topic.
        let topic = definition(&row.try_get::<String, _>("definition")?).inspect_err(|error| {
            tracing::error!(topic = id, "not planned: {error}");
        });
        planned.push(PlannedTopic {
            id,
            topic: topic.ok(),
            planned_until: Time(row.try_get("planned_until")?),
            active: number(row, "active")?,
            backlog: number(row, "backlog")?,
            on_time: number(row, "on_time")?,
        });
    }
    Ok(planned)
}

/// A count of runs.
pub(in crate::store) fn number(row: &Row, column: &str) -> Result<u32, StoreError> {
    Ok(u32::try_from(row.try_get::<i64, _>(column)?).unwrap_or(u32::MAX))
}

/// Topics, or other jobs, that a planner has to look at.
pub(in crate::store) async fn rows_to_plan(
    conn: &mut Conn,
    of: Planned,
    now: Time,
    ahead: Duration,
    limit: u32,
) -> Result<Vec<Row>, StoreError> {
    let (table, job) = (of.table(), of.job_column());
    let runs = |which: &str, name: &str| {
        format!(
            "(SELECT count(*) FROM run r WHERE r.job = {job} AND r.state IN ('queued', 'running'){which}) AS {name}"
        )
    };
    let active = runs("", "active");
    // A run whose process was killed is made again, and made up for like a missed slot.
    let again = "r.attempt > CASE r.state WHEN 'running' THEN 1 ELSE 0 END";
    let backlog = runs(&format!(" AND (r.trigger = 'catch_up' OR {again})"), "backlog");
    let on_time = runs(&format!(" AND r.state = 'running' AND r.trigger <> 'catch_up' AND NOT ({again})"), "on_time");
    // Two selections and not one with OR, so that each follows its index. Its key order comes with the plan.
    let sql = format!(
        "WITH due AS (SELECT id FROM (SELECT id FROM {table} WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND next_slot <= $1 \
           ORDER BY next_slot, id LIMIT $3) AS slots UNION \
         SELECT id FROM (SELECT id FROM {table} WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND planned_until > $2 \
           ORDER BY planned_until LIMIT $3) AS strays) \
         SELECT t.id, t.definition, t.planned_until, {active}, {backlog}, {on_time} \
         FROM due JOIN {table} t ON t.id = due.id WHERE t.planned_until IS NOT NULL ORDER BY t.id"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(now.0).bind(now.plus(ahead).0).bind(i64::from(limit));
    Ok(query.fetch_all(conn).await?)
}

pub(in crate::store) async fn next_slots(conn: &mut Conn, limit: u32) -> Result<Vec<(String, Time)>, StoreError> {
    let rows = sqlx::query(
        "SELECT id, next_slot FROM (\
           SELECT id, next_slot FROM (SELECT id, next_slot FROM topic WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL \
             ORDER BY next_slot, id LIMIT $1) AS topics UNION ALL \
           SELECT id, next_slot FROM (SELECT id, next_slot FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL \
             ORDER BY next_slot, id LIMIT $1) AS jobs) AS slots ORDER BY next_slot, id LIMIT $1",
    )
    .bind(i64::from(limit))
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, Time(row.try_get(1)?)))).collect()
}

pub(in crate::store) async fn definitions(conn: &mut Conn) -> Result<Vec<Topic>, StoreError> {
    let texts: Vec<String> =
        sqlx::query_scalar("SELECT definition FROM topic WHERE removed_at IS NULL ORDER BY id").fetch_all(conn).await?;
    texts.iter().map(|text| definition(text)).collect()
}

/// Reads a stored definition back.
pub(in crate::store) fn definition(text: &str) -> Result<Topic, StoreError> {
    serde_json::from_str(text).map_err(|e| StoreError::unreadable(&format!("a topic definition ({e})")))
}
