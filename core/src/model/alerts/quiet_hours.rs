//! Hours of the day in which an alert sends nothing, in a time zone.

use jiff::tz::TimeZone;

use crate::model::Time;

/// Milliseconds in a minute.
const MINUTE: i64 = 60_000;
/// The minutes of the longest day: clocks are set back by at most some hours.
const LONGEST: i64 = 30 * 60;

/// Local hours in which nothing is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QuietHours {
    /// The minute of the day at which they begin.
    pub from: u16,
    /// The minute of the day at which they end. If before `from`, it is on the next day.
    pub until: u16,
}

impl QuietHours {
    /// The longest time until they end, in milliseconds.
    pub const LONGEST_MS: i64 = LONGEST * MINUTE;

    /// Returns the end of the quiet hours of a zone if an instant is in them.
    #[must_use]
    pub fn end(self, at: Time, timezone: &str) -> Option<Time> {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        if !self.hold(at, &zone) {
            return None;
        }
        // Minute by minute, because clocks may be set forward over the end, or back over it.
        let begun = at.0.div_euclid(MINUTE);
        let mut minutes = (1..=LONGEST).map(|passed| Time((begun + passed) * MINUTE));
        minutes.find(|at| !self.hold(*at, &zone))
    }

    fn hold(self, at: Time, zone: &TimeZone) -> bool {
        let Some(at) = at.to_jiff() else { return false };
        let local = zone.to_datetime(at);
        let minute = u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap_or(0);
        if self.from <= self.until {
            (self.from..self.until).contains(&minute)
        } else {
            minute >= self.from || minute < self.until
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_hours_end_by_the_local_time_of_the_zone() {
        let night = QuietHours { from: 22 * 60, until: 7 * 60 };
        let noon = QuietHours { from: 12 * 60, until: 13 * 60 };
        let early = QuietHours { from: 60, until: 2 * 60 + 30 };
        for (quiet, zone, instant, end) in [
            (night, "UTC", "2026-11-21T21:59:59Z", None),
            (night, "UTC", "2026-11-21T22:00:00Z", Some("2026-11-22T07:00:00Z")),
            (night, "UTC", "2026-11-22T06:59:59.999Z", Some("2026-11-22T07:00:00Z")),
            (night, "UTC", "2026-11-22T07:00:00Z", None),
            // 06:30 in Berlin, and 07:30 when the clocks are an hour ahead.
            (night, "Europe/Berlin", "2026-11-22T05:30:00Z", Some("2026-11-22T06:00:00Z")),
            (night, "Europe/Berlin", "2026-07-22T05:30:00Z", None),
            (noon, "America/New_York", "2026-11-22T17:30:00Z", Some("2026-11-22T18:00:00Z")),
            (noon, "America/New_York", "2026-11-22T12:30:00Z", None),
            // 02:00 is followed by 03:00, so 02:30 never comes.
            (early, "Europe/Berlin", "2026-03-29T00:10:00Z", Some("2026-03-29T01:00:00Z")),
            // The clocks are set back from 03:00 to 02:00, so 02:30 comes twice.
            (early, "Europe/Berlin", "2026-10-25T00:20:00Z", Some("2026-10-25T00:30:00Z")),
            (early, "Europe/Berlin", "2026-10-25T01:20:00Z", Some("2026-10-25T01:30:00Z")),
        ] {
            let at = |text: &str| Time::parse(text).unwrap_or_default();
            assert_eq!(quiet.end(at(instant), zone), end.map(at), "{instant} in {zone}");
        }
    }
}
