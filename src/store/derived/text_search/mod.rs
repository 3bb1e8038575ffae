//! Full-text search: items that wait for the index, and finding items by their words. The caller defines tokens and
//! builds queries.

pub(in crate::store) mod rows;

use crate::model::Tokenise;
use crate::store::{Filter, FoundItem, SearchCursor, Store, StoreError, StoreErrorKind};

/// Items indexed in one transaction; takes a few milliseconds, during which other writers wait.
const AT_ONCE: u32 = 500;

impl Store {
    /// Returns the number of items that wait to be indexed by these rules. Until indexed, they are found by their old
    /// words or not at all.
    pub async fn index_backlog(&self, rules: i64) -> Result<i64, StoreError> {
        read!(self, word_index::waiting(rules))
    }

    /// Returns how many of these a topic knows.
    pub async fn words_waiting_of(&self, topic: &str, rules: i64) -> Result<i64, StoreError> {
        read!(self, word_index::waiting_of(topic, rules))
    }

    /// Switches to these tokenizing rules. If older rules or none were in force, every item must be indexed again. An
    /// error if newer ones are: items indexed by two rules would not be found by the same words.
    pub async fn set_tokenizer_version(&self, version: i64) -> Result<(), StoreError> {
        match read!(self, word_index::version())? {
            Some(current) if current == version => Ok(()),
            Some(current) if current > version => Err(StoreError::new(
                StoreErrorKind::Newer,
                format!("a newer topicwatch has indexed the words of {}", self.location()),
                "upgrade topicwatch, or restore the backup made before the upgrade; new items wait for the newer program",
            )),
            _ => write_tx!(self, word_index::renew(version)),
        }
    }

    /// Indexes up to `limit` waiting items by these rules in one transaction. Returns how many.
    pub async fn index_words(&self, (rules, tokenise): (i64, Tokenise), limit: u32) -> Result<u64, StoreError> {
        if !read!(self, word_index::any_waiting())? {
            return Ok(0);
        }
        write_tx!(self, word_index::index(rules, tokenise, i64::from(limit)))
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
            let more = self.index_words((version, tokenise), AT_ONCE).await?;
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
