//! Parses a list of real events from CSV: `begin[,end][,label][,topic]`, by position or by the names in its first
//! line. An error names its line, and nothing of the file is used then.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use crate::insight::RealEvent;
use crate::insight::daily::day_of;
use crate::model::Time;

/// Maximum number of events in a list.
const MOST_EVENTS: usize = 10_000;
/// The columns, in their order when the first line has no names.
const COLUMNS: [&str; 4] = ["begin", "end", "label", "topic"];
/// How long an instant without an end lasts, in milliseconds.
const DAY: i64 = 86_400_000;
/// How to write an instant.
const HINT: &str = "write a day (2026-03-12) or a time (2026-03-12T14:30:00Z; without Z in the alert's timezone)";

/// Why a list was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventsError {
    pub text: String,
    pub hint: String,
}

/// The first and last instant of a cell: they differ for a day, and are equal for an instant.
struct TimeRange {
    first: Time,
    last: Time,
    is_day: bool,
}

fn parse_time_range(text: &str, timezone: &str) -> Option<TimeRange> {
    if let (10, Ok(date)) = (text.len(), text.parse::<Date>()) {
        let span = day_of(date, timezone)?.span;
        return Some(TimeRange { first: span.from, last: Time(span.until.0 - 1), is_day: true });
    }
    let local = || {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        let at = zone.to_ambiguous_zoned(text.parse::<DateTime>().ok()?).compatible().ok()?;
        Some(Time::from_jiff(at.timestamp()))
    };
    let at = Time::parse(text).or_else(local)?;
    Some(TimeRange { first: at, last: at, is_day: false })
}

/// Which cell holds which column; `None` if the first line has no names.
fn parse_header(first: &csv::StringRecord) -> Result<Option<[Option<usize>; 4]>, EventsError> {
    let named = |cell: &str| COLUMNS.iter().position(|name| cell.eq_ignore_ascii_case(name));
    if !first.iter().any(|cell| named(cell) == Some(0)) {
        return Ok(None);
    }
    let mut order = [None; 4];
    for (place, cell) in first.iter().enumerate() {
        let free = named(cell).and_then(|column| order.get_mut(column)).filter(|slot| slot.is_none());
        let Some(slot) = free else {
            return Err(EventsError {
                text: format!("line 1: the column `{cell}` is unknown or appears twice"),
                hint: format!("the columns are {}", COLUMNS.join(", ")),
            });
        };
        *slot = Some(place);
    }
    Ok(Some(order))
}

/// Parses a list. Days and instants without an offset are in `timezone`. `topics` are those the alert may evaluate.
pub fn parse_events(text: &str, timezone: &str, topics: &[String]) -> Result<Vec<RealEvent>, EventsError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let mut columns = [Some(0), Some(1), Some(2), Some(3)];
    let mut events = Vec::new();
    for (number, record) in reader.records().enumerate() {
        let record = record.map_err(|error| EventsError {
            text: format!("this is not valid CSV: {error}"),
            hint: "is it the right file? Write begin[,end][,label][,topic], one event per line".to_owned(),
        })?;
        if number == 0
            && let Some(named) = parse_header(&record)?
        {
            columns = named;
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let bad =
            |text: String, hint: &str| EventsError { text: format!("line {line}: {text}"), hint: hint.to_owned() };
        if record.len() > COLUMNS.len() {
            return Err(bad(
                format!("{} cells, more than begin,end,label,topic", record.len()),
                "put a label with commas in double quotes",
            ));
        }
        if events.len() == MOST_EVENTS {
            return Err(bad(format!("more than {MOST_EVENTS} events"), "split the file"));
        }
        let cell = |column: usize| {
            let place = columns.get(column).copied().flatten()?;
            record.get(place).filter(|cell| !cell.is_empty())
        };
        let read = |name: &str, text: &str| {
            parse_time_range(text, timezone)
                .ok_or_else(|| bad(format!("`{name}` is not a day or a time: {text}"), HINT))
        };
        let begin = cell(0).ok_or_else(|| bad("`begin` is empty".to_owned(), HINT))?;
        let begin = read("begin", begin)?;
        let end = match cell(1) {
            Some(end) => read("end", end)?.last,
            None if begin.is_day => begin.last,
            None => Time(begin.first.0.saturating_add(DAY)),
        };
        if end < begin.first {
            return Err(bad("the event ends before it begins".to_owned(), "swap `begin` and `end`"));
        }
        let topic = cell(3).map(str::to_owned);
        if let Some(topic) = topic.as_ref().filter(|topic| !topics.contains(topic)) {
            return Err(bad(
                format!("the alert does not cover the topic `{topic}`"),
                &format!("it covers {}; leave the cell empty for all of them", list_topics(topics)),
            ));
        }
        events.push(RealEvent { topic, begin: begin.first, end, label: cell(2).map(str::to_owned) });
    }
    if events.is_empty() {
        let hint = "write begin[,end][,label][,topic], one event per line".to_owned();
        return Err(EventsError { text: "it contains no events".to_owned(), hint });
    }
    events.sort_by(|a, b| (a.begin, a.end, &a.label).cmp(&(b.begin, b.end, &b.label)));
    Ok(events)
}

fn list_topics(topics: &[String]) -> String {
    let first: Vec<&str> = topics.iter().take(10).map(String::as_str).collect();
    let more = if topics.len() > first.len() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    fn read(text: &str) -> Result<Vec<RealEvent>, String> {
        let topics = ["acme".to_owned(), "other".to_owned()];
        parse_events(text, "Europe/Berlin", &topics).map_err(|bad| format!("{} hint: {}", bad.text, bad.hint))
    }

    fn describe(text: &str) -> Vec<String> {
        let one = |event: RealEvent| {
            let (topic, label) = (event.topic.unwrap_or_default(), event.label.unwrap_or_default());
            format!("{}/{} {label} {topic}", event.begin.iso_millis(), event.end.iso_millis()).trim().to_owned()
        };
        read(text).unwrap().into_iter().map(one).collect()
    }

    #[test]
    fn days_and_instants_are_read_with_or_without_a_header_line() {
        // Daylight saving time begins in Berlin on 29 March: that day has 23 hours.
        assert_eq!(describe("2026-03-29"), ["2026-03-28T23:00:00.000Z/2026-03-29T21:59:59.999Z"]);
        assert_eq!(
            describe("2026-03-12,2026-03-13,\"a launch, at last\",acme\n"),
            ["2026-03-11T23:00:00.000Z/2026-03-13T22:59:59.999Z a launch, at last acme"]
        );
        assert_eq!(
            describe("\u{feff}label, begin\nsecond,2026-03-12 14:30\nfirst,2026-03-12T10:00:00Z\n"),
            [
                "2026-03-12T10:00:00.000Z/2026-03-13T10:00:00.000Z first",
                "2026-03-12T13:30:00.000Z/2026-03-13T13:30:00.000Z second"
            ]
        );
        assert_eq!(
            describe("2015-03-03 04:37:53.000000,2015-03-03 05:00:00.000000"),
            ["2015-03-03T03:37:53.000Z/2015-03-03T04:00:00.000Z"]
        );
    }

    #[test]
    fn an_unreadable_event_is_an_error_with_its_line() {
        for (text, expected) in [
            ("", "it contains no events"),
            ("begin,end\n", "it contains no events"),
            ("begin,until\n2026-03-12,2026-03-13", "line 1: the column `until` is unknown"),
            ("begin,begin\n2026-03-12,2026-03-13", "line 1: the column `begin` is unknown or appears twice"),
            ("2026-03-12\nyesterday\n", "line 2: `begin` is not a day or a time: yesterday hint: write a day"),
            ("2026-02-30", "line 1: `begin` is not a day or a time"),
            ("2026-03-12,soon", "line 1: `end` is not a day or a time: soon"),
            (",2026-03-12", "line 1: `begin` is empty"),
            ("2026-03-13,2026-03-12", "line 1: the event ends before it begins"),
            ("2026-03-12,,a,acme,b", "line 1: 5 cells"),
            ("2026-03-12,,a,acne", "line 1: the alert does not cover the topic `acne` hint: it covers acme, other"),
        ] {
            let got = read(text).unwrap_err();
            assert!(got.contains(expected), "{text:?}: {got}");
        }
        let many = "2026-03-12\n".repeat(MOST_EVENTS + 1);
        assert!(read(&many).unwrap_err().contains("line 10001: more than 10000 events"));
    }
}
