//! Counts of items whose tone was judged again.

use crate::model::Tone;

/// The number of tones, and the size of [`RescoreResult::moved`].
pub const TONES: usize = Tone::ALL.len();

/// Results of judging items again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RescoreResult {
    pub rescored: i64,
    /// Items judged that had no tone before.
    pub first: i64,
    /// Counts from old tone to new tone, in the order of [`Tone::ALL`]; unchanged items are on the diagonal.
    pub moved: [[i64; TONES]; TONES],
    /// The id of the last item; it stays in this process.
    pub(crate) last: i64,
}

impl RescoreResult {
    /// Counts one item.
    pub(in crate::store) fn count(&mut self, before: Option<&str>, now: Tone) {
        self.rescored += 1;
        match before.and_then(Tone::parse) {
            None => self.first += 1,
            Some(before) => {
                if let Some(count) = self.moved.get_mut(before as usize).and_then(|row| row.get_mut(now as usize)) {
                    *count += 1;
                }
            }
        }
    }

    /// Returns the number of items whose tone changed.
    #[must_use]
    pub fn changed(&self) -> i64 {
        let stayed: i64 = (0..TONES).filter_map(|at| self.moved.get(at)?.get(at)).sum();
        self.moved.iter().flatten().sum::<i64>() - stayed
    }

    /// Adds the counts of a batch.
    pub(in crate::store) fn add(&mut self, other: &Self) {
        self.rescored += other.rescored;
        self.first += other.first;
        for (total, amount) in self.moved.iter_mut().flatten().zip(other.moved.iter().flatten()) {
            *total += amount;
        }
        self.last = other.last;
    }
}
