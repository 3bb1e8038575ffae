//! Searching in what was found: which items wait for the index, and items by their words. What a token is, and what a
//! question asks for, is the caller's.

pub(in crate::store) mod rows;

use crate::model::Tokenise;
use crate::store::{After, Filter, FoundItem, Store, StoreError};

/// Items that are indexed in one transaction: some milliseconds of everybody else's waiting.
const AT_ONCE: u32 = 500;

impl Store {
    /// How many items wait for the index; without it the searched words of these are unknown, or those of before.
    pub async fn words_waiting(&self) -> Result<i64, StoreError> {
        read!(self, words::waiting())
    }

    /// How many of these a topic knows.
    pub async fn words_waiting_of(&self, topic: &str) -> Result<i64, StoreError> {
        read!(self, words::waiting_of(topic))
    }

    /// From now on these rules: where older ones were in force, or none, every item waits to be indexed.
    pub async fn renew_words(&self, version: i64) -> Result<(), StoreError> {
        if read!(self, words::version())?.is_some_and(|held| held >= version) {
            return Ok(());
        }
        write_tx!(self, words::renew(version))
    }

    /// Indexes up to `limit` items that wait, in one transaction; returns how many.
    pub async fn index_words(&self, tokenise: Tokenise, limit: u32) -> Result<u64, StoreError> {
        if !read!(self, words::any_waiting())? {
            return Ok(0);
        }
        write_tx!(self, words::index(tokenise, i64::from(limit)))
    }

    /// Indexes every item that waits by these rules, a few at a time, until there is none left or `enough`, asked with the
    /// number of those done, says so.
    pub async fn index_waiting(
        &self,
        (version, tokenise): (i64, Tokenise),
        enough: &(dyn Fn(u64) -> bool + Send + Sync),
    ) -> Result<u64, StoreError> {
        self.renew_words(version).await?;
        let mut done = 0;
        while !enough(done) {
            let more = self.index_words(tokenise, AT_ONCE).await?;
            if more == 0 {
                break;
            }
            done += more;
        }
        Ok(done)
    }

    /// Makes words that were taken out of the index leave the disk too, as far as the database lets them. It is written
    /// anew for that: for erasure, not for every day.
    pub async fn scour_words(&self) -> Result<(), StoreError> {
        write_tx!(self, words::scour())
    }

    /// Items of a filter, those of the latest runs first, then by topic and key.
    pub async fn found(
        &self,
        filter: &Filter,
        after: Option<&After>,
        limit: u32,
    ) -> Result<Vec<FoundItem>, StoreError> {
        read!(self, report::found(filter, after, i64::from(limit)))
    }
}
