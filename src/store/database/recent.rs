//! Connections that a statement has just used, reused at once. The pool pings each one that is returned; a caller that
//! wants one meanwhile would wait for the ping, or open another. A connection that failed, was abandoned or was not
//! used for a moment is returned to the pool, which tests it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use sqlx::Pool;
use sqlx::pool::PoolConnection;
use tokio::time::Instant;

/// How long a connection is reused without a test.
const RECENT: Duration = Duration::from_millis(100);

/// The connections of one pool that were used last.
pub(in crate::store) struct RecentConnections<DB: sqlx::Database> {
    pool: Pool<DB>,
    within: Duration,
    held: Arc<Mutex<Held<DB>>>,
}

struct Held<DB: sqlx::Database> {
    /// The last used entries are at the end.
    connections: Vec<(PoolConnection<DB>, Instant)>,
    /// Whether a task returns unused connections.
    watched: bool,
    closed: bool,
}

impl<DB: sqlx::Database> Held<DB> {
    /// Removes connections that were not used for this long.
    fn remove_unused(&mut self, within: Duration) -> Vec<PoolConnection<DB>> {
        let unused = self.connections.partition_point(|(_, used)| used.elapsed() >= within);
        self.connections.drain(..unused).map(|(connection, _)| connection).collect()
    }
}

fn lock<DB: sqlx::Database>(held: &Mutex<Held<DB>>) -> MutexGuard<'_, Held<DB>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns unused connections to the pool, until none is kept: a caller may be waiting for one, and only the pool
/// closes connections that are idle for long.
async fn return_unused<DB: sqlx::Database>(held: Weak<Mutex<Held<DB>>>, within: Duration) {
    while let Some(next) = return_unused_now(&held, within) {
        tokio::time::sleep_until(next).await;
    }
}

/// Returns when the next one is due.
fn return_unused_now<DB: sqlx::Database>(held: &Weak<Mutex<Held<DB>>>, within: Duration) -> Option<Instant> {
    let held = held.upgrade()?;
    let mut locked = lock(&held);
    let unused = locked.remove_unused(within);
    let next = locked.connections.first().map(|(_, used)| *used + within);
    locked.watched = next.is_some();
    drop(locked);
    drop(unused);
    next
}

impl<DB: sqlx::Database> RecentConnections<DB> {
    pub(in crate::store) fn of(pool: Pool<DB>) -> Self {
        let held = Held { connections: Vec::new(), watched: false, closed: false };
        Self { pool, within: RECENT, held: Arc::new(Mutex::new(held)) }
    }

    fn lock(&self) -> MutexGuard<'_, Held<DB>> {
        lock(&self.held)
    }

    /// Returns the connection that was used last, if that was a moment ago.
    pub(in crate::store) fn take(&self) -> Option<PoolConnection<DB>> {
        let mut held = self.lock();
        let unused = held.remove_unused(self.within);
        let last = held.connections.pop().map(|(connection, _)| connection);
        drop(held);
        drop(unused);
        last
    }

    /// Keeps a connection whose last statement succeeded, outside any transaction.
    pub(in crate::store) fn keep(&self, connection: PoolConnection<DB>) {
        let most = self.pool.options().get_max_connections();
        let mut held = self.lock();
        // A caller may be waiting for the pool to get its last connection back.
        if !held.closed && (self.pool.size() < most || self.pool.num_idle() > 0) {
            held.connections.push((connection, Instant::now()));
            if !held.watched {
                held.watched = true;
                tokio::spawn(return_unused(Arc::downgrade(&self.held), self.within));
            }
        }
    }

    /// Returns all to the pool, and from now on every connection at once: the pool is about to be closed.
    pub(in crate::store) fn close(&self) {
        let mut held = self.lock();
        held.closed = true;
        let all = std::mem::take(&mut held.connections);
        drop(held);
        drop(all);
    }
}

impl<DB: sqlx::Database> Clone for RecentConnections<DB> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), within: self.within, held: Arc::clone(&self.held) }
    }
}

impl<DB: sqlx::Database> std::fmt::Debug for RecentConnections<DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecentConnections").field("held", &self.lock().connections.len()).finish()
    }
}

impl<DB: sqlx::Database> Drop for Held<DB> {
    /// The last handle may be dropped outside the runtime, where nothing can be returned to the pool.
    fn drop(&mut self) {
        for (connection, _) in self.connections.drain(..) {
            drop(connection.detach());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use sqlx::sqlite::SqlitePoolOptions;

    use super::*;

    fn two() -> (Pool<sqlx::Sqlite>, RecentConnections<sqlx::Sqlite>) {
        let pool = SqlitePoolOptions::new().max_connections(2).connect_lazy("sqlite::memory:").unwrap();
        (pool.clone(), RecentConnections::of(pool))
    }

    #[tokio::test]
    async fn a_kept_connection_is_reused_at_once_and_returned_to_the_pool_when_idle() {
        let (pool, mut recent) = two();
        recent.within = Duration::from_secs(3600);
        recent.keep(pool.acquire().await.unwrap());
        assert_eq!((pool.size(), pool.num_idle()), (1, 0));
        recent.keep(recent.take().unwrap());
        recent.within = Duration::ZERO;
        assert!(recent.take().is_none() && recent.lock().connections.is_empty());
        drop(pool.acquire().await.unwrap());
        assert!(pool.size() <= 2);
    }

    #[tokio::test]
    async fn an_unused_kept_connection_is_returned_to_the_pool() {
        let (pool, recent) = two();
        for _ in 0..2 {
            recent.keep(pool.acquire().await.unwrap());
            assert_eq!((pool.size(), pool.num_idle()), (1, 0));
            let returned = async {
                while pool.num_idle() == 0 {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(10), returned).await.unwrap();
            assert!(recent.lock().connections.is_empty());
        }
    }

    #[tokio::test]
    async fn the_last_connection_of_a_full_pool_goes_to_a_waiting_task() {
        let (pool, mut recent) = two();
        recent.within = Duration::from_secs(3600);
        let (one, other) = (pool.acquire().await.unwrap(), pool.acquire().await.unwrap());
        let waiting = tokio::spawn({
            let pool = pool.clone();
            async move { pool.acquire().await.unwrap() }
        });
        recent.keep(one);
        assert!(recent.take().is_none());
        drop(waiting.await.unwrap());
        drop(other);
    }

    #[tokio::test]
    async fn a_pool_can_be_closed_while_connections_are_kept() {
        let (pool, recent) = two();
        recent.keep(pool.acquire().await.unwrap());
        let late = pool.acquire().await.unwrap();
        recent.close();
        recent.keep(late);
        assert!(recent.take().is_none());
        pool.close().await;
    }

    #[test]
    fn kept_connections_can_be_dropped_outside_the_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let recent = runtime.block_on(async {
            let (pool, recent) = two();
            recent.keep(pool.acquire().await.unwrap());
            recent
        });
        drop(runtime);
        drop(recent);
    }
}
