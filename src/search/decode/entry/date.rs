//! Parses the dates that deployments write; no library reads them all and rejects the rest: ISO 8601, the platform's
//! own `Wed Mar 11 05:45:48 +0000 2026`, RFC 2822, plain English (`Mar 11, 2026`) and English relative to the reply
//! (`17 hours ago`). Anything else is rejected, never guessed. A date without a time is midnight UTC; one without a
//! zone is UTC. A month ago is 30 days ago, a year ago is 365.

use jiff::civil;
use jiff::tz::TimeZone;

use crate::model::Time;
use crate::search::decode::json::node::{Node, Object};

const DAY_MS: i64 = 86_400_000;
/// The accepted instants: the years 1700 to 2199. Other dates are zero dates of programs (year 1 of .NET and Go) or
/// mistakes. One of them makes a whole export unreadable for programs that count nanoseconds in 64 bits (1677 to 2262).
const BELIEVED: std::ops::Range<i64> = -8_520_336_000_000..7_258_118_400_000;
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Zone names of RFC 2822, in hours from UTC.
const ZONES: [(&str, i64); 12] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("ut", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

/// Returns the first of these members that is a date. Numbers are seconds or milliseconds since the epoch.
pub(super) fn first_date(entry: &Object, names: &[&str], now: Time) -> Option<Time> {
    names.iter().find_map(|name| match entry.get(name)? {
        Node::Text(text) => parse(text, now),
        Node::Number(number) => epoch(number.as_i64().or_else(|| {
            let seconds = number.as_f64().filter(|s| (0.0..1e12).contains(s))?;
            #[expect(clippy::cast_possible_truncation, reason = "bounded above, and whole seconds are enough")]
            Some(seconds as i64)
        })?),
        _ => None,
    })
}

/// Parses a date; relative ones count from `now`. Unix time zero means that there is no date.
pub(in crate::search::decode) fn parse(text: &str, now: Time) -> Option<Time> {
    parse_any(text, now).filter(|at| at.0 != 0 && BELIEVED.contains(&at.0))
}

fn parse_any(text: &str, now: Time) -> Option<Time> {
    let text = text.trim();
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return epoch(text.parse().ok()?);
    }
    parse_iso(text).or_else(|| {
        let lower = text.to_lowercase();
        parse_relative(&lower, now).or_else(|| parse_words(&lower, now))
    })
}

/// Reads seconds or milliseconds since the epoch, by their size; years 2001 to 2286.
fn epoch(number: i64) -> Option<Time> {
    match number {
        1_000_000_000..=9_999_999_999 => Some(Time(number * 1_000)),
        1_000_000_000_000..=9_999_999_999_999 => Some(Time(number)),
        _ => None,
    }
}

fn parse_iso(text: &str) -> Option<Time> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Time::parse(text)
        .or_else(|| utc(text.parse::<civil::DateTime>().ok()?))
        .or_else(|| utc(text.parse::<civil::Date>().ok()?.at(0, 0, 0, 0)))
}

fn utc(at: civil::DateTime) -> Option<Time> {
    Some(Time::from_jiff(TimeZone::UTC.to_timestamp(at).ok()?))
}

/// Parses `17 hours ago`, `an hour ago`, `2d ago`, `yesterday`, `just now`.
fn parse_relative(text: &str, now: Time) -> Option<Time> {
    match text {
        "now" | "just now" | "today" | "moments ago" => return Some(now),
        "yesterday" => return Some(Time(now.0.checked_sub(DAY_MS)?)),
        _ => {}
    }
    let before = text.strip_suffix("ago")?.trim();
    let (number, unit): (u32, &str) = match before.split_once(char::is_whitespace) {
        Some(("a" | "an" | "one", unit)) => (1, unit),
        Some((number, unit)) => (number.parse().ok()?, unit),
        None => {
            let end = before.find(|c: char| !c.is_ascii_digit())?;
            (before[..end].parse().ok()?, &before[end..])
        }
    };
    let unit = match unit.trim().trim_end_matches('.') {
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => DAY_MS,
        "w" | "wk" | "wks" | "week" | "weeks" => 7 * DAY_MS,
        "mo" | "mos" | "month" | "months" => 30 * DAY_MS,
        "y" | "yr" | "yrs" | "year" | "years" => 365 * DAY_MS,
        _ => return None,
    };
    let span = i64::from(number).checked_mul(unit)?;
    Some(Time(now.0.checked_sub(span)?)).filter(|at| at.to_jiff().is_some())
}

/// A date in words. Each word must be a part of a date, and no part may occur twice.
#[derive(Default)]
struct Parts {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Option<(i8, i8, i8)>,
    /// 0 for a.m., 12 for p.m.
    half: Option<i8>,
    /// Offset from UTC, in milliseconds.
    offset: Option<i64>,
}

fn parse_words(text: &str, now: Time) -> Option<Time> {
    Parts::of(text)?.instant(now)
}

/// Parses a date in words that includes its year.
pub(in crate::search) fn parse_date_in_words(text: &str) -> Option<Time> {
    let parts = Parts::of(&Some(text).filter(|text| text.len() <= 64)?.to_lowercase())?;
    parts.year?;
    parts.instant(Time(0))
}

fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.replace(value).is_none().then_some(())
}

impl Parts {
    fn of(text: &str) -> Option<Self> {
        let mut parts = Self::default();
        for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            parts.take(word)?;
        }
        Some(parts)
    }

    /// Adds one word. `None` when it is not a part of a date or that part is already set.
    fn take(&mut self, word: &str) -> Option<()> {
        let bare = word.trim_end_matches('.');
        let names = |names: &[&str]| names.iter().position(|name| *name == bare);
        if let Some(month) = names(&MONTHS).or_else(|| names(&LONG_MONTHS)).or_else(|| (bare == "sept").then_some(8)) {
            return set(&mut self.month, i8::try_from(month + 1).ok()?);
        }
        if bare == "at" || (bare.len() >= 3 && WEEKDAYS.iter().any(|day| day.starts_with(bare))) {
            return Some(());
        }
        if let Some((_, hours)) = ZONES.iter().find(|(zone, _)| *zone == bare) {
            return set(&mut self.offset, hours * 3_600_000);
        }
        match bare {
            "am" | "a.m" => return set(&mut self.half, 0),
            "pm" | "p.m" => return set(&mut self.half, 12),
            _ => {}
        }
        if word.starts_with(['+', '-']) {
            return set(&mut self.offset, offset(word)?);
        }
        if word.contains(':') {
            let clock =
                match word.strip_suffix("am").map(|w| (w, 0)).or_else(|| word.strip_suffix("pm").map(|w| (w, 12))) {
                    Some((clock, half)) => {
                        set(&mut self.half, half)?;
                        clock
                    }
                    None => word,
                };
            return set(&mut self.time, clock_time(clock)?);
        }
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        match digits.len() {
            1 | 2 => set(&mut self.day, digits.parse().ok()?),
            4 => set(&mut self.year, digits.parse().ok()?),
            _ => None,
        }
    }

    /// The instant. A date without a year is the latest such day that is not after tomorrow.
    fn instant(self, now: Time) -> Option<Time> {
        let (hour, minute, second) = self.time.unwrap_or_default();
        let hour = match self.half {
            Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
            Some(_) => return None,
            None => hour,
        };
        let (month, day) = (self.month?, self.day?);
        let at = |year| {
            let date = civil::Date::new(year, month, day).ok()?;
            let local = utc(date.to_datetime(civil::Time::new(hour, minute, second.min(59), 0).ok()?))?;
            Some(Time(local.0 - self.offset.unwrap_or(0)))
        };
        match self.year {
            Some(year) => at(year),
            None => {
                let year = now.to_jiff()?.to_zoned(TimeZone::UTC).year();
                // Eight years: a century year may have no leap day.
                (0..=8).find_map(|back| at(year.checked_add(1)? - back).filter(|t| t.0 <= now.0 + DAY_MS))
            }
        }
    }
}

/// Parses `05:45` or `05:45:48`. Drops a fraction of a second.
fn clock_time(text: &str) -> Option<(i8, i8, i8)> {
    let mut numbers = text.split(':');
    let two = |text: &str| (text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?;
    let hour = two(numbers.next()?)?;
    let minute = two(numbers.next()?)?;
    let second = match numbers.next() {
        Some(second) => two(second.split('.').next()?)?,
        None => 0,
    };
    let holds = numbers.next().is_none() && hour >= 0 && (0..60).contains(&minute) && (0..=60).contains(&second);
    holds.then_some((hour, minute, second))
}

/// Parses `+0530` or `+05:30` to milliseconds.
fn offset(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i64, i64) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    (hours <= 15 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}
