//! What finished runs add up to, and how things stand at a moment, for whoever measures this program from outside. What is
//! counted of a run is `insight`'s to say.

use super::{Counts, Micros, RunState, SearchState, Source, Time, Trigger};

/// A finished run, as far as it is counted.
#[derive(Debug, Clone)]
pub struct TallyRun {
    /// Its place in the reading order.
    pub seq: i64,
    pub job: String,
    /// Its topic, when it is a topic's.
    pub topic: Option<String>,
    /// Why it existed.
    pub trigger: Trigger,
    /// What became of it.
    pub state: RunState,
    pub slot: Option<Time>,
    /// When its last attempt began.
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
    /// Class of its failure.
    pub class: Option<String>,
    pub tries: i64,
    /// Duration of its last try, milliseconds.
    pub latency_ms: Option<i64>,
    /// What it found.
    pub counts: Counts,
    /// Entries without anything readable.
    pub unreadable: i64,
    /// Paid, or expected while unknown.
    pub cost: Micros,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tallied {
    /// What was counted.
    pub name: String,
    /// The values of what it is divided by, with a space between.
    pub labels: String,
    /// The bucket of a histogram: at most so many milliseconds, 0 above all; 0 of what is none.
    pub bound: i64,
    /// How many, or how much.
    pub value: i64,
}

/// When a source of a topic answered last, and when it last brought something new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latest {
    pub topic: String,
    pub source: Source,
    /// The last answer.
    pub answered_at: Time,
    /// The last answer with something new.
    pub new_at: Option<Time>,
}

/// How things stand, in counts that cost little.
#[derive(Debug, Clone, Default)]
pub struct StoreCounts {
    /// Topics that are watched.
    pub topics: i64,
    /// Runs that wait and are due.
    pub due: i64,
    /// Runs that go on.
    pub running: i64,
    /// Topics and other jobs whose slot passed without the planner having looked.
    pub overdue: i64,
    /// Messages that wait, are being sent, and were given up.
    pub outbox: [i64; 3],
    /// By alert, of how many subjects it fires.
    pub firing: Vec<(String, i64)>,
    /// Calls of the UTC day, and what they cost where that is counted.
    pub calls: i64,
    pub spent: Option<Micros>,
    /// Finished runs that are not in the sums yet.
    pub uncounted: i64,
}
