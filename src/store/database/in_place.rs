//! Whether a store still works on the file that its path names, and what stores of one process share. How a file is
//! watched is `sqlite::place`'s.

use std::sync::Arc;

use crate::store::database::handle::Db;
use crate::store::{Store, StoreError};

impl Store {
    /// Notices from now on, too, that a file is written over in its place. For a process that works on one database: it keeps
    /// a descriptor open to its end.
    #[must_use]
    pub fn watched_closely(self) -> Self {
        if let Db::Sqlite(pools) = &self.db {
            pools.watch_closely();
        }
        self
    }

    /// Takes over, from another store of this process, what its writes met.
    #[must_use]
    pub fn beside(self, other: &Self) -> Self {
        Self { room: Arc::clone(&other.room), ..self }
    }

    /// Whether what is open is still the file that its path names; on PostgreSQL always. Every write asks by itself.
    pub fn in_place(&self) -> Result<(), StoreError> {
        match &self.db {
            Db::Sqlite(pools) => pools.in_place(),
            Db::Postgres(pools) => pools.in_place(),
        }
    }
}
