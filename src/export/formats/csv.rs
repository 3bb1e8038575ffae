//! CSV in two profiles. `machine` is plain RFC 4180 and loses nothing. `excel` adds a byte order mark, keeps long ids
//! as text and guards cells that a spreadsheet would run as a formula. `columns` defines the columns.

use std::fmt::Write as _;

use super::out::Out;
use crate::export::column::{Cell, Heading, decimal};
use crate::model::closed_list;

closed_list! {
    /// Who will read a CSV file.
    Profile {
        /// Programs: RFC 4180, UTF-8.
        Machine = "machine",
        Excel = "excel",
    }
}

/// Bytes that are buffered before they are written.
const PAGE: usize = 64 * 1024;

/// Characters at the start of a cell that make some spreadsheet take it for a formula or a command, their full-width
/// forms, and the guard itself.
const GUARDED: &[char] = &['=', '+', '-', '@', '|', '%', '\t', '\r', '\n', '＝', '＋', '－', '＠', '\''];

/// Writes records, one page of bytes at a time.
pub(in crate::export) struct Writer<'w> {
    csv: csv::Writer<Out<'w>>,
    profile: Profile,
    cell: String,
}

impl<'w> Writer<'w> {
    /// Starts a file with its header.
    pub(in crate::export) fn begin(out: Out<'w>, columns: &[&Heading], profile: Profile) -> std::io::Result<Self> {
        if profile == Profile::Excel {
            out.write_all("\u{feff}".as_bytes())?;
        }
        let mut csv =
            csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).buffer_capacity(PAGE).from_writer(out);
        csv.write_record(columns.iter().map(|column| column.name)).map_err(io_error)?;
        Ok(Self { csv, profile, cell: String::new() })
    }

    /// Writes one record.
    pub(in crate::export) fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        for cell in cells {
            match cell {
                Cell::Empty => self.csv.write_field("").map_err(io_error)?,
                Cell::Text(text) => self.write_text(text, text.starts_with(GUARDED))?,
                Cell::Id(id) => self.write_text(id, id.starts_with(GUARDED) || reads_as_number(id))?,
                Cell::Word(word) => self.csv.write_field(word).map_err(io_error)?,
                Cell::Date(day) => self.csv.write_field(day).map_err(io_error)?,
                Cell::Flag(true) => self.csv.write_field("true").map_err(io_error)?,
                Cell::Flag(false) => self.csv.write_field("false").map_err(io_error)?,
                Cell::Time(at) => self.csv.write_field(at.iso_millis()).map_err(io_error)?,
                Cell::Money(micros) => self.csv.write_field(decimal(micros.0, 6)).map_err(io_error)?,
                Cell::Decimal(units, decimals) => self.csv.write_field(decimal(*units, *decimals)).map_err(io_error)?,
                Cell::Integer(number) => {
                    self.cell.clear();
                    // Writing into a string does not fail.
                    let _ = write!(self.cell, "{number}");
                    self.csv.write_field(&self.cell).map_err(io_error)?;
                }
            }
        }
        self.csv.write_record(None::<&[u8]>).map_err(io_error)
    }

    /// Writes text. In the `excel` profile, dangerous text gets one apostrophe in front, which a reader removes.
    fn write_text(&mut self, text: &str, dangerous: bool) -> std::io::Result<()> {
        if self.profile == Profile::Machine || !dangerous {
            return self.csv.write_field(text).map_err(io_error);
        }
        self.cell.clear();
        self.cell.push('\'');
        self.cell.push_str(text);
        self.csv.write_field(&self.cell).map_err(io_error)
    }

    /// Writes what is left in the buffer.
    pub(in crate::export) fn finish(mut self) -> std::io::Result<()> {
        self.csv.flush()
    }
}

/// Returns the output's own error, so that a caller that writes into a pipe can see that it was closed.
fn io_error(error: ::csv::Error) -> std::io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}

/// Whether a spreadsheet takes a text for a number: it would keep 15 digits and drop leading zeros.
fn reads_as_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
