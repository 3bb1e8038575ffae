//! What is read of a span of a topic's runs before anything is said about it.

use crate::model::{Between, Edit, FirstSight, Growth, LastSight, Snapshots, Time};

/// Everything that is known of a span.
#[derive(Debug, Clone)]
pub struct Reading {
    pub between: Between,
    /// How far back the topic's searches look, where a request does not say so itself.
    pub window: std::time::Duration,
    /// Searches of the span and before it.
    pub snapshots: Snapshots,
    /// First sightings in the span, the latest first.
    pub first: Vec<FirstSight>,
    /// Items that were not seen any more, as [`needs`](super::needs) asks for them.
    pub last: Vec<LastSight>,
    /// Edits, the latest first.
    pub edits: Vec<Edit>,
    /// Items seen twice.
    pub growths: Vec<Growth>,
    /// Rows that a reading holds at most; as many mean that there may be more.
    pub most_rows: usize,
}

/// Whether a time lies in a span that ends at another.
pub(super) fn within(at: Option<Time>, from: Time, until: Time) -> bool {
    at.is_some_and(|at| from <= at && at <= until)
}
