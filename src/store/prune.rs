//! Bounded history: what is too old goes, batch by batch, so that nobody who writes waits long and a kill costs nothing.
//! What is too old is said by `model::Retention`; which rows that are, and in which order, is here and in the statements.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use super::{Db, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
use crate::model::{Retention, Span, Time, Trimmed};

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;

/// What a row takes with its indexes, roughly: it is told to people.
pub(super) const SIGHTING_BYTES: i64 = 80;
pub(super) const SEARCH_BYTES: &str = "400";
pub(super) const RUN_BYTES: &str = "500";

/// Rows that a batch looks at: at first, at least and at most.
const ROWS: (i64, i64, i64) = (200, 20, 4_000);

/// How long a batch should take: others who write wait for it.
const BATCH: Duration = Duration::from_millis(60);

/// Pages of a SQLite file that are given back in one transaction.
const PAGES: i64 = 500;

/// How far a step has got.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) at: i64,
    pub(super) id: i64,
    pub(super) name: String,
}

/// What a step is asked.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) before: i64,
    pub(super) after: Place,
    pub(super) limit: i64,
    /// Runs above it are still to be read by somebody.
    pub(super) floor: i64,
    pub(super) now: i64,
    pub(super) rehearsal: bool,
    /// What earlier steps of a rehearsal would have taken: replies before it, snapshots of these runs.
    pub(super) raw_before: i64,
    pub(super) thinned: HashSet<i64>,
}

/// What a step did.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) after: Place,
    pub(super) more: bool,
    pub(super) gone: Vec<(&'static str, i64, i64)>,
    /// Runs that lost their snapshots.
    pub(super) thinned: Vec<i64>,
}

impl Batch {
    /// One that has looked at so many rows.
    pub(super) fn new(ask: &Ask, looked_at: usize) -> Self {
        let more = i64::try_from(looked_at).unwrap_or(i64::MAX) >= ask.limit;
        Self { after: ask.after.clone(), more, ..Self::default() }
    }

    pub(super) fn add(&mut self, table: &'static str, rows: usize, bytes: i64) {
        self.gone.push((table, i64::try_from(rows).unwrap_or(i64::MAX), bytes));
    }
}

/// The reader that has got least far.
#[derive(Debug, Clone)]
pub(super) struct Floor {
    /// It has read up to this run.
    pub(super) seq: i64,
    /// When the first run after that began.
    pub(super) at: i64,
    pub(super) whose: Option<String>,
}

impl Default for Floor {
    fn default() -> Self {
        Self { seq: i64::MAX, at: i64::MAX, whose: None }
    }
}

/// Rows of a table that went, or lost what they held, and what they took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Gone {
    /// How many.
    pub rows: i64,
    /// Bytes, roughly: indexes and pages are not counted.
    pub bytes: i64,
}

/// What pruning did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Pruned {
    /// By table. Items stay, only their words go.
    pub gone: BTreeMap<&'static str, Gone>,
    /// Runs of which only lasting sightings are left.
    pub thinned: i64,
    /// A reader that has not read everything that is old enough to go; what it has not read stays.
    pub held_by: Option<String>,
    /// Bytes that the database's file gave back.
    pub given_back: i64,
    /// Whether everything that is too old is gone.
    pub finished: bool,
}

impl Pruned {
    /// Rows of all tables.
    #[must_use]
    pub fn rows(&self) -> i64 {
        self.gone.values().map(|gone| gone.rows).sum()
    }
}

/// What a database takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disk {
    /// All of it.
    pub bytes: i64,
    /// Of these, free for what comes.
    pub free: i64,
    /// Whether what is free can be given back without writing everything anew.
    pub gives_back: bool,
}

/// The steps, in the order in which what refers to something goes before it.
#[derive(Debug, Clone, Copy)]
enum Step {
    Raw,
    Thin,
    Items,
    Runs,
}

impl Store {
    /// Lets go what is too old. A rehearsal only reads. Ends early, and says so, when `within` has passed or `stop` says.
    pub async fn prune(
        &self,
        kept: &Retention,
        now: Time,
        within: Duration,
        rehearsal: bool,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Pruned, StoreError> {
        let begun = Instant::now();
        let floor = read!(self, prune::floor())?;
        let mut done = Pruned { finished: true, ..Pruned::default() };
        let mut thinned = HashSet::new();
        let raw_before = kept.raw.map_or(i64::MIN, |raw| now.0.saturating_sub(raw));
        for (step, span) in
            [(Step::Raw, kept.raw), (Step::Thin, kept.sightings), (Step::Items, kept.items), (Step::Runs, kept.runs)]
        {
            let Some(span) = span else { continue };
            let mut before = now.0.saturating_sub(span);
            if !matches!(step, Step::Raw) && floor.at < before {
                before = floor.at;
                done.held_by.clone_from(&floor.whose);
            }
            let after = Place { at: i64::MIN, ..Place::default() };
            let (limit, floor, now) = (ROWS.0, floor.seq, now.0);
            let mut ask =
                Ask { before, after, limit, floor, now, rehearsal, raw_before, thinned: std::mem::take(&mut thinned) };
            loop {
                if stop() || begun.elapsed() > within {
                    done.finished = false;
                    return Ok(done);
                }
                let taken = Instant::now();
                let batch = self.prune_batch(step, &ask).await?;
                for (table, rows, bytes) in batch.gone.iter().filter(|(_, rows, _)| *rows > 0) {
                    let gone = done.gone.entry(table).or_default();
                    gone.rows += rows;
                    gone.bytes += bytes;
                }
                done.thinned += i64::try_from(batch.thinned.len()).unwrap_or(i64::MAX);
                if rehearsal {
                    ask.thinned.extend(batch.thinned);
                }
                if !batch.more {
                    break;
                }
                ask.after = batch.after;
                ask.limit = paced(ask.limit, taken.elapsed());
                // As long as others waited for it.
                if !rehearsal {
                    tokio::time::sleep(taken.elapsed().min(BATCH)).await;
                }
            }
            thinned = ask.thinned;
        }
        if !rehearsal {
            done.given_back = self.give_back(begun, within, stop).await?;
        }
        Ok(done)
    }

    async fn prune_batch(&self, step: Step, ask: &Ask) -> Result<Batch, StoreError> {
        match (step, ask.rehearsal) {
            (Step::Raw, true) => read!(self, prune::raw(ask)),
            (Step::Raw, false) => write_tx!(self, prune::raw(ask)),
            (Step::Thin, true) => read!(self, prune_runs::thin(ask)),
            (Step::Thin, false) => write_tx!(self, prune_runs::thin(ask)),
            (Step::Items, true) => read!(self, prune::items(ask)),
            (Step::Items, false) => write_tx!(self, prune::items(ask)),
            (Step::Runs, true) => read!(self, prune_runs::runs(ask)),
            (Step::Runs, false) => write_tx!(self, prune_runs::runs(ask)),
        }
    }

    /// Gives free pages of a file back, a few at a time.
    async fn give_back(
        &self,
        begun: Instant,
        within: Duration,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<i64, StoreError> {
        let Db::Sqlite(pools) = &self.db else { return Ok(0) };
        let before = self.disk().await?;
        let mut free = before.free;
        while before.gives_back && free > 0 && !stop() && begun.elapsed() <= within {
            let taken = Instant::now();
            transaction!(pools, sqlite, disk::give_back(PAGES))?;
            let left = self.disk().await?.free;
            if left >= free {
                break;
            }
            free = left;
            tokio::time::sleep(taken.elapsed().min(BATCH)).await;
        }
        Ok(before.free - free)
    }

    /// Up to when runs went; what came before cannot be told to have been covered.
    pub async fn pruned_until(&self) -> Result<Option<Time>, StoreError> {
        read!(self, prune::pruned_until())
    }

    /// What pruning took of a topic's span.
    pub async fn trimmed(&self, topic: &str, span: Span) -> Result<Trimmed, StoreError> {
        read!(self, prune::trimmed(topic, span))
    }

    /// What the database takes on disk.
    pub async fn disk(&self) -> Result<Disk, StoreError> {
        read!(self, disk::disk())
    }
}

/// As many rows as take about as long as a batch should.
fn paced(rows: i64, taken: Duration) -> i64 {
    let rows = if taken > BATCH {
        rows / 2
    } else if taken < BATCH / 4 {
        rows * 2
    } else {
        rows
    };
    rows.clamp(ROWS.1, ROWS.2)
}
