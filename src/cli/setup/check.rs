//! `check`: validates the configuration without running anything: effective settings, their origin, and with `--probe`
//! whether the service accepts the key and the database can be opened.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::run::serve;
use crate::cli::setup::{file_permissions, probe};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::cli::wiring::{channels, pings};
use crate::config;
use crate::draw::format::count_noun;
use crate::model::{ChannelSpec, PingSpec, SchedulePolicy, Time};
use crate::schedule::Schedule;

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Test keys, dialect and response times with cheap calls, and open the database
    #[arg(long)]
    pub probe: bool,
    /// Print the JSON Schema of the file instead
    #[arg(long, conflicts_with = "probe")]
    pub schema: bool,
    /// Print the effective settings as JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &CheckArgs) -> Result<Exit, Failure> {
    if args.schema {
        output::text(&config::schema())?;
        return Ok(Exit::Ok);
    }
    let context = Context::load_silently(common, None)?;
    // Report a token that `run` and `serve` would refuse.
    serve::settings(&context.config)?;
    let probed = if args.probe { probe::run(&context).await? } else { Vec::new() };
    let database = if args.probe { Some(probe::database(&context).await) } else { None };
    if args.json {
        output::json(&to_json(&context, &probed, database.as_ref()))?;
    } else {
        output::text(&render(&context, &probed, database.as_ref()))?;
    }
    if database.is_some_and(|database| !database.ok) {
        return Ok(Exit::Store);
    }
    if probed.iter().any(|p| !p.ok) {
        return Ok(Exit::Searches);
    }
    // A daemon with these files would not start. Its variables may be set where it is started.
    let is_refused = |(file, _): &(Option<PathBuf>, String)| file.is_some();
    if args.probe && file_permissions::unusable_secrets(&context.config).iter().any(is_refused) {
        return Ok(Exit::Usage);
    }
    Ok(Exit::Ok)
}

fn to_json(context: &Context, probed: &[probe::Probed], database: Option<&probe::ProbedDatabase>) -> serde_json::Value {
    let config = &context.config;
    let store = context.store_settings(false);
    let warnings = [config.warnings.clone(), file_permissions::warnings(context)].concat();
    json!({
        "file": config.file,
        "sandbox": context.is_sandbox(),
        "database": config::redact_url(&store.url),
        "effective": context.effective(),
        "topics": config.topics,
        "reports": config.reports,
        "channels": config.channels.iter().map(|spec| json!({
            "name": spec.name, "kind": spec.kind(), "whom": spec.recipient(), "problem": problem(spec),
        })).collect::<Vec<_>>(),
        "pings": config.pings.iter().map(|spec| json!({
            "job": spec.job, "problem": ping_problem(spec),
        })).collect::<Vec<_>>(),
        "exports": config.exports,
        "alerts": config.alerts,
        "warnings": warnings,
        "probe": probed.first(),
        "probes": probed,
        "database_probe": database,
    })
}

/// Returns why a channel cannot be used now.
fn problem(spec: &ChannelSpec) -> Option<String> {
    channels::one(spec).err().map(|why| why.message)
}

/// Returns why a job cannot ping now; the address itself is a secret.
fn ping_problem(spec: &PingSpec) -> Option<String> {
    pings::one(spec).err().map(|why| why.message)
}

/// Formats the tables of reports, exports, alerts, channels and pings, if there are any.
fn deliveries(context: &Context) -> String {
    let (config, now) = (&context.config, (context.clock)());
    let mut text = String::new();
    if !config.reports.is_empty() {
        let rows = config.reports.iter().map(|report| {
            let formats: Vec<&str> = report.formats.iter().map(|format| format.as_str()).collect();
            vec![
                report.name.clone(),
                next(report.schedule.as_ref(), now, "only with `report`"),
                formats.join(" "),
                output::escape_control(&report.path),
                report.channels.join(" "),
            ]
        });
        text.push('\n');
        text.push_str(&output::table(&["report", "next slot", "format", "path", "channels"], rows.collect(), &[]));
    }
    if !config.exports.is_empty() {
        let rows = config.exports.iter().map(|export| {
            vec![
                export.name.clone(),
                next(Some(&export.schedule), now, ""),
                format!("{} {}", export.mode, export.what),
                output::escape_control(&export.path),
            ]
        });
        text.push('\n');
        text.push_str(&output::table(&["export", "next slot", "rows", "path"], rows.collect(), &[]));
    }
    if !config.alerts.is_empty() {
        let rows = config.alerts.iter().map(|alert| {
            let topics: Vec<&str> = alert.topics.iter().chain(&alert.tags).map(String::as_str).collect();
            vec![
                alert.name.clone(),
                alert.rule.to_string(),
                if topics.is_empty() { "all".to_owned() } else { output::truncate(&topics.join(" "), 80) },
                alert.channels.join(" "),
            ]
        });
        text.push('\n');
        text.push_str(&output::table(&["alert", "rule", "topics", "channels"], rows.collect(), &[]));
    }
    if !config.channels.is_empty() {
        let rows = config.channels.iter().map(|spec| {
            let ready = if spec.paused { "paused" } else { "ready" };
            let ready = problem(spec).unwrap_or_else(|| ready.to_owned());
            vec![
                spec.name.clone(),
                spec.kind().to_string(),
                output::truncate(&spec.recipient(), 120),
                output::truncate(&ready, 400),
            ]
        });
        text.push('\n');
        text.push_str(&output::table(&["channel", "kind", "recipient", "state"], rows.collect(), &[]));
    }
    if !config.pings.is_empty() {
        let rows = config.pings.iter().map(|spec| {
            let state = ping_problem(spec).unwrap_or_else(|| "ready".to_owned());
            vec![spec.job.clone(), output::truncate(&state, 400)]
        });
        text.push('\n');
        text.push_str(&output::table(&["ping of", "state"], rows.collect(), &[]));
    }
    text
}

/// Formats the next slot of a schedule.
fn next(schedule: Option<&SchedulePolicy>, now: Time, without: &str) -> String {
    let Some(policy) = schedule else { return without.to_owned() };
    match Schedule::compile(policy).ok().and_then(|schedule| schedule.next_after(now)) {
        _ if policy.paused => "paused".to_owned(),
        Some(at) => output::format_time(at),
        None => "never".to_owned(),
    }
}

fn render(context: &Context, probed: &[probe::Probed], database: Option<&probe::ProbedDatabase>) -> String {
    let config = &context.config;
    let mut text = String::new();
    if !config.notices.is_empty() {
        text.push_str(&config::render(&config.notices, output::is_interactive(), usize::from(output::width())));
        text.push('\n');
    }
    for warning in file_permissions::warnings(context) {
        text.push_str(&format!("warning: {warning}\n\n"));
    }
    let rows = context
        .effective()
        .iter()
        .map(|e| vec![e.key.clone(), output::escape_control(&e.origin), output::truncate(&e.value, 400)])
        .collect();
    text.push_str(&output::table(&["key", "from", "value"], rows, &[]));
    text.push('\n');
    let now = (context.clock)();
    let rows = config
        .topics
        .iter()
        .map(|topic| {
            let sources: Vec<String> = topic.sources().iter().map(ToString::to_string).collect();
            let next = next(topic.schedule.as_ref(), now, "only on request");
            vec![topic.id.clone(), output::truncate(&topic.title, 40), sources.join(" "), next]
        })
        .collect();
    text.push_str(&output::table(&["topic", "title", "sources", "next slot"], rows, &[]));
    text.push_str(&deliveries(context));
    let store = context.store_settings(false);
    text.push_str(&format!(
        "\n{}: {}; findings go to {}",
        output::escape_control(&config.file.display().to_string()),
        count_noun(config.topics.len() as u64, "topic"),
        output::escape_control(&config::redact_url(&store.url))
    ));
    text.push_str(if context.is_sandbox() { " (SANDBOX: invented data)\n" } else { "\n" });
    let answers = probed.iter().map(|probed| (&probed.line, &probed.hint));
    for (line, hint) in answers.chain(database.map(|database| (&database.line, &database.hint))) {
        text.push_str(&format!("probe: {line}\n"));
        if !hint.is_empty() {
            text.push_str(&format!("hint: {hint}\n"));
        }
    }
    text
}
