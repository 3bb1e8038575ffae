//! What the store reads about a span of a topic's runs, so that somebody can say what changed in it: snapshots, first and
//! last sightings, edits, reactions. Plain rows; what is new, gone or rising is `insight`'s to say.

use super::{Counts, Engagement, Kind, SearchState, Source, Span, Time, WindowFit};

/// A stretch of a topic's runs in reading order: those with a `seq` above `since`, up to `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Between {
    /// The last `seq` before it; 0 for all.
    pub since: i64,
    /// Its last `seq`.
    pub until: i64,
}

/// What a source was asked, and in which words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Question {
    pub source: Source,
    pub operation: String,
    pub query: String,
}

/// One search of a run: what its source looked like at that moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Public id of the run.
    pub run: String,
    /// Its place in the reading order.
    pub seq: i64,
    /// When it looked.
    pub at: Time,
    /// Place of its question in [`Snapshots::questions`].
    pub question: usize,
    /// What became of it.
    pub state: SearchState,
    /// The reply was as long as it could be.
    pub saturated: bool,
    /// The span that its request named.
    pub asked: Option<Span>,
    /// What it held.
    pub counts: Counts,
}

/// The searches of a span and some before it, in reading order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshots {
    /// The questions, each once.
    pub questions: Vec<Question>,
    /// For each question: whether it had been answered for this topic before the first snapshot below.
    pub known: Vec<bool>,
    /// The searches; those up to `Between::since` are there to compare with.
    pub all: Vec<Snapshot>,
    /// Runs of the span were left out because there are too many; the latest are here.
    pub cut: bool,
}

/// What readers need to show an item and to filter it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ItemHead {
    /// Key shown to users.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    pub url: Option<String>,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language, when known.
    pub lang: Option<String>,
    pub published_at: Option<Time>,
    /// Key of the item that it is a near-copy of; its own when it is the first or alone, absent when nobody looked yet.
    pub cluster: Option<String>,
    /// Whether words, author and address were pruned.
    #[serde(skip)]
    pub pruned: bool,
}

/// An item at its first sighting for a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSight {
    pub item: ItemHead,
    /// The run that saw it.
    pub run: String,
    /// That run's place in the reading order.
    pub seq: i64,
    pub first_seen: Time,
    /// The sources that showed it in that run.
    pub seen: Vec<(Source, WindowFit)>,
    /// Its latest reactions.
    pub engagement: Engagement,
}

/// An item that a topic's latest runs did not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastSight {
    pub item: ItemHead,
    /// Where the run that saw it last stands in the reading order.
    pub last_seq: i64,
    /// When that was.
    pub last_seen: Time,
    /// Each of its sightings in the span that was read, inside the window at that moment.
    pub seen: Vec<(Source, i64)>,
}

/// An item whose title or text was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The item, with its words after the last edit of the span.
    pub item: ItemHead,
    /// Title before the first edit of the span.
    pub old_title: Option<String>,
    /// Text before the first edit of the span.
    pub old_text: Option<String>,
    /// When the last of them was seen.
    pub at: Time,
    pub edits: i64,
}

/// An item at two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    pub item: ItemHead,
    /// The source that showed it both times.
    pub source: Source,
    /// The first moment.
    pub from: Time,
    pub until: Time,
    /// Reactions at the first of the two times.
    pub before: Engagement,
    /// Reactions in the end.
    pub after: Engagement,
}
