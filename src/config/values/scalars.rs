//! Single values. Each function turns a written value into a typed one within bounds, or returns what is wrong and what
//! to write instead.

use std::time::Duration;

use super::value::Value;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::suggest::did_you_mean;
use crate::model::{Micros, is_blank};
use crate::search::Rate;

type Read<T> = Result<T, Fault>;

/// Reads a string as it is.
pub(in crate::config) fn text(value: &Value) -> Read<String> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(Fault::new("takes a string", "")),
    }
}

/// Reads a text for people or for a service: something visible, no control characters, at most `longest` characters.
pub(in crate::config) fn plain_text(value: &Value, longest: usize) -> Read<String> {
    let text = text(value)?;
    check_plain(&text, longest, false)?;
    Ok(text)
}

/// Checks other text by the rule of [`plain_text`]; `lines` allows line breaks and tabs.
pub(in crate::config) fn check_plain(text: &str, longest: usize, lines: bool) -> Read<()> {
    if text.trim().is_empty() {
        return Err(Fault::new("is empty", "write a value, or remove the key"));
    }
    let allowed = |c: char| lines && matches!(c, '\n' | '\r' | '\t');
    if let Some(bad) = text.chars().find(|c| c.is_control() && !allowed(*c)) {
        let message = format!("contains the control character {}", bad.escape_unicode());
        return Err(Fault::new(message, "remove it; text must be on one line"));
    }
    if is_blank(text) {
        return Err(Fault::new("has no visible character", "write a value, or remove the key"));
    }
    let length = text.chars().count();
    if length > longest {
        return Err(Fault::new(format!("is {length} characters long, at most {longest} are allowed"), "shorten it"));
    }
    Ok(())
}

/// Says why a text is not a URL, in words for people who write one.
pub(in crate::config) fn not_a_url(error: url::ParseError) -> String {
    match error {
        url::ParseError::RelativeUrlWithoutBase => "is not a valid URL: it does not begin with https://".to_owned(),
        other => format!("is not a valid URL: {other}"),
    }
}

/// Reads a whole number within bounds; environment variables give it as text.
pub(in crate::config) fn integer(value: &Value, least: i64, most: i64) -> Read<i64> {
    let number = match value {
        Value::Integer(number) => Some(*number),
        Value::Text(text) => text.trim().replace('_', "").parse().ok(),
        _ => None,
    };
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        Some(number) => {
            Err(Fault::new(format!("cannot be {number}"), format!("write a number from {least} to {most}")))
        }
        None => Err(Fault::new("takes an integer", format!("write a number from {least} to {most}"))),
    }
}

/// Reads `true` or `false`.
pub(in crate::config) fn flag(value: &Value) -> Read<bool> {
    match value {
        Value::Flag(flag) => Ok(*flag),
        Value::Text(text) if text == "true" => Ok(true),
        Value::Text(text) if text == "false" => Ok(false),
        _ => Err(Fault::new("takes true or false", "write true or false, without quotes")),
    }
}

/// Reads dollars per call.
pub(in crate::config) fn dollars(value: &Value) -> Read<Micros> {
    amount(value)
        .filter(|price| *price <= Micros(1_000_000_000))
        .ok_or_else(|| Fault::new("is not a valid price", "write dollars from 0 to 1000, such as 0.004"))
}

/// Reads dollars per day.
pub(in crate::config) fn budget(value: &Value) -> Read<Micros> {
    amount(value).filter(|budget| *budget > Micros(0)).ok_or_else(|| {
        let hint = "write dollars above 0 and up to 1000000, such as 2.50; without the key there is no limit";
        Fault::new("is not a valid daily budget", hint)
    })
}

fn amount(value: &Value) -> Option<Micros> {
    #[expect(clippy::cast_precision_loss, reason = "absurd amounts are refused below")]
    let number = match value {
        Value::Number(number) => *number,
        Value::Integer(number) => *number as f64,
        Value::Text(text) => text.trim().parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    };
    Micros::from_dollars(number)
}

/// Reads a duration within bounds.
pub(in crate::config) fn duration(value: &Value, least: Duration, most: Duration) -> Read<Duration> {
    let length = parse_duration(&text(value)?)?;
    if length < least || length > most {
        let hint = format!("write a duration from {} to {}", format_duration(least), format_duration(most));
        return Err(Fault::new(format!("cannot be {}", format_duration(length)), hint));
    }
    Ok(length)
}

/// Parses a duration as written in the file.
pub(in crate::config) fn parse_duration(text: &str) -> Result<Duration, Fault> {
    crate::schedule::parse_duration(text).map_err(to_fault)
}

/// Converts the error of a schedule or a duration into a fault.
pub(in crate::config) fn to_fault(refused: crate::schedule::ScheduleError) -> Fault {
    Fault::new(format!(": {}", refused.message), refused.hint)
}

/// Formats a duration as it would be written.
pub(in crate::config) fn format_duration(length: Duration) -> String {
    crate::schedule::format_duration(length)
}

/// Reads calls per time; `None` is unlimited.
pub(in crate::config) fn rate(value: &Value) -> Read<Option<Rate>> {
    let text = text(value)?;
    if text == "unlimited" {
        return Ok(None);
    }
    let wrong = || Fault::new(format!("cannot be {text:?}"), "write \"60/min\", \"5/s\", \"1000/h\" or \"unlimited\"");
    let (count, per) = text.split_once('/').ok_or_else(wrong)?;
    let seconds = match per.trim() {
        "s" | "sec" | "second" => 1,
        "m" | "min" | "minute" => 60,
        "h" | "hour" => 3_600,
        "d" | "day" => 86_400,
        _ => return Err(wrong()),
    };
    let count: u32 = count.trim().parse().map_err(|_| wrong())?;
    if count == 0 || count > 1_000_000 {
        return Err(Fault::new(format!("cannot be {text:?}"), "write a count from 1 to 1000000"));
    }
    Ok(Some(Rate { count, per: Duration::from_secs(seconds) }))
}

/// Formats a rate as it would be written.
pub(in crate::config) fn format_rate(rate: Option<Rate>) -> String {
    let Some(Rate { count, per }) = rate else { return "unlimited".to_owned() };
    match per.as_secs() {
        1 => format!("{count}/s"),
        60 => format!("{count}/min"),
        3_600 => format!("{count}/h"),
        86_400 => format!("{count}/day"),
        other => format!("{count}/{other}s"),
    }
}

/// Reads a number of bytes: an integer, or a string with a unit (decimal `kB MB GB`, binary `KiB MiB GiB`).
pub(in crate::config) fn bytes(value: &Value, least: u64, most: u64) -> Read<u64> {
    const HINT: &str = "write a number of bytes, or \"15MB\"";
    let number = match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        Value::Text(text) => {
            let text = text.trim();
            let digits = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
            let unit: Option<u64> = match text[digits..].trim().to_ascii_lowercase().as_str() {
                "" | "b" => Some(1),
                "kb" => Some(1_000),
                "mb" => Some(1_000_000),
                "gb" => Some(1_000_000_000),
                "kib" => Some(1 << 10),
                "mib" => Some(1 << 20),
                "gib" => Some(1 << 30),
                _ => None,
            };
            let count: Option<u64> = text[..digits].replace('_', "").parse().ok();
            unit.zip(count).and_then(|(unit, count)| unit.checked_mul(count))
        }
        _ => None,
    };
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        Some(number) => Err(Fault::new(format!("cannot be {number} bytes"), format!("from {least} to {most}"))),
        None => Err(Fault::new("is not a number of bytes", HINT)),
    }
}

/// Reads one of a closed list.
pub(in crate::config) fn one_of<T>(value: &Value, parse: fn(&str) -> Option<T>, all: &[&'static str]) -> Read<T> {
    let text = text(value)?;
    parse(&text).ok_or_else(|| unknown_choice(&text, all))
}

/// Reads one of these words.
pub(in crate::config) fn one_of_names(value: &Value, all: &[&'static str]) -> Read<String> {
    let word = text(value)?;
    if all.contains(&word.as_str()) { Ok(word) } else { Err(unknown_choice(&word, all)) }
}

/// Returns the fault of a word that is not in a closed list.
pub(in crate::config) fn unknown_choice(text: &str, all: &[&'static str]) -> Fault {
    let choices = all.iter().map(|choice| format!("\"{choice}\"")).collect::<Vec<_>>().join(", ");
    let hint = did_you_mean(text, all.iter().copied(), &format!("one of {choices}"));
    Fault::new(
        format!("cannot be {text:?}"),
        if hint.starts_with("one of") { hint } else { format!("{hint} (one of {choices})") },
    )
}

/// Reads a list of short texts without repetition.
pub(in crate::config) fn texts(value: &Value, most: usize, longest: usize) -> Read<Vec<String>> {
    let Value::List(list) = value else { return Err(Fault::new("takes a list of strings", "")) };
    if list.len() > most {
        return Err(Fault::new(format!("has {} entries, at most {most} are allowed", list.len()), "shorten the list"));
    }
    let mut read: Vec<String> = Vec::with_capacity(list.len());
    for (element, at) in list {
        let here = |fault: Fault| Fault {
            message: format!("contains an entry that {}", fault.message),
            at: Some(at.clone()),
            ..fault
        };
        let text = plain_text(element, longest).map_err(here)?;
        if read.contains(&text) {
            return Err(Fault {
                at: Some(at.clone()),
                ..Fault::new(format!("contains {text:?} twice"), "list it once")
            });
        }
        read.push(text);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn rates_and_sizes_are_read_in_their_spellings() {
        for (text, count, seconds) in
            [("60/min", 60, 60), ("5/s", 5, 1), ("1000/h", 1_000, 3_600), ("7 / day", 7, 86_400)]
        {
            assert_eq!(rate(&of(text)), Ok(Some(Rate { count, per: Duration::from_secs(seconds) })), "{text}");
        }
        assert_eq!(rate(&of("unlimited")), Ok(None));
        for text in ["", "60", "0/min", "-1/s", "5/fortnight", "99999999999/s", "/s"] {
            assert!(rate(&of(text)).is_err(), "{text}");
        }
        for (text, number) in [("15MB", 15_000_000), ("1 MiB", 1_048_576), ("2000", 2_000), ("15_000kb", 15_000_000)] {
            assert_eq!(bytes(&of(text), 1, u64::MAX), Ok(number), "{text}");
        }
        for text in ["", "MB", "1.5MB", "15 megs", "99999999999GB", "é"] {
            assert!(bytes(&of(text), 1, u64::MAX).is_err(), "{text}");
        }
    }
}
