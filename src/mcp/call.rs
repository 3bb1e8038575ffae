//! A call of a tool: its arguments, the store to read, and the time of the call.

use std::sync::Arc;

use super::argument::Arguments;
use super::error::ToolError;
use super::settings::Settings;
use crate::compare::LATELY;
use crate::model::{BadToken, Position, Source, Time, Topic, TopicCard, excerpt, page_token, parse_page_token};
use crate::store::Store;

/// The default period of answers, in milliseconds.
pub(super) const DAY: i64 = 86_400_000;

/// A checked call.
#[derive(Debug)]
pub(super) struct ToolCall {
    /// Name of the tool.
    pub(super) tool: &'static str,
    pub(super) store: Store,
    pub(super) settings: Arc<Settings>,
    pub(super) given: Arguments,
    pub(super) now: Time,
}

impl ToolCall {
    /// The topic of the call.
    pub(super) async fn card(&self) -> Result<TopicCard, ToolError> {
        let topic = self.given.required("topic");
        let card = self.store.topic_card(topic, self.now.minus(LATELY)).await?;
        card.ok_or_else(|| ToolError::no_topic(topic))
    }

    /// The definition of the topic.
    pub(super) async fn topic(&self) -> Result<Topic, ToolError> {
        let card = self.card().await?;
        card.definition.ok_or_else(|| {
            let title = format!("the definition of topic `{}` cannot be read by this version", excerpt(&card.topic));
            ToolError::new(title, "run it once with this version, or use the version that wrote it")
        })
    }

    /// The source of the call, if any. A source that was never searched is an error.
    pub(super) async fn source(&self) -> Result<Option<Source>, ToolError> {
        let Some(source) = self.given.text("source").and_then(Source::parse) else { return Ok(None) };
        let all = self.store.searched_sources().await?;
        if all.contains(&source) {
            return Ok(Some(source));
        }
        let names: Vec<&str> = all.iter().map(Source::as_str).collect();
        let title = format!("there is no source `{}`", excerpt(source.as_str()));
        Err(ToolError::new(title, format!("give one of: {}", names.join(", "))))
    }

    /// Where the requested page begins.
    pub(super) fn position(&self) -> Result<Option<Position>, ToolError> {
        let wrong = |bad| {
            let title = match bad {
                BadToken::OfAnother => "this `cursor` belongs to another query",
                BadToken::NoToken => "this is not a valid `cursor`",
            };
            ToolError::new(
                title,
                "give the `next_cursor` of the previous page unchanged, with the same other arguments, or omit it",
            )
        };
        self.given.text("cursor").map(|token| parse_page_token(&self.scope(), token).map_err(wrong)).transpose()
    }

    /// The cursor of a page that begins after a position.
    pub(super) fn cursor(&self, value: i64, key: &str) -> String {
        page_token(&self.scope(), &Position { value, key: key.to_owned() })
    }

    fn scope(&self) -> String {
        serde_json::json!([self.tool, self.given.scope()]).to_string()
    }
}
