//! How the lists of alerts and of their events look in a terminal.

use crate::cli::terminal::output;
use crate::model::{AlertEvent, AlertSpec, AlertState, Delivery, Firing, Time};

/// The subjects that fire, or those held back.
pub(super) fn subjects(alert: &AlertState, held_back: bool) -> impl Iterator<Item = &Firing> {
    alert.firing.iter().filter(move |one| one.is_held_back() == held_back)
}

/// The state of an alert in words.
pub(super) fn state(spec: &AlertSpec, alert: &AlertState, now: Time) -> String {
    let list = |held_back, wanted: &dyn Fn(&Firing) -> bool| {
        let all = subjects(alert, held_back).filter(|one| wanted(one)).map(|one| one.subject.as_str());
        all.collect::<Vec<_>>().join(", ")
    };
    let firing = list(false, &|_| true);
    let parts = [
        ("firing", list(false, &|one| !one.acked)),
        ("firing, acknowledged", list(false, &|one| one.acked)),
        ("held back", list(true, &|_| true)),
    ];
    let snoozed = alert.snoozed_until.filter(|until| *until > now);
    match (snoozed, alert.cursor) {
        // A paused alert checks nothing, so it is unknown whether its subjects still fire.
        _ if spec.paused && !firing.is_empty() => format!("paused; it fired before: {firing}"),
        _ if spec.paused => "paused".to_owned(),
        (Some(until), _) => format!("snoozed until {}", output::format_time(until)),
        (None, None) => "not evaluated yet".to_owned(),
        (None, Some(_)) => {
            let named = parts.iter().filter(|(_, subjects)| !subjects.is_empty());
            let named: Vec<String> = named.map(|(what, subjects)| format!("{what}: {subjects}")).collect();
            if named.is_empty() { "not firing".to_owned() } else { named.join("; ") }
        }
    }
}

/// When the last message was queued, and its state unless it was delivered.
pub(super) fn last_message(alert: &AlertState) -> String {
    let at = output::format_time_or_dash(alert.sent_at);
    match alert.delivery.filter(|delivery| *delivery != Delivery::Delivered) {
        Some(delivery) => format!("{at} ({delivery})"),
        None => at,
    }
}

/// Formats events as a table.
pub(super) fn render(events: &[AlertEvent]) -> String {
    let row = |event: &AlertEvent| {
        let status = match (&event.acked_at, &event.muted, &event.message) {
            (Some(_), ..) => "acknowledged",
            (_, Some(_), _) => "muted",
            (.., Some(_)) => event.delivery.unwrap_or(Delivery::Unknown).as_str(),
            _ => "pending",
        };
        vec![output::format_time(event.at), event.alert.clone(), event.kind.to_string(), status.to_owned()]
    };
    let summaries: Vec<String> = events.iter().map(|event| output::escape_control(&event.summary)).collect();
    let head = ["at", "alert", "what", "state"];
    output::table_with_text((&head, "summary"), events.iter().map(row).collect(), &[], &summaries, output::wrap_width())
}
