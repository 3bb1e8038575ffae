//! The status of topics.

use serde_json::{Value, json};

use crate::compare::{LATELY, SourceHistory, health, mark_missed, topic_card_json};
use crate::mcp::answer::Answer;
use crate::mcp::call::ToolCall;
use crate::mcp::caveats::at_least;
use crate::mcp::error::ToolError;
use crate::mcp::quoting::{IN_A_LIST, quote_fields};
use crate::model::{Time, TopicCard};

/// Fields of a topic that the configuration or this program wrote.
const OURS: &[&str] = &[
    "topic",
    "title",
    "tags",
    "schedule",
    "timezone",
    "window",
    "queries",
    "paused",
    "last_run",
    "last_success",
    "next_slot",
    "overdue_since",
    "sources",
];
/// The same for a run; its error may hold text of a service.
const OURS_OF_RUN: &[&str] =
    &["run", "topic", "trigger", "state", "slot", "started_at", "finished_at", "error_class", "clears_at"];

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let (mut cards, next) = if call.given.text("topic").is_some() {
        (vec![call.card().await?], None)
    } else {
        let after = call.position()?.map(|position| position.key).unwrap_or_default();
        let limit = call.given.number("limit");
        let mut cards = call.store.topic_cards(None, &after, limit + 1, call.now.minus(LATELY)).await?;
        let more = cards.len() > limit as usize;
        cards.truncate(limit as usize);
        let next = cards.last().filter(|_| more).map(|card| call.cursor(0, &card.topic));
        (cards, next)
    };
    mark_missed(&call.store, &mut cards, call.now).await?;
    let ids: Vec<String> = cards.iter().map(|card| card.topic.clone()).collect();
    // An empty list would mean all topics.
    let silences = if ids.is_empty() { Vec::new() } else { health(&call.store, &ids).await?.silences };
    let history = SourceHistory::of(&call.store, &cards, silences).await?;
    let mut answer = Answer::default();
    let mut topics = Vec::with_capacity(cards.len());
    for card in &cards {
        topics.push(topic_json(card, &history, call.now)?);
        if !card.ran_since(call.now.minus(LATELY)) {
            answer.note(format!("{}: no run in 24 hours, so nothing is known about that time.", card.topic));
        } else if card.new_at_least {
            answer.note(format!(
                "{}: {} new in 24 hours: a source returned its maximum, a search failed, or searches missed time.",
                card.topic,
                at_least(card.new.unsigned_abs(), true)
            ));
        }
    }
    answer.field("topics", topics)?;
    answer.next(next)?;
    Ok(answer)
}

fn topic_json(card: &TopicCard, history: &SourceHistory, now: Time) -> Result<Value, ToolError> {
    let mut topic = quote_fields(&topic_card_json(card, history, now), OURS, IN_A_LIST)?;
    if let (Some(run), Some(fields)) = (&card.last_run, topic.as_object_mut()) {
        fields.insert("last_run".to_owned(), json!(quote_fields(run, OURS_OF_RUN, IN_A_LIST)?));
    }
    Ok(topic)
}
