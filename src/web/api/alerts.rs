//! Alerts: what each looks for, its status, and its events.

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::{answer, cut_page};
use crate::model::{AlertCard, AlertEvent, AlertSpec, Firing, Time, excerpt, subject_topic};
use crate::store::EventCursor;
use crate::web::pages::alerts::hours;
use crate::web::problem::Problem;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let after = call.position()?.map(|position| position.key).unwrap_or_default();
    let limit = call.number("limit");
    let mut cards = call.site().store.alert_cards(&after, limit + 1, call.now).await?;
    let more = cut_page(&mut cards, limit);
    let next = cards.last().filter(|_| more).map(|card| call.token(0, &card.spec.name));
    let data: Vec<Value> = cards.iter().map(|card| as_json(card, call.now)).collect();
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}

pub(super) async fn one(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    answer(&call, [("data", as_json(&card, call.now))]).await
}

/// The alert of the path.
pub(super) async fn card(call: &Call) -> Result<AlertCard, Problem> {
    let name = call.required("alert");
    call.site().store.alert_card(name, call.now).await?.ok_or_else(|| {
        let hint = "It may have been removed from the configuration. /api/v1/alerts lists all alerts.";
        let title = format!("There is no alert `{}`", excerpt(name));
        Problem { hint: hint.to_owned(), ..Problem::not_found(title) }
    })
}

pub(super) async fn events(call: Call) -> Result<Response, Problem> {
    let limit = call.number("limit");
    let after = call.position()?.map(|position| EventCursor { at: Time(position.value), event: position.key });
    let most = i64::from(limit) + 1;
    let mut events = call.site().store.alert_events(call.one("alert"), after.as_ref(), most).await?;
    let more = cut_page(&mut events, limit);
    let next = events.last().filter(|_| more).map(|event| call.token(event.at.0, &event.event));
    let specs = call.site().store.alerts().await?;
    let data: Vec<Value> = events.iter().map(|one| event(one, &specs)).collect();
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}

fn as_json(card: &AlertCard, now: Time) -> Value {
    let spec = &card.spec;
    let fires = |one: &Firing| json!({ "subject": one.subject, "topic": subject_topic(&one.subject, Some(spec)), "since": one.since, "acked": one.acked });
    json!({
        "alert": spec.name,
        "rule": spec.rule,
        "topics": spec.topics,
        "tags": spec.tags,
        "words": spec.words,
        "sources": spec.sources,
        "channels": spec.channels,
        "cooldown_ms": spec.cooldown_ms,
        "quiet": spec.quiet.map(hours),
        "timezone": spec.timezone,
        "looked_at": card.looked_at,
        "sent_at": card.sent_at,
        "delivery": card.delivery,
        "cooling_until": card.cooling(now),
        "snoozed_until": card.snoozed(now),
        "paused": spec.paused,
        "firing": card.firing.iter().map(fires).collect::<Vec<_>>(),
        "firing_count": card.firing_in_all,
        "held_back": card.held_back.iter().map(fires).collect::<Vec<_>>(),
        "waiting_count": card.waiting,
    })
}

fn event(event: &AlertEvent, specs: &[AlertSpec]) -> Value {
    let spec = specs.iter().find(|spec| spec.name == event.alert);
    let line = |line: &crate::model::AlertLine| json!({ "text": line.text, "url": line.url, "key": line.key });
    json!({
        "event": event.event,
        "alert": event.alert,
        "subject": event.subject,
        "topic": subject_topic(&event.subject, spec),
        "run": event.run_id(),
        "kind": event.kind,
        "at": event.at,
        "summary": event.summary,
        "lines": event.lines.iter().map(line).collect::<Vec<_>>(),
        "in_message": event.message.is_some(),
        // The former name, until 1.0.
        "told": event.message.is_some(),
        "delivery": event.delivery,
        "muted": event.muted,
        "acked_at": event.acked_at,
    })
}
