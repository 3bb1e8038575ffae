//! What people say of an item of a topic, and by which way in they said it. What is learned from it is `insight`'s.

use super::{Time, closed_list};

closed_list! {
    /// What an item was marked as.
    Verdict {
        /// It is what the topic is about.
        Good = "good",
        /// It is not.
        Noise = "noise",
    }
}

closed_list! {
    /// By which way in an item was marked.
    Through {
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
    pub mark: Verdict,
    /// When it was set.
    pub at: Time,
    pub through: Through,
}

/// What became of marking an item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Marked {
    /// Public key of the item.
    pub key: String,
    /// As what it is marked now.
    pub mark: Option<Verdict>,
    /// As what it was marked before.
    pub before: Option<Verdict>,
}
