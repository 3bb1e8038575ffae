//! Logging to stderr, one event per line: quiet for one-shot verbs, informative for services.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::cli::terminal::output;
use crate::cli::wiring::options::{Common, LogFormat};

/// Starts logging as asked; `RUST_LOG` overrides. A service says what it does, other verbs only what is wrong.
pub(in crate::cli) fn start(options: &Common, service: bool) {
    let level = match (options.quiet, options.verbose, service) {
        (true, ..) => "error",
        (_, 0, false) => "topicwatch=warn,error",
        (_, 0, true) => "topicwatch=info,error",
        (_, 1, _) => "topicwatch=debug,warn",
        _ => "topicwatch=trace,info",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // A second start (in tests) leaves the first in place.
    let _ = match options.log_format {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Text => builder.with_ansi(std::io::stderr().is_terminal() && output::lively()).try_init(),
    };
}
