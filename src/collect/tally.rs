//! What finished runs add up to, counted when some became readable. What is left undone when a process ends is done by the
//! next; what is counted is `insight`'s.

use crate::insight::tally::tally;
use crate::store::{Store, StoreError};

/// Runs of one step: a few milliseconds of a writer.
const AT_ONCE: u32 = 500;

/// Counts what was not counted yet, until there is nothing left or `enough` says so.
pub async fn tally_runs(store: &Store, enough: &(dyn Fn() -> bool + Send + Sync)) -> Result<(), StoreError> {
    while !enough() {
        let (from, known_whole) = store.tally_progress().await?;
        let runs = store.runs_to_tally(from, AT_ONCE).await?;
        let whole = runs.len() < AT_ONCE as usize;
        let to = runs.last().map_or(from, |run| run.seq);
        if to == from && known_whole {
            break;
        }
        let (sums, latest) = tally(&runs);
        let kept = store.keep_tally(&sums, &latest, from, to, whole).await?;
        if kept && whole {
            break;
        }
    }
    Ok(())
}
