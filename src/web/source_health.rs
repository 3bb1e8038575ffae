//! What is ill of topics' sources, held until a topic runs again: to say it, a long history is read.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::compare::health;
use crate::insight::Illness;
use crate::model::{Time, TopicCard};
use crate::store::{Store, StoreError};

/// How long a judgement holds of a topic that does not run: what is pruned or forgotten changes its history.
const HOLDS: Duration = Duration::from_secs(600);
/// Topics whose judgement is held.
const MOST: usize = 2_000;

/// What is ill of topics, as their last runs left it. To say it a long history is read, which says the same until a topic
/// has run again.
#[derive(Default)]
pub(super) struct SourceHealth(Mutex<HashMap<String, Judgement>>);

struct Judgement {
    /// The topic's last run.
    run: String,
    at: Time,
    ill: Vec<Illness>,
}

impl SourceHealth {
    pub(super) async fn of(&self, store: &Store, cards: &[TopicCard], now: Time) -> Result<Vec<Illness>, StoreError> {
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
