//! Reads about a span of a topic's runs; see `model::items::changes`. `insight` decides what changed.

use crate::model::{
    Edit, FirstSighting, Growth, LastSighting, Question, SeqRange, Snapshots, Source, SourceActivity, Span, Time,
};
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

    /// Returns the public id of a topic's last run up to a place in the reading order, and when it searched; `None` if
    /// there is none. The searches of that run may have been pruned.
    pub async fn run_before(&self, topic: &str, seq: i64) -> Result<Option<(String, Time)>, StoreError> {
        read!(self, changes::run_before(topic, seq))
    }

    /// Returns the searches of a span, and some before it for comparison.
    pub async fn snapshots(&self, topic: &str, between: SeqRange) -> Result<Snapshots, StoreError> {
        read!(self, changes::snapshots(topic, between))
    }

    /// Returns when a topic's query changed within a span, in order of time.
    pub async fn query_changes(&self, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
        read!(self, changes::query_changes(topic, span))
    }

    /// Returns whether a query was answered for a topic before a place in the reading order.
    pub async fn was_answered_before(&self, topic: &str, question: &Question, seq: i64) -> Result<bool, StoreError> {
        read!(self, changes::asked_before(topic, question, seq))
    }

    /// Returns items that a topic first saw in a span, the latest first.
    pub async fn new_items(&self, topic: &str, between: SeqRange) -> Result<Vec<FirstSighting>, StoreError> {
        read!(self, item_changes::first(topic, between))
    }

    /// Returns items that a run of the span before its last one saw, published since an instant, by key.
    pub async fn lost_items(
        &self,
        topic: &str,
        between: SeqRange,
        published_since: Time,
    ) -> Result<Vec<LastSighting>, StoreError> {
        read!(self, item_changes::last(topic, between, published_since))
    }

    /// Returns items of a topic whose words changed in a span, the latest first. With `alone`, only changes for which
    /// the topic itself saw the item before and after.
    pub async fn edits(&self, topic: &str, between: SeqRange, alone: bool) -> Result<Vec<Edit>, StoreError> {
        read!(self, item_changes::edited(topic, between, alone))
    }

    /// Returns items that a source showed twice in a span with growing engagement.
    pub async fn engagement_growth(
        &self,
        topic: &str,
        between: SeqRange,
        source: Option<Source>,
    ) -> Result<Vec<Growth>, StoreError> {
        read!(self, item_changes::grown(topic, between, source))
    }

    /// Returns what a source returned in the latest `runs` runs of each of these topics.
    pub async fn source_activity(
        &self,
        topics: &[String],
        source: Source,
        runs: u32,
    ) -> Result<Vec<SourceActivity>, StoreError> {
        read!(self, pulse::source_activity(topics, source, runs))
    }
}
