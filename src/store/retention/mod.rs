//! Deletes data that is too old, batch by batch, so that writers never wait long and a kill does no harm.
//! `model::Retention` defines what is too old; the rows and their order are defined here and in the statements.

pub(in crate::store) mod erasure;
pub(in crate::store) mod rows;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::model::{PrunedSummary, Retention, Span, Time};
use crate::store::database::handle::Db;
use crate::store::retention::rows::{BATCH, Batch, Progress, ROWS, Step, StepInput};
use crate::store::{Disk, Pruned, Store, StoreError};

/// How long expired and withdrawn links stay listed.
const LINKS: Duration = Duration::from_secs(30 * 86_400);
/// Pages of a SQLite file that are returned to the disk in one transaction.
const PAGES: i64 = 500;

impl Store {
    /// Deletes data that is too old. A dry run only reads. Stops early when `within` has passed or `stop` returns
    /// true; `finished` is then false.
    pub async fn prune(
        &self,
        kept: &Retention,
        now: Time,
        within: Duration,
        dry_run: bool,
        stop: &(dyn Fn() -> bool + Send + Sync),
    ) -> Result<Pruned, StoreError> {
        let begun = Instant::now();
        let floor = read!(self, prune::floor())?;
        let mut done = Pruned { finished: true, ..Pruned::default() };
        let mut thinned = HashSet::new();
        let raw_before = kept.raw.map_or(i64::MIN, |raw| now.0.saturating_sub(raw));
        for (step, span) in [
            (Step::Raw, kept.raw),
            (Step::Thin, kept.sightings),
            (Step::Items, kept.items),
            (Step::Runs, kept.runs),
            (Step::Messages, kept.runs),
        ] {
            let Some(span) = span else { continue };
            let mut before = now.0.saturating_sub(span);
            if !matches!(step, Step::Raw | Step::Messages) && floor.at < before {
                before = floor.at;
                done.held_by.clone_from(&floor.whose);
            }
            let after = Progress { at: i64::MIN, ..Progress::default() };
            let (limit, floor, now) = (ROWS.0, floor.seq, now.0);
            let mut input = StepInput {
                before,
                after,
                limit,
                floor,
                now,
                dry_run,
                raw_before,
                thinned: std::mem::take(&mut thinned),
            };
            loop {
                if stop() || begun.elapsed() > within {
                    done.finished = false;
                    return Ok(done);
                }
                let taken = Instant::now();
                let batch = self.prune_batch(step, &input).await?;
                for (table, rows, bytes) in batch.gone.iter().filter(|(_, rows, _)| *rows > 0) {
                    let gone = done.gone.entry(table).or_default();
                    gone.rows += rows;
                    gone.bytes += bytes;
                }
                done.thinned += i64::try_from(batch.thinned.len()).unwrap_or(i64::MAX);
                if dry_run {
                    input.thinned.extend(batch.thinned);
                }
                if !batch.more {
                    break;
                }
                input.after = batch.after;
                input.limit = next_limit(input.limit, taken.elapsed());
                // Pause as long as others had to wait.
                if !dry_run {
                    tokio::time::sleep(taken.elapsed().min(BATCH)).await;
                }
            }
            thinned = input.thinned;
        }
        let links = if dry_run {
            read!(self, access::prune(now.minus(LINKS), true))?
        } else {
            write_tx!(self, access::prune(now.minus(LINKS), false))?
        };
        if links > 0 {
            done.gone.entry("share_link").or_default().rows += links;
        }
        if !dry_run {
            while !stop() && write_tx!(self, day_counts::prune(now))? {}
            done.given_back = self.give_back(begun, within, stop).await?;
        }
        Ok(done)
    }

    async fn prune_batch(&self, step: Step, input: &StepInput) -> Result<Batch, StoreError> {
        match (step, input.dry_run) {
            (Step::Raw, true) => read!(self, prune::raw(input)),
            (Step::Raw, false) => write_tx!(self, prune::raw(input)),
            (Step::Thin, true) => read!(self, prune_runs::thin_snapshots(input)),
            (Step::Thin, false) => write_tx!(self, prune_runs::thin_snapshots(input)),
            (Step::Items, true) => read!(self, prune::items(input)),
            (Step::Items, false) => write_tx!(self, prune::items(input)),
            (Step::Runs, true) => read!(self, prune_runs::runs(input)),
            (Step::Runs, false) => write_tx!(self, prune_runs::runs(input)),
            (Step::Messages, true) => read!(self, messages::prune(input)),
            (Step::Messages, false) => write_tx!(self, messages::prune(input)),
        }
    }

    /// Returns free pages of a SQLite file to the disk, a few at a time.
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

    /// Returns up to when runs were pruned; coverage before that is unknown.
    pub async fn pruned_until(&self) -> Result<Option<Time>, StoreError> {
        read!(self, prune::pruned_until())
    }

    /// Returns what was pruned from a topic's span.
    pub async fn pruned_summary(&self, topic: &str, span: Span) -> Result<PrunedSummary, StoreError> {
        read!(self, prune::pruned_summary(topic, span))
    }

    /// Returns the disk usage of the database.
    pub async fn disk(&self) -> Result<Disk, StoreError> {
        read!(self, disk::disk())
    }
}

/// Adjusts the number of rows so that a batch takes about [`BATCH`].
fn next_limit(rows: i64, taken: Duration) -> i64 {
    let rows = if taken > BATCH {
        rows / 2
    } else if taken < BATCH / 4 {
        rows * 2
    } else {
        rows
    };
    rows.clamp(ROWS.1, ROWS.2)
}
