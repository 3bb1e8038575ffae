//! `items star` and `items note`: set and remove stars and notes, as on the pages. `look::starred_list` lists them.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::topic::pause::open;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::find_item_key;
use crate::model::parse_note;
use crate::store::Store;

/// Columns of a key in a message.
const KEY_COLUMNS: usize = 120;

#[derive(Debug, Args)]
pub struct StarArgs {
    /// Keys of items, as `items --json` and the pages show them
    #[arg(required = true, value_name = "KEY")]
    pub keys: Vec<String>,
    /// Remove the stars
    #[arg(long)]
    pub off: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct NoteArgs {
    /// Key of an item, as `items --json` and the pages show it
    #[arg(value_name = "KEY")]
    pub key: String,
    /// Text of the note, up to 2,000 characters
    #[arg(required_unless_present = "clear", allow_hyphen_values = true)]
    pub text: Option<String>,
    /// Remove the note
    #[arg(long, conflicts_with = "text")]
    pub clear: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn star(common: &Common, args: &StarArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    let mut keys = Vec::with_capacity(args.keys.len());
    for given in &args.keys {
        keys.push(find_item_key(&store, given).await?.into_owned());
    }
    keys.sort();
    keys.dedup();
    let mut changed = 0_usize;
    for key in &keys {
        // Look all items up before changing any.
        changed += usize::from(is_starred(&store, key).await? == args.off);
    }
    for key in &keys {
        if !store.star(key, !args.off, now).await? {
            return Err(unknown(key));
        }
    }
    store.close().await;
    if args.json {
        output::json(&json!({ "items": keys, "starred": !args.off, "changed": changed }))?;
        return Ok(Exit::Ok);
    }
    let items = if changed == 1 { "item" } else { "items" };
    let same = if changed < keys.len() { format!(", {} unchanged", keys.len() - changed) } else { String::new() };
    output::text(&if args.off {
        let stars = if changed == 1 { "star" } else { "stars" };
        format!("{stars} removed from {changed} {items}{same}\n")
    } else {
        format!("{changed} {items} starred{same}; topicwatch items --starred lists them\n")
    })?;
    Ok(Exit::Ok)
}

pub(in crate::cli) async fn note(common: &Common, args: &NoteArgs) -> Result<Exit, Failure> {
    let typed = args.text.as_deref().unwrap_or("");
    let note = parse_note(typed).map_err(|bad| Failure::usage(bad.to_string(), bad.hint()))?;
    if note.is_none() && !args.clear {
        return Err(Failure::usage("the note is empty", "write some text, or remove a note with --clear"));
    }
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    let key = find_item_key(&store, &args.key).await?;
    let had_note = store.item_by_key(&key).await?.first().is_some_and(|row| row.note.is_some());
    if !store.note(&key, note.as_deref(), now).await? {
        return Err(unknown(&args.key));
    }
    store.close().await;
    if args.json {
        output::json(&json!({ "item": key, "note": note }))?;
        return Ok(Exit::Ok);
    }
    let message = match (note.is_some(), had_note) {
        (true, _) => "note saved; topicwatch items --noted lists all notes",
        (false, true) => "note removed",
        (false, false) => "had no note",
    };
    output::text(&format!("{}: {message}\n", output::truncate(&key, KEY_COLUMNS)))?;
    Ok(Exit::Ok)
}

/// Whether a known item has a star.
async fn is_starred(store: &Store, key: &str) -> Result<bool, Failure> {
    let rows = store.item_by_key(key).await?;
    let first = rows.first().ok_or_else(|| unknown(key))?;
    Ok(first.starred_at.is_some())
}

fn unknown(key: &str) -> Failure {
    Failure::usage(
        format!("no topic has an item `{}`", output::truncate(key, KEY_COLUMNS)),
        "topicwatch items --json lists the keys",
    )
}
