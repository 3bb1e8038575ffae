//! What a source gave over time, as far as it is needed to say that it fell silent. The judgement is `insight`'s.

use super::{Counts, Source, Time};

/// One answered search of a topic's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat {
    /// When it looked.
    pub at: Time,
    /// What it held.
    pub counts: Counts,
    /// Of the new, how many at least were not older than the window. The counts do not tell: `outside` counts duplicates too.
    pub fresh: i64,
}

/// The latest answered searches of a source, in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulse {
    pub topic: String,
    pub source: Source,
    /// Its searches, the oldest first.
    pub beats: Vec<Heartbeat>,
}
