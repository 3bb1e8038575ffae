//! An open database: SQLite or PostgreSQL, each with its own typed pools. Each subject adds its methods (`impl Store`).

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::connect::refused_writes::RefusedWrites;
use super::{postgres, sqlite};
use crate::model::DataOrigin;
use crate::store::items::commit_queue::CommitQueue;

/// An open database.
#[derive(Debug, Clone)]
pub struct Store {
    pub(in crate::store) db: Db,
    pub(in crate::store) place: String,
    pub(in crate::store) commits: Arc<CommitQueue>,
    pub(in crate::store) room: Arc<RefusedWrites>,
    /// The schema of the job engine to which queued runs are handed.
    pub(in crate::store) engine: Option<String>,
    /// Whether searches will give real or invented findings, if that is known beforehand.
    pub(in crate::store) search_origin: Option<DataOrigin>,
}

/// The two databases, each with its own typed pools.
#[derive(Debug, Clone)]
pub(in crate::store) enum Db {
    Sqlite(Box<sqlite::Pools>),
    Postgres(postgres::Pools),
}

/// How often a transaction is tried that fails with a retryable error.
pub(in crate::store) const TRANSACTION_TRIES: u32 = 6;

/// Waits before a transaction is retried, a slightly different time in each process.
pub(in crate::store) async fn pause(tries: u32) {
    let spread = std::collections::hash_map::RandomState::new().build_hasher().finish() % 10;
    tokio::time::sleep(Duration::from_millis((5 << tries.min(6)) + spread)).await;
}

impl Store {
    /// The location for people: a path, or a URL without its password.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.place
    }

    /// Whether searches will give real or invented findings. Once findings are stored, their own origin counts instead.
    #[must_use]
    pub fn search_origin(&self) -> Option<DataOrigin> {
        self.search_origin
    }

    /// Returns the same store for a caller that stops when `stop` is cancelled: after that it does not wait for a
    /// database server that is away.
    #[must_use]
    pub fn with_stop(&self, stop: CancellationToken) -> Self {
        let db = match &self.db {
            Db::Postgres(pools) => Db::Postgres(pools.with_stop(stop)),
            sqlite @ Db::Sqlite(_) => sqlite.clone(),
        };
        Self { db, ..self.clone() }
    }

    /// From now on, does not wait for a database server that is away.
    pub fn stop_waiting(&self) {
        if let Db::Postgres(pools) = &self.db {
            pools.stop_waiting();
        }
    }

    /// Closes all connections. Stored data is already durable.
    pub async fn close(&self) {
        match &self.db {
            Db::Sqlite(pools) => pools.close().await,
            Db::Postgres(pools) => pools.close().await,
        }
    }
}
