//! The formats, as a closed list. A new format needs a file next to `csv` and `jsonl`, and its lines here. It gets
//! headings, then rows of cells in the same order. A feed has entries instead of rows, and `atom` writes it.

use super::csv::{self, Profile};
use super::gzip::strip_gz;
use super::out::Out;
use super::{jsonl, xlsx};
use crate::export::column::{Cell, Heading};
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
        /// A feed of new items of one topic.
        Atom = "atom",
    }
}

impl Format {
    /// The format of a file by the ending of its name, without `.gz`; `None` if the ending is unknown.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let ending = strip_gz(name).0.rsplit_once('.')?.1.to_ascii_lowercase();
        Self::parse(&ending)
    }
}

/// A file being written.
pub(in crate::export) enum RowWriter<'w> {
    Csv(Box<csv::Writer<'w>>),
    Jsonl(jsonl::Writer<'w>),
    Xlsx(Box<xlsx::Writer<'w>>),
}

impl<'w> RowWriter<'w> {
    pub(in crate::export) fn begin(
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

    /// Adds a row, with one cell per column.
    pub(in crate::export) fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        match self {
            Self::Csv(csv) => csv.row(cells),
            Self::Jsonl(jsonl) => jsonl.row(cells),
            Self::Xlsx(xlsx) => xlsx.row(cells),
        }
    }

    /// Ends the file. Returns how many cells the format could not hold whole.
    pub(in crate::export) fn finish(self) -> std::io::Result<u64> {
        match self {
            Self::Csv(csv) => csv.finish().map(|()| 0),
            Self::Jsonl(jsonl) => jsonl.finish().map(|()| 0),
            Self::Xlsx(xlsx) => xlsx.finish(),
        }
    }
}
