//! The stored items of a story: a text or link and everything that repeats it. `compare` selects the items, and
//! `insight::story` interprets the story.

use crate::model::{Engagement, Kind, RevisionRow, Source, Time, closed_list};

closed_list! {
    /// Why an item belongs to a story.
    Tie {
        /// It is the requested item.
        Asked = "asked",
        /// It is a near-copy of the requested item.
        Copy = "copy",
        /// It shares a link with the requested item.
        Link = "link",
        /// It is a near-copy and shares a link.
        Both = "copy_and_link",
    }
}

/// The most characters of a title or text in a story.
pub const STORY_WORDS: usize = 600;

/// The fields of an item in which a story looks for links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSource {
    /// Key shown to users.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub url: Option<String>,
    /// Its text, truncated to the part that is scanned.
    pub text: Option<String>,
    /// All its keys.
    pub keys: Vec<String>,
}

/// When a topic saw an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicSighting {
    pub topic: String,
    pub first_seen: Time,
    pub last_seen: Time,
    /// Runs of the topic that saw it.
    pub times_seen: i64,
    /// The number of those runs whose sightings are still stored.
    pub kept: i64,
}

/// When a source of a topic showed an item, as far as sightings are still stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSighting {
    pub topic: String,
    pub source: Source,
    pub first_seen: Time,
    /// The number of runs in which it did.
    pub runs: i64,
}

/// An item of a story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryItem {
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Its text, truncated to the part that is shown.
    pub text: Option<String>,
    pub url: Option<String>,
    pub published_at: Option<Time>,
    /// Reactions at the latest sighting.
    pub engagement: Engagement,
    /// The key of the first item of its near-copies; its own if not compared yet.
    pub cluster: String,
    /// How often its text changed.
    pub revisions: i64,
    /// Whether its text was pruned.
    pub pruned: bool,
    pub tie: Tie,
    /// Never empty; sorted by topic.
    pub topics: Vec<TopicSighting>,
    /// Sorted by topic and source.
    pub sources: Vec<SourceSighting>,
}

/// A story as read from the store.
#[derive(Debug, Clone, Default)]
pub struct StoryRows {
    /// The key of the requested item.
    pub asked: String,
    /// The links that were searched for.
    pub links: Vec<String>,
    /// The number of the item's other links, which were not searched for.
    pub links_beyond: u64,
    /// The items, truncated to the limit; the first seen are kept.
    pub items: Vec<StoryItem>,
    /// Whether there are, or may be, more items.
    pub more: bool,
    /// The number of items that the text index does not contain yet, in any topic. Their links are not known.
    pub unindexed: i64,
    /// Whether some runs' items were not compared for near-copies yet.
    pub uncompared: bool,
    /// When each topic last searched.
    pub last_looks: Vec<(String, Time)>,
    /// Earlier texts of the earliest item, the latest first.
    pub edits: Vec<RevisionRow>,
}
