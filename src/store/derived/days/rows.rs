//! Counts of topics' days on their way into the database.

use crate::model::{DayCount, Span};

/// A topic whose days must all be counted again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDays {
    pub topic: String,
    pub(crate) turn: i64,
}

/// Counts of some topics, over the runs from one number to another.
#[derive(Debug, Clone, Default)]
pub struct DayCounts {
    /// The last run counted before.
    pub from: i64,
    /// The last run counted now.
    pub to: i64,
    /// Topics of which all days were counted.
    pub due: Vec<DueDays>,
    /// The days that were counted of other topics.
    pub spans: Vec<(String, Span)>,
    /// The counts of days that had findings.
    pub days: Vec<(String, DayCount)>,
}

/// The terms of a topic's day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTerms {
    pub span: Span,
    /// The number of items counted, including those that the filter hides.
    pub items: i64,
    /// A fingerprint of the input of the count.
    pub basis: Vec<u8>,
    /// Term hashes and their counts.
    pub counts: Vec<u8>,
}
