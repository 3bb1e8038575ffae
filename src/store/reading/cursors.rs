//! Where a page of a list begins, and in which order it is read.

use crate::model::Time;

/// In which order items are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ItemOrder {
    /// First seen last.
    #[default]
    New,
    /// Most reactions first.
    Reactions,
    /// Highest score first.
    Positive,
    /// Lowest score first.
    Negative,
}

/// After which item of a list the next page begins: what it is ordered by, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPlace {
    pub value: i64,
    pub key: String,
}

/// After which row of all items, those first seen last at the top, the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPlace {
    pub first_seen: Time,
    pub topic: String,
    /// Its public key.
    pub key: String,
}

/// After which run of a list the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlace {
    /// When it was.
    pub at: Time,
    /// Its public id.
    pub run: String,
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Listed<R, P> {
    /// The rows; there may be none and still a next page, where few of many are meant.
    pub rows: Vec<R>,
    /// Where the next page begins.
    pub next: Option<P>,
    /// Whether all there is was looked through, and not only the latest.
    pub whole: bool,
}
