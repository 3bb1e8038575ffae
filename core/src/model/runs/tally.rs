//! Sums over finished runs and the current state, for external monitoring. `insight` decides what to count.

use crate::model::{Counts, Micros, RunState, SearchCost, SearchState, Source, Time, Trigger};

/// A finished run, as far as it is counted.
#[derive(Debug, Clone)]
pub struct TallyRun {
    /// The run's number in reading order.
    pub seq: i64,
    pub job: String,
    /// Its topic, if it is a topic's run.
    pub topic: Option<String>,
    /// Why the run exists.
    pub trigger: Trigger,
    /// How it ended.
    pub state: RunState,
    pub slot: Option<Time>,
    /// When its last attempt started.
    pub started_at: Option<Time>,
    /// When it ended.
    pub finished_at: Option<Time>,
    /// Its searches, those of earlier attempts included.
    pub searches: Vec<TallySearch>,
}

/// A search of such a run.
#[derive(Debug, Clone)]
pub struct TallySearch {
    pub source: Source,
    pub state: SearchState,
    /// The error class.
    pub class: Option<String>,
    pub tries: i64,
    /// Duration of its last try, in milliseconds.
    pub latency_ms: Option<i64>,
    /// The counts of its reply.
    pub counts: Counts,
    /// Whether its run was the first of the topic to see one of its items that is not older than the window, whichever
    /// other sources of the run also found it.
    pub fresh: bool,
    /// The number of unreadable entries.
    pub unreadable: i64,
    /// The price paid, or the expected price if not known, which is then assumed.
    pub cost: SearchCost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricSum {
    /// The metric's name.
    pub name: String,
    /// The label values, separated by spaces.
    pub labels: String,
    /// Upper bound of a histogram bucket, in milliseconds; 0 for the last bucket and for metrics that are not
    /// histograms.
    pub bound: i64,
    /// The count or sum.
    pub value: i64,
}

/// When a source of a topic last answered, and when it last returned something new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLatest {
    pub topic: String,
    pub source: Source,
    /// The last answer.
    pub answered_at: Time,
    /// The last answer with something new.
    pub new_at: Option<Time>,
}

/// The current state, in counts that are cheap to read.
#[derive(Debug, Clone, Default)]
pub struct StoreCounts {
    /// Watched topics.
    pub topics: i64,
    /// Due runs that wait.
    pub due: i64,
    /// Runs in progress.
    pub running: i64,
    /// Topics and other jobs with an overdue slot.
    pub overdue: i64,
    /// Messages that wait, are being sent, and were given up.
    pub outbox: [i64; 3],
    /// The number of subjects for which each alert fires; 0 for a paused one.
    pub firing: Vec<(String, i64)>,
    /// Calls of the UTC day, and their cost if it is counted.
    pub calls: i64,
    pub spent: Option<Micros>,
    /// Finished runs not included in the sums yet.
    pub uncounted: i64,
}
