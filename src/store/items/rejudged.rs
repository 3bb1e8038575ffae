//! How many items were judged again, and what that changed.

use crate::model::Tone;

/// Tones there are, as an index into [`Rejudged::moved`].
pub const TONES: usize = Tone::ALL.len();

/// What became of items that were judged again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rejudged {
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
    pub(in crate::store) fn count(&mut self, before: Option<&str>, now: Tone) {
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
    pub(in crate::store) fn add(&mut self, other: &Self) {
        self.judged += other.judged;
        self.first += other.first;
        for (mine, theirs) in self.moved.iter_mut().flatten().zip(other.moved.iter().flatten()) {
            *mine += theirs;
        }
        self.last = other.last;
    }
}
