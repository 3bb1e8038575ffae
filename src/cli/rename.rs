//! `topic rename`: another id for a topic, with all its history. The file is not edited; whoever runs this is told what
//! to change there.

use super::args::{Common, TopicArgs, TopicVerb};
use super::context::Context;
use super::control::{meant, open};
use super::{Exit, Failure, output};
use crate::config;

pub(super) async fn run(common: &Common, args: &TopicArgs) -> Result<Exit, Failure> {
    let TopicVerb::Rename { old, new } = &args.what;
    if let Err((message, hint)) = config::check_topic_id(new) {
        return Err(Failure::usage(format!("the new id {}", output::brief(&message, 200)), hint));
    }
    if old == new {
        return Err(Failure::usage(format!("topic `{new}` has that id already"), "name another id"));
    }
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    if let Err(error) = store.rename_topic(old, new, now).await {
        return Err(meant(&store, std::slice::from_ref(old), error).await);
    }
    store.close().await;
    let mut text = format!("{old} is {new} now, with all its runs and items; runs keep their public ids\n");
    if context.config.topics.iter().any(|topic| topic.id == *old) {
        text.push_str(&format!(
            "next: change `id = \"{old}\"` to `id = \"{new}\"` in {}; until then the file is refused\n",
            output::visible(&context.config.file.display().to_string())
        ));
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}
