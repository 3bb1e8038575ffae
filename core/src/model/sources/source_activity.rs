//! A source's replies over time, for detecting a silent source. `insight` decides.

use crate::model::{Counts, Source, Time};

/// One answered search of a topic's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredSearch {
    /// When the search was made.
    pub at: Time,
    /// The counts of its reply.
    pub counts: Counts,
    /// A lower bound of its items that are new to the topic since this run and not older than the window. The counts
    /// cannot say: `outside` includes duplicates, and `new` leaves out what another source of the run also found.
    pub fresh: i64,
}

/// The latest answered searches of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceActivity {
    pub topic: String,
    pub source: Source,
    /// The searches, the oldest first.
    pub beats: Vec<AnsweredSearch>,
}
