//! `items --rank relevance`, `--fold-noise`, `--marked`, `--suggest`: a topic's items by mark or relevance, or the items
//! to mark next, with their keys. `compare` computes the relevance and chooses the items.

use std::cmp::Reverse;

use clap::Args;
use serde_json::json;

use super::item_json::items_to_json;
use super::item_list;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::{FilterMode, Ranking, RowFilter, items_to_mark_and_ranking};
use crate::draw::format::number;
use crate::insight::relevance::{LEAST_MARKS, MOST_ITEMS};
use crate::model::Mark;
use crate::store::{Filter, ItemRow, Store};

/// Columns of the usual key, that of a post.
const KEY: usize = 26;

#[derive(Debug, Args)]
pub struct RankedArgs {
    /// For one topic: only items with this mark
    #[arg(long, value_name = "MARK", requires = "topic", conflicts_with_all = ["search", "new_since"], value_parser = ["good", "noise"])]
    pub marked: Option<String>,
    /// For one topic: likely good items first, learned from its marks; latest 5,000 items
    #[arg(long, value_name = "ORDER", requires = "topic", conflicts_with_all = ["search", "new_since"], value_parser = ["relevance"])]
    pub rank: Option<String>,
    /// For one topic: leave out likely noise, learned from its marks; latest 5,000 items
    #[arg(long, requires = "topic", conflicts_with_all = ["search", "new_since"])]
    pub fold_noise: bool,
    /// For one topic: the items worth marking next; latest 5,000 items
    #[arg(long, requires = "topic", conflicts_with_all = ["search", "new_since", "marked", "rank", "fold_noise", "filtered"])]
    pub suggest: bool,
}

impl RankedArgs {
    /// Whether any of these options is given.
    pub(in crate::cli) fn any_given(&self) -> bool {
        self.marked.is_some() || self.rank.is_some() || self.fold_noise || self.suggest
    }
}

/// Which items are shown, and how.
pub(in crate::cli) struct ListOptions {
    pub(in crate::cli) topic: Vec<String>,
    pub(in crate::cli) filtered: String,
    pub(in crate::cli) limit: usize,
    pub(in crate::cli) json: bool,
}

/// The items to list, with counts.
struct Listed {
    items: Vec<ItemRow>,
    /// Number of likely noise items left out.
    folded: usize,
    /// Number of items beyond the limit.
    more: usize,
    hidden: u64,
    /// A sentence on what the ranking learned and how well it folds; `None` if nothing was learned.
    learned: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &RankedArgs, options: &ListOptions) -> Result<Exit, Failure> {
    let [topic] = options.topic.as_slice() else {
        return Err(Failure::usage("marks belong to one topic", "set --topic ID, once"));
    };
    let context = Context::load(common, None)?;
    let store = context.store_to_read().await?;
    renamed(&context, &store, &options.topic).await?;
    if store.watched_topics(&options.topic).await?.is_empty() {
        context.check_topics(&options.topic)?;
    }
    let listed = if args.suggest {
        suggested(&store, topic, options).await?
    } else {
        list(&store, topic, args, options).await?
    };
    let invented = store.is_sandbox().await?;
    let json_items = if options.json { items_to_json(&store, &listed.items).await? } else { Vec::new() };
    store.close().await;
    if options.json {
        output::json(&json!({
            "sandbox": invented,
            "items": json_items,
            "filtered": listed.hidden,
            "folded": listed.folded,
            "learned": listed.learned,
        }))?;
    } else {
        output::text(&as_text(&listed, topic, args, (options.filtered.as_str(), invented)))?;
    }
    Ok(Exit::Ok)
}

async fn list(store: &Store, topic: &str, args: &RankedArgs, options: &ListOptions) -> Result<Listed, Failure> {
    let most = i64::try_from(MOST_ITEMS).unwrap_or(i64::MAX);
    let mut rows = match args.marked.as_deref() {
        Some(mark) => {
            let keys = store.marked_keys(topic, Mark::parse(mark), most).await?;
            store.items_by_key(topic, &keys).await?
        }
        None => {
            let filter = Filter { topics: vec![topic.to_owned()], ..Filter::default() };
            store.items(&filter, None, most).await?
        }
    };
    let mode = FilterMode::parse(&options.filtered).unwrap_or(FilterMode::Hide);
    let mut hiding = RowFilter::of(store, &options.topic, mode).await?;
    rows.retain(|row| hiding.shows_item(row));
    let ranking = Ranking::of(store, topic).await?;
    let folded = ranking.as_ref().map_or(0, |ranking| ranking.apply(&mut rows, args.fold_noise));
    let time = |row: &ItemRow| (Reverse(row.first_seen), row.key.clone());
    if args.rank.is_some() {
        rows.sort_by_cached_key(|row| (Reverse(row.relevance), time(row)));
    } else {
        rows.sort_by_cached_key(time);
    }
    let more = rows.len().saturating_sub(options.limit);
    rows.truncate(options.limit);
    Ok(Listed {
        items: rows,
        folded,
        more,
        hidden: hiding.hidden_count(),
        learned: ranking.map(|ranking| ranking.describe()),
    })
}

/// The items to mark next.
async fn suggested(store: &Store, topic: &str, options: &ListOptions) -> Result<Listed, Failure> {
    let (mut items, ranking) = items_to_mark_and_ranking(store, topic).await?;
    items.truncate(options.limit);
    if let Some(ranking) = &ranking {
        ranking.apply(&mut items, false);
    }
    Ok(Listed { items, folded: 0, more: 0, hidden: 0, learned: ranking.map(|ranking| ranking.describe()) })
}

fn as_text(listed: &Listed, topic: &str, args: &RankedArgs, (filtered, invented): (&str, bool)) -> String {
    // Whether items that the filter hides were left out.
    let hides = filtered == "hide";
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    text.push_str(&table(&listed.items));
    if !args.suggest {
        let in_use = [("--marked", args.marked.is_some()), ("--filtered only", filtered == "only")];
        text.push_str(&item_list::empty_note(listed.items.len(), listed.hidden + listed.folded as u64, &in_use));
    }
    if listed.more > 0 {
        text.push_str(&format!("\n{} more; --limit N shows more\n", listed.more));
    }
    if hides && listed.hidden > 0 {
        text.push_str(&format!("\n{} hidden by the topic's filter; --filtered keep shows them\n", listed.hidden));
    }
    if args.rank.is_some() || args.fold_noise {
        match &listed.learned {
            Some(note) if args.fold_noise && listed.folded > 0 => text
                .push_str(&format!("\n{} likely noise folded ({note}); shown without --fold-noise\n", listed.folded)),
            Some(note) => text.push_str(&format!("\n{note}\n")),
            None => text.push_str(&format!(
                "\nrelevance needs at least {LEAST_MARKS} marks, some good and some noise: topicwatch items --topic {topic} --suggest\n"
            )),
        }
    }
    if args.suggest && !listed.items.is_empty() {
        text.push_str(&format!("\nmark each good or noise: topicwatch items mark {topic} KEY good --suggested\n"));
    } else if args.suggest {
        text.push_str(&format!(
            "\nnothing to mark: among the latest {} items, no unmarked one has words and is shown by the topic's filter\n",
            number(MOST_ITEMS as u64)
        ));
    }
    text
}

fn table(items: &[ItemRow]) -> String {
    // Keys are copied from here, so that none is cut; they come last, as some are long.
    let words = usize::from(output::width()).saturating_sub(KEY + 20).clamp(24, 100);
    let rows = items
        .iter()
        .map(|item| {
            let relevance = item.relevance.map_or_else(|| "-".to_owned(), |one| format!("{:.2}", one as f64 / 1_000.0));
            let content = item.title.as_deref().or(item.text.as_deref()).unwrap_or("(no text)");
            let mark = item.mark.map_or("", Mark::as_str).to_owned();
            vec![relevance, mark, output::truncate(content, words), output::escape_control(&item.key)]
        })
        .collect();
    output::table(&["relevance", "mark", "title or text", "key"], rows, &[0])
}
