//! What exports of the configuration write: each edition is begun before its first byte and ended when its files are in
//! place, by whoever holds the run of the export. Which rows and which files, `export` knows.

use crate::model::{Between, Time};
use crate::store::{Edition, JobRun, PlacedFile, RunRange, Store, StoreError};

impl Store {
    /// The edition that a run of an export is to write: one that was begun and never ended, else a new one about all that
    /// is readable now, from the cursor on where `on` says so. `None` when nothing is new, or when this run wrote its own.
    pub async fn begin_edition(
        &self,
        run: &JobRun,
        on: bool,
        definition: &str,
        now: Time,
    ) -> Result<Option<Edition>, StoreError> {
        write_tx!(self, editions::begin(run, on, definition, now))
    }

    /// Ends an edition whose files are in place, and moves the export's cursor over it where the next one goes `on` from it.
    pub async fn end_edition(
        &self,
        run: &JobRun,
        edition: &Edition,
        on: bool,
        files: &[String],
        rows: u64,
        now: Time,
    ) -> Result<(), StoreError> {
        write_tx!(self, editions::end(run, edition, on, files, rows, now))
    }

    /// Has an unfinished edition go on as the export is now.
    pub async fn redefine_edition(
        &self,
        run: &JobRun,
        number: i64,
        on: bool,
        definition: &str,
    ) -> Result<(), StoreError> {
        write_tx!(self, editions::redefine(run, number, on, definition))
    }

    /// Records that files of an unfinished edition are in place.
    pub async fn place_files(&self, run: &JobRun, number: i64, placed: &[PlacedFile]) -> Result<(), StoreError> {
        write_tx!(self, editions::place(run, number, placed))
    }

    /// Whether this process still holds a run of a job.
    pub async fn holds(&self, run: &JobRun) -> Result<bool, StoreError> {
        read!(self, editions::holds(run))
    }

    /// Ended editions of an export that have files, but for the newest `keep`; the oldest first, a bounded number.
    pub async fn old_editions(&self, export: &str, keep: u32) -> Result<Vec<Edition>, StoreError> {
        read!(self, editions::old(export, keep))
    }

    /// Forgets an edition whose files were removed.
    pub async fn drop_edition(&self, run: &JobRun, number: i64) -> Result<(), StoreError> {
        write_tx!(self, editions::drop_one(run, number))
    }

    /// Runs of topics in a stretch of the reading order, with the ids of at most `most`.
    pub async fn stretch(&self, between: Between, most: u32) -> Result<RunRange, StoreError> {
        read!(self, editions::stretch(between, most))
    }

    /// Topics that have runs in a stretch of the reading order, by id; only those with these ids or tags, where any is
    /// named.
    pub async fn topics_between(
        &self,
        between: Between,
        topics: &[String],
        tags: &[String],
    ) -> Result<Vec<String>, StoreError> {
        read!(self, editions::topics(between, topics, tags))
    }
}
