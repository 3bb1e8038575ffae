//! Stores the runs of a worker pool in the order in which they began, if asked to. `--at` needs this: all runs end at
//! the same instant, and the output must be reproducible. Nothing else waits for a turn.

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};

/// Hands out turns, one after another.
#[derive(Debug)]
pub(in crate::collect) struct CommitOrder(Mutex<CancellationToken>);

/// The turn of one run. The next turn comes when it is dropped, however its run ended.
#[derive(Debug, Default)]
pub(in crate::collect) struct CommitTurn {
    before: Option<CancellationToken>,
    _over: Option<DropGuard>,
}

impl CommitOrder {
    /// Creates turns; the first one does not wait.
    pub(in crate::collect) fn new() -> Self {
        let nobody = CancellationToken::new();
        nobody.cancel();
        Self(Mutex::new(nobody))
    }

    /// Returns the turn after the last one taken.
    pub(in crate::collect) fn take(&self) -> CommitTurn {
        let over = CancellationToken::new();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *last, over.clone());
        CommitTurn { before: Some(before), _over: Some(over.drop_guard()) }
    }
}

impl CommitTurn {
    /// Waits until the turn before is over. A run without a turn does not wait.
    pub(in crate::collect) async fn wait(&self) {
        if let Some(before) = &self.before {
            before.cancelled().await;
        }
    }
}
