//! The arguments of `outbox`.

use clap::{ArgGroup, Args, Subcommand};

use crate::cli::examples;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct OutboxArgs {
    /// What to do with it [default: list]
    #[command(subcommand)]
    pub verb: Option<OutboxVerb>,
    /// Options of `list`
    #[command(flatten)]
    pub list: OutboxListArgs,
}

/// What can be done with the outbox.
#[derive(Debug, Subcommand)]
pub enum OutboxVerb {
    /// List messages, latest first
    #[command(after_help = examples::OUTBOX_LIST)]
    List(OutboxListArgs),
    /// Show one message in full
    #[command(after_help = examples::OUTBOX_SHOW)]
    Show(OutboxShowArgs),
    /// Queue messages again and reset their attempts
    #[command(after_help = examples::OUTBOX_RETRY)]
    Retry(OutboxChosenArgs),
    /// Drop dead or queued messages; they are never sent
    #[command(after_help = examples::OUTBOX_DROP)]
    Drop(OutboxChosenArgs),
    /// Deliver due messages now
    #[command(after_help = examples::OUTBOX_DELIVER)]
    Deliver(OutboxDeliverArgs),
}

#[derive(Debug, Args)]
pub struct OutboxListArgs {
    /// Only messages in this state
    #[arg(long, value_name = "STATE", value_parser = ["queued", "sending", "sent", "dead"])]
    pub state: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OutboxShowArgs {
    /// Event of the message, as listed by `outbox`
    pub event: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `outbox retry` and `outbox drop`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("chosen").required(true).args(["events", "dead"])))]
pub struct OutboxChosenArgs {
    /// Events, as listed by `outbox`
    #[arg(value_name = "EVENT")]
    pub events: Vec<String>,
    /// Every dead message
    #[arg(long)]
    pub dead: bool,
}

#[derive(Debug, Args)]
pub struct OutboxDeliverArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
