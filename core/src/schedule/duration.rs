//! Durations as written in files: `15m`, `1h30m`, `500ms`. Not calendar spans: a day is 24 hours, and there are no
//! months.

use std::time::Duration;

use super::error::ScheduleError;

/// Longest first; a duration uses each at most once, in this order.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A century: far above any useful setting, far below overflow.
const LONGEST_MS: u64 = 36_500 * 86_400_000;
/// The end of the message about a longer one.
pub(super) const TOO_LONG: &str = "it is longer than 100 years";

/// Parses `15m`, `90s`, `1h30m`, `7d`, `0s`, `500ms`: whole numbers with the units d, h, m, s, ms, longest unit first,
/// each at most once.
///
/// # Errors
/// [`ScheduleError`] for anything else: a bare number, fractions, signs, spaces, other units, more than 100 years.
pub fn parse_duration(text: &str) -> Result<Duration, ScheduleError> {
    let excerpt = show(text);
    let refused =
        |why: &str, hint: String| Err(ScheduleError::new(format!("`{excerpt}` is not a duration: {why}"), hint));
    let example = || "write a number and a unit (d, h, m, s, ms), such as \"15m\" or \"1h30m\"".to_owned();
    if text.is_empty() {
        return refused("it is empty", example());
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return refused(
            "the unit is missing",
            format!("write \"{excerpt}m\" for minutes or \"{excerpt}s\" for seconds"),
        );
    }
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    if plain != text {
        return match parse_duration(&plain) {
            Ok(_) => refused("write it in lowercase and without spaces", format!("write \"{plain}\"")),
            Err(_) => refused("only numbers and units are allowed", example()),
        };
    }
    let (mut rest, mut total, mut units) = (text, 0_u64, UNITS.as_slice());
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.bytes().take_while(u8::is_ascii_lowercase).count();
        let (unit, tail) = tail.split_at(letters);
        if digits == 0 || letters == 0 {
            return refused("only whole numbers and units are allowed", example());
        }
        let Some(place) = units.iter().position(|(name, _)| *name == unit) else {
            let known = UNITS.iter().any(|(name, _)| *name == unit);
            let why = if known { "longer units come first, each at most once" } else { "the unit is unknown" };
            return refused(why, example());
        };
        let added = number.parse::<u64>().ok().and_then(|n| n.checked_mul(units[place].1));
        match added.and_then(|ms| total.checked_add(ms)).filter(|ms| *ms <= LONGEST_MS) {
            Some(sum) => total = sum,
            None => return refused(TOO_LONG, "write a shorter one".to_owned()),
        }
        (rest, units) = (tail, &units[place + 1..]);
    }
    Ok(Duration::from_millis(total))
}

/// Formats a duration so that [`parse_duration`] reads it, cut to whole milliseconds: `1h30m`, `0s`.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let mut rest = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (unit, ms) in UNITS {
        if rest >= ms {
            text.push_str(&format!("{}{unit}", rest / ms));
            rest %= ms;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Shortens and escapes text from a file for use in a message.
pub(super) fn show(text: &str) -> String {
    let cut: String = text.chars().take(60).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", cut.escape_debug())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn durations_are_read_and_written_back_the_same() {
        for (text, ms) in [
            ("15m", 900_000),
            ("90s", 90_000),
            ("1h30m", 5_400_000),
            ("7d", 604_800_000),
            ("0s", 0),
            ("500ms", 500),
            ("1d2h3m4s5ms", 93_784_005),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
            let written = format_duration(Duration::from_millis(ms));
            assert_eq!(parse_duration(&written), Ok(Duration::from_millis(ms)), "{written}");
        }
        assert_eq!(format_duration(Duration::from_secs(90)), "1m30s");
    }

    #[test]
    fn invalid_durations_are_refused_with_a_hint() {
        for (text, hint) in [
            ("15", "\"15m\""),
            ("", "such as"),
            ("15 m", "\"15m\""),
            ("15M", "\"15m\""),
            ("1.5h", "such as"),
            ("-5m", "such as"),
            ("30m1h", "such as"),
            ("1h1h", "such as"),
            ("5min", "such as"),
            ("m", "such as"),
            ("１５m", "such as"),
            ("99999999999999999999d", "shorter"),
            ("40000d", "shorter"),
        ] {
            let refused = parse_duration(text).unwrap_err();
            assert!(refused.hint.contains(hint), "{text}: {refused:?}");
        }
    }
}
