//! How wall-clock times become instants where clocks are put forward and back. The search for matching civil times is
//! someone else's (a closure); here is only the rule, which is Debian cron's:
//!
//! * fixed local times: each day's time runs once, in a gap at the first instant after it, in a fold in its first pass;
//! * real time: every instant whose wall clock matches, so both passes of a fold run and nothing in a gap does.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// Finds the first matching civil time at or after the given one, whole seconds; `None` when there is none.
pub(super) trait Search: Fn(DateTime) -> Option<DateTime> {}
impl<F: Fn(DateTime) -> Option<DateTime>> Search for F {}

/// The first slot after `after` for a pattern of fixed local times.
pub(super) fn next_fixed(zone: &TimeZone, after: Timestamp, search: impl Search) -> Option<Timestamp> {
    let mut from = second_after(zone.to_datetime(after))?;
    // Inside the second pass of a fold, the matches of that hour had their turn in the first: go on at the fold's end.
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
            // The clock shows this time never. Read with the offset before the gap it is an instant just after the
            // change, whatever the gap's length (Apia skipped a whole day), and the change itself is the slot.
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

/// The first slot after `after` for a pattern that follows real time. Between two changes of the clock civil time and
/// real time run alike, so each such stretch is searched with its own offset.
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
        // Nothing matches in [from, civil): a stretch that begins there needs no new search.
        if start < from || start > civil {
            from = start;
            civil = search(from)?;
        }
    }
    offset.to_timestamp(civil).ok()
}

/// The last change of the zone's clock at or before an instant.
pub(super) fn last_change(zone: &TimeZone, at: Timestamp) -> Option<Timestamp> {
    let just_after = at.checked_add(SignedDuration::from_secs(1)).ok()?;
    zone.preceding(just_after).next().map(|change| change.timestamp())
}

/// The first whole second later than a civil time.
pub(super) fn second_after(civil: DateTime) -> Option<DateTime> {
    civil.with().subsec_nanosecond(0).build().ok()?.checked_add(SignedDuration::from_secs(1)).ok()
}
