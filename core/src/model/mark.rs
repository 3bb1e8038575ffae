//! What a daily report counts and shows of items: marks (an item without its words, for counting many), words (of the few
//! that are shown), and reactions over time. Plain data; what the figures mean is `insight`'s.

use super::{Engagement, Kind, Source, Time, Tone, WindowFit};

/// An item of a topic as far as it is counted: no words, no database-made id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Key shown to users.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub author: Option<String>,
    /// Address of a page; posts are told by key.
    pub url: Option<String>,
    pub published_at: Option<Time>,
    /// First seen for this topic.
    pub first_seen: Time,
    /// Number of the run that saw it first; runs may end, and be numbered, in another order than they began.
    pub seq: i64,
    /// Whether it lay in the window of the run that saw it first.
    pub fit: WindowFit,
    /// Key of the item that stands for its near-copies; its own when it is alone or was not compared yet.
    pub cluster: String,
    /// How it sounds; `None` while nobody has scored it.
    pub sound: Option<Tone>,
    /// Thousandths, -1000..1000.
    pub score: Option<i64>,
    /// Which scorer said so.
    pub scorer: Option<String>,
    /// Reactions as of the latest sighting.
    pub engagement: Engagement,
    /// How often its words changed.
    pub edits: i64,
    /// Whether words, author and address were pruned.
    pub pruned: bool,
}

impl Mark {
    /// The instant it counts at: when it was published, or when it was first seen where that is unknown or earlier (a date
    /// in the future is a slip of somebody's clock).
    #[must_use]
    pub fn moment(&self) -> Time {
        self.published_at.map_or(self.first_seen, |at| at.min(self.first_seen))
    }

    /// Whether anything is known about reactions to it.
    #[must_use]
    pub fn has_engagement(&self) -> bool {
        self.engagement.is_known()
    }
}

impl Engagement {
    /// Whether any count is known; views alone are none, since nobody reacted.
    #[must_use]
    pub fn is_known(&self) -> bool {
        [self.likes, self.reposts, self.replies, self.quotes].iter().any(Option::is_some)
    }

    /// Likes, reposts, replies and quotes together; unknown ones count as none.
    #[must_use]
    pub fn sum(&self) -> i64 {
        [self.likes, self.reposts, self.replies, self.quotes].iter().flatten().fold(0_i64, |a, b| a.saturating_add(*b))
    }
}

/// What is shown of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// Key shown to users.
    pub key: String,
    pub url: Option<String>,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language, when known.
    pub lang: Option<String>,
    /// Whether words, author and address were pruned.
    pub pruned: bool,
}

/// Reactions to an item at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// Key shown to users.
    pub key: String,
    /// The source that showed it.
    pub source: Source,
    /// When it was seen.
    pub at: Time,
    /// What was counted then.
    pub engagement: Engagement,
}

/// A search as far as a source's health and the day's cost are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Public id of its run.
    pub run: String,
    pub source: Source,
    pub state: super::SearchState,
    /// When it was made.
    pub at: Time,
    /// Calls it took.
    pub tries: i64,
    /// Error class, or why it was not made.
    pub trouble: Option<String>,
    /// The reply was as long as it could be.
    pub saturated: bool,
    /// Paid, or expected while unknown.
    pub cost: super::Micros,
}

/// What a key that somebody named leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// The key that was asked for.
    pub asked: String,
    /// The item's public key.
    pub key: String,
}
