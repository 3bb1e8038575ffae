//! One writer that takes the write lock at `BEGIN`, and read-only readers, on one file. Before and after each use, it
//! is checked that the file is still the one at its path.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool, Transaction};

use super::file_identity::OpenFile;
use crate::store::database::recent::RecentConnections;
use crate::store::{StoreError, StoreErrorKind};

/// How long SQLite itself waits for a lock.
pub(in crate::store) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many rows a reader's thread may fetch ahead, so that it and the consumer seldom wait for each other.
const ROWS_AHEAD: usize = 200;

/// How many steps of a reader's statement SQLite makes before it checks whether the pools are being closed: about a
/// millisecond.
const STEPS_PER_CHECK: i32 = 20_000;

/// One writer and a few readers on one file.
#[derive(Debug, Clone)]
pub(in crate::store) struct Pools {
    pub(in crate::store) write: SqlitePool,
    read: SqlitePool,
    /// Ends the statements of readers. An abandoned request may still be reading.
    closing: Arc<AtomicBool>,
    recent: RecentConnections<Sqlite>,
    /// Options for a connection outside the pools.
    pub(in crate::store) single: Arc<SqliteConnectOptions>,
    place: Arc<OpenFile>,
}

impl Pools {
    /// Opens a file, and creates it if asked.
    pub(in crate::store) async fn open(path: &Path, create: bool) -> Result<Self, StoreError> {
        let before = OpenFile::of(path);
        let base = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(create)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .synchronous(SqliteSynchronous::Full)
            .statement_cache_capacity(64);
        // Auto-vacuum is stored in the file when it is created. Setting it again would take the write lock, for which
        // even processes that only read would have to wait.
        let new = std::fs::metadata(path).map_or(true, |found| found.len() == 0);
        let first = if new { base.clone().auto_vacuum(SqliteAutoVacuum::Incremental) } else { base.clone() };
        // Connections to a file do not die by themselves, so they are not tested.
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(60))
            // A connection opened later might open another file.
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(first.journal_mode(SqliteJournalMode::Wal).optimize_on_close(true, 400))
            .await?;
        // Few, since the pool uses them in turn: each one ever opened keeps its thread and caches.
        let closing = Arc::default();
        let read = interruptible(&closing)
            .max_connections(2)
            .min_connections(0)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(60))
            .idle_timeout(Duration::from_secs(30))
            .connect_lazy_with(base.read_only(true).row_buffer_size(ROWS_AHEAD).pragma("query_only", "on"));
        // If the file was replaced while opening, it is unknown which one is open.
        if let Err(replaced) = before.check() {
            write.close().await;
            return Err(StoreError { kind: StoreErrorKind::Unreachable, again: true, ..replaced });
        }
        let single = write.connect_options();
        let recent = RecentConnections::of(read.clone());
        Ok(Self { write, read, closing, recent, single, place: Arc::new(OpenFile::of(path)) })
    }

    /// Opens an existing file, for a process that never writes to it.
    pub(in crate::store) fn open_to_read(path: &Path) -> Self {
        Self::readers_only(path, SqliteConnectOptions::new().filename(path).read_only(true))
    }

    /// Opens readers of a file with these options.
    pub(in crate::store) fn readers_only(path: &Path, options: SqliteConnectOptions) -> Self {
        let single = options.busy_timeout(BUSY_TIMEOUT).statement_cache_capacity(64);
        let options = single.clone().row_buffer_size(ROWS_AHEAD).pragma("query_only", "on");
        let closing = Arc::default();
        let read = interruptible(&closing)
            .max_connections(4)
            .min_connections(0)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(10))
            .idle_timeout(Duration::from_secs(60))
            .connect_lazy_with(options);
        let recent = RecentConnections::of(read.clone());
        let place = Arc::new(OpenFile::of(path));
        Self { write: read.clone(), read, closing, recent, single: Arc::new(single), place }
    }

    pub(in crate::store) fn path(&self) -> &Path {
        self.place.path()
    }

    /// From now on also detects that the file is overwritten.
    pub(in crate::store) fn watch_closely(&self) {
        self.place.watch_closely();
    }

    /// Checks that the open file is still the one at its path, and intact.
    pub(in crate::store) fn in_place(&self) -> Result<(), StoreError> {
        self.keep_open_if_lost(self.place.check_whole())
    }

    fn check_path(&self) -> Result<(), StoreError> {
        self.keep_open_if_lost(self.place.check())
    }

    /// Leaks connections that must not be closed any more, so that they stay open until the process ends.
    fn keep_open_if_lost(&self, checked: Result<(), StoreError>) -> Result<(), StoreError> {
        if checked.is_err() && self.place.must_leave_open() {
            Box::leak(Box::new((self.write.clone(), self.read.clone(), self.recent.clone())));
        }
        checked
    }

    /// Explains an error about a damaged file, which may have been overwritten, and about a locked one.
    pub(in crate::store) fn explain<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        match done {
            Err(error) if error.kind == StoreErrorKind::Foreign => self.in_place().and(Err(error)),
            Err(error) if error.kind == StoreErrorKind::Locked && error.again => Err(error.of_locked_file(self.path())),
            done => done,
        }
    }

    /// Begins a writing transaction that holds the write lock from the start.
    pub(in crate::store) async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        const TRIES: u32 = 10;
        let mut tries = 0;
        loop {
            tries += 1;
            // Check before, since a new connection would open the file that is there now, and after, since `BEGIN` may
            // have waited.
            self.check_path()?;
            match self.write.begin_with("BEGIN IMMEDIATE").await {
                // SQLite itself rolled the last transaction back (full or failing disk). The pool's connection does not
                // notice and would refuse all later transactions, so close it. A new one may meet the same fate: retry.
                Err(sqlx::Error::InvalidSavePointStatement) if tries < TRIES => {
                    self.write.acquire().await?.close().await?;
                }
                begun => return self.check_path().and(Ok(begun?)),
            }
        }
    }

    /// Returns a connection that cannot write.
    pub(in crate::store) async fn reader(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        self.check_path()?;
        let reader = match self.recent.take() {
            Some(recent) => Ok(recent),
            None => self.read.acquire().await,
        };
        self.check_path().and(Ok(reader?))
    }

    /// Keeps a reader for the next statement. Only after a success.
    pub(in crate::store) fn keep(&self, reader: PoolConnection<Sqlite>) {
        self.recent.keep(reader);
    }

    /// Begins a snapshot transaction: it sees one state of the database, however long it reads.
    pub(in crate::store) async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.check_path()?;
        let snapshot = match self.recent.take() {
            Some(recent) => Transaction::<Sqlite>::begin(recent, None).await,
            None => self.read.begin().await,
        };
        self.check_path().and(Ok(snapshot?))
    }

    /// Returns the writer's pool, for migrations.
    pub(in crate::store) fn writer(&self) -> &SqlitePool {
        &self.write
    }

    /// Closes all connections.
    pub(in crate::store) async fn close(&self) {
        let _ = self.in_place();
        if self.place.is_elsewhere()
            && let Ok(mut writer) = self.write.acquire().await
            && sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut *writer).await.is_ok()
        {
            // The file was moved away without its log. The log is now written into the file, so the log can be removed.
            self.place.remove_empty_log();
        }
        if self.place.may_close() {
            self.closing.store(true, Ordering::Relaxed);
            self.recent.close();
            self.read.close().await;
            self.write.close().await;
        }
    }
}

/// Options of a pool whose statements end when `closing` is set.
fn interruptible(closing: &Arc<AtomicBool>) -> SqlitePoolOptions {
    let closing = Arc::clone(closing);
    SqlitePoolOptions::new().after_connect(move |connection, _| {
        let closing = Arc::clone(&closing);
        Box::pin(async move {
            let mut handle = connection.lock_handle().await?;
            handle.set_progress_handler(STEPS_PER_CHECK, move || !closing.load(Ordering::Relaxed));
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[tokio::test]
    async fn every_connection_has_the_settings_needed_for_durability() {
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
            let setting = |sql: String| sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(sql));
            assert_eq!(setting(sql.clone()).fetch_one(&mut *writer).await.unwrap(), on_writer, "writer's {pragma}");
            assert_eq!(setting(sql).fetch_one(&mut *reader).await.unwrap(), on_reader, "reader's {pragma}");
        }
        assert!(sqlx::query("CREATE TABLE t (id INTEGER)").execute(&mut *reader).await.is_err());
        drop((writer, reader));
        pools.close().await;
    }
    #[tokio::test]
    async fn closing_the_pools_ends_an_abandoned_statement() {
        const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        let folder = tempfile::tempdir().unwrap();
        for only_readers in [false, true] {
            let path = folder.path().join("t.db");
            let mut pools = Pools::open(&path, true).await.unwrap();
            if only_readers {
                pools.close().await;
                pools = Pools::open_to_read(&path);
            }
            let mut reader = pools.reader().await.unwrap();
            let statement = sqlx::query(ENDLESS).execute(&mut *reader);
            assert!(tokio::time::timeout(Duration::from_millis(50), statement).await.is_err());
            drop(reader);
            tokio::time::timeout(Duration::from_secs(30), pools.close()).await.unwrap();
        }
    }
}
