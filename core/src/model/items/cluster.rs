//! Near-copies as data: an item's text, the keys that find its copies, and the decision. `normalise::near` compares
//! texts; the store holds the items.

use crate::model::{Kind, Time};

/// The text of an item, as far as near-copy detection needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemText {
    /// Posts are compared only with posts, pages only with pages.
    pub kind: Kind,
    /// A page's title.
    pub title: Option<String>,
    /// A post's text or a page's snippet.
    pub text: Option<String>,
    /// The tone score, from -1000 to 1000, if there is one.
    pub score: Option<i64>,
}

/// The keys that find an item's copies, and the sketch that compares it with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Keys. Two copies nearly always share at least one. The last key is a hash of the whole text.
    pub bands: Vec<i64>,
    /// A compact form of the text, for comparison with another's.
    pub sketch: Vec<u8>,
}

/// The first item of a cluster. `place` numbers clusters in the order in which they began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterHead {
    pub place: i64,
    /// The sketch of its text when it was compared.
    pub sketch: Vec<u8>,
}

/// The decision about an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    /// Its text is too short to be compared.
    Alone,
    /// It starts a cluster, which these keys find from now on.
    Begins(ClusterHead, Vec<i64>),
    /// It is a near-copy of the first item of this cluster. The key, if any, is that of its own whole text: items that
    /// repeat this text belong to the same cluster.
    CopyOf(i64, Option<i64>),
}

/// How many keys stay in the tables of young keys. The table of a key never changes what the key finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyTableLimits {
    /// The most keys in the youngest table: few enough that a batch of new keys shares database pages.
    pub young: i64,
    /// The most keys in the middle table.
    pub middle: i64,
    /// The number of keys moved in one transaction.
    pub slice: i64,
}

impl Default for KeyTableLimits {
    fn default() -> Self {
        Self { young: 24_000, middle: 300_000, slice: 8_000 }
    }
}

impl KeyTableLimits {
    /// No limit: no key moves to another table, except that a move in progress continues.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { young: i64::MAX, middle: i64::MAX, ..Self::default() }
    }
}

/// How many items a topic found, and how many of them are distinct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Volume {
    pub raw: i64,
    /// Items, with near-copies counted once.
    pub unique: i64,
    /// The number of distinct authors. Items without a known author are not counted; `None` if no item has one.
    pub authors: Option<i64>,
    /// Items not compared with others yet. Each counts as unique, so `unique` is an upper bound if there are any.
    pub uncompared: i64,
}

impl Volume {
    /// Makes a volume; `authors` is the number of distinct known authors.
    #[must_use]
    pub fn new(raw: i64, unique: i64, authors: i64, uncompared: i64) -> Self {
        Self { raw, unique, authors: (authors > 0 || raw == 0).then_some(authors), uncompared }
    }
}

/// A cluster of near-copies in one topic.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ClusterRow {
    pub topic: String,
    /// The public key of the representative: the item seen first.
    pub cluster: String,
    /// The number of its items in this topic.
    pub members: i64,
    /// The number of distinct known authors.
    pub authors: i64,
    /// When the topic first saw one of them.
    pub first_seen: Time,
    /// The latest first sighting among them.
    pub last_new: Time,
    /// The representative's title.
    pub title: Option<String>,
    pub text: Option<String>,
    pub url: Option<String>,
}
