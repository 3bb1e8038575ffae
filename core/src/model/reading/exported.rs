//! Rows that only exports write: a search with its topic and both prices, and an item at its first sighting for a
//! topic. Plain data, without database ids.

use crate::model::{Kind, Micros, RunRow, SearchRow, Time, WindowFit};

/// A run, and how much of its cost no bill confirms.
#[derive(Debug, Clone)]
pub struct RunExportRow {
    pub run: RunRow,
    /// `None` if unknown, because its searches were deleted.
    pub assumed: Option<Micros>,
}

/// A search with its topic and its prices.
#[derive(Debug, Clone)]
pub struct SearchExportRow {
    pub topic: String,
    /// When its end was recorded.
    pub finished_at: Option<Time>,
    /// The expected price when the search started.
    pub expected: Micros,
    /// The actual cost; `None` while not known.
    pub actual: Option<Micros>,
    pub search: SearchRow,
}

/// An item at its first sighting for a topic.
#[derive(Debug, Clone)]
pub struct FirstSightingRow {
    pub topic: String,
    /// Public key of the item.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub first_seen: Time,
    /// The run that saw it.
    pub first_run: String,
    /// Whether every source that showed it then answered its question for the first time.
    pub baseline: bool,
    /// Whether it lay in the window of the search that found it.
    pub fit: WindowFit,
    pub url: Option<String>,
    pub author: Option<String>,
    /// Name the author displays.
    pub author_name: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language as given.
    pub lang: Option<String>,
    pub published_at: Option<Time>,
}
