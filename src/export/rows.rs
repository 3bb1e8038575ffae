//! Writes the rows of an export into a file, each with its origin, and counts them.

use super::column::{Cell, Column};
use super::format::RowWriter;
use super::request_options::ExportError;

/// A file being written, and the origin that every row of it shows.
pub(super) struct OutputRows<'w> {
    pub(super) sheet: RowWriter<'w>,
    pub(super) origin: Cell<'static>,
    pub(super) written: u64,
    pub(super) watch: Watch<'w>,
}

/// Called after each row, with the number of rows written so far.
pub type Watch<'w> = &'w mut (dyn FnMut(u64) + Send);

impl OutputRows<'_> {
    pub(super) fn write<R>(&mut self, columns: &[Column<R>], row: &R) -> Result<(), ExportError> {
        let mut cells = Vec::with_capacity(columns.len() + 1);
        cells.extend(columns.iter().map(|column| (column.cell)(row)));
        cells.push(self.origin.clone());
        self.sheet.row(&cells)?;
        self.written += 1;
        (self.watch)(self.written);
        Ok(())
    }
}
