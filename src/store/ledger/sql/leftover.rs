//! Queued runs that were not started before later slots of their job passed. The caller decides which should not run
//! any more.

use std::collections::HashMap;

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database};
use crate::model::Time;
use crate::store::{ExpiredSlot, PlannedJob, StoreError};

/// Jobs per statement.
const MANY: usize = 500;

/// Finds each job's queued slots up to its `planned_until`. Usually no job has any, and then no query is made.
pub(in crate::store) async fn waiting(conn: &mut Conn, jobs: &mut [PlannedJob]) -> Result<(), StoreError> {
    let queued: Vec<usize> = (0..jobs.len()).filter(|at| jobs[*at].active > jobs[*at].running).collect();
    for chunk in queued.chunks(MANY) {
        let mut query = QueryBuilder::<Database>::new(
            "SELECT job, slot FROM run WHERE state = 'queued' AND slot IS NOT NULL AND trigger IN ('scheduled', 'catch_up') AND job IN (",
        );
        let mut ids = query.separated(", ");
        for at in chunk {
            ids.push_bind(jobs[*at].id.clone());
        }
        query.push(") ORDER BY slot");
        let places: HashMap<String, usize> = chunk.iter().map(|at| (jobs[*at].id.clone(), *at)).collect();
        for row in query.build().persistent(false).fetch_all(&mut *conn).await? {
            let (id, slot): (String, i64) = (row.try_get("job")?, row.try_get("slot")?);
            let job = places.get(&id).and_then(|at| jobs.get_mut(*at));
            if let Some(job) = job.filter(|job| slot <= job.planned_until.0) {
                job.waiting.push(Time(slot));
            }
        }
    }
    Ok(())
}

/// Ends queued runs: one that was never started is missed, one whose process died has failed.
pub(in crate::store) async fn end_expired(conn: &mut Conn, left: &[ExpiredSlot], now: Time) -> Result<u64, StoreError> {
    super::lock(conn, 1).await?;
    let mut ordered: Vec<&ExpiredSlot> = left.iter().collect();
    ordered.sort_by(|a, b| (&a.job, a.slot).cmp(&(&b.job, b.slot)));
    let mut ended = 0;
    for one in ordered {
        let done = sqlx::query(
            "UPDATE run SET state = CASE WHEN attempt = 0 THEN 'missed' ELSE 'failed' END, reason = $1, finished_at = $2, \
             error_class = CASE WHEN attempt = 0 THEN NULL ELSE 'lease_lost' END, \
             error_text = CASE WHEN attempt = 0 THEN NULL \
                          ELSE 'the process that ran it stopped or hung, attempt ' || attempt || ' of ' || max_attempts END \
             WHERE job = $3 AND slot = $4 AND state = 'queued'",
        )
        .bind(one.reason)
        .bind(now.0)
        .bind(&one.job)
        .bind(one.slot.0)
        .execute(&mut *conn)
        .await?;
        ended += done.rows_affected();
    }
    Ok(ended)
}
