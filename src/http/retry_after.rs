//! Parses how long a service asks to wait: seconds, an HTTP date, or words in the body. Its users decide whether to wait.

use std::time::Duration;

use jiff::Zoned;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::model::Time;

/// Members of error bodies whose objects may hold a wait.
const INSIDE: [&str; 2] = ["detail", "error"];

/// Reads a `Retry-After` header (RFC 9110 section 10.2.3): seconds or an HTTP date. A date that has passed is no wait.
pub(crate) fn header(text: &str, now: Time) -> Option<Duration> {
    let text = text.trim();
    words(text).or_else(|| Some(http_date(text)?.since(now)))
}

/// Reads `"retry_after"` in an error body, at its top or inside `detail` or `error` (or an object of a list there).
pub(crate) fn body(body: &Value) -> Option<Duration> {
    let here = |value: &Value| wait(value.get("retry_after")?);
    here(body).or_else(|| {
        INSIDE.iter().filter_map(|name| body.get(name)).find_map(|inner| match inner {
            Value::Array(list) => list.iter().find_map(here),
            other => here(other),
        })
    })
}

/// Parses a number of seconds, or words.
fn wait(value: &Value) -> Option<Duration> {
    match value {
        Value::Number(number) => Duration::try_from_secs_f64(number.as_f64()?).ok(),
        Value::String(text) => words(text),
        _ => None,
    }
}

/// Parses `60`, `1.5`, `60 seconds`, `60s`, `2 minutes`, `1 hour`, `500 ms`.
fn words(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "" | "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "ms" | "millisecond" | "milliseconds" => 0.001,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()
}

/// Parses the three forms of an HTTP date (RFC 9110 section 5.6.7). Two of them are obsolete but must still be
/// accepted.
fn http_date(text: &str) -> Option<Time> {
    let civil = |format| strtime::parse(format, text).and_then(|broken| broken.to_datetime()).ok();
    let zoned: Zoned = match rfc2822::parse(text) {
        Ok(zoned) => zoned,
        Err(_) => civil("%A, %d-%b-%y %H:%M:%S GMT")
            .or_else(|| civil("%a %b %e %H:%M:%S %Y"))?
            .to_zoned(TimeZone::UTC)
            .ok()?,
    };
    Some(Time::from_jiff(zoned.timestamp()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:07 GMT: half a minute before RFC 9110's example.
    const NOW: Time = Time(784_111_747_000);

    #[test]
    fn a_retry_after_header_is_parsed_in_every_form_of_the_rfc() {
        for (text, seconds) in [
            ("120", Some(120.0)),
            (" 0 ", Some(0.0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30.0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30.0)),
            ("Sun Nov  6 08:49:37 1994", Some(30.0)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0.0)),
            ("60 seconds", Some(60.0)),
            ("-5", None),
            ("soon", None),
            ("", None),
            ("99999999999999999999999999", None),
        ] {
            assert_eq!(header(text, NOW), seconds.map(Duration::from_secs_f64), "{text:?}");
        }
    }

    #[test]
    fn a_wait_is_parsed_from_words_or_numbers_in_the_body() {
        for (value, seconds) in [
            (json!({"retry_after": "60 seconds"}), Some(60.0)),
            (json!({"retry_after": 2.5}), Some(2.5)),
            (json!({"detail": {"retry_after": "1 minute"}}), Some(60.0)),
            (json!({"detail": [{"msg": "no"}, {"retry_after": "250ms"}]}), Some(0.25)),
            (json!({"error": {"retry_after": "7"}}), Some(7.0)),
            (json!({"detail": "retry_after", "retry_after": null}), None),
            (json!({"retry_after": -1}), None),
            (json!(["retry_after"]), None),
            (json!("60"), None),
        ] {
            assert_eq!(body(&value), seconds.map(Duration::from_secs_f64), "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn no_header_text_panics_and_seconds_are_parsed(text in "\\PC{0,40}", seconds in 0_u32..1_000_000) {
            let _ = header(&text, NOW);
            prop_assert_eq!(header(&seconds.to_string(), NOW), Some(Duration::from_secs(seconds.into())));
        }
    }
}
