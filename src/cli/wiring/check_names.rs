//! Checks the names of topics and tags that a command is given. A name that neither the configuration nor the database
//! has is rejected, because a typo would give an empty result.

use super::context::Context;
use crate::cli::terminal::failure::Failure;
use crate::store::Store;

/// Rejects topics that neither the configuration nor the database has, and old ids of renamed topics.
pub(in crate::cli) async fn check_topics(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    renamed(context, store, named).await?;
    let stored = if named.is_empty() { Vec::new() } else { store.watched_topics(named).await? };
    let missing: Vec<String> =
        named.iter().filter(|name| stored.iter().all(|known| known.topic != **name)).cloned().collect();
    context.check_topics(&missing)
}

/// Rejects the old id of a renamed topic, which has no findings any more, whether or not the file still has it.
pub(in crate::cli) async fn renamed(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    if named.is_empty() { Ok(()) } else { Ok(store.refuse_renamed(&context.config.topics, named).await?) }
}

/// Rejects tags that neither the configuration nor the database has.
pub(in crate::cli) async fn check_tags(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    let stored = if named.is_empty() { Vec::new() } else { store.topics_with_tags(named).await? };
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
            let mut failure = context.unknown("tag", unknown, &all);
            if all.is_empty() {
                failure.hint = "tags are set in `tags` of [[topics]]".to_owned();
            }
            Err(failure)
        }
    }
}
