//! Connections that a statement has just used, lent again at once. The pool pings each one that is returned; whoever
//! wants one meanwhile would wait for the ping, or open another. A connection that failed, was abandoned or was not used
//! for a moment is returned to the pool, which tests it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Pool;
use sqlx::pool::PoolConnection;

/// How long a connection is lent again without a test.
const RECENT: Duration = Duration::from_millis(100);

/// The connections of one pool that were used last.
pub(in crate::store) struct RecentConnections<DB: sqlx::Database> {
    pool: Pool<DB>,
    held: Arc<Mutex<Held<DB>>>,
}

struct Held<DB: sqlx::Database> {
    /// Those used last are at the end.
    connections: Vec<(PoolConnection<DB>, Instant)>,
    closed: bool,
}

impl<DB: sqlx::Database> RecentConnections<DB> {
    pub(in crate::store) fn of(pool: Pool<DB>) -> Self {
        Self { pool, held: Arc::new(Mutex::new(Held { connections: Vec::new(), closed: false })) }
    }

    fn lock(&self) -> MutexGuard<'_, Held<DB>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the connection that was used last, if that was a moment ago.
    pub(in crate::store) fn take(&self) -> Option<PoolConnection<DB>> {
        let mut held = self.lock();
        let idle = held.connections.partition_point(|(_, used)| used.elapsed() >= RECENT);
        let idle: Vec<_> = held.connections.drain(..idle).collect();
        let last = held.connections.pop().map(|(connection, _)| connection);
        drop(held);
        drop(idle);
        last
    }

    /// Keeps a connection whose last statement succeeded, outside any transaction.
    pub(in crate::store) fn keep(&self, connection: PoolConnection<DB>) {
        let most = self.pool.options().get_max_connections();
        let mut held = self.lock();
        // Somebody may be waiting for the pool to get its last connection back.
        if !held.closed && (self.pool.size() < most || self.pool.num_idle() > 0) {
            held.connections.push((connection, Instant::now()));
        }
    }

    /// Returns all to the pool, also those that are kept later: the pool is about to be closed.
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
        Self { pool: self.pool.clone(), held: Arc::clone(&self.held) }
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
