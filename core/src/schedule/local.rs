//! Converts wall-clock times to instants around clock changes. The caller's closure finds matching civil times; this
//! file has only the rule, which is that of Debian cron:
//!
//! * fixed local times: each time runs once a day; in a gap at the first instant after it, in a fold in the first pass;
//! * real time: every instant with a matching wall clock; both passes of a fold run, nothing in a gap does.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// Returns the first matching civil time at or after the given one, in whole seconds; `None` if there is none.
pub(super) trait Search: Fn(DateTime) -> Option<DateTime> {}
impl<F: Fn(DateTime) -> Option<DateTime>> Search for F {}

/// Returns the first slot after `after` for a pattern of fixed local times.
pub(super) fn next_fixed(zone: &TimeZone, after: Timestamp, search: impl Search) -> Option<Timestamp> {
    let mut from = second_after(zone.to_datetime(after))?;
    // In the second pass of a fold, all matches already ran in the first: continue at the end of the fold.
    if let AmbiguousOffset::Fold { before, after: second } = zone.to_ambiguous_timestamp(from).offset()
        && zone.to_offset(after) == second
        && let Some(change) = last_change(zone, after)
    {
        from = before.to_datetime(change);
    }
    loop {
        let civil = search(from)?;
        let ambiguous = zone.to_ambiguous_timestamp(civil);
        let at = match ambiguous.offset() {
            AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Fold { .. } => ambiguous.earlier().ok()?,
            // The clock never shows this time. Read with the offset before the gap, it is an instant just after the
            // change, however long the gap is (Apia skipped a whole day). The change itself is the slot.
            AmbiguousOffset::Gap { before, .. } => {
                let past = before.to_timestamp(civil).ok()?;
                last_change(zone, past).unwrap_or(past)
            }
        };
        if at > after {
            return Some(at);
        }
        from = second_after(civil)?;
    }
}

/// Returns the first slot after `after` for a pattern of real time. Between two clock changes civil time and real time
/// run alike, so each such period is searched with its own offset.
pub(super) fn next_real(zone: &TimeZone, after: Timestamp, search: impl Search) -> Option<Timestamp> {
    let mut offset = zone.to_offset(after);
    let mut from = second_after(offset.to_datetime(after))?;
    let mut civil = search(from)?;
    for change in zone.following(after) {
        let at = offset.to_timestamp(civil).ok()?;
        if at < change.timestamp() {
            return Some(at);
        }
        offset = change.offset();
        let start = offset.to_datetime(change.timestamp());
        // Nothing matches in [from, civil): a period that starts there needs no new search.
        if start < from || start > civil {
            from = start;
            civil = search(from)?;
        }
    }
    offset.to_timestamp(civil).ok()
}

/// Returns the last clock change of the zone at or before an instant.
pub(super) fn last_change(zone: &TimeZone, at: Timestamp) -> Option<Timestamp> {
    let just_after = at.checked_add(SignedDuration::from_secs(1)).ok()?;
    zone.preceding(just_after).next().map(|change| change.timestamp())
}

/// Returns the first whole second after a civil time.
pub(super) fn second_after(civil: DateTime) -> Option<DateTime> {
    civil.with().subsec_nanosecond(0).build().ok()?.checked_add(SignedDuration::from_secs(1)).ok()
}
