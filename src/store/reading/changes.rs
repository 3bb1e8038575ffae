//! What the store reads about a span of a topic's runs; see `model::changes`. What changed in it is `insight`'s to say.

use crate::model::{Between, Edit, FirstSight, Growth, LastSight, Pulse, Question, Snapshots, Source, Span, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// The last place in the reading order that a topic's run took before an instant; 0 when none did.
    pub async fn seq_before(&self, topic: &str, at: Time) -> Result<i64, StoreError> {
        read!(self, changes::seq_before(topic, at))
    }

    /// The last place in the reading order that a topic's run took before all of those that began at an instant or later; 0
    /// when none did.
    pub async fn seq_since(&self, topic: &str, at: Time) -> Result<i64, StoreError> {
        read!(self, changes::seq_since(topic, at))
    }

    /// The searches of a span, and some before it to compare with.
    pub async fn snapshots(&self, topic: &str, between: Between) -> Result<Snapshots, StoreError> {
        read!(self, changes::snapshots(topic, between))
    }

    /// When a topic was asked something else than before, in a span, in time.
    pub async fn asked_anew(&self, topic: &str, span: Span) -> Result<Vec<Time>, StoreError> {
        read!(self, changes::asked_anew(topic, span))
    }

    /// Whether a question was answered for a topic before a place in the reading order.
    pub async fn asked_before(&self, topic: &str, question: &Question, seq: i64) -> Result<bool, StoreError> {
        read!(self, changes::asked_before(topic, question, seq))
    }

    /// Items that a topic saw first in a span, the latest first.
    pub async fn first_sights(&self, topic: &str, between: Between) -> Result<Vec<FirstSight>, StoreError> {
        read!(self, sights::first(topic, between))
    }

    /// Items that a run of the span saw before its last one, published since an instant, by key.
    pub async fn last_sights(
        &self,
        topic: &str,
        between: Between,
        published_since: Time,
    ) -> Result<Vec<LastSight>, StoreError> {
        read!(self, sights::last(topic, between, published_since))
    }

    /// Items of a topic whose words changed in a span, the latest first; `alone` those that the topic itself saw before and
    /// after.
    pub async fn edits(&self, topic: &str, between: Between, alone: bool) -> Result<Vec<Edit>, StoreError> {
        read!(self, sights::edited(topic, between, alone))
    }

    /// Items that a source showed twice in a span and whose reactions grew.
    pub async fn growths(&self, topic: &str, between: Between) -> Result<Vec<Growth>, StoreError> {
        read!(self, sights::grown(topic, between))
    }

    /// What a source of these topics gave over their latest runs, so many of each topic.
    pub async fn pulses(&self, topics: &[String], source: Source, runs: u32) -> Result<Vec<Pulse>, StoreError> {
        read!(self, pulse::pulses(topics, source, runs))
    }
}
