//! An edition of an export: which runs belong to it, and its files.

use crate::model::{SeqRange, Time};

/// The output of one run of an export, finished or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    /// Its number within the export, from 1.
    pub number: i64,
    /// Public id of the run that began it.
    pub run: String,
    /// The slot of that run; file names and spans are derived from it.
    pub at: Time,
    /// Runs whose rows are in it.
    pub between: SeqRange,
    /// The export's definition when it began.
    pub definition: String,
    /// The files, once all are in place.
    pub files: Vec<String>,
    /// The files in place while others are not.
    pub placed: Vec<PlacedFile>,
}

/// A file that is in place, of an edition that is still being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFile {
    /// The topic; `None` if one file holds all topics.
    pub topic: Option<String>,
    pub file: String,
    /// Which new rows it holds; empty if it is a full file, whose rows later files repeat.
    pub what: String,
    pub rows: u64,
}

/// Topic runs in a range of the reading order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunRange {
    pub runs: u64,
    /// When the first of them was.
    pub from: Option<Time>,
    /// When the last of them was.
    pub until: Option<Time>,
    /// Their public ids in the reading order, as many as were asked for.
    pub ids: Vec<String>,
}
