//! Exports whose lines the database writes itself, a few runs at a time: where one has got to, and how many runs the next
//! page takes. What a line looks like is `statements/lines`'.

use super::{Db, Filter, Store, StoreError, postgres, sqlite};

/// How an export of lines goes on.
#[derive(Debug)]
pub(crate) struct Lines {
    /// For spreadsheets: what they would take for a formula or a number gets an apostrophe.
    pub(crate) guard: bool,
    /// Last cell of every line; a word of ours.
    pub(crate) origin: &'static str,
    /// The last run that is part of it, as the reading order stood when it began.
    pub(crate) until: i64,
    /// The last run that was written.
    pub(crate) after: Option<Place>,
    /// Runs of the next page.
    pub(crate) runs: i64,
}

/// Where a run stands among others.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) at: i64,
    pub(crate) run: String,
    pub(crate) seq: i64,
}

/// The lines of one run.
#[derive(Debug)]
pub(crate) struct RunLines {
    pub(crate) place: Place,
    /// How many, a space, and the lines; absent when there are none.
    pub(crate) counted: Option<String>,
}

/// Bytes that a page should have: enough that what a page costs does not count, and few to hold.
const PAGE: usize = 512 * 1024;

/// Runs of the first page, and of any.
const FIRST: i64 = 8;
const MOST: i64 = 128;

impl Store {
    /// Sightings as lines of CSV, several at once, in the order of [`Store::each_sighting`]: those of all runs that were
    /// readable when it began, each once. Every page is a moment of its own, so that nothing waits for it; what is told of
    /// items is as known at that moment. `each` gets lines and how many they are.
    pub async fn each_sightings_lines<E: From<StoreError>>(
        &self,
        filter: &Filter,
        guard: bool,
        origin: &'static str,
        each: &mut (dyn FnMut(&str, u64) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let last = self.last_seq().await?;
        let until = filter.seq.map_or(last, |between| between.until.min(last));
        let mut lines = Lines { guard, origin, until, after: None, runs: FIRST };
        loop {
            let page = read!(self, lines::sightings(filter, &lines))?;
            let (asked, read) = (lines.runs, i64::try_from(page.len()).unwrap_or(i64::MAX));
            let mut bytes = 1;
            for run in page {
                if let Some((many, text)) = run.counted.as_deref().and_then(|counted| counted.split_once(' ')) {
                    bytes += text.len();
                    each(text, many.parse().unwrap_or(0))?;
                }
                lines.after = Some(run.place);
            }
            if read < asked {
                return Ok(());
            }
            let fits = i64::try_from(PAGE.saturating_mul(usize::try_from(asked).unwrap_or(1)) / bytes).unwrap_or(MOST);
            lines.runs = fits.clamp(1, MOST).min(asked * 4);
        }
    }

    /// The number of the last run that readers can see.
    pub async fn last_seq(&self) -> Result<i64, StoreError> {
        read!(self, jobs::last_seq())
    }
}
