//! Lists of runs for pages and the API. Each page continues along an index from where the last one ended.

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, read, spent};
use crate::model::{RunState, Time};
use crate::store::{RunCursor, RunFilter, RunRow, StoreError};

/// Returns runs after a place, the latest first.
pub(in crate::store) async fn runs(
    conn: &mut Conn,
    filter: &RunFilter,
    after: Option<&RunCursor>,
    limit: i64,
) -> Result<Vec<(RunCursor, RunRow)>, StoreError> {
    let at = read::RUN_AT;
    let mut query =
        QueryBuilder::<Database>::new(read::RUN.replacen("SELECT ", &format!("SELECT {at} AS happened, "), 1));
    push_matching(&mut query, filter);
    if let Some(after) = after {
        query.push(format!(" AND {at} <= ")).push_bind(after.at.0).push(format!(" AND ({at} < ")).push_bind(after.at.0);
        query.push(" OR r.public_id < ").push_bind(after.run.clone()).push(")");
    }
    query.push(format!(" ORDER BY {at} DESC, r.public_id DESC LIMIT ")).push_bind(limit);
    let rows = query.build().fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let run = read::run(row)?;
            Ok((RunCursor { at: Time(row.try_get("happened")?), run: run.run.clone() }, run))
        })
        .collect()
}

/// Returns how many runs match; counts no further than `most`.
pub(in crate::store) async fn count(conn: &mut Conn, filter: &RunFilter, most: i64) -> Result<i64, StoreError> {
    let mut query = QueryBuilder::<Database>::new("SELECT count(*) FROM (SELECT 1 AS one FROM run r");
    push_matching(&mut query, filter);
    query.push(" LIMIT ").push_bind(most).push(") AS found");
    Ok(query.build_query_scalar().fetch_one(conn).await?)
}

/// Adds the filter's conditions on run `r`.
fn push_matching(query: &mut QueryBuilder<Database>, filter: &RunFilter) {
    let at = read::RUN_AT;
    query.push(" WHERE 1 = 1");
    if let Some(topics) = &filter.topics {
        // Neither database accepts an empty list.
        query.push(" AND r.topic IN (NULL");
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
    if let Some((day, provider)) = &filter.called {
        query.push(format!(" AND {at} >= ")).push_bind(spent::index_start(*day));
        query.push(format!(" AND {at} < ")).push_bind(spent::index_end(*day));
        query.push(format!(" AND EXISTS (SELECT 1 FROM search s WHERE s.run = r.id AND {} = ", spent::CALLED_ON));
        query.push_bind(*day);
        if let Some(provider) = provider {
            query.push(format!(" AND {} = ", spent::PROVIDER)).push_bind(provider.clone());
        }
        query.push(")");
    }
}
