//! Logging to stderr, one event per line: quiet for one-shot verbs, informative for services.

use std::io::IsTerminal as _;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

use crate::cli::terminal::output;
use crate::cli::wiring::options::{Common, LogFormat};

/// Starts logging. `RUST_LOG` overrides the options (`warn,topicwatch=debug`: targets and their levels). Services log
/// what they do, other verbs only problems.
pub(in crate::cli) fn start(options: &Common, service: bool) {
    let (own_level, other_level) = match (options.quiet, options.verbose, service) {
        (true, ..) => (LevelFilter::ERROR, LevelFilter::ERROR),
        (_, 0, false) => (LevelFilter::WARN, LevelFilter::ERROR),
        (_, 0, true) => (LevelFilter::INFO, LevelFilter::ERROR),
        (_, 1, _) => (LevelFilter::DEBUG, LevelFilter::WARN),
        _ => (LevelFilter::TRACE, LevelFilter::INFO),
    };
    let targets = std::env::var("RUST_LOG").ok().and_then(|value| value.parse::<Targets>().ok());
    let filter =
        targets.unwrap_or_else(|| Targets::new().with_target("topicwatch", own_level).with_default(other_level));
    let lines = fmt::layer().with_writer(std::io::stderr).with_target(false);
    let lines = match options.log_format {
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal() && output::is_interactive()).boxed(),
    };
    // A second start (in tests) leaves the first in place.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
}
