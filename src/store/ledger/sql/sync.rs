//! Makes the stored jobs, topics and others, equal to a set of definitions. A new job, or one whose schedule changed,
//! begins now and never retroactively. A removed job is marked, and its queued runs are cancelled.

use std::cmp::Ordering;

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::definitions::schedule_text;
use super::{Conn, Database};
use crate::model::{Job, SchedulePolicy, Time, Topic, alert_of};
use crate::store::{StoreError, SyncCounts};

/// After this many changed jobs, the planner's statistics are updated.
const MANY: usize = 200;

/// Which stored jobs are removed if the set does not contain them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Remove {
    Nothing,
    Topics,
    All,
}

/// A definition in the set.
#[derive(Debug, Clone, Copy)]
enum Defined<'s> {
    Topic(&'s Topic),
    Job(&'s Job),
}

impl<'s> Defined<'s> {
    fn schedule(self) -> Option<&'s SchedulePolicy> {
        match self {
            Self::Topic(topic) => topic.schedule.as_ref(),
            Self::Job(job) => job.schedule.as_ref(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Topic(_) => "topic",
            Self::Job(job) => job.kind.as_str(),
        }
    }

    fn topic(self) -> Option<&'s Topic> {
        match self {
            Self::Topic(topic) => Some(topic),
            Self::Job(_) => None,
        }
    }

    /// Returns the definition as it is stored.
    fn to_json(self) -> Result<String, StoreError> {
        match self {
            Self::Topic(topic) => serde_json::to_string(topic),
            Self::Job(job) => serde_json::to_string(job),
        }
        .map_err(|e| StoreError::unreadable(&format!("a definition of kind {} ({e})", self.kind())))
    }

    /// Returns why its queued runs must not run, if so.
    fn cancel_reason(self) -> Option<&'static str> {
        match (self, self.schedule()) {
            (Self::Topic(_), None) => Some("the topic no longer has a schedule"),
            (Self::Topic(_), Some(policy)) if policy.paused => Some("the topic is paused in the configuration"),
            (Self::Job(_), None) => Some("it no longer runs on a schedule"),
            (Self::Job(_), Some(policy)) if policy.paused => Some("it no longer runs on a schedule"),
            (_, Some(_)) => None,
        }
    }
}

/// A job whose row must be written, and up to when it is planned.
struct Changed<'s> {
    id: &'s str,
    defined: Defined<'s>,
    planned_until: i64,
}

/// The changes of a set. They are found by walking through the set and the stored jobs in parallel, both in order of
/// id, so that unchanged jobs take no memory.
struct Difference<'s> {
    changed: Vec<Changed<'s>>,
    gone: Vec<String>,
    synced: SyncCounts,
}

impl<'s> Difference<'s> {
    /// `is_paused`: by command, before it was removed; it still is when it comes back.
    fn add(&mut self, (id, defined): &'s (String, Defined<'s>), now: Time, is_paused: bool) {
        self.synced.added += 1;
        let is_planned = !is_paused && defined.schedule().is_some_and(|policy| !policy.paused);
        self.synced.new_topics += usize::from(is_planned && defined.topic().is_some());
        self.changed.push(Changed { id, defined: *defined, planned_until: now.0 });
    }
}

async fn difference<'s>(
    conn: &mut Conn,
    ordered: &'s [(String, Defined<'s>)],
    now: Time,
    remove: Remove,
) -> Result<Difference<'s>, StoreError> {
    let mut found = Difference { changed: Vec::new(), gone: Vec::new(), synced: SyncCounts::default() };
    let mut rest = ordered;
    // Locked against planners until the end, since later writes depend on what is read here.
    let sql = format!(
        "SELECT id, definition, planned_until, schedule, removed_at, kind, paused FROM job ORDER BY id{}",
        super::ROW_LOCK
    );
    let mut rows = sqlx::query(AssertSqlSafe(sql)).fetch(conn);
    while let Some(row) = rows.try_next().await? {
        let id: String = row.try_get(0)?;
        let mut same = None;
        while let Some((next, later)) = rest.split_first() {
            match next.0.cmp(&id) {
                Ordering::Less => found.add(next, now, false),
                Ordering::Equal => same = Some(next),
                Ordering::Greater => break,
            }
            rest = later;
        }
        let removed = row.try_get::<Option<i64>, _>(4)?.is_some();
        let Some(wanted) = same else {
            let topic = row.try_get::<String, _>(5)? == "topic";
            if !removed && (remove == Remove::All || remove == Remove::Topics && topic) {
                found.gone.push(id);
            }
            continue;
        };
        if removed {
            found.add(wanted, now, row.try_get::<i64, _>(6)? != 0);
        } else if row.try_get::<String, _>(1)? != wanted.1.to_json()? {
            let same = row.try_get::<Option<String>, _>(3)? == schedule_text(wanted.1.schedule());
            let until = row.try_get::<Option<i64>, _>(2)?.filter(|_| same);
            found.synced.changed += 1;
            found.changed.push(Changed { id: &wanted.0, defined: wanted.1, planned_until: until.unwrap_or(now.0) });
        }
    }
    rest.iter().for_each(|wanted| found.add(wanted, now, false));
    found.synced.removed = found.gone.len();
    Ok(found)
}

/// Stores a set of definitions. The caller holds the lock for changing jobs.
pub(in crate::store) async fn jobs(
    conn: &mut Conn,
    topics: &[Topic],
    jobs: &[Job],
    now: Time,
    remove: Remove,
) -> Result<SyncCounts, StoreError> {
    super::rename::refuse_old_ids(conn, topics).await?;
    let topics = topics.iter().map(|topic| (topic.job(), Defined::Topic(topic)));
    let mut ordered: Vec<(String, Defined<'_>)> =
        topics.chain(jobs.iter().map(|job| (job.id.clone(), Defined::Job(job)))).collect();
    ordered.sort_by(|a, b| a.0.cmp(&b.0));
    let Difference { changed, gone, synced } = difference(conn, &ordered, now, remove).await?;
    write(conn, &changed, now).await?;
    // In another time zone, their days begin at other instants.
    let known: Vec<String> = changed.iter().filter_map(|changed| Some(changed.defined.topic()?.id.clone())).collect();
    if !known.is_empty() {
        super::day_counts::mark_due(conn, &known).await?;
    }
    if changed.len() >= MANY {
        super::analyze(conn, "job").await?;
    }
    for id in &gone {
        sqlx::query("UPDATE job SET removed_at = $1 WHERE id = $2").bind(now.0).bind(id).execute(&mut *conn).await?;
        // An alert that comes back begins anew: it checks each run from then on.
        if let Some(alert) = alert_of(id) {
            super::alert_messages::end_all(conn, alert, "removed").await?;
            sqlx::query("DELETE FROM follower WHERE name = $1").bind(id).execute(&mut *conn).await?;
        }
    }
    for Changed { id, defined, .. } in &changed {
        let Some(reason) = defined.cancel_reason() else { continue };
        sqlx::query(
            "UPDATE run SET state = 'cancelled', reason = $1, finished_at = $2 WHERE job = $3 AND state = 'queued'",
        )
        .bind(reason)
        .bind(now.0)
        .bind(id)
        .execute(&mut *conn)
        .await?;
    }
    // Also for jobs removed earlier: a run may have been released while its job was being removed.
    sqlx::query(
        "UPDATE run SET state = 'cancelled', finished_at = $1, \
         reason = CASE WHEN topic IS NULL THEN 'removed from the configuration' ELSE 'topic removed from the configuration' END \
         WHERE state = 'queued' AND job IN (SELECT id FROM job WHERE removed_at IS NOT NULL)",
    )
    .bind(now.0)
    .execute(conn)
    .await?;
    Ok(synced)
}

async fn write(conn: &mut Conn, changed: &[Changed<'_>], now: Time) -> Result<(), StoreError> {
    let generation = super::info::newest(conn).await?.map_or(0, |(number, _)| number);
    for chunk in changed.chunks(500) {
        let definitions = chunk.iter().map(|changed| changed.defined.to_json()).collect::<Result<Vec<_>, _>>()?;
        let mut insert = QueryBuilder::<Database>::new(
            "INSERT INTO job (id, kind, topic, title, tags, definition, generation, planned_until, schedule, created_at, next_slot) ",
        );
        insert.push_values(
            chunk.iter().zip(definitions),
            |mut row, (Changed { id, defined, planned_until }, definition)| {
                let (topic, schedule) = (defined.topic(), defined.schedule());
                row.push_bind(*id).push_bind(defined.kind()).push_bind(topic.map(|topic| topic.id.as_str()));
                row.push_bind(topic.map(|topic| topic.title.as_str()));
                row.push_bind(topic.map(|topic| serde_json::json!(topic.tags).to_string()));
                row.push_bind(definition)
                    .push_bind(generation)
                    .push_bind(*planned_until)
                    .push_bind(schedule_text(schedule))
                    .push_bind(now.0)
                    // 0 lets the planner work out the next slot; `None` means there is nothing to plan.
                    .push_bind(schedule.filter(|policy| !policy.paused).map(|_| 0_i64));
            },
        );
        insert.push(
            " ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, title = excluded.title, tags = excluded.tags, definition = excluded.definition, \
             generation = excluded.generation, planned_until = excluded.planned_until, schedule = excluded.schedule, next_slot = excluded.next_slot, removed_at = NULL",
        );
        insert.build().persistent(false).execute(&mut *conn).await?;
    }
    Ok(())
}

/// Takes the lock and stores a set of topics, without other jobs.
pub(in crate::store) async fn topics(
    conn: &mut Conn,
    topics: &[Topic],
    now: Time,
    remove: bool,
) -> Result<SyncCounts, StoreError> {
    super::lock(conn, 1).await?;
    jobs(conn, topics, &[], now, if remove { Remove::Topics } else { Remove::Nothing }).await
}
