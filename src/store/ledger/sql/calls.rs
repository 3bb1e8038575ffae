//! Counts calls and stores their search as `started` before they are made: money that may be spent is on record even if
//! the process dies next. The caller already holds the runs. `spent` knows what the counters hold.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, spent};
use crate::model::{Micros, SERVICE, ServiceLimits, Source, Usage};
use crate::store::items::commit_queue::CountCall;
use crate::store::ledger::permits::allowance::refusal;
use crate::store::{Permission, StoreError};

/// Counts calls and returns the permissions in the same order. `money` is the last day on which money was counted.
pub(in crate::store) async fn count_all(
    conn: &mut Conn,
    counts: &[&CountCall],
    money: Option<i64>,
) -> Result<Vec<Permission>, StoreError> {
    // Always in the same order, so that two processes never wait for each other's rows.
    let mut providers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, count) in counts.iter().enumerate() {
        providers.entry(count.call.source.provider()).or_default().push(at);
    }
    let mut permissions = vec![Permission::Granted; counts.len()];
    for (provider, places) in providers {
        let own: Vec<&CountCall> = places.iter().filter_map(|at| counts.get(*at).copied()).collect();
        for (at, permission) in places.into_iter().zip(count_for_provider(conn, provider, &own, money).await?) {
            if let Some(place) = permissions.get_mut(at) {
                *place = permission;
            }
        }
    }
    Ok(permissions)
}

/// Counts calls of one provider and returns the permissions in the same order.
async fn count_for_provider(
    conn: &mut Conn,
    provider: &str,
    counts: &[&CountCall],
    money: Option<i64>,
) -> Result<Vec<Permission>, StoreError> {
    let Some(first) = counts.first() else { return Ok(Vec::new()) };
    let (day, limits) = (first.now.utc_day(), first.limits);
    let alike =
        |count: &&CountCall| (count.now.utc_day(), count.limits) == (day, limits) && count.run.topic.limits.is_none();
    let counting = limits.money.is_none() || money >= Some(day);
    // Try all at once, which nearly always fits. Near a limit, or if topics have limits of their own, count one by one.
    if counting && counts.iter().all(alike) && all_fit(conn, provider, counts, limits, money).await? {
        let topics = counts.iter().map(|count| count.run.topic.id.as_str()).collect();
        spent::drop_topics(conn, day, &topics, money).await?;
        start_all(conn, counts).await?;
        return Ok(vec![Permission::Granted; counts.len()]);
    }
    let mut days: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (at, count) in counts.iter().enumerate() {
        days.entry(count.now.utc_day()).or_default().push(at);
    }
    let mut permissions = vec![Permission::Granted; counts.len()];
    for (day, places) in days {
        let of_day: Vec<&CountCall> = places.iter().filter_map(|at| counts.get(*at).copied()).collect();
        for (at, permission) in places.into_iter().zip(count_in(conn, provider, day, &of_day, money).await?) {
            if let Some(place) = permissions.get_mut(at) {
                *place = permission;
            }
        }
    }
    let granted: Vec<&CountCall> =
        counts.iter().zip(&permissions).filter(|(_, p)| **p == Permission::Granted).map(|(count, _)| *count).collect();
    start_all(conn, &granted).await?;
    Ok(permissions)
}

/// Counts all of these calls, or none.
async fn all_fit(
    conn: &mut Conn,
    provider: &str,
    counts: &[&CountCall],
    limits: ServiceLimits,
    money: Option<i64>,
) -> Result<bool, StoreError> {
    let day = counts.first().map_or(0, |count| count.now.utc_day());
    let price = counts.iter().fold(Micros(0), |sum, count| sum.plus(count.call.price));
    // If money was not counted, the amount is unknown: over any budget if there is one, and irrelevant if there is
    // none.
    let (most, unknown) = limits.money.map_or((i64::MAX, 0), |most| (most.0, most.0.saturating_add(1)));
    let counted = sqlx::query(
        "INSERT INTO calls (provider, day, made, spent) SELECT $8, $1, $2, $4 WHERE $2 <= $3 AND $5 <= $6 \
         ON CONFLICT (provider, day) DO UPDATE SET made = calls.made + excluded.made, spent = calls.spent + $5 \
         WHERE calls.made + excluded.made <= $3 AND coalesce(calls.spent, $7) + $5 <= $6",
    )
    .bind(day)
    .bind(i64::try_from(counts.len()).unwrap_or(i64::MAX))
    .bind(i64::from(limits.calls))
    .bind(spent::is_counted(money, day).then_some(price.0))
    .bind(price.0)
    .bind(most)
    .bind(unknown)
    .bind(provider)
    .execute(conn)
    .await?;
    Ok(counted.rows_affected() > 0)
}

/// Counts calls of one day one by one. Locks the day's row first, so that what is read here stays valid. The caller has
/// locked the counters of topics with limits.
async fn count_in(
    conn: &mut Conn,
    provider: &str,
    day: i64,
    counts: &[&CountCall],
    money: Option<i64>,
) -> Result<Vec<Permission>, StoreError> {
    if counts.iter().any(|count| count.limits.money.is_some() || !count.run.topic.limits.is_none()) && money < Some(day)
    {
        spent::count_from(conn, day).await?;
    }
    let (calls_made, counted) = lock_day(conn, provider, day, money).await?;
    let with_budget = counts.iter().any(|count| count.limits.money.is_some());
    let mut seeded = false;
    let mut spent = match counted {
        None if with_budget => {
            seeded = true;
            Some(spent::in_ledger(conn, provider, day).await?.money)
        }
        counted => counted.map(Micros),
    };
    let mut limited = BTreeSet::new();
    let mut others = BTreeSet::new();
    for count in counts {
        let named = if count.run.topic.limits.is_none() { &mut others } else { &mut limited };
        named.insert(count.run.topic.id.as_str());
    }
    others.retain(|topic| !limited.contains(topic));
    spent::drop_topics(conn, day, &others, money).await?;
    let mut topics = spent::of_topics(conn, day, &limited.into_iter().collect::<Vec<_>>()).await?;

    let mut service = Usage { calls: calls_made, money: Micros(0) };
    let mut permissions = Vec::with_capacity(counts.len());
    for count in counts {
        let (price, topic) = (count.call.price, &count.run.topic);
        service.money = spent.unwrap_or_default();
        let own = topics.get(&topic.id).copied().unwrap_or_default();
        let refused = refusal((count.limits, service), (topic.limits, own), price, count.now);
        permissions.push(refused.map_or(Permission::Granted, Permission::OverQuota));
        if refused.is_none() {
            service.calls += 1;
            spent = spent.map(|money| money.plus(price));
            if let Some(own) = topics.get_mut(&topic.id) {
                own.add(price);
            }
        }
    }
    if service.calls > calls_made || seeded {
        sqlx::query("UPDATE calls SET made = $1, spent = $2 WHERE day = $3 AND provider = $4")
            .bind(service.calls)
            .bind(spent.map(|money| money.0))
            .bind(day)
            .bind(provider)
            .execute(&mut *conn)
            .await?;
    }
    spent::keep_topics(conn, day, &topics).await?;
    Ok(permissions)
}

/// Locks the day's row until the transaction ends. Returns calls made, and money if it is counted.
async fn lock_day(
    conn: &mut Conn,
    provider: &str,
    day: i64,
    money: Option<i64>,
) -> Result<(i64, Option<i64>), StoreError> {
    let row = sqlx::query(
        "INSERT INTO calls (provider, day, made, spent) VALUES ($3, $1, 0, $2) \
         ON CONFLICT (provider, day) DO UPDATE SET made = calls.made RETURNING made, spent",
    )
    .bind(day)
    .bind(spent::is_counted(money, day).then_some(0_i64))
    .bind(provider)
    .fetch_one(conn)
    .await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

async fn start_all(conn: &mut Conn, counts: &[&CountCall]) -> Result<(), StoreError> {
    // A search may make several calls at once, but a statement must not contain a row twice.
    let mut left: Vec<&CountCall> = counts.to_vec();
    while !left.is_empty() {
        let mut named = BTreeSet::new();
        let (now, later): (Vec<&CountCall>, Vec<&CountCall>) =
            left.iter().partition(|count| named.insert((count.run.id, count.run.attempt, count.call.source)));
        start_each(conn, &now).await?;
        left = later;
    }
    Ok(())
}

async fn start_each(conn: &mut Conn, counts: &[&CountCall]) -> Result<(), StoreError> {
    let mut insert = QueryBuilder::<Database>::new(
        "INSERT INTO search (run, attempt, source, operation, query, state, tries, started_at, expected_cost, counted_on) ",
    );
    insert.push_values(counts, |mut row, count| {
        let call = &count.call;
        row.push_bind(count.run.id).push_bind(count.run.attempt).push_bind(call.source.as_str());
        row.push_bind(call.operation).push_bind(&call.query).push_bind("started").push_bind(1_i64);
        row.push_bind(count.now.0).push_bind(call.price.0).push_bind(count.now.utc_day());
    });
    // The price of earlier tries stays on the day on which they were made.
    insert.push(
        " ON CONFLICT (run, attempt, source) DO UPDATE SET state = 'started', tries = search.tries + 1, \
         expected_cost = search.expected_cost + excluded.expected_cost, counted_on = excluded.counted_on, \
         counted_before = CASE WHEN search.counted_on = excluded.counted_on THEN search.counted_before ELSE search.expected_cost END",
    );
    insert.build().execute(conn).await?;
    Ok(())
}

/// Returns a provider's usage on a day.
pub(in crate::store) async fn used_of(conn: &mut Conn, provider: &str, day: i64) -> Result<Usage, StoreError> {
    let counted =
        sqlx::query_as("SELECT made, spent FROM calls WHERE day = $1 AND provider = $2").bind(day).bind(provider);
    let counted: Option<(i64, Option<i64>)> = counted.fetch_optional(&mut *conn).await?;
    Ok(match counted {
        None => Usage::default(),
        Some((calls, Some(money))) => Usage { calls, money: Micros(money) },
        Some((calls, None)) => Usage { calls, ..spent::in_ledger(conn, provider, day).await? },
    })
}

/// Returns the usage of providers other than the search service on a day, by name. Unused ones are left out.
pub(in crate::store) async fn used_by_provider(conn: &mut Conn, day: i64) -> Result<Vec<(Source, Usage)>, StoreError> {
    let named =
        sqlx::query("SELECT provider, made, spent FROM calls WHERE day = $1 AND provider <> $2 ORDER BY provider");
    let mut all = Vec::new();
    for row in named.bind(day).bind(SERVICE).fetch_all(&mut *conn).await? {
        let (provider, calls, spent): (String, i64, Option<i64>) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let Some(source) = Source::parse(&provider) else { continue };
        let used = match spent {
            Some(money) => Usage { calls, money: Micros(money) },
            None => Usage { calls, ..spent::in_ledger(conn, &provider, day).await? },
        };
        all.push((source, used));
    }
    Ok(all)
}

pub(in crate::store) async fn used_on(
    conn: &mut Conn,
    day: i64,
    topics: &[String],
) -> Result<(Usage, Vec<Usage>), StoreError> {
    let service = used_of(conn, SERVICE, day).await?;
    Ok((service, used_by_topics(conn, day, topics).await?))
}

/// Returns the usage of each of these topics on a day, in their order.
pub(in crate::store) async fn used_by_topics(
    conn: &mut Conn,
    day: i64,
    topics: &[String],
) -> Result<Vec<Usage>, StoreError> {
    let ids: Vec<&str> = topics.iter().map(String::as_str).collect();
    let of_topics = spent::of_topics(conn, day, &ids).await?;
    Ok(topics.iter().map(|topic| of_topics.get(topic).copied().unwrap_or_default()).collect())
}
