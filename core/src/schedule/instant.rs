//! Parses an instant: a time, a date, or how long ago. The caller provides the current time.

use super::duration::{TOO_LONG, parse_duration};
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

/// Why a text is no instant, as the end of a sentence, and what to write instead.
pub type InstantFault = (&'static str, &'static str);

/// The fault of a duration that is too long.
pub const TOO_FAR_BACK: InstantFault = ("is more than 100 years ago", "write at most 36500d, or a date");

/// Parses an instant as [`parse_instant`] does.
///
/// # Errors
/// Says why the text is none.
pub fn read_instant(text: &str, now: Time) -> Result<Time, InstantFault> {
    parse_instant(text, now).ok_or_else(|| match parse_duration(text) {
        Err(refused) if refused.message.ends_with(TOO_LONG) => TOO_FAR_BACK,
        _ => ("is not a time", INSTANTS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_of_more_than_a_century_is_refused_as_too_far_back() {
        let now = Time(1_773_219_600_000);
        for (text, why) in [
            ("99999d", "is more than 100 years ago"),
            ("36500d1ms", "is more than 100 years ago"),
            ("99999999999999999999h", "is more than 100 years ago"),
            ("soon", "is not a time"),
            ("7", "is not a time"),
            ("", "is not a time"),
        ] {
            assert_eq!(read_instant(text, now).map_err(|(why, _)| why), Err(why), "{text}");
        }
        assert!(read_instant("36500d", now).is_ok());
    }
}
