//! What can be said on the command line. Help texts here are the reference; README's help blocks are checked against
//! them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::alerts::AlertsArgs;
use super::backup::BackupArgs;
pub(super) use super::control_args::{
    OutboxArgs, OutboxChosenArgs, OutboxListArgs, OutboxVerb, PauseArgs, ResumeArgs, RunNowArgs,
};
use super::db::DbArgs;
use super::examples;
pub(super) use super::export_args::ExportArgs;
use super::forget::ForgetArgs;
use super::health::HealthArgs;
use super::init::InitArgs;
use super::plan::PlanArgs;
use super::prune::PruneArgs;
pub(super) use super::reading_args::{
    DiffArgs, FilterArgs, FilterTestArgs, FilterVerb, ItemsArgs, SearchArgs, ShowArgs, StatusArgs,
};
use super::replay::ReplayArgs;
use super::report::ReportArgs;
use super::rescore::RescoreArgs;
use super::sandbox::SandboxArgs;
use super::schedule::ScheduleArgs;
use super::score::ScoreArgs;
use super::serve::ServeArgs;
use super::topic::TopicArgs;

/// Watches topics through a search service and keeps every finding once.
#[derive(Debug, Parser)]
#[command(name = "topicwatch", version, about, propagate_version = false, max_term_width = 80, after_help = examples::TOP)]
pub struct Cli {
    /// Options of every verb.
    #[command(flatten)]
    pub common: Common,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options of every verb, before or after it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Common {
    /// Configuration file [default: $TOPICWATCH_CONFIG, ./jobs.toml, the user's configuration folder, /etc/topicwatch]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Database, over what the configuration says: sqlite:PATH or postgres://…
    #[arg(long, global = true, value_name = "URL")]
    pub database: Option<String>,
    /// Say only what went wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more on stderr (twice: much more)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// How log lines are written on stderr: text for people, json for one object a line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub log_format: LogFormat,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// The verbs. Those that are hidden are the names of before there were groups; they go on working.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Write an annotated jobs.toml (never overwrites)
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Check the configuration and report every mistake at once
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Ask one question and show the results; stores nothing
    #[command(after_help = examples::TRY)]
    Try(TryArgs),
    /// Estimate slots, calls and cost before running anything
    #[command(after_help = examples::PLAN)]
    Plan(PlanArgs),
    /// Run topics now and store what they find
    #[command(after_help = examples::ONCE)]
    Once(OnceArgs),
    /// Run every topic on its schedule until stopped
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Run what a daemon plans, on PostgreSQL; start as many as you need
    #[command(after_help = examples::WORKER)]
    Worker,
    /// Serve the dashboard, read-only
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Pause, run, rename, filter, backfill topics; explain schedules
    #[command(after_help = examples::TOPIC)]
    Topic(TopicArgs),
    /// Show the state of each topic and what needs attention
    #[command(after_help = examples::STATUS)]
    Status(StatusArgs),
    /// List runs: state, findings, cost
    #[command(after_help = examples::RUNS)]
    Runs(RunsArgs),
    /// Show one run: answer, posts, pages, which sources agree
    #[command(after_help = examples::SHOW)]
    Show(ShowArgs),
    /// Show what changed in a topic: new, gone, edited, rising
    #[command(after_help = examples::DIFF)]
    Diff(DiffArgs),
    /// List items, newest first, or search them by words
    #[command(after_help = examples::ITEMS)]
    Items(ItemsArgs),
    /// Show which times were covered per topic and source, and the gaps
    #[command(after_help = examples::COVERAGE)]
    Coverage(CoverageArgs),
    /// Report on one day, as an HTML page or Markdown
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// List, test, backtest, acknowledge and snooze alerts
    #[command(after_help = examples::ALERTS)]
    Alerts(AlertsArgs),
    /// Export rows as CSV, JSON Lines, XLSX or an Atom feed
    #[command(after_help = examples::EXPORT)]
    Export(Box<ExportArgs>),
    /// List, retry and drop notifications
    #[command(after_help = examples::OUTBOX)]
    Outbox(OutboxArgs),
    /// Score the sentiment of texts from stdin or files, one per line
    #[command(after_help = examples::SCORE)]
    Score(ScoreArgs),
    /// Back up, move, migrate, prune the database; rescore, replay
    #[command(after_help = examples::DB)]
    Db(DbArgs),
    /// Erase an author, an item or a topic's findings for good
    #[command(after_help = examples::FORGET)]
    Forget(ForgetArgs),
    /// Check that the daemon is alive and can store results
    #[command(after_help = examples::HEALTH)]
    Health(HealthArgs),
    /// Run a stand-in for the search service, with invented findings
    #[command(after_help = examples::SANDBOX)]
    Sandbox(SandboxArgs),
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Old name of `topic schedule`
    #[command(hide = true, after_help = examples::SCHEDULE)]
    Schedule(ScheduleArgs),
    /// Old name of `topic pause`
    #[command(hide = true, after_help = examples::PAUSE)]
    Pause(PauseArgs),
    /// Old name of `topic resume`
    #[command(hide = true, after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// Old name of `topic run`
    #[command(hide = true, after_help = examples::RUN_NOW)]
    RunNow(RunNowArgs),
    /// Old name of `topic filter`
    #[command(hide = true, after_help = examples::FILTER)]
    Filter(FilterArgs),
    /// Old name of `topic backfill`
    #[command(hide = true, after_help = examples::BACKFILL)]
    Backfill(BackfillArgs),
    /// Old name of `items --search`
    #[command(hide = true, after_help = examples::SEARCH)]
    Search(SearchArgs),
    /// Old name of `db rescore`
    #[command(hide = true, after_help = examples::RESCORE)]
    Rescore(RescoreArgs),
    /// Old name of `db replay`
    #[command(hide = true, after_help = examples::REPLAY)]
    Replay(ReplayArgs),
    /// Old name of `db prune`
    #[command(hide = true, after_help = examples::PRUNE)]
    Prune(PruneArgs),
    /// Old name of `db backup`
    #[command(hide = true, after_help = examples::BACKUP)]
    Backup(BackupArgs),
    /// Old name of `db migrate`
    #[command(hide = true, after_help = examples::MIGRATE)]
    Migrate,
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Make one cheap call: is the key accepted, is the dialect right, how long does it take
    #[arg(long)]
    pub probe: bool,
    /// Print the JSON Schema of the file instead
    #[arg(long, conflicts_with = "probe")]
    pub schema: bool,
    /// Print what is in force as JSON
    #[arg(long)]
    pub json: bool,
}

/// `try`
#[derive(Debug, Args)]
pub struct TryArgs {
    /// What to search for
    pub query: String,
    /// Ask only these sources
    #[arg(long, value_name = "SOURCE", value_parser = ["social", "web", "ai"])]
    pub source: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `once`
#[derive(Debug, Args)]
pub struct OnceArgs {
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Run exactly the slots that came due since the last recorded one, as cron and systemd timers want it
    #[arg(long)]
    pub due: bool,
    /// Call nobody; print the requests and what they would cost
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The present, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// `run`
#[derive(Debug, Args)]
pub struct RunArgs {}

/// `runs`
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Begun at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: u32,
    /// With every search of each run
    #[arg(long)]
    pub searches: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `coverage`
#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// Only these topics
    #[arg(value_name = "TOPIC")]
    pub topic: Vec<String>,
    /// From this instant on: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME", default_value = "7d")]
    pub since: String,
    /// Only this source (repeat for more)
    #[arg(long, value_name = "SOURCE", value_parser = ["social", "web", "ai"])]
    pub source: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The present, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// `backfill`
#[derive(Debug, Args)]
pub struct BackfillArgs {
    /// Topic id
    pub topic: String,
    /// First day, UTC: 2026-03-01
    #[arg(long, value_name = "DATE")]
    pub from: String,
    /// Last day, included
    #[arg(long, value_name = "DATE")]
    pub to: String,
    /// Call nobody; print what would be asked and its price
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The present, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// `completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
