//! One writer that takes the write lock at `BEGIN`, and readers that may only read, on one file. Whether that is still the file
//! that its path names is asked before and after whatever is done with it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool, Transaction};

use super::file_identity::OpenFile;
use crate::store::{StoreError, StoreErrorKind};

/// Rows that a reader's thread may be ahead of whoever takes them: enough that the two seldom wait for one another.
const ROWS_AHEAD: usize = 200;

/// One writer and a few readers on one file.
#[derive(Debug, Clone)]
pub(in crate::store) struct Pools {
    pub(in crate::store) write: SqlitePool,
    read: SqlitePool,
    /// How a connection is opened that belongs to no pool.
    pub(in crate::store) single: Arc<SqliteConnectOptions>,
    place: Arc<OpenFile>,
}

impl Pools {
    /// Opens (and, when it is not there, creates) a file.
    pub(in crate::store) async fn open(path: &Path, create: bool) -> Result<Self, StoreError> {
        let before = OpenFile::of(path);
        let base = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(create)
            .busy_timeout(Duration::from_secs(5))
            .foreign_keys(true)
            .synchronous(SqliteSynchronous::Full)
            .statement_cache_capacity(64);
        // It stands in the file from its beginning. To say it again takes the lock of a writer, for which whoever only wants
        // to read would wait, too.
        let new = std::fs::metadata(path).map_or(true, |found| found.len() == 0);
        let first = if new { base.clone().auto_vacuum(SqliteAutoVacuum::Incremental) } else { base.clone() };
        // No connection of a file goes away by itself, so none is asked whether it is still there.
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(60))
            // One that is opened anew may be of another file.
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(first.journal_mode(SqliteJournalMode::Wal).optimize_on_close(true, 400))
            .await?;
        // Few, since the pool takes them in turn: each that was ever needed keeps its thread and its caches.
        let read = SqlitePoolOptions::new()
            .max_connections(2)
            .min_connections(0)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(60))
            .idle_timeout(Duration::from_secs(30))
            .connect_lazy_with(base.read_only(true).row_buffer_size(ROWS_AHEAD).pragma("query_only", "on"));
        // What was opened is what was there before and after; otherwise it may be either.
        if let Err(replaced) = before.check() {
            write.close().await;
            return Err(StoreError { kind: StoreErrorKind::Unreachable, again: true, ..replaced });
        }
        let single = write.connect_options();
        Ok(Self { write, read, single, place: Arc::new(OpenFile::of(path)) })
    }

    /// Opens a file that is there, for a process that never writes to it.
    pub(in crate::store) fn open_to_read(path: &Path) -> Self {
        Self::of_readers(path, SqliteConnectOptions::new().filename(path).read_only(true))
    }

    /// Readers of a file that is opened in some way.
    pub(in crate::store) fn of_readers(path: &Path, options: SqliteConnectOptions) -> Self {
        let single = options.busy_timeout(Duration::from_secs(5)).statement_cache_capacity(64);
        let options = single.clone().row_buffer_size(ROWS_AHEAD).pragma("query_only", "on");
        let read = SqlitePoolOptions::new()
            .max_connections(4)
            .min_connections(0)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(10))
            .idle_timeout(Duration::from_secs(60))
            .connect_lazy_with(options);
        Self { write: read.clone(), read, single: Arc::new(single), place: Arc::new(OpenFile::of(path)) }
    }

    pub(in crate::store) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Notices from now on, too, that the file is written over.
    pub(in crate::store) fn watch_closely(&self) {
        self.place.watch_closely();
    }

    /// Whether what is open is still the file that its path names.
    pub(in crate::store) fn in_place(&self) -> Result<(), StoreError> {
        self.lasting(self.place.check_whole())
    }

    fn named(&self) -> Result<(), StoreError> {
        self.lasting(self.place.check())
    }

    /// Keeps connections open to the end of the process that must not be closed any more.
    fn lasting(&self, looked: Result<(), StoreError>) -> Result<(), StoreError> {
        if looked.is_err() && self.place.leaves_open() {
            Box::leak(Box::new((self.write.clone(), self.read.clone())));
        }
        looked
    }

    /// A damaged file may be one that was written over.
    pub(in crate::store) fn explained<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        match done {
            Err(error) if error.kind == StoreErrorKind::Foreign => self.in_place().and(Err(error)),
            done => done,
        }
    }

    /// A writing transaction that holds the write lock from its first moment.
    pub(in crate::store) async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        const TRIES: u32 = 10;
        let mut tries = 0;
        loop {
            tries += 1;
            // Before, since what is opened anew would be what is there now; and after, since it may have taken a while.
            self.named()?;
            match self.write.begin_with("BEGIN IMMEDIATE").await {
                // SQLite itself rolled the last one back (no room, a failing disk), which its connection does not notice:
                // it would refuse every other transaction for ever. Whoever came in between may have left the next so.
                Err(sqlx::Error::InvalidSavePointStatement) if tries < TRIES => {
                    self.write.acquire().await?.close().await?;
                }
                begun => return self.named().and(Ok(begun?)),
            }
        }
    }

    /// A connection that cannot write.
    pub(in crate::store) async fn reader(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        self.named()?;
        let reader = self.read.acquire().await;
        self.named().and(Ok(reader?))
    }

    /// A transaction that sees one moment, however long it reads.
    pub(in crate::store) async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.named()?;
        let snapshot = self.read.begin().await;
        self.named().and(Ok(snapshot?))
    }

    /// The writer's pool, for migrations.
    pub(in crate::store) fn writer(&self) -> &SqlitePool {
        &self.write
    }

    /// Closes every connection.
    pub(in crate::store) async fn close(&self) {
        let _ = self.in_place();
        if self.place.is_elsewhere()
            && let Ok(mut writer) = self.write.acquire().await
            && sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut *writer).await.is_ok()
        {
            // A file that was moved away is whole without its log, which has stayed behind.
            self.place.log_is_empty();
        }
        if self.place.closes() {
            self.read.close().await;
            self.write.close().await;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[tokio::test]
    async fn the_settings_that_durability_rests_on_are_in_force_on_every_connection() {
        let folder = tempfile::tempdir().unwrap();
        let pools = Pools::open(&folder.path().join("t.db"), true).await.unwrap();
        let (mut writer, mut reader) = (pools.write.acquire().await.unwrap(), pools.reader().await.unwrap());
        for (pragma, on_writer, on_reader) in [
            ("journal_mode", "wal", "wal"),
            ("synchronous", "2", "2"),
            ("foreign_keys", "1", "1"),
            ("busy_timeout", "5000", "5000"),
            ("auto_vacuum", "2", "2"),
            ("query_only", "0", "1"),
        ] {
            let sql = format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}")
                .replace("CAST(busy_timeout", "CAST(timeout");
            let held = |sql: String| sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(sql));
            assert_eq!(held(sql.clone()).fetch_one(&mut *writer).await.unwrap(), on_writer, "writer's {pragma}");
            assert_eq!(held(sql).fetch_one(&mut *reader).await.unwrap(), on_reader, "reader's {pragma}");
        }
        assert!(sqlx::query("CREATE TABLE t (id INTEGER)").execute(&mut *reader).await.is_err());
        drop((writer, reader));
        pools.close().await;
    }
}
