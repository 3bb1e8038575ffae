//! Finds out when messages are tried next, why they wait, and why they are never sent: their alert is silent, or their
//! channel is paused or not configured.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::model::{AlertCard, JobKind, OutboxEntry, OutboxState, Time, alert_of};
use crate::store::{Store, StoreError};

/// Returns the cards of these alerts, as far as they are in force.
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

/// Returns the alert that a message is from.
pub(super) fn alert_of_message(posted: &OutboxEntry) -> Option<&str> {
    posted.origin.as_deref().filter(|_| posted.message.kind == JobKind::Alert.as_str()).and_then(alert_of)
}

/// Returns when a message that is due at `due` is tried: not while its alert is silent.
pub(super) fn tried_at(due: Time, alert: Option<&AlertCard>, now: Time) -> Time {
    alert.and_then(|card| card.silent(due.max(now))).unwrap_or(due)
}

/// Sets when each queued message is tried next, and returns why some wait: their channel is paused, or their alert is
/// paused or silent. A message that is not tried until somebody changes that has no next try.
pub(super) async fn set_next_tries(
    context: &Context,
    store: &Store,
    messages: &mut [OutboxEntry],
) -> Result<Vec<String>, StoreError> {
    let now = (context.clock)();
    let all: &[OutboxEntry] = messages;
    let queued = || all.iter().filter(|posted| posted.state == OutboxState::Queued);
    let cards = alert_cards(store, queued().filter_map(alert_of_message).collect(), now).await?;
    let of_alerts = queued().filter_map(|posted| Some((alert_of_message(posted)?, posted.message.channel.as_str())));
    let mut notes = silences(context, &cards, of_alerts, now);
    let card = |posted: &OutboxEntry| alert_of_message(posted).and_then(|alert| cards.get(alert));
    // Messages of a paused alert are dropped, even if their channel is paused.
    let kept = queued().filter(|&posted| !card(posted).is_some_and(|card| card.spec.paused));
    let paused = paused_channels(context, kept.map(|posted| posted.message.channel.as_str()));
    notes.extend(paused.into_iter().map(paused_channel));
    let next = |posted: &OutboxEntry| {
        let due = posted.next_at.filter(|_| is_sending_channel(context, &posted.message.channel))?;
        let card = card(posted);
        (!card.is_some_and(|card| card.spec.paused)).then(|| tried_at(due, card, now))
    };
    let tries: Vec<Option<Time>> = all.iter().map(next).collect();
    for (posted, next) in messages.iter_mut().zip(tries) {
        posted.next_at = next;
    }
    Ok(notes)
}

/// Whether the configuration has a channel and does not pause it.
fn is_sending_channel(context: &Context, channel: &str) -> bool {
    context.config.channels.iter().any(|spec| spec.name == channel && !spec.paused)
}

/// Why an alert sends nothing now, and what happens to its messages; `None` if it may send.
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

/// Describes which of the alerts of these messages, given as alert and channel, send nothing now. A message whose
/// channel sends nothing does not count unless its alert drops it, because it is not sent when the alert's silence
/// ends.
pub(super) fn silences<'p>(
    context: &Context,
    cards: &BTreeMap<&'p str, AlertCard>,
    messages: impl Iterator<Item = (&'p str, &'p str)>,
    now: Time,
) -> Vec<String> {
    let counts = |alert: &str, channel: &str| {
        cards.get(alert).is_some_and(|card| card.spec.paused || is_sending_channel(context, channel))
    };
    let alerts: BTreeSet<&str> =
        messages.filter(|(alert, channel)| counts(alert, channel)).map(|(alert, _)| alert).collect();
    alerts.into_iter().filter_map(|alert| silence(cards.get(alert)?, now)).collect()
}

/// Returns those of these channels that the configuration pauses.
pub(super) fn paused_channels<'p>(context: &Context, channels: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
    let is_paused = |channel: &str| context.config.channels.iter().any(|spec| spec.name == channel && spec.paused);
    channels.filter(|channel| is_paused(channel)).collect()
}

/// Describes messages whose channel the configuration pauses.
pub(super) fn paused_channel(channel: &str) -> String {
    format!("channel {} is paused: its messages wait until it is resumed", output::truncate(channel, 64))
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
