//! Marks an item good or noise for a topic, and removes marks. This is done at once, without a daemon.

use axum::response::Response;
use serde_json::json;

use crate::compare::find_item_key_within;
use crate::model::{Mark, MarkedVia, NewMark, Time, excerpt};
use crate::web::api::call::Call;
use crate::web::api::call::envelope::{answer, cut_page};
use crate::web::api::table::parameters::KEY_CHARS;
use crate::web::api::topics::card;
use crate::web::pages::items::marks::set_mark;
use crate::web::pages::topic::actions::may_ask;
use crate::web::problem::Problem;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkBody {
    key: String,
    mark: String,
    /// Whether `order=suggested` listed the item.
    #[serde(default)]
    suggested: bool,
}

pub(in crate::web::api) async fn list(call: Call) -> Result<Response, Problem> {
    let topic = card(&call).await?.topic;
    let after = call.position()?.map(|position| (Time(position.value), position.key));
    let limit = call.number("limit");
    let mut marks = call.site().store.list_marks(&topic, after.as_ref(), limit + 1).await?;
    let more = cut_page(&mut marks, limit);
    let next = marks.last().filter(|_| more).map(|mark| call.token(mark.at.0, &mark.key));
    answer(&call, [("data", json!(marks)), ("next_page_token", json!(next))]).await
}

pub(in crate::web::api) async fn set(call: Call) -> Result<Response, Problem> {
    may_ask(call.site())?;
    let topic = card(&call).await?.topic;
    let hint = "Send {\"key\": \"post:x:1\", \"mark\": \"good\"} or \"noise\".";
    let body: MarkBody = call.json(hint)?;
    let mark = Mark::parse(&body.mark);
    let mark = mark.ok_or_else(|| Problem::bad_request(format!("There is no mark `{}`", excerpt(&body.mark)), hint))?;
    if !(1..=KEY_CHARS).contains(&body.key.chars().count()) || body.key.contains('\0') {
        let hint = format!("Give 1 to {KEY_CHARS} characters, without NUL.");
        return Err(Problem::bad_request("`key` is not a key", hint));
    }
    marked(&call, &topic, &body.key, Some(mark), body.suggested).await
}

pub(in crate::web::api) async fn delete(call: Call) -> Result<Response, Problem> {
    may_ask(call.site())?;
    let topic = card(&call).await?.topic;
    marked(&call, &topic, call.required("key"), None, false).await
}

async fn marked(call: &Call, topic: &str, key: &str, mark: Option<Mark>, suggested: bool) -> Result<Response, Problem> {
    let only = call.visitor.visible_topics();
    let key = find_item_key_within(&call.site().store, key, only.as_deref()).await?;
    set_mark(call.site(), topic, &key, NewMark { mark, through: MarkedVia::Api, suggested }).await?;
    answer(call, [("data", json!({ "topic": topic, "key": key, "mark": mark }))]).await
}
