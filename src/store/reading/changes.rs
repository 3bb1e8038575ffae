//! Reads about a span of a topic's runs; see `model::changes`. `insight` decides what changed.

use crate::model::{Between, Edit, FirstSight, Growth, LastSight, Pulse, Question, Snapshots, Source, Span, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Returns the last `seq` of a topic's runs that happened before an instant; 0 if there is none.
    pub async fn seq_before(&self, topic: &str, at: Time) -> Result<i64, StoreError> {
        read!(self, changes::seq_before(topic, at))
    }

    /// Returns the last `seq` of a topic's runs before all of those that started at or after an instant; 0 if there is
    /// none.
    pub async fn seq_since(&self, topic: &str, at: Time) -> Result<i64, StoreError> {
        read!(self, changes::seq_since(topic, at))
    }

    /// Returns the searches of a span, and some before it for comparison.
    pub async fn snapshots(&self, topic: &str, between: Between) -> Result<Snapshots, StoreError> {
        read!(self, changes::snapshots(topic, between))
    }

    /// Returns when a topic's query changed within a span, in order of time.
    pub async fn asked_anew(&self, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
        read!(self, changes::asked_anew(topic, span))
    }

    /// Returns whether a query was answered for a topic before a place in the reading order.
    pub async fn asked_before(&self, topic: &str, question: &Question, seq: i64) -> Result<bool, StoreError> {
        read!(self, changes::asked_before(topic, question, seq))
    }

    /// Returns items that a topic first saw in a span, the latest first.
    pub async fn first_sights(&self, topic: &str, between: Between) -> Result<Vec<FirstSight>, StoreError> {
        read!(self, sights::first(topic, between))
    }

    /// Returns items that a run of the span before its last one saw, published since an instant, by key.
    pub async fn last_sights(
        &self,
        topic: &str,
        between: Between,
        published_since: Time,
    ) -> Result<Vec<LastSight>, StoreError> {
        read!(self, sights::last(topic, between, published_since))
    }

    /// Returns items of a topic whose words changed in a span, the latest first. With `alone`, only changes for which
    /// the topic itself saw the item before and after.
    pub async fn edits(&self, topic: &str, between: Between, alone: bool) -> Result<Vec<Edit>, StoreError> {
        read!(self, sights::edited(topic, between, alone))
    }

    /// Returns items that a source showed twice in a span with growing engagement.
    pub async fn growths(&self, topic: &str, between: Between) -> Result<Vec<Growth>, StoreError> {
        read!(self, sights::grown(topic, between))
    }

    /// Returns what a source returned in the latest `runs` runs of each of these topics.
    pub async fn pulses(&self, topics: &[String], source: Source, runs: u32) -> Result<Vec<Pulse>, StoreError> {
        read!(self, pulse::pulses(topics, source, runs))
    }
}
