//! What exports are read through: connections of their own, a limited number of exports at a time, and a way to stop
//! them.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::store::Store;

/// Maximum number of exports at a time.
pub(super) const AT_ONCE: usize = 2;

/// The store and the permits of exports, and how to stop them.
#[derive(Debug)]
pub(super) struct ExportPool {
    pub(super) store: Store,
    pub(super) places: Arc<Semaphore>,
    pub(super) stop: CancellationToken,
}

impl ExportPool {
    pub(super) fn through(store: Store) -> Self {
        Self { store, places: Arc::new(Semaphore::new(AT_ONCE)), stop: CancellationToken::new() }
    }

    /// Ends exports under way. Their connections break, so that nobody takes one for complete.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Closes the connections of exports.
    pub(super) async fn close(&self) {
        self.store.close().await;
    }
}
