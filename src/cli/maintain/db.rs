//! `db`: the verbs that work on the whole database.

use clap::{Args, Subcommand};

use crate::cli::examples;
use crate::cli::maintain::backup::{self, BackupArgs};
use crate::cli::maintain::db_move::{self, MoveArgs};
use crate::cli::maintain::forget::{self, ForgetArgs};
use crate::cli::maintain::migrate;
use crate::cli::maintain::prune::{self, PruneArgs};
use crate::cli::maintain::replay::{self, ReplayArgs};
use crate::cli::maintain::rescore::{self, RescoreArgs};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::wiring::options::Common;

#[derive(Debug, Args)]
pub struct DbArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: DbVerb,
}

/// The verbs of `db`.
#[derive(Debug, Subcommand)]
pub enum DbVerb {
    /// Back up the live database and verify the copy
    #[command(after_help = examples::BACKUP)]
    Backup(BackupArgs),
    /// Move everything to another database and compare the two
    #[command(after_help = examples::MOVE)]
    Move(MoveArgs),
    /// Bring the tables up to date (`run` and `once` do this too)
    #[command(after_help = examples::MIGRATE)]
    Migrate,
    /// Delete data older than [retention] allows
    #[command(after_help = examples::PRUNE)]
    Prune(PruneArgs),
    /// Score stored items again with the current scorer
    #[command(after_help = examples::RESCORE)]
    Rescore(RescoreArgs),
    /// Decode stored replies again with this version; makes no calls
    #[command(after_help = examples::REPLAY)]
    Replay(ReplayArgs),
    /// Erase an author, an item or a topic's findings for good
    #[command(override_usage = examples::FORGET_USAGE, after_help = examples::FORGET)]
    Forget(ForgetArgs),
}

pub(in crate::cli) async fn run(common: &Common, args: &DbArgs) -> Result<Exit, Failure> {
    match &args.verb {
        DbVerb::Backup(args) => backup::run(common, args).await,
        DbVerb::Move(args) => db_move::run(common, args).await,
        DbVerb::Migrate => migrate::run(common).await,
        DbVerb::Prune(args) => prune::run(common, args).await,
        DbVerb::Rescore(args) => rescore::run(common, args).await,
        DbVerb::Replay(args) => replay::run(common, args).await,
        DbVerb::Forget(args) => forget::run(common, args).await,
    }
}
