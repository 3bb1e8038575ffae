//! The formats, as a closed list. Another one is a file beside `csv` and `jsonl` and its lines here; what it gets are
//! headings, then rows of cells in their order.

use std::io::Write;

use super::column::{Cell, Heading};
use super::csv::{self, Profile};
use super::jsonl;
use crate::model::closed_list;

closed_list! {
    /// How a file is written.
    Format {
        /// Comma-separated values, in one of two profiles.
        Csv = "csv",
        /// One JSON object a line.
        Jsonl = "jsonl",
    }
}

impl Format {
    /// What the ending of a file's name says; `None` when it says nothing.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Self::parse(&ending)
    }
}

/// A file in the making.
pub(super) enum Sheet<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Jsonl(jsonl::Writer<W>),
}

impl<W: Write> Sheet<W> {
    /// Begins it.
    pub(super) fn begin(format: Format, profile: Profile, columns: &[&Heading], out: W) -> std::io::Result<Self> {
        Ok(match format {
            Format::Csv => Self::Csv(Box::new(csv::Writer::begin(out, columns, profile)?)),
            Format::Jsonl => Self::Jsonl(jsonl::Writer::begin(out, columns)),
        })
    }

    /// Adds a row: one cell a column.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        match self {
            Self::Csv(csv) => csv.row(cells),
            Self::Jsonl(jsonl) => jsonl.row(cells),
        }
    }

    /// Ends it and hands its output back.
    pub(super) fn finish(self) -> std::io::Result<W> {
        match self {
            Self::Csv(csv) => csv.finish(),
            Self::Jsonl(jsonl) => jsonl.finish(),
        }
    }
}
