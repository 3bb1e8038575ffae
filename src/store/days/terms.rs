//! Terms of topics' days, as they were counted. Who counts, and which days there are, is `collect`'s; what the bytes mean,
//! `insight`'s.

use crate::model::{Span, Time};
use crate::store::{KeptTerms, Store, StoreError};

impl Store {
    /// The number of the last run whose days were counted.
    pub async fn terms_progress(&self) -> Result<i64, StoreError> {
        read!(self, terms_kept::progress())
    }

    /// The days of runs up to a number are counted; false when somebody else was first.
    pub async fn terms_followed(&self, from: i64, to: i64) -> Result<bool, StoreError> {
        write_tx!(self, terms_kept::followed(from, to))
    }

    /// Of topics' days since an instant: what each was counted from.
    pub async fn term_bases(&self, topics: &[String], from: Time) -> Result<Vec<(String, Span, Vec<u8>)>, StoreError> {
        read!(self, terms_kept::bases(topics, from))
    }

    /// Keeps days of a topic in place of what was there.
    pub async fn keep_terms(&self, topic: &str, days: &[KeptTerms], now: Time) -> Result<(), StoreError> {
        write_tx!(self, terms_kept::keep(topic, days, now))
    }
}
