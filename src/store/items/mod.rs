//! The findings of runs: items, each stored once, and their sightings. `reading` reads them.

pub(in crate::store) mod commit_queue;
pub(in crate::store) mod group_commit;
pub(in crate::store) mod queue;
pub(in crate::store) mod replay;
pub(in crate::store) mod replayed_run;
pub(in crate::store) mod rescore_result;
pub(in crate::store) mod stored_reply;
pub(in crate::store) mod tone;

use crate::model::{QueryHistory, Question, Remembered, Source, Span, Time};
use crate::store::{Store, StoreError};

impl Store {
    /// Returns whether the topic got an answer in a span, other than by a backfill.
    pub async fn answered_in(&self, topic: &str, span: Span) -> Result<bool, StoreError> {
        read!(self, snapshot::answered_in(topic, span))
    }

    /// Returns until when a source of a topic is covered, or was searched as well as possible, at most `now`.
    pub async fn covered_until(&self, topic: &str, source: Source, now: Time) -> Result<Option<Time>, StoreError> {
        read!(self, search_history::covered_until(topic, source, now))
    }

    /// Returns the state that the topic's earlier searches of a provider stored (`Remembered`).
    pub async fn provider_memory(&self, topic: &str, source: Source) -> Result<Vec<Remembered>, StoreError> {
        read!(self, memory::provider_memory(topic, source))
    }

    /// Returns the history of a topic's query up to `now`: reply sizes, and the posts of a span that it showed.
    pub async fn query_history(
        &self,
        topic: &str,
        question: &Question,
        span: Span,
        now: Time,
    ) -> Result<QueryHistory, StoreError> {
        read!(self, recall::query_history(topic, question, span, now))
    }
}
