//! `sandbox`: the stand-in on an address of its own, for rehearsals with other clients.

use super::args::SandboxArgs;
use super::context::clock;
use super::{Exit, Failure, output};
use crate::sandbox::{self, CorpusSource, Fault, Settings};
use crate::schedule::parse_duration;

pub(super) async fn run(args: &SandboxArgs) -> Result<Exit, Failure> {
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
    output::note("SANDBOX: every finding served here is invented or rehearsed; stop with Ctrl-C");
    super::signals::Ends::listen().next().await;
    running.stop().await;
    Ok(Exit::Ok)
}
