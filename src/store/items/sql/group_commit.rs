//! Writes the requests of several runs in one transaction: runs that begin, calls about to be made, runs that end. A
//! request whose run is no longer held, or whose findings are of the wrong origin, gets that error and changes nothing.
//! Any other failure fails the whole transaction.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};

use super::info::claim_origin;
use super::{Conn, Database, calls, snapshot, spent};
use crate::model::{DataOrigin, Trigger};
use crate::store::database::connect::open::wrong_origin;
use crate::store::items::commit_queue::{CountCall, ManualStart, Write, Written};
use crate::store::{Outcome, RunRef, StoreError};

pub(in crate::store) async fn write(
    conn: &mut Conn,
    requests: &[Write],
    place: &str,
) -> Result<Vec<Result<Written, StoreError>>, StoreError> {
    let (mut begins, mut counts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for (at, request) in requests.iter().enumerate() {
        match request {
            Write::ManualStart(begin) => begins.push((at, &**begin)),
            Write::CountCall(count) => counts.push((at, &**count)),
            Write::End(run, outcome) => ends.push((at, &**run, &**outcome)),
        }
    }
    let runs = counts.iter().map(|(_, count)| &count.run).chain(ends.iter().map(|(_, run, _)| *run));
    let claimed = lock_runs(conn, runs).await?;
    let limited = |run: &RunRef| !run.topic.limits.is_none();
    if counts.iter().any(|(_, count)| limited(&count.run)) || ends.iter().any(|(_, run, _)| limited(run)) {
        spent::lock_topic_counters(conn).await?;
    }
    let mut answers: Vec<Option<Result<Written, StoreError>>> = requests.iter().map(|_| None).collect();
    let mut answer = |at: usize, with: Result<Written, StoreError>| {
        if let Some(place) = answers.get_mut(at) {
            *place = Some(with);
        }
    };

    for (at, begun) in begin_all(conn, &begins).await? {
        answer(at, begun.map(|run| Written::Begun(Box::new(run))));
    }
    let (valid, others): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(_, count)| claimed.has(&count.run));
    for (at, count) in others {
        answer(at, Err(StoreError::fenced(&count.run.public_id)));
    }
    let valid_counts: Vec<&CountCall> = valid.iter().map(|(_, count)| *count).collect();
    for ((at, _), permission) in valid.iter().zip(calls::count_all(conn, &valid_counts, claimed.money).await?) {
        answer(*at, Ok(Written::Counted(permission)));
    }
    let mut stored: Vec<(usize, (&RunRef, &Outcome))> = Vec::with_capacity(ends.len());
    let mut origin = claimed.origin;
    for (at, run, outcome) in ends {
        if !claimed.has(run) || stored.iter().any(|(_, (other, _))| other.id == run.id) {
            answer(at, Err(StoreError::fenced(&run.public_id)));
            continue;
        }
        if let (Some(wanted), None) = (outcome.origin, origin) {
            origin = Some(claim_origin(conn, wanted).await?);
        }
        match (outcome.origin, origin) {
            (Some(wanted), Some(stored_origin)) if wanted != stored_origin => {
                answer(at, Err(wrong_origin(place, stored_origin)));
            }
            _ => stored.push((at, (run, outcome))),
        }
    }
    let all: Vec<(&RunRef, &Outcome)> = stored.iter().map(|(_, end)| *end).collect();
    // Before the items: the lock on items comes after those on the counters.
    spent::settle_all(conn, &all, claimed.money).await?;
    for ((at, _), counts) in stored.iter().zip(snapshot::finish_all(conn, &all).await?) {
        answer(*at, Ok(Written::Ended(counts)));
    }
    Ok(answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(StoreError::unreadable("no answer")))).collect())
}

/// Tokens of the held runs, and other state needed at the start.
struct HeldRuns {
    tokens: HashMap<i64, String>,
    origin: Option<DataOrigin>,
    /// The last day on which money was counted.
    money: Option<i64>,
}

impl HeldRuns {
    fn has(&self, run: &RunRef) -> bool {
        self.tokens.get(&run.id).is_some_and(|token| *token == run.token)
    }
}

/// Locks the runs until the transaction ends; otherwise another process could take over a run and a call would not be
/// counted. Every transaction that touches runs and their searches locks the runs first, in this order.
async fn lock_runs(conn: &mut Conn, runs: impl Iterator<Item = &RunRef>) -> Result<HeldRuns, StoreError> {
    let ids: Vec<i64> = runs.map(|run| run.id).collect();
    let mut claimed = HeldRuns { tokens: HashMap::with_capacity(ids.len()), origin: None, money: None };
    if ids.is_empty() {
        return Ok(claimed);
    }
    let sql = format!(
        "SELECT id, token, (SELECT value FROM store_info WHERE name = 'nature') AS origin, \
         (SELECT value FROM store_info WHERE name = 'money') AS money FROM run \
         WHERE id IN (SELECT given.value FROM {}) AND state = 'running' ORDER BY id{}",
        super::numbers(1),
        super::ROW_LOCK
    );
    for row in sqlx::query(AssertSqlSafe(sql)).bind(super::resolve::to_json(&ids)?).fetch_all(conn).await? {
        let origin: Option<String> = row.try_get("origin")?;
        claimed.origin = origin.as_deref().and_then(DataOrigin::parse);
        claimed.money = row.try_get::<Option<String>, _>("money")?.and_then(|day| day.parse().ok());
        if let Some(token) = row.try_get("token")? {
            claimed.tokens.insert(row.try_get("id")?, token);
        }
    }
    Ok(claimed)
}

/// Refuses a run whose id is taken: two processes with the same `--at` make the same ids.
async fn begin_all(
    conn: &mut Conn,
    begins: &[(usize, &ManualStart)],
) -> Result<Vec<(usize, Result<RunRef, StoreError>)>, StoreError> {
    if begins.is_empty() {
        return Ok(Vec::new());
    }
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO run (public_id, job, topic, trigger, state, due_at, attempt, max_attempts, lease_until, token, planned_at, started_at) ",
    );
    insert.push_values(begins, |mut row, (_, begin)| {
        let now = begin.now.0;
        row.push_bind(&begin.public_id).push_bind(begin.topic.job()).push_bind(&begin.topic.id);
        row.push_bind(Trigger::Manual.as_str()).push_bind("running").push_bind(now).push_bind(1_i64).push_bind(1_i64);
        row.push_bind(begin.lease_until.0).push_bind(&begin.token).push_bind(now).push_bind(now);
    });
    let mut ids: HashMap<String, i64> = HashMap::with_capacity(begins.len());
    insert.push(" ON CONFLICT (public_id) DO NOTHING RETURNING public_id, id");
    for row in insert.build().fetch_all(conn).await? {
        ids.insert(row.try_get(0)?, row.try_get(1)?);
    }
    let run = |begin: &ManualStart, id| RunRef {
        id,
        public_id: begin.public_id.clone(),
        token: begin.token.clone(),
        topic: begin.topic.clone(),
        slot: None,
        trigger: Trigger::Manual,
        attempt: 1,
    };
    // Each id begins one run, also if it is given twice here.
    let mut begun = |begin: &ManualStart| match ids.remove(&begin.public_id) {
        Some(id) => Ok(run(begin, id)),
        None => Err(StoreError::refused(
            format!("run {} was already begun, perhaps by another process at the same moment", begin.public_id),
            "nothing was changed; run the command again",
        )),
    };
    Ok(begins.iter().map(|(at, begin)| (*at, begun(begin))).collect())
}
