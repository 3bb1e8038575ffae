//! The record of writes that the disk refused and that have not succeeded since.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::store::{StoreError, StoreErrorKind};

/// How long a refused write counts on SQLite, if the same write was not tried again although the disk has room.
pub(in crate::store) const REMEMBERED_BESIDE_ROOM: Duration = Duration::from_secs(60);
/// How long a refused write counts on a server, whose disk cannot be tested from here.
pub(in crate::store) const REMEMBERED: Duration = Duration::from_secs(600);

/// Writes that the disk refused and that have not succeeded since.
#[derive(Debug, Default)]
pub(in crate::store) struct RefusedWrites {
    refused: Mutex<Vec<(&'static str, Instant, StoreError)>>,
}

impl RefusedWrites {
    /// Records the result of a write.
    pub(in crate::store) fn record<T>(&self, write: &'static str, done: &Result<T, StoreError>) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        match done {
            Err(error) if error.kind == StoreErrorKind::Unwritable => {
                refused.retain(|(known, ..)| *known != write);
                refused.push((write, Instant::now(), error.clone()));
            }
            // A busy database shows nothing about its disk.
            Err(_) => {}
            Ok(_) if refused.is_empty() => {}
            Ok(_) => refused.retain(|(known, ..)| *known != write),
        }
    }

    pub(in crate::store) fn last_refused(&self, within: Duration) -> Result<(), StoreError> {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.retain(|(_, at, _)| at.elapsed() < within);
        refused.last().map_or(Ok(()), |(.., error)| Err(error.clone()))
    }
}
