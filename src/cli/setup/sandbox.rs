//! `sandbox`: serves the stand-in for the search service on an address, for tests with other clients.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::clock;
use crate::cli::wiring::options::listen_address;
use crate::sandbox::{self, CorpusSource, Fault, Settings};
use crate::schedule::parse_duration;

#[derive(Debug, Args)]
pub struct SandboxArgs {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8787", value_parser = listen_address)]
    pub listen: SocketAddr,
    /// Answer from a folder of JSONL and CSV posts and pages instead of invented ones
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Shift and scale the folder's times to this period, ending now
    #[arg(long, value_name = "DURATION", default_value = "14d", requires = "corpus")]
    pub span: String,
    /// The only key accepted [default: any]
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Inject faults: "source=web,status=503,times=2", "source=ai,cut=100", … (repeat for more)
    #[arg(long, value_name = "RULE")]
    pub fault: Vec<String>,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(args: &SandboxArgs) -> Result<Exit, Failure> {
    let faults = args
        .fault
        .iter()
        .map(|rule| Fault::parse(rule))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| Failure::usage(e.message, e.hint))?;
    let span = parse_duration(&args.span).map_err(|e| Failure::usage(format!("--span: {}", e.message), e.hint))?;
    let corpus = match &args.corpus {
        Some(path) => CorpusSource::Folder { path: path.clone(), span },
        None => CorpusSource::BuiltIn,
    };
    let settings =
        Settings { listen: args.listen, key: args.key.clone(), corpus, faults, clock: clock(args.at.as_deref())? };
    let running = sandbox::start(settings).await.map_err(|e| Failure::usage(e.message, e.hint))?;
    if let Some(loaded) = running.loaded() {
        tracing::info!(
            files = loaded.files,
            posts = loaded.posts,
            pages = loaded.pages,
            skipped = loaded.skipped,
            limited = loaded.limited,
            "corpus read"
        );
    }
    output::text(&format!("{}\n", running.base_url()))?;
    output::print_stderr("SANDBOX: all findings served here are invented or from the corpus; stop with Ctrl-C");
    crate::cli::terminal::signals::StopSignals::listen().next().await;
    running.stop().await;
    Ok(Exit::Ok)
}
