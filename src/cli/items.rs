//! `items`: what was found, the newest first.

use serde_json::json;

use super::args::{Common, ItemsArgs};
use super::context::{Context, instant};
use super::{Exit, Failure, output};
use crate::store::{Filter, ItemRow, Nature};

pub(super) async fn run(common: &Common, args: &ItemsArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let since = instant("--new-since", args.new_since.as_deref(), (context.clock)())?;
    let store = context.store(false).await?;
    let filter = Filter { topics: args.topic.clone(), since, until: None };
    let items = store.items(&filter, i64::from(args.limit)).await?;
    let invented = store.nature().await? == Some(Nature::Sandbox);
    store.close().await;
    if args.json {
        output::json(&json!({ "sandbox": invented, "items": items }))?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    text.push_str(&drawn(&items, usize::from(output::width())));
    if items.len() == args.limit as usize {
        text.push_str(&format!("\nthe newest {}; --limit N for more, topicwatch export for all\n", items.len()));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// One line an item; its words take what is left of the line.
fn drawn(items: &[ItemRow], width: usize) -> String {
    let author = |i: &ItemRow| i.author.as_ref().map_or_else(String::new, |a| format!("@{}", output::brief(a, 20)));
    let authors: Vec<String> = items.iter().map(author).collect();
    let topics = output::longest(items.iter().map(|i| i.topic.as_str()).chain(["topic"]));
    let taken = topics + 2 + 20 + 2 + output::longest(authors.iter().map(String::as_str).chain(["author"])) + 2;
    let words = width.saturating_sub(taken).max(20);
    let rows = items
        .iter()
        .zip(authors)
        .map(|(i, author)| {
            let said = i.title.as_deref().or(i.text.as_deref()).unwrap_or("");
            vec![i.topic.clone(), output::when(i.first_seen), author, output::brief(said, words)]
        })
        .collect();
    output::table(&["topic", "first seen", "author", "title or text"], rows, &[])
}
