//! The rows read for a span of a topic's runs.

use crate::model::{Edit, FirstSighting, Growth, LastSighting, SeqRange, Snapshots, Time};

/// All rows of a span.
#[derive(Debug, Clone)]
pub struct ChangeInput {
    pub between: SeqRange,
    /// How far back the topic's searches look, if a request does not say.
    pub window: std::time::Duration,
    /// The public id of the last run before the span, and when it searched. Known also if its searches were pruned.
    pub run_before: Option<(String, Time)>,
    /// Searches in the span and before it.
    pub snapshots: Snapshots,
    /// First sightings in the span, the latest first.
    pub first: Vec<FirstSighting>,
    /// Last sightings, as requested by [`gone_query`](super::gone_query).
    pub last: Vec<LastSighting>,
    /// Edits, the latest first.
    pub edits: Vec<Edit>,
    /// Items seen at least twice, with their reactions.
    pub growths: Vec<Growth>,
    /// The most rows that one reading holds; with as many, there may be more.
    pub most_rows: usize,
}

/// Returns whether `at` lies between `from` and `until`, both inclusive.
pub(super) fn within(at: Option<Time>, from: Time, until: Time) -> bool {
    at.is_some_and(|at| from <= at && at <= until)
}
