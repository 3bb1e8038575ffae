//! Stars and notes of items. They are set at once, without a daemon.

use axum::response::Response;
use serde_json::json;

use crate::compare::find_item_key;
use crate::web::api::call::Call;
use crate::web::api::call::envelope::answer;
use crate::web::pages::items::stars_and_notes::{as_note, may_annotate, unknown};
use crate::web::problem::Problem;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ToStar {
    key: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ToNote {
    key: String,
    note: String,
}

pub(in crate::web::api) async fn star(call: Call) -> Result<Response, Problem> {
    may_annotate(call.site())?;
    let body: ToStar = call.json("Send {\"key\": \"post:x:1\"}.")?;
    starred(&call, &body.key, true).await
}

pub(in crate::web::api) async fn unstar(call: Call) -> Result<Response, Problem> {
    may_annotate(call.site())?;
    starred(&call, call.required("key"), false).await
}

pub(in crate::web::api) async fn note(call: Call) -> Result<Response, Problem> {
    may_annotate(call.site())?;
    let body: ToNote = call.json("Send {\"key\": \"post:x:1\", \"note\": \"words\"}.")?;
    noted(&call, &body.key, as_note(&body.note)?).await
}

pub(in crate::web::api) async fn unnote(call: Call) -> Result<Response, Problem> {
    may_annotate(call.site())?;
    noted(&call, call.required("key"), None).await
}

async fn starred(call: &Call, key: &str, starred: bool) -> Result<Response, Problem> {
    is_text(key)?;
    let key = find_item_key(&call.site().store, key).await?;
    if !call.site().store.star(&key, starred, call.now).await? {
        return Err(unknown());
    }
    answer(call, [("data", json!({ "key": key, "starred": starred }))]).await
}

async fn noted(call: &Call, key: &str, note: Option<String>) -> Result<Response, Problem> {
    is_text(key)?;
    let key = find_item_key(&call.site().store, key).await?;
    if !call.site().store.note(&key, note.as_deref(), call.now).await? {
        return Err(unknown());
    }
    answer(call, [("data", json!({ "key": key, "note": note }))]).await
}

/// Refuses NUL: stored text never contains it, and PostgreSQL accepts none.
fn is_text(key: &str) -> Result<(), Problem> {
    if key.contains('\0') {
        Err(Problem::bad_request("`key` is not valid text", "Remove the NUL character."))
    } else {
        Ok(())
    }
}
