//! Answers that go on: limits their number, and ends them when the server stops.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Streams at a time; a client that gets none reloads the page.
const MOST: usize = 16;

/// The permits of streams.
#[derive(Debug)]
pub(in crate::web) struct Streams {
    places: Arc<Semaphore>,
    pub(in crate::web) stop: CancellationToken,
}

impl Default for Streams {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(MOST)), stop: CancellationToken::new() }
    }
}

impl Streams {
    /// A permit for one more stream, for as long as it is held.
    pub(in crate::web) fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).try_acquire_owned().ok()
    }

    pub(in crate::web) fn stop(&self) {
        self.stop.cancel();
    }
}
