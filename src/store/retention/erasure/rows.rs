//! Counts of an erasure, and the texts that may name a forgotten author, item or topic.

use crate::model::Time;

/// The text that replaces erased words.
pub const ERASED: &str = "[erased]";

/// Counts of what was erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ErasedCounts {
    pub items: u64,
    /// Items that other topics found, too: they stay there.
    pub shared: u64,
    pub sightings: u64,
    /// Their earlier words.
    pub revisions: u64,
    /// Raw replies, deleted as a whole.
    pub raw_replies: u64,
    /// Answers that cited or named them, blanked.
    pub answers: u64,
    /// Messages of the outbox, blanked.
    pub messages: u64,
    /// Searches, runs and reports whose texts named them, blanked.
    pub words: u64,
}

impl ErasedCounts {
    pub fn add(&mut self, other: Self) {
        self.items += other.items;
        self.shared += other.shared;
        self.sightings += other.sightings;
        self.revisions += other.revisions;
        self.raw_replies += other.raw_replies;
        self.answers += other.answers;
        self.messages += other.messages;
        self.words += other.words;
    }
}

/// A place, other than items, where texts are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionPlace {
    /// Answers, with the keys they cite.
    Answers,
    /// Messages of the outbox.
    Messages,
    /// Alert events.
    Alerts,
    /// Subjects of reports.
    Reports,
    /// Search queries. With one goes the error of its search, which may quote a part of it.
    Queries,
    /// Errors of searches. They say nothing about the query, which stays. They come before the queries, so that each text
    /// counts as often as in a dry run.
    SearchErrors,
    /// Errors of runs.
    RunErrors,
    /// Reasons of runs.
    RunReasons,
    /// Definitions of removed jobs.
    Jobs,
    /// Definitions of finished editions.
    Editions,
    /// Why topics are paused.
    Pauses,
    /// Notes of items.
    Notes,
    /// Saved searches. They are deleted, since without their words they would find everything.
    SavedSearches,
}

impl MentionPlace {
    /// Whether people wrote the texts; they leave out the `@` of handles.
    #[must_use]
    pub fn is_prose(self) -> bool {
        matches!(self, Self::Pauses | Self::Notes | Self::SavedSearches)
    }
}

/// The texts of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub(crate) id: String,
    pub texts: Vec<String>,
}

/// An item with what may name it. Its id stays inside the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedItem {
    pub(crate) id: i64,
    pub author: Option<String>,
    /// Its address as it was found.
    pub url: Option<String>,
    pub keys: Vec<String>,
}

/// A finished report or edition of an export, and its files.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ReportFiles {
    /// Public id of its run.
    pub run: String,
    /// When it was made.
    pub made_at: Time,
    pub files: Vec<String>,
}
