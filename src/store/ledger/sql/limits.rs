//! The service's limits across all processes: leases of permits, and the bucket for starts. `shares` divides both; the
//! caller knows whether it needs any.

use std::time::Duration;

use sqlx::Row as _;

use super::{Conn, Row};
use crate::model::Time;
use crate::store::ledger::permits::shares::{shares, starts};
use crate::store::{LeaseRequest, LeaseShare, StoreError};

/// Longer than any lease: a lease that ends later was written before the clock was set back.
const FARTHEST: Duration = Duration::from_secs(120);
/// How long a turn lasts when there are more processes than permits.
const TURN_MS: u64 = 2_000;

struct Lease {
    holder: String,
    permits: u32,
    wanted: u32,
    most: u32,
    period_us: i64,
    until: Time,
}

/// Returns a process's share without changing anything.
pub(in crate::store) async fn share_of(
    conn: &mut Conn,
    request: &LeaseRequest,
    now: Time,
) -> Result<LeaseShare, StoreError> {
    Ok(lease_share(&live(conn, &request.service, now).await?, request, now))
}

/// Takes or renews a process's lease: what it holds, plus as much of its share as is free.
pub(in crate::store) async fn lease(
    conn: &mut Conn,
    request: &LeaseRequest,
    now: Time,
    length: Duration,
) -> Result<LeaseShare, StoreError> {
    bucket(conn, &request.service).await?;
    sqlx::query("DELETE FROM service_lease WHERE service = $1 AND (lease_until <= $2 OR lease_until > $3)")
        .bind(&request.service)
        .bind(now.0)
        .bind(now.plus(FARTHEST).0)
        .execute(&mut *conn)
        .await?;
    let mut share = lease_share(&live(conn, &request.service, now).await?, request, now);
    // Permits of an expired lease may belong to another process by now.
    let held = if share.fresh { 0 } else { request.held.min(share.permits) };
    share.permits = held + share.share.saturating_sub(held).min(share.free(held));
    sqlx::query(
        "INSERT INTO service_lease (service, holder, permits, wanted, most, period_us, lease_until) VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (service, holder) DO UPDATE SET permits = excluded.permits, wanted = excluded.wanted, \
         most = excluded.most, period_us = excluded.period_us, lease_until = excluded.lease_until",
    )
    .bind(&request.service)
    .bind(&request.holder)
    .bind(i64::from(share.permits))
    .bind(i64::from(request.wanted))
    .bind(i64::from(request.most))
    .bind(request.period_us)
    .bind(now.plus(length).0)
    .execute(conn)
    .await?;
    Ok(share)
}

/// Gives up a lease.
pub(in crate::store) async fn give_back(conn: &mut Conn, service: &str, holder: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM service_lease WHERE service = $1 AND holder = $2")
        .bind(service)
        .bind(holder)
        .execute(conn)
        .await?;
    Ok(())
}

/// Reserves the next starts, at the slowest rate configured in any running process. Returns microseconds from `now` to
/// each.
pub(in crate::store) async fn reserve(
    conn: &mut Conn,
    request: &LeaseRequest,
    count: u32,
    now: Time,
) -> Result<Vec<i64>, StoreError> {
    let full_at = bucket(conn, &request.service).await?;
    let share = share_of(conn, request, now).await?;
    let now_us = now.0.saturating_mul(1_000);
    let (at, full_at) = starts(full_at, now_us, share.period_us.max(1), share.limit, count);
    sqlx::query("UPDATE service_limit SET full_at_us = $1 WHERE service = $2")
        .bind(full_at)
        .bind(&request.service)
        .execute(conn)
        .await?;
    Ok(at.into_iter().map(|at| at.saturating_sub(now_us)).collect())
}

/// Locks the service's bucket and leases until the transaction ends, and returns when the bucket is full.
async fn bucket(conn: &mut Conn, service: &str) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar(
        "INSERT INTO service_limit (service, full_at_us) VALUES ($1, 0) \
         ON CONFLICT (service) DO UPDATE SET service = excluded.service RETURNING full_at_us",
    )
    .bind(service)
    .fetch_one(conn)
    .await?)
}

async fn live(conn: &mut Conn, service: &str, now: Time) -> Result<Vec<Lease>, StoreError> {
    let rows = sqlx::query(
        "SELECT holder, permits, wanted, most, period_us, lease_until FROM service_lease \
         WHERE service = $1 AND lease_until > $2 AND lease_until <= $3 ORDER BY holder",
    )
    .bind(service)
    .bind(now.0)
    .bind(now.plus(FARTHEST).0)
    .fetch_all(conn)
    .await?;
    rows.iter().map(lease_of).collect()
}

fn lease_of(row: &Row) -> Result<Lease, StoreError> {
    let small = |name| -> Result<u32, StoreError> {
        u32::try_from(row.try_get::<i64, _>(name)?).map_err(|_| StoreError::unreadable("a share of the service"))
    };
    Ok(Lease {
        holder: row.try_get("holder")?,
        permits: small("permits")?,
        wanted: small("wanted")?,
        most: small("most")?,
        period_us: row.try_get("period_us")?,
        until: Time(row.try_get("lease_until")?),
    })
}

/// Computes a process's share. The smallest limit and the slowest rate of all running processes apply to all.
fn lease_share(leases: &[Lease], request: &LeaseRequest, now: Time) -> LeaseShare {
    let mine = leases.iter().find(|lease| lease.holder == request.holder);
    let others = || leases.iter().filter(|lease| lease.holder != request.holder);
    let limit = others().map(|lease| lease.most).fold(request.most, u32::min);
    let before = leases.iter().take_while(|lease| lease.holder < request.holder).count();
    let mut wanted: Vec<u32> = others().map(|lease| lease.wanted).collect();
    wanted.insert(before.min(wanted.len()), request.wanted);
    let turn = u64::try_from(now.0).unwrap_or(0) / TURN_MS;
    LeaseShare {
        share: shares(&wanted, limit, turn).get(before).copied().unwrap_or(0),
        permits: mine.map_or(0, |lease| lease.permits),
        last_wanted: mine.map_or(0, |lease| lease.wanted),
        fresh: mine.is_none(),
        taken: others().map(|lease| lease.permits).sum(),
        others: u32::try_from(wanted.len() - 1).unwrap_or(u32::MAX),
        limit,
        period_us: others().map(|lease| lease.period_us).fold(request.period_us, i64::max),
        until: mine.map(|lease| lease.until),
    }
}
