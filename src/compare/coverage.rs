//! What the sources of topics covered in a period: read topic by topic, and worked out by `insight`. How it is told is the
//! reader's.

use crate::insight::{SourceCoverage, covered};
use crate::model::{Look, Source, Span, Time, Watched};
use crate::store::{Filter, Store, StoreError};

/// What a topic covered.
#[derive(Debug)]
pub struct TopicCoverage {
    pub watched: Watched,
    pub sources: Vec<SourceCoverage>,
}

/// What topics covered.
#[derive(Debug)]
pub struct CoveragePeriod {
    /// Each that was named, or all there are, by id.
    pub topics: Vec<TopicCoverage>,
    /// Until when searches of the period were pruned: nothing is known of that time.
    pub pruned_until: Option<Time>,
}

/// What the wanted sources of these topics, or of all, covered in a period. Rows come topic by topic, and only one topic's
/// are held at a time.
pub async fn coverage(
    store: &Store,
    named: &[String],
    period: Span,
    wanted: &(dyn Fn(Source) -> bool + Sync),
) -> Result<CoveragePeriod, StoreError> {
    let pruned_until = store.pruned_until().await?.filter(|until| *until > period.from);
    let mut topics: Vec<TopicCoverage> = store
        .watched(named)
        .await?
        .into_iter()
        .map(|mut watched| {
            // What the ledger no longer knows is no hole.
            watched.began = pruned_until.map_or(watched.began, |until| until.max(watched.began));
            TopicCoverage { watched, sources: Vec::new() }
        })
        .collect();
    let filter = Filter { topics: named.to_vec(), since: Some(period.from), ..Filter::default() };
    let mut settle = |looks: &[Look]| {
        let Some(first) = looks.first() else { return };
        if let Ok(at) = topics.binary_search_by(|topic| topic.watched.topic.as_str().cmp(&first.topic))
            && let Some(topic) = topics.get_mut(at)
        {
            topic.sources = of(&topic.watched, looks, period, wanted);
        }
    };
    let mut looks: Vec<Look> = Vec::new();
    store
        .each_look::<StoreError>(&filter, &mut |look| {
            if looks.first().is_some_and(|first| first.topic != look.topic) {
                settle(&looks);
                looks.clear();
            }
            looks.push(look);
            Ok(())
        })
        .await?;
    settle(&looks);
    for topic in topics.iter_mut().filter(|topic| topic.sources.is_empty()) {
        topic.sources = of(&topic.watched, &[], period, wanted);
    }
    Ok(CoveragePeriod { topics, pruned_until })
}

/// A topic that is not watched any more is looked at up to its end.
fn of(watched: &Watched, looks: &[Look], period: Span, wanted: &dyn Fn(Source) -> bool) -> Vec<SourceCoverage> {
    let until = watched.ended.map_or(period.until, |ended| ended.min(period.until));
    Span::new(period.from, until).map_or_else(Vec::new, |period| covered(watched, looks, period, wanted))
}
