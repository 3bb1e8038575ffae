//! Sums up finished runs, when some became readable. If a process stops midway, the next one continues. `insight`
//! decides what is counted.

use crate::insight::tally::tally;
use crate::store::{Store, StoreError};

/// Runs per step; a step blocks other writers for a few milliseconds.
const AT_ONCE: u32 = 500;

/// Adds the runs that are not in the totals yet, until none is left or `enough` returns true.
pub async fn tally_runs(store: &Store, enough: &(dyn Fn() -> bool + Send + Sync)) -> Result<(), StoreError> {
    while !enough() {
        let (from, is_marked_complete) = store.tally_progress().await?;
        let runs = store.runs_to_tally(from, AT_ONCE).await?;
        let is_complete = runs.len() < AT_ONCE as usize;
        let to = runs.last().map_or(from, |run| run.seq);
        if to == from && is_marked_complete {
            break;
        }
        let (sums, latest) = tally(&runs);
        let kept = store.store_tally(&sums, &latest, from, to, is_complete).await?;
        if kept && is_complete {
            break;
        }
    }
    Ok(())
}
