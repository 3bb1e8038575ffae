//! `outbox`: lists, retries and drops notifications.

use std::collections::BTreeSet;

use serde_json::json;

use crate::cli::export::deliver;
use crate::cli::export::emptied_message;
use crate::cli::export::outbox_args::{OutboxArgs, OutboxChosenArgs, OutboxListArgs, OutboxVerb};
use crate::cli::export::waiting::{
    alert_cards, alert_of_message, paused_channel, paused_channels, set_next_tries, silence, silences, undeliverable,
    unknown_channels,
};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::model::{OutboxEntry, OutboxState};
use crate::store::Store;

pub(in crate::cli) async fn run(common: &Common, args: &OutboxArgs) -> Result<Exit, Failure> {
    let context = Context::load_without_topics(common)?;
    match &args.verb {
        None => list(&context, &args.list).await,
        Some(OutboxVerb::List(args)) => list(&context, args).await,
        Some(OutboxVerb::Show(args)) => show(&context, &args.event, args.json).await,
        Some(OutboxVerb::Retry(args)) => retry(&context, args).await,
        Some(OutboxVerb::Drop(args)) => drop_messages(&context, args).await,
        Some(OutboxVerb::Deliver(args)) => deliver::run(&context, args.json).await,
    }
}

async fn list(context: &Context, args: &OutboxListArgs) -> Result<Exit, Failure> {
    let store = context.store_to_read().await?;
    let is_configured =
        |posted: &OutboxEntry| context.config.channels.iter().any(|spec| spec.name == posted.message.channel);
    let state = args.state.as_deref().and_then(OutboxState::parse);
    let (mut messages, counts) = (store.outbox(state, args.limit).await?, store.outbox_counts().await?);
    let notes = set_next_tries(context, &store, &mut messages).await?;
    store.close().await;
    if args.json {
        let counts: serde_json::Map<String, serde_json::Value> =
            counts.iter().map(|(state, number)| (state.as_str().to_owned(), json!(number))).collect();
        let messages: Vec<_> =
            messages.iter().map(|posted| ListedMessage { posted, channel_known: is_configured(posted) }).collect();
        output::json(&json!({ "counts": counts, "messages": messages }))?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    let what = |posted: &OutboxEntry| {
        let what = posted.error.as_deref().unwrap_or(&posted.message.subject);
        // No process delivers a message whose channel is gone.
        let lost = posted.state != OutboxState::Sent && !is_configured(posted);
        let mark = if lost { "NO SUCH CHANNEL: " } else { "" };
        format!("{mark}{}", output::truncate(what, 80))
    };
    let row = |posted: &OutboxEntry| {
        vec![
            posted.state.to_string(),
            posted.attempt.to_string(),
            output::format_time_or_dash(posted.delivered_at.or(posted.next_at)),
            posted.message.event.clone(),
        ]
    };
    if messages.is_empty() {
        let none = if counts.is_empty() { "the outbox is empty\n" } else { "no messages in this state\n" };
        text.push_str(none);
    } else {
        let head = (["state", "tries", "at", "event"].as_slice(), "what");
        let rows = messages.iter().map(row).collect();
        let texts: Vec<String> = messages.iter().map(what).collect();
        text.push_str(&output::table_with_text(head, rows, &[1], &texts, output::wrap_width()));
    }
    for note in notes {
        text.push_str(&format!("note: {note}\n"));
    }
    let unsent = messages.iter().filter(|posted| posted.state != OutboxState::Sent);
    for channel in unknown_channels(context, unsent.map(|posted| posted.message.channel.as_str())) {
        text.push_str(&format!("note: no channel {} in the configuration\n", output::truncate(channel, 64)));
    }
    let counts: Vec<String> = counts.iter().map(|(state, number)| format!("{number} {state}")).collect();
    if !counts.is_empty() {
        text.push_str(&format!("{}\n", counts.join(" · ")));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// A message in the JSON list.
#[derive(serde::Serialize)]
struct ListedMessage<'p> {
    #[serde(flatten)]
    posted: &'p OutboxEntry,
    /// Whether the configuration has its channel.
    channel_known: bool,
}

/// Why a message cannot be changed now.
const SENDING: &str = "a process is sending it";

fn unknown_message(event: &str) -> Failure {
    Failure::usage(
        format!("there is no message `{}` in the outbox", output::truncate(event, 200)),
        "`topicwatch outbox` lists them",
    )
}

async fn show(context: &Context, event: &str, as_json: bool) -> Result<Exit, Failure> {
    let store = context.store_to_read().await?;
    let mut posted = store.outbox_message(event).await?.ok_or_else(|| unknown_message(event))?;
    let mut notes = set_next_tries(context, &store, std::slice::from_mut(&mut posted)).await?;
    store.close().await;
    if posted.state != OutboxState::Sent {
        let channel = std::iter::once(posted.message.channel.as_str());
        notes.extend(unknown_channels(context, channel).into_iter().map(undeliverable));
    }
    if as_json {
        output::json(&posted)?;
        return Ok(Exit::Ok);
    }
    let OutboxEntry { message, state, attempt, created_at, next_at, delivered_at, error, .. } = &posted;
    let mut text = format!(
        "event      {}\nchannel    {}\nsubject    {}\nqueued     {}\nstate      {state}, {attempt} {}\n",
        output::escape_control(&message.event),
        output::escape_control(&message.channel),
        output::truncate(&message.subject, 250),
        output::format_time(*created_at),
        if *attempt == 1 { "try" } else { "tries" },
    );
    for (name, at) in [("next try", next_at), ("delivered", delivered_at)] {
        if let Some(at) = at {
            text.push_str(&format!("{name:<11}{}\n", output::format_time(*at)));
        }
    }
    for note in notes {
        text.push_str(&format!("note       {note}\n"));
    }
    if let Some(error) = error {
        text.push_str(&format!("last error {}\n", output::truncate(error, 400)));
    }
    text.push('\n');
    if posted.has_no_body() {
        text.push_str(&format!("{}\n", emptied_message::reason_and_hint(&posted).0));
    }
    for line in message.text.lines().take(200) {
        text.push_str(&output::escape_control(line));
        text.push('\n');
    }
    if message.text.lines().count() > 200 {
        text.push_str("… (--json shows all)\n");
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// Returns the named messages in full, or all dead messages.
async fn selected_messages(store: &Store, args: &OutboxChosenArgs) -> Result<Vec<OutboxEntry>, Failure> {
    if args.dead {
        return Ok(store.outbox(Some(OutboxState::Dead), u32::MAX).await?);
    }
    let mut all = Vec::with_capacity(args.events.len());
    for event in &args.events {
        all.push(store.outbox_message(event).await?.ok_or_else(|| unknown_message(event))?);
    }
    Ok(all)
}

async fn retry(context: &Context, args: &OutboxChosenArgs) -> Result<Exit, Failure> {
    let store = context.store(false).await?;
    let selected = selected_messages(&store, args).await?;
    if let Some(posted) = selected.iter().find(|posted| !args.dead && posted.has_no_body()) {
        let event = output::truncate(&posted.message.event, 200);
        let (why, hint) = emptied_message::reason_and_hint(posted);
        return Err(Failure::usage(format!("{event}: {why}"), hint));
    }
    let events = (!args.dead).then_some(args.events.as_slice());
    let now = (context.clock)();
    let queued = store.retry_messages(events, now).await?;
    let alerts = selected.iter().filter(|_| queued > 0).filter_map(alert_of_message).collect();
    let cards = alert_cards(&store, alerts, now).await?;
    store.close().await;
    let card = |posted: &OutboxEntry| alert_of_message(posted).and_then(|alert| cards.get(alert));
    // Messages of a paused alert are dropped, even if their channel is paused.
    let is_dropped = |posted: &OutboxEntry| card(posted).is_some_and(|card| card.spec.paused);
    let kept: Vec<&OutboxEntry> = selected.iter().filter(|&posted| !is_dropped(posted)).collect();
    let channels = || kept.iter().map(|posted| posted.message.channel.as_str());
    let lost = unknown_channels(context, channels());
    let paused = if queued > 0 { paused_channels(context, channels()) } else { BTreeSet::new() };
    let waits = |posted: &OutboxEntry| {
        let channel = posted.message.channel.as_str();
        lost.contains(channel)
            || paused.contains(channel)
            || card(posted).is_some_and(|card| silence(card, now).is_some())
    };
    let tried = !selected.iter().all(waits);
    let how =
        if tried && queued > 0 { "; a running daemon delivers them, or run `topicwatch outbox deliver`" } else { "" };
    let mut text = format!("queued again: {queued}{how}\n");
    let left = u64::try_from(selected.len()).unwrap_or(u64::MAX).saturating_sub(queued);
    if left > 0 {
        let why = if args.dead { emptied_message::ERASED } else { SENDING };
        text.push_str(&format!("not queued: {left}: {why}\n"));
    }
    let of_alerts =
        selected.iter().filter_map(|posted| Some((alert_of_message(posted)?, posted.message.channel.as_str())));
    for note in silences(context, &cards, of_alerts, now) {
        text.push_str(&format!("note: {note}\n"));
    }
    for channel in &paused {
        text.push_str(&format!("note: {}\n", paused_channel(channel)));
    }
    for channel in &lost {
        text.push_str(&format!("note: {}\n", undeliverable(channel)));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

async fn drop_messages(context: &Context, args: &OutboxChosenArgs) -> Result<Exit, Failure> {
    let store = context.store(false).await?;
    let selected = selected_messages(&store, args).await?;
    if let Some(sent) = selected.iter().find(|posted| posted.state == OutboxState::Sent) {
        return Err(Failure::usage(
            format!("{} was already sent", output::truncate(&sent.message.event, 200)),
            "only dead or queued messages can be dropped",
        ));
    }
    let events = (!args.dead).then_some(args.events.as_slice());
    let gone = store.drop_messages(events, (context.clock)()).await?;
    store.close().await;
    let mut text = String::new();
    for event in &gone {
        text.push_str(&format!("dropped: {}\n", output::escape_control(event)));
    }
    for event in args.events.iter().filter(|event| !gone.contains(event)) {
        text.push_str(&format!("not dropped: {}: {SENDING}\n", output::escape_control(event)));
    }
    if gone.is_empty() && args.dead {
        text.push_str("no dead messages\n");
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}
