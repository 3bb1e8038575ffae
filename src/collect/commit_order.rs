//! The order in which a worker pool's runs are stored when it is told to keep one: that in which they began. A rehearsal needs
//! it, since all its runs end at one instant and it must give the same bytes each time. Nothing else waits for a turn.

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};

/// Hands out turns, one after the other.
#[derive(Debug)]
pub(super) struct Turns(Mutex<CancellationToken>);

/// The place of one run; the next one's turn comes when it is dropped, however its run ended.
#[derive(Debug, Default)]
pub(super) struct Turn {
    before: Option<CancellationToken>,
    _over: Option<DropGuard>,
}

impl Turns {
    /// With nobody before the first.
    pub(super) fn new() -> Self {
        let nobody = CancellationToken::new();
        nobody.cancel();
        Self(Mutex::new(nobody))
    }

    /// The turn after the one that was taken last.
    pub(super) fn take(&self) -> Turn {
        let over = CancellationToken::new();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *last, over.clone());
        Turn { before: Some(before), _over: Some(over.drop_guard()) }
    }
}

impl Turn {
    /// Waits until the one before is over; a run without a place in an order does not wait.
    pub(super) async fn come(&self) {
        if let Some(before) = &self.before {
            before.cancelled().await;
        }
    }
}
