//! The options that every verb takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::model::Source;

/// Options of every verb, before or after it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Common {
    /// Configuration file [default: $TOPICWATCH_CONFIG, ./jobs.toml, the user's configuration folder, /etc/topicwatch]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Database to use instead of the configured one: sqlite:PATH (relative to the current folder) or postgres://…
    #[arg(long, global = true, value_name = "URL")]
    pub database: Option<String>,
    /// Print only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log more to stderr (-vv: much more)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Format of the log on stderr: text, or json (one object per line)
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub log_format: LogFormat,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

/// Parses the name of a source; whether it exists is checked later.
pub(in crate::cli) fn source_name(text: &str) -> Result<Source, String> {
    Source::parse(text).ok_or_else(|| "social, web, ai, or the name of a provider".to_owned())
}
