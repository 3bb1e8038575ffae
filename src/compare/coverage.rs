//! The coverage of topics' sources in a period, and topics whose cards count too few new items. Reads one topic at a
//! time; `insight` works out the coverage.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::insight::daily::SearchCoverage;
use crate::insight::{SourceCoverage, source_coverage, without_wrong_times};
use crate::model::{PrunedDays, RunSearch, Source, Span, Time, TopicCard, WatchedTopic};
use crate::store::{Filter, Store, StoreError};

/// How far back an item counts as new on a topic's card.
pub const LATELY: Duration = Duration::from_secs(86_400);

/// How far back searches are read to judge that time. It is a little longer, so that the last minutes before a search
/// are recognised, and so is a gap that is longer than the 24 hours that the next search looks back.
const READ: Duration = Duration::from_secs(25 * 3_600);
/// The same for topics without a planned slot: the time between earlier searches shows whether one was due. Three days
/// hold two searches of a daily topic.
const READ_UNPLANNED: Duration = Duration::from_secs(3 * 86_400);

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

/// Returns what the wanted sources of these topics, or of all if none are named, covered in a period. Holds the rows of
/// only one topic at a time. Coverage claimed by a clock that was ahead does not count.
pub async fn coverage(
    store: &Store,
    topic_ids: &[String],
    period: Span,
    now: Time,
    wanted: &(dyn Fn(Source) -> bool + Sync),
) -> Result<CoveragePeriod, StoreError> {
    let pruned_until = store.pruned_until().await?.filter(|until| *until > period.from);
    let mut topics: Vec<TopicCoverage> = store
        .watched_topics(topic_ids)
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
    let mut add_believed = |mut searches: Vec<RunSearch>| {
        searches.retain(|search| !search.is_ahead(now));
        add_sources(&without_wrong_times(searches));
    };
    each_topic(store, &filter, &mut add_believed).await?;
    for topic in topics.iter_mut().filter(|topic| topic.sources.is_empty()) {
        topic.sources = of(&topic.watched, &[], period, wanted);
    }
    Ok(CoveragePeriod { topics, pruned_until })
}

/// Marks the cards of topics whose searches missed time of the last 24 hours: there may be more new items than they
/// count. Pages, the API and MCP show what is marked here.
pub async fn mark_missed(store: &Store, cards: &mut [TopicCard], now: Time) -> Result<(), StoreError> {
    // An empty list would mean all topics.
    if cards.is_empty() {
        return Ok(());
    }
    // Nothing is known about time whose searches were pruned.
    let pruned_days = PrunedDays { uncounted: store.pruned_until().await?, days: Vec::new() };
    let ids: Vec<String> = cards.iter().map(|card| card.topic.clone()).collect();
    let (planned, unplanned): (Vec<_>, Vec<_>) =
        store.watched_topics(&ids).await?.into_iter().partition(|watched| watched.next.is_some());
    for (watched, read) in [(planned, READ), (unplanned, READ_UNPLANNED)] {
        let seen = Span { from: now.minus(read), until: now };
        let missed = missed_lately(store, watched, seen, &pruned_days).await?;
        for card in cards.iter_mut().filter(|card| missed.contains(&card.topic)) {
            (card.may_be_more, card.new_at_least) = (true, true);
        }
    }
    Ok(())
}

/// Returns those of these topics whose searches missed time of the last 24 hours before the end of `seen`.
async fn missed_lately(
    store: &Store,
    watched: Vec<WatchedTopic>,
    seen: Span,
    pruned_days: &PrunedDays,
) -> Result<BTreeSet<String>, StoreError> {
    let mut missed = BTreeSet::new();
    if watched.is_empty() {
        return Ok(missed);
    }
    let now = seen.until;
    let lately = Span { from: now.minus(LATELY), until: now };
    let mut judge = |watched: WatchedTopic, searches: Vec<RunSearch>| {
        let topic = watched.topic.clone();
        if SearchCoverage::new(Some(watched), searches, seen, now).has_missed(pruned_days, lately, now) {
            missed.insert(topic);
        }
    };
    let mut unread: BTreeMap<String, WatchedTopic> =
        watched.into_iter().map(|topic| (topic.topic.clone(), topic)).collect();
    // With a run that began just now.
    let until = Some(Time(now.0.saturating_add(1)));
    let topics = unread.keys().cloned().collect();
    let filter = Filter { topics, since: Some(seen.from), until, ..Filter::default() };
    each_topic(store, &filter, &mut |searches| {
        if let Some(watched) = searches.first().and_then(|search| unread.remove(&search.topic)) {
            judge(watched, searches);
        }
    })
    .await?;
    unread.into_values().for_each(|watched| judge(watched, Vec::new()));
    Ok(missed)
}

/// Reads searches and hands them over by topic.
async fn each_topic(
    store: &Store,
    filter: &Filter,
    each: &mut (dyn FnMut(Vec<RunSearch>) + Send),
) -> Result<(), StoreError> {
    let mut searches: Vec<RunSearch> = Vec::new();
    store
        .each_run_search::<StoreError>(filter, &mut |search| {
            if searches.first().is_some_and(|first| first.topic != search.topic) {
                each(std::mem::take(&mut searches));
            }
            searches.push(search);
            Ok(())
        })
        .await?;
    each(searches);
    Ok(())
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
