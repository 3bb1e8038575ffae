//! JSON Lines: one object per line, with the names of the columns as keys, in their order. Numbers are numbers, ids
//! and times are strings, unknown values are null. Money is a number too: micro-dollars are exact in the doubles that
//! readers use up to nine billion dollars, and a number can be summed without being parsed first.

use std::io::{BufWriter, Write};

use super::out::Out;
use crate::export::column::{Cell, Heading, decimal};

/// Bytes that are buffered before they are written.
const PAGE: usize = 64 * 1024;

pub(in crate::export) struct Writer<'w> {
    out: BufWriter<Out<'w>>,
    /// The text before the value of each column.
    keys: Vec<String>,
}

impl<'w> Writer<'w> {
    /// Starts a file; nothing comes before its first row.
    pub(in crate::export) fn begin(out: Out<'w>, columns: &[&Heading]) -> Self {
        let key = |at: usize, column: &&Heading| {
            format!("{}{}:", if at == 0 { '{' } else { ',' }, serde_json::Value::from(column.name))
        };
        let keys = columns.iter().enumerate().map(|(at, column)| key(at, column)).collect();
        Self { out: BufWriter::with_capacity(PAGE, out), keys }
    }

    /// Writes one object.
    pub(in crate::export) fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        for (key, cell) in self.keys.iter().zip(cells) {
            self.out.write_all(key.as_bytes())?;
            match cell {
                Cell::Empty => self.out.write_all(b"null")?,
                Cell::Text(text) => serde_json::to_writer(&mut self.out, text)?,
                Cell::Id(text) | Cell::Word(text) | Cell::Date(text) => serde_json::to_writer(&mut self.out, text)?,
                Cell::Flag(flag) => write!(self.out, "{flag}")?,
                Cell::Integer(number) => write!(self.out, "{number}")?,
                Cell::Money(micros) => self.out.write_all(decimal(micros.0, 6).as_bytes())?,
                Cell::Decimal(units, decimals) => self.out.write_all(decimal(*units, *decimals).as_bytes())?,
                Cell::Time(at) => write!(self.out, "\"{}\"", at.iso_millis())?,
            }
        }
        self.out.write_all(b"}\n")
    }

    /// Writes what is left in the buffer.
    pub(in crate::export) fn finish(mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
