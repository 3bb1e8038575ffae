//! Parses an instant: a time, a date, or how long ago. The caller provides the current time.

use super::parse_duration;
use crate::model::Time;

/// The accepted forms, for hints.
pub const INSTANTS: &str = "write 2026-03-11 (midnight UTC), 2026-03-11T09:00:00Z, or 24h, 7d (ago)";

/// Parses an instant; `None` if it has none of the forms.
#[must_use]
pub fn parse_instant(text: &str, now: Time) -> Option<Time> {
    let date = || {
        let day = text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Time::from_jiff(day.timestamp()))
    };
    let ago = || parse_duration(text).ok().map(|length| now.minus(length));
    Time::parse(text).or_else(date).or_else(ago)
}
