//! Local days as spans of time. A day with a clock change has 23 or 25 hours; a day that a zone skipped does not exist.

use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::model::{Span, Time};

/// Windows that start closer together hold nearly the same items, or just follow the rise and fall of the day.
const LEAST_APART: Duration = Duration::from_secs(3 * 3_600);
/// Windows of a day or longer start half a day apart.
const MOST_APART: Duration = Duration::from_secs(12 * 3_600);
/// How many windows at any hour to compare with; for windows of whole days, those of four weeks.
const MOST_AT_ANY_HOUR: u32 = 28;
const MOST_OF_DAYS: u32 = 56;

/// A local day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub date: Date,
    pub span: Span,
}

/// Returns the zone with a name; UTC for an unknown name, which the configuration refuses.
fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// Returns the first instant of a date, or of the next one if the zone skipped it.
pub(super) fn start_of(date: Date, timezone: &str) -> Option<Time> {
    let start = zone(timezone).to_ambiguous_zoned(date.at(0, 0, 0, 0)).compatible().ok()?;
    Some(Time::from_jiff(start.timestamp()))
}

/// Returns the local day of a date.
#[must_use]
pub fn day_of(date: Date, timezone: &str) -> Option<Day> {
    let span = Span::new(start_of(date, timezone)?, start_of(date.tomorrow().ok()?, timezone)?)?;
    Some(Day { date, span })
}

/// Returns the local date of an instant.
#[must_use]
pub fn date_of(at: Time, timezone: &str) -> Date {
    at.to_jiff().map_or(Date::constant(1970, 1, 1), |at| zone(timezone).to_datetime(at).date())
}

/// Returns when the local day of an instant began; a day before it outside the supported years.
#[must_use]
pub fn start_of_day(at: Time, timezone: &str) -> Time {
    start_of(date_of(at, timezone), timezone).unwrap_or(at.minus(Duration::from_secs(86_400)))
}

/// Returns the same local time `many` days later; `None` outside the supported years. From the start of a day, it returns
/// the start of a day, even if the zone skips midnight.
pub(super) fn days_later(at: Time, many: i32, timezone: &str) -> Option<Time> {
    let local = zone(timezone).to_datetime(at.to_jiff()?);
    let date = local.date().checked_add(many.days()).ok()?;
    if start_of_day(at, timezone) == at {
        return start_of(date, timezone);
    }
    let later = zone(timezone).to_ambiguous_zoned(date.to_datetime(local.time())).compatible().ok()?;
    Some(Time::from_jiff(later.timestamp()))
}

/// Returns `many` days up to and including the day of `last`, the earliest first.
#[must_use]
pub fn days(last: Time, many: i32, timezone: &str) -> Vec<Day> {
    let date = date_of(last, timezone);
    let before = |back: i32| date.checked_sub(back.days()).ok().and_then(|date| day_of(date, timezone));
    (0..many).rev().filter_map(before).collect()
}

/// Returns a window of `length` that ends `back` days before `end`, at the same local time; its date is that of its
/// end. `None` outside the supported years.
#[must_use]
pub fn window_before(end: Time, back: i32, length: Duration, timezone: &str) -> Option<Day> {
    let local = zone(timezone).to_datetime(end.to_jiff()?);
    let local = local.checked_sub(back.days()).ok()?;
    let until = zone(timezone).to_ambiguous_zoned(local).compatible().ok()?;
    let until = if back == 0 { end } else { Time::from_jiff(until.timestamp()) };
    Some(Day { date: local.date(), span: Span::new(until.minus(length), until)? })
}

/// Returns whether windows of this length hold every hour of the day equally often, so that the time of their end does
/// not matter.
#[must_use]
pub fn is_whole_days(length: Duration) -> bool {
    length.as_secs() > 0 && length.as_secs().is_multiple_of(86_400)
}

/// Returns windows at any hour before the one that ends at `end`, without overlapping it: half their length apart, at
/// least three hours and at most twelve, the earliest first. Used for windows of whole days, and for others while there
/// are too few windows at the same hour.
#[must_use]
pub fn windows_at_any_hour(end: Time, length: Duration, timezone: &str) -> Vec<Day> {
    let step = (length / 2).clamp(LEAST_APART, MOST_APART);
    let most = if is_whole_days(length) { MOST_OF_DAYS } else { MOST_AT_ANY_HOUR };
    let window = |back: u32| {
        let until = end.minus(length.saturating_add(step.saturating_mul(back)));
        Some(Day { date: date_of(until, timezone), span: Span::new(until.minus(length), until)? })
    };
    (0..most).rev().filter_map(window).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn local_days_are_contiguous_and_have_the_length_of_their_zone() {
        let last = Time::parse("2026-03-30T12:00:00Z").unwrap();
        let all = days(last, 3, "Europe/Berlin");
        assert_eq!(
            all.iter().map(|d| d.date.to_string()).collect::<Vec<_>>(),
            ["2026-03-28", "2026-03-29", "2026-03-30"]
        );
        assert_eq!(all.iter().map(|d| d.span.length().as_secs() / 3_600).collect::<Vec<_>>(), [24, 23, 24]);
        assert!(all.windows(2).all(|pair| pair[0].span.until == pair[1].span.from));
        assert_eq!(all[0].span.from.to_string(), "2026-03-27T23:00:00Z");
        // A half-hour window after the clock change, and at the same local time two days before.
        let end = Time::parse("2026-03-30T07:30:00Z").unwrap();
        let window = |back| window_before(end, back, Duration::from_secs(1_800), "Europe/Berlin").unwrap();
        assert_eq!((window(0).span.until, window(0).date.to_string().as_str()), (end, "2026-03-30"));
        assert_eq!(window(2).span.until.to_string(), "2026-03-28T08:30:00Z", "08:30 in winter");
        assert_eq!(window(2).span.length().as_secs(), 1_800);
        let hour = |day: &Day| day.span.until.to_string();
        let any = |hours: u64| windows_at_any_hour(end, Duration::from_secs(hours * 3_600), "Europe/Berlin");
        assert_eq!(
            any(1).iter().rev().take(2).map(hour).collect::<Vec<_>>(),
            ["2026-03-30T06:30:00Z", "2026-03-30T03:30:00Z"]
        );
        let whole = any(24);
        assert_eq!(
            whole.iter().rev().take(2).map(hour).collect::<Vec<_>>(),
            ["2026-03-29T07:30:00Z", "2026-03-28T19:30:00Z"]
        );
        assert!(
            whole.len() == 56
                && any(6).len() == 28
                && is_whole_days(whole[0].span.length())
                && whole.iter().all(|day| day.span.length().as_secs() == 86_400)
        );
        // Apia skipped 30 December 2011. Cairo skips midnight when summer time begins.
        assert_eq!(days(Time::parse("2011-12-31T12:00:00Z").unwrap(), 3, "Pacific/Apia").len(), 2);
        assert_eq!(day_of(Date::constant(2026, 4, 24), "Africa/Cairo").unwrap().span.length().as_secs() / 3_600, 23);
        let begin = |at: &str, zone: &str| start_of_day(Time::parse(at).unwrap(), zone).to_string();
        assert_eq!(begin("2026-04-24T20:00:00Z", "Africa/Cairo"), "2026-04-23T22:00:00Z", "01:00, the first hour");
        // Havana's clocks show midnight twice on 1 November 2026: the day begins with the first.
        assert_eq!(begin("2026-11-01T20:00:00Z", "America/Havana"), "2026-11-01T04:00:00Z");
        assert_eq!(begin("2026-11-01T05:30:00Z", "America/Havana"), "2026-11-01T04:00:00Z");
    }
}
