//! An open database: one of two, each with its own typed pools. Subjects add what can be asked of it (`impl Store`).

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::refused::Room;
use super::{postgres, sqlite};
use crate::store::items::commit_queue::CommitQueue;

/// An open database.
#[derive(Debug, Clone)]
pub struct Store {
    pub(in crate::store) db: Db,
    pub(in crate::store) place: String,
    pub(in crate::store) commits: Arc<CommitQueue>,
    pub(in crate::store) room: Arc<Room>,
    /// The schema of the engine that queued runs are handed to.
    pub(in crate::store) engine: Option<String>,
}

/// The two databases, each with its own typed pools.
#[derive(Debug, Clone)]
pub(in crate::store) enum Db {
    Sqlite(Box<sqlite::Pools>),
    Postgres(postgres::Pools),
}

/// Tries of a transaction that lost a race inside the database.
pub(in crate::store) const TRANSACTION_TRIES: u32 = 6;

/// Waits a little, a different little for each process, before a transaction is run again.
pub(in crate::store) async fn pause(tries: u32) {
    let spread = std::collections::hash_map::RandomState::new().build_hasher().finish() % 10;
    tokio::time::sleep(Duration::from_millis((5 << tries.min(6)) + spread)).await;
}

impl Store {
    /// Where it is, for people: a path, or a URL without its password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The same for whoever ends when `stop` says so: from then on a database server that is away is not waited for.
    #[must_use]
    pub fn until(&self, stop: CancellationToken) -> Self {
        let db = match &self.db {
            Db::Postgres(pools) => Db::Postgres(pools.until(stop)),
            sqlite @ Db::Sqlite(_) => sqlite.clone(),
        };
        Self { db, ..self.clone() }
    }

    /// From now on a database server that is away is not waited for.
    pub fn leave_soon(&self) {
        if let Db::Postgres(pools) = &self.db {
            pools.leave();
        }
    }

    /// Closes every connection; what was stored is durable already.
    pub async fn close(&self) {
        match &self.db {
            Db::Sqlite(pools) => pools.close().await,
            Db::Postgres(pools) => pools.close().await,
        }
    }
}
