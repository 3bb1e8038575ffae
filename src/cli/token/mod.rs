//! `token`: who else may see the pages and use the API. `web` decides what a role may do. Secrets are made here; only
//! their hashes are stored.

mod add;
mod list;
mod open_store;
mod share;

use clap::{Args, Subcommand};

use self::open_store::{LINK, open_with_time};
use crate::cli::examples;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;

#[derive(Debug, Args)]
pub struct TokenArgs {
    /// What to do
    #[command(subcommand)]
    pub verb: TokenVerb,
}

/// The verbs of `token`.
#[derive(Debug, Subcommand)]
pub enum TokenVerb {
    /// Create a named token and show it once
    #[command(after_help = examples::TOKEN_ADD)]
    Add(add::TokenAddArgs),
    /// List tokens and links: role, topics, last use
    #[command(after_help = examples::TOKEN_LIST)]
    List(list::TokenListArgs),
    /// Create a link that shows one topic or report for a limited time
    #[command(override_usage = examples::TOKEN_SHARE_USAGE, after_help = examples::TOKEN_SHARE)]
    Share(share::TokenShareArgs),
    /// Withdraw a token or a link; it stops working
    #[command(after_help = examples::TOKEN_WITHDRAW)]
    Withdraw {
        /// Name of the token, or id of the link
        #[arg(value_name = "NAME")]
        name: String,
        /// Use this time as now, for tests and trials
        #[arg(long, hide = true, value_name = "TIME")]
        at: Option<String>,
    },
}

pub(in crate::cli) async fn run(common: &Common, args: &TokenArgs) -> Result<Exit, Failure> {
    match &args.verb {
        TokenVerb::Add(args) => add::run(common, args).await,
        TokenVerb::List(args) => list::run(common, args).await,
        TokenVerb::Share(args) => share::run(common, args).await,
        TokenVerb::Withdraw { name, at } => withdraw(common, name, at.as_deref()).await,
    }
}

async fn withdraw(common: &Common, name: &str, at: Option<&str>) -> Result<Exit, Failure> {
    let context = Context::load(common, at)?;
    let (store, now) = open_with_time(&context, at).await?;
    let done = if name.starts_with(LINK) {
        store.withdraw_link(name, now).await
    } else {
        store.withdraw_token(name, now).await
    };
    store.close().await;
    done.map_err(|mut error| {
        (error.text, error.hint) = (output::escape_control(&error.text), output::escape_control(&error.hint));
        error
    })?;
    output::text(&format!("withdrawn: {name}\n"))?;
    Ok(Exit::Ok)
}
