//! The answer of a tool: fields, and notes on how far to trust them. It is sent twice, as structured content and as
//! text, because not every client reads both.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::ToolError;
use super::quoting::ABOUT;

/// Maximum number of bytes of an answer; the limits of the tools keep answers far below.
const LARGEST: usize = 400_000;

#[derive(Debug, Default)]
pub(super) struct Answer {
    fields: Map<String, Value>,
    notes: Vec<String>,
}

impl Answer {
    pub(super) fn field(&mut self, name: &str, value: impl Serialize) -> Result<(), ToolError> {
        self.fields.insert(name.to_owned(), serde_json::to_value(value)?);
        Ok(())
    }

    /// Adds a note. Notes are our own sentences and hold no text of others.
    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    pub(super) fn notes(&mut self, sentences: impl IntoIterator<Item = String>) {
        self.notes.extend(sentences);
    }

    /// Sets where the next page begins.
    pub(super) fn next(&mut self, cursor: Option<String>) -> Result<(), ToolError> {
        if cursor.is_some() {
            self.note("There are more: call again with `cursor` set to `next_cursor` and the same other arguments.");
        }
        self.field("next_cursor", cursor)
    }

    /// The answer as it is sent. `sandbox` means that its data was invented.
    pub(super) fn result(mut self, sandbox: bool) -> Result<CallToolResult, ToolError> {
        if sandbox {
            self.notes.insert(0, "SANDBOX: all data is invented or shifted in time.".to_owned());
        }
        self.fields.insert("sandbox".to_owned(), json!(sandbox));
        self.fields.insert("notes".to_owned(), json!(self.notes));
        self.fields.insert("about_quoted".to_owned(), json!(ABOUT));
        let mut text = String::from(ABOUT);
        for note in &self.notes {
            text.push_str(&format!("\n- {note}"));
        }
        let value = Value::Object(self.fields);
        let written = value.to_string();
        if written.len() > LARGEST {
            return Err(ToolError::new("the answer is too long", "use a smaller `limit` or a shorter period"));
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(text), ContentBlock::text(written)]);
        result.structured_content = Some(value);
        Ok(result)
    }
}
