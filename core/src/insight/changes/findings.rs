//! The statements themselves: what `diff` and reports show. Lists are bounded by whoever asked, counts are not.

use std::collections::BTreeSet;

use super::reading::Reading;
use super::sources::SourceChanges;
use crate::insight::text_diff::Piece;
use crate::model::{Engagement, FirstSight, ItemHead, Source, Time, WindowFit};

/// A run as a point in a topic's history.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Moment {
    /// Id shown to users.
    pub run: String,
    /// When it looked.
    pub at: Time,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct Changes {
    /// The last run before the span; `None` when it begins with the topic.
    pub since: Option<Moment>,
    /// The first run of the span.
    pub first: Option<Moment>,
    /// Its last run; `None` when there was none.
    pub until: Option<Moment>,
    /// Runs of the span that searched.
    pub runs: usize,
    /// How many of each.
    pub counts: ChangeCounts,
    /// Each source that was asked.
    pub sources: Vec<SourceChanges>,
    /// New, the latest first.
    pub new: Vec<New>,
    /// Seen first, but older than the window.
    pub outside: Vec<New>,
    /// Gone, the latest first.
    pub gone: Vec<Gone>,
    /// Edited, the latest first.
    pub edited: Vec<Edited>,
    /// Rising, the fastest first.
    pub rising: Vec<Rising>,
}

/// Counts over the whole span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ChangeCounts {
    /// First seen, in the window or undated, not of a baseline, not filtered.
    pub new: usize,
    /// The same with near-copies counted once.
    pub new_texts: usize,
    /// Their authors, as far as known.
    pub new_authors: usize,
    /// Of the new, without a date: counted by when they were first seen.
    pub undated: usize,
    /// First seen, but older than the window; not among the new.
    pub outside: usize,
    /// First seen in a baseline.
    pub baseline: usize,
    pub gone: usize,
    pub edited: usize,
    pub rising: usize,
    /// First seen, hidden by the topic's filter.
    pub filtered: usize,
    /// Gone items that the filter hides.
    pub filtered_gone: usize,
    /// Edited items that the filter hides.
    pub filtered_edited: usize,
    /// Rising items that the filter hides.
    pub filtered_rising: usize,
    /// Of all that are counted here, items that the filter cannot judge, since their words were pruned.
    pub unjudged: usize,
    /// A source returned as many as it could: there may have been more new ones.
    pub at_least: bool,
    /// There was more in the span than is read at once; the latest was read.
    pub cut: bool,
    /// What was not known of the new.
    pub unknown: Unknown,
}

/// How many of the new lack something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Unknown {
    /// Those without a date.
    pub date: usize,
    /// Those without an author.
    pub author: usize,
    /// No reactions at all.
    pub engagement: usize,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct New {
    #[serde(flatten)]
    pub item: ItemHead,
    /// The run that saw it first.
    pub run: String,
    pub first_seen: Time,
    /// In the window, outside, or without a date.
    pub fit: WindowFit,
    /// Sources that showed it in that run.
    pub sources: BTreeSet<Source>,
    /// Its latest reactions.
    pub engagement: Engagement,
}

impl New {
    pub(super) fn of(first: &FirstSight, fit: WindowFit, sources: BTreeSet<Source>) -> Self {
        Self {
            item: first.item.clone(),
            run: first.run.clone(),
            first_seen: first.first_seen,
            fit,
            sources,
            engagement: first.engagement,
        }
    }
}

/// An item that a source does not show any more.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Gone {
    #[serde(flatten)]
    pub item: ItemHead,
    pub source: Source,
    /// When it was seen last.
    pub last_seen: Time,
    /// When it was missed.
    pub missed: Time,
}

/// An item whose words changed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Edited {
    /// The item, with its words after the last edit.
    #[serde(flatten)]
    pub item: ItemHead,
    /// When the last edit was seen.
    pub at: Time,
    /// How many there were.
    pub edits: i64,
    #[serde(skip)]
    pub old_title: Option<String>,
    #[serde(skip)]
    pub old_text: Option<String>,
    /// What changed in the title, if it did.
    #[serde(rename = "title_changes")]
    pub title: Option<Vec<Piece>>,
    /// What changed in the text, if it did.
    #[serde(rename = "text_changes")]
    pub text: Option<Vec<Piece>>,
}

/// An item whose reactions grew.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Rising {
    #[serde(flatten)]
    pub item: ItemHead,
    /// The source that showed it both times.
    pub source: Source,
    /// Between this moment.
    pub from: Time,
    pub until: Time,
    /// Reactions it had, of the kinds that were known both times.
    pub had: i64,
    /// Reactions it gained.
    pub gain: i64,
    /// Gained per hour, in tenths; over less than an hour, what was gained.
    pub per_hour: f64,
    /// All reactions then.
    pub before: Engagement,
    /// All reactions in the end.
    pub after: Engagement,
}

impl Changes {
    /// A span in which nothing changed.
    pub(super) fn new(reading: &Reading) -> Self {
        let moment = |s: &crate::model::Snapshot| Moment { run: s.run.clone(), at: s.at };
        let all = &reading.snapshots.all;
        let inside = || all.iter().filter(|s| s.seq > reading.between.since);
        let runs: BTreeSet<i64> = inside().map(|s| s.seq).collect();
        Self {
            since: all.iter().rev().find(|s| s.seq <= reading.between.since).map(moment),
            first: inside().next().map(moment),
            until: all.last().filter(|s| s.seq > reading.between.since).map(moment),
            runs: runs.len(),
            counts: ChangeCounts::default(),
            sources: Vec::new(),
            new: Vec::new(),
            outside: Vec::new(),
            gone: Vec::new(),
            edited: Vec::new(),
            rising: Vec::new(),
        }
    }
}
