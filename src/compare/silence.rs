//! Which sources of which topics fell silent, for whoever shows how topics stand.

use crate::insight::{Illness, illness, suspect};
use crate::store::{Store, StoreError};

/// Topics that are judged at once: a look at how all stand must stay quick.
pub const MOST_JUDGED: usize = 1_000;

/// Runs that are looked at of each topic, and of those whose source may be ill.
const QUICK: u32 = 6;
const LONG: u32 = 150;

/// How the sources of topics stand.
#[derive(Debug, Default)]
pub struct Health {
    /// Those that are ill, by topic and source.
    pub ill: Vec<Illness>,
    /// Topics that were not judged because there are too many.
    pub unjudged: usize,
}

/// Judges the sources of topics; of more than [`MOST_JUDGED`] the first.
pub async fn health(store: &Store, topics: &[String]) -> Result<Health, StoreError> {
    let judged = topics.get(..MOST_JUDGED).unwrap_or(topics);
    let mut ill: Vec<Illness> = Vec::new();
    // Each source by itself: many topics have one that seldom says anything new, and few of them two.
    for source in &store.searched_sources().await? {
        let quick = store.pulses(judged, *source, QUICK).await?.into_iter();
        let suspects: Vec<String> = quick.filter(suspect).map(|pulse| pulse.topic).collect();
        ill.extend(store.pulses(&suspects, *source, LONG).await?.iter().filter_map(illness));
    }
    ill.sort_by(|a, b| (&a.topic, a.source.as_str()).cmp(&(&b.topic, b.source.as_str())));
    Ok(Health { ill, unjudged: topics.len() - judged.len() })
}
