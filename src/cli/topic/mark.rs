//! `items mark`: marks items good or noise for a topic, or removes marks. `compare` learns relevance from them.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::topic::pause::{open, with_suggestion};
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::find_item_key;
use crate::insight::relevance::LEAST_MARKS;
use crate::model::{Mark, MarkedVia, NewMark};

#[derive(Debug, Args)]
pub struct MarkArgs {
    /// Topic id
    pub topic: String,
    /// Keys of items, from `items --json` or the pages
    #[arg(required = true, value_name = "KEY")]
    pub keys: Vec<String>,
    /// good, noise, or none to remove marks
    #[arg(value_name = "MARK", value_parser = ["good", "noise", "none"])]
    pub mark: String,
    /// `items --suggest` listed them
    #[arg(long)]
    pub suggested: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &MarkArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    let mark = Mark::parse(&args.mark);
    let new = NewMark { mark, through: MarkedVia::Cli, suggested: args.suggested };
    let mut keys = Vec::with_capacity(args.keys.len());
    for given in &args.keys {
        keys.push(find_item_key(&store, given).await?.into_owned());
    }
    let marked = match store.mark(&args.topic, &keys, new, now).await {
        Ok(marked) => marked,
        Err(mut error) => {
            // For a mistyped topic, the error is about the topic. One that is no longer watched still has its items.
            if !store.topics_of_runs().await?.iter().any(|(topic, _)| *topic == args.topic) {
                error.text = format!("there is no topic `{}` in the database", args.topic);
                error.hint = String::new();
            }
            let mut failure = with_suggestion(&context, &store, std::slice::from_ref(&args.topic), error, "").await;
            (failure.text, failure.hint) =
                (output::escape_control(&failure.text), output::escape_control(&failure.hint));
            return Err(failure);
        }
    };
    let all = store.marked_counts().await?;
    let many = all.iter().find(|(topic, _)| *topic == args.topic).map_or(0, |(_, many)| *many);
    let least = i64::try_from(LEAST_MARKS).unwrap_or(i64::MAX);
    let mut lacking = None;
    if !args.json && many >= least {
        for kind in [Mark::Good, Mark::Noise] {
            if store.marked_keys(&args.topic, Some(kind), 1).await?.is_empty() {
                lacking = Some(kind);
            }
        }
    }
    store.close().await;
    if args.json {
        output::json(&json!({ "topic": args.topic, "items": marked, "marks": many }))?;
        return Ok(Exit::Ok);
    }
    let changed = marked.iter().filter(|one| one.before != one.mark).count();
    let action = match mark {
        Some(mark) => format!("marked {mark}"),
        None => "unmarked".to_owned(),
    };
    let same = if changed < marked.len() { format!(", {} unchanged", marked.len() - changed) } else { String::new() };
    let items = if changed == 1 { "item" } else { "items" };
    let next = match lacking {
        _ if many < least => {
            format!("relevance needs at least {LEAST_MARKS} marks; topicwatch items --topic {} --suggest", args.topic)
        }
        Some(kind) => {
            format!(
                "relevance needs marks of both kinds; none is {kind}: topicwatch items --topic {} --suggest",
                args.topic
            )
        }
        None => format!("topicwatch items --topic {} --rank relevance", args.topic),
    };
    let marks = if many == 1 { "mark" } else { "marks" };
    output::text(&format!("{changed} {items} {action}{same}; {} has {many} {marks}: {next}\n", args.topic))?;
    Ok(Exit::Ok)
}
