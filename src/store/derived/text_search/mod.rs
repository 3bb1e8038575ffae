//! Full-text search: items that wait for the index, and finding items by their words. The caller defines tokens and
//! builds queries.

pub(in crate::store) mod rows;

use crate::model::Tokenise;
use crate::store::{Filter, FoundItem, SearchCursor, Store, StoreError};

/// Items indexed in one transaction; takes a few milliseconds, during which other writers wait.
const AT_ONCE: u32 = 500;

impl Store {
    /// Returns the number of items that wait for the index. Until indexed, they are found by their old words or not at
    /// all.
    pub async fn index_backlog(&self) -> Result<i64, StoreError> {
        read!(self, word_index::waiting())
    }

    /// Returns how many of these a topic knows.
    pub async fn words_waiting_of(&self, topic: &str) -> Result<i64, StoreError> {
        read!(self, word_index::waiting_of(topic))
    }

    /// Switches to these tokenizing rules. If older rules or none were in force, every item must be indexed again.
    pub async fn set_tokenizer_version(&self, version: i64) -> Result<(), StoreError> {
        if read!(self, word_index::version())?.is_some_and(|current| current >= version) {
            return Ok(());
        }
        write_tx!(self, word_index::renew(version))
    }

    /// Indexes up to `limit` waiting items in one transaction. Returns how many.
    pub async fn index_words(&self, tokenise: Tokenise, limit: u32) -> Result<u64, StoreError> {
        if !read!(self, word_index::any_waiting())? {
            return Ok(0);
        }
        write_tx!(self, word_index::index(tokenise, i64::from(limit)))
    }

    /// Indexes all waiting items by these rules, a few at a time, until none is left or `enough` returns true for the
    /// number of items done.
    pub async fn index_waiting(
        &self,
        (version, tokenise): (i64, Tokenise),
        enough: &(dyn Fn(u64) -> bool + Send + Sync),
    ) -> Result<u64, StoreError> {
        self.set_tokenizer_version(version).await?;
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

    /// Removes deleted words from the index on disk, too, as far as the database allows. This rewrites the index: only
    /// for erasure.
    pub async fn rebuild_word_index(&self) -> Result<(), StoreError> {
        write_tx!(self, word_index::rebuild())
    }

    /// Returns items that match a filter: those of the latest runs first, then by topic and key.
    pub async fn search_items(
        &self,
        filter: &Filter,
        after: Option<&SearchCursor>,
        limit: u32,
    ) -> Result<Vec<FoundItem>, StoreError> {
        read!(self, status_and_runs::search_items(filter, after, i64::from(limit)))
    }
}
