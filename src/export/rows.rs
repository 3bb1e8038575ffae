//! The rows of an export on their way into a file: each is written with where it came from, and counted.

use super::column::{Cell, Column};
use super::format::Sheet;
use super::order::ExportError;

/// A file in the making, and what every row of it says.
pub(super) struct Rows<'w> {
    pub(super) sheet: Sheet<'w>,
    pub(super) origin: Cell<'static>,
    pub(super) written: u64,
    pub(super) watch: Watch<'w>,
}

/// Who is told how many rows were written, after each.
pub type Watch<'w> = &'w mut (dyn FnMut(u64) + Send);

impl Rows<'_> {
    pub(super) fn put<R>(&mut self, columns: &[Column<R>], row: &R) -> Result<(), ExportError> {
        let mut cells = Vec::with_capacity(columns.len() + 1);
        cells.extend(columns.iter().map(|column| (column.cell)(row)));
        cells.push(self.origin.clone());
        self.sheet.row(&cells)?;
        self.written += 1;
        (self.watch)(self.written);
        Ok(())
    }
}
