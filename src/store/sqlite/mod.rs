//! What is SQLite's own: one writer and readers on one file (`pools`), and the statements where the databases truly differ.
//! Everything else is `statements/`, compiled here for SQLite.

use sqlx::Sqlite;

use super::StoreError;

pub(super) use pools::Pools;

pub(super) mod disk;
mod place;
mod pools;
mod unwritable;

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
#[path = "../statements/recall.rs"]
pub(super) mod recall;
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
