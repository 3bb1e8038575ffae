//! The arguments of `outbox`.

use clap::{Args, Subcommand};

/// `outbox`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct OutboxArgs {
    /// What to do with it [default: list]
    #[command(subcommand)]
    pub verb: Option<OutboxVerb>,
    /// Of `list`
    #[command(flatten)]
    pub list: OutboxListArgs,
}

/// What can be done with the outbox.
#[derive(Debug, Subcommand)]
pub enum OutboxVerb {
    /// The latest messages first
    List(OutboxListArgs),
    /// One message, whole
    Show(OutboxShowArgs),
    /// Queue messages again, with all their tries before them
    Retry(OutboxChosenArgs),
    /// Put messages away that were given up or wait, so that nobody gets them
    Drop(OutboxChosenArgs),
    /// Deliver now what is due
    Deliver(OutboxDeliverArgs),
}

/// `outbox list`
#[derive(Debug, Args)]
pub struct OutboxListArgs {
    /// Only those in this state
    #[arg(long, value_name = "STATE", value_parser = ["queued", "sending", "sent", "dead"])]
    pub state: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `outbox show`
#[derive(Debug, Args)]
pub struct OutboxShowArgs {
    /// The message's event, as `outbox` lists it
    pub event: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `outbox retry` and `outbox drop`
#[derive(Debug, Args)]
pub struct OutboxChosenArgs {
    /// Events, as `outbox` lists them
    #[arg(value_name = "EVENT", required_unless_present = "dead", conflicts_with = "dead")]
    pub events: Vec<String>,
    /// All that were given up
    #[arg(long)]
    pub dead: bool,
}

/// `outbox deliver`
#[derive(Debug, Args)]
pub struct OutboxDeliverArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
