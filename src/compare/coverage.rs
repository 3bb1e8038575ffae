//! What the sources of topics covered in a period. Reads one topic at a time; `insight` works out the coverage.

use crate::insight::{SourceCoverage, source_coverage};
use crate::model::{RunSearch, Source, Span, Time, WatchedTopic};
use crate::store::{Filter, Store, StoreError};

/// The coverage of one topic.
#[derive(Debug)]
pub struct TopicCoverage {
    pub watched: WatchedTopic,
    pub sources: Vec<SourceCoverage>,
}

/// The coverage of topics in a period.
#[derive(Debug)]
pub struct CoveragePeriod {
    /// The named topics, or all, by id.
    pub topics: Vec<TopicCoverage>,
    /// The time until which searches of the period were pruned; nothing is known about it.
    pub pruned_until: Option<Time>,
}

/// Returns what the wanted sources of these topics, or of all if none are named, covered in a period. Holds the rows
/// of only one topic at a time.
pub async fn coverage(
    store: &Store,
    topic_ids: &[String],
    period: Span,
    wanted: &(dyn Fn(Source) -> bool + Sync),
) -> Result<CoveragePeriod, StoreError> {
    let pruned_until = store.pruned_until().await?.filter(|until| *until > period.from);
    let mut topics: Vec<TopicCoverage> = store
        .watched(topic_ids)
        .await?
        .into_iter()
        .map(|mut watched| {
            // Time whose searches were pruned is not a hole.
            if let Some(until) = pruned_until {
                watched.forget_before(until);
            }
            TopicCoverage { watched, sources: Vec::new() }
        })
        .collect();
    let filter = Filter { topics: topic_ids.to_vec(), since: Some(period.from), ..Filter::default() };
    let mut add_sources = |searches: &[RunSearch]| {
        let Some(first) = searches.first() else { return };
        if let Ok(at) = topics.binary_search_by(|topic| topic.watched.topic.as_str().cmp(&first.topic))
            && let Some(topic) = topics.get_mut(at)
        {
            topic.sources = of(&topic.watched, searches, period, wanted);
        }
    };
    let mut searches: Vec<RunSearch> = Vec::new();
    store
        .each_run_search::<StoreError>(&filter, &mut |search| {
            if searches.first().is_some_and(|first| first.topic != search.topic) {
                add_sources(&searches);
                searches.clear();
            }
            searches.push(search);
            Ok(())
        })
        .await?;
    add_sources(&searches);
    for topic in topics.iter_mut().filter(|topic| topic.sources.is_empty()) {
        topic.sources = of(&topic.watched, &[], period, wanted);
    }
    Ok(CoveragePeriod { topics, pruned_until })
}

/// The coverage of one topic. A topic that is no longer watched counts up to its end.
fn of(
    watched: &WatchedTopic,
    searches: &[RunSearch],
    period: Span,
    wanted: &dyn Fn(Source) -> bool,
) -> Vec<SourceCoverage> {
    let until = watched.ended.map_or(period.until, |ended| ended.min(period.until));
    Span::new(period.from, until).map_or_else(Vec::new, |period| source_coverage(watched, searches, period, wanted))
}
