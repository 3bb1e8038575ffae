//! Calls are counted, and their search kept as `started`, before they are made: money that may be spent is on record
//! whatever happens next. Whoever asks holds the runs already.

use std::collections::BTreeMap;

use sqlx::QueryBuilder;

use super::{Conn, Database};
use crate::store::together::Count;
use crate::store::{Permission, StoreError};

/// Counts calls; the answers in the order asked.
pub(super) async fn before_all(conn: &mut Conn, counts: &[&Count]) -> Result<Vec<Permission>, StoreError> {
    let mut days: BTreeMap<(i64, u32), i64> = BTreeMap::new();
    for count in counts {
        *days.entry((count.now.utc_day(), count.max_per_day)).or_default() += 1;
    }
    let mut left: BTreeMap<(i64, u32), i64> = BTreeMap::new();
    for ((day, max), wanted) in days {
        left.insert((day, max), count_in(conn, day, max, wanted).await?);
    }
    let mut granted = Vec::with_capacity(counts.len());
    let permissions = counts
        .iter()
        .map(|count| match left.get_mut(&(count.now.utc_day(), count.max_per_day)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                granted.push(*count);
                Permission::Granted
            }
            _ => Permission::OverQuota,
        })
        .collect();
    start_all(conn, &granted).await?;
    Ok(permissions)
}

/// Counts up to `wanted` calls on a day; returns how many the limit lets through.
async fn count_in(conn: &mut Conn, day: i64, max: u32, wanted: i64) -> Result<i64, StoreError> {
    // All at once, which nearly always fits; near the limit, one after the other.
    for step in [wanted, 1] {
        let mut through = 0;
        while through < wanted && count_up(conn, day, max, step).await? {
            through += step;
        }
        if through > 0 || wanted == 1 {
            return Ok(through);
        }
    }
    Ok(0)
}

async fn count_up(conn: &mut Conn, day: i64, max: u32, by: i64) -> Result<bool, StoreError> {
    let counted = sqlx::query(
        "INSERT INTO calls (day, made) SELECT $1, $2 WHERE $2 <= $3 \
         ON CONFLICT (day) DO UPDATE SET made = calls.made + excluded.made WHERE calls.made + excluded.made <= $3",
    )
    .bind(day)
    .bind(by)
    .bind(i64::from(max))
    .execute(conn)
    .await?;
    Ok(counted.rows_affected() > 0)
}

async fn start_all(conn: &mut Conn, counts: &[&Count]) -> Result<(), StoreError> {
    if counts.is_empty() {
        return Ok(());
    }
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO search (run, attempt, source, operation, query, state, tries, started_at, expected_cost) ",
    );
    insert.push_values(counts, |mut row, count| {
        let call = &count.call;
        row.push_bind(count.run.id).push_bind(count.run.attempt).push_bind(call.source.as_str());
        row.push_bind(call.operation).push_bind(&call.query).push_bind("started").push_bind(1_i64);
        row.push_bind(count.now.0).push_bind(call.price.0);
    });
    insert.push(
        " ON CONFLICT (run, attempt, source) DO UPDATE SET state = 'started', tries = search.tries + 1, \
         expected_cost = search.expected_cost + excluded.expected_cost",
    );
    insert.build().execute(conn).await?;
    Ok(())
}

pub(in crate::store) async fn made_on(conn: &mut Conn, day: i64) -> Result<i64, StoreError> {
    let made: Option<i64> =
        sqlx::query_scalar("SELECT made FROM calls WHERE day = $1").bind(day).fetch_optional(conn).await?;
    Ok(made.unwrap_or(0))
}
