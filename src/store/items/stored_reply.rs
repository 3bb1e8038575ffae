//! A reply of the service as it was kept, and its body unpacked.

use std::io::Read as _;

use crate::model::{Source, Span, Time, Window};

/// Largest reply that is unpacked; those that are kept are cut before they reach it.
const MOST_UNPACKED: u64 = 8 * 1024 * 1024;

/// The body of a kept reply; `None` when it cannot be unpacked.
#[must_use]
pub fn unpack(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(body).take(MOST_UNPACKED).read_to_end(&mut whole).ok()?;
    Some(whole)
}

/// A reply as it was kept.
#[derive(Debug, Clone)]
pub struct StoredReply {
    pub(crate) search: i64,
    /// The source that was asked.
    pub source: Source,
    /// When its run looked.
    pub seen_at: Time,
    /// The span that its request named.
    pub asked: Option<Span>,
    /// The window of its topic, when that is known.
    pub window: Option<Window>,
    /// The request, as JSON.
    pub request: String,
    /// Kept headers, as JSON.
    pub headers: String,
    /// Whether it is not all of the reply: it came cut, or was cut to be kept.
    pub truncated: bool,
    /// Entries that were unreadable.
    pub unreadable: i64,
    /// gzip of the body.
    pub body: Vec<u8>,
}
