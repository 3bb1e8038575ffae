//! What can be said on the command line about what changed; the other verbs' arguments are `args`'.

use clap::Args;

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
