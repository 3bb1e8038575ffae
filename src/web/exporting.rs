//! What exports are read through: connections of their own, few at a time, and how they are stopped.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::store::Store;

/// Exports at a time.
pub(super) const AT_ONCE: usize = 2;

/// What exports are read through.
#[derive(Debug)]
pub(super) struct Exporting {
    pub(super) store: Store,
    pub(super) places: Arc<Semaphore>,
    pub(super) stop: CancellationToken,
}

impl Exporting {
    pub(super) fn through(store: Store) -> Self {
        Self { store, places: Arc::new(Semaphore::new(AT_ONCE)), stop: CancellationToken::new() }
    }

    /// Ends those under way: their connections break, and nobody takes one for whole.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    /// Closes what they were read through.
    pub(super) async fn close(&self) {
        self.store.close().await;
    }
}
