//! Makes what was found findable by its words: items that wait are indexed in bounded steps, each whole. What is left
//! undone when a process ends is done by the next, and so is a database of before there was an index.

use crate::normalise::words;
use crate::store::{Store, StoreError};

/// Items that are indexed in one transaction: some milliseconds of everybody else's waiting.
const AT_ONCE: u32 = 500;

/// Indexes every item that waits, until there is none left or `enough`, asked with the number of those done, says so.
pub async fn index_words(store: &Store, enough: &(dyn Fn(u64) -> bool + Send + Sync)) -> Result<u64, StoreError> {
    store.renew_words(words::VERSION).await?;
    let mut done = 0;
    while !enough(done) {
        let more = store.index_words(words::tokens, AT_ONCE).await?;
        if more == 0 {
            break;
        }
        done += more;
    }
    Ok(done)
}
