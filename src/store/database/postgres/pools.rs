//! The connections to PostgreSQL: one pool with session limits, and those that were just used.

use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgConnection, PgPool, Postgres, SqlSafeStr as _, Transaction};
use tokio_util::sync::CancellationToken;

use super::ONE_MOMENT;
use crate::store::database::recent::RecentConnections;
use crate::store::{StoreError, StoreErrorKind};

/// The most connections of one process.
const MOST: u32 = 8;

/// Whether the error shows that an idle connection was closed. The next connection may still work.
fn is_disconnected(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(database_error) => {
            matches!(database_error.code().as_deref(), Some("57P01" | "57P02" | "25P03" | "57P05"))
        }
        _ => false,
    }
}

/// The error of a `BEGIN`. Nothing was done yet, so after a disconnection the transaction can be tried again.
fn not_begun(error: sqlx::Error) -> StoreError {
    let again = is_disconnected(&error);
    let error = StoreError::from(error);
    StoreError { again: again || error.again, ..error }
}

/// How often to look for a connection that is about to be returned, with a pause in between.
const RETURN_TRIES: u32 = 10;

/// The pause between two of these looks.
const RETURN_PAUSE: Duration = Duration::from_millis(1);

/// How long a working server takes to answer.
const SOON: Duration = Duration::from_millis(100);

/// Longest wait for a connection.
const ACQUIRED: Duration = Duration::from_secs(30);

/// Longest wait for a connection and its `BEGIN`; an idle connection may have gone dead without an error.
const BEGUN: Duration = Duration::from_secs(40);

/// Longest wait for an answer on a connection that was idle.
const ANSWERED: Duration = Duration::from_secs(5);

/// Longest wait for a new connection that tests whether the server is reachable.
const REACHABLE: Duration = Duration::from_secs(10);

/// Longest wait for that test connection in a process that is stopping.
const REACHABLE_AT_THE_END: Duration = Duration::from_secs(2);

/// Longest time for closing the connections.
const CLOSED: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pool: PgPool,
    recent: RecentConnections<Postgres>,
    options: Arc<PgConnectOptions>,
    /// Cancelled when the user of this handle stops: after that it does not wait for a server that is away.
    leaving: CancellationToken,
}

/// Returns why the server cannot be reached; never returns while it can be. The pool itself would retry for 30 seconds
/// without reporting an error.
async fn unreachable_reason(options: &PgConnectOptions, longest: Duration) -> sqlx::Error {
    tokio::time::sleep(SOON).await;
    // Close the test connection at once: the server may have no room for one more.
    let reached = tokio::time::timeout(longest, PgConnection::connect_with(options)).await.map(|conn| conn.map(drop));
    match reached {
        Err(_) => sqlx::Error::PoolTimedOut,
        Ok(Err(error)) => error,
        Ok(Ok(())) => std::future::pending().await,
    }
}

/// Refuses a database that is not UTF-8: it would store some posts and refuse others, since text comes in every script.
async fn holds_any_text(conn: &mut PgConnection) -> Result<(), StoreError> {
    let encoding: String = sqlx::query_scalar("SELECT current_setting('server_encoding')").fetch_one(conn).await?;
    if encoding == "UTF8" {
        return Ok(());
    }
    Err(StoreError::new(
        StoreErrorKind::Foreign,
        format!("the database encoding is {encoding}, which cannot store all text"),
        "create one with UTF-8: CREATE DATABASE topicwatch ENCODING 'UTF8' TEMPLATE template0; then set it in [database] url",
    ))
}

impl Pools {
    /// Connects; `schema` is the only schema in the search path.
    pub(in crate::store) async fn open(options: PgConnectOptions, schema: &str) -> Result<Self, StoreError> {
        let options = options.application_name("topicwatch").options([
            ("search_path", schema),
            // A transaction that has waited for a lock must see what its holder wrote, whatever the server's default is.
            ("default_transaction_isolation", "read committed"),
            // Statements here are short. Some look expensive to the planner and would be JIT-compiled each time.
            ("jit", "off"),
            ("statement_timeout", "60000"),
            ("lock_timeout", "30000"),
            ("idle_in_transaction_session_timeout", "60000"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(MOST)
            .min_connections(0)
            // `reader` tests the connection itself, and `begin_snapshot` sees a dead one at its first statement.
            .test_before_acquire(false)
            .acquire_timeout(crate::failpoint::bound("acquire", ACQUIRED))
            .connect_lazy_with(options.clone());
        // People and health checks want the error now. So, if the pool has no connection after a moment, a second
        // attempt outside the pool gets the error.
        let mut first = tokio::select! {
            first = pool.acquire() => first?,
            error = unreachable_reason(&options, REACHABLE) => return Err(error.into()),
        };
        let fit = holds_any_text(&mut first).await;
        if let Err(unfit) = fit {
            drop(first);
            pool.close().await;
            return Err(unfit);
        }
        let recent = RecentConnections::of(pool.clone());
        recent.keep(first);
        Ok(Self { pool, recent, options: Arc::new(options), leaving: CancellationToken::new() })
    }

    /// From now on, does not wait for a server that is away.
    pub(in crate::store) fn stop_waiting(&self) {
        self.leaving.cancel();
    }

    /// Returns the same connections for a caller that stops when `stop` is cancelled.
    pub(in crate::store) fn with_stop(&self, stop: CancellationToken) -> Self {
        Self { leaving: stop, ..self.clone() }
    }

    /// Waits for the pool, but gives up if the caller is stopping and the server is away. A server that only has no
    /// room for another connection is not away: connections will be returned.
    async fn unless_unreachable<T>(&self, operation: impl Future<Output = T>) -> Result<T, StoreError> {
        let gone = async {
            self.leaving.cancelled().await;
            match unreachable_reason(&self.options, REACHABLE_AT_THE_END).await {
                sqlx::Error::Database(database_error) if database_error.code().as_deref() == Some("53300") => {
                    std::future::pending().await
                }
                error => error,
            }
        };
        tokio::select! {
            done = operation => Ok(done),
            error = gone => Err(error.into()),
        }
    }

    /// Returns a connection that was used a moment ago, if there is one or will be soon. That is cheaper than a new one,
    /// for which the server has to start a process without any cached metadata.
    async fn recent(&self) -> Option<PoolConnection<Postgres>> {
        for _ in 0..RETURN_TRIES {
            let recent = self.recent.take();
            if recent.is_some() || self.has_idle_or_none() {
                return recent;
            }
            tokio::time::sleep(RETURN_PAUSE).await;
        }
        None
    }

    /// Whether the pool has an idle connection, has none at all, or cannot open another.
    fn has_idle_or_none(&self) -> bool {
        self.pool.num_idle() > 0 || !(1..MOST).contains(&self.pool.size())
    }

    /// Begins a transaction on a connection from [`Self::reader`], which can be kept afterwards.
    pub(in crate::store) async fn begin_on<'c>(
        &self,
        connection: &'c mut PgConnection,
    ) -> Result<Transaction<'c, Postgres>, StoreError> {
        let begun = tokio::time::timeout(BEGUN, connection.begin());
        self.unless_unreachable(begun).await?.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(not_begun)
    }

    /// Keeps a connection for the next statement. Only after a success, outside any transaction.
    pub(in crate::store) fn keep(&self, connection: PoolConnection<Postgres>) {
        self.recent.keep(connection);
    }

    /// Returns a connection that works: one used a moment ago, or one that answered a ping.
    pub(in crate::store) async fn reader(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        let mut dead = 0;
        loop {
            if let Some(recent) = self.recent().await {
                return Ok(recent);
            }
            match self.unless_unreachable(self.acquire_live()).await? {
                Err(error) if dead < MOST && is_disconnected(&error) => dead += 1,
                alive => return Ok(alive?),
            }
        }
    }

    /// Returns a connection that answers a ping.
    async fn acquire_live(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        let mut conn = self.pool.acquire().await?;
        match tokio::time::timeout(ANSWERED, conn.ping()).await {
            Ok(answered) => answered.map(|()| conn),
            Err(_) => {
                // Returned to the pool, it would be pinged again and block a slot until the network times out.
                drop(conn.detach());
                Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into())
            }
        }
    }

    /// Begins a snapshot transaction without time limits: the session's limits are for short statements, and an export
    /// is long.
    pub(in crate::store) async fn snapshot(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut tx = self.begin_snapshot().await?;
        sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *tx).await?;
        sqlx::query("SET LOCAL idle_in_transaction_session_timeout = 0").execute(&mut *tx).await?;
        Ok(tx)
    }

    /// `BEGIN` itself shows whether the connection still works; a test before would cost one more round trip.
    async fn begin_snapshot(&self) -> Result<Transaction<'static, Postgres>, StoreError> {
        let mut dead = 0;
        loop {
            let recent = self.recent().await;
            let begun = tokio::time::timeout(BEGUN, async {
                let connection = match recent {
                    Some(recent) => recent,
                    None => self.pool.acquire().await?,
                };
                Transaction::<Postgres>::begin(connection, Some(ONE_MOMENT.into_sql_str())).await
            });
            match self.unless_unreachable(begun).await?.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
                Err(error) if dead < MOST && is_disconnected(&error) => dead += 1,
                begun => return Ok(begun?),
            }
        }
    }

    /// Always true: the server knows where its database is.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same call on SQLite looks")]
    pub(in crate::store) fn in_place(&self) -> Result<(), StoreError> {
        Ok(())
    }

    #[expect(clippy::unused_self, reason = "the same call on SQLite looks")]
    pub(in crate::store) fn explain<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done
    }

    /// Returns the pool, for migrations.
    pub(in crate::store) fn writer(&self) -> &PgPool {
        &self.pool
    }

    /// Closes all connections, but does not wait long for a server that does not answer.
    pub(in crate::store) async fn close(&self) {
        self.recent.close();
        tokio::time::timeout(CLOSED, self.pool.close()).await.ok();
    }
}
