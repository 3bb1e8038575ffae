//! The card of a topic as JSON, the same for the API and MCP. `source_status` has what is known of its sources.

use serde_json::{Value, json};

use super::SourceHistory;
use crate::model::{Period, Time, Topic, TopicCard};
use crate::schedule::next_slot;

/// Returns the next slot of a topic from the present on, whether or not anything plans it. `None` if it is paused or has
/// no schedule, or if this version cannot read its definition.
#[must_use]
pub fn next_slot_of(card: &TopicCard, now: Time) -> Option<Time> {
    let policy = card.definition.as_ref().and_then(|topic| topic.schedule.as_ref())?;
    next_slot(policy, card.planned_until, now).filter(|_| card.paused.is_none())
}

/// Returns a topic's card.
#[must_use]
pub fn topic_card_json(card: &TopicCard, history: &SourceHistory, now: Time) -> Value {
    let topic = card.definition.as_ref();
    let policy = topic.and_then(|topic| topic.schedule.as_ref());
    let (cron, every) = match policy.map(|policy| &policy.period) {
        Some(Period::Cron(cron)) => (Some(cron), None),
        Some(Period::Every(every)) => (None, Some(every)),
        None => (None, None),
    };
    let query = |topic: &Topic, source| json!({ "source": source, "query": topic.query(source) });
    let queries = topic.map(|topic| topic.sources().into_iter().map(|source| query(topic, source)).collect::<Vec<_>>());
    json!({
        "topic": card.topic,
        "title": card.title,
        "tags": topic.map(|topic| &topic.tags),
        "schedule": policy.map(|_| json!({ "cron": cron, "every_ms": every })),
        "timezone": card.timezone(),
        "window": topic.map(|topic| topic.window),
        "queries": queries,
        "paused": card.paused,
        "last_run": card.last_run,
        "last_success": card.last_success,
        "next_slot": next_slot_of(card, now),
        "overdue": card.overdue_since(now).is_some(),
        "overdue_since": card.overdue_since(now),
        "sources": history.statuses(card),
        "new_24h": card.new,
        "new_24h_at_least": card.new_at_least,
    })
}
