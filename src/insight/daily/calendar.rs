//! Local days as spans of instants: a day on which the clock changes is 23 or 25 hours long, and one that a zone skipped is
//! not there.

use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::model::{Span, Time};

/// A local day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    pub date: Date,
    pub span: Span,
}

/// The zone of a name; UTC for a name that nobody knows (the configuration refuses those).
fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// The first instant of a date, or of the next one where the zone skipped it.
pub(super) fn start_of(date: Date, timezone: &str) -> Option<Time> {
    let start = zone(timezone).to_ambiguous_zoned(date.at(0, 0, 0, 0)).compatible().ok()?;
    Some(Time::from_jiff(start.timestamp()))
}

/// The day of a date.
#[must_use]
pub fn day_of(date: Date, timezone: &str) -> Option<Day> {
    let span = Span::new(start_of(date, timezone)?, start_of(date.tomorrow().ok()?, timezone)?)?;
    Some(Day { date, span })
}

/// The local date of an instant.
#[must_use]
pub fn date_of(at: Time, timezone: &str) -> Date {
    at.to_jiff().map_or(Date::constant(1970, 1, 1), |at| zone(timezone).to_datetime(at).date())
}

/// So many days up to and with the day of an instant, the earliest first.
#[must_use]
pub fn days(last: Time, many: i32, timezone: &str) -> Vec<Day> {
    let date = date_of(last, timezone);
    let before = |back: i32| date.checked_sub(back.days()).ok().and_then(|date| day_of(date, timezone));
    (0..many).rev().filter_map(before).collect()
}

/// A span of some length that ends so many days before an instant, at the same time of the local day; its date is that of
/// its end. `None` outside the years that are known.
#[must_use]
pub fn window_before(end: Time, back: i32, length: Duration, timezone: &str) -> Option<Day> {
    let local = zone(timezone).to_datetime(end.to_jiff()?);
    let local = local.checked_sub(back.days()).ok()?;
    let until = zone(timezone).to_ambiguous_zoned(local).compatible().ok()?;
    let until = if back == 0 { end } else { Time::from_jiff(until.timestamp()) };
    Some(Day { date: local.date(), span: Span::new(until.minus(length), until)? })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn days_follow_one_another_and_are_as_long_as_the_zone_says() {
        let last = Time::parse("2026-03-30T12:00:00Z").unwrap();
        let all = days(last, 3, "Europe/Berlin");
        assert_eq!(
            all.iter().map(|d| d.date.to_string()).collect::<Vec<_>>(),
            ["2026-03-28", "2026-03-29", "2026-03-30"]
        );
        assert_eq!(all.iter().map(|d| d.span.length().as_secs() / 3_600).collect::<Vec<_>>(), [24, 23, 24]);
        assert!(all.windows(2).all(|pair| pair[0].span.until == pair[1].span.from));
        assert_eq!(all[0].span.from.to_string(), "2026-03-27T23:00:00Z");
        // Half an hour on the day after the clocks changed, and at the same time of the day before.
        let end = Time::parse("2026-03-30T07:30:00Z").unwrap();
        let window = |back| window_before(end, back, Duration::from_secs(1_800), "Europe/Berlin").unwrap();
        assert_eq!((window(0).span.until, window(0).date.to_string().as_str()), (end, "2026-03-30"));
        assert_eq!(window(2).span.until.to_string(), "2026-03-28T08:30:00Z", "08:30 in winter");
        assert_eq!(window(2).span.length().as_secs(), 1_800);
        // Apia skipped the 30th of December 2011; midnight is skipped in Cairo when summer begins.
        assert_eq!(days(Time::parse("2011-12-31T12:00:00Z").unwrap(), 3, "Pacific/Apia").len(), 2);
        assert_eq!(day_of(Date::constant(2026, 4, 24), "Africa/Cairo").unwrap().span.length().as_secs() / 3_600, 23);
    }
}
