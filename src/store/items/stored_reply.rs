//! A stored reply of the service, and unpacking its body.

use std::io::Read as _;

use crate::model::{Source, Span, Time, Window};

/// The most bytes unpacked; stored replies are cut below this size.
const MOST_UNPACKED: u64 = 8 * 1024 * 1024;

/// Returns the body of a stored reply; `None` if it cannot be unpacked.
#[must_use]
pub fn unpack(body: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(body).take(MOST_UNPACKED).read_to_end(&mut unpacked).ok()?;
    Some(unpacked)
}

/// A stored reply.
#[derive(Debug, Clone)]
pub struct StoredReply {
    pub(crate) search: i64,
    /// The source that was searched.
    pub source: Source,
    /// When its run searched.
    pub seen_at: Time,
    /// The span that its request named.
    pub asked: Option<Span>,
    /// The window of its topic, if known.
    pub window: Option<Window>,
    /// The request, as JSON.
    pub request: String,
    /// The stored headers, as JSON.
    pub headers: String,
    /// Whether the reply is incomplete: it arrived cut, or was cut for storage.
    pub truncated: bool,
    /// Entries that were unreadable.
    pub unreadable: i64,
    /// The gzip-compressed body.
    pub body: Vec<u8>,
}
