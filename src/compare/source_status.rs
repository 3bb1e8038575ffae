//! How the sources of a topic stand, each in a word, for pages, the API and MCP alike. How it is shown is theirs.

use std::collections::BTreeMap;

use crate::insight::Illness;
use crate::model::{SearchRow, SearchState, Source, Topic, TopicCard};
use crate::store::{Store, StoreError};

/// Words for how a source stands, the API's spelling.
pub const STATES: [&str; 7] = ["ok", "failing", "over_quota", "silent", "stale", "not_asked", "unknown"];

/// How one source stands.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SourceStatus<'a> {
    pub source: Source,
    /// One of [`STATES`].
    pub state: &'static str,
    /// What went wrong, where something did.
    pub error_class: Option<&'a str>,
}

/// What is known of the sources of some topics.
#[derive(Debug)]
pub struct SourceHistory {
    ill: Vec<Illness>,
    /// Of each topic's last run.
    searches: BTreeMap<String, Vec<SearchRow>>,
}

impl SourceHistory {
    /// Reads the searches of their last runs; `ill` is what is known to be ill of them.
    pub async fn of(store: &Store, cards: &[TopicCard], ill: Vec<Illness>) -> Result<Self, StoreError> {
        let last: Vec<String> = cards.iter().filter_map(|card| Some(card.last_run.as_ref()?.run.clone())).collect();
        let mut searches: BTreeMap<String, Vec<SearchRow>> = BTreeMap::new();
        for search in store.searches(&last).await? {
            searches.entry(search.run.clone()).or_default().push(search);
        }
        Ok(Self { ill, searches })
    }

    /// Whether a search of the topic's last run returned as much as it could: there may be more than was counted.
    #[must_use]
    pub fn is_full(&self, card: &TopicCard) -> bool {
        let searches = card.last_run.as_ref().and_then(|run| self.searches.get(&run.run));
        searches.is_some_and(|searches| searches.iter().any(|search| search.saturated))
    }

    /// Each source of a topic that is on.
    #[must_use]
    pub fn standing(&self, card: &TopicCard) -> Vec<SourceStatus<'_>> {
        let searches = card.last_run.as_ref().and_then(|run| self.searches.get(&run.run));
        standing(card, searches.map_or(&[], Vec::as_slice), &self.ill)
    }
}

/// By the searches of the last run and by what is known to be ill.
fn standing<'a>(card: &TopicCard, searches: &'a [SearchRow], ill: &[Illness]) -> Vec<SourceStatus<'a>> {
    let on = card.definition.as_ref().map(Topic::sources).unwrap_or_default();
    let one = |source: Source| {
        let last = searches.iter().rfind(|search| search.source == source);
        let sick = ill.iter().find(|ill| ill.topic == card.topic && ill.source == source);
        let state = match (last.map(|search| search.state), sick) {
            (Some(SearchState::Error | SearchState::Lost), _) => "failing",
            (Some(SearchState::OverQuota), _) => "over_quota",
            (_, Some(ill)) => ill.state.as_str(),
            (Some(SearchState::Ok | SearchState::Empty), None) => "ok",
            (Some(SearchState::NotRun), None) => "not_asked",
            _ => "unknown",
        };
        SourceStatus { source, state, error_class: last.and_then(|search| search.error_class.as_deref()) }
    };
    on.into_iter().map(one).collect()
}
