//! The context of decoding a body: the source, the time and the limits.

use super::media::ContentType;
use crate::model::{Source, Time};
use crate::search::ErrorClass;

#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The source that was searched. It breaks ties between post and page, and only AI replies have an answer.
    pub source: Source,
    /// When the reply arrived: "17 hours ago" counts from here.
    pub now: Time,
    /// Whether a stream was requested. Only a hint: a stream is recognised by its shape.
    pub streaming: bool,
    /// The content type of the reply.
    pub media: ContentType,
    /// Why the body is known to be incomplete: the connection broke (`Cut`) or the time was up (`Timeout`). The end of
    /// the body is then no sign that it is complete.
    pub cut: Option<ErrorClass>,
    /// How much of a body is kept.
    pub limits: Limits,
}

/// How much of a body is kept. The body itself is capped by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries kept from one reply, and from one list in it. The rest count as unreadable.
    pub max_items: usize,
    /// Characters kept of a text; the rest is cut off on a character boundary.
    pub max_field_chars: usize,
    /// Nested lists and objects accepted. The parser itself stops at 127.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_items: 1_000, max_field_chars: 100_000, max_depth: 128 }
    }
}
