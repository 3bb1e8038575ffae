//! Collects the errors in a request so that all are reported at once, in the format of validating services:
//! `{"detail": [{"type", "loc", "msg"}]}` with status 422. Not for errors of the sandbox itself.

use serde_json::{Value, json};

/// The errors of one request, in the order found.
#[derive(Debug, Default)]
pub(crate) struct ValidationErrors(Vec<Value>);

impl ValidationErrors {
    /// Adds an error: its type, its place (`body` or `query`, then the field) and a message.
    pub(crate) fn note(&mut self, kind: &str, part: &str, field: &str, message: &str) {
        self.0.push(json!({"type": kind, "loc": [part, field], "msg": message}));
    }

    /// Whether there are no errors.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the body of the 422.
    pub(crate) fn into_body(self) -> Value {
        json!({"detail": self.0})
    }
}
