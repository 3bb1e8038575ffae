//! What was read from the database at a moment, for the metrics.

use crate::model::{Latest, Source, StoreCounts, Tallied, TopicLimits, Used};

pub(super) struct Reading {
    pub(super) standing: StoreCounts,
    pub(super) sums: Option<Vec<Tallied>>,
    pub(super) bytes: i64,
    pub(super) roles: Vec<(String, i64)>,
    pub(super) topics: Vec<String>,
    pub(super) latest: Vec<Latest>,
    pub(super) limited: Vec<(String, TopicLimits, Used)>,
    /// Providers other than the search service that were called today.
    pub(super) providers: Vec<(Source, Used)>,
    pub(super) missed: Vec<(String, String, i64)>,
}
