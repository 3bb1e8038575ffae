//! What can be said to the verbs that show what was found, what changed and how topics stand. Their help texts are the
//! reference, as those in `args` are.

use clap::{Args, Subcommand};

/// `status`
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Exit with 3 when a source is stale or silent (stale,silent)
    #[arg(long, value_name = "STATES", value_delimiter = ',', value_parser = ["stale", "silent"], hide_possible_values = true)]
    pub fail_on: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The present, for tests and rehearsals
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// `show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Topic id
    pub topic: String,
    /// This run instead of the last
    #[arg(long, value_name = "ID")]
    pub run: Option<String>,
    /// Items that the topic's filter hides: without them, all, or only them
    #[arg(long, value_name = "WHAT", default_value = "hide", value_parser = ["hide", "keep", "only"])]
    pub filtered: String,
    /// Print Markdown, ready to paste
    #[arg(long, conflicts_with = "json")]
    pub md: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `items`
#[derive(Debug, Args)]
pub struct ItemsArgs {
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Only items with these words: all of them, "a phrase", begin*, -not; from the latest runs first
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// New since: first seen at or after 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago, and not older than the window
    #[arg(long, value_name = "TIME", conflicts_with = "search")]
    pub new_since: Option<String>,
    /// Of --search: first seen at or after (same forms)
    #[arg(long, value_name = "TIME", requires = "search")]
    pub since: Option<String>,
    /// Items that their topic's filter hides: without them, all, or only them
    #[arg(long, value_name = "WHAT", default_value = "hide", value_parser = ["hide", "keep", "only"])]
    pub filtered: String,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub limit: u32,
    /// Of --search: the next page, from where the one before ended
    #[arg(long, value_name = "PLACE", requires = "search")]
    pub after: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `search`
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// All of these words; "a phrase", begin*, -not
    #[arg(required = true)]
    pub words: Vec<String>,
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// First seen at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Items that their topic's filter hides: without them, all, or only them
    #[arg(long, value_name = "WHAT", default_value = "hide", value_parser = ["hide", "keep", "only"])]
    pub filtered: String,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// The next page: what the one before ended with
    #[arg(long, value_name = "PLACE")]
    pub after: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `diff`
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Topic id
    pub topic: String,
    /// Since this run, since 2026-03-11, 2026-03-11T09:00:00Z, 24h or 7d ago, or since the `last-report` that was
    /// delivered [default: the run before the last]
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
