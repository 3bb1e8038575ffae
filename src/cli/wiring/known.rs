//! Names of topics and tags that a command is given: refused where neither the configuration nor the database has them, since
//! a misspelt one would answer with nothing.

use super::context::Context;
use crate::cli::terminal::failure::Failure;
use crate::store::Store;

/// Refuses topics that neither the configuration nor the database has.
pub(in crate::cli) async fn known(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    let stored = if named.is_empty() { Vec::new() } else { store.watched(named).await? };
    let missing: Vec<String> =
        named.iter().filter(|name| stored.iter().all(|known| known.topic != **name)).cloned().collect();
    context.known(&missing)
}

/// The same of tags.
pub(in crate::cli) async fn known_tags(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    let stored = if named.is_empty() { Vec::new() } else { store.tagged(named).await? };
    let configured: Vec<&str> =
        context.config.topics.iter().flat_map(|topic| &topic.tags).map(String::as_str).collect();
    let has = |tag: &String| {
        configured.contains(&tag.as_str()) || stored.iter().any(|(_, tags)| tags.iter().any(|known| known == tag))
    };
    match named.iter().find(|tag| !has(tag)) {
        None => Ok(()),
        Some(unknown) => {
            let mut all = configured;
            all.sort_unstable();
            all.dedup();
            Err(context.unknown("tag", unknown, &all))
        }
    }
}
