//! Parses the dates in data files. A date without an offset is taken as UTC: only its place among the other dates of
//! its file matters, since all are shifted. Not a general date parser.

/// The platform's epoch: the upper bits of an id are milliseconds since then.
const SNOWFLAKE_EPOCH_MS: i64 = 1_288_834_974_657;
/// Smaller numbers are not ids of posts.
const SMALLEST_SNOWFLAKE: u64 = 100_000_000_000_000;

/// Formats besides ISO 8601, in the order in which they are tried.
const FORMATS: &[&str] =
    &["%a %b %d %H:%M:%S %z %Y", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M"];

/// Formats of a day without a time.
const DAY_FORMATS: &[&str] = &["%Y-%m-%d", "%m/%d/%Y"];

/// Parses a date to milliseconds since the epoch: ISO 8601, the platform's English form, US `month/day/year`, a day
/// alone, seconds or milliseconds as a number. `None` for anything else.
pub(super) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.as_millisecond());
    }
    if let Ok(number) = text.parse::<i64>() {
        return match number {
            // Seconds from 1973 to 5138, else milliseconds in the same years.
            100_000_000..100_000_000_000 => Some(number * 1_000),
            100_000_000_000..100_000_000_000_000 => Some(number),
            _ => None,
        };
    }
    if let Ok(at) = text.parse::<jiff::civil::DateTime>() {
        return utc(at);
    }
    for format in FORMATS {
        if let Ok(parsed) = jiff::fmt::strtime::parse(format, text) {
            return match parsed.to_timestamp() {
                Ok(at) => Some(at.as_millisecond()),
                Err(_) => parsed.to_datetime().ok().and_then(utc),
            };
        }
    }
    let day = |format: &&str| jiff::fmt::strtime::parse(format, text).ok()?.to_date().ok();
    DAY_FORMATS.iter().find_map(day).and_then(|date| utc(date.to_datetime(jiff::civil::Time::midnight())))
}

/// Returns the time in a post's id, in milliseconds since the epoch, if the id contains one.
pub(super) fn of_id(id: &str) -> Option<i64> {
    let id = id.parse::<u64>().ok().filter(|id| (SMALLEST_SNOWFLAKE..1 << 63).contains(id))?;
    i64::try_from(id >> 22).ok().map(|since| since + SNOWFLAKE_EPOCH_MS)
}

fn utc(at: jiff::civil::DateTime) -> Option<i64> {
    at.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|at| at.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_data_files_are_read_and_other_text_is_not() {
        for (text, ms) in [
            ("2026-03-11T05:45:48Z", Some(1_773_207_948_000)),
            ("2026-03-11T06:45:48+01:00", Some(1_773_207_948_000)),
            ("Wed Mar 11 05:45:48 +0000 2026", Some(1_773_207_948_000)),
            ("2026-03-11 05:45:48", Some(1_773_207_948_000)),
            ("2026-03-11T05:45:48", Some(1_773_207_948_000)),
            (" 8/4/2016 11:52 ", Some(1_470_311_520_000)),
            ("1/26/2016 19:30", Some(1_453_836_600_000)),
            ("2026-03-11", Some(1_773_187_200_000)),
            ("1773207948", Some(1_773_207_948_000)),
            ("1773207948000", Some(1_773_207_948_000)),
            ("12224879", None),
            ("yesterday", None),
            ("", None),
            ("99999999999999999999999999", None),
            ("13/45/2016 11:52", None),
        ] {
            assert_eq!(parse(text), ms, "{text}");
        }
    }

    #[test]
    fn a_platform_id_tells_its_time_and_a_small_number_does_not() {
        assert_eq!(of_id("340000000000000123"), Some(1_369_897_291_551));
        assert_eq!(of_id("12224879"), None);
        assert_eq!(of_id("18446744073709551615"), None);
        assert_eq!(of_id("abc"), None);
    }
}
