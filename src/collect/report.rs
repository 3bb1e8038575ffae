//! How a run ended, as `once` shows it and `--json` prints it.

use crate::model::{Micros, RunState, SearchState, Source, Span, Time};
use crate::store::Counts;

/// What became of one source of a run, for people.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SearchReport {
    pub source: Source,
    pub state: SearchState,
    #[serde(flatten)]
    pub counts: Counts,
    /// As many as could be got: the counts are a lower bound.
    pub saturated: bool,
    /// Paid or assumed.
    #[serde(rename = "cost_usd")]
    pub cost: Micros,
    /// Duration of the last try, milliseconds.
    pub latency_ms: Option<i64>,
    /// What it asked for; absent when its request names no span.
    pub asked: Option<Span>,
    /// What it covered.
    pub covered: Option<Span>,
    /// Whether it looked back further than its topic says; the note says why.
    pub widened: bool,
    /// Why it did not run, or what went wrong.
    pub note: Option<String>,
    /// When there is more of what was used up.
    pub clears_at: Option<Time>,
    /// What to do next.
    pub hint: Option<String>,
}

/// What became of a run, for people.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunReport {
    /// Id shown to users.
    pub run: String,
    pub topic: String,
    pub state: RunState,
    pub reason: Option<String>,
    /// When there is more of the calls or the money that was used up.
    pub clears_at: Option<Time>,
    /// Per source, in the order asked.
    pub searches: Vec<SearchReport>,
}
