//! The formats, as a closed list. Another one is a file beside `csv` and `jsonl` and its lines here; what it gets are
//! headings, then rows of cells in their order. A feed has entries instead, and is `atom`'s.

use super::column::{Cell, Heading};
use super::csv::{self, Profile};
use super::out::Out;
use super::packed::unpacked_name;
use super::{jsonl, xlsx};
use crate::model::closed_list;

closed_list! {
    /// How a file is written.
    Format {
        /// Comma-separated values, in one of two profiles.
        Csv = "csv",
        /// One JSON object a line.
        Jsonl = "jsonl",
        /// A workbook for spreadsheets.
        Xlsx = "xlsx",
        /// A feed of what is new in one topic.
        Atom = "atom",
    }
}

impl Format {
    /// What the ending of a file's name says, before one that says that it is packed; `None` when it says nothing.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let ending = unpacked_name(name).0.rsplit_once('.')?.1.to_ascii_lowercase();
        Self::parse(&ending)
    }
}

/// A file in the making.
pub(super) enum Sheet<'w> {
    Csv(Box<csv::Writer<'w>>),
    Jsonl(jsonl::Writer<'w>),
    Xlsx(Box<xlsx::Writer<'w>>),
}

impl<'w> Sheet<'w> {
    pub(super) fn begin(
        format: Format,
        (profile, sheet_rows): (Profile, u32),
        columns: &[&Heading],
        title: &'static str,
        out: Out<'w>,
    ) -> std::io::Result<Self> {
        Ok(match format {
            Format::Csv => Self::Csv(Box::new(csv::Writer::begin(out, columns, profile)?)),
            Format::Jsonl => Self::Jsonl(jsonl::Writer::begin(out, columns)),
            Format::Xlsx => Self::Xlsx(Box::new(xlsx::Writer::begin(out, columns, title, sheet_rows)?)),
            Format::Atom => return Err(std::io::Error::other("a feed has entries, not rows")),
        })
    }

    /// Adds a row: one cell a column.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        match self {
            Self::Csv(csv) => csv.row(cells),
            Self::Jsonl(jsonl) => jsonl.row(cells),
            Self::Xlsx(xlsx) => xlsx.row(cells),
        }
    }

    /// Ends it; returns how many cells the format could not hold whole.
    pub(super) fn finish(self) -> std::io::Result<u64> {
        match self {
            Self::Csv(csv) => csv.finish().map(|()| 0),
            Self::Jsonl(jsonl) => jsonl.finish().map(|()| 0),
            Self::Xlsx(xlsx) => xlsx.finish(),
        }
    }
}
