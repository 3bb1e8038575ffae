//! `items --search` (and the old `search`): items by their words, latest runs first. `normalise::words` decides how
//! words match.

use clap::Args;
use serde_json::json;

use super::item_json::items_to_json;
use crate::cli::look::items::item_list;
use crate::cli::look::no_match::empty_list;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::check_topics;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::{Common, shell_word};
use crate::collect::index_words;
use crate::compare::{FilterMode, RowFilter};
use crate::model::{TextQuery, WindowFit};
use crate::normalise::words::{self, QueryError};
use crate::store::{Filter, ItemRow, SearchCursor, Store, StoreErrorKind};

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Words that must all occur; "a phrase", prefix*, -not
    #[arg(required = true)]
    pub words: Vec<String>,
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// First seen at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Items hidden by their topic's filter: hide them, keep them, or show only them
    #[arg(long, value_name = "WHAT", default_value = "hide", value_parser = ["hide", "keep", "only"])]
    pub filtered: String,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Next page: the PLACE printed by the previous page
    #[arg(long, value_name = "PLACE")]
    pub after: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Items read per page.
const PAGE: u32 = 200;

/// Items between two progress messages of the indexing.
const TELL_EVERY: u64 = 50_000;

/// One page of results.
struct SearchPage {
    items: Vec<ItemRow>,
    /// Where the next page starts, if there is one.
    next: Option<SearchCursor>,
    hidden: u64,
    invented: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &SearchArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let since = instant("--since", args.since.as_deref(), (context.clock)())?;
    let wanted = parse_search(&args.words.join(" "))?;
    let after = args.after.as_deref().map(after).transpose()?;
    let store = context.store_to_read().await?;
    check_topics(&context, &store, &args.topic).await?;
    index_pending(&store, common.quiet).await?;
    let filter = Filter { topics: args.topic.clone(), since, words: Some(wanted), ..Filter::default() };
    let found = find(&store, args, &filter, after).await?;
    let json_items = if args.json { items_to_json(&store, &found.items).await? } else { Vec::new() };
    store.close().await;
    if args.json {
        let next = found.next.as_ref().map(page_mark);
        let (sandbox, filtered) = (found.invented, found.hidden);
        output::json(&json!({ "sandbox": sandbox, "items": json_items, "filtered": filtered, "next": next }))?;
    } else {
        output::text(&as_text(found, args))?;
    }
    Ok(Exit::Ok)
}

async fn find(
    store: &Store,
    args: &SearchArgs,
    filter: &Filter,
    after: Option<SearchCursor>,
) -> Result<SearchPage, Failure> {
    let mode = FilterMode::parse(&args.filtered).unwrap_or(FilterMode::Hide);
    let mut hiding = RowFilter::of(store, &args.topic, mode).await?;
    let invented = store.is_sandbox().await?;
    let (mut items, mut after, limit) = (Vec::new(), after, args.limit as usize);
    loop {
        let page = store.search_items(filter, after.as_ref(), PAGE).await?;
        let last = page.len() < PAGE as usize;
        for found in page {
            if items.len() == limit {
                return Ok(SearchPage { items, next: after, hidden: hiding.hidden_count(), invented });
            }
            after = Some(SearchCursor { seq: found.seq, topic: found.item.topic.clone(), key: found.item.key.clone() });
            if hiding.shows_item(&found.item) {
                items.push(found.item);
            }
        }
        if last {
            return Ok(SearchPage { items, next: None, hidden: hiding.hidden_count(), invented });
        }
    }
}

fn as_text(found: SearchPage, args: &SearchArgs) -> String {
    // Whether items that filters hide were left out.
    let hides = args.filtered == "hide";
    let mut text = if found.invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    if found.items.is_empty() && hides && found.hidden > 0 {
        text.push_str("nothing shown\n");
    } else if found.items.is_empty() {
        let in_use = [
            ("--topic", !args.topic.is_empty()),
            ("--since", args.since.is_some()),
            ("--after", args.after.is_some()),
            ("--filtered only", args.filtered == "only"),
        ];
        text.push_str(&empty_list("nothing found", &in_use));
    } else {
        let rows: Vec<_> = found.items.into_iter().map(|item| (item, WindowFit::In)).collect();
        text.push_str(&item_list::render(&rows, output::wrap_width()));
    }
    if let Some(next) = &found.next {
        text.push_str(&next_page(next));
    }
    // Counted among the items read for this page.
    if hides && found.hidden > 0 {
        text.push_str(&format!("\n{} hidden by their topics' filters; --filtered keep shows them\n", found.hidden));
    }
    text
}

/// Says how to read the next page. The place is quoted for a shell: the address in it may contain an apostrophe.
fn next_page(next: &SearchCursor) -> String {
    format!("\nthere is more: --limit N, or --after {} for the next page\n", shell_word(&page_mark(next)))
}

/// Formats a place in the list as `--after` accepts it.
fn page_mark(after: &SearchCursor) -> String {
    format!("{}/{}/{}", after.seq, after.topic, after.key)
}

fn after(text: &str) -> Result<SearchCursor, Failure> {
    let mut parts = text.splitn(3, '/');
    let seq = parts.next().and_then(|seq| seq.parse().ok());
    match (seq, parts.next(), parts.next()) {
        (Some(seq), Some(topic), Some(key)) => Ok(SearchCursor { seq, topic: topic.to_owned(), key: key.to_owned() }),
        _ => Err(Failure::usage(
            format!("--after: `{}` is not a place in a list", output::truncate(text, 100)),
            "use the one printed by the previous page, or remove --after",
        )),
    }
}

/// Parses the search words, and notes on stderr what is not indexed.
pub(in crate::cli) fn parse_search(text: &str) -> Result<TextQuery, Failure> {
    for word in words::unindexed_words(text) {
        output::print_stderr(&format!(
            "note: `{word}` matches only as a word of its own: {word}:// at the start of an address is not indexed"
        ));
    }
    words::parse_query(text).map_err(|unclear| {
        let hint = match unclear {
            QueryError::Empty => {
                "write words, \"a phrase\", prefix*, #hashtag, @name, or an emoji; punctuation alone finds nothing"
            }
            QueryError::OnlyExcludes => "add a word that must occur: release -beta",
            QueryError::TooLong => "shorten it, or split it into several searches",
        };
        Failure::usage(format!("cannot search for `{}`: {unclear}", output::truncate(text, 100)), hint)
    })
}

/// Indexes new items first, so that the search misses none. This takes long only once, in a database older than the
/// index or its rules.
pub(in crate::cli) async fn index_pending(store: &Store, quiet: bool) -> Result<(), Failure> {
    let lively = output::is_interactive() && !quiet;
    let on_progress = |done: u64| {
        if lively && done > 0 && done.is_multiple_of(TELL_EVERY) {
            output::print_stderr(&format!("{done} items indexed…"));
        }
        false
    };
    match index_words(store, &on_progress).await {
        Err(error) if error.kind == StoreErrorKind::Unwritable => {
            output::print_stderr(
                "warning: the findings of the latest runs cannot be indexed now, so the search may miss them",
            );
            Ok(())
        }
        done => Ok(done.map(drop)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_printed_place_as_one_word() {
        let place = |key: &str| SearchCursor { seq: 7, topic: "acme".to_owned(), key: key.to_owned() };
        for (key, word) in [
            ("post:x:12", "7/acme/post:x:12"),
            ("page:https://a.example/?b=1&c=2", "'7/acme/page:https://a.example/?b=1&c=2'"),
            ("page:https://a.example/it's", r"'7/acme/page:https://a.example/it'\''s'"),
        ] {
            let line = next_page(&place(key));
            assert_eq!(line, format!("\nthere is more: --limit N, or --after {word} for the next page\n"));
            assert_eq!(after(&page_mark(&place(key))).unwrap(), place(key));
        }
    }
}
