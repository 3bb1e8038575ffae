//! Tests of `explain`: clock changes in words, and slots that match the schedule.

use super::{policy, time};
use crate::model::{Period, SchedulePolicy};
use crate::schedule::{Schedule, explain};

fn in_zone(expression: &str, timezone: &str) -> SchedulePolicy {
    SchedulePolicy { timezone: timezone.to_owned(), ..policy(Period::Cron(expression.to_owned())) }
}

#[test]
fn days_with_a_clock_change_are_described() {
    for (expression, zone, after, effects) in [
        (
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-01T00:00:00Z",
            [
                "02:30 occurs twice on 2026-10-25: runs the first time",
                "02:30 does not exist on 2027-03-28: runs once at 03:00",
            ],
        ),
        (
            "15,45 2 * * *",
            "Europe/Berlin",
            "2026-01-01T00:00:00Z",
            [
                "02:15 and 02:45 do not exist on 2026-03-29: they run once, together, at 03:00",
                "02:15 and 02:45 occur twice on 2026-10-25: they run the first time",
            ],
        ),
        (
            "0 2,3 * * *",
            "Europe/Berlin",
            "2026-01-01T00:00:00Z",
            [
                "02:00 does not exist on 2026-03-29: runs once at 03:00, combined with the slot at that time",
                "02:00 occurs twice on 2026-10-25: runs the first time",
            ],
        ),
        (
            "0 9 * * *",
            "Europe/Berlin",
            "2026-01-01T00:00:00Z",
            [
                "02:00 to 03:00 does not exist on 2026-03-29: no slot falls in it",
                "02:00 to 03:00 occurs twice on 2026-10-25: no slot falls in it",
            ],
        ),
        (
            "*/10 2 * * *",
            "America/New_York",
            "2026-01-01T00:00:00Z",
            [
                "02:00, 02:10, 02:20 and 3 more do not exist on 2026-03-08: they do not run",
                "01:00 to 02:00 occurs twice on 2026-11-01: no slot falls in it",
            ],
        ),
        (
            "30 * * * *",
            "Europe/Berlin",
            "2026-01-01T00:00:00Z",
            ["02:30 does not exist on 2026-03-29: does not run", "02:30 occurs twice on 2026-10-25: runs both times"],
        ),
        (
            "15 2 * * *",
            "Australia/Lord_Howe",
            "2026-01-01T00:00:00Z",
            [
                "01:30 to 02:00 occurs twice on 2026-04-05: no slot falls in it",
                "02:15 does not exist on 2026-10-04: runs once at 02:30",
            ],
        ),
        (
            "30 23 * * *",
            "Africa/Cairo",
            "2026-10-01T00:00:00Z",
            [
                "23:30 occurs twice on 2026-10-29: runs the first time",
                "00:00 to 01:00 does not exist on 2027-04-30: no slot falls in it",
            ],
        ),
    ] {
        let explanation = explain(&in_zone(expression, zone), time(after), 0).unwrap();
        let got: Vec<&str> = explanation.changes.iter().map(|change| change.effect.as_str()).collect();
        assert_eq!(got, effects, "{expression} in {zone}");
    }
}

#[test]
fn a_skipped_local_day_is_described_with_both_dates() {
    let explanation = explain(&in_zone("0 9 * * *", "Pacific/Apia"), time("2011-12-29T00:00:00Z"), 3).unwrap();
    assert_eq!(explanation.changes[0].effect, "09:00 does not exist on 2011-12-30: runs once at 2011-12-31 00:00");
    let slots: Vec<_> = explanation.slots.iter().map(|slot| (slot.local.as_str(), slot.note.is_some())).collect();
    assert_eq!(
        slots,
        [("Thu 2011-12-29 09:00", false), ("Sat 2011-12-31 00:00", true), ("Sat 2011-12-31 09:00", false)]
    );
}

#[test]
fn a_slot_near_a_clock_change_explains_its_effect() {
    let notes = |expression: &str, after: &str, n: usize| -> Vec<String> {
        let explanation = explain(&in_zone(expression, "Europe/Berlin"), time(after), n).unwrap();
        let lines = explanation.slots.into_iter().map(|slot| {
            format!("{} {} {} {}", slot.slot, slot.local, slot.offset, slot.note.unwrap_or_default())
                .trim_end()
                .to_owned()
        });
        lines.collect()
    };
    assert_eq!(
        notes("30 2 * * *", "2026-10-24T00:00:00Z", 3),
        [
            "2026-10-24T00:30:00Z Sat 2026-10-24 02:30 +02:00",
            "2026-10-25T00:30:00Z Sun 2026-10-25 02:30 +02:00 02:30 occurs twice on 2026-10-25: runs the first time",
            "2026-10-26T01:30:00Z Mon 2026-10-26 02:30 +01:00",
        ]
    );
    assert_eq!(
        notes("30 2 * * *", "2027-03-27T12:00:00Z", 2),
        [
            "2027-03-28T01:00:00Z Sun 2027-03-28 03:00 +02:00 02:30 does not exist on 2027-03-28: runs once at 03:00",
            "2027-03-29T00:30:00Z Mon 2027-03-29 02:30 +02:00",
        ]
    );
    assert_eq!(
        notes("*/30 2 * * *", "2026-10-24T23:00:00Z", 4),
        [
            "2026-10-25T00:00:00Z Sun 2026-10-25 02:00 +02:00 02:00 and 02:30 occur twice on 2026-10-25: they run both times",
            "2026-10-25T00:30:00Z Sun 2026-10-25 02:30 +02:00 02:00 and 02:30 occur twice on 2026-10-25: they run both times",
            "2026-10-25T01:00:00Z Sun 2026-10-25 02:00 +01:00 02:00 and 02:30 occur twice on 2026-10-25: they run both times",
            "2026-10-25T01:30:00Z Sun 2026-10-25 02:30 +01:00",
        ]
    );
}

#[test]
fn a_zone_without_clock_changes_has_none_and_a_period_is_not_moved() {
    for zone in ["UTC", "Asia/Tokyo", "Etc/GMT+7"] {
        assert_eq!(explain(&in_zone("0 9 * * *", zone), time("2026-01-01T00:00:00Z"), 1).unwrap().changes, []);
    }
    let period = SchedulePolicy { timezone: "Europe/Berlin".to_owned(), ..policy(Period::Every(900_000)) };
    let explanation = explain(&period, time("2026-01-01T00:00:00Z"), 1).unwrap();
    assert!(explanation.changes[0].effect.ends_with("no slot is skipped or doubled"), "{explanation:?}");
    assert_eq!(
        explanation.slots[0].slot,
        Schedule::compile(&period).unwrap().next_after(time("2026-01-01T00:00:00Z")).unwrap()
    );
}
