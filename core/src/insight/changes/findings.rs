//! The findings about a span that `diff` and reports show. The caller limits the lists; the counts are complete.

use std::collections::BTreeSet;

use super::input::ChangeInput;
use super::sources::SourceChanges;
use crate::insight::text_diff::Piece;
use crate::model::{Engagement, FirstSighting, ItemSummary, Snapshots, Source, Time, WindowFit};

/// A run as a point in a topic's history.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ChangePoint {
    /// Id shown to users.
    pub run: String,
    /// When it searched.
    pub at: Time,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct Changes {
    /// The last run before the span; `None` if the span starts with the topic.
    pub since: Option<ChangePoint>,
    /// The first run of the span whose searches are stored.
    pub first: Option<ChangePoint>,
    /// The last run of the span; `None` if there is none.
    pub until: Option<ChangePoint>,
    /// Runs in the span that searched, if their searches are stored.
    pub runs: usize,
    /// Whether there may be more runs, whose searches were pruned or not read.
    #[serde(skip)]
    pub more_runs: bool,
    /// Counts over the whole span.
    pub counts: ChangeCounts,
    /// Every source that was asked.
    pub sources: Vec<SourceChanges>,
    /// New items, the latest first.
    pub new: Vec<NewItem>,
    /// First seen, but older than the window.
    pub outside: Vec<NewItem>,
    /// Gone items, the latest first.
    pub gone: Vec<GoneItem>,
    /// Edited items, the latest first.
    pub edited: Vec<EditedItem>,
    /// Rising items, the fastest first.
    pub rising: Vec<Rising>,
}

/// Counts over the whole span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ChangeCounts {
    /// First seen; inside the window or undated, not in a baseline, not filtered.
    pub new: usize,
    /// New items with near-copies counted once.
    pub new_texts: usize,
    /// Different known authors of the new items.
    pub new_authors: usize,
    /// New items without a date: they count when first seen.
    pub undated: usize,
    /// First seen but older than the window; not counted as new.
    pub outside: usize,
    /// First seen in a baseline.
    pub baseline: usize,
    /// Baseline items that are older than the window.
    #[serde(skip)]
    pub baseline_outside: usize,
    pub gone: usize,
    pub edited: usize,
    pub rising: usize,
    /// First seen but hidden by the topic's filter.
    pub filtered: usize,
    /// Gone items that the filter hides.
    pub filtered_gone: usize,
    /// Edited items that the filter hides.
    pub filtered_edited: usize,
    /// Rising items that the filter hides.
    pub filtered_rising: usize,
    /// Items counted here that the filter cannot judge because their text was pruned.
    pub unjudged: usize,
    /// There may be more new items, because a source returned a full reply, failed, or returned nothing in error, or
    /// because searches were pruned.
    pub at_least: bool,
    /// A source returned a full reply.
    #[serde(skip)]
    pub full: bool,
    /// A source that finds items failed in the last run: no later search has looked for the items that it missed.
    #[serde(skip)]
    pub failed: bool,
    /// A reply of the last run was empty although posts of the time asked for are known or certain.
    #[serde(skip)]
    pub emptied: bool,
    /// Searches of the span were pruned: whether their replies were full is no longer known.
    #[serde(skip)]
    pub searches_pruned: bool,
    /// Snapshots or texts of the span were pruned: more items may have gone, been edited or risen.
    pub pruned: bool,
    /// The span held more rows than one reading; only the latest were read.
    pub cut: bool,
    /// Missing fields of the new items.
    pub unknown: MissingFields,
}

impl ChangeCounts {
    /// Whether there may be more new items.
    #[must_use]
    pub fn may_be_more_new(&self) -> bool {
        self.at_least || self.cut
    }

    /// Whether more items may have gone, been edited or risen.
    #[must_use]
    pub fn may_be_more_changed(&self) -> bool {
        self.pruned || self.cut
    }
}

/// How many new items lack something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct MissingFields {
    /// Items without a date.
    pub date: usize,
    /// Items without a known author.
    pub author: usize,
    /// Items without any known reaction count.
    pub engagement: usize,
}

/// A new item.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NewItem {
    #[serde(flatten)]
    pub item: ItemSummary,
    /// The first run that saw it.
    pub run: String,
    pub first_seen: Time,
    /// Inside the window, outside, or undated.
    pub fit: WindowFit,
    /// Sources that showed it in that run.
    pub sources: BTreeSet<Source>,
    /// Its latest reactions.
    pub engagement: Engagement,
}

impl NewItem {
    pub(super) fn of(first: &FirstSighting, fit: WindowFit, sources: BTreeSet<Source>) -> Self {
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

/// An item that a source no longer shows.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct GoneItem {
    #[serde(flatten)]
    pub item: ItemSummary,
    pub source: Source,
    /// When it was last seen.
    pub last_seen: Time,
    /// When it was first missing.
    pub missed: Time,
}

/// An item whose text changed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct EditedItem {
    /// The item, with its text after the last edit.
    #[serde(flatten)]
    pub item: ItemSummary,
    /// When the last edit was seen.
    pub at: Time,
    /// The number of edits.
    pub edits: i64,
    #[serde(skip)]
    pub old_title: Option<String>,
    #[serde(skip)]
    pub old_text: Option<String>,
    /// The changes in the title, if any.
    #[serde(rename = "title_changes")]
    pub title: Option<Vec<Piece>>,
    /// The changes in the text, if any.
    #[serde(rename = "text_changes")]
    pub text: Option<Vec<Piece>>,
}

/// An item whose reactions grew fast enough.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Rising {
    #[serde(flatten)]
    pub item: ItemSummary,
    /// The source that showed it both times.
    pub source: Source,
    /// The first and the last of the two sightings.
    pub from: Time,
    pub until: Time,
    /// Reactions before, of the kinds known both times.
    pub had: i64,
    /// Reactions gained between `from` and `until`.
    pub gain: i64,
    /// Reactions gained per hour; over less than an hour, the gain itself.
    pub per_hour: f64,
    /// All reactions at `from`.
    pub before: Engagement,
    /// All reactions at `until`.
    pub after: Engagement,
}

impl ChangeCounts {
    /// Returns a note about pruned data, if it matters.
    #[must_use]
    pub fn pruned_note(&self) -> Option<&'static str> {
        self.pruned.then_some("data of this span was pruned: more items may have gone, been edited or risen")
    }
}

impl Changes {
    /// An empty result for a span.
    pub(super) fn new(reading: &ChangeInput) -> Self {
        let moment = |s: &crate::model::Snapshot| ChangePoint { run: s.run.clone(), at: s.at };
        let Snapshots { all, complete_from, cut, .. } = &reading.snapshots;
        let since = reading.run_before.clone().map(|(run, at)| ChangePoint { run, at });
        let is_pruned = complete_from.is_some_and(|from| since.as_ref().is_none_or(|before| before.at < from));
        let inside = || all.iter().filter(|s| s.seq > reading.between.since);
        let runs: BTreeSet<i64> = inside().map(|s| s.seq).collect();
        Self {
            since,
            first: inside().next().map(moment),
            until: all.last().filter(|s| s.seq > reading.between.since).map(moment),
            runs: runs.len(),
            more_runs: *cut || is_pruned,
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
