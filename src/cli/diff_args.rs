//! What can be said on the command line about what changed and about filters; the other verbs' arguments are `args`'.

use clap::{Args, Subcommand};

/// `diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Topic id
    pub topic: String,
    /// Since this run, or since 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago [default: the run before the last]
    #[arg(long, value_name = "RUN|TIME")]
    pub since: Option<String>,
    /// At most so many of each list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The present, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// `filter`
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// What to do with it
    #[command(subcommand)]
    pub what: FilterVerb,
}

/// What can be done with a filter.
#[derive(Debug, Subcommand)]
pub enum FilterVerb {
    /// Count what it would hide and show examples; changes nothing
    Test(FilterTestArgs),
}

/// `filter test`
#[derive(Debug, Args)]
pub struct FilterTestArgs {
    /// Topic id
    pub topic: String,
    /// Instead of the file's: must occur (repeat for more)
    #[arg(long, value_name = "ENTRY")]
    pub must: Vec<String>,
    /// Instead of the file's: must not occur (repeat for more)
    #[arg(long, value_name = "ENTRY")]
    pub exclude: Vec<String>,
    /// Instead of the file's: language (repeat for more)
    #[arg(long, value_name = "LANG")]
    pub lang: Vec<String>,
    /// Instead of the file's: author (repeat for more)
    #[arg(long, value_name = "HANDLE")]
    pub exclude_author: Vec<String>,
    /// Examples of each kind
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
