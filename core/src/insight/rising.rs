//! What is rising, in `diff` and in reports alike: an item whose reactions grew between two sightings of one source by
//! enough to be told, and how fast. Which sightings those are is theirs to say: both begin with the run before their span.

use crate::model::{Engagement, Time};

/// Reactions that an item must have gained.
pub const RISING_GAIN: i64 = 10;

/// The same as a share of what it had, in hundredths.
pub const RISING_SHARE: i64 = 20;

/// Milliseconds below which a pace is not drawn out to an hour.
const HOUR: i64 = 3_600_000;

/// Reactions that were known both times: what they were and what they gained. Views are no reactions; a gain of one kind
/// is not made smaller by another that shrank.
fn reactions(before: Engagement, after: Engagement) -> Option<(i64, i64)> {
    let kinds = [
        (before.likes, after.likes),
        (before.reposts, after.reposts),
        (before.replies, after.replies),
        (before.quotes, after.quotes),
        (before.bookmarks, after.bookmarks),
    ];
    let known = kinds.into_iter().filter_map(|(before, after)| before.zip(after));
    known.fold(None, |sum, (before, after)| {
        let (had, gained) = sum.unwrap_or((0_i64, 0_i64));
        Some((had.saturating_add(before), gained.saturating_add(after.saturating_sub(before).max(0))))
    })
}

/// How reactions grew between two sightings of one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grown {
    /// Reactions before, of the kinds that were known both times.
    pub had: i64,
    /// What came in addition.
    pub gain: i64,
    /// The same for an hour, in tenths; over less than an hour, what was gained.
    pub tenths_per_hour: i64,
}

impl Grown {
    /// Reactions for an hour.
    #[must_use]
    pub fn per_hour(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "tenths of reactions are far below 2^53")]
        let tenths = self.tenths_per_hour as f64;
        tenths / 10.0
    }
}

/// Whether what one source showed at two moments is rising, and how fast.
#[must_use]
pub fn grown((from, before): (Time, Engagement), (until, after): (Time, Engagement)) -> Option<Grown> {
    let (had, gain) = reactions(before, after)?;
    let enough = gain >= RISING_GAIN && gain.saturating_mul(100) >= had.saturating_mul(RISING_SHARE);
    let length = until.0.saturating_sub(from.0).max(HOUR);
    let tenths_per_hour = gain.saturating_mul(10).saturating_mul(HOUR).saturating_add(length / 2) / length;
    enough.then_some(Grown { had, gain, tenths_per_hour })
}
