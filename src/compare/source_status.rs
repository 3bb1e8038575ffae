//! The status of each source of a topic in one word, for pages, the API and MCP.

use std::collections::BTreeMap;

use crate::insight::SourceSilence;
use crate::model::{SearchRow, SearchState, Source, Topic, TopicCard};
use crate::store::{Store, StoreError};

/// The states of a source, as the API spells them.
pub const STATES: [&str; 8] = ["ok", "failing", "over_quota", "silent", "stale", "empty_reply", "not_asked", "unknown"];

/// The status of one source.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SourceStatus<'a> {
    pub source: Source,
    /// One of [`STATES`].
    pub state: &'static str,
    /// The kind of error, if there was one.
    pub error_class: Option<&'a str>,
}

/// The status of the sources of some topics.
#[derive(Debug)]
pub struct SourceHistory {
    silences: Vec<SourceSilence>,
    /// The searches of each topic's last run, by run.
    searches: BTreeMap<String, Vec<SearchRow>>,
}

impl SourceHistory {
    /// Reads the searches of the last runs. `silences` are the known silent and stale sources.
    pub async fn of(store: &Store, cards: &[TopicCard], silences: Vec<SourceSilence>) -> Result<Self, StoreError> {
        let last: Vec<String> = cards.iter().filter_map(|card| Some(card.last_run.as_ref()?.run.clone())).collect();
        let mut searches: BTreeMap<String, Vec<SearchRow>> = BTreeMap::new();
        for search in store.searches(&last).await? {
            searches.entry(search.run.clone()).or_default().push(search);
        }
        Ok(Self { silences, searches })
    }

    /// Whether a search of the topic's last run returned as many items as it could, or nothing in error, so that there may
    /// be more.
    #[must_use]
    pub fn is_full(&self, card: &TopicCard) -> bool {
        let searches = card.last_run.as_ref().and_then(|run| self.searches.get(&run.run));
        searches.is_some_and(|searches| searches.iter().any(SearchRow::may_be_more))
    }

    /// The status of each source that is on in a topic.
    #[must_use]
    pub fn statuses(&self, card: &TopicCard) -> Vec<SourceStatus<'_>> {
        let searches = card.last_run.as_ref().and_then(|run| self.searches.get(&run.run));
        statuses_of(card, searches.map_or(&[], Vec::as_slice), &self.silences)
    }
}

/// Works out the status from the searches of the last run and the known silences.
fn statuses_of<'a>(card: &TopicCard, searches: &'a [SearchRow], silences: &[SourceSilence]) -> Vec<SourceStatus<'a>> {
    let sources = card.definition.as_ref().map(Topic::sources).unwrap_or_default();
    let status_of = |source: Source| {
        let last = searches.iter().rfind(|search| search.source == source);
        let silence = silences.iter().find(|silence| silence.topic == card.topic && silence.source == source);
        let state = match (last.map(|search| search.state), silence) {
            (Some(SearchState::Error | SearchState::Lost), _) => "failing",
            (Some(SearchState::OverQuota), _) => "over_quota",
            (_, Some(silence)) => silence.state.as_str(),
            // The empty reply proves nothing: posts of that time are known or certain.
            (_, None) if last.is_some_and(|search| search.empty_in_error) => "empty_reply",
            (Some(SearchState::Ok | SearchState::Empty), None) => "ok",
            (Some(SearchState::NotRun), None) => "not_asked",
            _ => "unknown",
        };
        SourceStatus { source, state, error_class: last.and_then(|search| search.error_class.as_deref()) }
    };
    sources.into_iter().map(status_of).collect()
}
