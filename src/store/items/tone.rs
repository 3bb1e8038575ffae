//! Judging the tone of stored items again when the scorer has changed.

use std::time::{Duration, Instant};

use crate::model::Scorer;
use crate::store::{RescoreResult, Store, StoreError};

/// The longest pause between two batches.
const LONGEST_PAUSE: Duration = Duration::from_millis(60);

impl Store {
    /// Judges items again that have no tone yet or one by another scorer, `batch` items per transaction. It can be
    /// stopped between batches, and the next call continues. Handles the items of these topics, or of all. A dry run
    /// writes nothing.
    pub async fn rescore(
        &self,
        judge: Scorer,
        topics: &[String],
        batch: u32,
        dry_run: bool,
        mut report_progress: impl FnMut(i64),
    ) -> Result<RescoreResult, StoreError> {
        let mut total = RescoreResult::default();
        loop {
            let after = total.last;
            let begun = Instant::now();
            let done = write_tx!(self, tone::rescore(judge, topics, after, i64::from(batch), dry_run))?;
            if done.rescored == 0 {
                return Ok(total);
            }
            total.add(&done);
            report_progress(total.rescored);
            // Pause as long as others had to wait, so that runs are stored in between.
            if !dry_run {
                tokio::time::sleep(begun.elapsed().min(LONGEST_PAUSE)).await;
            }
        }
    }
}
