//! A tool: its name, purpose, arguments and handler.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rmcp::model::{Tool as Told, ToolAnnotations};

use super::answer::Answer;
use super::argument::{Argument, Kind, schema};
use super::call::ToolCall;
use super::error::ToolError;

/// A topic by its id.
pub(super) const TOPIC: Argument =
    Argument::new("topic", Kind::Text(64), "Id of a watched topic; list_topics names them").needed();
/// The cursor of the next page.
pub(super) const CURSOR: Argument =
    Argument::new("cursor", Kind::Text(2_000), "`next_cursor` of the previous page, unchanged");

pub(super) type Handler = fn(ToolCall) -> BoxFuture<'static, Result<Answer, ToolError>>;

#[derive(Debug)]
pub(super) struct Tool {
    /// Its name for programs.
    pub(super) name: &'static str,
    /// Its name for people.
    pub(super) title: &'static str,
    /// What it answers, and what to know about the answer.
    pub(super) description: &'static str,
    pub(super) arguments: &'static [Argument],
    pub(super) handler: Handler,
}

impl Tool {
    /// The tool as described to clients.
    pub(super) fn describe(&self) -> Told {
        // It reads a database and nothing else.
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        Told::new(self.name, self.description, Arc::new(schema(self.arguments)))
            .with_title(self.title)
            .with_annotations(hints)
    }
}
