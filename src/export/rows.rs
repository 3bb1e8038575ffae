//! Writes the rows of an export into a file, each with its origin, and counts them.

use super::column::{Cell, Column};
use super::formats::format::RowWriter;
use super::formats::out::Out;
use super::request_options::{ExportError, ExportOptions};
use crate::store::DataOrigin;

/// A file being written, and the origin that every row of it shows.
pub(super) struct OutputRows<'w> {
    pub(super) sheet: RowWriter<'w>,
    pub(super) origin: Cell<'static>,
    pub(super) written: u64,
    pub(super) watch: Watch<'w>,
}

/// Called after each row, with the number of rows written so far.
pub type Watch<'w> = &'w mut (dyn FnMut(u64) + Send);

impl<'w> OutputRows<'w> {
    /// Begins a file.
    pub(super) fn begin(
        options: &ExportOptions,
        origin: Option<DataOrigin>,
        out: Out<'w>,
        watch: Watch<'w>,
    ) -> Result<Self, ExportError> {
        // A row keeps its origin when it is copied. Before the first reply there is no origin.
        let origin = match origin {
            Some(DataOrigin::Sandbox) => Cell::Word("SANDBOX"),
            Some(DataOrigin::Real) => Cell::Word("service"),
            None => Cell::Empty,
        };
        let layout = (options.profile, options.sheet_rows);
        let sheet = RowWriter::begin(options.format, layout, &options.what.columns(), options.what.as_str(), out)?;
        Ok(Self { sheet, origin, written: 0, watch })
    }

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
