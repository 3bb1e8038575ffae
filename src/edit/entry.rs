//! What can be edited, and where it stands in the text.

use std::ops::Range;

use super::value::Given;

/// What may be edited: the tables that stand in the file any number of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Topic,
    Report,
    Alert,
    Export,
    Channel,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::Topic, Self::Report, Self::Alert, Self::Export, Self::Channel];

    /// The table's name in the file.
    #[must_use]
    pub fn table(self) -> &'static str {
        match self {
            Self::Topic => "topics",
            Self::Report => "reports",
            Self::Alert => "alerts",
            Self::Export => "exports",
            Self::Channel => "channels",
        }
    }

    /// One of it, for people and addresses.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.table().trim_end_matches('s')
    }

    /// The key that names it.
    #[must_use]
    pub fn key(self) -> &'static str {
        if self == Self::Topic { "id" } else { "name" }
    }

    /// The one of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Why an edit cannot be made; the text is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    pub message: String,
    pub hint: String,
}

pub(super) fn refused(message: impl Into<String>, hint: impl Into<String>) -> Refused {
    Refused { message: message.into(), hint: hint.into() }
}

/// A table of the file.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its `id` or `name`; empty where it has none.
    pub name: String,
    /// From its header to the end of its last line.
    pub(super) block: Range<usize>,
    pub(super) keys: Vec<KeyPlace>,
    /// Headers of its own tables, such as `[topics.social]`, begin here.
    pub(super) tables_from: Option<usize>,
    /// Whether another part of the file stands between its lines.
    pub(super) torn: bool,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub(super) struct KeyPlace {
    /// Dotted.
    pub(super) name: String,
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) given: Given,
}
