//! Why a tool has no answer: what happened and what to do. Errors of the database go to the log, not to the caller.

use rmcp::model::{CallToolResult, ContentBlock};

use crate::model::excerpt;
use crate::store::{StoreError, StoreErrorKind};

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct ToolError {
    title: String,
    hint: String,
}

impl ToolError {
    pub(super) fn new(title: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { title: title.into(), hint: hint.into() }
    }

    /// The error for an unknown topic.
    pub(super) fn no_topic(topic: &str) -> Self {
        Self::new(format!("there is no topic `{}`", excerpt(topic)), "list_topics names the watched topics")
    }

    /// The error as the result of a tool.
    pub(super) fn result(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(format!("error: {}\nhint: {}", self.title, self.hint))])
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        tracing::warn!("cannot create an answer: {error}");
        match error.kind {
            StoreErrorKind::Locked | StoreErrorKind::Unreachable | StoreErrorKind::Unwritable => {
                Self::new("the database is not available at the moment", "try again in a minute; the log says why")
            }
            _ => Self::new("this could not be read", "the server's log says why"),
        }
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        tracing::warn!("cannot write an answer as JSON: {error}");
        Self::new("this could not be written as JSON", "the server's log says why")
    }
}
