//! What was read from the database at a moment, for the metrics.

use crate::model::{MetricSum, SourceLatest, StoreCounts, TopicLimits, Usage, UsageByProvider};

pub(super) struct Reading {
    pub(super) counts: StoreCounts,
    pub(super) sums: Option<Vec<MetricSum>>,
    pub(super) bytes: i64,
    pub(super) roles: Vec<(String, i64)>,
    pub(super) topics: Vec<String>,
    pub(super) latest: Vec<SourceLatest>,
    pub(super) limited: Vec<(String, TopicLimits, Usage)>,
    /// What was used of the search service and of the other providers today.
    pub(super) used: UsageByProvider,
    pub(super) missed: Vec<(String, String, i64)>,
}
