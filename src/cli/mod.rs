//! The command line: one file per verb, in folders by task, and the only place that wires the other modules together.
//! `verbs` defines the verbs, `wiring/context` builds what they need, `terminal/failure` defines how they end.

mod examples;
mod export;
mod help;
mod look;
mod maintain;
mod misplaced_word;
mod run;
mod setup;
mod terminal;
mod token;
mod topic;
mod verbs;
mod wiring;

use std::pin::Pin;

use clap::error::ErrorKind;

pub use terminal::failure::{Exit, Failure};
pub use verbs::{Cli, Verb};

use terminal::{logging, output, signals};

/// Parses the command line, runs the verb, and returns its exit code. Errors are printed to stderr.
#[must_use]
pub fn main() -> Exit {
    let cli = match help::parse() {
        Ok(cli) => cli,
        Err(error) if error.kind() == ErrorKind::DisplayHelp => return printed(error.print()),
        Err(error) if error.kind() == ErrorKind::DisplayVersion => return printed(version()),
        Err(error) => {
            let _ = error.print();
            if let Some(hint) = misplaced_word::hint(&error, &help::command(), std::env::args_os()) {
                output::print_stderr(&format!("hint: {hint}"));
            }
            return Exit::Usage;
        }
    };
    crate::http::install_crypto();
    logging::start(&cli.common, matches!(cli.verb, Verb::Run(_) | Verb::Worker | Verb::Sandbox(_)));
    let runtime = match runtime(&cli.verb) {
        Ok(runtime) => runtime,
        Err(error) => {
            output::print_stderr(&format!("error: the runtime could not be started: {error}"));
            return Exit::Unexpected;
        }
    };
    let ended = runtime.block_on(dispatch(cli));
    runtime.shutdown_background();
    match ended {
        Ok(exit) => exit,
        Err(failure) => {
            if !failure.text.is_empty() {
                output::print_stderr(&format!("error: {}", failure.text));
            }
            if !failure.hint.is_empty() {
                output::print_stderr(&format!("hint: {}", failure.hint));
            }
            failure.exit
        }
    }
}

/// Builds the runtime for a verb. Services get a few threads: they mostly wait for the network and for one writer, but
/// a reply that takes long to read must not block the others. Most other verbs run on the current thread alone, which
/// saves the cost of passing tasks between threads.
fn runtime(verb: &Verb) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match verb {
        Verb::Run(_) | Verb::Worker | Verb::Serve(_) | Verb::Sandbox(_) => tokio::runtime::Builder::new_multi_thread(),
        // The database reads the next page while this one is written.
        Verb::Export(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let threads = match verb {
        Verb::Export(_) => 1,
        _ => std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 4)),
    };
    builder.worker_threads(threads).enable_all().build()
}

/// Maps the result of printing help or version to an exit code. A pipe that closed early is no error.
fn printed(written: std::io::Result<()>) -> Exit {
    written.map_or_else(|error| Failure::from(error).exit, |()| Exit::Ok)
}

/// Prints the version, and the version that the built-in SQLite reports.
fn version() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sqlite = runtime.block_on(crate::store::sqlite_version()).unwrap_or_else(|error| format!("unknown: {error}"));
    output::text(&format!("topicwatch {} (SQLite {sqlite})\n", env!("CARGO_PKG_VERSION")))
}

/// Makes the future of a verb on the heap. Without optimisation, the frame of `dispatch` would hold the futures of all
/// verbs: a megabyte of stack, touched at each poll.
fn on_heap<'f, F>(make: impl FnOnce() -> F) -> Pin<Box<dyn Future<Output = Result<Exit, Failure>> + 'f>>
where
    F: Future<Output = Result<Exit, Failure>> + 'f,
{
    Box::pin(make())
}

async fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    signals::ignore_sigxfsz();
    let common = cli.common;
    match cli.verb {
        Verb::Init(args) => setup::init::run(&common, &args),
        Verb::Check(args) => on_heap(|| setup::check::run(&common, &args)).await,
        Verb::Try(args) => on_heap(|| setup::try_query::run(&common, &args)).await,
        Verb::Plan(args) => on_heap(|| setup::plan::run(&common, &args)).await,
        Verb::Once(args) => on_heap(|| run::once::run(&common, &args)).await,
        Verb::Run(args) => on_heap(|| run::daemon::run(&common, &args)).await,
        Verb::Serve(args) => on_heap(|| run::serve::run(&common, &args)).await,
        Verb::Mcp(args) => on_heap(|| run::mcp::run(&common, &args)).await,
        Verb::Topic(args) => on_heap(|| topic::run(&common, &args)).await,
        Verb::Status(args) => on_heap(|| look::status::run(&common, &args)).await,
        Verb::Runs(args) => on_heap(|| look::runs::run(&common, &args)).await,
        Verb::Show(args) => on_heap(|| look::show::run(&common, &args)).await,
        Verb::Diff(args) => on_heap(|| look::diff::run(&common, &args)).await,
        Verb::Items(args) => on_heap(|| look::items::run(&common, *args)).await,
        Verb::Terms(args) => on_heap(|| look::terms::run(&common, &args)).await,
        Verb::Coverage(args) => on_heap(|| look::coverage::run(&common, &args)).await,
        Verb::Report(args) => on_heap(|| look::report::run(&common, &args)).await,
        Verb::Alerts(args) => on_heap(|| look::alerts::run(&common, &args)).await,
        Verb::Export(args) => on_heap(|| export::rows::run(&common, &args)).await,
        Verb::Outbox(args) => on_heap(|| export::outbox::run(&common, &args)).await,
        Verb::Score(args) => export::score::run(&args),
        Verb::Db(args) => on_heap(|| maintain::db::run(&common, &args)).await,
        Verb::Token(args) => on_heap(|| token::run(&common, &args)).await,
        Verb::Health(args) => on_heap(|| maintain::health::run(&common, &args)).await,
        Verb::Sandbox(args) => on_heap(|| setup::sandbox::run(&args)).await,
        Verb::Completions(args) => setup::completions::run(&args, help::visible()),
        Verb::Man(args) => setup::man::run(&args, help::command()),
        // The old names.
        Verb::Schedule(args) => on_heap(|| topic::schedule::run(&common, &args)).await,
        Verb::Pause(args) => on_heap(|| topic::pause::pause(&common, &args)).await,
        Verb::Resume(args) => on_heap(|| topic::pause::resume(&common, &args)).await,
        Verb::RunNow(args) => on_heap(|| topic::run_now::run(&common, &args)).await,
        Verb::Filter(args) => on_heap(|| topic::filter::run(&common, &args)).await,
        Verb::Backfill(args) => on_heap(|| topic::backfill::run(&common, &args)).await,
        Verb::Search(args) => on_heap(|| look::items::search::run(&common, &args)).await,
        Verb::Rescore(args) => on_heap(|| maintain::rescore::run(&common, &args)).await,
        Verb::Replay(args) => on_heap(|| maintain::replay::run(&common, &args)).await,
        Verb::Prune(args) => on_heap(|| maintain::prune::run(&common, &args)).await,
        Verb::Backup(args) => on_heap(|| maintain::backup::run(&common, &args)).await,
        Verb::Migrate => on_heap(|| maintain::migrate::run(&common)).await,
        Verb::Forget(args) => on_heap(|| maintain::forget::run(&common, &args)).await,
        Verb::Import(args) => setup::import::run(&common, &args, crate::daemon::system_clock()()),
        Verb::Mark(args) => on_heap(|| topic::mark::run(&common, &args)).await,
        Verb::Story(args) => on_heap(|| look::items::story::run(&common, &args)).await,
        Verb::Worker => on_heap(|| run::worker::run(&common)).await,
    }
}
