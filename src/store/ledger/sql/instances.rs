//! Configuration generations and the running processes that use them: an older set does not come back in force while a
//! daemon of a newer one is running.

use super::sync::{self, Remove};
use super::{Conn, info};
use crate::model::{Job, SIGN_AHEAD, Time, Topic};
use crate::store::{ActivationResult, DefinitionSet, Instance, StoreError, SyncCounts};

/// The number of generations that are kept.
const MAX_ROWS: i64 = 200;

/// How long the row of a process is kept that ended without unregistering.
const FORGOTTEN_AFTER_MS: i64 = 86_400_000;

pub(in crate::store) async fn adopt(
    conn: &mut Conn,
    set: DefinitionSet<'_>,
    me: Option<&Instance>,
    now: Time,
) -> Result<ActivationResult, StoreError> {
    // The lock for changing topics: two daemons that start at once agree on the order of their generations.
    super::lock(conn, 1).await?;
    let hash = hash(set)?;
    let newest = info::newest(conn).await?;
    let number = newest.as_ref().map_or(0, |(number, _)| *number);
    let existing: Option<i64> = sqlx::query_scalar("SELECT max(number) FROM config_generation WHERE hash = $1")
        .bind(&hash)
        .fetch_one(&mut *conn)
        .await?;
    let adopted = match existing {
        Some(existing) if existing == number => ActivationResult {
            generation: existing,
            newest: existing,
            synced: sync::jobs(conn, set.topics, set.jobs, now, Remove::All).await?,
        },
        Some(existing) if newer_daemon_runs(conn, me.map_or("", |me| me.id.as_str()), existing, now).await? => {
            ActivationResult { generation: existing, newest: number, synced: SyncCounts::default() }
        }
        _ => {
            let number = number.saturating_add(1);
            sqlx::query("INSERT INTO config_generation (number, hash, made_at) VALUES ($1, $2, $3)")
                .bind(number)
                .bind(&hash)
                .bind(now.0)
                .execute(&mut *conn)
                .await?;
            sqlx::query("DELETE FROM config_generation WHERE number <= $1")
                .bind(number.saturating_sub(MAX_ROWS))
                .execute(&mut *conn)
                .await?;
            ActivationResult {
                generation: number,
                newest: number,
                synced: sync::jobs(conn, set.topics, set.jobs, now, Remove::All).await?,
            }
        }
    };
    if adopted.synced != SyncCounts::default() {
        info::bump_control_version(conn).await?;
    }
    if let Some(me) = me {
        register(conn, me, adopted.generation, now).await?;
        sqlx::query("DELETE FROM instance WHERE alive_until < $1")
            .bind(now.0 - FORGOTTEN_AFTER_MS)
            .execute(conn)
            .await?;
    }
    Ok(adopted)
}

/// Hashes a set, independently of the order in its file.
fn hash(set: DefinitionSet<'_>) -> Result<String, StoreError> {
    let mut ordered: Vec<&Topic> = set.topics.iter().collect();
    ordered.sort_by(|a, b| a.id.cmp(&b.id));
    let mut hasher = blake3::Hasher::new();
    serde_json::to_writer(&mut hasher, &ordered).map_err(|e| StoreError::unreadable(&format!("a topic ({e})")))?;
    if !set.jobs.is_empty() {
        let mut ordered: Vec<&Job> = set.jobs.iter().collect();
        ordered.sort_by(|a, b| a.id.cmp(&b.id));
        serde_json::to_writer(&mut hasher, &ordered).map_err(|e| StoreError::unreadable(&format!("a job ({e})")))?;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

async fn newer_daemon_runs(conn: &mut Conn, me: &str, generation: i64, now: Time) -> Result<bool, StoreError> {
    let newer_daemons: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM instance WHERE role = 'daemon' AND generation > $1 AND alive_until > $2 AND seen_at <= $3 AND id <> $4",
    )
    .bind(generation)
    .bind(now.0)
    .bind(now.plus(SIGN_AHEAD).0)
    .bind(me)
    .fetch_one(conn)
    .await?;
    Ok(newer_daemons > 0)
}

async fn register(conn: &mut Conn, me: &Instance, generation: i64, now: Time) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO instance (id, role, generation, started_at, seen_at, alive_until) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, seen_at = excluded.seen_at, alive_until = excluded.alive_until",
    )
    .bind(&me.id)
    .bind(me.role)
    .bind(generation)
    .bind(me.started_at.0)
    .bind(now.0)
    .bind(now.plus(me.lease).0)
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::store) async fn heartbeat(
    conn: &mut Conn,
    me: &Instance,
    generation: i64,
    now: Time,
) -> Result<bool, StoreError> {
    register(conn, me, generation, now).await?;
    newer_daemon_runs(conn, &me.id, generation, now).await
}

pub(in crate::store) async fn unregister(conn: &mut Conn, id: &str) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM instance WHERE id = $1").bind(id).execute(conn).await?;
    Ok(())
}

pub(in crate::store) async fn running_count(conn: &mut Conn, now: Time) -> Result<i64, StoreError> {
    let query = sqlx::query_scalar("SELECT count(*) FROM instance WHERE alive_until > $1 AND seen_at <= $2");
    Ok(query.bind(now.0).bind(now.plus(SIGN_AHEAD).0).fetch_one(conn).await?)
}

/// Returns the number of running processes of each role.
pub(in crate::store) async fn running_roles(conn: &mut Conn, now: Time) -> Result<Vec<(String, i64)>, StoreError> {
    let query = sqlx::query_as(
        "SELECT role, count(*) FROM instance WHERE alive_until > $1 AND seen_at <= $2 GROUP BY role ORDER BY role LIMIT 50",
    );
    Ok(query.bind(now.0).bind(now.plus(SIGN_AHEAD).0).fetch_all(conn).await?)
}
