//! The options that every verb takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::terminal::output;
use crate::config::redact_url;
use crate::model::{self, Source};

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
    /// Log only errors; on stderr no progress, no summaries, no warnings about configuration or schedules;
    /// of `once` without --json or --dry-run, only what failed
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log more to stderr (-vv: much more)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Format of the log on stderr: text, or json (one object per line)
    #[arg(long, global = true, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub log_format: LogFormat,
}

impl Common {
    /// Returns a command line for the same configuration file and database as this one, to print as what to do next. A
    /// password in the database's URL is left out, as everywhere.
    pub(in crate::cli) fn command(&self, verb: &str) -> String {
        let mut line = format!("topicwatch {verb}");
        if let Some(file) = &self.config {
            line.push_str(&format!(" --config {}", shell_word(&file.to_string_lossy())));
        }
        if let Some(url) = &self.database {
            line.push_str(&format!(" --database {}", shell_word(&redact_url(url))));
        }
        line
    }
}

/// Returns a word of a command line as [`model::shell_word`] does, without control characters.
pub(in crate::cli) fn shell_word(word: &str) -> String {
    model::shell_word(&output::escape_control(word))
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

/// Parses the address of `--listen`.
pub(in crate::cli) fn listen_address(text: &str) -> Result<std::net::SocketAddr, String> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_options_name_the_same_file_and_database_without_password() {
        let of = |config: Option<&str>, database: Option<&str>| {
            let (config, database) = (config.map(PathBuf::from), database.map(str::to_owned));
            Common { config, database, quiet: false, verbose: 0, log_format: LogFormat::Text }.command("show acme")
        };
        assert_eq!(of(None, None), "topicwatch show acme");
        assert_eq!(
            of(Some("my jobs.toml"), Some("sqlite:else/where.db")),
            ["topicwatch show acme", "--config 'my jobs.toml'", "--database sqlite:else/where.db"].join(" ")
        );
        assert_eq!(of(Some("it's.toml"), None), r"topicwatch show acme --config 'it'\''s.toml'");
        assert_eq!(
            of(None, Some("postgres://me:secret@db/tw")),
            "topicwatch show acme --database 'postgres://me:***@db/tw'"
        );
    }
}
