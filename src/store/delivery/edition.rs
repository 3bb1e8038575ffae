//! An edition of an export: which runs belong to it.

use crate::model::{Between, Time};

/// What one run of an export writes, or wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    /// Its place among those of the export, from 1.
    pub number: i64,
    /// Public id of the run that began it.
    pub run: String,
    /// The instant its names and spans are made from: the slot of that run.
    pub at: Time,
    /// Runs whose rows are in it.
    pub between: Between,
    /// What was configured when it began.
    pub definition: String,
    /// The files, once they are in place.
    pub files: Vec<String>,
    /// Those that are in place while others are not.
    pub placed: Vec<PlacedFile>,
}

/// A file of an edition that is being written, and is in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedFile {
    /// The topic; `None` where one file holds all.
    pub topic: Option<String>,
    pub file: String,
    /// Which rows were handed out in it; empty where it held all there was, which later ones repeat.
    pub what: String,
    pub rows: u64,
}

/// Runs of topics in a stretch of the reading order.
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
