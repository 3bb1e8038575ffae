//! What people mark items as, for a topic: good, noise, or nothing again. What is learned from it is not kept.

use crate::model::{MarkRow, Marked, Through, Time, Verdict};
use crate::store::{Store, StoreError};

impl Store {
    /// Marks items of a topic by any of their keys, or takes their marks away: all of them, or none where the topic knows
    /// one of them not.
    pub async fn mark(
        &self,
        topic: &str,
        keys: &[String],
        mark: Option<Verdict>,
        through: Through,
        now: Time,
    ) -> Result<Vec<Marked>, StoreError> {
        asked_tx!(self, marks::mark(topic, keys, mark, through, now))
    }

    /// How many items of each topic are marked, by topic.
    pub async fn many_marked(&self) -> Result<Vec<(String, i64)>, StoreError> {
        read!(self, marks::many())
    }

    /// Marks of a topic, those set last first, behind a place: when that one was set, and the key of its item.
    pub async fn marks_set(
        &self,
        topic: &str,
        after: Option<&(Time, String)>,
        limit: u32,
    ) -> Result<Vec<MarkRow>, StoreError> {
        read!(self, marks::set(topic, after, i64::from(limit)))
    }

    /// Public keys of a topic's items that are marked as one or as the other, those marked last first.
    pub async fn marked_keys(&self, topic: &str, mark: Option<Verdict>, most: i64) -> Result<Vec<String>, StoreError> {
        read!(self, marks::keys(topic, mark, most))
    }
}
