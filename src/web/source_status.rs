//! How the sources of a topic stand, each in a word, for pages and for the API alike. How it is shown is theirs.

use std::collections::BTreeMap;

use super::site::Site;
use crate::insight::Illness;
use crate::model::{SearchRow, SearchState, Source, Topic, TopicCard};
use crate::store::StoreError;

/// Words for how a source stands, the API's spelling.
pub(super) const STATES: [&str; 7] = ["ok", "failing", "over_quota", "silent", "stale", "not_asked", "unknown"];

pub(super) struct SourceStatus<'a> {
    pub(super) source: Source,
    /// One of [`STATES`].
    pub(super) state: &'static str,
    /// What went wrong, where something did.
    pub(super) error_class: Option<&'a str>,
}

/// What is known of the sources of some topics.
pub(super) struct SourceHistory {
    ill: Vec<Illness>,
    /// Of each topic's last run.
    searches: BTreeMap<String, Vec<SearchRow>>,
}

impl SourceHistory {
    pub(super) async fn of(site: &Site, cards: &[TopicCard]) -> Result<Self, StoreError> {
        let store = &site.store;
        let ill = site.judged.of(store, cards, site.now()).await?;
        let last: Vec<String> = cards.iter().filter_map(|card| Some(card.last_run.as_ref()?.run.clone())).collect();
        let mut searches: BTreeMap<String, Vec<SearchRow>> = BTreeMap::new();
        for search in store.searches(&last).await? {
            searches.entry(search.run.clone()).or_default().push(search);
        }
        Ok(Self { ill, searches })
    }

    /// Each source of a topic that is on.
    pub(super) fn standing(&self, card: &TopicCard) -> Vec<SourceStatus<'_>> {
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
