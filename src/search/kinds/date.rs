//! Parses the dates that providers write. Done here so that exactly the forms that feeds and services send are
//! accepted, and no others. A date without a zone is UTC.

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::{Timestamp, Zoned};

use crate::model::Time;
use crate::search::decode::parse_date_in_words;

/// How far in the future an accepted date may lie.
const AHEAD: Duration = Duration::from_secs(366 * 86_400);

/// Returns an instant if it is plausible: between 1990 and a year from now.
pub(super) fn plausible(at: Time, now: Time) -> Option<Time> {
    const YEAR_1990: Time = Time(631_152_000_000);
    (YEAR_1990 <= at && at <= now.plus(AHEAD)).then_some(at)
}

/// Parses ISO 8601 (with or without zone, with `T` or a blank), RFC 2822, and similar dates: with long names, one-digit
/// hours, a zone like `+00:00`, or none.
pub(super) fn read(text: &str, now: Time) -> Option<Time> {
    let text = text.trim();
    let at = iso(text).or_else(|| parse_rfc2822(text))?;
    plausible(Time(at.as_millisecond()), now)
}

fn iso(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    // A zone after a blank: `2026-03-10 08:00:00 UTC`, `… +02:00`.
    if let Some((head, zone)) = text.rsplit_once(' ')
        && head.contains(':')
    {
        let zone = if matches!(zone, "UTC" | "GMT" | "Z") { "Z" } else { zone };
        if let Ok(at) = format!("{head}{zone}").parse::<Timestamp>() {
            return Some(at);
        }
    }
    let utc = |at: DateTime| at.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|at| at.timestamp());
    if let Ok(at) = text.parse::<DateTime>() {
        return utc(at);
    }
    text.parse::<jiff::civil::Date>().ok().and_then(|day| utc(day.to_datetime(jiff::civil::Time::midnight())))
}

/// Parses RFC 2822, also with the zone names that feeds still use, and with a wrong or missing weekday.
fn parse_rfc2822(text: &str) -> Option<Timestamp> {
    let parser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let read = |text: &str| parser.parse_zoned(text).ok().map(|at: Zoned| at.timestamp());
    let (head, zone) = text.rsplit_once(' ')?;
    // The parser takes names that it does not know as UTC.
    let offset = match zone.to_ascii_uppercase().as_str() {
        "Z" | "UTC" | "GMT" | "UT" | "WET" => "+0000",
        "BST" | "CET" | "MET" | "MEZ" | "WEST" | "WAT" => "+0100",
        "CEST" | "MEST" | "MESZ" | "EET" | "CAT" | "SAST" => "+0200",
        "EEST" | "IDT" | "MSK" | "TRT" | "EAT" => "+0300",
        "GST" => "+0400",
        "PKT" => "+0500",
        "IST" => "+0530",
        "NPT" => "+0545",
        "ICT" | "WIB" => "+0700",
        "SGT" | "HKT" | "PHT" | "AWST" => "+0800",
        "JST" | "KST" => "+0900",
        "ACST" => "+0930",
        "AEST" => "+1000",
        "ACDT" => "+1030",
        "AEDT" => "+1100",
        "NZST" => "+1200",
        "NZDT" => "+1300",
        "NDT" => "-0230",
        "BRT" | "ART" | "UYT" | "ADT" => "-0300",
        "NST" => "-0330",
        "AST" => "-0400",
        "AKDT" => "-0800",
        "AKST" => "-0900",
        "HST" => "-1000",
        _ => zone,
    };
    let text = format!("{head} {offset}");
    read(&text).or_else(|| parse_date_in_words(&text).and_then(Time::to_jiff))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_date_formats_are_parsed_and_others_refused() {
        let now = Time::parse("2026-03-11T09:00:00Z").unwrap_or(Time(0));
        for (text, read) in [
            ("2026-03-10T08:00:00Z", Some("2026-03-10T08:00:00Z")),
            ("2026-03-10T08:00:00.250+02:00", Some("2026-03-10T06:00:00.250Z")),
            ("2026-03-10T08:00:00", Some("2026-03-10T08:00:00Z")),
            ("2026-03-10 08:00:00", Some("2026-03-10T08:00:00Z")),
            ("2026-03-10", Some("2026-03-10T00:00:00Z")),
            ("2026-03-10 08:00:00 UTC", Some("2026-03-10T08:00:00Z")),
            ("2026-03-10 08:00:00 +02:00", Some("2026-03-10T06:00:00Z")),
            ("2026-03-10T08:00 -0530", Some("2026-03-10T13:30:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 AEST", Some("2026-03-09T22:00:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 ACDT", Some("2026-03-09T21:30:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 HST", Some("2026-03-10T18:00:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 GMT", Some("2026-03-10T08:00:00Z")),
            ("Mon, 10 Mar 2026 08:00:00 +0200", Some("2026-03-10T06:00:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 MEZ", Some("2026-03-10T07:00:00Z")),
            ("Fri, 10 Jul 2026 08:00:00 MESZ", Some("2026-07-10T06:00:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 NST", Some("2026-03-10T11:30:00Z")),
            ("10 Mar 2026 08:00 CET", Some("2026-03-10T07:00:00Z")),
            ("Tue, 10 Mar 2026 08:00:00 EST", Some("2026-03-10T13:00:00Z")),
            ("Tue, 24 Nov 2025 5:00:00 EST", Some("2025-11-24T10:00:00Z")),
            ("Mon, 24 November 2025 10:00:00 CET", Some("2025-11-24T09:00:00Z")),
            ("Mon, 24 Nov 2025 10:00:00 +00:00", Some("2025-11-24T10:00:00Z")),
            ("Mon, 24 Nov 2025 10:00:00", Some("2025-11-24T10:00:00Z")),
            ("24 November 2025", Some("2025-11-24T00:00:00Z")),
            ("24 Nov 10:00:00", None),
            ("0001-01-01T00:00:00Z", None),
            ("9999-12-31T23:59:59Z", None),
            ("1970-01-01T00:00:00Z", None),
            ("yesterday", None),
            ("", None),
        ] {
            let read = read.and_then(Time::parse);
            assert_eq!(super::read(text, now), read, "{text}");
        }
    }
}
