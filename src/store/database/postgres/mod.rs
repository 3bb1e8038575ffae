//! What is PostgreSQL's own: one pool with session limits, advisory locks, and the statements where the databases truly
//! differ. Everything else is `statements/`, compiled here for PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, Transaction};
use tokio_util::sync::CancellationToken;

use crate::store::{StoreError, StoreErrorKind};

pub(in crate::store) mod disk;

#[path = "../../reading/sql/sightings_postgres.rs"]
pub(in crate::store) mod sightings;
#[path = "../statements.rs"]
pub(in crate::store) mod statements;
#[path = "../../text_search/postgres.rs"]
pub(in crate::store) mod tokens;

pub(in crate::store) type Database = Postgres;
pub(in crate::store) type Conn = PgConnection;
pub(in crate::store) type Row = sqlx::postgres::PgRow;

/// How a transaction begins that sees one moment, however long it reads.
pub(in crate::store) const ONE_MOMENT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Due runs to claim: rows that another process is claiming at this moment are passed over, not waited for.
pub(in crate::store) const CLAIM_LOCK: &str = " FOR UPDATE OF q SKIP LOCKED";

/// Keeps a row from others until the transaction ends; rows that only refer to it may still be added.
pub(in crate::store) const ROW_LOCK: &str = " FOR NO KEY UPDATE";

/// The same for rows that nobody else keeps.
pub(in crate::store) const ROW_LOCK_OR_PASS_OVER: &str = " FOR NO KEY UPDATE SKIP LOCKED";

/// The texts of a JSON array, bound as `$at`, as rows of `given` with one column `value`: a list of any length in a
/// statement that never changes.
pub(in crate::store) fn texts(at: u8) -> String {
    format!("(SELECT value FROM jsonb_array_elements_text(CAST(${at} AS JSONB)) AS value) AS given")
}

/// The texts of a column that holds a JSON array, in the same form.
pub(in crate::store) fn listed(column: &str) -> String {
    format!("jsonb_array_elements_text(CAST({column} AS JSONB)) AS given (value)")
}

/// All rows of a selection as one text, a JSON array of arrays: rows that are handed over one by one cost a hand-over each.
pub(in crate::store) fn rows_in_one(columns: &str) -> String {
    format!("CAST(coalesce(json_agg(json_build_array({columns})), '[]') AS TEXT)")
}

/// A column's bytes as hexadecimal digits.
pub(in crate::store) fn digits(column: &str) -> String {
    format!("encode({column}, 'hex')")
}

/// The bytes of a text, as UTF-8, in whichever encoding the server keeps it.
pub(in crate::store) fn octets(column: &str) -> String {
    format!("octet_length(convert_to({column}, 'UTF8'))")
}

/// The same as `texts` for whole numbers.
pub(in crate::store) fn numbers(at: u8) -> String {
    format!(
        "(SELECT CAST(value AS BIGINT) AS value FROM jsonb_array_elements_text(CAST(${at} AS JSONB)) AS value) AS given"
    )
}

/// Waits for a lock that is held to the end of the transaction; one per schema and purpose.
pub(in crate::store) async fn lock(conn: &mut Conn, what: i64) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), $1))")
        .bind(what)
        .execute(conn)
        .await?;
    Ok(())
}

/// Tells the planner of statements what a table holds now, after much of it was written: of a new table it knows nothing, and
/// would compare each topic that is due with every other.
pub(in crate::store) async fn look_at(conn: &mut Conn, table: &'static str) -> Result<(), StoreError> {
    sqlx::query(sqlx::AssertSqlSafe(format!("ANALYZE {table}"))).persistent(false).execute(conn).await?;
    Ok(())
}

/// What graphile_worker calls a job of ours.
pub(in crate::store) const JOB: &str = "topicwatch_run";

/// Adds a job for each run; one that is waiting already for the same attempt is replaced. `engine` is its schema.
pub(in crate::store) async fn add_jobs(
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

/// Longest wait for a connection that may be on its way back.
const GIVEN_BACK: Duration = Duration::from_millis(10);

/// How long a server that answers takes to do so.
const SOON: Duration = Duration::from_millis(100);

/// Longest wait for a connection.
const ACQUIRED: Duration = Duration::from_secs(30);

/// The same for one on which a transaction has begun: one that lay idle may hear nothing any more.
const BEGUN: Duration = Duration::from_secs(40);

/// Longest wait for an answer on a connection that lay idle.
const ANSWERED: Duration = Duration::from_secs(5);

/// Longest wait for the server's first answer after that.
const REACHABLE: Duration = Duration::from_secs(10);

/// The same for a process that ends.
const REACHABLE_AT_THE_END: Duration = Duration::from_secs(2);

/// Longest time for ending the connections.
const CLOSED: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pool: PgPool,
    options: Arc<PgConnectOptions>,
    /// Set when whoever has this handle ends: a server that is away is not waited for any more.
    leaving: CancellationToken,
}

/// Why the server cannot be reached, as soon as that is known; never while it can. The pool itself tries again for 30 seconds
/// and says nothing meanwhile.
async fn refused(options: &PgConnectOptions, longest: Duration) -> sqlx::Error {
    tokio::time::sleep(SOON).await;
    // The connection itself goes at once: the server may have no room for one more.
    let reached = tokio::time::timeout(longest, PgConnection::connect_with(options)).await.map(|conn| conn.map(drop));
    match reached {
        Err(_) => sqlx::Error::PoolTimedOut,
        Ok(Err(error)) => error,
        Ok(Ok(())) => std::future::pending().await,
    }
}

/// Text of every script is stored: a database of another encoding would take some posts and refuse the others.
async fn holds_any_text(conn: &mut PgConnection) -> Result<(), StoreError> {
    let encoding: String = sqlx::query_scalar("SELECT current_setting('server_encoding')").fetch_one(conn).await?;
    if encoding == "UTF8" {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Foreign,
        format!("the database keeps text as {encoding}, which cannot hold what people write"),
        "make one of UTF-8: CREATE DATABASE topicwatch ENCODING 'UTF8' TEMPLATE template0; then name it in [database] url",
    ))
}

impl Pools {
    /// Connects; `schema` is the only one in the search path.
    pub(in crate::store) async fn open(options: PgConnectOptions, schema: &str) -> Result<Self, StoreError> {
        let options = options.application_name("topicwatch").options([
            ("search_path", schema),
            // Statements here are short, and those that only look long would be compiled anew each time.
            ("jit", "off"),
            ("statement_timeout", "60000"),
            ("lock_timeout", "30000"),
            ("idle_in_transaction_session_timeout", "60000"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(MOST)
            .min_connections(0)
            // Asked for in `reader` and `begin`, where it costs nothing or is needed.
            .test_before_acquire(false)
            .acquire_timeout(crate::failpoint::bound("acquire", ACQUIRED))
            .connect_lazy_with(options.clone());
        // People and health checks want the error now. So, if the pool has no connection after a moment, a second attempt outside
        // of it gets the error.
        let mut first = tokio::select! {
            first = pool.acquire() => first?,
            error = refused(&options, REACHABLE) => return Err(error.into()),
        };
        let fit = holds_any_text(&mut first).await;
        drop(first);
        if let Err(unfit) = fit {
            pool.close().await;
            return Err(unfit);
        }
        Ok(Self { pool, options: Arc::new(options), leaving: CancellationToken::new() })
    }

    /// From now on a server that is away is not waited for.
    pub(in crate::store) fn leave(&self) {
        self.leaving.cancel();
    }

    /// The same connections for whoever ends when `stop` says so.
    pub(in crate::store) fn until(&self, stop: CancellationToken) -> Self {
        Self { leaving: stop, ..self.clone() }
    }

    /// What is asked of the pool, unless whoever asks ends and the server is away. One that has no room for one more
    /// connection is not: those that there are come back.
    async fn asked<T>(&self, asked: impl Future<Output = T>) -> Result<T, StoreError> {
        let gone = async {
            self.leaving.cancelled().await;
            match refused(&self.options, REACHABLE_AT_THE_END).await {
                sqlx::Error::Database(said) if said.code().as_deref() == Some("53300") => std::future::pending().await,
                error => error,
            }
        };
        tokio::select! {
            done = asked => Ok(done),
            error = gone => Err(error.into()),
        }
    }

    /// A writing transaction. Its first statement shows whether the connection is still there; to ask before would be one
    /// more way to the server and back for each.
    pub(in crate::store) async fn begin(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.begin_as("BEGIN").await
    }

    /// The pool asks a connection that was given back whether it is well before it lends it again. To wait for that is cheaper
    /// than another connection, whose process the server has to start and which knows no table yet.
    async fn given_back(&self) {
        let back = async {
            while self.pool.num_idle() == 0 && (1..MOST).contains(&self.pool.size()) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(GIVEN_BACK, back).await.ok();
    }

    async fn begin_as(&self, begin: &'static str) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut dead = 0;
        loop {
            self.given_back().await;
            let begun = tokio::time::timeout(BEGUN, self.pool.begin_with(begin));
            match self.asked(begun).await?.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
                Err(error) if dead < MOST && is_gone(&error) => dead += 1,
                begun => return Ok(begun?),
            }
        }
    }

    /// A connection to read from.
    pub(in crate::store) async fn reader(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        let mut dead = 0;
        loop {
            self.given_back().await;
            match self.asked(self.alive()).await? {
                Err(error) if dead < MOST && is_gone(&error) => dead += 1,
                alive => return Ok(alive?),
            }
        }
    }

    /// A connection that answers.
    async fn alive(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        let mut conn = self.pool.acquire().await?;
        match tokio::time::timeout(ANSWERED, conn.ping()).await {
            Ok(answered) => answered.map(|()| conn),
            Err(_) => {
                // Given back, it would be asked once more, and keep its place until the network gives up.
                drop(conn.detach());
                Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into())
            }
        }
    }

    /// A transaction that sees one moment, however long it reads: the limits of a session are for statements that
    /// should be short, and an export is not.
    pub(in crate::store) async fn snapshot(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut tx = self.begin_as(ONE_MOMENT).await?;
        sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *tx).await?;
        sqlx::query("SET LOCAL idle_in_transaction_session_timeout = 0").execute(&mut *tx).await?;
        Ok(tx)
    }

    /// A server's database is where the server says.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same call on SQLite looks")]
    pub(in crate::store) fn in_place(&self) -> Result<(), StoreError> {
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "the same call on SQLite looks")]
    pub(in crate::store) fn explained<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done
    }

    /// The pool, for migrations.
    pub(in crate::store) fn writer(&self) -> &PgPool {
        &self.pool
    }

    /// Closes every connection. One that waits for a server that says nothing any more is not waited for.
    pub(in crate::store) async fn close(&self) {
        tokio::time::timeout(CLOSED, self.pool.close()).await.ok();
    }
}
