//! `topic filter test`: previews what a filter would hide of the stored items, next to the filter in force. It changes
//! nothing; the file's filter takes effect with the next run.

use std::collections::{BTreeMap, VecDeque};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::examples;
use crate::cli::look::diff;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::filter_of;
use crate::draw::format::count_noun;
use crate::filter::{Filter as CompiledFilter, FilterError, check_lang, unjudged_note};
use crate::model::TopicFilter;
use crate::store::{Filter, ItemRow, StoreError};

#[derive(Debug, Args)]
pub struct FilterArgs {
    /// What to do with it
    #[command(subcommand)]
    pub what: FilterVerb,
}

/// What can be done with a filter.
#[derive(Debug, Subcommand)]
pub enum FilterVerb {
    /// Count what the filter would hide, with examples; changes nothing
    #[command(after_help = examples::FILTER)]
    Test(FilterTestArgs),
}

#[derive(Debug, Args)]
pub struct FilterTestArgs {
    /// Topic id
    pub topic: String,
    /// Override the file: must occur (repeat for more)
    #[arg(long, value_name = "ENTRY")]
    pub must: Vec<String>,
    /// Override the file: must not occur (repeat for more)
    #[arg(long, value_name = "ENTRY")]
    pub exclude: Vec<String>,
    /// Override the file: language (repeat for more)
    #[arg(long, value_name = "LANG")]
    pub lang: Vec<String>,
    /// Override the file: author (repeat for more)
    #[arg(long, value_name = "HANDLE")]
    pub exclude_author: Vec<String>,
    /// Examples of each kind
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub limit: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &FilterArgs) -> Result<Exit, Failure> {
    let FilterVerb::Test(args) = &args.what;
    test(common, args).await
}

/// An item as an example.
#[derive(Debug, serde::Serialize)]
struct Example {
    key: String,
    author: Option<String>,
    words: Option<String>,
    url: Option<String>,
    /// The entry that hides it, before or after the change.
    hidden_by: Option<String>,
}

/// The changes that the filter would make.
#[derive(Debug, Default, serde::Serialize)]
struct FilterPreview {
    items: u64,
    hidden_now: u64,
    hidden_then: u64,
    would_hide: u64,
    would_show: u64,
    /// Items not hidden by the tested filter because the words that it needs were pruned.
    unjudged: u64,
    hides: Vec<Example>,
    shows: Vec<Example>,
    /// How many items each entry is the first to hide.
    entries: BTreeMap<String, u64>,
}

async fn test(common: &Common, args: &FilterTestArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let written = context.topics(std::slice::from_ref(&args.topic))?.remove(0).filter;
    let over = TopicFilter {
        must: args.must.clone(),
        exclude: args.exclude.clone(),
        lang: args.lang.clone(),
        exclude_authors: args.exclude_author.clone(),
    };
    let wanted = TopicFilter {
        must: if over.must.is_empty() { written.must } else { over.must },
        exclude: if over.exclude.is_empty() { written.exclude } else { over.exclude },
        lang: if over.lang.is_empty() { written.lang } else { over.lang },
        exclude_authors: if over.exclude_authors.is_empty() { written.exclude_authors } else { over.exclude_authors },
    };
    let then = CompiledFilter::compile(&wanted).map_err(|error| filter_failure(&error))?;
    for (place, tag) in wanted.lang.iter().enumerate() {
        check_lang(tag).map_err(|error| filter_failure(&FilterError { key: "lang", place, error }))?;
    }
    let store = context.store_to_read().await?;
    let topic = diff::stored_topic(&context, &store, &args.topic).await?;
    let now = filter_of(&topic);
    let entry = |list: &TopicFilter, why: crate::filter::HiddenBy| {
        let of = match why.key {
            "must" => &list.must,
            "exclude" => &list.exclude,
            "exclude_authors" => &list.exclude_authors,
            _ => return format!("lang = {}", list.lang.join(", ")),
        };
        format!("{} = {}", why.key, of.get(why.place).map_or("", String::as_str))
    };
    let mut preview = FilterPreview::default();
    for (key, list) in
        [("must", &wanted.must), ("exclude", &wanted.exclude), ("exclude_authors", &wanted.exclude_authors)]
    {
        preview.entries.extend(list.iter().map(|text| (format!("{key} = {text}"), 0)));
    }
    let most = args.limit as usize;
    let (mut hides, mut shows) = (VecDeque::new(), VecDeque::new());
    let filter = Filter { topics: vec![topic.id.clone()], ..Filter::default() };
    store
        .each_item(&filter, &mut |row: ItemRow| {
            let why = |of: &CompiledFilter| {
                of.hidden_by(row.title.as_deref(), row.text.as_deref(), row.author.as_deref(), row.lang.as_deref())
            };
            let (before, after) = (why(&now), why(&then));
            preview.items += 1;
            preview.hidden_now += u64::from(before.is_some());
            preview.hidden_then += u64::from(after.is_some());
            preview.unjudged += u64::from(after.is_none() && row.pruned_at.is_some() && then.needs_text());
            if let Some(why) = after {
                *preview.entries.entry(entry(&wanted, why)).or_default() += 1;
            }
            let (changed, examples, by) = match (before, after) {
                (None, Some(why)) => (&mut preview.would_hide, &mut hides, entry(&wanted, why)),
                (Some(why), None) => (&mut preview.would_show, &mut shows, entry(&topic.filter, why)),
                _ => return Ok::<_, StoreError>(()),
            };
            *changed += 1;
            // Keep the latest examples.
            if examples.len() == most {
                examples.pop_front();
            }
            if most > 0 {
                examples.push_back(example(row, by));
            }
            Ok(())
        })
        .await?;
    preview.hides = hides.into_iter().rev().collect();
    preview.shows = shows.into_iter().rev().collect();
    let invented = store.is_sandbox().await?;
    store.close().await;
    if args.json {
        // `told` is the former name of `preview`, until 1.0.
        output::json(&json!({
            "sandbox": invented, "topic": topic.id, "in_force": topic.filter, "tested": wanted, "preview": preview, "told": preview,
        }))?;
    } else {
        let head = if invented { "SANDBOX: invented findings\n" } else { "" };
        output::text(&format!("{head}{}", render(&topic.id, &preview, usize::from(output::width()))))?;
    }
    Ok(Exit::Ok)
}

fn filter_failure(error: &FilterError) -> Failure {
    Failure::usage(format!("{}, entry {} {}", error.key, error.place + 1, error.error.text), error.error.hint.clone())
}

fn example(row: ItemRow, by: String) -> Example {
    let words = row.title.or(row.text);
    Example { key: row.key, author: row.author, words, url: row.url, hidden_by: Some(by) }
}

fn render(topic: &str, preview: &FilterPreview, width: usize) -> String {
    let mut text = format!(
        "{topic} · {} · {} hidden now, {} with the tested filter\n{} would be hidden, {} shown again\n",
        count_noun(preview.items, "item"),
        preview.hidden_now,
        preview.hidden_then,
        preview.would_hide,
        preview.would_show
    );
    text.extend(unjudged_note(preview.unjudged).map(|unjudged| format!("{unjudged}\n")));
    for (entry, count) in &preview.entries {
        text.push_str(&format!("  {count:>6} by {}\n", output::truncate(entry, width.saturating_sub(12).max(20))));
    }
    for (title, count, examples) in [
        ("Would be hidden", preview.would_hide, &preview.hides),
        ("Would be shown again", preview.would_show, &preview.shows),
    ] {
        if examples.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{title}\n"));
        for example in examples {
            let author =
                example.author.as_ref().map_or_else(String::new, |a| format!("@{}: ", output::truncate(a, 24)));
            let words = format!("{author}{}", example.words.as_deref().unwrap_or("(no text)"));
            text.push_str(&format!("  {}\n", output::truncate(&words, width.saturating_sub(2).max(40))));
            let by = example.hidden_by.as_deref().unwrap_or("");
            text.push_str(&format!("    {}\n", output::truncate(by, width.saturating_sub(4).max(40))));
        }
        let more = count.saturating_sub(examples.len() as u64);
        if more > 0 {
            text.push_str(&format!("  … and {more} more: --limit N\n"));
        }
    }
    if preview.would_hide + preview.would_show > 0 {
        text.push_str("\nThe file's filter takes effect with the next run; searches do not change.\n");
    }
    text
}
