//! What may be asked for: a run at once, a pause, its end. Asking writes one row; a daemon takes it up, and what became of
//! it is told here.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::call::Call;
use super::listed::told;
use super::topics::card;
use crate::model::{Request, RequestKind, RequestState};
use crate::web::pages::actions::{may_ask, put};
use crate::web::problem::Problem;

/// The actions, as the command line calls them.
pub(super) const ACTIONS: [(&str, RequestKind); 3] =
    [("run-now", RequestKind::RunNow), ("pause", RequestKind::Pause), ("resume", RequestKind::Resume)];

/// Requests that are told of a topic.
const TOLD: u32 = 50;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    action: String,
}

pub(super) async fn ask(call: Call) -> Result<Response, Problem> {
    may_ask(call.site())?;
    let card = card(&call).await?;
    let hint = "Send {\"action\": \"run-now\"}, \"pause\" or \"resume\".";
    let asked: Asked =
        serde_json::from_slice(&call.body).map_err(|_| Problem::bad("The body is not what is taken here", hint))?;
    let kind = ACTIONS.iter().find(|(name, _)| *name == asked.action).map(|(_, kind)| *kind);
    let kind =
        kind.ok_or_else(|| Problem::bad(format!("There is no action `{}`", super::call::cut(&asked.action)), hint))?;
    let store = &call.site().store;
    let request = match put(call.site(), kind, &card.topic).await? {
        Some(id) => store.request_of(&card.topic, &id).await?,
        // The same may wait already: then it is told of that one.
        None => {
            let all = store.requests_of(&card.topic, TOLD).await?;
            all.into_iter().find(|one| one.kind == kind && one.state == RequestState::Queued)
        }
    };
    let Some(request) = request else {
        let hint = "Is `topicwatch run` up? It takes up what waits within seconds; ask again then.";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Too many requests wait already", hint));
    };
    let place = format!("/api/v1/topics/{}/requests/{}", card.topic, request.id);
    let mut response = told(&call, [("data", as_json(&request))]).await?;
    *response.status_mut() = StatusCode::ACCEPTED;
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response.into_response())
}

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    let all = call.site().store.requests_of(&card.topic, TOLD).await?;
    told(&call, [("data", json!(all.iter().map(as_json).collect::<Vec<_>>()))]).await
}

pub(super) async fn one(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    let request = call.site().store.request_of(&card.topic, call.needed("request")).await?.ok_or_else(|| {
        let hint = "What was done is told for seven days.";
        let title = format!("There is no request `{}`", super::call::cut(call.needed("request")));
        Problem { hint: hint.to_owned(), ..Problem::unknown(title) }
    })?;
    told(&call, [("data", as_json(&request))]).await
}

fn as_json(request: &Request) -> Value {
    let action = ACTIONS.iter().find(|(_, kind)| *kind == request.kind).map(|(name, _)| *name);
    let ran = request.kind == RequestKind::RunNow && request.state == RequestState::Done;
    json!({
        "id": request.id,
        "topic": request.topic,
        "action": action,
        "asked_at": request.asked_at,
        "state": request.state,
        "answer": request.answer,
        "run": ran.then_some(&request.id),
    })
}
