//! An item found by its words, and where the next page begins.

use crate::store::ItemRow;

/// An item that was found, and its position in the list.
#[derive(Debug, Clone)]
pub struct FoundItem {
    /// The number of the first run of its topic that saw it.
    pub seq: i64,
    pub item: ItemRow,
}

/// The item after which the next page begins: the number of its run, its topic, its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchCursor {
    pub seq: i64,
    pub topic: String,
    pub key: String,
}
