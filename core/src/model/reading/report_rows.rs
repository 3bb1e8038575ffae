//! Rows for a daily report: marks (items without their text, for counting many), words (the text of the few that are
//! shown) and reactions over time. Plain data; `insight` interprets it.

use crate::model::{Engagement, Kind, Source, Time, Tone, WindowFit};

/// An item of a topic as far as counting needs it: no text, no database id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedItem {
    /// Key shown to users.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub author: Option<String>,
    /// The URL of a page; posts are identified by key.
    pub url: Option<String>,
    pub published_at: Option<Time>,
    /// First seen for this topic.
    pub first_seen: Time,
    /// The number of the run that saw it first. Runs may end, and be numbered, in another order than they started.
    pub seq: i64,
    /// Whether it lay in the window of the run that saw it first.
    pub fit: WindowFit,
    /// The key of the first item of its near-copies; its own if it is alone or not compared yet.
    pub cluster: String,
    /// The tone; `None` if not scored yet.
    pub sound: Option<Tone>,
    /// The tone score in thousandths, from -1000 to 1000.
    pub score: Option<i64>,
    /// The scorer's version.
    pub scorer: Option<String>,
    /// Reactions at the latest sighting.
    pub engagement: Engagement,
    /// Grows with each change of its stored data: edits, and words, author or times that were filled in or replaced. An
    /// edit is counted twice.
    pub changes: i64,
    /// Whether text, author and address were pruned.
    pub pruned: bool,
}

impl CountedItem {
    /// The time at which it is counted: its publication, but at the latest its first sighting (a publication time in
    /// the future comes from a wrong clock).
    #[must_use]
    pub fn moment(&self) -> Time {
        self.published_at.map_or(self.first_seen, |at| at.min(self.first_seen))
    }

    /// Whether any reaction count is known.
    #[must_use]
    pub fn has_engagement(&self) -> bool {
        self.engagement.is_known()
    }
}

impl Engagement {
    /// Whether any count of reactions is known. Views do not count: they are not reactions.
    #[must_use]
    pub fn is_known(&self) -> bool {
        [self.likes, self.reposts, self.replies, self.quotes].iter().any(Option::is_some)
    }

    /// The sum of likes, reposts, replies and quotes. Unknown counts are zero.
    #[must_use]
    pub fn sum(&self) -> i64 {
        [self.likes, self.reposts, self.replies, self.quotes].iter().flatten().fold(0_i64, |a, b| a.saturating_add(*b))
    }
}

/// The text and other shown fields of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemContent {
    /// Key shown to users.
    pub key: String,
    pub url: Option<String>,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language, when known.
    pub lang: Option<String>,
    /// Whether text, author and address were pruned.
    pub pruned: bool,
}

/// Reactions to an item at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngagementAt {
    /// Key shown to users.
    pub key: String,
    /// The source that showed it.
    pub source: Source,
    /// When it was seen.
    pub at: Time,
    /// The counts at that time.
    pub engagement: Engagement,
}

/// A search, as far as a source's health and the day's cost need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSummary {
    /// Public id of its run.
    pub run: String,
    pub source: Source,
    pub state: crate::model::SearchState,
    /// When it was made.
    pub at: Time,
    /// The number of calls.
    pub tries: i64,
    /// The error class, or why the search was not made.
    pub trouble: Option<String>,
    /// Whether it was not made because of a refusal that every call would meet, or because the process stopped.
    pub refused: bool,
    /// Whether the reply was as long as it could be.
    pub saturated: bool,
    /// Whether the reply was empty although posts of the time asked for are known or certain: it proves nothing.
    pub empty_in_error: bool,
    /// Whether the span it asked for ended before its run began: a backfill.
    pub past: bool,
    /// The price paid, or the expected price if not known.
    pub cost: crate::model::Micros,
    /// The same if no bill confirms it, otherwise zero.
    pub assumed: crate::model::Micros,
}

/// The item found for a requested key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedKey {
    /// The requested key.
    pub asked: String,
    /// The item's public key.
    pub key: String,
}
