//! CSV in two profiles. `machine` is RFC 4180 without tricks and loses nothing; `excel` adds a byte order mark, keeps
//! long ids as text and guards cells that a spreadsheet would run as a formula. Which columns there are is `columns`'.

use std::io::Write;

use crate::model::closed_list;

closed_list! {
    /// How the file will be read.
    Profile {
        /// By programs: RFC 4180, UTF-8.
        Machine = "machine",
        /// By spreadsheets.
        Excel = "excel",
    }
}

/// What a cell holds, which decides how a spreadsheet must be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell<'a> {
    /// Words from anywhere.
    Text(&'a str),
    /// An id: never a number, however it looks.
    Id(&'a str),
    /// A number, a time, a flag or a word of ours: never touched.
    Plain(&'a str),
    /// Unknown: an empty cell.
    Empty,
}

/// How much is gathered before it is handed on.
const PAGE: usize = 64 * 1024;

/// Characters with which a cell is taken for a formula or a command by some spreadsheet, their full-width forms, and
/// the guard itself.
const GUARDED: &[char] = &['=', '+', '-', '@', '|', '%', '\t', '\r', '\n', '＝', '＋', '－', '＠', '\''];

/// Writes records; bytes are handed on a page at a time.
pub(super) struct Writer<W: Write> {
    csv: csv::Writer<W>,
    profile: Profile,
    origin: Cell<'static>,
    cell: String,
    rows: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file with its header, whose last column is `origin`: the same in every record.
    pub(super) fn new(mut out: W, profile: Profile, columns: &[&str], origin: Cell<'static>) -> std::io::Result<Self> {
        if profile == Profile::Excel {
            out.write_all("\u{feff}".as_bytes())?;
        }
        let mut csv =
            csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).buffer_capacity(PAGE).from_writer(out);
        csv.write_record(columns)?;
        Ok(Self { csv, profile, origin, cell: String::new(), rows: 0 })
    }

    /// Writes one record; its origin is added here.
    pub(super) fn record(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        let origin = self.origin;
        for cell in cells.iter().chain([&origin]) {
            match *cell {
                Cell::Empty => self.csv.write_field("")?,
                Cell::Plain(text) => self.csv.write_field(text)?,
                Cell::Text(text) if self.profile == Profile::Excel && text.starts_with(GUARDED) => {
                    self.guarded(text)?;
                }
                Cell::Id(text)
                    if self.profile == Profile::Excel && (text.starts_with(GUARDED) || reads_as_number(text)) =>
                {
                    self.guarded(text)?;
                }
                Cell::Text(text) | Cell::Id(text) => self.csv.write_field(text)?,
            }
        }
        self.csv.write_record(None::<&[u8]>)?;
        self.rows += 1;
        Ok(())
    }

    /// One apostrophe in front; a reader takes exactly one away.
    fn guarded(&mut self, text: &str) -> std::io::Result<()> {
        self.cell.clear();
        self.cell.push('\'');
        self.cell.push_str(text);
        Ok(self.csv.write_field(&self.cell)?)
    }

    /// Hands on what is left; returns the output and the number of records.
    pub(super) fn finish(mut self) -> std::io::Result<(W, u64)> {
        self.csv.flush()?;
        let out = self.csv.into_inner().map_err(|e| std::io::Error::new(e.error().kind(), e.to_string()))?;
        Ok((out, self.rows))
    }
}

/// A spreadsheet keeps 15 digits of a number and drops leading zeros.
fn reads_as_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
