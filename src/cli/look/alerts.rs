//! `alerts`: lists, tests, acknowledges and snoozes alerts, and evaluates them in a running process. The backtest is in
//! `alert_backtest`. `alert` decides when an alert fires.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::alert_backtest::{self, AlertsBacktestArgs};
use super::alert_text::{last_message, render, state, subjects};
use crate::alert;
use crate::cli::examples;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::cli::wiring::{channels, ids};
use crate::daemon::Watch;
use crate::draw::format::count_noun;
use crate::model::{AlertEvent, AlertSpec, Clock, Firing};
use crate::notify::DeliveryWorker;
use crate::store::Store;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct AlertsArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub verb: Option<AlertsVerb>,
    /// Options of `list`
    #[command(flatten)]
    pub list: AlertsListOptions,
}

/// What can be done with alerts.
#[derive(Debug, Subcommand)]
pub enum AlertsVerb {
    /// List alerts, their state and their latest events
    #[command(after_help = examples::ALERTS_LIST)]
    List(AlertsListArgs),
    /// Send a test message to an alert's channels now, bypassing the outbox
    #[command(after_help = examples::ALERTS_TEST)]
    Test {
        /// Name of the alert
        name: String,
    },
    /// Show when an alert would have fired and on which items; stores and sends nothing
    #[command(after_help = examples::ALERTS_BACKTEST)]
    Backtest(AlertsBacktestArgs),
    /// Acknowledge an alert: waiting messages and the all-clear are not sent
    #[command(after_help = examples::ALERTS_ACK)]
    Ack {
        /// Name of the alert
        name: String,
        /// Only this event, as listed by `alerts list --json`
        #[arg(long, value_name = "EVENT")]
        event: Option<String>,
    },
    /// Silence an alert for a while; its events are listed but not sent
    #[command(after_help = examples::ALERTS_SNOOZE)]
    Snooze(AlertsSnoozeArgs),
}

#[derive(Debug, Args)]
pub struct AlertsListArgs {
    /// Only these alerts
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub options: AlertsListOptions,
}

#[derive(Debug, Args)]
pub struct AlertsListOptions {
    /// At most this many events
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// The longest snooze, as in the API.
const LONGEST_SNOOZE: Duration = Duration::from_secs(366 * 86_400);

#[derive(Debug, Args)]
pub struct AlertsSnoozeArgs {
    /// Name of the alert
    pub name: String,
    /// For how long: 30m, 2h, 3d
    #[arg(long = "for", value_name = "DURATION", default_value = "1h", conflicts_with = "off")]
    pub length: String,
    /// End the silence now
    #[arg(long)]
    pub off: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &AlertsArgs) -> Result<Exit, Failure> {
    let at = match &args.verb {
        Some(AlertsVerb::Backtest(args)) => args.at.as_deref(),
        Some(AlertsVerb::List(args)) => args.options.at.as_deref(),
        None => args.list.at.as_deref(),
        _ => None,
    };
    let context = Context::load(common, at)?;
    match &args.verb {
        None => list(&context, &[], &args.list).await,
        Some(AlertsVerb::List(args)) => list(&context, &args.names, &args.options).await,
        Some(AlertsVerb::Test { name }) => test(&context, name).await,
        Some(AlertsVerb::Backtest(args)) => {
            alert_backtest::run(&context, find_alert(&context, &args.name)?, args).await
        }
        Some(AlertsVerb::Ack { name, event }) => ack(&context, name, event.as_deref()).await,
        Some(AlertsVerb::Snooze(args)) => snooze(&context, args).await,
    }
}

/// Returns the callback with which a long-running process evaluates its alerts.
pub(in crate::cli) fn evaluator(store: &Store, clock: &Clock, courier: DeliveryWorker) -> Watch {
    let (store, clock) = (store.clone(), Arc::clone(clock));
    Arc::new(move |stop: CancellationToken| {
        let (store, clock, courier) = (store.clone(), Arc::clone(&clock), courier.clone());
        Box::pin(async move {
            match alert::evaluate(&store, clock(), &|| stop.is_cancelled()).await {
                Ok(evaluation) if evaluation.events > 0 || evaluation.messages > 0 => {
                    tracing::info!(events = evaluation.events, messages = evaluation.messages, "alerts");
                    courier.wake();
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!("alerts could not be evaluated: {error}; trying again at the next evaluation");
                }
            }
        })
    })
}

/// Finds an alert of the configuration by its name.
fn find_alert<'c>(context: &'c Context, name: &str) -> Result<&'c AlertSpec, Failure> {
    let alerts = &context.config.alerts;
    let names = || alerts.iter().map(|alert| alert.name.as_str()).collect::<Vec<_>>();
    alerts.iter().find(|alert| alert.name == name).ok_or_else(|| context.unknown("alert", name, &names()))
}

/// Lists the alerts with these names, or all.
async fn list(context: &Context, names: &[String], args: &AlertsListOptions) -> Result<Exit, Failure> {
    for name in names {
        find_alert(context, name)?;
    }
    let store = context.store_to_read().await?;
    let now = (context.clock)();
    let mut alert_states = Vec::with_capacity(context.config.alerts.len());
    for spec in context.config.alerts.iter().filter(|spec| names.is_empty() || names.contains(&spec.name)) {
        let mut alert_state = store.alert_state(&spec.name).await?;
        alert_state.firing.retain(|one| !one.is_over(now));
        alert_states.push((spec, alert_state));
    }
    // One more than the limit shows whether there are more.
    let mut events = latest_events(&store, names, args.limit.saturating_add(1)).await?;
    let more = events.len() > args.limit as usize;
    events.truncate(args.limit as usize);
    store.close().await;
    if args.json {
        let alerts = alert_states.iter().map(|(spec, alert_state)| {
            let one = |one: &Firing| json!({ "subject": one.subject, "since": one.since, "acked": one.acked });
            let listed = |held_back: bool| subjects(alert_state, held_back).map(one).collect::<Vec<_>>();
            json!({
                "name": spec.name, "rule": spec.rule, "channels": spec.channels, "paused": spec.paused,
                "looked_at": alert_state.cursor.map(|(_, at)| at), "sent_at": alert_state.sent_at, "delivery": alert_state.delivery,
                "snoozed_until": alert_state.snoozed_until,
                "firing": listed(false), "held_back": listed(true),
                "waiting": alert_state.waiting_in_all,
            })
        });
        output::json(&json!({ "alerts": alerts.collect::<Vec<_>>(), "events": events }))?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    let rows = alert_states.iter().map(|(spec, alert_state)| {
        let state = output::truncate(&state(spec, alert_state, now), 200);
        let text = match &*spec.channels {
            [] => format!("{state}; no channel"),
            channels => format!("{state}; sends to {}", channels.join(" ")),
        };
        let row = vec![
            spec.name.clone(),
            spec.rule.to_string(),
            alert_state.waiting_in_all.to_string(),
            last_message(alert_state),
        ];
        (row, text)
    });
    if alert_states.is_empty() {
        text.push_str(&format!(
            "{} has no [[alerts]]; docs/how-to/alerts.md explains how to write one\n",
            output::escape_control(&context.config.file.display().to_string())
        ));
    } else {
        // As events without a message are called below; a message that was not sent yet is `waiting`.
        let head = ["alert", "rule", "pending", "last message"];
        let (rows, states): (Vec<Vec<String>>, Vec<String>) = rows.unzip();
        text.push_str(&output::table_with_text((&head, "state"), rows, &[2], &states, output::wrap_width()));
    }
    if !events.is_empty() {
        text.push('\n');
        text.push_str(&render(&events));
    }
    if more {
        text.push_str(&format!("\nthe latest {}; --limit N for more\n", count_noun(events.len() as u64, "event")));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// The latest events of the alerts with these names, or of all, the latest first.
async fn latest_events(store: &Store, names: &[String], limit: u32) -> Result<Vec<AlertEvent>, Failure> {
    if names.is_empty() {
        return Ok(store.alert_events(None, None, i64::from(limit)).await?);
    }
    let mut events = Vec::new();
    for name in names.iter().collect::<BTreeSet<_>>() {
        events.extend(store.alert_events(Some(name.as_str()), None, i64::from(limit)).await?);
    }
    events.sort_by(|a, b| (b.at, &b.event).cmp(&(a.at, &a.event)));
    events.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(events)
}

async fn test(context: &Context, name: &str) -> Result<Exit, Failure> {
    let spec = find_alert(context, name)?;
    if spec.channels.is_empty() {
        return Err(Failure::usage(
            format!("the alert `{name}` has no channel"),
            "set channels = [\"…\"] in it, and define the channel in [[channels]]",
        ));
    }
    let all = channels::read(&context.config)?;
    let now = (context.clock)();
    let mut good = true;
    for message in alert::test_messages(spec, &ids::token(), now, context.is_sandbox()) {
        let Some(channel) = all.iter().find(|channel| channel.name == message.channel) else { continue };
        let line = match channel.send(&message, now, 1, now).await {
            Ok(()) => format!("{}: delivered\n", channel.name),
            Err(refusal) => {
                good = false;
                format!("{}: not delivered: {}\n", channel.name, output::truncate(&refusal.text, 300))
            }
        };
        output::text(&line)?;
    }
    Ok(if good { Exit::Ok } else { Exit::Searches })
}

async fn ack(context: &Context, name: &str, event: Option<&str>) -> Result<Exit, Failure> {
    find_alert(context, name)?;
    let store = context.store(false).await?;
    let acknowledged = store.ack_alert(name, event, (context.clock)()).await?.events;
    store.close().await;
    if acknowledged == 0 && event.is_some() {
        return Err(Failure::usage(
            format!("{name} has no such unacknowledged event"),
            "`topicwatch alerts list --json` lists them",
        ));
    }
    output::text(&match acknowledged {
        0 => format!("{name}: no unacknowledged events\n"),
        1 => format!("{name}: 1 event acknowledged\n"),
        many => format!("{name}: {many} events acknowledged\n"),
    })?;
    Ok(Exit::Ok)
}

async fn snooze(context: &Context, args: &AlertsSnoozeArgs) -> Result<Exit, Failure> {
    find_alert(context, &args.name)?;
    let now = (context.clock)();
    let length = || {
        let length = crate::schedule::parse_duration(&args.length)
            .map_err(|wrong| Failure::usage(format!("--for: {}", wrong.message), wrong.hint))?;
        if length > LONGEST_SNOOZE {
            let text = format!("--for: {} is longer than 366 days", output::truncate(&args.length, 40));
            return Err(Failure::usage(
                text,
                "write 366d or less; `paused = true` in its [[alerts]] lasts until you remove it",
            ));
        }
        Ok(length)
    };
    let until = if args.off { None } else { Some(now.plus(length()?)) };
    let store = context.store(false).await?;
    store.snooze_alert(&args.name, until).await?;
    store.close().await;
    let text = match until {
        Some(until) => {
            format!("{} snoozed until {}; events are listed but not sent\n", args.name, output::format_time(until))
        }
        None => format!("{} no longer snoozed\n", args.name),
    };
    output::text(&text)?;
    Ok(Exit::Ok)
}
