//! The rows of a span of a topic's runs: snapshots, first and last sightings, edits, reactions. Plain rows; `insight`
//! decides what is new, gone or rising.

use crate::model::{Counts, Engagement, Kind, SearchState, Source, Span, Time, WindowFit};

/// A range of a topic's runs in reading order: those with a `seq` above `since`, up to and including `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqRange {
    /// The last `seq` before the range; 0 for all.
    pub since: i64,
    /// The last `seq` of the range.
    pub until: i64,
}

/// The question that a source was asked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Question {
    pub source: Source,
    pub operation: String,
    pub query: String,
}

/// One search of a run and what it returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Public id of the run.
    pub run: String,
    /// The run's number in reading order.
    pub seq: i64,
    /// When the search was made.
    pub at: Time,
    /// The index of its question in [`Snapshots::questions`].
    pub question: usize,
    /// How it ended.
    pub state: SearchState,
    /// Whether it was not made because every call would have been refused.
    pub refused: bool,
    /// Whether it was answered in part: the reply was cut short, or one of its calls failed. What is missing may exist.
    pub in_part: bool,
    /// Whether the reply was as long as it could be.
    pub saturated: bool,
    /// Whether the reply was empty although posts of the time asked for are known or certain: it proves nothing.
    pub empty_in_error: bool,
    /// The span that its request asked for.
    pub requested_span: Option<Span>,
    /// The counts of its reply.
    pub counts: Counts,
    /// Whether some of its sightings were pruned.
    pub thinned: bool,
}

/// The searches of a span, and some before it, in reading order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshots {
    /// The distinct questions.
    pub questions: Vec<Question>,
    /// For each question: whether it was answered for this topic before the first snapshot in `all`.
    pub known: Vec<bool>,
    /// The searches. Those up to `SeqRange::since` are for comparison.
    pub all: Vec<Snapshot>,
    /// Whether earlier runs of the span were left out because there are too many.
    pub cut: bool,
    /// From when on all searches of the topic are stored; earlier ones were pruned. `None` if all are.
    pub complete_from: Option<Time>,
}

/// The fields needed to show and to filter an item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ItemSummary {
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
    /// The key of the first item of its near-copies; its own if it is the first or alone; `None` if not compared yet.
    pub cluster: Option<String>,
    /// Whether text, author and address were pruned.
    #[serde(skip)]
    pub pruned: bool,
}

/// An item at its first sighting for a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSighting {
    pub item: ItemSummary,
    /// The run that saw it.
    pub run: String,
    /// The run's number in reading order.
    pub seq: i64,
    pub first_seen: Time,
    /// The sources that showed it in that run, and whether it lay in the window.
    pub seen: Vec<(Source, WindowFit)>,
    /// Whether it belongs to a baseline, as stored when the searches of that run were pruned; `None` while they are kept.
    pub kept_baseline: Option<bool>,
    /// The latest reactions.
    pub engagement: Engagement,
}

/// An item that the topic's latest runs did not find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastSighting {
    pub item: ItemSummary,
    /// The number in reading order of the run that saw it last.
    pub last_seq: i64,
    /// When that run saw it.
    pub last_seen: Time,
    /// Its sightings in the span that was read, as source and `seq`, where it lay inside the window at that moment.
    pub seen: Vec<(Source, i64)>,
}

/// An item whose title or text was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The item, with its words after the last edit of the span.
    pub item: ItemSummary,
    /// Title before the first edit of the span.
    pub old_title: Option<String>,
    /// Text before the first edit of the span.
    pub old_text: Option<String>,
    /// When the last edit was seen.
    pub at: Time,
    pub edits: i64,
}

/// An item's reactions at two times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growth {
    pub item: ItemSummary,
    /// The source that showed it both times.
    pub source: Source,
    /// The earlier time.
    pub from: Time,
    pub until: Time,
    /// Reactions at the earlier time.
    pub before: Engagement,
    /// Reactions at the later time.
    pub after: Engagement,
}
