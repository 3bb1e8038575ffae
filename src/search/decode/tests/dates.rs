//! Dates in every spelling seen, and texts that are not dates.

use super::*;
use crate::search::decode::entry::date::parse;

#[test]
fn every_known_date_format_is_parsed() {
    for (text, at) in [
        ("Wed Mar 11 05:45:48 +0000 2026", "2026-03-11T05:45:48Z"),
        ("Wed Mar 11 05:45:48 +0530 2026", "2026-03-11T00:15:48Z"),
        ("2026-03-11T05:45:48Z", "2026-03-11T05:45:48Z"),
        ("2026-03-11T05:45:48.123Z", "2026-03-11T05:45:48.123Z"),
        ("2026-03-11T05:45:48+01:00", "2026-03-11T04:45:48Z"),
        ("2026-03-11T05:45:48+0000", "2026-03-11T05:45:48Z"),
        ("2026-03-11 05:45:48+00:00", "2026-03-11T05:45:48Z"),
        ("2026-03-11T05:45:48", "2026-03-11T05:45:48Z"),
        ("2026-03-11 05:45:48", "2026-03-11T05:45:48Z"),
        ("2026-03-11T05:45:48.123456", "2026-03-11T05:45:48.123Z"),
        ("2026-03-11", "2026-03-11T00:00:00Z"),
        (" 2026-03-11\n", "2026-03-11T00:00:00Z"),
        ("Wed, 11 Mar 2026 05:45:48 GMT", "2026-03-11T05:45:48Z"),
        ("Wed, 11 Mar 2026 05:45:48 -0800", "2026-03-11T13:45:48Z"),
        ("Mar 11, 2026", "2026-03-11T00:00:00Z"),
        ("March 11, 2026", "2026-03-11T00:00:00Z"),
        ("Sept. 5, 2025", "2025-09-05T00:00:00Z"),
        ("11 March 2026", "2026-03-11T00:00:00Z"),
        ("March 11th, 2026 at 5:45 PM", "2026-03-11T17:45:00Z"),
        ("Mar 11, 2026, 12:05am EST", "2026-03-11T05:05:00Z"),
        ("Mar 10", "2026-03-10T00:00:00Z"),
        ("Mar 12", "2026-03-12T00:00:00Z"),
        ("Mar 13", "2025-03-13T00:00:00Z"),
        ("Dec 24", "2025-12-24T00:00:00Z"),
        ("Feb 29", "2024-02-29T00:00:00Z"),
        ("17 hours ago", "2026-03-10T16:00:00Z"),
        ("17\u{a0}hours ago", "2026-03-10T16:00:00Z"),
        ("an hour ago", "2026-03-11T08:00:00Z"),
        ("1 hr ago", "2026-03-11T08:00:00Z"),
        ("5 mins ago", "2026-03-11T08:55:00Z"),
        ("30 seconds ago", "2026-03-11T08:59:30Z"),
        ("a day ago", "2026-03-10T09:00:00Z"),
        ("Yesterday", "2026-03-10T09:00:00Z"),
        ("2 weeks ago", "2026-02-25T09:00:00Z"),
        ("1 month ago", "2026-02-09T09:00:00Z"),
        ("1 year ago", "2025-03-11T09:00:00Z"),
        ("3d ago", "2026-03-08T09:00:00Z"),
        ("just now", "2026-03-11T09:00:00Z"),
        ("1773219600", "2026-03-11T09:00:00Z"),
        ("1773219600000", "2026-03-11T09:00:00Z"),
    ] {
        assert_eq!(parse(text, NOW).map(|t| t.to_string()).as_deref(), Some(at), "{text}");
    }
}

#[test]
fn texts_that_are_not_dates_are_not_guessed() {
    for text in [
        "",
        " ",
        "soon",
        "ago",
        "hours ago",
        "-3 hours ago",
        "3 moons ago",
        "99999999999 hours ago",
        "4000000000 years ago",
        "Mar",
        "Mar 2026",
        "11",
        "2026",
        "Mar 32, 2026",
        "Feb 30, 2026",
        "Feb 29, 2026",
        "Mar 11 12, 2026",
        "03/11/2026",
        "Mar 11, 2026 25:00",
        "Mar 11, 2026 13:00 pm",
        "2026-13-01",
        "2026-03-11T25:00:00Z",
        "12:30",
        "Mar 11, 2026 1:2:3:4",
        "Mar 11, 2026 +9900",
        "Mar 11, 2026 +1",
        "May the force be with you",
        "99999999999999999999",
        "+",
        "١١ Mar 2026",
        "a very long text that begins with a date: Mar 11, 2026, and goes on and on",
    ] {
        assert_eq!(parse(text, NOW), None, "{text}");
    }
}

#[test]
fn a_numeric_date_is_seconds_or_milliseconds() {
    for (date, at) in [
        ("1773219600", Some(NOW)),
        ("1773219600000", Some(NOW)),
        ("1773219600.5", Some(NOW)),
        ("-5", None),
        ("7", None),
    ] {
        let reply = read(Source::Social, &format!(r#"[{{"text":"t","created_at":{date}}}]"#));
        assert_eq!(reply.items[0].published_at, at, "{date}");
    }
}

#[test]
fn an_unreadable_date_falls_back_to_the_next_member() {
    let reply = read(Source::Web, r#"[{"title":"t","published_date":"soon","date":"2026-03-11"}]"#);
    assert_eq!(reply.items[0].published_at, Time::parse("2026-03-11T00:00:00Z"));
}

#[test]
fn zero_dates_and_absurd_years_are_ignored() {
    for text in [
        "0001-01-01T00:00:00Z",
        "0001-01-01",
        "1970-01-01T00:00:00Z",
        "Thu Jan 01 00:00:00 +0000 1970",
        "1699-12-31T23:59:59.999Z",
        "2200-01-01",
        "9999-12-31T23:59:59Z",
        "Dec 31 9999 23:59 -0800",
        "4000 years ago",
    ] {
        assert_eq!(parse(text, NOW), None, "{text}");
    }
    for (text, at) in [
        ("1700-01-01", "1700-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.5Z"),
        ("1970-01-01T00:00:01Z", "1970-01-01T00:00:01Z"),
        ("2199-12-31T23:59:59Z", "2199-12-31T23:59:59Z"),
    ] {
        assert_eq!(parse(text, NOW).map(|t| t.to_string()).as_deref(), Some(at), "{text}");
    }
}
