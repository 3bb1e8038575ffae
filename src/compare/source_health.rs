//! Finds the sources of topics that are silent or stale.

use crate::insight::{SourceSilence, detect_silence, may_be_silent};
use crate::store::{Store, StoreError};

/// Maximum number of topics judged at once: the status of all topics must load quickly.
pub const MOST_JUDGED: usize = 1_000;

/// Runs read of each topic; `LONG` for those whose source may be silent or stale.
const QUICK: u32 = 6;
const LONG: u32 = 150;

/// The health of the sources of topics.
#[derive(Debug, Default)]
pub struct Health {
    /// The silent and stale sources, by topic and source.
    pub silences: Vec<SourceSilence>,
    /// Topics that were not judged because there are too many.
    pub unjudged: usize,
}

/// Judges the sources of topics; if there are more than [`MOST_JUDGED`] topics, only those of the first ones.
pub async fn health(store: &Store, topics: &[String]) -> Result<Health, StoreError> {
    let checked = topics.get(..MOST_JUDGED).unwrap_or(topics);
    let mut silences: Vec<SourceSilence> = Vec::new();
    // One source at a time: many topics have one source that seldom finds anything new, but few have two.
    for source in &store.searched_sources().await? {
        let quick = store.source_activity(checked, *source, QUICK).await?.into_iter();
        let suspects: Vec<String> = quick.filter(may_be_silent).map(|pulse| pulse.topic).collect();
        silences.extend(store.source_activity(&suspects, *source, LONG).await?.iter().filter_map(detect_silence));
    }
    silences.sort_by(|a, b| (&a.topic, a.source.as_str()).cmp(&(&b.topic, b.source.as_str())));
    Ok(Health { silences, unjudged: topics.len() - checked.len() })
}
