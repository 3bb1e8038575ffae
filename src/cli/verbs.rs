//! The verbs of the command line. Their help texts are the reference; README and the tests are checked against them.

use clap::{Parser, Subcommand};

use crate::cli::examples;
use crate::cli::export::outbox_args::OutboxArgs;
use crate::cli::export::rows::ExportArgs;
use crate::cli::export::score::ScoreArgs;
use crate::cli::look::alerts::AlertsArgs;
use crate::cli::look::coverage::CoverageArgs;
use crate::cli::look::diff::DiffArgs;
use crate::cli::look::items::ItemsArgs;
use crate::cli::look::items::search::SearchArgs;
use crate::cli::look::items::story::StoryArgs;
use crate::cli::look::report::ReportArgs;
use crate::cli::look::runs::RunsArgs;
use crate::cli::look::show::ShowArgs;
use crate::cli::look::status::StatusArgs;
use crate::cli::look::terms::TermsArgs;
use crate::cli::maintain::backup::BackupArgs;
use crate::cli::maintain::db::DbArgs;
use crate::cli::maintain::forget::ForgetArgs;
use crate::cli::maintain::health::HealthArgs;
use crate::cli::maintain::prune::PruneArgs;
use crate::cli::maintain::replay::ReplayArgs;
use crate::cli::maintain::rescore::RescoreArgs;
use crate::cli::run::daemon::RunArgs;
use crate::cli::run::mcp::McpArgs;
use crate::cli::run::once::OnceArgs;
use crate::cli::run::serve::ServeArgs;
use crate::cli::setup::check::CheckArgs;
use crate::cli::setup::completions::CompletionsArgs;
use crate::cli::setup::import::ImportArgs;
use crate::cli::setup::init::InitArgs;
use crate::cli::setup::man::ManArgs;
use crate::cli::setup::plan::PlanArgs;
use crate::cli::setup::sandbox::SandboxArgs;
use crate::cli::setup::try_query::TryArgs;
use crate::cli::token::TokenArgs;
use crate::cli::topic::TopicArgs;
use crate::cli::topic::backfill::BackfillArgs;
use crate::cli::topic::filter::FilterArgs;
use crate::cli::topic::mark::MarkArgs;
use crate::cli::topic::pause::{PauseArgs, ResumeArgs};
use crate::cli::topic::run_now::RunNowArgs;
use crate::cli::topic::schedule::ScheduleArgs;
use crate::cli::wiring::options::Common;

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

/// The verbs. The hidden ones are `man`, for packages, and the old names from before verbs had groups; they still work.
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
    /// Serve the pages, read-only unless `[web] edit = true`
    #[command(after_help = examples::SERVE)]
    Serve(ServeArgs),
    /// Serve MCP to AI assistants on stdin and stdout, read-only
    #[command(after_help = examples::MCP)]
    Mcp(McpArgs),
    /// Pause, run, rename, import, filter, backfill; explain schedules
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
    /// List, search, star, note and mark items; show how they spread
    #[command(after_help = examples::ITEMS)]
    Items(Box<ItemsArgs>),
    /// Show terms that are more frequent than before, and themes
    #[command(after_help = examples::TERMS)]
    Terms(TermsArgs),
    /// Show which times were covered per topic and source, and the gaps
    #[command(after_help = examples::COVERAGE)]
    Coverage(CoverageArgs),
    /// Report on a day, week or month, as an HTML page or Markdown
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
    /// Score the sentiment of texts from stdin or a file, one per line
    #[command(after_help = examples::SCORE)]
    Score(ScoreArgs),
    /// Back up, move, prune the database; erase, rescore, replay
    #[command(after_help = examples::DB)]
    Db(DbArgs),
    /// Give others access to the pages: named tokens, share links
    #[command(after_help = examples::TOKEN)]
    Token(TokenArgs),
    /// Check that the daemon is alive and can store results
    #[command(after_help = examples::HEALTH)]
    Health(HealthArgs),
    /// Run a stand-in for the search service, with invented findings
    #[command(after_help = examples::SANDBOX)]
    Sandbox(SandboxArgs),
    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Write the manual pages, for packages
    #[command(hide = true, after_help = examples::MAN)]
    Man(ManArgs),
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
    /// Old name of `db forget`
    #[command(hide = true, override_usage = examples::FORGET_USAGE, after_help = examples::FORGET)]
    Forget(ForgetArgs),
    /// Old name of `topic import`
    #[command(hide = true, after_help = examples::IMPORT)]
    Import(ImportArgs),
    /// Old name of `items mark`
    #[command(hide = true, after_help = examples::MARK)]
    Mark(MarkArgs),
    /// Old name of `items story`
    #[command(hide = true, after_help = examples::STORY)]
    Story(StoryArgs),
    /// Old name of `run --worker`
    #[command(hide = true, after_help = examples::WORKER)]
    Worker,
}
