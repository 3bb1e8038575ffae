//! The data of the metrics, as read from the database at one moment.

use crate::model::{MetricSum, Source, SourceLatest, StoreCounts, TopicLimits, Usage};

pub(super) struct Reading {
    pub(super) counts: StoreCounts,
    pub(super) sums: Option<Vec<MetricSum>>,
    pub(super) bytes: i64,
    pub(super) roles: Vec<(String, i64)>,
    pub(super) topics: Vec<String>,
    pub(super) latest: Vec<SourceLatest>,
    pub(super) limited: Vec<(String, TopicLimits, Usage)>,
    /// Providers other than the search service that were called today.
    pub(super) providers: Vec<(Source, Usage)>,
    pub(super) missed: Vec<(String, String, i64)>,
}
