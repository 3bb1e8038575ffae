//! `topic rename`: changes a topic's id and keeps its history. It does not edit the file; it says what to change there.

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::topic::pause::{OR_THE_FILE, open, with_suggestion};
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::config;

#[derive(Debug, Args)]
pub struct RenameArgs {
    /// Current id
    pub old: String,
    /// New id
    pub new: String,
}

pub(in crate::cli) async fn run(common: &Common, RenameArgs { old, new }: &RenameArgs) -> Result<Exit, Failure> {
    if let Err((message, hint)) = config::check_topic_id(new) {
        return Err(Failure::usage(format!("the new id {}", output::truncate(&message, 200)), hint));
    }
    if old == new {
        return Err(Failure::usage(format!("topic `{new}` already has that id"), "choose another id"));
    }
    let context = Context::load(common, None)?;
    let file = output::escape_control(&context.config.file.display().to_string());
    let is_in_file = |id: &String| context.config.topics.iter().any(|topic| topic.id == *id);
    // One of them may not have run yet. A file with only the new id was edited before the renaming.
    if is_in_file(old) && is_in_file(new) {
        return Err(Failure::usage(
            format!("{file} has both topics, `{old}` and `{new}`; their histories cannot be merged"),
            format!("choose another id, or remove topic `{new}` from the file first"),
        ));
    }
    let (store, now) = open(&context).await?;
    if is_in_file(new) {
        // The file may still have the topic under a former id. Then `new` is another topic, even if it has never run.
        let former = store.former_ids(old).await?;
        if let Some(former) = former.iter().find(|id| *id != new && is_in_file(id)) {
            return Err(Failure::usage(
                format!(
                    "{file} has both topics, `{former}`, which was renamed to `{old}`, and `{new}`; \
                     their histories cannot be merged"
                ),
                format!("choose another id, or remove topic `{new}` from the file first"),
            ));
        }
    }
    if let Err(error) = store.rename_topic(old, new, now).await {
        return Err(with_suggestion(&context, &store, std::slice::from_ref(old), error, OR_THE_FILE).await);
    }
    store.close().await;
    let mut text = format!("{old} renamed to {new}, with all its runs and items; runs keep their public ids\n");
    if is_in_file(old) {
        text.push_str(&format!(
            "next: change `id = \"{old}\"` to `id = \"{new}\"` in {file}; until then `run` and `once` reject the file\n"
        ));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}
