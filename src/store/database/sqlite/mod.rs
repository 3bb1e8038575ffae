//! What is SQLite's own: one writer and readers on one file (`pools`), and the statements where the databases truly differ.
//! Everything else is `statements/`, compiled here for SQLite.

use sqlx::Sqlite;

use crate::store::StoreError;

pub(in crate::store) use pools::Pools;

pub(in crate::store) mod disk;
mod file_identity;
mod pools;
mod unwritable;
pub(in crate::store) mod whole_file;

#[path = "../../reading/sql/sightings_sqlite.rs"]
pub(in crate::store) mod sightings;
#[path = "../statements.rs"]
pub(in crate::store) mod statements;
#[path = "../../text_search/sqlite.rs"]
pub(in crate::store) mod tokens;

pub(in crate::store) type Database = Sqlite;
pub(in crate::store) type Conn = sqlx::SqliteConnection;
pub(in crate::store) type Row = sqlx::sqlite::SqliteRow;

/// How a transaction begins that sees one moment, however long it reads.
pub(in crate::store) const ONE_MOMENT: &str = "BEGIN";

/// The pages a connection keeps, 2 MB as SQLite has it, and fewer while it reads everything once.
pub(in crate::store) const CACHE: &str = "PRAGMA cache_size = -2000";
pub(in crate::store) const SMALL_CACHE: &str = "PRAGMA cache_size = -200";

/// Due runs to claim. The write lock is held, so nothing needs to be skipped.
pub(in crate::store) const CLAIM_LOCK: &str = "";

/// The write lock keeps every row.
pub(in crate::store) const ROW_LOCK: &str = "";

/// The write lock keeps every row, and nobody else keeps any.
pub(in crate::store) const ROW_LOCK_OR_PASS_OVER: &str = "";

/// The texts of a JSON array, bound as `$at`, as rows of `given` with one column `value`: a list of any length in a
/// statement that never changes.
pub(in crate::store) fn texts(at: u8) -> String {
    format!("(SELECT value FROM json_each(${at})) AS given")
}

/// The texts of a column that holds a JSON array, in the same form.
pub(in crate::store) fn listed(column: &str) -> String {
    format!("json_each({column}) AS given")
}

/// All rows of a selection as one text, a JSON array of arrays: rows that are handed over one by one cost a hand-over each.
pub(in crate::store) fn rows_in_one(columns: &str) -> String {
    format!("json_group_array(json_array({columns}))")
}

/// A column's bytes as hexadecimal digits.
pub(in crate::store) fn digits(column: &str) -> String {
    format!("hex({column})")
}

/// The bytes of a text, as UTF-8.
pub(in crate::store) fn octets(column: &str) -> String {
    format!("octet_length({column})")
}

/// The same as `texts` for whole numbers.
pub(in crate::store) fn numbers(at: u8) -> String {
    texts(at)
}

/// The writer already holds SQLite's only write lock.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL waits")]
pub(in crate::store) async fn lock(_conn: &mut Conn, _what: i64) -> Result<(), StoreError> {
    Ok(())
}

/// Looked up by its indexes whatever it holds.
#[expect(clippy::unused_async, reason = "the same call on PostgreSQL waits")]
pub(in crate::store) async fn look_at(_conn: &mut Conn, _table: &'static str) -> Result<(), StoreError> {
    Ok(())
}

/// There is no other engine than the ledger; nobody gets here.
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
