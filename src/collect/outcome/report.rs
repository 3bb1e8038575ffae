//! How a run ended, as `once` shows it and `--json` prints it.

use crate::model::{Micros, RunState, SearchState, Source, Span, Time};
use crate::store::Counts;

/// The outcome of one source of a run, for people.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SearchReport {
    pub source: Source,
    pub state: SearchState,
    #[serde(flatten)]
    pub counts: Counts,
    /// Whether the source returned its maximum, so that the counts are lower bounds.
    pub saturated: bool,
    /// Whether the reply was empty although posts are known or certain, so that the counts are lower bounds.
    #[serde(skip)]
    pub empty_in_error: bool,
    /// Whether it was to find items and failed, wholly or in part, or returned nothing in error.
    #[serde(skip)]
    pub is_incomplete: bool,
    /// Billed or assumed.
    #[serde(rename = "cost_usd")]
    pub cost: Micros,
    /// Duration of the last try, in milliseconds.
    pub latency_ms: Option<i64>,
    /// The span it asked for; absent if its request names none.
    #[serde(rename = "asked")]
    pub requested_span: Option<Span>,
    /// The span it covered.
    pub covered: Option<Span>,
    /// Whether it looked back further than its topic says; the note says why.
    pub widened: bool,
    /// Why it did not run, what went wrong, or why it covers nothing.
    pub note: Option<String>,
    /// When the quota that was used up resets.
    pub clears_at: Option<Time>,
    /// What to do next.
    pub hint: Option<String>,
    /// How much of the cost was assumed from a price.
    #[serde(rename = "assumed_usd")]
    pub assumed: Micros,
}

impl SearchReport {
    /// Whether there may be more items than it counts.
    #[must_use]
    pub fn may_be_more(&self) -> bool {
        self.saturated || self.empty_in_error
    }
}

/// The outcome of a run, for people.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunReport {
    /// Id shown to users.
    pub run: String,
    pub topic: String,
    pub state: RunState,
    pub reason: Option<String>,
    /// When the calls or the money that were used up reset.
    pub clears_at: Option<Time>,
    /// One per source, in the order asked.
    pub searches: Vec<SearchReport>,
}
