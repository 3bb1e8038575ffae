//! The changes of a topic's known items, as plain values. `changes` fills them.

use crate::insight::Piece;
use crate::model::{Source, Time};
use crate::report::items::item_excerpt::ItemExcerpt;

/// Changes of known items.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ChangeFacts {
    /// Items first seen in the first answer to a query, so that they are no news.
    pub baseline: u64,
    /// Items whose text changed.
    pub edited: u64,
    /// Items that complete searches no longer show.
    pub gone: u64,
    /// Whether there may be more of both: replies were full, more happened than is read at once, or it was pruned.
    pub at_least: bool,
    /// Whether only the latest of the period was read.
    pub cut: bool,
    /// Whether snapshots or texts of the period were pruned.
    pub pruned: bool,
    /// Sources with too few complete searches to judge what is gone.
    pub gone_unjudged: Vec<Source>,
    /// Whether this was judged for any source.
    pub gone_judged: bool,
    /// New queries that replaced others, in words.
    pub queries: Vec<String>,
    /// The latest edits.
    pub edits: Vec<EditFacts>,
    /// The latest gone items.
    pub lost: Vec<GoneFacts>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct EditFacts {
    /// The item as it is now.
    pub item: ItemExcerpt,
    /// When the change was seen.
    pub at: Time,
    /// How many edits the period has.
    pub edits: i64,
    /// The changed text from the first wording to the last, in pieces; empty if the last is the first again.
    pub diff: Vec<Piece>,
}

/// A gone item.
#[derive(Debug, Clone, serde::Serialize)]
pub struct GoneFacts {
    pub item: ItemExcerpt,
    /// When a search last showed it.
    pub last_seen: Time,
}
