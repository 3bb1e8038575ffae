//! `topic schedule next` and `explain`: the next slots of an expression or a topic. The module `schedule` decides what
//! a schedule means.

use clap::{ArgGroup, Args, Subcommand};
use serde_json::json;

use crate::cli::examples;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::{Context, clock, instant};
use crate::cli::wiring::options::Common;
use crate::model::{Paused, Period, SchedulePolicy, Time};
use crate::schedule::{Explanation, Schedule, ScheduleError, check_zone, explain, parse_cron, parse_duration};
use crate::store::Store;

#[derive(Debug, Args)]
pub struct ScheduleArgs {
    /// What to show
    #[command(subcommand)]
    pub what: ScheduleVerb,
}

/// The verbs of `schedule`.
#[derive(Debug, Subcommand)]
pub enum ScheduleVerb {
    /// List the next slots of any cron expression or period
    #[command(after_help = examples::SCHEDULE_NEXT)]
    Next(NextArgs),
    /// Explain a topic's schedule: rules, next slots, clock changes
    #[command(after_help = examples::SCHEDULE_EXPLAIN)]
    Explain(ExplainArgs),
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("period").required(true).args(["expr", "every"])))]
pub struct NextArgs {
    /// Cron: 5 fields, 6 with seconds first, or a nickname such as @hourly
    #[arg(allow_hyphen_values = true)]
    pub expr: Option<String>,
    /// A period instead of an expression, such as 15m
    #[arg(long, value_name = "DURATION")]
    pub every: Option<String>,
    /// IANA time zone of the local times
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    pub timezone: String,
    /// Slots after: 2026-03-11 (midnight UTC), 2026-03-11T09:00:00Z, or 24h, 7d ago [default: now]
    #[arg(long, value_name = "TIME")]
    pub after: Option<String>,
    /// Number of slots
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub count: u32,
    /// Print a JSON array of UTC times
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Topic id
    pub topic: String,
    /// Number of slots
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub next: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &ScheduleArgs) -> Result<Exit, Failure> {
    match &args.what {
        ScheduleVerb::Next(args) => next(common, args),
        ScheduleVerb::Explain(args) => run_explain(common, args).await,
    }
}

impl From<ScheduleError> for Failure {
    fn from(refused: ScheduleError) -> Self {
        Self::usage(refused.message, refused.hint)
    }
}

fn next(common: &Common, args: &NextArgs) -> Result<Exit, Failure> {
    let now = clock(None)?();
    let after = instant("--after", args.after.as_deref(), now)?.unwrap_or(now);
    check_zone(&args.timezone)?;
    let period = match (&args.every, &args.expr) {
        (Some(every), _) => Period::Every(u64::try_from(parse_duration(every)?.as_millis()).unwrap_or(u64::MAX)),
        (None, expr) => Period::Cron(expr.clone().unwrap_or_default()),
    };
    let policy = SchedulePolicy::timing_only(period, &args.timezone);
    let schedule = match &policy.period {
        Period::Cron(expression) => {
            parse_cron(expression, &args.timezone).map_err(|refused| for_this(expression, refused))?
        }
        Period::Every(_) => Schedule::compile_with(&policy, std::time::Duration::from_secs(1))?,
    };
    if !common.quiet {
        for warning in schedule.warnings() {
            output::print_stderr(&format!("warning: {warning}"));
        }
        // Show the slots in any case, but warn if topics must not have this schedule.
        if let Err(refused) = Schedule::compile(&policy) {
            output::print_stderr(&format!("warning: a topic cannot have this schedule: {}", refused.message));
        }
    }
    let count = usize::try_from(args.count).unwrap_or(usize::MAX);
    let slots: Vec<Time> = schedule.slots(after, Time(i64::MAX)).take(count).collect();
    if args.json {
        let texts: Vec<String> = slots.iter().map(Time::to_string).collect();
        output::json(&texts)?;
        return Ok(Exit::Ok);
    }
    let zone = jiff::tz::TimeZone::get(&args.timezone).unwrap_or(jiff::tz::TimeZone::UTC);
    let rows = slots
        .iter()
        .map(|slot| {
            let local =
                slot.to_jiff().map(|at| at.to_zoned(zone.clone()).strftime("%a %Y-%m-%d %H:%M:%S %:z").to_string());
            vec![slot.to_string(), local.unwrap_or_default()]
        })
        .collect();
    output::text(&output::table(&["slot", &args.timezone], rows, &[]))?;
    Ok(Exit::Ok)
}

/// Adapts the hint of an error: a period is an option here, but a key in the file.
fn for_this(expression: &str, refused: ScheduleError) -> Failure {
    let mut failure = Failure::from(refused);
    if failure.hint.starts_with("set the zone") {
        failure.hint =
            "give the zone as --timezone Europe/Berlin, in jobs.toml as timezone = \"Europe/Berlin\"".to_owned();
    }
    if expression.trim().to_lowercase().starts_with("@every ") {
        failure.hint = "give the period as --every 15m, in jobs.toml as every = \"15m\"".to_owned();
    }
    failure
}

async fn run_explain(common: &Common, args: &ExplainArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let topic = context.topics(std::slice::from_ref(&args.topic))?.into_iter().next();
    let Some(policy) = topic.and_then(|topic| topic.schedule) else {
        return Err(Failure::usage(
            format!(
                "topic {} has no schedule; it runs only on request (`once`, `topic run`)",
                output::truncate(&args.topic, 64)
            ),
            "write schedule = \"0 9 * * MON-FRI\" or every = \"12h\" in its [[topics]]",
        ));
    };
    let mut explanation = explain(&policy, (context.clock)(), usize::try_from(args.next).unwrap_or(usize::MAX))?;
    if let Some(pause) = pause_of(&context, &args.topic).await.filter(|_| !policy.paused) {
        let why = pause.reason.map_or_else(String::new, |why| format!(": {why}"));
        let rule = format!(
            "since {}{why}; nothing is planned until `topicwatch topic resume {}`; the slots below are those it would have",
            output::format_time_or_dash(pause.since),
            args.topic
        );
        let place =
            explanation.rules.iter().position(|(about, _)| *about == "missed").unwrap_or(explanation.rules.len());
        explanation.rules.insert(place, ("paused", rule));
    }
    if args.json {
        let rules: serde_json::Map<_, _> =
            explanation.rules.iter().map(|(about, text)| ((*about).to_owned(), json!(text))).collect();
        output::json(&json!({
            "topic": args.topic, "follows": explanation.follows, "rules": rules,
            "slots": explanation.slots, "clock_changes": explanation.changes,
        }))?;
    } else {
        output::text(&render(&args.topic, &policy.timezone, &explanation, usize::from(output::width())))?;
    }
    Ok(Exit::Ok)
}

/// Returns a pause stored in the database; `None` if the database does not exist or cannot be read.
async fn pause_of(context: &Context, topic: &str) -> Option<Paused> {
    let pauses = async {
        let (store, _) = Store::open_or_read(&context.store_settings(false)).await?;
        let pauses = store.pauses().await;
        store.close().await;
        pauses
    };
    match pauses.await {
        Ok(pauses) => pauses.into_iter().find(|(paused, _)| paused == topic).map(|(_, pause)| pause),
        Err(error) => {
            tracing::debug!("whether it is paused could not be read: {error}");
            None
        }
    }
}

fn render(topic: &str, timezone: &str, explanation: &Explanation, width: usize) -> String {
    let mut text = format!("{topic}\n");
    for (about, rule) in &explanation.rules {
        text.push_str(&output::wrap(&format!("  {about:<10}"), &output::escape_control(rule), width));
    }
    if !explanation.slots.is_empty() {
        text.push_str("\nnext slots\n");
    }
    for slot in &explanation.slots {
        text.push_str(&format!("  {} {}  {}\n", slot.local, slot.offset, slot.slot));
        if let Some(note) = &slot.note {
            text.push_str(&output::wrap("      ", note, width));
        }
    }
    if explanation.changes.is_empty() {
        text.push_str(&format!("\nThe clock does not change in {timezone}.\n"));
    } else {
        text.push_str(&format!("\nnext clock changes in {timezone}\n"));
    }
    for change in &explanation.changes {
        text.push_str(&format!("  {}\n", change.clock));
        text.push_str(&output::wrap("      ", &change.effect, width));
    }
    text
}
