//! `topic`: the verbs about single topics.

pub(in crate::cli) mod backfill;
pub(in crate::cli) mod filter;
pub(in crate::cli) mod mark;
pub(in crate::cli) mod pause;
pub(in crate::cli) mod rename;
pub(in crate::cli) mod run_now;
pub(in crate::cli) mod schedule;
pub(in crate::cli) mod star_note;

use clap::{Args, Subcommand};

use crate::cli::examples;
use crate::cli::setup::import::{self, ImportArgs};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::topic::backfill::BackfillArgs;
use crate::cli::topic::filter::FilterArgs;
use crate::cli::topic::pause::{PauseArgs, ResumeArgs};
use crate::cli::topic::rename::RenameArgs;
use crate::cli::topic::run_now::RunNowArgs;
use crate::cli::topic::schedule::ScheduleArgs;
use crate::cli::wiring::options::Common;

#[derive(Debug, Args)]
pub struct TopicArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: TopicVerb,
}

/// The verbs of `topic`.
#[derive(Debug, Subcommand)]
pub enum TopicVerb {
    /// Pause topics: queued runs are cancelled, no scheduled ones start, running ones finish
    #[command(after_help = examples::PAUSE)]
    Pause(PauseArgs),
    /// Resume paused topics; slots missed meanwhile are not run
    #[command(after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// Tell a running daemon to run topics now
    #[command(after_help = examples::RUN_NOW)]
    Run(RunNowArgs),
    /// Change a topic's id and keep its history
    #[command(after_help = examples::RENAME)]
    Rename(RenameArgs),
    /// Import feeds from another program as topics
    #[command(after_help = examples::IMPORT)]
    Import(ImportArgs),
    /// Preview what a changed filter would hide
    #[command(after_help = examples::FILTER)]
    Filter(FilterArgs),
    /// Explain a schedule and list its next slots
    #[command(after_help = examples::SCHEDULE)]
    Schedule(ScheduleArgs),
    /// Search past days, with calls that accept dates
    #[command(after_help = examples::BACKFILL)]
    Backfill(BackfillArgs),
}

pub(in crate::cli) async fn run(common: &Common, args: &TopicArgs) -> Result<Exit, Failure> {
    match &args.verb {
        TopicVerb::Pause(args) => pause::pause(common, args).await,
        TopicVerb::Resume(args) => pause::resume(common, args).await,
        TopicVerb::Run(args) => run_now::run(common, args).await,
        TopicVerb::Rename(args) => rename::run(common, args).await,
        TopicVerb::Import(args) => import::run(common, args, crate::daemon::system_clock()()),
        TopicVerb::Filter(args) => filter::run(common, args).await,
        TopicVerb::Schedule(args) => schedule::run(common, args).await,
        TopicVerb::Backfill(args) => backfill::run(common, args).await,
    }
}
