//! Requests about a topic (run now, pause, resume) or an alert (ack, snooze, unsnooze). A request writes one row; a
//! daemon carries it out, and its outcome can be read here.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::answer;
use super::call::form::SNOOZE;
use super::topics::card;
use crate::model::{ControlRequest, Request, RequestKind, RequestState, excerpt};
use crate::schedule::parse_duration;
use crate::web::pages::topic::actions::{may_ask, submit_request};
use crate::web::problem::Problem;

/// The actions, by their names on the command line.
pub(super) const ACTIONS: [(&str, RequestKind); 3] =
    [("run-now", RequestKind::RunNow), ("pause", RequestKind::Pause), ("resume", RequestKind::Resume)];
/// The same for alerts.
pub(super) const ALERT_ACTIONS: [(&str, RequestKind); 3] =
    [("ack", RequestKind::Ack), ("snooze", RequestKind::Snooze), ("unsnooze", RequestKind::Unsnooze)];

/// Maximum number of requests listed for a topic or an alert.
const MAX_LISTED: u32 = 50;
/// Maximum number of characters of an event's id.
pub(super) const EVENT_CHARS: usize = 1_000;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionBody {
    action: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AlertActionBody {
    action: String,
    event: Option<String>,
    #[serde(rename = "for")]
    length: Option<String>,
}

pub(super) async fn ask(call: Call) -> Result<Response, Problem> {
    may_ask(call.site())?;
    let card = card(&call).await?;
    let hint = "Send {\"action\": \"run-now\"}, \"pause\" or \"resume\".";
    let body: ActionBody = call.json(hint)?;
    let request = ControlRequest::plain(kind(&ACTIONS, &body.action, hint)?, &card.topic);
    put_and_answer(&call, &request, &format!("/api/v1/topics/{}", card.topic)).await
}

pub(super) async fn ask_of_alert(call: Call) -> Result<Response, Problem> {
    may_ask(call.site())?;
    let alert = super::alerts::card(&call).await?.spec.name;
    let hint = "Send {\"action\": \"ack\"}, with \"event\" for one alone; {\"action\": \"snooze\", \"for\": \"8h\"}, or \"unsnooze\".";
    let body: AlertActionBody = call.json(hint)?;
    let kind = kind(&ALERT_ACTIONS, &body.action, hint)?;
    if body
        .event
        .as_ref()
        .is_some_and(|event| kind != RequestKind::Ack || event.chars().count() > EVENT_CHARS || event.contains('\0'))
    {
        return Err(Problem::bad_request("`event` is not valid here", hint));
    }
    let length_ms = match (kind, &body.length) {
        (RequestKind::Snooze, Some(length)) => {
            let length =
                Some(length).filter(|length| SNOOZE.fits(length)).and_then(|length| parse_duration(length).ok());
            let hint = "Write \"30m\", \"8h\", \"1h30m\" or \"3d\", up to \"366d\".";
            let length = length.ok_or_else(|| Problem::bad_request("`for` is not a valid duration", hint))?;
            i64::try_from(length.as_millis()).ok()
        }
        (RequestKind::Snooze, None) => return Err(Problem::bad_request("`for` is missing", hint)),
        (_, Some(_)) => return Err(Problem::bad_request("`for` is not valid here", hint)),
        (_, None) => None,
    };
    let request = ControlRequest { kind, of: alert.clone(), event: body.event, length_ms };
    put_and_answer(&call, &request, &format!("/api/v1/alerts/{alert}")).await
}

fn kind(actions: &[(&str, RequestKind)], action: &str, hint: &str) -> Result<RequestKind, Problem> {
    let kind = actions.iter().find(|(name, _)| *name == action).map(|(_, kind)| *kind);
    kind.ok_or_else(|| Problem::bad_request(format!("There is no action `{}`", excerpt(action)), hint))
}

/// Makes a request, and answers with it and its address.
async fn put_and_answer(call: &Call, control_request: &ControlRequest, path: &str) -> Result<Response, Problem> {
    let store = &call.site().store;
    let request = match submit_request(call.site(), control_request).await? {
        Some(id) => store.request_by_id(&id).await?,
        // If the same request already waits, answers with that one.
        None => {
            let requests = requests(call, control_request.kind.is_for_alert(), &control_request.of).await?;
            requests.into_iter().find(|one| one.request == *control_request && one.state == RequestState::Queued)
        }
    };
    let Some(request) = request else {
        let hint = "Is `topicwatch run` running? It handles waiting requests within seconds; try again then.";
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests are already waiting", hint));
    };
    let mut response = answer(call, [("data", as_json(&request))]).await?;
    *response.status_mut() = StatusCode::ACCEPTED;
    if let Ok(place) = HeaderValue::from_str(&format!("{path}/requests/{}", request.id)) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response.into_response())
}

async fn requests(call: &Call, of_alert: bool, of: &str) -> Result<Vec<Request>, Problem> {
    let store = &call.site().store;
    let requests = if of_alert {
        store.requests_of_alerts(Some(of), MAX_LISTED).await
    } else {
        store.requests_of(of, MAX_LISTED).await
    };
    Ok(requests?)
}

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    list_requests(&call, false, &card.topic).await
}

pub(super) async fn list_of_alert(call: Call) -> Result<Response, Problem> {
    let alert = super::alerts::card(&call).await?.spec.name;
    list_requests(&call, true, &alert).await
}

async fn list_requests(call: &Call, of_alert: bool, of: &str) -> Result<Response, Problem> {
    let requests = requests(call, of_alert, of).await?;
    answer(call, [("data", json!(requests.iter().map(as_json).collect::<Vec<_>>()))]).await
}

pub(super) async fn one(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    find_request(&call, false, &card.topic).await
}

pub(super) async fn one_of_alert(call: Call) -> Result<Response, Problem> {
    // Requests about an alert that no longer exists are still shown.
    find_request(&call, true, call.required("alert")).await
}

async fn find_request(call: &Call, of_alert: bool, of: &str) -> Result<Response, Problem> {
    let request = call.site().store.request_by_id(call.required("request")).await?;
    let is_about = |one: &Request| one.request.of == of && one.request.kind.is_for_alert() == of_alert;
    let request = request.filter(is_about).ok_or_else(|| {
        let hint = "Handled requests are kept for seven days.";
        let title = format!("There is no request `{}`", excerpt(call.required("request")));
        Problem { hint: hint.to_owned(), ..Problem::not_found(title) }
    })?;
    answer(call, [("data", as_json(&request))]).await
}

fn as_json(request: &Request) -> Value {
    let control_request = &request.request;
    let mut actions = ACTIONS.iter().chain(&ALERT_ACTIONS);
    let action = actions.find(|(_, kind)| *kind == control_request.kind).map(|(name, _)| *name);
    if control_request.kind.is_for_alert() {
        return json!({
            "id": request.id,
            "alert": control_request.of,
            "action": action,
            "event": control_request.event,
            "for_ms": control_request.length_ms,
            "asked_at": request.asked_at,
            "state": request.state,
            "answer": request.answer,
        });
    }
    let ran = control_request.kind == RequestKind::RunNow && request.state == RequestState::Done;
    json!({
        "id": request.id,
        "topic": control_request.of,
        "action": action,
        "asked_at": request.asked_at,
        "state": request.state,
        "answer": request.answer,
        "run": ran.then_some(&request.id),
    })
}
