//! `items`: lists items, newest first; with `--search`, items by their words. Stars and notes are in `topic::star_note`,
//! marks in `topic::mark`, stories in `story`.

mod item_json;
mod item_list;
mod ranked;
pub(in crate::cli) mod search;
mod starred_list;
pub(in crate::cli) mod story;

use std::collections::BTreeSet;

use clap::{Args, Subcommand};
use serde_json::json;

use self::item_json::item_json;
use self::ranked::{ListOptions, RankedArgs};
use self::search::SearchArgs;
use self::starred_list::StarredArgs;
use self::story::StoryArgs;
use crate::cli::examples;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::topic::mark::{self, MarkArgs};
use crate::cli::topic::star_note::{self, NoteArgs, StarArgs};
use crate::cli::wiring::check_names::check_topics;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::Common;
use crate::compare::{FilterMode, Rankings, RowFilter};
use crate::model::WindowFit;
use crate::store::{Filter, ItemRow, Store};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ItemsArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub verb: Option<ItemsVerb>,
    /// Options of `list`
    #[command(flatten)]
    pub list: ItemsListArgs,
}

/// What can be done with items.
#[derive(Debug, Subcommand)]
pub enum ItemsVerb {
    /// List items, newest first, or search them by words
    #[command(after_help = examples::ITEMS)]
    List(Box<ItemsListArgs>),
    /// Star items or remove their stars; a star applies in every topic
    #[command(after_help = examples::STAR)]
    Star(StarArgs),
    /// Write a note on an item, replacing an existing one
    #[command(after_help = examples::NOTE)]
    Note(NoteArgs),
    /// Mark items good or noise, to rank a topic by relevance
    #[command(after_help = examples::MARK)]
    Mark(MarkArgs),
    /// Show how a text or link spread: who first, where, how fast
    #[command(after_help = examples::STORY)]
    Story(StoryArgs),
}

/// Options that exclude `--search`. Options that require `--search` must name them as conflicts too: clap drops the
/// requirement if one of these is given.
const OTHER_MODES: [&str; 7] = ["new_since", "starred", "noted", "marked", "rank", "fold_noise", "suggest"];

#[derive(Debug, Args)]
pub struct ItemsListArgs {
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Only items with these words: all of them, "a phrase", prefix*, -not; latest runs first
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// Only items first seen at or after 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago, and then within their
    /// topic's window
    #[arg(long, value_name = "TIME", conflicts_with = "search")]
    pub new_since: Option<String>,
    /// With --search: first seen at or after (same forms)
    #[arg(long, value_name = "TIME", requires = "search", conflicts_with_all = OTHER_MODES)]
    pub since: Option<String>,
    /// Only items with a star
    #[arg(long, conflicts_with_all = ["search", "marked", "rank", "fold_noise", "suggest"])]
    pub starred: bool,
    /// Only items with a note
    #[arg(long, conflicts_with_all = ["search", "marked", "rank", "fold_noise", "suggest"])]
    pub noted: bool,
    #[command(flatten)]
    pub ranked: RankedArgs,
    /// Items hidden by their topic's filter: hide them, keep them, or show only them
    #[arg(long, value_name = "WHAT", default_value = "hide", value_parser = ["hide", "keep", "only"])]
    pub filtered: String,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// With --search: next page, from the PLACE printed by the previous page
    #[arg(long, value_name = "PLACE", requires = "search", conflicts_with_all = OTHER_MODES)]
    pub after: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The smallest and the largest page read after the first one, in items.
const PAGE: (usize, usize) = (500, 5_000);

/// The items to show.
struct ItemPage {
    items: Vec<(ItemRow, WindowFit)>,
    /// Number of items skipped because they are not new.
    older: u64,
    /// Whether there are more items.
    more: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: ItemsArgs) -> Result<Exit, Failure> {
    match args.verb {
        None => run_list(common, args.list).await,
        Some(ItemsVerb::List(args)) => run_list(common, *args).await,
        Some(ItemsVerb::Star(args)) => star_note::star(common, &args).await,
        Some(ItemsVerb::Note(args)) => star_note::note(common, &args).await,
        Some(ItemsVerb::Mark(args)) => mark::run(common, &args).await,
        Some(ItemsVerb::Story(args)) => story::run(common, &args).await,
    }
}

async fn run_list(common: &Common, args: ItemsListArgs) -> Result<Exit, Failure> {
    if let Some(words) = args.search {
        let ItemsListArgs { topic, since, filtered, limit, after, json, .. } = args;
        let words = vec![words];
        return search::run(common, &SearchArgs { words, topic, since, filtered, limit, after, json }).await;
    }
    if args.ranked.any_given() {
        let ItemsListArgs { topic, ranked, filtered, limit, json, .. } = args;
        return ranked::run(common, &ranked, &ListOptions { topic, filtered, limit: limit as usize, json }).await;
    }
    if args.starred || args.noted {
        let ItemsListArgs { topic, new_since, starred, noted, filtered, limit, json, .. } = args;
        let starred_args = StarredArgs { topic, new_since, starred, noted, filtered, limit: limit as usize, json };
        return starred_list::run(common, &starred_args).await;
    }
    let context = Context::load(common, None)?;
    let since = instant("--new-since", args.new_since.as_deref(), (context.clock)())?;
    let store = context.store_to_read().await?;
    check_topics(&context, &store, &args.topic).await?;
    let filter = Filter { topics: args.topic.clone(), since, ..Filter::default() };
    let mode = FilterMode::parse(&args.filtered).unwrap_or(FilterMode::Hide);
    let mut hiding = RowFilter::of(&store, &args.topic, mode).await?;
    let ItemPage { mut items, older, more } = list(&store, &filter, &mut hiding, args.limit as usize).await?;
    let invented = store.is_sandbox().await?;
    if args.json {
        let rankings = Rankings::of(&store, &args.topic).await?;
        for (item, _) in &mut items {
            rankings.rate(item);
        }
    }
    store.close().await;
    if args.json {
        let rows = items.iter().map(|(item, fit)| item_json(item, *fit)).collect::<Result<Vec<_>, _>>()?;
        output::json(
            &json!({ "sandbox": invented, "items": rows, "filtered": hiding.hidden_count(), "outside": older }),
        )?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    text.push_str(&item_list::render(&items, output::wrap_width()));
    let in_use = [
        ("--topic", !args.topic.is_empty()),
        ("--new-since", args.new_since.is_some()),
        ("--filtered only", mode == FilterMode::Only),
    ];
    text.push_str(&item_list::empty_note(items.len(), hiding.hidden_count() + older, &in_use));
    if more {
        text.push_str(&format!("\nthe newest {}; --limit N for more, topicwatch export for all\n", items.len()));
    }
    // Otherwise they are among the items above.
    if mode == FilterMode::Hide && hiding.hidden_count() > 0 {
        text.push_str(&format!(
            "\n{} hidden by their topics' filters; --filtered keep shows them\n",
            hiding.hidden_count()
        ));
    }
    if older > 0 {
        text.push_str(&format!(
            "\n{older} first seen since then, but older than the window, dated in the future, or stored by a clock that was ahead: not new\n"
        ));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// Reads pages until there are enough items to show, however many are hidden. With a start time, reads to the end,
/// because all left-out items are counted.
async fn list(store: &Store, filter: &Filter, hiding: &mut RowFilter, limit: usize) -> Result<ItemPage, Failure> {
    let mut listed = ItemPage { items: Vec::new(), older: 0, more: false };
    let mut after: Option<ItemRow> = None;
    let ahead = match filter.since {
        Some(since) => store.runs_ahead(since).await?,
        None => BTreeSet::new(),
    };
    // One item more than the limit shows whether there are more.
    let mut page = limit.saturating_add(1);
    loop {
        let read = store.items(filter, after.as_ref(), i64::try_from(page).unwrap_or(i64::MAX)).await?;
        let last = read.len() < page;
        let keys: Vec<String> = read.iter().map(|item| item.key.clone()).collect();
        let fits = store.window_fits(None, &keys).await?;
        after = read.last().cloned();
        for item in read {
            let is_full = listed.items.len() == limit;
            if is_full && filter.since.is_none() {
                listed.more = true;
                return Ok(listed);
            }
            let seen = (item.topic.clone(), item.key.clone());
            let fit = fits.get(&seen).copied().unwrap_or(WindowFit::Undated);
            if !hiding.shows_item(&item) {
                continue;
            }
            // Stored, but not new: it was outside the window of the search that first found it, or a clock was ahead.
            if filter.since.is_some() && (fit == WindowFit::Outside || ahead.contains(&item.first_run)) {
                listed.older += 1;
                continue;
            }
            listed.more |= is_full;
            if !is_full {
                listed.items.push((item, fit));
            }
        }
        if last {
            return Ok(listed);
        }
        page = page.saturating_mul(2).clamp(PAGE.0, PAGE.1);
    }
}
