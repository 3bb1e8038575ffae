//! What the database says at a moment, as metrics are made of it. It reads nothing.

use crate::model::{Latest, Source, StoreCounts, Tallied, TopicLimits, Used};

pub(super) struct Reading {
    pub(super) standing: StoreCounts,
    pub(super) sums: Option<Vec<Tallied>>,
    pub(super) bytes: i64,
    pub(super) roles: Vec<(String, i64)>,
    pub(super) topics: Vec<String>,
    pub(super) latest: Vec<Latest>,
    pub(super) limited: Vec<(String, TopicLimits, Used)>,
    /// Providers beside the search service that were asked today.
    pub(super) providers: Vec<(Source, Used)>,
    pub(super) missed: Vec<(String, String, i64)>,
}
