//! Whether a store still works on the file at its path, and state shared by the stores of one process.
//! `sqlite::file_identity` watches the file.

use std::sync::Arc;

use crate::store::database::handle::Db;
use crate::store::{Store, StoreError};

impl Store {
    /// Also notices, from now on, that the file is overwritten in place. For a process that works on one database: it
    /// keeps a file descriptor open until it ends.
    #[must_use]
    pub fn watching_overwrites(self) -> Self {
        if let Db::Sqlite(pools) = &self.db {
            pools.watch_closely();
        }
        self
    }

    /// Shares the record of refused writes with another store of this process.
    #[must_use]
    pub fn sharing_refused_writes(self, other: &Self) -> Self {
        Self { room: Arc::clone(&other.room), ..self }
    }

    /// Checks that the open file is still the one at its path; always true on PostgreSQL. Every write checks this
    /// itself.
    pub fn check_file(&self) -> Result<(), StoreError> {
        match &self.db {
            Db::Sqlite(pools) => pools.in_place(),
            Db::Postgres(pools) => pools.in_place(),
        }
    }
}
