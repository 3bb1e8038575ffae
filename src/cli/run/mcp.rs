//! `mcp`: answers an assistant on stdin and stdout, read-only. The module `mcp` makes the answers.

use std::sync::Arc;

use clap::Args;
use tokio_util::sync::CancellationToken;

use crate::cli::run::serve;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::terminal::signals::StopSignals;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::journal;
use crate::cli::wiring::options::Common;
use crate::mcp::{self, Server, Settings};
use crate::store::Store;

#[derive(Debug, Args)]
pub struct McpArgs {
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &McpArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let store = Store::open_to_read(&context.store_settings(false)).await?;
    journal::reject_older_database(&store).await?;
    let settings = Settings {
        version: Some(env!("CARGO_PKG_VERSION")),
        reports: context.config.reports.clone(),
        limits: context.config.day_limits(),
    };
    let server = Server::new(store.clone(), Arc::clone(&context.clock), settings);
    let (mut ends, stop) = (StopSignals::listen(), CancellationToken::new());
    if !common.quiet {
        output::print_stderr("serving MCP on stdin and stdout, read-only; stop with Ctrl-C");
    }
    let ended = tokio::select! {
        ended = mcp::serve(server, stop.clone()) => ended.map_err(|error| {
            let hint = "start it from an MCP client: docs/how-to/mcp.md";
            Failure::new(Exit::Usage, error.to_string(), hint)
        }),
        () = ends.next() => Ok(()),
        lost = serve::wait_until_replaced(&store) => Err(lost.into()),
    };
    stop.cancel();
    store.close().await;
    ended.map(|()| Exit::Ok)
}
