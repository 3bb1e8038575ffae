//! Which sources of topics are silent or stale, cached until a topic runs again: finding out reads a long history.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::compare::health;
use crate::insight::SourceSilence;
use crate::model::{Time, TopicCard};
use crate::store::{Store, StoreError};

/// How long a judgement is cached for a topic that does not run: pruning and forgetting change its history.
const HOLDS: Duration = Duration::from_secs(600);
/// Maximum number of topics with a cached judgement.
const MOST: usize = 2_000;

/// The cached silences of topics, as of their last runs.
#[derive(Default)]
pub(super) struct SourceHealth(Mutex<HashMap<String, Judgement>>);

struct Judgement {
    /// The topic's last run.
    run: String,
    at: Time,
    silences: Vec<SourceSilence>,
}

impl SourceHealth {
    pub(super) async fn of(
        &self,
        store: &Store,
        cards: &[TopicCard],
        now: Time,
    ) -> Result<Vec<SourceSilence>, StoreError> {
        let (mut silences, mut others) = (Vec::new(), BTreeMap::new());
        {
            let cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for card in cards {
                // A topic that never ran has no history.
                let Some(last) = &card.last_run else { continue };
                match cache.get(&card.topic) {
                    Some(cached) if cached.run == last.run && cached.at <= now && now < cached.at.plus(HOLDS) => {
                        silences.extend(cached.silences.iter().cloned());
                    }
                    _ => drop(others.insert(card.topic.clone(), last.run.clone())),
                }
            }
        }
        if others.is_empty() {
            return Ok(silences);
        }
        let found = health(store, &others.keys().cloned().collect::<Vec<_>>()).await?.silences;
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() + others.len() > MOST {
            cache.clear();
        }
        for (topic, run) in others {
            let silences = found.iter().filter(|silence| silence.topic == topic).cloned().collect();
            cache.insert(topic, Judgement { run, at: now, silences });
        }
        silences.extend(found);
        Ok(silences)
    }
}
