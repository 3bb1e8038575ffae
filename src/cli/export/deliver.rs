//! `outbox deliver`: delivers what is due now, and says which messages wait for their channel or their alert.

use serde_json::json;

use crate::cli::export::deliveries;
use crate::cli::export::waiting::{alert_cards, silences, tried_at, undeliverable, unknown_channels};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::{channels, jobs};
use crate::model::{AlertCard, Time};
use crate::store::{Store, StoreError, WaitingMessages};

pub(super) async fn run(context: &Context, as_json: bool) -> Result<Exit, Failure> {
    let channels = channels::read(&context.config)?;
    if channels.is_empty() && context.config.channels.is_empty() {
        return Err(Failure::usage(
            format!("{} has no [[channels]]", output::escape_control(&context.config.file.display().to_string())),
            "add [[channels]] with a name, a kind and a destination",
        ));
    }
    let store = context.store(false).await?;
    let tries = jobs::delivery_worker(&store, &context.clock).deliver_due(&channels).await?;
    if as_json {
        store.close().await;
        output::json(&json!({ "deliveries": tries.iter().map(deliveries::to_json).collect::<Vec<_>>() }))?;
        return Ok(deliveries::exit_code(&tries));
    }
    let (next, notes) = next_try_and_notes(context, &store).await?;
    store.close().await;
    let mut text = deliveries::render(&tries);
    if tries.is_empty() {
        // A message that waits for its channel or its alert may have been due.
        let what = if notes.is_empty() { "nothing was due" } else { "nothing was sent" };
        let next = next.map_or_else(String::new, |at| format!("; the next try is at {}", output::format_time(at)));
        text.push_str(&format!("{what}{next}\n"));
    }
    for note in notes {
        text.push_str(&format!("note: {note}\n"));
    }
    output::text(&text)?;
    Ok(deliveries::exit_code(&tries))
}

/// Returns when the next message is tried, and notes on messages that wait for their channel or their alert.
async fn next_try_and_notes(context: &Context, store: &Store) -> Result<(Option<Time>, Vec<String>), StoreError> {
    let (waiting, now) = (store.waiting_messages().await?, (context.clock)());
    let alerts = waiting.iter().filter_map(|one| one.alert.as_deref()).collect();
    let cards = alert_cards(store, alerts, now).await?;
    let card = |one: &WaitingMessages| one.alert.as_deref().and_then(|alert| cards.get(alert));
    let queued = waiting.iter().filter(|one| one.queued > 0);
    let of_alerts = queued.filter_map(|one| Some((one.alert.as_deref()?, one.channel.as_str())));
    let mut notes = silences(context, &cards, of_alerts, now);
    // Messages of a paused alert are dropped, even if their channel is paused.
    let is_dropped = |one: &WaitingMessages| card(one).is_some_and(|card| card.spec.paused);
    let kept: Vec<&WaitingMessages> = waiting.iter().filter(|&one| !is_dropped(one)).collect();
    let mut next: Option<Time> = None;
    for spec in &context.config.channels {
        let of_channel: Vec<&WaitingMessages> = kept.iter().copied().filter(|one| one.channel == spec.name).collect();
        if of_channel.is_empty() {
            continue;
        }
        let asked = store.channel_pause(&spec.name).await?.filter(|until| *until > now);
        if !spec.paused {
            let tries = of_channel.iter().filter_map(|&one| next_try(one, asked, card(one), now));
            next = next.into_iter().chain(tries).min();
        }
        let wait = match of_channel.iter().map(|one| one.queued).sum::<i64>() {
            0 => continue,
            1 => "1 message waits".to_owned(),
            many => format!("{many} messages wait"),
        };
        let channel = output::truncate(&spec.name, 64);
        if spec.paused {
            notes.push(format!("channel {channel} is paused: {wait} until it is resumed"));
        } else if let Some(until) = asked {
            // A message that failed may wait longer.
            let until = output::format_time(until);
            notes.push(format!("channel {channel} asked for a pause: {wait} at least until {until}"));
        }
    }
    let queued = kept.iter().filter(|one| one.queued > 0);
    let unknown = unknown_channels(context, queued.map(|one| one.channel.as_str()));
    notes.extend(unknown.into_iter().map(undeliverable));
    Ok((next, notes))
}

/// When the first of these messages is tried, even if the process that is sending them stopped: not before the end of
/// the pause that the channel asked for, and not while their alert is silent.
fn next_try(of: &WaitingMessages, asked: Option<Time>, alert: Option<&AlertCard>, now: Time) -> Option<Time> {
    // A message that has just become due is tried at once.
    Some(tried_at(of.next_at?.max(asked.unwrap_or(now)).max(now), alert, now))
}
