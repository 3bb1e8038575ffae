//! Positions in lists for paging, sort orders, and the filter of runs.

use crate::model::{RunState, Source, Time};

/// The order in which items are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ItemOrder {
    /// Latest first sighting first; of one run, latest publication first.
    #[default]
    New,
    /// Most engagement first.
    Reactions,
    /// Highest score first.
    Positive,
    /// Lowest score first.
    Negative,
}

/// The item after which the next page begins: its sort value and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemCursor {
    pub value: i64,
    pub key: String,
}

/// The row after which the next page begins in the list of all items, in the order of `ItemOrder::New`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllItemsCursor {
    pub first_seen: Time,
    pub topic: String,
    /// The item's public key.
    pub key: String,
}

/// The run after which the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunCursor {
    /// When it happened.
    pub at: Time,
    /// Its public id.
    pub run: String,
}

/// Which runs are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of these topics.
    pub topics: Option<Vec<String>>,
    pub state: Option<RunState>,
    /// From this instant on.
    pub since: Option<Time>,
    /// Up to but not including this instant.
    pub until: Option<Time>,
    /// Only runs that searched this source.
    pub source: Option<Source>,
    /// Only runs with calls on this UTC day, to the provider if one is named.
    pub called: Option<(i64, Option<String>)>,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct ListPage<R, P> {
    /// The rows. There may be none although there is a next page, if the filter matches few items.
    pub rows: Vec<R>,
    /// Where the next page begins.
    pub next: Option<P>,
    /// Whether all items were searched, and not only the latest.
    pub whole: bool,
}
