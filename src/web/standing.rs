//! How the sources of a topic stand, each in a word, for pages and for the API alike. How it is shown is theirs.

use crate::insight::Illness;
use crate::model::{SearchRow, SearchState, Source, Topic, TopicCard};

/// Words for how a source stands, the API's spelling.
pub(super) const STATES: [&str; 7] = ["ok", "failing", "over_quota", "silent", "stale", "not_asked", "unknown"];

/// A source.
pub(super) struct Standing<'a> {
    pub(super) source: Source,
    /// One of [`STATES`].
    pub(super) state: &'static str,
    /// What went wrong, where something did.
    pub(super) error_class: Option<&'a str>,
}

/// Each source that is on, by the searches of the last run and by what is known to be ill.
pub(super) fn standing<'a>(card: &TopicCard, searches: &'a [SearchRow], ill: &[Illness]) -> Vec<Standing<'a>> {
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
        Standing { source, state, error_class: last.and_then(|search| search.error_class.as_deref()) }
    };
    on.into_iter().map(one).collect()
}
