//! `items --starred`, `--noted`: starred and noted items with their keys, newest first. `topic::star_note` sets and removes
//! stars and notes.

use serde_json::json;

use super::item_json::items_to_json;
use super::item_list;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::check_topics;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::Common;
use crate::compare::{FilterMode, Rankings, RowFilter};
use crate::store::{AllItemsCursor, Filter, ItemRow, Store};

/// Items read per page.
const PAGE: u32 = 500;
/// Columns of the usual key (that of a post) and of a note.
const KEY: usize = 26;
const NOTE: usize = 40;

/// Which items are shown, and how.
pub(in crate::cli::look) struct StarredArgs {
    pub(in crate::cli::look) topic: Vec<String>,
    pub(in crate::cli::look) new_since: Option<String>,
    pub(in crate::cli::look) starred: bool,
    pub(in crate::cli::look) noted: bool,
    pub(in crate::cli::look) filtered: String,
    pub(in crate::cli::look) limit: usize,
    pub(in crate::cli::look) json: bool,
}

pub(in crate::cli::look) async fn run(common: &Common, args: &StarredArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let new_since = instant("--new-since", args.new_since.as_deref(), (context.clock)())?;
    let store = context.store_to_read().await?;
    check_topics(&context, &store, &args.topic).await?;
    let (starred, noted) = (args.starred, args.noted);
    let filter = Filter { topics: args.topic.clone(), new_since, starred, noted, ..Filter::default() };
    let mode = FilterMode::parse(&args.filtered).unwrap_or(FilterMode::Hide);
    let mut hiding = RowFilter::of(&store, &args.topic, mode).await?;
    let (mut items, more) = list(&store, &filter, &mut hiding, args.limit).await?;
    let invented = store.is_sandbox().await?;
    if args.json {
        let rankings = Rankings::of(&store, &args.topic).await?;
        items.iter_mut().for_each(|item| rankings.rate(item));
    }
    let json_items = if args.json { items_to_json(&store, &items).await? } else { Vec::new() };
    store.close().await;
    if args.json {
        output::json(&json!({ "sandbox": invented, "items": json_items, "filtered": hiding.hidden_count() }))?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    text.push_str(&table(&items));
    let in_use = [
        ("--topic", !args.topic.is_empty()),
        ("--new-since", args.new_since.is_some()),
        ("--starred", starred),
        ("--noted", noted),
        ("--filtered only", mode == FilterMode::Only),
    ];
    text.push_str(&item_list::empty_note(items.len(), hiding.hidden_count(), &in_use));
    if more {
        text.push_str(&format!("\nthe newest {}; --limit N for more\n", items.len()));
    }
    if mode == FilterMode::Hide && hiding.hidden_count() > 0 {
        text.push_str(&format!(
            "\n{} hidden by their topics' filters; --filtered keep shows them\n",
            hiding.hidden_count()
        ));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// Reads pages until there are enough items to show. Also returns whether there are more.
async fn list(
    store: &Store,
    filter: &Filter,
    hiding: &mut RowFilter,
    limit: usize,
) -> Result<(Vec<ItemRow>, bool), Failure> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let read = store.list_found(filter, after.as_ref(), PAGE).await?;
        let last = read.len() < PAGE as usize;
        after = read.last().map(|item| AllItemsCursor {
            first_seen: item.first_seen,
            topic: item.topic.clone(),
            key: item.key.clone(),
        });
        for item in read.into_iter().filter(|item| hiding.shows_item(item)) {
            if items.len() == limit {
                return Ok((items, true));
            }
            items.push(item);
        }
        if last {
            return Ok((items, false));
        }
    }
}

fn table(items: &[ItemRow]) -> String {
    // Keys are never cut, because people copy them. They come last because some are long.
    let topics = output::longest(items.iter().map(|item| item.topic.as_str()).chain(["topic"]));
    let words = usize::from(output::width()).saturating_sub(topics + KEY + NOTE + 14).clamp(24, 100);
    let rows = items
        .iter()
        .map(|item| {
            let star = if item.starred_at.is_some() { "yes" } else { "" };
            let content = item.title.as_deref().or(item.text.as_deref()).unwrap_or("(no text)");
            let note = output::truncate(item.note.as_deref().unwrap_or(""), NOTE);
            let topic = item.topic.clone();
            vec![topic, star.to_owned(), output::truncate(content, words), note, output::escape_control(&item.key)]
        })
        .collect();
    output::table(&["topic", "star", "title or text", "note", "key"], rows, &[])
}
