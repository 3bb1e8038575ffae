//! Makes items searchable by their words: waiting items are indexed in bounded, atomic steps. If a process stops
//! midway, the next one continues. A database older than the index is filled in the same way.

use crate::normalise::words;
use crate::store::{Store, StoreError};

/// Indexes every waiting item, until none is left or `enough`, called with the number done, returns true.
pub async fn index_words(store: &Store, enough: &(dyn Fn(u64) -> bool + Send + Sync)) -> Result<u64, StoreError> {
    store.index_waiting((words::VERSION, words::tokens), enough).await
}
