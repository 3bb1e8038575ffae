//! `token list`: tokens and links, and when each was used or ends.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::model::{LinkRow, Time, TokenRow};

/// Columns for what a token or link is for.
const FOR: usize = 60;

#[derive(Debug, Args)]
pub struct TokenListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &TokenListArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let store = context.store_to_read().await?;
    let (tokens, links) = (store.tokens().await?, store.links().await?);
    store.close().await;
    if args.json {
        output::json(&json!({ "tokens": tokens, "links": links }))?;
        return Ok(Exit::Ok);
    }
    if tokens.is_empty() && links.is_empty() {
        output::text("no tokens and no links; topicwatch token add creates one\n")?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    if !tokens.is_empty() {
        let rows = tokens.iter().map(token).collect();
        text.push_str(&output::table(&["token", "role", "for", "created", "last used", "state"], rows, &[]));
    }
    if !links.is_empty() {
        let now = (context.clock)();
        let rows = links.iter().map(|one| link(one, now)).collect();
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{}", output::table(&["link", "shows", "created", "expires", "state"], rows, &[])));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

fn token(token: &TokenRow) -> Vec<String> {
    let tags = token.tags.iter().map(|tag| format!("tag {tag}"));
    let list: Vec<String> = token.topics.iter().cloned().chain(tags).collect();
    vec![
        token.name.clone(),
        token.role.to_string(),
        if token.covers_all_topics() { "all topics".to_owned() } else { output::truncate(&list.join(", "), FOR) },
        output::format_time(token.made_at),
        output::format_time_or_dash(token.last_used_at),
        if token.withdrawn_at.is_some() { "withdrawn" } else { "valid" }.to_owned(),
    ]
}

fn link(link: &LinkRow, now: Time) -> Vec<String> {
    let state = match link.withdrawn_at {
        Some(_) => "withdrawn",
        None if link.is_valid(now) => "valid",
        None => "expired",
    };
    vec![
        link.id.clone(),
        output::truncate(&link.shows(), FOR),
        output::format_time(link.made_at),
        output::format_time(link.expires_at),
        state.to_owned(),
    ]
}
