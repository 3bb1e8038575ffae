//! A UTC instant in whole milliseconds since the Unix epoch, written as RFC 3339. Knows no time zones and reads no
//! clock.

use std::time::Duration;

/// A UTC instant in whole milliseconds. The database column is the same integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Time(pub i64);

impl serde::Serialize for Time {
    /// As a string in the format of [`Time::iso_millis`].
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.iso_millis())
    }
}

/// Milliseconds in a UTC day.
const DAY: i64 = 86_400_000;

impl Time {
    /// Converts a jiff timestamp, truncated to milliseconds.
    #[must_use]
    pub fn from_jiff(at: jiff::Timestamp) -> Self {
        Self(at.as_millisecond())
    }

    /// Converts to a jiff timestamp; `None` outside the range that jiff supports.
    #[must_use]
    pub fn to_jiff(self) -> Option<jiff::Timestamp> {
        jiff::Timestamp::from_millisecond(self.0).ok()
    }

    /// Parses RFC 3339 / ISO 8601 with an offset (`2026-03-11T09:00:00Z`).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(Self::from_jiff)
    }

    /// Adds a duration, saturating.
    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }

    /// Subtracts a duration, saturating.
    #[must_use]
    pub fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The duration from `earlier` to this instant; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// Returns the time up to which the ledger may reach ahead of this present, if nothing reaches further than
    /// `length`. Later times were written by a clock that was ahead. There is no limit before 2025: a clock that shows
    /// such a time is itself wrong, such as that of a board without a battery when it starts.
    #[must_use]
    pub fn believed_until(self, length: Duration) -> Self {
        if self.is_before_program() { Self(i64::MAX) } else { self.plus(length) }
    }

    /// Whether this time is before this program existed.
    #[must_use]
    pub fn is_before_program(self) -> bool {
        const YEAR_2025: i64 = 1_735_689_600_000;
        self.0 < YEAR_2025
    }

    /// RFC 3339, always with milliseconds (`2026-03-11T09:00:00.000Z`), so that all values of a column look alike.
    #[must_use]
    pub fn iso_millis(self) -> String {
        self.to_jiff().map_or_else(String::new, |at| format!("{at:.3}"))
    }

    /// The same time without its milliseconds, for people.
    #[must_use]
    pub fn whole_seconds(self) -> Self {
        Self(self.0.saturating_sub(self.0.rem_euclid(1_000)))
    }

    /// The UTC day as days since the epoch. Calls are counted by this day.
    #[must_use]
    pub fn utc_day(self) -> i64 {
        self.0.div_euclid(DAY)
    }

    /// The start of the next UTC day.
    #[must_use]
    pub fn next_utc_day(self) -> Self {
        Self::of_utc_day(self.utc_day().saturating_add(1))
    }

    /// The start of a UTC day, given as days since the epoch.
    #[must_use]
    pub fn of_utc_day(day: i64) -> Self {
        Self(day.saturating_mul(DAY))
    }

    /// The UTC date, as `2026-03-11`.
    #[must_use]
    pub fn utc_date(self) -> String {
        self.iso_millis().chars().take_while(|c| *c != 'T').collect()
    }
}

/// Returns the current time. Only cli and daemon read the system clock and pass it on.
pub type Clock = std::sync::Arc<dyn Fn() -> Time + Send + Sync>;

impl std::fmt::Display for Time {
    /// `2026-03-11T09:00:00Z`; fractional seconds only if not zero.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.to_jiff() {
            Some(at) => f.pad(&at.to_string()),
            None => f.pad("out-of-range"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_rfc_3339_and_read_back() {
        for (text, ms) in [("2026-03-11T09:00:00Z", 1_773_219_600_000), ("2026-03-11T09:00:00.5Z", 1_773_219_600_500)] {
            assert_eq!(Time::parse(text), Some(Time(ms)), "{text}");
            assert_eq!(Time(ms).to_string(), text);
        }
        assert_eq!(Time::parse("2026-03-11T10:00:00+01:00"), Some(Time(1_773_219_600_000)));
        assert_eq!(Time::parse("yesterday"), None);
        assert_eq!(Time(i64::MAX).to_string(), "out-of-range");
    }

    #[test]
    fn all_times_are_written_with_the_same_length() {
        assert_eq!(Time(1_773_219_600_000).iso_millis(), "2026-03-11T09:00:00.000Z");
        assert_eq!(Time(1_773_219_600_007).iso_millis(), "2026-03-11T09:00:00.007Z");
        assert_eq!(Time(1_773_219_600_007).whole_seconds().to_string(), "2026-03-11T09:00:00Z");
    }

    #[test]
    fn durations_are_never_negative() {
        assert_eq!(Time(5).since(Time(9)), Duration::ZERO);
        assert_eq!(Time(1_500).since(Time(0)), Duration::from_millis(1_500));
        assert_eq!(Time(-1).utc_day(), -1);
    }

    #[test]
    fn a_utc_day_has_a_number_a_beginning_and_a_date() {
        let at = Time(1_773_219_600_000);
        assert_eq!(Time::of_utc_day(at.utc_day()), Time(1_773_187_200_000));
        assert_eq!((at.utc_date(), Time::of_utc_day(-1).utc_date()), ("2026-03-11".into(), "1969-12-31".into()));
        assert_eq!(at.next_utc_day().utc_date(), "2026-03-12");
    }
}
