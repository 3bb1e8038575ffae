//! What is SQLite's own: one writer that takes the write lock at `BEGIN`, readers that may only read, and the statements
//! where the databases truly differ. Everything else is `statements/`, compiled here for SQLite.

use std::path::Path;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool, Transaction};

use super::StoreError;

pub(super) mod disk;

#[path = "../statements/alert_cards.rs"]
pub(super) mod alert_cards;
#[path = "../statements/alerts.rs"]
pub(super) mod alerts;
#[path = "../statements/calls.rs"]
pub(super) mod calls;
#[path = "../statements/changes.rs"]
pub(super) mod changes;
#[path = "../statements/cluster_keys.rs"]
mod cluster_keys;
#[path = "../statements/clusters.rs"]
pub(super) mod clusters;
#[path = "../statements/controls.rs"]
pub(super) mod controls;
#[path = "../statements/copying.rs"]
pub(super) mod copying;
#[path = "../statements/dashboard.rs"]
pub(super) mod dashboard;
#[path = "../statements/days.rs"]
pub(super) mod days;
#[path = "../statements/days_rolled.rs"]
pub(super) mod days_rolled;
#[path = "../statements/editions.rs"]
pub(super) mod editions;
#[path = "../statements/erase.rs"]
pub(super) mod erase;
#[path = "../statements/foresight.rs"]
pub(super) mod foresight;
#[path = "../statements/forgotten.rs"]
pub(super) mod forgotten;
#[path = "../statements/fresh.rs"]
pub(super) mod fresh;
#[path = "../statements/handing.rs"]
pub(super) mod handing;
#[path = "../statements/instances.rs"]
pub(super) mod instances;
#[path = "../statements/items.rs"]
mod items;
#[path = "../statements/jobs.rs"]
pub(super) mod jobs;
#[path = "../statements/known.rs"]
mod known;
#[path = "../statements/ledger.rs"]
pub(super) mod ledger;
#[path = "../statements/limits.rs"]
pub(super) mod limits;
#[path = "../statements/lists.rs"]
pub(super) mod lists;
#[path = "../statements/looks.rs"]
pub(super) mod looks;
#[path = "../statements/merge.rs"]
mod merge;
#[path = "../statements/narrow.rs"]
mod narrow;
#[path = "../statements/one_item.rs"]
pub(super) mod one_item;
#[path = "../statements/outbox.rs"]
pub(super) mod outbox;
#[path = "../statements/pages.rs"]
pub(super) mod pages;
#[path = "../statements/past.rs"]
pub(super) mod past;
#[path = "../statements/prune.rs"]
pub(super) mod prune;
#[path = "../statements/prune_runs.rs"]
pub(super) mod prune_runs;
#[path = "../statements/pulse.rs"]
pub(super) mod pulse;
#[path = "../statements/quoted.rs"]
pub(super) mod quoted;
#[path = "../statements/raws.rs"]
pub(super) mod raws;
#[path = "../statements/read.rs"]
mod read;
#[path = "../statements/rename.rs"]
pub(super) mod rename;
#[path = "../statements/report.rs"]
pub(super) mod report;
#[path = "../statements/requests.rs"]
pub(super) mod requests;
#[path = "../statements/reread.rs"]
pub(super) mod reread;
#[path = "../statements/resolve.rs"]
mod resolve;
mod sightings;
#[path = "../statements/sights.rs"]
pub(super) mod sights;
#[path = "../statements/snapshot.rs"]
pub(super) mod snapshot;
#[path = "../statements/spent.rs"]
mod spent;
#[path = "../statements/stream.rs"]
pub(super) mod stream;
#[path = "../statements/tallies.rs"]
pub(super) mod tallies;
#[path = "../statements/together.rs"]
pub(super) mod together;
mod tokens;
#[path = "../statements/tone.rs"]
pub(super) mod tone;
#[path = "../statements/topics.rs"]
pub(super) mod topics;
#[path = "../statements/weigh.rs"]
pub(super) mod weigh;
#[path = "../statements/words.rs"]
pub(super) mod words;

pub(super) type Database = Sqlite;
pub(super) type Conn = sqlx::SqliteConnection;
pub(super) type Row = sqlx::sqlite::SqliteRow;

/// How a transaction begins that sees one moment, however long it reads.
pub(super) const ONE_MOMENT: &str = "BEGIN";

/// The pages a connection keeps, 2 MB as SQLite has it, and fewer while it reads everything once.
pub(super) const CACHE: &str = "PRAGMA cache_size = -2000";
pub(super) const SMALL_CACHE: &str = "PRAGMA cache_size = -200";

/// Due runs to claim. The write lock is held, so nothing needs to be skipped.
pub(super) const CLAIM_LOCK: &str = "";

/// The write lock keeps every row.
pub(super) const ROW_LOCK: &str = "";

/// The write lock keeps every row, and nobody else keeps any.
pub(super) const ROW_LOCK_OR_PASS_OVER: &str = "";

/// The texts of a JSON array, bound as `$at`, as rows of `given` with one column `value`: a list of any length in a
/// statement that never changes.
pub(super) fn texts(at: u8) -> String {
    format!("(SELECT value FROM json_each(${at})) AS given")
}

/// The texts of a column that holds a JSON array, in the same form.
pub(super) fn listed(column: &str) -> String {
    format!("json_each({column}) AS given")
}

/// All rows of a selection as one text, a JSON array of arrays: rows that are handed over one by one cost a hand-over each.
pub(super) fn rows_in_one(columns: &str) -> String {
    format!("json_group_array(json_array({columns}))")
}

/// A column's bytes as hexadecimal digits.
pub(super) fn digits(column: &str) -> String {
    format!("hex({column})")
}

/// The bytes of a text, as UTF-8.
pub(super) fn octets(column: &str) -> String {
    format!("octet_length({column})")
}

/// The same as `texts` for whole numbers.
pub(super) fn numbers(at: u8) -> String {
    texts(at)
}

/// The writer already holds SQLite's only write lock.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL waits")]
pub(super) async fn lock(_conn: &mut Conn, _what: i64) -> Result<(), StoreError> {
    Ok(())
}

/// Looked up by its indexes whatever it holds.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL waits")]
pub(super) async fn look_at(_conn: &mut Conn, _table: &'static str) -> Result<(), StoreError> {
    Ok(())
}

/// There is no other engine than the ledger; nobody gets here.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL writes")]
pub(super) async fn add_jobs(
    _conn: &mut Conn,
    _engine: &str,
    _runs: &[i64],
    _attempts: &[i64],
    _due: &[i64],
) -> Result<(), StoreError> {
    Ok(())
}

/// Rows that a reader's thread may be ahead of whoever takes them: enough that the two seldom wait for one another.
const ROWS_AHEAD: usize = 200;

/// One writer and a few readers on one file.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    write: SqlitePool,
    read: SqlitePool,
}

impl Pools {
    /// Opens (and, when it is not there, creates) a file.
    pub(super) async fn open(path: &Path, create: bool) -> Result<Self, StoreError> {
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
            .connect_with(first.journal_mode(SqliteJournalMode::Wal).optimize_on_close(true, 400))
            .await?;
        // Few, since the pool takes them in turn: each that was ever needed keeps its thread and its caches.
        let read = SqlitePoolOptions::new()
            .max_connections(2)
            .min_connections(0)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(60))
            .idle_timeout(Duration::from_secs(30))
            .connect_lazy_with(base.row_buffer_size(ROWS_AHEAD).pragma("query_only", "on"));
        Ok(Self { write, read })
    }

    /// Opens a file that is there, for a process that never writes to it.
    pub(super) fn open_to_read(path: &Path) -> Self {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .busy_timeout(Duration::from_secs(5))
            .statement_cache_capacity(64)
            .row_buffer_size(ROWS_AHEAD)
            .pragma("query_only", "on");
        let read = SqlitePoolOptions::new()
            .max_connections(4)
            .min_connections(0)
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(10))
            .idle_timeout(Duration::from_secs(60))
            .connect_lazy_with(options);
        Self { write: read.clone(), read }
    }

    /// A writing transaction that holds the write lock from its first moment.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        const TRIES: u32 = 10;
        let mut tries = 0;
        loop {
            tries += 1;
            match self.write.begin_with("BEGIN IMMEDIATE").await {
                // SQLite itself rolled the last one back (no room, a failing disk), which its connection does not notice:
                // it would refuse every other transaction for ever. Whoever came in between may have left the next so.
                Err(sqlx::Error::InvalidSavePointStatement) if tries < TRIES => {
                    self.write.acquire().await?.close().await?;
                }
                begun => return Ok(begun?),
            }
        }
    }

    /// A connection that cannot write.
    pub(super) async fn reader(&self) -> Result<PoolConnection<Sqlite>, StoreError> {
        Ok(self.read.acquire().await?)
    }

    /// A transaction that sees one moment, however long it reads.
    pub(super) async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.read.begin().await?)
    }

    /// The writer's pool, for migrations.
    pub(super) fn writer(&self) -> &SqlitePool {
        &self.write
    }

    /// Closes every connection.
    pub(super) async fn close(&self) {
        self.read.close().await;
        self.write.close().await;
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
