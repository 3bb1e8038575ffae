//! `items`: what was found, the newest first.

use serde_json::json;

use super::args::{Common, ItemsArgs};
use super::context::{Context, instant};
use super::{Exit, Failure, output};
use crate::store::{Filter, Nature};

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
    let words = usize::from(output::width()).saturating_sub(58).max(30);
    let rows = items
        .iter()
        .map(|i| {
            let said = i.title.as_deref().or(i.text.as_deref()).unwrap_or("");
            let author = i.author.as_ref().map_or_else(String::new, |a| format!("@{}", output::brief(a, 20)));
            vec![i.topic.clone(), i.first_seen.to_string(), author, output::brief(said, words)]
        })
        .collect();
    text.push_str(&output::table(&["topic", "first seen", "author", "title or text"], rows, &[]));
    if items.len() == args.limit as usize {
        text.push_str(&format!("\nthe newest {}; --limit N for more, topicwatch export for all\n", items.len()));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}
