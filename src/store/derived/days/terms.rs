//! Stored term counts of topics' days. `collect` does the counting and knows the days; `insight` defines the encoding.

use crate::model::{Span, Time};
use crate::store::{Store, StoreError, StoredTerms};

impl Store {
    /// Returns the number of the last run whose days were counted.
    pub async fn terms_progress(&self) -> Result<i64, StoreError> {
        read!(self, day_terms::progress())
    }

    /// Records that the days of runs up to a number are counted. Returns false if another process was first.
    pub async fn advance_terms(&self, from: i64, to: i64) -> Result<bool, StoreError> {
        write_tx!(self, day_terms::advance(from, to))
    }

    /// Returns the `basis` of each of the topics' days since an instant.
    pub async fn term_bases(&self, topics: &[String], from: Time) -> Result<Vec<(String, Span, Vec<u8>)>, StoreError> {
        read!(self, day_terms::bases(topics, from))
    }

    /// Stores days of topics, replacing the old ones.
    pub async fn store_terms(&self, days: &[(String, StoredTerms)], now: Time) -> Result<(), StoreError> {
        write_tx!(self, day_terms::store_terms(days, now))
    }
}
