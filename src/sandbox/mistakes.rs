//! What is wrong with a request, collected so that all of it is said at once, in the shape validating services use:
//! `{"detail": [{"type", "loc", "msg"}]}` with status 422. Not for errors of the sandbox itself.

use serde_json::{Value, json};

/// Mistakes of one request, in the order found.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(Vec<Value>);

impl Mistakes {
    /// Notes one: its kind, where (`body` or `query`, then the field) and a sentence.
    pub(crate) fn note(&mut self, kind: &str, part: &str, field: &str, message: &str) {
        self.0.push(json!({"type": kind, "loc": [part, field], "msg": message}));
    }

    /// Whether the request is fine.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The body of the 422.
    pub(crate) fn into_body(self) -> Value {
        json!({"detail": self.0})
    }
}
