//! A topic's answers, latest first, with the keys of the items that they cite.

use axum::response::Response;
use serde_json::json;

use super::call::Call;
use super::call::envelope::{answer, cut_page};
use super::topics::card;
use crate::web::problem::Problem;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    let limit = call.number("limit");
    let before = call.position()?.map_or(i64::MAX, |position| position.value);
    let mut answers = call.site().store.list_answers(&card.topic, before, limit + 1).await?;
    let more = cut_page(&mut answers, limit);
    let next = answers.last().filter(|_| more).map(|(seq, _)| call.token(*seq, ""));
    let data: Vec<_> = answers.into_iter().map(|(_, answer)| answer).collect();
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}
