//! What a body is read against: the source, the instant and the limits. It reads nothing.

use super::media::Media;
use crate::model::{Source, Time};
use crate::search::ErrorClass;

/// What a body is read against.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The source that was asked. It breaks ties between post and page, and only AI replies have an answer.
    pub source: Source,
    /// The instant of the reply: "17 hours ago" counts from here.
    pub now: Time,
    /// Whether a stream was asked for. A hint only: a stream is recognised by its shape.
    pub streaming: bool,
    /// What the reply calls itself.
    pub media: Media,
    /// Why the body is not all of the reply, when that is known: the connection broke (`Cut`) or the time was up
    /// (`Timeout`). Where the body ends by itself is then no sign that it is whole.
    pub cut: Option<ErrorClass>,
    /// How much of a body is kept.
    pub limits: Limits,
}

/// How much of a body is kept. The body itself is capped by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries kept of one reply, and of one list in it; what is over counts as unreadable.
    pub max_items: usize,
    /// Characters kept of a text; the rest is cut off on a character boundary.
    pub max_field_chars: usize,
    /// Nested lists and objects accepted; the parser never goes beyond 127.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_items: 1_000, max_field_chars: 100_000, max_depth: 128 }
    }
}
