//! What topics found on their local days, counted when runs brought something: the days on which something came, and all of
//! a topic whose items changed otherwise. What is left undone when a process ends is done by the next.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::insight::daily::days;
use crate::model::{Span, Time, Topic};
use crate::store::{RolledDays, Store, StoreError};

/// Days up to today that are counted: the fourteen of the charts, and one for who is a day behind.
pub const DAYS: i32 = 15;

/// Runs, and topics that are due, of one step.
const AT_ONCE: u32 = 200;

/// Counts what was not counted yet, until there is nothing left or `enough` says so.
pub async fn roll_days(store: &Store, now: Time, enough: &(dyn Fn() -> bool + Send + Sync)) -> Result<(), StoreError> {
    while !enough() {
        let from = store.days_progress().await?;
        let (due, brought) = (store.days_due(AT_ONCE).await?, store.brought_after(from, AT_ONCE).await?);
        if due.is_empty() && brought.is_empty() {
            break;
        }
        let to = brought.last().map_or(from, |run| run.seq);
        let mut since: BTreeMap<&str, Time> = BTreeMap::new();
        for run in brought.iter().filter(|run| due.iter().all(|due| due.topic != run.topic)) {
            let first = since.entry(&run.topic).or_insert(run.at);
            *first = run.at.min(*first);
        }
        let named = due.iter().map(|due| due.topic.clone()).chain(since.keys().map(|topic| (*topic).to_owned()));
        let zones = zones(store, &named.collect::<Vec<_>>()).await?;
        let all = |topic: &str| -> Vec<Span> {
            let zone = zones.get(topic).map_or("UTC", String::as_str);
            days(now, DAYS, zone).into_iter().map(|day| day.span).collect()
        };
        let mut rolled = Vec::new();
        for due in &due {
            rolled.push(RolledDays::all(due, store.count_days(&due.topic, &all(&due.topic)).await?));
        }
        for (topic, since) in since {
            let mut spans = all(topic);
            let Some(first) = spans.first().map(|day| day.from) else { continue };
            let moments = store.moments_since(topic, since, first).await?;
            spans.retain(|day| moments.iter().any(|moment| day.holds(*moment)));
            rolled.push(RolledDays::some(topic, store.count_days(topic, &spans).await?));
        }
        store.keep_days(&rolled, from, to, now).await?;
    }
    Ok(())
}

/// In which zone the days of topics begin: that of their schedules.
async fn zones(store: &Store, topics: &[String]) -> Result<BTreeMap<String, String>, StoreError> {
    if topics.is_empty() {
        return Ok(BTreeMap::new());
    }
    let watched = store.watched(topics).await?.into_iter();
    let definitions = watched.filter_map(|watched| Some((watched.topic, watched.definition?)));
    Ok(definitions.map(|(id, topic)| (id, zone_of(&topic).to_owned())).collect())
}

fn zone_of(topic: &Topic) -> &str {
    topic.schedule.as_ref().map_or("UTC", |policy| &policy.timezone)
}

/// When the topic's day began, in its own zone.
pub(super) fn local_midnight(topic: &Topic, now: Time) -> Time {
    let zone = jiff::tz::TimeZone::get(zone_of(topic)).unwrap_or(jiff::tz::TimeZone::UTC);
    let begin = now.to_jiff().and_then(|at| at.to_zoned(zone).start_of_day().ok());
    begin.map_or(now.minus(Duration::from_secs(86_400)), |day| Time::from_jiff(day.timestamp()))
}
