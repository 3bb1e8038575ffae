//! What the ledger knows about when a topic was looked at: one row per search, or per run without any, and what is
//! known of the topic itself. What is covered and what is a hole is `insight`'s to say.

use super::{RunState, SearchState, Source, Span, Time, Topic};

/// A run of a topic with one of its searches; a run that made none, such as a missed slot, has one row of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub topic: String,
    /// When the run began, or would have.
    pub at: Time,
    /// State of the run.
    pub state: RunState,
    /// Why the run is in that state.
    pub reason: Option<String>,
    pub search: Option<LookSearch>,
}

/// A search as far as coverage is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookSearch {
    pub source: Source,
    pub operation: String,
    pub state: SearchState,
    /// What it asked for; absent when its request names no span.
    pub asked: Option<Span>,
    /// What it covered.
    pub covered: Option<Span>,
    /// The reply was as long as it could be.
    pub saturated: bool,
    /// Error class, or why it was not made.
    pub trouble: Option<String>,
}

/// What earlier replies to a question showed, as far as the next one is judged by it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recall {
    /// How many entries each of the latest replies held, those that could not be read among them, the latest first.
    pub sizes: Vec<i64>,
    /// How late the new posts of each were, milliseconds, where that is known.
    pub late: Vec<i64>,
    /// What the latest reply showed: from where it covered to when it was asked.
    pub before: Option<Span>,
    /// Posts of the span that was asked for, as the question showed them last: when they were published, and their keys.
    pub shown: Vec<(Time, String)>,
}

/// A topic as far as coverage is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    pub topic: String,
    /// Since when it is watched.
    pub began: Time,
    /// Since when it is not watched any more.
    pub ended: Option<Time>,
    /// Not run by its schedule at present.
    pub paused: bool,
    /// Its first slot that nobody has planned yet; nothing for a topic without a schedule.
    pub next: Option<Time>,
    /// Its definition, when this version can read it.
    pub definition: Option<Topic>,
}
