//! Requests about an alert: to acknowledge it, or to snooze it for a while. The buttons, what they do, and the
//! outcome of earlier requests.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use crate::draw::format;
use crate::model::{AlertCard, AlertEvent, ControlRequest, RequestKind, Time};
use crate::web::access::visitor::Visitor;
use crate::web::layout;
use crate::web::pages::topic::actions::{form, may_ask, name, request_row, submit_request};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Maximum number of requests shown.
const MAX_LISTED: u32 = 5;
/// For how long an alert can be snoozed here: the value, milliseconds and label.
const LENGTHS: [(&str, i64, &str); 5] = [
    ("1h", 3_600_000, "1 hour"),
    ("4h", 14_400_000, "4 hours"),
    ("1d", 86_400_000, "1 day"),
    ("3d", 259_200_000, "3 days"),
    ("7d", 604_800_000, "7 days"),
];

/// The buttons of an alert.
pub(in crate::web::pages) fn of_alert(card: &AlertCard, now: Time) -> Markup {
    let alert = &card.spec.name;
    let news = card.waiting > 0 || card.firing_in_all > card.acked_in_all;
    html! { div.actions {
        @if news { (button(RequestKind::Ack, alert, None, &format!("Acknowledge {alert}"))) }
        @if card.snoozed(now).is_some() { (button(RequestKind::Unsnooze, alert, None, &format!("End the snooze of {alert}"))) }
        form method="post" action="/alerts" {
            input type="hidden" name="kind" value=(RequestKind::Snooze);
            input type="hidden" name="alert" value=(alert);
            label.quiet for=(format::id(alert, "length")) { "How long to snooze " (alert) }
            select id=(format::id(alert, "length")) name="length" { @for (word, _, label) in LENGTHS { option value=(word) { (label) } } }
            " " button type="submit" aria-label=(format!("Snooze {alert}")) { (name(RequestKind::Snooze)) }
        }
    } }
}

/// The button of an event that nobody acknowledged.
pub(super) fn of_event(event: &AlertEvent) -> Markup {
    let label = format!("Acknowledge: {}", format::line(&event.summary, 120));
    button(RequestKind::Ack, &event.alert, Some(&event.event), &label)
}

fn button(kind: RequestKind, alert: &str, event: Option<&str>, label: &str) -> Markup {
    html! { form method="post" action="/alerts" {
        input type="hidden" name="kind" value=(kind);
        input type="hidden" name="alert" value=(alert);
        @if let Some(event) = event { input type="hidden" name="event" value=(event); }
        button.plain[event.is_some()] type="submit" aria-label=(label) { (name(kind)) }
    } }
}

/// The outcome of the latest requests, for one alert or for all.
pub(super) async fn latest_requests(site: &Site, alert: Option<&str>, visitor: &Visitor) -> Result<Markup, Problem> {
    if !site.may_act(visitor) {
        return Ok(html! {});
    }
    let requests = site.store.requests_of_alerts(alert, MAX_LISTED).await?;
    Ok(html! { @if !requests.is_empty() { ul.meta { @for request in &requests { li {
        (name(request.request.kind)) @if request.request.kind == RequestKind::Unsnooze { " of" } " " strong { (format::line(&request.request.of, 64)) }
        @if request.request.event.is_some() { " (one event)" }
        @if let Some(entry) = LENGTHS.iter().find(|(_, length, _)| Some(*length) == request.request.length_ms) { " for " (entry.2) }
        (request_row(request, "UTC", visitor))
    } } } } })
}

/// Handles a button.
pub(in crate::web) async fn ask(State(app): State<App>, body: Body) -> Response {
    match handle_form(&app.site, body).await {
        Ok(()) => Redirect::to("/alerts").into_response(),
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn handle_form(site: &Site, body: Body) -> Result<(), Problem> {
    may_ask(site)?;
    let form = form(body).await?;
    let kind = form.word("kind", |word| RequestKind::parse(word).filter(|kind| kind.is_for_alert()))?;
    let kind = kind.ok_or_else(|| form.invalid("kind"))?;
    let name = form.get("alert").unwrap_or("");
    let length = |word: &str| LENGTHS.iter().find(|(known, ..)| *known == word).map(|(_, length, _)| *length);
    let length_ms = match kind {
        RequestKind::Snooze => Some(form.word("length", length)?.ok_or_else(|| form.invalid("length"))?),
        _ => None,
    };
    if site.store.alert_card(name, site.now()).await?.is_none() {
        return Err(unknown());
    }
    let event = form.get("event").filter(|_| kind == RequestKind::Ack).map(str::to_owned);
    submit_request(site, &ControlRequest { kind, of: name.to_owned(), event, length_ms }).await.map(drop)
}

pub(in crate::web::pages) fn unknown() -> Problem {
    let hint = "It may have been renamed or removed from the configuration. /alerts lists all alerts.";
    Problem { hint: hint.to_owned(), ..Problem::not_found("There is no such alert") }
}
