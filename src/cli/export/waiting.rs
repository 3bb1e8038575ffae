//! Why messages wait or are never sent: an alert that is silent, and channels that the configuration does not have.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::model::{AlertCard, Time};
use crate::store::{Store, StoreError};

/// Returns the cards of those of these alerts that are in force.
pub(super) async fn alert_cards<'p>(
    store: &Store,
    alerts: BTreeSet<&'p str>,
    now: Time,
) -> Result<BTreeMap<&'p str, AlertCard>, StoreError> {
    let mut cards = BTreeMap::new();
    for alert in alerts {
        if let Some(card) = store.alert_card(alert, now).await? {
            cards.insert(alert, card);
        }
    }
    Ok(cards)
}

/// Why an alert sends nothing now, and what that means for its messages; `None` if it may send.
pub(super) fn silence(card: &AlertCard, now: Time) -> Option<String> {
    let alert = output::truncate(&card.spec.name, 64);
    if card.spec.paused {
        return Some(format!(
            "alert {alert} is paused: its messages are not sent, and the next run drops them unless it is resumed before"
        ));
    }
    let until = card.silent(now)?;
    let why = match card.snoozed(now) {
        None => "has quiet hours",
        Some(end) if end < until => "is snoozed, then has quiet hours",
        Some(_) => "is snoozed",
    };
    // Longer if their channel asked for a pause, or if they failed before.
    Some(format!("alert {alert} {why}: its messages wait at least until {}", output::format_time(until)))
}

/// Describes which of the alerts of these messages, given as alert and channel, send nothing now. A message whose channel
/// sends nothing does not count unless its alert drops it: it is not sent when the alert's silence ends.
pub(super) fn silences<'p>(
    context: &Context,
    cards: &BTreeMap<&'p str, AlertCard>,
    messages: impl Iterator<Item = (&'p str, &'p str)>,
    now: Time,
) -> Vec<String> {
    let sends = |channel: &str| context.config.channels.iter().any(|spec| spec.name == channel && !spec.paused);
    let counts = |alert: &str, channel: &str| cards.get(alert).is_some_and(|card| card.spec.paused || sends(channel));
    let alerts: BTreeSet<&str> =
        messages.filter(|(alert, channel)| counts(alert, channel)).map(|(alert, _)| alert).collect();
    alerts.into_iter().filter_map(|alert| silence(cards.get(alert)?, now)).collect()
}

/// Returns those of these channels that the configuration does not have.
pub(super) fn unknown_channels<'p>(context: &Context, channels: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
    let is_configured = |channel: &str| context.config.channels.iter().any(|spec| spec.name == channel);
    channels.filter(|channel| !is_configured(channel)).collect()
}

/// Describes messages whose channel the configuration does not have.
pub(super) fn undeliverable(channel: &str) -> String {
    format!(
        "no channel {} in the configuration: its messages are not delivered (`topicwatch outbox drop` removes them)",
        output::truncate(channel, 64)
    )
}
