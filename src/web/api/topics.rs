//! Topics: what each asks and when, how its last run ended, the status of its sources, what is new.

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::{answer, cut_page};
use crate::compare::{LATELY, mark_missed, topic_card_json};
use crate::model::{TopicCard, excerpt};
use crate::web::problem::Problem;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let after = call.position()?.map(|position| position.key).unwrap_or_default();
    let limit = call.number("limit");
    let (only, since) = (call.visitor.visible_topics(), call.now.minus(LATELY));
    let mut cards = call.site().store.topic_cards(only.as_deref(), &after, limit + 1, since).await?;
    let more = cut_page(&mut cards, limit);
    let next = cards.last().filter(|_| more).map(|card| call.token(0, &card.topic));
    let data = topics_json(&call, &mut cards).await?;
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}

pub(super) async fn one(call: Call) -> Result<Response, Problem> {
    let mut card = card(&call).await?;
    let data = topics_json(&call, std::slice::from_mut(&mut card)).await?.pop();
    answer(&call, [("data", json!(data))]).await
}

/// The topic of the path.
pub(super) async fn card(call: &Call) -> Result<TopicCard, Problem> {
    let card = call.site().store.topic_card(call.required("topic"), call.now.minus(LATELY)).await?;
    card.ok_or_else(|| unknown(call.required("topic")))
}

pub(super) fn unknown(topic: &str) -> Problem {
    let hint = "It may have been renamed or removed. /api/v1/topics lists the watched topics.";
    let title = format!("There is no topic `{}`", excerpt(topic));
    Problem { hint: hint.to_owned(), ..Problem::not_found(title) }
}

async fn topics_json(call: &Call, cards: &mut [TopicCard]) -> Result<Vec<Value>, Problem> {
    mark_missed(&call.site().store, cards, call.now).await?;
    let history = call.site().sources(cards).await?;
    Ok(cards.iter().map(|card| topic_card_json(card, &history, call.now)).collect())
}
