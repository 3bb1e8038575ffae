//! The command line: one file for each verb, and the only place where the rooms are wired together. What a verb needs
//! from the configuration and the environment is made in `context`; how it ends is `failure`'s.

mod alerts;
mod args;
mod away;
mod backfill;
mod backup;
mod channels;
mod check;
mod completions;
mod context;
mod control;
mod control_args;
mod coverage;
mod db;
mod db_move;
mod diff;
mod examples;
mod export;
mod export_args;
mod exposed;
mod failure;
mod filter;
mod forget;
mod health;
mod help;
mod ids;
mod init;
mod item_list;
mod items;
mod jobs;
mod journal;
mod logs;
mod migrate;
mod once;
mod outbox;
mod output;
mod pages;
mod pings;
mod plan;
mod probe;
mod progress;
mod protected;
mod prune;
mod reading_args;
mod reload;
mod rename;
mod replay;
mod report;
mod rescore;
mod run;
mod run_now;
mod runs;
mod sandbox;
mod schedule;
mod score;
mod search;
mod serve;
mod show;
mod signals;
mod status;
mod table;
mod topic;
mod trial;
mod verify;
mod worker;
mod working;

use clap::error::ErrorKind;

pub use args::{Cli, Verb};
pub use failure::{Exit, Failure};

/// Parses the command line, runs the verb, and says how it ended. Everything that can go wrong is told on stderr.
#[must_use]
pub fn main() -> Exit {
    let cli = match help::parse() {
        Ok(cli) => cli,
        Err(asked) if asked.kind() == ErrorKind::DisplayHelp => return told(asked.print()),
        Err(asked) if asked.kind() == ErrorKind::DisplayVersion => return told(version()),
        Err(wrong) => {
            let _ = wrong.print();
            return Exit::Usage;
        }
    };
    crate::http::install_crypto();
    logs::start(&cli);
    let runtime = match runtime(&cli.verb) {
        Ok(runtime) => runtime,
        Err(error) => {
            output::note(&format!("error: the runtime could not be started: {error}"));
            return Exit::Unexpected;
        }
    };
    let ended = runtime.block_on(dispatch(cli));
    runtime.shutdown_background();
    match ended {
        Ok(exit) => exit,
        Err(failure) => {
            if !failure.text.is_empty() {
                output::note(&format!("error: {}", failure.text));
            }
            if !failure.hint.is_empty() {
                output::note(&format!("hint: {}", failure.hint));
            }
            failure.exit
        }
    }
}

/// Services get few threads, since their work is waiting for the service and for one writer, and more than one, so that a
/// reply that takes long to read holds up nobody else. Any other verb that ends by itself needs none beside its own, and
/// saves what handing tasks between threads costs.
fn runtime(verb: &Verb) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match verb {
        Verb::Run(_) | Verb::Worker | Verb::Serve(_) | Verb::Sandbox(_) => tokio::runtime::Builder::new_multi_thread(),
        // The database looks for the next page while this one is written.
        Verb::Export(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let threads = match verb {
        Verb::Export(_) => 1,
        _ => std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 4)),
    };
    builder.worker_threads(threads).enable_all().build()
}

/// Help and version go to stdout; a pipe that closed early has seen enough.
fn told(written: std::io::Result<()>) -> Exit {
    written.map_or_else(|error| Failure::from(error).exit, |()| Exit::Ok)
}

/// The version, with that of the built-in SQLite as the library itself says it.
fn version() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sqlite = runtime.block_on(crate::store::sqlite_version()).unwrap_or_else(|error| format!("unknown: {error}"));
    output::text(&format!("topicwatch {} (SQLite {sqlite})\n", env!("CARGO_PKG_VERSION")))
}

async fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    signals::outlive_a_limit_of_files();
    let common = cli.common;
    match cli.verb {
        Verb::Init(args) => init::run(&args),
        Verb::Check(args) => check::run(&common, &args).await,
        Verb::Try(args) => trial::run(&common, &args).await,
        Verb::Plan(args) => plan::run(&common, &args).await,
        Verb::Once(args) => once::run(&common, &args).await,
        Verb::Run(args) => run::run(&common, &args).await,
        Verb::Worker => worker::run(&common).await,
        Verb::Serve(args) => serve::run(&common, &args).await,
        Verb::Topic(args) => topic::run(&common, &args).await,
        Verb::Status(args) => status::run(&common, &args).await,
        Verb::Runs(args) => runs::run(&common, &args).await,
        Verb::Show(args) => show::run(&common, &args).await,
        Verb::Diff(args) => diff::run(&common, &args).await,
        Verb::Items(args) => items::run(&common, args).await,
        Verb::Coverage(args) => coverage::run(&common, &args).await,
        Verb::Report(args) => report::run(&common, &args).await,
        Verb::Alerts(args) => alerts::run(&common, &args).await,
        Verb::Export(args) => export::run(&common, &args).await,
        Verb::Outbox(args) => outbox::run(&common, &args).await,
        Verb::Score(args) => score::run(&args),
        Verb::Db(args) => db::run(&common, &args).await,
        Verb::Forget(args) => forget::run(&common, &args).await,
        Verb::Health(args) => health::run(&common, &args).await,
        Verb::Sandbox(args) => sandbox::run(&args).await,
        Verb::Completions(args) => completions::run(&args, help::visible()),
        // The old names.
        Verb::Schedule(args) => schedule::run(&common, &args),
        Verb::Pause(args) => control::pause(&common, &args).await,
        Verb::Resume(args) => control::resume(&common, &args).await,
        Verb::RunNow(args) => run_now::run(&common, &args).await,
        Verb::Filter(args) => filter::run(&common, &args).await,
        Verb::Backfill(args) => backfill::run(&common, &args).await,
        Verb::Search(args) => search::run(&common, &args).await,
        Verb::Rescore(args) => rescore::run(&common, &args).await,
        Verb::Replay(args) => replay::run(&common, &args).await,
        Verb::Prune(args) => prune::run(&common, &args).await,
        Verb::Backup(args) => backup::run(&common, &args).await,
        Verb::Migrate => migrate::run(&common).await,
    }
}
