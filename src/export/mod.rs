//! Handing findings out again: which rows, in which columns, in which format. It writes to whatever it is given; putting
//! a file in place is `files`', choosing it is cli's.

pub mod columns;
mod csv;

use std::io::Write;

pub use self::csv::Profile;
use self::csv::{Cell, Writer};
use crate::compare::Hiding;
use crate::model::closed_list;
use crate::store::{Filter, Nature, Store, StoreError};

closed_list! {
    /// What is exported.
    What {
        /// One row per topic and item.
        Items = "items",
        /// One row per run, item and source: the time series.
        Sightings = "sightings",
        /// One row per answer.
        Answers = "answers",
        /// One row per finished run.
        Runs = "runs",
    }
}

impl What {
    /// Column names, in order.
    #[must_use]
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Items => columns::ITEMS,
            Self::Sightings => columns::SIGHTINGS,
            Self::Answers => columns::ANSWERS,
            Self::Runs => columns::RUNS,
        }
    }
}

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

/// Writes CSV, row by row in constant memory, without the items and sightings that are to be hidden; returns the output
/// and the number of rows.
pub async fn write<W: Write + Send>(
    store: &Store,
    what: What,
    profile: Profile,
    filter: &Filter,
    hiding: &mut Hiding,
    out: W,
) -> Result<(W, u64), ExportError> {
    // A row that leaves the file keeps saying where it came from. Before the first reply nothing came from anywhere.
    let origin = match store.nature().await? {
        Some(Nature::Sandbox) => Cell::Plain("SANDBOX"),
        Some(Nature::Real) => Cell::Plain("service"),
        None => Cell::Empty,
    };
    let mut writer = Writer::new(out, profile, what.columns(), origin)?;
    let mut scratch = columns::Scratch::default();
    match what {
        What::Items => {
            store
                .each_item(filter, &mut |row| {
                    if hiding.item(&row) {
                        writer.record(&columns::item(&row, &mut scratch))?;
                    }
                    Ok::<_, ExportError>(())
                })
                .await?;
        }
        What::Sightings => {
            store
                .each_sighting(filter, &mut |row| {
                    if hiding.sighting(&row) {
                        writer.record(&columns::sighting(&row, &mut scratch))?;
                    }
                    Ok::<_, ExportError>(())
                })
                .await?;
        }
        What::Answers => {
            store
                .each_answer(filter, &mut |row| {
                    Ok::<_, ExportError>(writer.record(&columns::answer(&row, &mut scratch))?)
                })
                .await?;
        }
        What::Runs => {
            store
                .each_run(filter, &mut |row| Ok::<_, ExportError>(writer.record(&columns::run(&row, &mut scratch))?))
                .await?;
        }
    }
    Ok(writer.finish()?)
}
