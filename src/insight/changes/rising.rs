//! What is rising: an item whose reactions grew between two sightings by enough to be told, and how fast.

use super::told::Rising;
use crate::model::{Engagement, Growth};

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

/// Says whether an item is rising.
pub(super) fn judge(growth: &Growth) -> Option<Rising> {
    let (had, gain) = reactions(growth.before, growth.after)?;
    let enough = gain >= RISING_GAIN && gain.saturating_mul(100) >= had.saturating_mul(RISING_SHARE);
    enough.then(|| Rising {
        item: growth.item.clone(),
        source: growth.source,
        from: growth.from,
        until: growth.until,
        had,
        gain,
        per_hour: pace(gain, growth.until.0.saturating_sub(growth.from.0)),
        before: growth.before,
        after: growth.after,
    })
}

/// Tenths per hour; over less than an hour, what was gained.
fn pace(gain: i64, length: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "tenths of reactions are far below 2^53")]
    let tenths = (gain.saturating_mul(10).saturating_mul(HOUR) / length.max(HOUR)) as f64;
    tenths / 10.0
}

impl Rising {
    /// The pace as a whole number, to sort by.
    #[must_use]
    pub(super) fn pace(&self) -> i64 {
        self.gain.saturating_mul(10).saturating_mul(HOUR) / (self.until.0.saturating_sub(self.from.0)).max(HOUR)
    }
}
