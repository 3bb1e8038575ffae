//! Days with a clock change, with expected slots derived by hand from the zones' rules.

use super::{cron, time};
use crate::model::Time;
use crate::schedule::parse_cron;

/// Expression, zone, start, end, and every slot in between in UTC without seconds.
const DAYS: &[(&str, &str, &str, &str, &[&str])] = &[
    // Berlin, 29 March 2026: 02:00 CET (01:00Z) becomes 03:00 CEST.
    ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", &["29T01:00", "30T00:30"]),
    ("15,45 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", &["29T01:00"]),
    ("0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", &["29T01:00"]),
    (
        "30 1-4 * * *",
        "Europe/Berlin",
        "2026-03-28T12:00:00Z",
        "2026-03-29T12:00:00Z",
        &["29T00:30", "29T01:00", "29T01:30", "29T02:30"],
    ),
    (
        "*/30 * * * *",
        "Europe/Berlin",
        "2026-03-29T00:00:00Z",
        "2026-03-29T02:00:00Z",
        &["29T00:30", "29T01:00", "29T01:30", "29T02:00"],
    ),
    ("*/15 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", &[]),
    // Berlin, 25 October 2026: 03:00 CEST (01:00Z) becomes 02:00 CET.
    ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z", &["25T00:30", "26T01:30"]),
    ("0 2,3 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", &["25T00:00", "25T02:00"]),
    ("15,45 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", &["25T00:15", "25T00:45"]),
    (
        "*/30 2 * * *",
        "Europe/Berlin",
        "2026-10-24T12:00:00Z",
        "2026-10-25T12:00:00Z",
        &["25T00:00", "25T00:30", "25T01:00", "25T01:30"],
    ),
    (
        "0 * * * *",
        "Europe/Berlin",
        "2026-10-24T23:30:00Z",
        "2026-10-25T03:00:00Z",
        &["25T00:00", "25T01:00", "25T02:00", "25T03:00"],
    ),
    // New York, 8 March and 1 November 2026, at 02:00 local time (07:00Z, 06:00Z).
    ("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z", &["08T07:00", "09T06:30"]),
    ("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z", &["01T05:30", "02T06:30"]),
    (
        "*/30 1 * * *",
        "America/New_York",
        "2026-10-31T12:00:00Z",
        "2026-11-01T12:00:00Z",
        &["01T05:00", "01T05:30", "01T06:00", "01T06:30"],
    ),
    // Lord Howe shifts by half an hour: on 4 October 2026 02:00 becomes 02:30 (3 October, 15:30Z), on 5 April back to
    // 01:30 (4 April, 15:00Z).
    ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T06:00:00Z", "2026-10-05T06:00:00Z", &["03T15:30", "04T15:15"]),
    ("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T06:00:00Z", "2026-04-06T06:00:00Z", &["04T14:45", "05T15:15"]),
    (
        "45 * * * *",
        "Australia/Lord_Howe",
        "2026-04-04T14:00:00Z",
        "2026-04-04T17:00:00Z",
        &["04T14:45", "04T15:15", "04T16:15"],
    ),
    // Cairo changes at midnight: 24 April 2026 begins at 01:00 (23 April, 22:00Z); 29 October has 23:00 twice.
    ("0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-25T12:00:00Z", &["23T22:00", "24T21:00"]),
    ("30 23 * * *", "Africa/Cairo", "2026-10-29T12:00:00Z", "2026-10-31T12:00:00Z", &["29T20:30", "30T21:30"]),
    (
        "*/30 23 * * *",
        "Africa/Cairo",
        "2026-10-29T12:00:00Z",
        "2026-10-30T12:00:00Z",
        &["29T20:00", "29T20:30", "29T21:00", "29T21:30"],
    ),
    // Troll shifts by two hours: on 29 March 2026 01:00 becomes 03:00 (01:00Z), on 25 October 03:00 becomes 01:00
    // (01:00Z).
    ("30 1,2 * * *", "Antarctica/Troll", "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", &["29T01:00"]),
    ("30 1,2 * * *", "Antarctica/Troll", "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", &["24T23:30", "25T00:30"]),
    (
        "30 * * * *",
        "Antarctica/Troll",
        "2026-10-24T23:00:00Z",
        "2026-10-25T03:00:00Z",
        &["24T23:30", "25T00:30", "25T01:30", "25T02:30"],
    ),
    // Apia skipped 30 December 2011: 29 December ends at 10:00Z on the 30th.
    (
        "0 9 * * *",
        "Pacific/Apia",
        "2011-12-29T00:00:00Z",
        "2011-12-31T12:00:00Z",
        &["29T19:00", "30T10:00", "30T19:00"],
    ),
    (
        "0 */12 * * *",
        "Pacific/Apia",
        "2011-12-29T11:00:00Z",
        "2011-12-31T00:00:00Z",
        &["29T22:00", "30T10:00", "30T22:00"],
    ),
];

#[test]
fn days_with_a_clock_change_have_exactly_the_expected_slots() {
    for (expression, zone, after, until, slots) in DAYS {
        let got: Vec<String> = cron(expression, zone)
            .slots(time(after), time(until))
            .map(|slot| slot.to_string()[8..16].to_owned())
            .collect();
        assert_eq!(got, *slots, "{expression} in {zone} after {after}");
        let counted = cron(expression, zone).count(time(after), time(until));
        assert_eq!(counted, slots.len() as u64, "{expression} in {zone} after {after}");
    }
}

#[test]
fn a_start_inside_the_second_pass_of_a_fold_does_not_repeat_the_first() {
    let daily = cron("45 2 * * *", "Europe/Berlin");
    for (after, next) in [
        ("2026-10-25T00:44:59.999Z", "2026-10-25T00:45:00Z"),
        ("2026-10-25T00:45:00Z", "2026-10-26T01:45:00Z"),
        ("2026-10-25T01:00:00Z", "2026-10-26T01:45:00Z"),
        ("2026-10-25T01:44:59Z", "2026-10-26T01:45:00Z"),
    ] {
        assert_eq!(daily.next_after(time(after)), Some(time(next)), "after {after}");
        assert_eq!(daily.count(time(after), time(next)), 1, "after {after}");
    }
    let every_second = cron("0-59 0-59 2,3 * * *", "Europe/Berlin");
    assert_eq!(every_second.next_after(time("2026-10-25T00:59:59Z")), Some(time("2026-10-25T02:00:00Z")));
}

#[test]
fn milliseconds_between_slots_never_repeat_or_lose_one() {
    let minutes = cron("* * * * *", "Europe/Berlin");
    for (after, next) in [
        ("2026-03-29T00:59:59.999Z", "2026-03-29T01:00:00Z"),
        ("2026-03-29T01:00:00.001Z", "2026-03-29T01:01:00Z"),
        ("1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z"),
        ("1969-12-31T23:59:00.001Z", "1970-01-01T00:00:00Z"),
    ] {
        assert_eq!(minutes.next_after(time(after)), Some(time(next)), "after {after}");
    }
}

#[test]
fn the_ends_of_the_calendar_do_not_panic() {
    for schedule in [cron("0 9 * * *", "Europe/Berlin"), cron("* * * * *", "Pacific/Apia"), cron("0 0 29 2 *", "UTC")] {
        assert_eq!(schedule.next_after(Time(i64::MAX)), None);
        assert_eq!(schedule.next_after(Time(i64::MIN)), None);
        assert_eq!(schedule.next_after(time("9999-12-30T00:00:00Z")), None);
        assert!(schedule.next_after(time("2200-01-01T00:00:00Z")).is_some());
    }
}

#[test]
fn cron_nicknames_have_the_slots_of_their_expressions() {
    for (nickname, fields) in [
        ("@hourly", "0 * * * *"),
        ("@Daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * SUN"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 JAN ?"),
    ] {
        let start = time("2026-03-28T12:00:00Z");
        let slots = |text: &str| {
            parse_cron(text, "Europe/Berlin")
                .unwrap()
                .slots(start, time("2030-01-02T00:00:00Z"))
                .take(50)
                .collect::<Vec<_>>()
        };
        assert_eq!(slots(nickname), slots(fields), "{nickname}");
    }
}

#[test]
fn a_slot_keeps_its_date_if_a_clock_change_skipped_its_time() {
    for (fields, zone, slot, date) in [
        ("30 23 * * *", "America/Nuuk", "2026-03-29T01:00:00Z", "2026-03-28"),
        ("0 0 * * *", "America/Nuuk", "2026-03-29T01:00:00Z", "2026-03-29"),
        ("30 0 * * *", "Africa/Cairo", "2026-04-23T22:00:00Z", "2026-04-24"),
        ("0 8 * * *", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30"),
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25"),
        ("*/30 * * * *", "America/Nuuk", "2026-03-29T01:00:00Z", "2026-03-29"),
    ] {
        let schedule = parse_cron(fields, zone).unwrap();
        assert_eq!(schedule.next_after(Time(time(slot).0 - 1)), Some(time(slot)), "{zone}");
        assert_eq!(
            schedule.date_of(time(slot)).map(|date| date.to_string()),
            Some(date.to_owned()),
            "{zone}: {fields}"
        );
    }
}
