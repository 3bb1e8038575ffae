//! What forgetting would take away, and the texts that may name what is forgotten.

use crate::model::Time;

/// What stands where words were erased.
pub const ERASED: &str = "[erased]";

/// What was taken away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Taken {
    pub items: u64,
    /// Items that other topics found, too: they stay theirs.
    pub shared: u64,
    pub sightings: u64,
    /// Earlier words of theirs.
    pub revisions: u64,
    /// Replies as they came, dropped whole.
    pub raws: u64,
    /// Answers that rested on them or named them, blanked.
    pub answers: u64,
    /// Messages of the outbox, blanked.
    pub messages: u64,
    /// Searches, runs and reports whose words named them, blanked.
    pub words: u64,
}

impl Taken {
    pub fn add(&mut self, other: Self) {
        self.items += other.items;
        self.shared += other.shared;
        self.sightings += other.sightings;
        self.revisions += other.revisions;
        self.raws += other.raws;
        self.answers += other.answers;
        self.messages += other.messages;
        self.words += other.words;
    }
}

/// A place beside items where words are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionPlace {
    /// Answers, with the keys they cite.
    Answers,
    /// Messages of the outbox.
    Messages,
    /// What alerts saw.
    Alerts,
    /// Subjects of reports.
    Reports,
    /// Words asked for, and errors of searches.
    Searches,
    /// Errors and reasons of runs.
    Runs,
    /// Definitions of jobs that are no more.
    Jobs,
    /// Definitions of editions that are written.
    Editions,
    /// Why topics are paused.
    Pauses,
    /// Notes of items.
    Notes,
    /// Searches that are kept by name; they go, since without their words they would find everything.
    SavedSearches,
}

impl MentionPlace {
    /// Whether people wrote what is there: they leave out the `@`.
    #[must_use]
    pub fn by_people(self) -> bool {
        matches!(self, Self::Pauses | Self::Notes | Self::SavedSearches)
    }
}

/// Texts of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub(crate) id: String,
    pub texts: Vec<String>,
}

/// An item as somebody looks for it: its id stays inside the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub(crate) id: i64,
    pub author: Option<String>,
    pub keys: Vec<String>,
}

/// A report or an edition of an export that was made, and its files.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ReportFiles {
    /// Public id of its run.
    pub run: String,
    /// When it was made.
    pub made_at: Time,
    pub files: Vec<String>,
}
