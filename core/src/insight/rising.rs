//! The rule for rising items, shared by `diff` and reports: all reactions together grew enough between two sightings by
//! one source, and how fast. The caller picks the sightings; both start with the run before their span.

use crate::model::{Engagement, Time};

/// Reactions an item must have gained.
pub const RISING_GAIN: i64 = 10;

/// The gain needed as a percentage of the reactions it had.
pub const RISING_SHARE: i64 = 20;

/// The shortest time, in milliseconds, that an hourly rate is computed over.
const HOUR: i64 = 3_600_000;

/// Returns the reactions before, and by how many they grew or shrank, of the kinds known both times: a kind that is
/// known only once is no gain or loss. Views are not reactions.
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
        Some((had.saturating_add(before), gained.saturating_add(after.saturating_sub(before))))
    })
}

/// Whether a kind of reactions is known both times.
#[must_use]
pub fn is_comparable(before: Engagement, after: Engagement) -> bool {
    reactions(before, after).is_some()
}

/// How reactions grew between two sightings of one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReactionGain {
    /// Reactions before, of the kinds known both times.
    pub had: i64,
    /// Reactions gained, of the same kinds.
    pub gain: i64,
    /// Gain per hour, in tenths; over less than an hour, the gain itself.
    pub tenths_per_hour: i64,
}

impl ReactionGain {
    /// Reactions gained per hour.
    #[must_use]
    pub fn per_hour(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "tenths of reactions are far below 2^53")]
        let tenths = self.tenths_per_hour as f64;
        tenths / 10.0
    }
}

/// Returns how fast an item is rising between two moments of one source; `None` if it is not.
#[must_use]
pub fn grown((from, before): (Time, Engagement), (until, after): (Time, Engagement)) -> Option<ReactionGain> {
    let (had, gain) = reactions(before, after)?;
    if gain < RISING_GAIN || gain.saturating_mul(100) < had.saturating_mul(RISING_SHARE) {
        return None;
    }
    let length = until.0.saturating_sub(from.0).max(HOUR);
    let tenths_per_hour = gain.saturating_mul(10).saturating_mul(HOUR).saturating_add(length / 2) / length;
    Some(ReactionGain { had, gain, tenths_per_hour })
}
