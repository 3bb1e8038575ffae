//! Counts the terms in topics' texts of each local day, when runs brought something: for days that have ended and are
//! not counted yet, or got new items. Reports compare a period with these counts. They check the counts against the
//! stored items, so a day that is counted late only costs them time.

use std::collections::{BTreeMap, BTreeSet};

use crate::filter::Filter;
use crate::insight::daily::days;
use crate::insight::terms::{Basis, DayTerms, TermCounter, speaker_of};
use crate::model::{CountedItem, SearchableItem, Span, Time, Topic};
use crate::normalise::words;
use crate::store::{ReadSnapshot, Store, StoreError, StoredTerms};

/// Local days counted: the four weeks that a period is compared with, and a week for reports of earlier days.
pub const TERM_DAYS: i32 = 36;

/// Runs per step.
const AT_ONCE: u32 = 200;
/// Items whose words are held in memory at a time.
const WORDS: usize = 2_000;
/// Days that are stored together.
const DAYS: usize = 200;

/// Counts the terms of days that are not counted yet, until none is left or `enough` returns true.
pub async fn count_terms(
    store: &Store,
    now: Time,
    enough: &(dyn Fn() -> bool + Send + Sync),
) -> Result<(), StoreError> {
    while !enough() {
        let from = store.terms_progress().await?;
        let brought = store.runs_with_new_items(from, AT_ONCE).await?;
        let Some(to) = brought.last().map(|run| run.seq) else { break };
        let mut since: BTreeMap<&str, Time> = BTreeMap::new();
        for run in &brought {
            let first = since.entry(&run.topic).or_insert(run.at);
            *first = run.at.min(*first);
        }
        let named: Vec<String> = since.keys().map(|topic| (*topic).to_owned()).collect();
        let topics: Vec<Topic> =
            store.watched_topics(&named).await?.into_iter().filter_map(|watched| watched.definition).collect();
        let ended: BTreeMap<&str, Vec<Span>> =
            topics.iter().map(|topic| (topic.id.as_str(), completed_days(topic, now))).collect();
        let earliest = ended.values().filter_map(|days| days.first()).map(|day| day.from).min().unwrap_or(now);
        let mut kept: BTreeMap<String, Vec<(Span, Vec<u8>)>> = BTreeMap::new();
        for (topic, span, basis) in store.term_bases(&named, earliest).await? {
            kept.entry(topic).or_default().push((span, basis));
        }
        let begins: Vec<(String, Time, Time)> =
            since.iter().map(|(topic, at)| ((*topic).to_owned(), *at, earliest)).collect();
        let mut touched: BTreeMap<String, Vec<Time>> = BTreeMap::new();
        for (topic, moment) in store.item_times_since(&begins).await? {
            touched.entry(topic).or_default().push(moment);
        }
        let mut counted: Vec<(String, StoredTerms)> = Vec::new();
        for topic in &topics {
            if enough() {
                return store_days(store, &counted, now).await;
            }
            let days = ended.get(topic.id.as_str()).map_or(&[][..], Vec::as_slice);
            let kept = kept.get(&topic.id).map_or(&[][..], Vec::as_slice);
            let is_kept = |day: &Span| kept.iter().any(|(span, _)| span == day);
            let moments = touched.get(&topic.id).map_or(&[][..], Vec::as_slice);
            // When one more day has ended, check all days: texts may have changed in other ways.
            let days_to_check: Vec<Span> = if days.iter().all(is_kept) {
                days.iter().filter(|day| moments.iter().any(|at| day.contains(*at))).copied().collect()
            } else {
                days.to_vec()
            };
            let days = count_topic(store, topic, &days_to_check, kept).await?;
            counted.extend(days.into_iter().map(|day| (topic.id.clone(), day)));
            if counted.len() >= DAYS {
                store_days(store, &counted, now).await?;
                counted.clear();
            }
        }
        store_days(store, &counted, now).await?;
        // A faster process has done the same work.
        store.advance_terms(from, to).await?;
    }
    Ok(())
}

/// Returns the topic's local days that have ended, earliest first.
fn completed_days(topic: &Topic, now: Time) -> Vec<Span> {
    let days = days(now, TERM_DAYS + 1, topic.timezone());
    days.into_iter().map(|day| day.span).filter(|day| day.until <= now).collect()
}

async fn store_days(store: &Store, days: &[(String, StoredTerms)], now: Time) -> Result<(), StoreError> {
    if days.is_empty() { Ok(()) } else { store.store_terms(days, now).await }
}

/// Counts the days of a topic whose items are not the ones that were counted.
async fn count_topic(
    store: &Store,
    topic: &Topic,
    days: &[Span],
    kept: &[(Span, Vec<u8>)],
) -> Result<Vec<StoredTerms>, StoreError> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(Vec::new()) };
    let mut moment = store.snapshot().await?;
    let counted = counted(&mut moment, topic, days, kept, Span { from: first.from, until: last.until }).await;
    moment.end().await?;
    counted
}

async fn counted(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    days: &[Span],
    kept: &[(Span, Vec<u8>)],
    span: Span,
) -> Result<Vec<StoredTerms>, StoreError> {
    let marks = moment.counted_items(&topic.id, span).await?;
    let filter = Filter::compile(&topic.filter).unwrap_or_default();
    let mut counted = Vec::new();
    for day in days {
        let marks: Vec<&CountedItem> = marks.iter().filter(|mark| day.contains(mark.moment())).collect();
        let mut basis = Basis::new(words::TERM_RULES, &topic.filter);
        marks.iter().for_each(|mark| basis.add(mark));
        let basis = basis.bytes();
        if kept.iter().any(|(span, counted)| span == day && *counted == basis) {
            continue;
        }
        let counts = terms_of(moment, &filter, &marks).await?.encode();
        let items = i64::try_from(marks.len()).unwrap_or(i64::MAX);
        counted.push(StoredTerms { span: *day, items, basis, counts });
    }
    Ok(counted)
}

async fn terms_of(moment: &mut ReadSnapshot, filter: &Filter, marks: &[&CountedItem]) -> Result<DayTerms, StoreError> {
    let mut counter = TermCounter::default();
    for some in marks.chunks(WORDS) {
        let keys: BTreeSet<&str> = some.iter().map(|mark| mark.key.as_str()).collect();
        let words = moment.words(&keys.into_iter().map(str::to_owned).collect::<Vec<_>>()).await?;
        for mark in some {
            let Ok(at) = words.binary_search_by(|words| words.key.cmp(&mark.key)) else { continue };
            let Some(item_words) = words.get(at) else { continue };
            let (title, text, author) =
                (item_words.title.as_deref(), item_words.text.as_deref(), item_words.author.as_deref());
            if !filter.passes(title, text, author, item_words.lang.as_deref()) {
                continue;
            }
            counter.item(&mark.cluster, &speaker_of(mark));
            let read = SearchableItem {
                kind: mark.kind,
                title,
                text,
                author,
                author_name: None,
                url: item_words.url.as_deref(),
            };
            words::terms(&read, &mut |term| counter.term(term));
        }
    }
    Ok(counter.end())
}
