//! Counts the items of topics on each of their local days, when runs brought something: the days that got new items,
//! and all days of a topic whose items changed in another way. If a process stops midway, the next one continues.

use std::collections::{BTreeMap, BTreeSet};

use crate::insight::daily::days;
use crate::model::{Span, Time};
use crate::store::{DayCounts, Store, StoreError};

/// Days counted, up to today: the fourteen of the charts, and one for a viewer who is a day behind.
pub const DAYS: i32 = 15;

/// Runs, and topics that are due, per step.
const AT_ONCE: u32 = 200;

/// Counts the days that are not counted yet, until none is left or `enough` returns true.
pub async fn count_days(store: &Store, now: Time, enough: &(dyn Fn() -> bool + Send + Sync)) -> Result<(), StoreError> {
    while !enough() {
        let from = store.days_progress().await?;
        let (due, brought) = (store.days_due(AT_ONCE).await?, store.runs_with_new_items(from, AT_ONCE).await?);
        if due.is_empty() && brought.is_empty() {
            break;
        }
        let to = brought.last().map_or(from, |run| run.seq);
        let mut since: BTreeMap<&str, Time> = BTreeMap::new();
        let is_due: BTreeSet<&str> = due.iter().map(|due| due.topic.as_str()).collect();
        for run in brought.iter().filter(|run| !is_due.contains(run.topic.as_str())) {
            let first = since.entry(&run.topic).or_insert(run.at);
            *first = run.at.min(*first);
        }
        let named: Vec<String> = is_due.iter().chain(since.keys()).map(|topic| (*topic).to_owned()).collect();
        let zones = zones(store, &named).await?;
        let all = |topic: &str| -> Vec<Span> {
            let zone = zones.get(topic).map_or("UTC", String::as_str);
            days(now, DAYS, zone).into_iter().map(|day| day.span).collect()
        };
        let of = |topic: &str| all(topic).into_iter().map(|day| (topic.to_owned(), day)).collect::<Vec<_>>();
        let begins = since.iter().filter_map(|(topic, at)| Some(((*topic).to_owned(), *at, all(topic).first()?.from)));
        let moments = store.item_times_since(&begins.collect::<Vec<_>>()).await?;
        let mut spans: Vec<(String, Span)> = since.keys().flat_map(|topic| of(topic)).collect();
        let mut touched: BTreeMap<&str, Vec<Time>> = BTreeMap::new();
        for (topic, moment) in &moments {
            touched.entry(topic).or_default().push(*moment);
        }
        spans.retain(|(topic, day)| {
            touched.get(topic.as_str()).is_some_and(|all| all.iter().any(|at| day.contains(*at)))
        });
        let counted: Vec<(String, Span)> =
            due.iter().flat_map(|due| of(&due.topic)).chain(spans.iter().cloned()).collect();
        let days = store.count_days(&counted).await?;
        store.store_days(&DayCounts { from, to, due, spans, days }, now).await?;
    }
    Ok(())
}

/// Returns the time zone of each topic's days: that of its schedule.
async fn zones(store: &Store, topics: &[String]) -> Result<BTreeMap<String, String>, StoreError> {
    if topics.is_empty() {
        return Ok(BTreeMap::new());
    }
    let watched = store.watched_topics(topics).await?.into_iter();
    let definitions = watched.filter_map(|watched| Some((watched.topic, watched.definition?)));
    Ok(definitions.map(|(id, topic)| (id, topic.timezone().to_owned())).collect())
}
