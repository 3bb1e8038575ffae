//! Planning: finds the jobs to plan, and stores the ledger rows of plans. The caller decides about each slot.

use std::collections::HashSet;
use std::time::Duration;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::{Conn, Database, definitions, leftover, read};
use crate::model::{RECORDED_AHEAD, RUN_AHEAD, RunState, Time};
use crate::store::{JobPlan, PlannedJob, PlannedSlot, StoreError};

/// The columns of a planned run.
const INSERT: &str = "INSERT INTO run (public_id, job, topic, slot, trigger, state, reason, due_at, max_attempts, side_by_side, planned_at, finished_at) ";

/// A run must have started within this time before a slot to show what the clock was then.
const WEEK: Duration = Duration::from_secs(8 * 86_400);

const DAY: Duration = Duration::from_secs(86_400);

/// Returns the jobs to plan.
pub(in crate::store) async fn to_plan(
    conn: &mut Conn,
    now: Time,
    ahead: Duration,
    limit: u32,
) -> Result<Vec<PlannedJob>, StoreError> {
    let runs = |which: &str, name: &str| {
        format!("(SELECT count(*) FROM run r WHERE r.job = t.id AND r.state IN ('queued', 'running'){which}) AS {name}")
    };
    let active = runs("", "active");
    let running = runs(" AND r.state = 'running'", "running");
    // A run whose process died is retried, and counts as making up for a missed slot.
    let again = "r.attempt > CASE r.state WHEN 'running' THEN 1 ELSE 0 END";
    let backlog = runs(&format!(" AND (r.trigger = 'catch_up' OR {again})"), "backlog");
    let on_time = runs(&format!(" AND r.state = 'running' AND r.trigger <> 'catch_up' AND NOT ({again})"), "on_time");
    // Two selections instead of one with OR, so that each uses its index. The plan brings them in key order.
    let sql = format!(
        "WITH due AS (SELECT id FROM (SELECT id FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND next_slot <= $1 \
           ORDER BY next_slot, id LIMIT $3) AS slots UNION \
         SELECT id FROM (SELECT id FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL AND planned_until > $2 \
           ORDER BY planned_until LIMIT $3) AS strays) \
         SELECT t.id, t.topic, t.definition, t.planned_until, t.created_at, {active}, {running}, {backlog}, {on_time} \
         FROM due JOIN job t ON t.id = due.id WHERE t.planned_until IS NOT NULL ORDER BY t.id"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(now.0).bind(now.believed_until(ahead).0).bind(i64::from(limit));
    let rows = query.fetch_all(&mut *conn).await?;
    let mut planned = Vec::with_capacity(rows.len());
    for row in &rows {
        let (id, topic): (String, Option<String>) = (row.try_get("id")?, row.try_get("topic")?);
        let definition: String = row.try_get("definition")?;
        let schedule = match topic {
            Some(_) => definitions::topic(&definition).map(|topic| topic.schedule),
            None => definitions::job(&definition).map(|job| job.schedule),
        };
        // A definition that cannot be read must not block others.
        let schedule = schedule.inspect_err(|error| tracing::error!(job = id, "not planned: {error}"));
        planned.push(PlannedJob {
            id,
            topic,
            schedule: schedule.ok().flatten(),
            planned_until: Time(row.try_get("planned_until")?),
            created_at: Time(row.try_get("created_at")?),
            active: definitions::number(row, "active")?,
            running: definitions::number(row, "running")?,
            waiting: Vec::new(),
            backlog: definitions::number(row, "backlog")?,
            on_time: definitions::number(row, "on_time")?,
        });
    }
    leftover::waiting(conn, &mut planned).await?;
    Ok(planned)
}

/// Returns jobs with their next slots, the next one first. A topic is named by its own id.
pub(in crate::store) async fn next_slots(conn: &mut Conn, limit: u32) -> Result<Vec<(String, Time)>, StoreError> {
    let rows = sqlx::query(
        "SELECT coalesce(topic, id) AS name, next_slot FROM job WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL \
         ORDER BY next_slot, id LIMIT $1",
    )
    .bind(i64::from(limit))
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, Time(row.try_get(1)?)))).collect()
}

/// Stores plans in one transaction, with few statements whatever their number: thousands of topics may be due at once.
pub(in crate::store) async fn plan(conn: &mut Conn, plans: &[JobPlan], now: Time) -> Result<(u64, u64), StoreError> {
    // The lock for changing jobs. Planners insert in key order, since in opposite orders they would deadlock.
    super::lock(conn, 1).await?;
    let mut ordered: Vec<&JobPlan> = plans.iter().collect();
    ordered.sort_by(|a, b| a.id.cmp(&b.id));
    let mut moved: HashSet<String> = HashSet::with_capacity(ordered.len());
    for chunk in ordered.chunks(1_000) {
        let mut update =
            QueryBuilder::<Database>::new("UPDATE job SET planned_until = v.column2, next_slot = v.column3 FROM (");
        update.push_values(chunk, |mut row, plan| {
            row.push_bind(&plan.id).push_bind(plan.until.0).push_bind(plan.next.map(|at| at.0)).push_bind(plan.from.0);
        });
        update.push(
            ") AS v WHERE job.id = v.column1 AND job.planned_until = v.column4 AND job.removed_at IS NULL AND job.paused = 0 RETURNING job.id",
        );
        for row in update.build().persistent(false).fetch_all(&mut *conn).await? {
            moved.insert(row.try_get(0)?);
        }
    }
    let moved_count = moved.len() as u64;
    for plan in ordered.iter().filter(|plan| plan.until < plan.from && moved.contains(&plan.id)) {
        free_future_slots(conn, plan).await?;
    }
    let mut kept: Vec<(&JobPlan, &PlannedSlot)> = Vec::new();
    for plan in ordered {
        // Only one of two plans for the same job can have been in force.
        if moved.remove(&plan.id) {
            kept.extend(plan.slots.iter().map(|slot| (plan, slot)));
        }
    }
    let mut added = 0;
    for chunk in kept.chunks(500) {
        let rows =
            chunk.iter().map(|(plan, slot)| (format!("{}@{}", plan.id, slot.slot), *plan, *slot)).collect::<Vec<_>>();
        let stored = insert(conn, &rows, now).await?;
        added += stored;
        if stored < chunk.len() as u64 {
            added += run_used_slots(conn, chunk, now).await?;
        }
    }
    Ok((moved_count, added))
}

/// Frees slots that are still to come but were already recorded as missed or skipped, by a clock that was ahead. The
/// old rows keep their place in the reading order but not their slot, which can run when it really comes. Lists show
/// them at the present, not above all future runs.
async fn free_future_slots(conn: &mut Conn, plan: &JobPlan) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE run SET slot = NULL, planned_at = $2, public_id = public_id || '~' || id, reason = $3 \
         WHERE job = $1 AND slot > $2 AND state IN ('missed', 'skipped')",
    )
    .bind(&plan.id)
    .bind(plan.until.0)
    .bind(RECORDED_AHEAD)
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores runs with their names. Returns how many; slots that are already in the ledger are not changed.
async fn insert(conn: &mut Conn, rows: &[(String, &JobPlan, &PlannedSlot)], now: Time) -> Result<u64, StoreError> {
    let mut insert = QueryBuilder::<Database>::new(INSERT);
    insert.push_values(rows, |mut row, (name, plan, slot)| {
        row.push_bind(name).push_bind(&plan.id).push_bind(&plan.topic);
        row.push_bind(slot.slot.0);
        row.push_bind(slot.trigger.as_str())
            .push_bind(slot.state.as_str())
            .push_bind(&slot.reason)
            .push_bind(slot.due_at.0);
        row.push_bind(i64::from(plan.max_attempts))
            .push_bind(i64::from(plan.side_by_side))
            .push_bind(now.0)
            .push_bind(slot.state.is_final().then_some(now.0));
    });
    insert.push(" ON CONFLICT DO NOTHING");
    Ok(insert.build().persistent(false).execute(conn).await?.rows_affected())
}

/// Queues due slots that were already run by a clock that was ahead: otherwise nothing would run for as long as it was
/// ahead. The old run keeps its name and loses its slot. Returns how many are queued.
async fn run_used_slots(conn: &mut Conn, slots: &[(&JobPlan, &PlannedSlot)], now: Time) -> Result<u64, StoreError> {
    let to_run = || slots.iter().filter(|(_, slot)| slot.state == RunState::Queued);
    let Some(last) = to_run().map(|(_, slot)| slot.slot).max() else { return Ok(0) };
    // Not runs with which a job catches up after days.
    let due = || to_run().filter(|(_, slot)| last.since(slot.slot) <= DAY);
    let Some(first) = due().map(|(_, slot)| slot.slot).min() else { return Ok(0) };
    let mut used: Vec<(i64, &JobPlan, &PlannedSlot)> = Vec::new();
    for (plan, slot) in due() {
        let id = sqlx::query_scalar::<_, i64>(
            "SELECT id FROM run WHERE job = $1 AND slot = $2 AND state NOT IN ('queued', 'running')",
        );
        let id = id.bind(&plan.id).bind(slot.slot.0).fetch_optional(&mut *conn).await?;
        used.extend(id.map(|id| (id, *plan, *slot)));
    }
    let Some(newest) = used.iter().map(|(id, ..)| *id).max() else { return Ok(0) };
    if !was_ahead(conn, newest, first).await? {
        return Ok(0);
    }
    let mut queued = 0;
    for (id, plan, slot) in used {
        let free = sqlx::query("UPDATE run SET slot = NULL, reason = coalesce(reason, $1) WHERE id = $2");
        free.bind(RUN_AHEAD).bind(id).execute(&mut *conn).await?;
        let name = format!("{}@{}~{id}", plan.id, slot.slot);
        queued += insert(conn, &[(name, plan, slot)], now).await?;
    }
    Ok(queued)
}

/// Whether the clock was ahead when it planned this run of a slot: runs that were planned later started in the week
/// before the slot. If runs that were planned earlier started in between, and the later ones started only within a
/// short while, the clock was rather behind for that while, and the slot has really run.
async fn was_ahead(conn: &mut Conn, run: i64, slot: Time) -> Result<bool, StoreError> {
    let at = read::RUN_AT;
    // `id + 0` keeps the database from walking through the whole table by `id`.
    let sql = format!(
        "SELECT min({at}), max({at}) FROM run r WHERE {at} >= $1 AND {at} < $2 AND r.started_at IS NOT NULL AND r.id + 0 > $3"
    );
    let (began, ended): (Option<i64>, Option<i64>) = sqlx::query_as(AssertSqlSafe(sql))
        .bind(slot.minus(WEEK).0)
        .bind(slot.0)
        .bind(run)
        .fetch_one(&mut *conn)
        .await?;
    let Some((began, ended)) = began.zip(ended) else { return Ok(false) };
    if slot.0 - ended <= 2 * (ended - began) {
        return Ok(true);
    }
    let sql = format!(
        "SELECT count(*) FROM run r WHERE {at} > $1 AND {at} < $2 AND r.started_at IS NOT NULL AND r.id + 0 < $3"
    );
    let between = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).bind(ended).bind(slot.0).bind(run);
    Ok(between.fetch_one(conn).await? == 0)
}
