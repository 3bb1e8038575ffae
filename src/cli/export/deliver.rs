//! `outbox deliver`: delivers what is due now, and says which messages wait for their channel.

use serde_json::json;

use crate::cli::export::deliveries;
use crate::cli::export::outbox::{undeliverable, unknown_channels};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::{channels, jobs};
use crate::model::{OutboxState, Time};
use crate::store::{Store, StoreError};

pub(super) async fn run(context: &Context, as_json: bool) -> Result<Exit, Failure> {
    let channels = channels::read(&context.config)?;
    if channels.is_empty() && context.config.channels.is_empty() {
        return Err(Failure::usage(
            format!("{} has no [[channels]]", output::escape_control(&context.config.file.display().to_string())),
            "add [[channels]] with a name, a kind and a destination",
        ));
    }
    let store = context.store(false).await?;
    let tries = jobs::courier(&store, &context.clock).deliver_due(&channels).await?;
    let mut next: Option<Time> = None;
    for channel in channels.iter().filter(|_| tries.is_empty()) {
        next = next.into_iter().chain(store.next_message(&channel.name).await?).min();
    }
    let notes = if as_json { Vec::new() } else { waiting_notes(context, &store).await? };
    store.close().await;
    if as_json {
        output::json(&json!({ "deliveries": tries.iter().map(deliveries::to_json).collect::<Vec<_>>() }))?;
        return Ok(deliveries::exit_code(&tries));
    }
    let mut text = deliveries::render(&tries);
    if tries.is_empty() {
        // A message that waits for its channel may be due.
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

/// Describes the messages whose channels are paused, asked for a pause, or are not in the configuration.
async fn waiting_notes(context: &Context, store: &Store) -> Result<Vec<String>, StoreError> {
    let (waiting, now) = (store.outbox(Some(OutboxState::Queued), u32::MAX).await?, (context.clock)());
    let mut notes = Vec::new();
    for spec in &context.config.channels {
        let wait = match waiting.iter().filter(|posted| posted.message.channel == spec.name).count() {
            0 => continue,
            1 => "1 message waits".to_owned(),
            many => format!("{many} messages wait"),
        };
        let channel = output::truncate(&spec.name, 64);
        if spec.paused {
            notes.push(format!("channel {channel} is paused: {wait} until it is resumed"));
        } else if let Some(until) = store.channel_pause(&spec.name).await?.filter(|until| *until > now) {
            // A message that failed may wait longer.
            let until = output::format_time(until);
            notes.push(format!("channel {channel} asked for a pause: {wait} at least until {until}"));
        }
    }
    notes.extend(unknown_channels(context, waiting.iter()).into_iter().map(undeliverable));
    Ok(notes)
}
