//! Judging stored items again, when the scorer is another than the one that judged them.

use std::time::{Duration, Instant};

use super::{Db, Store, StoreError, TRANSACTION_TRIES, pause, postgres, sqlite};
use crate::model::{Judge, Tone};

/// Tones there are, as an index into [`Rejudged::moved`].
pub const TONES: usize = Tone::ALL.len();

/// What became of items that were judged again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rejudged {
    /// How many.
    pub judged: i64,
    /// Of these, without a tone before.
    pub first: i64,
    /// From tone to tone, in the order of [`Tone::ALL`]; those that stayed are on the diagonal.
    pub moved: [[i64; TONES]; TONES],
    /// The last one; it stays in this process.
    pub(crate) last: i64,
}

impl Rejudged {
    /// Counts an item.
    pub(super) fn count(&mut self, before: Option<&str>, now: Tone) {
        self.judged += 1;
        match before.and_then(Tone::parse) {
            None => self.first += 1,
            Some(before) => {
                if let Some(count) = self.moved.get_mut(before as usize).and_then(|row| row.get_mut(now as usize)) {
                    *count += 1;
                }
            }
        }
    }

    /// Those that have another tone now.
    #[must_use]
    pub fn changed(&self) -> i64 {
        let stayed: i64 = (0..TONES).filter_map(|at| self.moved.get(at)?.get(at)).sum();
        self.moved.iter().flatten().sum::<i64>() - stayed
    }

    /// Adds a batch.
    fn add(&mut self, other: &Self) {
        self.judged += other.judged;
        self.first += other.first;
        for (mine, theirs) in self.moved.iter_mut().flatten().zip(other.moved.iter().flatten()) {
            *mine += theirs;
        }
        self.last = other.last;
    }
}

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
