//! `token add`: a named token, shown once.

use clap::Args;
use serde_json::json;

use super::open_store::{LINK, open_with_time};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::options::Common;
use crate::model::{Role, TokenRow, secret_hash};

/// Prefix of a token, so that a leaked one can be recognised.
const BEGIN: &str = "tw_";
/// The name of the holder of the configured token on the pages.
const OWNER: &str = "owner";
/// The most characters of a name.
const LONGEST: usize = 64;
/// The most topics and tags of a token.
const MOST: usize = 500;

#[derive(Debug, Args)]
pub struct TokenAddArgs {
    /// Name of the user or program: letters, digits, - and _
    #[arg(value_name = "NAME")]
    pub name: String,
    /// What it may do: read, act or edit
    #[arg(long, value_name = "ROLE", value_parser = ["read", "act", "edit"])]
    pub role: String,
    /// Only this topic [default: all] (repeat for more)
    #[arg(long = "topic", value_name = "ID")]
    pub topics: Vec<String>,
    /// Only topics with this tag (repeat for more)
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &TokenAddArgs) -> Result<Exit, Failure> {
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if args.name.is_empty() || args.name.len() > LONGEST || !args.name.chars().all(fit) || args.name.starts_with(LINK) {
        let hint = format!("use 1 to {LONGEST} letters, digits, - and _, not starting with `{LINK}`");
        return Err(Failure::usage(format!("`{}` cannot be a name", output::truncate(&args.name, 80)), hint));
    }
    if args.name.eq_ignore_ascii_case(OWNER) {
        let hint = "the pages use this name for the token of the configuration: choose another";
        return Err(Failure::usage(format!("`{}` cannot be a name", args.name), hint));
    }
    let Some(role) = Role::parse(&args.role) else { return Ok(Exit::Usage) };
    if role == Role::Edit && !(args.topics.is_empty() && args.tags.is_empty()) {
        let hint = "leave out --topic and --tag, or use --role act";
        return Err(Failure::usage("a token that edits is for all topics: it changes the whole file", hint));
    }
    if args.topics.len() + args.tags.len() > MOST {
        return Err(Failure::usage(
            format!("a token can have at most {MOST} topics and tags"),
            "give the topics a tag",
        ));
    }
    let context = Context::load(common, args.at.as_deref())?;
    context.check_topics(&args.topics)?;
    let tagged = |tag: &String| context.config.topics.iter().any(|topic| topic.tags.contains(tag));
    if let Some(unknown) = args.tags.iter().find(|tag| !tagged(tag)) {
        let hint = "tags are set in `tags` of [[topics]]";
        return Err(Failure::usage(format!("no topic has the tag `{}`", output::truncate(unknown, 80)), hint));
    }
    let random_failure = || Failure::usage("the system returned no random bytes", "try again; `dmesg` may say why");
    let secret = format!("{BEGIN}{}", ids::secret().map_err(|_| random_failure())?);
    let (store, now) = open_with_time(&context, args.at.as_deref()).await?;
    let distinct = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        names
    };
    let token = TokenRow {
        name: args.name.clone(),
        role,
        topics: distinct(&args.topics),
        tags: distinct(&args.tags),
        hash: secret_hash(&secret),
        made_at: now,
        withdrawn_at: None,
        last_used_at: None,
    };
    let first = store.tokens().await?.is_empty() && context.config.web.token.is_none();
    let added = store.add_token(&token).await;
    store.close().await;
    added?;
    if args.json {
        output::json(
            &json!({ "name": token.name, "role": role, "topics": token.topics, "tags": token.tags, "token": secret }),
        )?;
    } else {
        output::text(&format!("{secret}\n"))?;
        output::print_stderr(&format!("this is the token of {}; it is not shown again", token.name));
    }
    if first {
        output::print_stderr("within two seconds, the pages and the API will require a token");
    }
    Ok(Exit::Ok)
}
