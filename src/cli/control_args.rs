//! What can be said to the verbs that work beside a daemon. Their help texts are the reference, as those in `args` are.

use clap::{Args, Subcommand};

/// `pause`
#[derive(Debug, Args)]
pub struct PauseArgs {
    /// Topic ids
    #[arg(required = true, value_name = "TOPIC")]
    pub topics: Vec<String>,
    /// Why, for whoever reads `status` and `runs`
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// `resume`
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Topic ids
    #[arg(required = true, value_name = "TOPIC")]
    pub topics: Vec<String>,
}

/// `run-now`
#[derive(Debug, Args)]
pub struct RunNowArgs {
    /// Topic ids
    #[arg(required = true, value_name = "TOPIC")]
    pub topics: Vec<String>,
    /// Wait for the end and show what was found, as `once` does
    #[arg(long)]
    pub wait: bool,
    /// Longest wait
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "wait")]
    pub timeout: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `topic`
#[derive(Debug, Args)]
pub struct TopicArgs {
    /// What to do with it
    #[command(subcommand)]
    pub what: TopicVerb,
}

/// What can be done with a topic.
#[derive(Debug, Subcommand)]
pub enum TopicVerb {
    /// Give it another id; its runs, items and sightings go with it
    Rename {
        /// The id it has
        old: String,
        /// The id it gets
        new: String,
    },
}
