//! Handing findings out again: which rows (`what`), in which columns (`columns`), in which format (`format`). It writes to
//! whatever it is given; putting a file in place is `files`', choosing it is cli's.

mod column;
mod columns;
mod csv;
mod format;
mod jsonl;
mod lines;
mod page;
mod sieve;
mod what;

use std::io::Write;

use self::column::Column;
pub use self::column::{Cell, Heading, Type};
pub use self::csv::Profile;
pub use self::format::Format;
use self::format::Sheet;
pub use self::page::page;
use self::sieve::Sieve;
pub use self::what::{Part, SCHEMA, What};
use crate::compare::Hiding;
use crate::store::{Filter, Nature, Store, StoreError};

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The rows could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
}

/// What is to be written, and how.
#[derive(Debug, Clone)]
pub struct Order {
    /// Which rows.
    pub what: What,
    /// In which format.
    pub format: Format,
    /// For whom, where the format is CSV.
    pub profile: Profile,
    /// Which of them.
    pub filter: Filter,
}

impl Order {
    /// All rows of a kind as CSV for programs.
    #[must_use]
    pub fn all(what: What) -> Self {
        Self { what, format: Format::Csv, profile: Profile::Machine, filter: Filter::default() }
    }
}

/// A file in the making, and what every row of it says.
struct Rows<W: Write> {
    sheet: Sheet<W>,
    origin: Cell<'static>,
    written: u64,
}

impl<W: Write> Rows<W> {
    fn put<R>(&mut self, columns: &[Column<R>], row: &R) -> Result<(), ExportError> {
        let mut cells = Vec::with_capacity(columns.len() + 1);
        cells.extend(columns.iter().map(|column| (column.cell)(row)));
        cells.push(self.origin.clone());
        self.sheet.row(&cells)?;
        self.written += 1;
        Ok(())
    }
}

/// Writes rows in constant memory, without the items and sightings that are to be hidden; returns the output and the number
/// of rows. Whoever asks has had [`What::refuses`] look at the filter.
pub async fn write<W: Write + Send>(
    store: &Store,
    order: &Order,
    hiding: &mut Hiding,
    out: W,
) -> Result<(W, u64), ExportError> {
    // A row that leaves the file keeps saying where it came from. Before the first reply nothing came from anywhere.
    let origin = match store.nature().await? {
        Some(Nature::Sandbox) => Cell::Word("SANDBOX"),
        Some(Nature::Real) => Cell::Word("service"),
        None => Cell::Empty,
    };
    if order.what == What::Sightings && order.format == Format::Csv && hiding.is_idle() {
        return lines::write(store, order, origin, out).await;
    }
    let sheet = Sheet::begin(order.format, order.profile, &order.what.columns(), out)?;
    let mut rows = Rows { sheet, origin, written: 0 };
    let filter = &order.filter;
    let mut sieve = Sieve::of(store, filter, hiding).await?;
    match order.what {
        What::Items => {
            let mut put = |row| if sieve.item(&row) { rows.put(columns::ITEMS, &row) } else { Ok(()) };
            store.each_item(filter, &mut put).await?;
        }
        What::Sightings => {
            let mut put = |row| if sieve.sighting(&row) { rows.put(columns::SIGHTINGS, &row) } else { Ok(()) };
            store.each_sighting(filter, &mut put).await?;
        }
        What::New => {
            let mut put = |row| if sieve.new_item(&row) { rows.put(columns::NEW, &row) } else { Ok(()) };
            store.each_new(filter, &mut put).await?;
        }
        What::Runs => store.each_run(filter, &mut |row| rows.put(columns::RUNS, &row)).await?,
        What::Searches => store.each_search(filter, &mut |row| rows.put(columns::SEARCHES, &row)).await?,
        What::Answers => store.each_answer(filter, &mut |row| rows.put(columns::ANSWERS, &row)).await?,
    }
    Ok((rows.sheet.finish()?, rows.written))
}
