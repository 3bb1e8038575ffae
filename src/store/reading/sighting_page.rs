//! A page of sightings as its statements return it: some runs in order, each with what it saw. `sightings` reads one page
//! after another.

use std::collections::BTreeMap;

use crate::model::{Engagement, Source, Time, WindowFit};

/// A run's position among others: its number, or its time, and its id.
pub(crate) type RunCursor = (i64, String);

/// Which runs the next page contains.
#[derive(Debug)]
pub(crate) struct PageRequest {
    /// The last run to read: the last readable one when reading began.
    pub(crate) until: i64,
    /// The last run already read.
    pub(crate) after: Option<RunCursor>,
    pub(crate) runs: i64,
}

/// Some runs in order, each with what it saw.
pub(crate) type Page = BTreeMap<RunCursor, RunSightings>;

/// The sightings of a run.
#[derive(Debug)]
pub(crate) struct RunSightings {
    pub(crate) id: i64,
    pub(crate) topic: String,
    /// Its place in the reading order.
    pub(crate) seq: i64,
    pub(crate) seen_at: Time,
    pub(crate) sights: Vec<RawSighting>,
}

/// A sighting without the content of its item.
#[derive(Debug)]
pub(crate) struct RawSighting {
    pub(crate) item: i64,
    pub(crate) source: Source,
    pub(crate) rank: i64,
    pub(crate) fit: WindowFit,
    pub(crate) engagement: Engagement,
}
