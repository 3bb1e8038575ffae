//! What is PostgreSQL's own: one pool with session limits, advisory locks, and the statements where the databases truly
//! differ. Everything else is `statements/`, compiled here for PostgreSQL.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, Transaction};

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

pub(super) type Database = Postgres;
pub(super) type Conn = PgConnection;
pub(super) type Row = sqlx::postgres::PgRow;

/// How a transaction begins that sees one moment, however long it reads.
pub(super) const ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Due runs to claim: rows that another process is claiming at this moment are passed over, not waited for.
pub(super) const CLAIM_LOCK: &str = " FOR UPDATE OF q SKIP LOCKED";

/// Keeps a row from others until the transaction ends; rows that only refer to it may still be added.
pub(super) const ROW_LOCK: &str = " FOR NO KEY UPDATE";

/// The same for rows that nobody else keeps.
pub(super) const ROW_LOCK_OR_PASS_OVER: &str = " FOR NO KEY UPDATE SKIP LOCKED";

/// The texts of a JSON array, bound as `$at`, as rows of `given` with one column `value`: a list of any length in a
/// statement that never changes.
pub(super) fn texts(at: u8) -> String {
    format!("(SELECT value FROM jsonb_array_elements_text(CAST(${at} AS JSONB)) AS value) AS given")
}

/// The texts of a column that holds a JSON array, in the same form.
pub(super) fn listed(column: &str) -> String {
    format!("jsonb_array_elements_text(CAST({column} AS JSONB)) AS given (value)")
}

/// All rows of a selection as one text, a JSON array of arrays: rows that are handed over one by one cost a hand-over each.
pub(super) fn rows_in_one(columns: &str) -> String {
    format!("CAST(coalesce(json_agg(json_build_array({columns})), '[]') AS TEXT)")
}

/// A column's bytes as hexadecimal digits.
pub(super) fn digits(column: &str) -> String {
    format!("encode({column}, 'hex')")
}

/// The bytes of a text, as UTF-8, in whichever encoding the server keeps it.
pub(super) fn octets(column: &str) -> String {
    format!("octet_length(convert_to({column}, 'UTF8'))")
}

/// The same as `texts` for whole numbers.
pub(super) fn numbers(at: u8) -> String {
    format!(
        "(SELECT CAST(value AS BIGINT) AS value FROM jsonb_array_elements_text(CAST(${at} AS JSONB)) AS value) AS given"
    )
}

/// Waits for a lock that is held to the end of the transaction; one per schema and purpose.
pub(super) async fn lock(conn: &mut Conn, what: i64) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), $1))")
        .bind(what)
        .execute(conn)
        .await?;
    Ok(())
}

/// Tells the planner of statements what a table holds now, after much of it was written: of a new table it knows nothing, and
/// would compare each topic that is due with every other.
pub(super) async fn look_at(conn: &mut Conn, table: &'static str) -> Result<(), StoreError> {
    sqlx::query(sqlx::AssertSqlSafe(format!("ANALYZE {table}"))).persistent(false).execute(conn).await?;
    Ok(())
}

/// What graphile_worker calls a job of ours.
pub(super) const JOB: &str = "topicwatch_run";

/// Adds a job for each run; one that is waiting already for the same attempt is replaced. `engine` is its schema.
pub(super) async fn add_jobs(
    conn: &mut Conn,
    engine: &str,
    runs: &[i64],
    attempts: &[i64],
    due: &[i64],
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT count(\"{engine}\".add_job($4, json_build_object('run', job.run), run_at := to_timestamp(job.due / 1000.0), \
         job_key := job.run || ':' || job.attempt)) FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BIGINT[]) AS job (run, attempt, due)"
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(runs).bind(attempts).bind(due).bind(JOB).execute(conn).await?;
    Ok(())
}

/// Connections of one process.
const MOST: u32 = 8;

/// Whether a connection had ended while it lay idle, which the next may not have.
fn is_gone(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(said) => matches!(said.code().as_deref(), Some("57P01" | "57P02" | "25P03" | "57P05")),
        _ => false,
    }
}

/// Longest wait for the server's first answer.
const REACHABLE: Duration = Duration::from_secs(10);

/// The pool.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pool: PgPool,
}

impl Pools {
    /// Connects; `schema` is the only one in the search path.
    pub(super) async fn open(options: PgConnectOptions, schema: &str) -> Result<Self, StoreError> {
        let options = options.application_name("topicwatch").options([
            ("search_path", schema),
            // Statements here are short, and those that only look long would be compiled anew each time.
            ("jit", "off"),
            ("statement_timeout", "60000"),
            ("lock_timeout", "30000"),
            ("idle_in_transaction_session_timeout", "60000"),
        ]);
        // The pool takes a refused connection for a server that is just starting and keeps knocking until its own limit;
        // a person, or a health check, wants to hear of it now.
        let knocked = tokio::time::timeout(REACHABLE, PgConnection::connect_with(&options)).await;
        knocked.map_err(|_| sqlx::Error::PoolTimedOut)??.close().await?;
        let pool = PgPoolOptions::new()
            .max_connections(MOST)
            .min_connections(0)
            // Asked for in `reader` and `begin`, where it costs nothing or is needed.
            .test_before_acquire(false)
            .acquire_timeout(Duration::from_secs(30))
            .connect_with(options)
            .await?;
        Ok(Self { pool })
    }

    /// A writing transaction. Its first statement shows whether the connection is still there; to ask before would be one
    /// more way to the server and back for each.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin_as("BEGIN").await
    }

    async fn begin_as(&self, begin: &'static str) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut dead = 0;
        loop {
            match self.pool.begin_with(begin).await {
                Err(error) if dead < MOST && is_gone(&error) => dead += 1,
                begun => return Ok(begun?),
            }
        }
    }

    /// A connection to read from.
    pub(super) async fn reader(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        let mut dead = 0;
        loop {
            let mut conn = self.pool.acquire().await?;
            match conn.ping().await {
                Err(error) if dead < MOST && is_gone(&error) => dead += 1,
                asked => return Ok(asked.map(|()| conn)?),
            }
        }
    }

    /// A transaction that sees one moment, however long it reads: the limits of a session are for statements that
    /// should be short, and an export is not.
    pub(super) async fn snapshot(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut tx = self.begin_as(ONE_MOMENT).await?;
        sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *tx).await?;
        sqlx::query("SET LOCAL idle_in_transaction_session_timeout = 0").execute(&mut *tx).await?;
        Ok(tx)
    }

    /// A server's database is where the server says.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same call on SQLite looks")]
    pub(super) fn in_place(&self) -> Result<(), StoreError> {
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "the same call on SQLite looks")]
    pub(super) fn explained<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done
    }

    /// The pool, for migrations.
    pub(super) fn writer(&self) -> &PgPool {
        &self.pool
    }

    /// Closes every connection.
    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}
