//! The items of a story as they are stored: a text or a link, and everything that repeats it. Which items these are and what
//! they say together is not decided here.

use super::{EarlierRow, Engagement, Kind, Source, Time, closed_list};

closed_list! {
    /// Why an item belongs to a story.
    Tie {
        /// It is the item that was asked about.
        Asked = "asked",
        /// It is a near-copy of that item.
        Copy = "copy",
        /// It shares a link with that item.
        Link = "link",
        /// Both.
        Both = "copy_and_link",
    }
}

/// Characters of a title or text that a story holds.
pub const STORY_WORDS: usize = 600;

/// Where a story looks for links: an item and its own names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linking {
    /// Key shown to users.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub url: Option<String>,
    /// Its text, cut to what is looked through.
    pub text: Option<String>,
    /// All keys that name it.
    pub keys: Vec<String>,
}

/// When a topic saw an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InTopic {
    pub topic: String,
    pub first_seen: Time,
    pub last_seen: Time,
    /// Runs of the topic that saw it.
    pub times_seen: i64,
    /// Of these, those whose sightings are kept.
    pub kept: i64,
}

/// When a source of a topic showed an item, as far as its sightings are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InSource {
    pub topic: String,
    pub source: Source,
    pub first_seen: Time,
    /// Runs in which it did.
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
    /// Its text, cut to what is shown.
    pub text: Option<String>,
    pub url: Option<String>,
    pub published_at: Option<Time>,
    /// Reactions as of the latest sighting.
    pub engagement: Engagement,
    /// Key of the item that its near-copies began with, its own while nobody has looked.
    pub cluster: String,
    /// How often its words changed.
    pub revisions: i64,
    /// Whether its words were pruned.
    pub pruned: bool,
    pub tie: Tie,
    /// Never empty, by topic.
    pub topics: Vec<InTopic>,
    /// By topic and source.
    pub sources: Vec<InSource>,
}

/// A story as it was read.
#[derive(Debug, Clone, Default)]
pub struct StoryRows {
    /// Key of the item that was asked about.
    pub asked: String,
    /// The addresses by which items were sought.
    pub links: Vec<String>,
    /// Links of the item beyond those that are looked for.
    pub links_beyond: u64,
    /// At most so many as are looked at, those that were seen first.
    pub items: Vec<StoryItem>,
    /// Whether there are more items, or may be.
    pub more: bool,
    /// Items that wait for the text index, whose links are not known yet; of any topic.
    pub unindexed: i64,
    /// Runs whose items nobody compared with others yet.
    pub uncompared: bool,
    /// When each topic last looked.
    pub last_looks: Vec<(String, Time)>,
    /// What the words of the earliest item were, the latest first.
    pub edits: Vec<EarlierRow>,
}
