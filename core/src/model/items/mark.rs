//! Marks that users set on a topic's items, and through which interface. `insight` learns from them.

use crate::model::{Time, closed_list};

closed_list! {
    /// How an item was marked.
    Mark {
        /// It is about the topic.
        Good = "good",
        /// It is not about the topic.
        Noise = "noise",
    }
}

closed_list! {
    /// The interface through which an item was marked.
    MarkedVia {
        Cli = "cli",
        Page = "page",
        Api = "api",
    }
}

/// A mark of an item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MarkRow {
    /// Public key of the item.
    pub key: String,
    pub mark: Mark,
    /// When it was set.
    pub at: Time,
    pub through: MarkedVia,
    /// Whether topicwatch had suggested to mark this item.
    pub suggested: bool,
}

/// A mark to set, or `None` to remove, and how it came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewMark {
    pub mark: Option<Mark>,
    pub through: MarkedVia,
    /// Whether topicwatch had suggested to mark these items.
    pub suggested: bool,
}

/// The result of marking an item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MarkChange {
    /// Public key of the item.
    pub key: String,
    /// The mark now.
    pub mark: Option<Mark>,
    /// The mark before.
    pub before: Option<Mark>,
}
