//! The resources of exports: connections of their own, a limited number of exports at a time, and a way to stop them.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::store::Store;

/// Maximum number of exports at a time.
pub(in crate::web) const AT_ONCE: usize = 2;

/// The store and the permits of exports, and how to stop them.
#[derive(Debug)]
pub(in crate::web) struct ExportPool {
    pub(in crate::web) store: Store,
    pub(in crate::web) places: Arc<Semaphore>,
    pub(in crate::web) stop: CancellationToken,
}

impl ExportPool {
    pub(in crate::web) fn through(store: Store) -> Self {
        Self { store, places: Arc::new(Semaphore::new(AT_ONCE)), stop: CancellationToken::new() }
    }

    /// Ends exports under way. Their connections break, so that nobody takes one for complete.
    pub(in crate::web) fn stop(&self) {
        self.stop.cancel();
    }

    /// Closes the connections of exports.
    pub(in crate::web) async fn close(&self) {
        self.store.close().await;
    }
}
