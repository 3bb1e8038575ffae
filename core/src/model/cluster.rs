//! Near-copies in plain words: what an item says, by what its copies are found, and what was decided. How texts are
//! compared is `normalise::near`'s, which items there are is the store's.

use super::{Kind, Time};

/// What an item says, as far as copies are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// Posts are compared with posts, pages with pages.
    pub kind: Kind,
    /// A page's title.
    pub title: Option<String>,
    /// A post's text or a page's snippet.
    pub text: Option<String>,
    /// How it sounds, from -1000 to 1000, where a scorer said so.
    pub score: Option<i64>,
}

/// By what the copies of a text are found and known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks {
    /// Keys of which copies share at least one, nearly always; the last one stands for the whole text.
    pub bands: Vec<i64>,
    /// What the text consists of, to be compared with another's.
    pub sketch: Vec<u8>,
}

/// The first item of a cluster, by its place in the order in which clusters began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub place: i64,
    /// What its text consisted of when it was looked at.
    pub sketch: Vec<u8>,
}

/// What was decided of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// It says too little to be compared.
    Alone,
    /// It begins a cluster, to be found by these keys from now on.
    Begins(Head, Vec<i64>),
    /// It is a near-copy of the first item of this place. With a key, it says so in words of its own, and whoever repeats
    /// those words belongs there too.
    CopyOf(i64, Option<i64>),
}

/// How many keys are kept apart while they are young. Where a key is kept changes nothing of what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Keys among the youngest; few enough that a batch of new ones shares their pages.
    pub young: i64,
    /// Keys between those and all others.
    pub middle: i64,
    /// Keys that move on in one transaction.
    pub slice: i64,
}

impl Default for Room {
    fn default() -> Self {
        Self { young: 24_000, middle: 300_000, slice: 8_000 }
    }
}

impl Room {
    /// Room for all keys among the youngest: none ever moves on, but those that were moving go on.
    #[must_use]
    pub fn endless() -> Self {
        Self { young: i64::MAX, middle: i64::MAX, ..Self::default() }
    }
}

/// How much a topic heard, and how much of it was said anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Volume {
    pub raw: i64,
    /// Items of which none is a near-copy of another.
    pub unique: i64,
    /// Different authors; items without a known author are not counted. `None` when no item has one: not known is not none.
    pub authors: Option<i64>,
}

impl Volume {
    /// With so many different authors among those that are known.
    #[must_use]
    pub fn new(raw: i64, unique: i64, authors: i64) -> Self {
        Self { raw, unique, authors: (authors > 0 || raw == 0).then_some(authors) }
    }
}

/// One text and those who brought it, in one topic.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ClusterRow {
    pub topic: String,
    /// Public key of the representative: the item that was first seen.
    pub cluster: String,
    /// Items of this topic.
    pub members: i64,
    /// Their different authors, as far as known.
    pub authors: i64,
    /// When the topic saw the first of them.
    pub first_seen: Time,
    /// And the last of them for the first time.
    pub last_new: Time,
    /// The representative's title.
    pub title: Option<String>,
    pub text: Option<String>,
    pub url: Option<String>,
}
