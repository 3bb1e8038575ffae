//! SQLite: one writer and several readers on one file (`pools`), and the SQL fragments that differ from PostgreSQL. The
//! statements are shared with PostgreSQL and compiled here for SQLite.

use sqlx::Sqlite;

use crate::store::StoreError;

pub(in crate::store) use pools::{BUSY_TIMEOUT, Pools};

pub(in crate::store) mod disk;
mod file_identity;
mod pools;
mod row_counts;
mod unwritable;
pub(in crate::store) mod whole_file;

#[path = "../../reading/sql/sightings_sqlite.rs"]
pub(in crate::store) mod sightings;
#[path = "../statements.rs"]
pub(in crate::store) mod statements;
#[path = "../../derived/text_search/sql/tokens_sqlite.rs"]
pub(in crate::store) mod tokens;

pub(in crate::store) type Database = Sqlite;
pub(in crate::store) type Conn = sqlx::SqliteConnection;
pub(in crate::store) type Row = sqlx::sqlite::SqliteRow;

/// Begins a snapshot transaction: it sees one state of the database, however long it reads.
pub(in crate::store) const ONE_MOMENT: &str = "BEGIN";

/// The page cache of a connection: SQLite's default of 2 MB, and less while it reads everything once.
pub(in crate::store) const CACHE: &str = "PRAGMA cache_size = -2000";
pub(in crate::store) const SMALL_CACHE: &str = "PRAGMA cache_size = -200";

/// For claiming due runs. The write lock is held, so nothing needs to be skipped.
pub(in crate::store) const CLAIM_LOCK: &str = "";

/// Reads `item_past` by item. With statistics from a time with few rows, SQLite would read the whole table.
pub(in crate::store) const PAST_BY_ITEM: &str = " INDEXED BY item_past_of";

/// Whether a list of the latest rows of several topics would sort all of them.
pub(in crate::store) const SORTS_SEVERAL_TOPICS: bool = true;

/// Not needed: the write lock covers every row.
pub(in crate::store) const ROW_LOCK: &str = "";

/// Not needed: the write lock covers every row.
pub(in crate::store) const ROW_LOCK_OR_PASS_OVER: &str = "";

/// SQL for the texts of a JSON array, bound as `$at`, as rows of `given` with one column `value`. The statement text
/// stays the same for lists of any length.
pub(in crate::store) fn texts(at: u8) -> String {
    format!("(SELECT value FROM json_each(${at})) AS given")
}

/// SQL for the start of a selection from the runs `r` of the topics in the JSON array that is bound as `$at`, each given
/// once. `CROSS JOIN` keeps the database from walking through the runs of all topics.
pub(in crate::store) fn runs_of_topics(at: u8) -> String {
    format!("FROM {} CROSS JOIN run r WHERE r.topic = given.value AND ", texts(at))
}

/// Like [`texts`], for a column that holds a JSON array.
pub(in crate::store) fn listed(column: &str) -> String {
    format!("json_each({column}) AS given")
}

/// SQL for all rows of a selection as one JSON array of arrays, since each row returned on its own has a cost.
pub(in crate::store) fn rows_in_one(columns: &str) -> String {
    format!("json_group_array(json_array({columns}))")
}

/// SQL for a column's bytes as hexadecimal digits.
pub(in crate::store) fn digits(column: &str) -> String {
    format!("hex({column})")
}

/// SQL for the length of a text in bytes of UTF-8.
pub(in crate::store) fn octets(column: &str) -> String {
    format!("octet_length({column})")
}

/// Like [`texts`], for whole numbers.
pub(in crate::store) fn numbers(at: u8) -> String {
    texts(at)
}

/// Does nothing: the writer already holds SQLite's only write lock.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL waits")]
pub(in crate::store) async fn lock(_conn: &mut Conn, _what: i64) -> Result<(), StoreError> {
    Ok(())
}

/// Does nothing: SQLite uses the right indexes without statistics.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL waits")]
pub(in crate::store) async fn analyze(_conn: &mut Conn, _table: &'static str) -> Result<(), StoreError> {
    Ok(())
}

/// Never called: SQLite has no other job engine than the ledger.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL writes")]
pub(in crate::store) async fn add_jobs(
    _conn: &mut Conn,
    _engine: &str,
    _runs: &[i64],
    _attempts: &[i64],
    _due: &[i64],
) -> Result<(), StoreError> {
    Ok(())
}
