//! Makes what was found findable by its words: items that wait are indexed in bounded steps, each whole. What is left
//! undone when a process ends is done by the next, and so is a database of before there was an index.

use crate::normalise::words;
use crate::store::{Store, StoreError};

/// Indexes every item that waits, until there is none left or `enough`, asked with the number of those done, says so.
pub async fn index_words(store: &Store, enough: &(dyn Fn(u64) -> bool + Send + Sync)) -> Result<u64, StoreError> {
    store.index_waiting((words::VERSION, words::tokens), enough).await
}
