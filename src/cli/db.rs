//! `db`: the verbs about the whole database, each in a file of its own.

use clap::{Args, Subcommand};

use super::args::Common;
use super::backup::{self, BackupArgs};
use super::db_move::{self, MoveArgs};
use super::prune::{self, PruneArgs};
use super::replay::{self, ReplayArgs};
use super::rescore::{self, RescoreArgs};
use super::{Exit, Failure, examples, migrate};

/// `db`
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
    /// Bring the tables up to date (every other verb does so itself)
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
}

pub(super) async fn run(common: &Common, args: &DbArgs) -> Result<Exit, Failure> {
    match &args.verb {
        DbVerb::Backup(args) => backup::run(common, args).await,
        DbVerb::Move(args) => db_move::run(common, args).await,
        DbVerb::Migrate => migrate::run(common).await,
        DbVerb::Prune(args) => prune::run(common, args).await,
        DbVerb::Rescore(args) => rescore::run(common, args).await,
        DbVerb::Replay(args) => replay::run(common, args).await,
    }
}
