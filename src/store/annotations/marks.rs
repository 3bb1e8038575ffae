//! Marks that people give items for a topic: good, noise, or none. What is learned from them is not stored.

use crate::model::{Mark, MarkChange, MarkRow, NewMark, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Marks items of a topic by any of their keys, or removes their marks. All or none: fails if the topic does not
    /// know one of them.
    pub async fn mark(
        &self,
        topic: &str,
        keys: &[String],
        new: NewMark,
        now: Time,
    ) -> Result<Vec<MarkChange>, StoreError> {
        asked_tx!(self, marks::mark(topic, keys, new, now))
    }

    /// Returns the number of marked items of each topic, by topic.
    pub async fn marked_counts(&self) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, marks::counts())
    }

    /// Returns the marks of a topic after a place (time of the mark and key of its item), the latest first.
    pub async fn list_marks(
        &self,
        topic: &str,
        after: Option<&(Time, String)>,
        limit: u32,
    ) -> Result<Vec<MarkRow>, StoreError> {
        read!(self, marks::set(topic, after, i64::from(limit)))
    }

    /// Returns public keys of a topic's items with this mark, or with any, those marked last first.
    pub async fn marked_keys(&self, topic: &str, mark: Option<Mark>, most: i64) -> Result<Vec<String>, StoreError> {
        read!(self, marks::keys(topic, mark, most))
    }
}
