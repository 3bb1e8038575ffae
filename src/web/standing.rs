//! How the sources of a topic stand, each in a word, for pages and for the API alike. How it is shown is theirs.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::site::Site;
use crate::compare::health;
use crate::insight::Illness;
use crate::model::{SearchRow, SearchState, Source, Time, Topic, TopicCard};
use crate::store::{Store, StoreError};

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

/// How long a judgement holds of a topic that does not run: what is pruned or forgotten changes its history.
const HOLDS: Duration = Duration::from_secs(600);
/// Topics whose judgement is held.
const MOST: usize = 2_000;

/// What is known of the sources of some topics.
pub(super) struct Known {
    ill: Vec<Illness>,
    /// Of each topic's last run.
    searches: BTreeMap<String, Vec<SearchRow>>,
}

/// What is ill of topics, as their last runs left it. To say it a long history is read, which says the same until a topic
/// has run again.
#[derive(Default)]
pub(super) struct Judged(Mutex<HashMap<String, Judgement>>);

struct Judgement {
    /// The topic's last run.
    run: String,
    at: Time,
    ill: Vec<Illness>,
}

impl Judged {
    async fn of(&self, store: &Store, cards: &[TopicCard], now: Time) -> Result<Vec<Illness>, StoreError> {
        let (mut ill, mut others) = (Vec::new(), BTreeMap::new());
        {
            let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for card in cards {
                // Who never ran has no history.
                let Some(last) = &card.last_run else { continue };
                match held.get(&card.topic) {
                    Some(known) if known.run == last.run && known.at <= now && now < known.at.plus(HOLDS) => {
                        ill.extend(known.ill.iter().cloned());
                    }
                    _ => drop(others.insert(card.topic.clone(), last.run.clone())),
                }
            }
        }
        if others.is_empty() {
            return Ok(ill);
        }
        let found = health(store, &others.keys().cloned().collect::<Vec<_>>()).await?.ill;
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() + others.len() > MOST {
            held.clear();
        }
        for (topic, run) in others {
            let ill = found.iter().filter(|ill| ill.topic == topic).cloned().collect();
            held.insert(topic, Judgement { run, at: now, ill });
        }
        ill.extend(found);
        Ok(ill)
    }
}

impl Known {
    /// Reads it.
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
    pub(super) fn standing(&self, card: &TopicCard) -> Vec<Standing<'_>> {
        let searches = card.last_run.as_ref().and_then(|run| self.searches.get(&run.run));
        standing(card, searches.map_or(&[], Vec::as_slice), &self.ill)
    }
}

/// By the searches of the last run and by what is known to be ill.
fn standing<'a>(card: &TopicCard, searches: &'a [SearchRow], ill: &[Illness]) -> Vec<Standing<'a>> {
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
