//! What was counted of topics' days, on its way into the database.

use crate::model::{DayCount, Span};

/// A topic whose days are to be counted anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDays {
    pub topic: String,
    pub(crate) turn: i64,
}

/// What was counted of some topics, over the runs from one number to another.
#[derive(Debug, Clone, Default)]
pub struct RolledDays {
    /// Up to which run was counted before.
    pub from: i64,
    /// And is now.
    pub to: i64,
    /// Topics of which all days were counted.
    pub due: Vec<DueDays>,
    /// Of the others the days that were.
    pub spans: Vec<(String, Span)>,
    /// Days on which something was found.
    pub days: Vec<(String, DayCount)>,
}

/// The terms of a topic's day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTerms {
    pub span: Span,
    /// Items that were counted, and those that the filter hides.
    pub items: i64,
    /// What it was counted from.
    pub basis: Vec<u8>,
    /// Hashes and counts.
    pub counts: Vec<u8>,
}
