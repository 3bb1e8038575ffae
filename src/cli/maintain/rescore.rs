//! `db rescore`: scores stored items again if another version of the scorer judged them.

use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::draw::format::count_noun;
use crate::model::Tone;
use crate::sentiment;
use crate::store::RescoreResult;

#[derive(Debug, Args)]
pub struct RescoreArgs {
    /// Only this topic's items (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Write nothing; show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Items judged in one transaction. Each transaction blocks other writers for some milliseconds.
const BATCH: u32 = 500;

pub(in crate::cli) async fn run(common: &Common, args: &RescoreArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let store = context.store(false).await?;
    let stored = store.watched_topics(&args.topic).await?;
    // A topic removed from the file still has its items.
    if let Some(name) = args.topic.iter().find(|name| stored.iter().all(|known| known.topic != **name)) {
        context.check_topics(std::slice::from_ref(name))?;
    }
    let lively = output::is_interactive() && !common.quiet;
    let show_progress = |count: i64| {
        if lively && count % 50_000 == 0 {
            output::print_stderr(&format!("{count} items…"));
        }
    };
    let done = store.rescore(sentiment::judge, &args.topic, BATCH, args.dry_run, show_progress).await?;
    store.close().await;
    if args.json {
        output::json(&as_json(&done, args.dry_run))?;
    } else {
        output::text(&as_text(&done, args.dry_run))?;
    }
    Ok(Exit::Ok)
}

fn as_json(done: &RescoreResult, dry_run: bool) -> Value {
    let mut moves = Map::new();
    for (before, row) in Tone::ALL.iter().zip(done.moved) {
        for (now, count) in Tone::ALL.iter().zip(row).filter(|(now, count)| *now != before && *count > 0) {
            moves.insert(format!("{before} to {now}"), json!(count));
        }
    }
    json!({
        "scorer": sentiment::VERSION,
        "dry_run": dry_run,
        "scored": done.rescored,
        // The former name, until 1.0.
        "judged": done.rescored,
        "first": done.first,
        "changed": done.changed(),
        "moves": moves,
    })
}

fn as_text(done: &RescoreResult, dry_run: bool) -> String {
    if done.rescored == 0 {
        return format!("every item with stored text is already scored by {}\n", sentiment::VERSION);
    }
    let would = if dry_run { " would be" } else { "" };
    let mut text = format!(
        "{}{would} scored by {}: {} for the first time, {} with a different tone than before\n",
        count_noun(done.rescored.unsigned_abs(), "item"),
        sentiment::VERSION,
        done.first,
        done.changed()
    );
    for (before, row) in Tone::ALL.iter().zip(done.moved) {
        for (now, count) in Tone::ALL.iter().zip(row).filter(|(now, count)| *now != before && *count > 0) {
            text.push_str(&format!("  {before} -> {now}: {count}\n"));
        }
    }
    text
}
