//! Rows that only exports hand out: a search with the topic it was for and both its prices, an item at the moment a topic
//! saw it first. Plain data, without any database-made id.

use super::{Kind, Micros, SearchRow, Time, WindowFit};

/// A search with what is known of it besides.
#[derive(Debug, Clone)]
pub struct SearchedRow {
    pub topic: String,
    /// When its end was recorded.
    pub finished_at: Option<Time>,
    /// What it was expected to cost when it began.
    pub expected: Micros,
    /// What it cost; `None` while that is not known.
    pub actual: Option<Micros>,
    pub search: SearchRow,
}

/// An item as a topic saw it first.
#[derive(Debug, Clone)]
pub struct NewRow {
    pub topic: String,
    /// Public key of the item.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub first_seen: Time,
    /// The run that saw it.
    pub first_run: String,
    /// Every source that showed it then answered its question for the first time.
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
