//! The history of a topic's searches: one row per search, or per run without any, and data about the topic. `insight`
//! decides what is covered and what is a hole.

use std::time::Duration;

use crate::model::{RunState, SearchState, Source, Span, Time, Topic};

/// Why a search of feeds covers nothing although none failed: the covered times of the feeds have no part in common.
pub const NO_COMMON_TIME: &str = "no time is covered by every feed yet";

const DAY: Duration = Duration::from_secs(86_400);

/// Part of the reason of a search in which a feed listed nothing, although it had entries before. Such a search covers
/// nothing.
pub const LISTED_NOTHING: &str = "listed nothing, although there were entries before";

/// Why an empty reply covers nothing.
pub const EMPTY_REPLY: &str = "an empty reply, although posts from that time are known or certain to exist";

/// A run of a topic with one of its searches. A run without searches, such as a missed slot, has one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSearch {
    pub topic: String,
    /// When the run started, or would have started.
    pub at: Time,
    /// The run's place in the reading order.
    pub seq: i64,
    /// State of the run.
    pub state: RunState,
    /// Why the run is in this state.
    pub reason: Option<String>,
    pub search: Option<CoverageSearch>,
}

impl RunSearch {
    /// Whether its search claims time after the present, or was made well after it: it was made by a clock that was
    /// ahead, and its real time is unknown.
    #[must_use]
    pub fn is_ahead(&self, now: Time) -> bool {
        let Some(search) = &self.search else { return false };
        search.covered.is_some_and(|covered| covered.until > now) || self.at > now.plus(DAY)
    }
}

/// A search, as far as coverage needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageSearch {
    pub source: Source,
    pub operation: String,
    pub state: SearchState,
    /// The span it asked for; `None` if its request names none.
    pub requested_span: Option<Span>,
    /// The span it covered.
    pub covered: Option<Span>,
    /// Whether the reply was as long as it could be.
    pub saturated: bool,
    /// The error class, why the search was not made, or `LISTED_NOTHING`; `None` for another answer without an error.
    pub trouble: Option<String>,
}

/// Earlier replies to a query, used to judge the next reply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryHistory {
    /// The number of entries of each of the latest replies, unreadable ones included, the latest first.
    pub sizes: Vec<i64>,
    /// The span of each of these replies: from the start of its coverage to when it was asked.
    pub spans: Vec<Span>,
    /// How late the new posts of each reply were, in milliseconds, where known.
    pub late: Vec<i64>,
    /// The span of the latest reply.
    pub before: Option<Span>,
    /// Posts of the requested span that the query last showed: publication time and keys.
    pub shown: Vec<(Time, String)>,
    /// Keys of posts of the next reply that were forgotten: earlier replies may have shown them, but none is stored.
    pub forgotten: Vec<String>,
    /// Whether a reply since the latest of these was empty and covers nothing.
    pub was_emptied: bool,
}

/// A topic, as far as coverage needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedTopic {
    pub topic: String,
    /// When watching started.
    pub began: Time,
    /// Start of the earliest time before `began` that a backfill of social posts covered: no gap of that source counts
    /// before it. `None` without one.
    pub filled_from: Option<Time>,
    /// When watching ended; `None` while it continues.
    pub ended: Option<Time>,
    /// Whether its schedule is paused.
    pub paused: bool,
    /// Its first slot that is not planned yet; `None` for a topic without a schedule.
    pub next: Option<Time>,
    /// Its definition; `None` if this version cannot read it.
    pub definition: Option<Topic>,
}

impl WatchedTopic {
    /// Leaves out the time before an instant: nothing is known about it.
    pub fn forget_before(&mut self, until: Time) {
        self.began = self.began.max(until);
        self.filled_from = self.filled_from.map(|from| from.max(until));
    }
}
