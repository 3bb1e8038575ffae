//! Links to the lists of what an alert's event counted.

use std::collections::BTreeSet;

use crate::model::{AlertEvent, AlertRule, AlertSpec, Time};
use crate::web::page_request::link;
use crate::web::pages::topic::counted_items;

/// The address of the list of what an event counted. `None` if its alert is no longer configured, its topic has no
/// page, or it names no number.
pub(super) fn address(event: &AlertEvent, specs: &[AlertSpec], topics: &BTreeSet<String>) -> Option<String> {
    let spec = specs.iter().find(|spec| spec.name == event.alert)?;
    let (about, part) = match event.subject.split_once('/') {
        Some((about, part)) => (about, Some(part)),
        None => (event.subject.as_str(), None),
    };
    let topic = Some(about).filter(|about| topics.contains(*about));
    if !event.summary.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    match (spec.rule, part) {
        (AlertRule::Items | AlertRule::Volume | AlertRule::Negative, None) => {
            Some(counted_items::of_alert(topic?, &spec.name, event.run_id()?))
        }
        (AlertRule::Source, Some(source)) => searches(event, topic?, source),
        (AlertRule::Missed, None) => slots(event, topic?),
        (AlertRule::Budget, Some(day)) => {
            let is_of_topics = !spec.topics.is_empty() || !spec.tags.is_empty();
            let whose = if is_of_topics { ("topic", topic?) } else { ("provider", about) };
            Some(link("/runs", [("called", day), whose]))
        }
        _ => None,
    }
}

/// The searches of a source, as many as the event names, up to its run.
fn searches(event: &AlertEvent, topic: &str, source: &str) -> Option<String> {
    let (_, which) = event.summary.split_once(" in ")?;
    let last = if which.starts_with("its last search: ") {
        "1"
    } else {
        let (_, rest) = which.split_once(" of its last ")?;
        rest.split(' ').next().filter(|many| many.parse::<u32>().is_ok())?
    };
    let until = after(event.at);
    Some(link("/runs", [("topic", topic), ("source", source), ("last", last), ("until", until.as_str())]))
}

/// The missed slots of an outage, from the first that the event names to the last.
fn slots(event: &AlertEvent, topic: &str) -> Option<String> {
    let (_, when) = event.summary.split_once(" missed, ")?;
    let (first, last) = match when.strip_prefix("at ") {
        Some(at) => (at, at),
        None => when.strip_prefix("from ")?.split_once(" to ")?,
    };
    let (since, until) = (Time::parse(first)?.to_string(), after(Time::parse(last)?));
    Some(link("/runs", [("topic", topic), ("state", "missed"), ("since", since.as_str()), ("until", until.as_str())]))
}

/// The next instant, so that a list up to it includes `at`.
fn after(at: Time) -> String {
    Time(at.0.saturating_add(1)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AlertEventKind;

    fn address_of(rule: AlertRule, topics: &[&str], subject: &str, summary: &str) -> Option<String> {
        let spec = AlertSpec {
            name: "a".to_owned(),
            rule,
            topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
            tags: Vec::new(),
            words: Vec::new(),
            sources: Vec::new(),
            least: 1,
            window_ms: 0,
            failures: 3,
            of: 5,
            share: 80,
            channels: Vec::new(),
            cooldown_ms: 0,
            quiet: None,
            timezone: "UTC".to_owned(),
            recovery: true,
            service: Default::default(),
            providers: Vec::new(),
            prices: Vec::new(),
            paused: false,
        };
        let event = AlertEvent {
            event: format!("alert:a/R1/{subject}/fired"),
            alert: "a".to_owned(),
            subject: subject.to_owned(),
            kind: AlertEventKind::Fired,
            at: Time(1_773_219_600_000),
            summary: summary.to_owned(),
            lines: Vec::new(),
            message: None,
            delivery: None,
            muted: None,
            acked_at: None,
        };
        address(&event, &[spec], &BTreeSet::from(["acme".to_owned()]))
    }

    #[test]
    fn an_alert_event_links_to_the_rows_it_counted() {
        use AlertRule::{Budget, Items, Missed, Source, Volume};
        const ALL: &[&str] = &[];
        let missed = "acme: 2 slots missed, from 2026-03-11T08:00:00Z to 2026-03-11T09:00:00Z";
        let failed = "acme: web failed in 3 of its last 5 searches: 1 of its last 9 searches";
        for (rule, topics, subject, summary, expected) in [
            (Items, ALL, "acme", "acme: 12 new items", Some("/topics/acme?alert=a&run=R1")),
            (Volume, ALL, "acme", "acme: 12 new unique items in 24h", Some("/topics/acme?alert=a&run=R1")),
            (Volume, ALL, "acme/unrelated", "acme: 3 of 4 posts in 24h contain no word", None),
            (Items, ALL, "gone", "gone: 12 new items", None),
            (Items, ALL, "acme", "(erased)", None),
            (
                Source,
                ALL,
                "acme/web",
                failed,
                Some("/runs?topic=acme&source=web&last=5&until=2026-03-11T09%3A00%3A00.001Z"),
            ),
            (
                Source,
                ALL,
                "acme/web",
                "acme: web failed in its last search: 1 of its last 9 searches",
                Some("/runs?topic=acme&source=web&last=1&until=2026-03-11T09%3A00%3A00.001Z"),
            ),
            (Source, ALL, "acme/web", "acme: web works again", None),
            (
                Missed,
                ALL,
                "acme",
                missed,
                Some("/runs?topic=acme&state=missed&since=2026-03-11T08%3A00%3A00Z&until=2026-03-11T09%3A00%3A00.001Z"),
            ),
            (
                Missed,
                ALL,
                "acme",
                "acme: 1 slot missed, at 2026-03-11T08:00:00Z",
                Some("/runs?topic=acme&state=missed&since=2026-03-11T08%3A00%3A00Z&until=2026-03-11T08%3A00%3A00.001Z"),
            ),
            (Missed, ALL, "acme", "2 slots missed, from then to now", None),
            (
                Budget,
                ALL,
                "service/2026-03-11",
                "service: 9 of 10 calls",
                Some("/runs?called=2026-03-11&provider=service"),
            ),
            (
                Budget,
                &["acme"][..],
                "acme/2026-03-11",
                "acme: 9 of 10 calls",
                Some("/runs?called=2026-03-11&topic=acme"),
            ),
        ] {
            assert_eq!(address_of(rule, topics, subject, summary).as_deref(), expected, "{summary}");
        }
    }
}
