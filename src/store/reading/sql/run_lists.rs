//! Lists of runs for pages and the API. Each page continues along an index from where the last one ended.
//!
//! Runs that called on a day are in two parts, read one after the other. Nearly all began within a few days of it: a
//! span of the index `run_at`. Those that were begun again later have a later start, and so come first in the list.
//! Nothing bounds how much later, and a scan of `run_at` up to now would read every run since. They are found by
//! `run_again`, the partial index of `attempt > 1`: a run that called gives back no attempt, so one that called and was
//! begun again is in it, and few others are. That statement has no other condition on runs, so
//! that no other index seems better, and returns ids; there are seldom any, and then there is no second statement.

use std::collections::BTreeSet;

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, filter_conditions, read, spent};
use crate::model::{RunState, Time};
use crate::store::{RunCursor, RunFilter, RunRow, StoreError};

/// The most listed runs of a day that were begun again later. There are as many as were in progress when their process
/// died.
const MOST_AGAIN: i64 = 1_000;

/// Returns runs after a place, the latest first.
pub(in crate::store) async fn runs(
    conn: &mut Conn,
    filter: &RunFilter,
    after: Option<&RunCursor>,
    limit: i64,
) -> Result<Vec<(RunCursor, RunRow)>, StoreError> {
    let again = begun_again(conn, filter).await?;
    let mut runs = match again.is_empty() {
        true => Vec::new(),
        false => some_runs(conn, filter, Some(&again), after, limit).await?,
    };
    let left = limit.saturating_sub(i64::try_from(runs.len()).unwrap_or(i64::MAX));
    if left > 0 {
        runs.extend(some_runs(conn, filter, None, after, left).await?);
    }
    Ok(runs)
}

/// Returns the runs that called on the day of the filter, if it has one, and were begun again after the span in which
/// that day's runs are looked for.
async fn begun_again(conn: &mut Conn, filter: &RunFilter) -> Result<Vec<i64>, StoreError> {
    let Some((day, provider)) = &filter.called else { return Ok(Vec::new()) };
    let at = read::RUN_AT;
    // The condition is written as in the index: a bound value would not prove that the index holds all these runs.
    let mut query = QueryBuilder::<Database>::new(format!("SELECT r.id FROM run r WHERE r.attempt > 1 AND {at} >= "));
    query.push_bind(spent::index_end(*day));
    push_called(&mut query, *day, provider.as_deref());
    query.push(format!(" ORDER BY {at} DESC, r.public_id DESC LIMIT ")).push_bind(MOST_AGAIN);
    Ok(query.build_query_scalar().fetch_all(conn).await?)
}

/// Returns one part of the runs: these that were begun again, or all others.
async fn some_runs(
    conn: &mut Conn,
    filter: &RunFilter,
    again: Option<&[i64]>,
    after: Option<&RunCursor>,
    limit: i64,
) -> Result<Vec<(RunCursor, RunRow)>, StoreError> {
    let at = read::RUN_AT;
    // Runs that were begun again are read by their ids.
    let (parts, topic) = if again.is_some() { (vec![filter.clone()], "r.topic") } else { parts(filter) };
    let mut query = QueryBuilder::<Database>::new("");
    for (place, filter) in parts.iter().enumerate() {
        query.push(if place > 0 { " UNION ALL " } else { "" }).push(read::ordered_run());
        push_matching(&mut query, filter, topic, again);
        if let Some(after) = after {
            query.push(format!(" AND {at} <= ")).push_bind(after.at.0);
            query.push(format!(" AND ({at} < ")).push_bind(after.at.0);
            query.push(" OR (coalesce(r.seq, 9223372036854775807), r.public_id) < (coalesce((SELECT c.seq FROM run c WHERE c.public_id = ");
            query
                .push_bind(after.run.clone())
                .push("), 9223372036854775807), ")
                .push_bind(after.run.clone())
                .push("))");
        } else if filter.since.is_none() && filter.until.is_none() && filter.called.is_none() {
            filter_conditions::any_time(&mut query, at, None, None);
        }
    }
    query.push(" ORDER BY ").push(read::LATEST_RUN_FIRST).push(" LIMIT ").push_bind(limit);
    let rows = query.build().persistent(again.is_none() && parts.len() == 1).fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let run = read::run(row)?;
            Ok((RunCursor { at: Time(row.try_get("happened")?), run: run.run.clone() }, run))
        })
        .collect()
}

/// Splits a list as `filter_conditions::latest_list` does: into lists of one topic each, and the topic column.
fn parts(filter: &RunFilter) -> (Vec<RunFilter>, &'static str) {
    let topics: BTreeSet<&String> = filter.topics.iter().flatten().collect();
    let whole = || vec![filter.clone()];
    match topics.len() {
        0 | 1 => (whole(), "r.topic"),
        _ if !super::SORTS_SEVERAL_TOPICS => (whole(), "r.topic"),
        2..=filter_conditions::MERGED => {
            let of = |topic: &String| RunFilter { topics: Some(vec![topic.clone()]), ..filter.clone() };
            (topics.into_iter().map(of).collect(), "r.topic")
        }
        _ => (whole(), "+r.topic"),
    }
}

/// Returns how many runs match; counts no further than `most`.
pub(in crate::store) async fn count(conn: &mut Conn, filter: &RunFilter, most: i64) -> Result<i64, StoreError> {
    let again = begun_again(conn, filter).await?;
    let many = match again.is_empty() {
        true => 0,
        false => count_part(conn, filter, Some(&again), most).await?,
    };
    Ok(many + count_part(conn, filter, None, most - many).await?)
}

async fn count_part(conn: &mut Conn, filter: &RunFilter, again: Option<&[i64]>, most: i64) -> Result<i64, StoreError> {
    let mut query = QueryBuilder::<Database>::new("SELECT count(*) FROM (SELECT 1 AS one FROM run r");
    push_matching(&mut query, filter, "r.topic", again);
    query.push(" LIMIT ").push_bind(most).push(") AS found");
    Ok(query.build_query_scalar().persistent(again.is_none()).fetch_one(conn).await?)
}

/// Adds the filter's conditions on run `r`, which is one of these that were begun again, or any other. `column` is that of
/// several topics.
fn push_matching(query: &mut QueryBuilder<Database>, filter: &RunFilter, column: &str, again: Option<&[i64]>) {
    let at = read::RUN_AT;
    query.push(" WHERE 1 = 1");
    if let Some([topic]) = filter.topics.as_deref() {
        // An index has the runs of one topic in the order of the list; the runs of several topics would all be sorted.
        query.push(" AND r.topic = ").push_bind(topic.clone());
    } else if let Some(topics) = &filter.topics {
        // Neither database accepts an empty list.
        query.push(" AND ").push(column).push(" IN (NULL");
        for topic in topics {
            query.push(", ").push_bind(topic.clone());
        }
        query.push(")");
    }
    if let Some(state) = filter.state {
        // A constant instead of a bound value: only then can the partial indexes be used.
        query.push(" AND r.state = '").push(state).push("'");
        if !matches!(state, RunState::Ok | RunState::Queued | RunState::Running) {
            query.push(" AND r.state NOT IN ('ok', 'queued', 'running')");
        }
    }
    if let Some(since) = filter.since {
        query.push(format!(" AND {at} >= ")).push_bind(since.0);
    }
    if let Some(until) = filter.until {
        query.push(format!(" AND {at} < ")).push_bind(until.0);
    }
    if let Some(source) = filter.source {
        query.push(
            " AND r.started_at IS NOT NULL AND EXISTS (SELECT 1 FROM search s WHERE s.run = r.id AND s.attempt = r.attempt \
             AND s.state <> 'not_run' AND s.source = ",
        );
        query.push_bind(source.as_str().to_owned()).push(")");
    }
    match (&filter.called, again) {
        (Some(_), Some(again)) => {
            query.push(" AND r.id IN (");
            let mut ids = query.separated(", ");
            for id in again {
                ids.push_bind(*id);
            }
            query.push(")");
        }
        (Some((day, provider)), None) => {
            query.push(format!(" AND {at} >= ")).push_bind(spent::index_start(*day));
            query.push(format!(" AND {at} < ")).push_bind(spent::index_end(*day));
            push_called(query, *day, provider.as_deref());
        }
        (None, _) => {}
    }
}

/// Adds the condition that run `r` called on a day: any provider or this one. A search whose tries passed midnight called
/// on both days. A value instead of `EXISTS`, which PostgreSQL turns into a join that may begin with all searches.
fn push_called(query: &mut QueryBuilder<Database>, day: i64, provider: Option<&str>) {
    query.push(format!(" AND (SELECT 1 FROM search s WHERE s.run = r.id AND ({} = ", spent::CALLED_ON));
    query.push_bind(day).push(format!(" OR {} = ", spent::FIRST_CALLED_ON)).push_bind(day).push(")");
    if let Some(provider) = provider {
        query.push(format!(" AND {} = ", spent::PROVIDER)).push_bind(provider.to_owned());
    }
    query.push(" LIMIT 1) = 1");
}
