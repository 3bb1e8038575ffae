//! Judging stored items again, when the scorer is another than the one that judged them.

use std::time::{Duration, Instant};

use crate::model::Judge;
use crate::store::{Rejudged, Store, StoreError};

/// How long others are let in between two batches at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(60);

impl Store {
    /// Judges items again that another scorer judged, or none, `batch` in a transaction: a stop in between loses nothing,
    /// and the next call goes on where this one stopped. Of these topics only, or of all. A rehearsal writes nothing.
    pub async fn rejudge(
        &self,
        judge: Judge,
        topics: &[String],
        batch: u32,
        rehearsal: bool,
        mut told: impl FnMut(i64),
    ) -> Result<Rejudged, StoreError> {
        let mut whole = Rejudged::default();
        loop {
            let after = whole.last;
            let begun = Instant::now();
            let done = write_tx!(self, tone::rejudge(judge, topics, after, i64::from(batch), rehearsal))?;
            if done.judged == 0 {
                return Ok(whole);
            }
            whole.add(&done);
            told(whole.judged);
            // As long as others waited for it: runs are stored in between.
            if !rehearsal {
                tokio::time::sleep(begun.elapsed().min(LONGEST_PAUSE)).await;
            }
        }
    }
}
