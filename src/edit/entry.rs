//! The parts of a file that can be edited, and their positions in the text.

use std::ops::Range;

use super::value::KeyValue;

/// The editable tables: those that may occur any number of times.
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

    /// The singular, for people and URLs.
    #[must_use]
    pub fn singular(self) -> &'static str {
        self.table().trim_end_matches('s')
    }

    /// The key that holds its name.
    #[must_use]
    pub fn name_key(self) -> &'static str {
        if self == Self::Topic { "id" } else { "name" }
    }

    /// Parses the singular.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.singular() == word)
    }
}

/// Why an edit is impossible; the text stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EditError {
    pub message: String,
    pub hint: String,
}

pub(super) fn edit_error(message: impl Into<String>, hint: impl Into<String>) -> EditError {
    EditError { message: message.into(), hint: hint.into() }
}

/// A table of the file.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its `id` or `name`; empty if it has none.
    pub name: String,
    /// From its header to the end of its last line.
    pub(super) block: Range<usize>,
    pub(super) keys: Vec<KeySpan>,
    /// Where the headers of its subtables, such as `[topics.social]`, begin.
    pub(super) tables_from: Option<usize>,
    /// Whether another part of the file lies between its lines.
    pub(super) torn: bool,
}

/// A key of a table.
#[derive(Debug, Clone)]
pub(super) struct KeySpan {
    /// The dotted name.
    pub(super) name: String,
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) given: KeyValue,
    /// The places of the entries, if it is a list.
    pub(super) entries: Vec<Range<usize>>,
}
