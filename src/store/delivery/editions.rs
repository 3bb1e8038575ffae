//! Editions of configured exports. The process that holds the export's run begins an edition before its first byte and
//! ends it when its files are in place. `export` decides on rows and files.

use crate::model::{SeqRange, Time};
use crate::store::{Edition, JobRun, PlacedFile, RunRange, Store, StoreError};

impl Store {
    /// Returns the edition that a run of an export must write: an unfinished one, else a new one with all runs readable
    /// now, or those after the cursor if `on` is set. Returns `None` if this run has already written its edition, or if
    /// `on` is set and nothing is new.
    pub async fn begin_edition(
        &self,
        run: &JobRun,
        on: bool,
        definition: &str,
        now: Time,
    ) -> Result<Option<Edition>, StoreError> {
        write_tx!(self, editions::begin(run, on, definition, now))
    }

    /// Ends an edition whose files are in place. If `on` is set, moves the export's cursor past it.
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

    /// Continues an unfinished edition with the export's current definition.
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
        write_tx!(self, editions::files_in_place(run, number, placed))
    }

    /// Returns whether this process still holds a run of a job.
    pub async fn is_held(&self, run: &JobRun) -> Result<bool, StoreError> {
        read!(self, editions::is_held(run))
    }

    /// Refuses if this process does not hold a run of a job any more.
    pub async fn check_held(&self, run: &JobRun) -> Result<(), StoreError> {
        if self.is_held(run).await? { Ok(()) } else { Err(StoreError::fenced(run.public_id())) }
    }

    /// Returns ended editions older than the newest `keep` that have files, the oldest first. The number is bounded.
    pub async fn old_editions(&self, export: &str, keep: u32) -> Result<Vec<Edition>, StoreError> {
        read!(self, editions::old(export, keep))
    }

    /// Deletes the record of an edition whose files were removed.
    pub async fn drop_edition(&self, run: &JobRun, number: i64) -> Result<(), StoreError> {
        write_tx!(self, editions::delete(run, number))
    }

    /// Returns the topic runs in a range of the reading order, with the ids of at most `most`.
    pub async fn run_range(&self, between: SeqRange, most: u32) -> Result<RunRange, StoreError> {
        read!(self, editions::run_range(between, most))
    }

    /// Returns by id the topics that have runs in a range of the reading order. If ids or tags are given, only topics
    /// with one of them.
    pub async fn topics_between(
        &self,
        between: SeqRange,
        topics: &[String],
        tags: &[String],
    ) -> Result<Vec<String>, StoreError> {
        read!(self, editions::topics(between, topics, tags))
    }
}
