//! `alerts backtest`: when an alert would have fired, and with `--events` how well that fits what really happened.
//! `alert` evaluates and measures; this file calls it and prints the result.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::alert::{self, Backtest, MeasuredRule, Measurement};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::{input, output};
use crate::cli::wiring::context::Context;
use crate::draw::format::count_noun;
use crate::insight::RealEvent;
use crate::model::{AlertEvent, AlertEventKind, AlertRule, AlertSpec, Time, format_duration};

/// The most runs a backtest evaluates.
const MOST_RUNS: u64 = 100_000;
/// The most bytes of a list of real events.
const LONGEST: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct AlertsBacktestArgs {
    /// Name of the alert
    pub name: String,
    /// How far back
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3_660))]
    pub days: u32,
    /// Compare with real events: CSV of begin[,end][,label][,topic], days or times; - for stdin
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(super) async fn run(context: &Context, spec: &AlertSpec, args: &AlertsBacktestArgs) -> Result<Exit, Failure> {
    if spec.rule == AlertRule::Budget {
        return Err(Failure::usage(
            alert::NO_BUDGET_BACKTEST,
            "`topicwatch plan` shows on which days the budget will be used up",
        ));
    }
    let events = args.events.as_ref().map(|file| real_events(context, spec, file)).transpose()?;
    let store = context.store_to_read().await?;
    let since = Time((context.clock)().0.saturating_sub(i64::from(args.days) * 86_400_000));
    let backtest = alert::backtest(&store, spec, since, MOST_RUNS).await?;
    store.close().await;
    let measured = events.map(|events| alert::measure(spec, &backtest, &events));
    if args.json {
        let mut printed = json!({
            "alert": spec.name, "since": since, "runs": backtest.runs, "cut": backtest.cut, "events": backtest.events,
            "pruned_until": backtest.pruned_until, "without_text": backtest.without_text,
        });
        if let (Some(measured), Value::Object(printed)) = (&measured, &mut printed) {
            printed.insert("measured".to_owned(), measurement_to_json(measured));
        }
        output::json(&printed)?;
        return Ok(Exit::Ok);
    }
    let mut text = render_events(&backtest, since);
    if let Some(measured) = &measured {
        text.push('\n');
        text.push_str(&render_measurement(measured));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// Reads the list of real events from a file.
fn real_events(context: &Context, spec: &AlertSpec, file: &std::path::Path) -> Result<Vec<RealEvent>, Failure> {
    let text = input::read(file, LONGEST, "name a CSV file of real events: begin[,end][,label][,topic]")?;
    let watched = context.config.topics.iter().filter(|topic| spec.matches_topic(&topic.id, &topic.tags));
    let topics: Vec<String> = watched.map(|topic| topic.id.clone()).collect();
    alert::parse_events(&text, &spec.timezone, &topics).map_err(|bad| {
        let display_path = output::escape_control(&file.display().to_string());
        Failure::usage(format!("{display_path}: {}", output::truncate(&bad.text, 300)), bad.hint)
    })
}

/// Formats the events that would have been sent.
fn render_events(backtest: &Backtest, since: Time) -> String {
    let mut text = String::new();
    for event in &backtest.events {
        let held_back = event.muted.as_ref().map(|why| format!(" (not sent: {})", output::truncate(why, 100)));
        text.push_str(&format!(
            "{} {}{}\n",
            output::format_time(event.at),
            output::truncate(&event.summary_line(), 300),
            held_back.unwrap_or_default()
        ));
        for line in &event.lines {
            text.push_str(&format!("  - {}\n", output::truncate(&line.text, 200)));
            if let Some(url) = &line.url {
                text.push_str(&format!("    {}\n", output::escape_control(url)));
            }
        }
    }
    let is_sent = |event: &&AlertEvent| event.kind == AlertEventKind::Fired && event.muted.is_none();
    let fired = backtest.events.iter().filter(is_sent).count();
    let times = if fired == 1 { "time" } else { "times" };
    let cut = if backtest.cut { "; the period has more runs than the limit" } else { "" };
    text.push_str(&format!(
        "fired {fired} {times} in {} since {}{cut}\n",
        count_noun(backtest.runs, "run"),
        output::format_time(since)
    ));
    if let Some(until) = backtest.pruned_until {
        text.push_str(&format!(
            "counts of windows that begin before {} may be too low: sightings of the alert's sources were pruned\n",
            output::format_time(until)
        ));
    }
    if backtest.without_text > 0 {
        text.push_str(&format!(
            "the alert may have fired on others: {} without a stored text\n",
            count_noun(backtest.without_text, "item")
        ));
    }
    text
}

/// Formats the topic and the label of a real event.
fn name(event: &RealEvent) -> String {
    let parts = [event.topic.as_deref(), event.label.as_deref()];
    output::truncate(&parts.into_iter().flatten().collect::<Vec<_>>().join(": "), 60)
}

fn format_delay(delay: Duration) -> String {
    if delay.is_zero() { "at once".to_owned() } else { format_duration(delay) }
}

/// Formats a table of the real events with each rule's detection delay, then a table that compares the rules.
fn render_measurement(measured: &Measurement) -> String {
    let mut text = String::new();
    let mut head = vec!["begin", "end", "event"];
    head.extend(measured.rules.iter().map(|rule| rule.rule));
    let row = |(place, event): (usize, &RealEvent)| {
        let after = |rule: &MeasuredRule| {
            let first = rule.detection.first.get(place).copied().flatten();
            first.map_or("missed".to_owned(), |at| format_delay(at.since(event.begin)))
        };
        let cells = [output::format_time(event.begin), output::format_time(event.end), name(event)];
        cells.into_iter().chain(measured.rules.iter().map(after)).collect()
    };
    if !measured.events.is_empty() {
        let rows = measured.events.iter().enumerate().map(row).collect();
        text.push_str(&output::table(&head, rows, &[]));
        text.push('\n');
    }
    let percent = |part: Option<f64>| part.map_or("-".to_owned(), |part| format!("{:.0} %", part * 100.0));
    let row = |rule: &MeasuredRule| {
        let of = &rule.detection;
        vec![
            rule.rule.to_owned(),
            of.alerts.to_string(),
            of.right.to_string(),
            percent(of.precision()),
            format!("{} of {}", of.found(), measured.events.len()),
            percent(of.recall()),
            of.median_delay().map_or("-".to_owned(), format_delay),
        ]
    };
    let head = ["rule", "alerts", "inside events", "precision", "events found", "recall", "median delay"];
    text.push_str(&output::table(&head, measured.rules.iter().map(row).collect(), &[1, 2, 3, 4, 5, 6]));
    let left = &measured.not_looked_at;
    if !left.is_empty() {
        let what = if left.len() == 1 { "event is" } else { "events are" };
        text.push_str(&format!("\n{} {what} left out: no run of the topic at that time\n", left.len()));
        for event in left {
            text.push_str(&format!("  {} {}\n", output::format_time(event.begin), name(event)));
        }
    }
    text
}

fn measurement_to_json(measured: &Measurement) -> Value {
    let event = |event: &RealEvent| json!({ "topic": event.topic, "begin": event.begin, "end": event.end, "label": event.label });
    let rule = |rule: &MeasuredRule| {
        let of = &rule.detection;
        let alarms = rule.alarms.iter().map(|alarm| json!({ "topic": alarm.topic, "at": alarm.at }));
        json!({
            "rule": rule.rule, "alerts": of.alerts, "inside_events": of.right, "precision": of.precision(),
            "events_found": of.found(), "recall": of.recall(), "median_delay_seconds": of.median_delay().map(|delay| delay.as_secs()),
            "first_alerts": of.first, "alarms": alarms.collect::<Vec<_>>(),
        })
    };
    json!({
        "events": measured.events.iter().map(event).collect::<Vec<_>>(),
        "left_out": measured.not_looked_at.iter().map(event).collect::<Vec<_>>(),
        "rules": measured.rules.iter().map(rule).collect::<Vec<_>>(),
    })
}
