//! Property tests for every schedule, and a slow, obvious implementation of the local-time rule to compare with.

use std::time::Duration;

use proptest::prelude::*;

use super::{cron, policy, time};
use crate::model::{Period, Time, Window};
use crate::schedule::{Schedule, explain, largest_uncovered_gap, parse_cron, parse_duration, zone_suggestions};

const ZONES: [&str; 9] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "Antarctica/Troll",
    "Pacific/Apia",
    "Africa/Casablanca",
    "America/Santiago",
];

fn expression() -> impl Strategy<Value = String> {
    let minute = prop_oneof![
        Just("*".to_owned()),
        Just("*/7".to_owned()),
        Just("10,50".to_owned()),
        (0..60_u8).prop_map(|m| m.to_string())
    ];
    let hour = prop_oneof![
        Just("*".to_owned()),
        Just("*/5".to_owned()),
        Just("0-3".to_owned()),
        (0..24_u8).prop_map(|h| h.to_string())
    ];
    let day = prop_oneof![4 => Just("*"), 1 => Just("L"), 1 => Just("1,30"), 1 => Just("15W")];
    let weekday = prop_oneof![4 => Just("*"), 1 => Just("SUN"), 1 => Just("MON-FRI"), 1 => Just("5#2")];
    (minute, hour, day, weekday).prop_map(|(m, h, d, w)| format!("{m} {h} {d} * {w}"))
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let crons = (expression(), prop::sample::select(&ZONES[..])).prop_map(|(text, zone)| cron(&text, zone));
    let periods = (60_000_u64..40 * 86_400_000).prop_map(|ms| Schedule::compile(&policy(Period::Every(ms))).unwrap());
    prop_oneof![3 => crons, 1 => periods]
}

/// Instants near clock changes, and anywhere in half a century.
fn instant() -> impl Strategy<Value = Time> {
    let changes = [
        "2026-03-29T01:00:00Z",
        "2026-10-25T01:00:00Z",
        "2026-10-03T15:30:00Z",
        "2011-12-30T10:00:00Z",
        "2026-04-23T22:00:00Z",
    ];
    prop_oneof![
        (prop::sample::select(changes.to_vec()), -100_000_000_i64..100_000_000)
            .prop_map(|(at, by)| Time(time(at).0 + by)),
        (0_i64..1_600_000_000_000).prop_map(Time),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slots_increase_strictly_and_stay_in_the_requested_interval(schedule in schedule(), after in instant(), hours in 1_u64..96) {
        let until = after.plus(Duration::from_secs(hours * 3_600));
        let slots: Vec<Time> = schedule.slots(after, until).collect();
        prop_assert!(slots.iter().all(|slot| *slot > after && *slot <= until));
        prop_assert!(slots.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn an_interval_in_two_parts_has_the_same_slots(schedule in schedule(), after in instant(), cut in 0_u64..172_800_000, rest in 0_u64..172_800_000) {
        let middle = after.plus(Duration::from_millis(cut));
        let until = middle.plus(Duration::from_millis(rest));
        let at_once: Vec<Time> = schedule.slots(after, until).collect();
        let parts: Vec<Time> = schedule.slots(after, middle).chain(schedule.slots(middle, until)).collect();
        prop_assert_eq!(at_once, parts);
    }

    #[test]
    fn a_process_that_starts_anywhere_finds_the_same_next_slot(schedule in schedule(), after in instant(), share in 0.0_f64..1.0) {
        let Some(next) = schedule.next_after(after) else { return Ok(()) };
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "some instant before the slot")]
        let restart = Time(after.0 + ((next.0 - after.0 - 1) as f64 * share) as i64);
        prop_assert_eq!(schedule.next_after(restart), Some(next));
    }

    #[test]
    fn counting_slots_equals_walking_through_them(schedule in schedule(), after in instant(), length in 0_u64..260_000_000) {
        let until = after.plus(Duration::from_millis(length));
        let slots: Vec<Time> = schedule.slots(after, until).collect();
        prop_assert_eq!(schedule.count(after, until), slots.len() as u64);
        prop_assert_eq!(schedule.last(after, until), slots.last().copied());
        prop_assert_eq!(schedule.count(until, after), 0);
    }

    #[test]
    fn first_slots_of_local_days_are_counted_once_for_any_split_of_time(
        schedule in schedule(), zone in prop::sample::select(&ZONES[..]), after in instant(), cut in 0_u64..172_800_000, rest in 0_u64..172_800_000,
    ) {
        let middle = after.plus(Duration::from_millis(cut));
        let until = middle.plus(Duration::from_millis(rest));
        let firsts = |a, b| schedule.count_first_of_day(zone, a, b).unwrap();
        prop_assert_eq!(firsts(after, until), firsts(after, middle) + firsts(middle, until));
        // Count by walking, starting early enough to know the first slot of the first day.
        let zoned = jiff::tz::TimeZone::get(zone).unwrap();
        let day = |slot: &Time| zoned.to_datetime(slot.to_jiff().unwrap()).date();
        let mut days: Vec<_> = schedule.slots(after.minus(Duration::from_secs(3 * 86_400)), until).map(|s| (day(&s), s)).collect();
        days.dedup_by_key(|(day, _)| *day);
        let walked = days.iter().filter(|(_, slot)| *slot > after).count();
        prop_assert_eq!(firsts(after, until), walked as u64);
    }

    #[test]
    fn explained_slots_equal_the_real_slots(text in expression(), zone in prop::sample::select(&ZONES[..]), after in instant(), n in 0_usize..40) {
        let policy = crate::model::SchedulePolicy { timezone: zone.to_owned(), ..policy(Period::Cron(text)) };
        let explained: Vec<Time> = explain(&policy, after, n).unwrap().slots.iter().map(|slot| slot.slot).collect();
        let slots: Vec<Time> = Schedule::compile(&policy).unwrap().slots(after, Time(i64::MAX)).take(n).collect();
        prop_assert_eq!(explained, slots);
    }

    #[test]
    fn cron_slots_equal_a_check_of_every_minute(text in expression(), zone in prop::sample::select(&ZONES[..]), after in instant()) {
        let after = Time(after.0.div_euclid(60_000) * 60_000);
        let until = after.plus(Duration::from_secs(30 * 3_600));
        let slots: Vec<Time> = cron(&text, zone).slots(after, until).collect();
        prop_assert_eq!(slots, by_every_minute(&text, zone, after, until));
    }
}

proptest! {
    // Each case walks through more than a year.
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_largest_uncovered_gap_equals_a_walk_through_every_slot(
        minute in 0..60_u8,
        hour in prop::sample::select(vec!["*/5", "0-3", "2", "23"]),
        days in prop::sample::select(vec!["* * *", "L * *", "1,30 * 5#2", "* * MON-FRI", "* 3,10 *", "? * SUN"]),
        zone in prop::sample::select(&ZONES[..]),
        after in instant(),
    ) {
        let text = format!("{minute} {hour} {days}");
        let schedule = cron(&text, zone);
        let slots: Vec<Time> = schedule.slots(after, after.plus(Duration::from_secs(800 * 86_400))).collect();
        let horizon = after.plus(Duration::from_secs(400 * 86_400));
        let gaps = slots.windows(2).filter(|pair| pair[0] < horizon).map(|pair| pair[1].since(pair[0]));
        let largest = gaps.max().unwrap_or_default();
        for window in Window::ALL {
            let over = largest.checked_sub(window.length()).filter(|over| !over.is_zero());
            prop_assert_eq!(largest_uncovered_gap(&schedule, *window, after).map(|one| one.over), over, "{} {}", text, zone);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_any_cron_text_never_panics_and_accepted_ones_have_slots(
        fields in prop::collection::vec("[0-9*/,LW#?+AFINOSTU-]{1,4}|\\*|[0-9]{1,2}|\\*/[0-9]{1,2}", 4..8),
        noise in "\\PC{0,40}",
        after in instant(),
    ) {
        for text in [fields.join(" "), noise.clone()] {
            match parse_cron(&text, "Antarctica/Troll") {
                Ok(schedule) => prop_assert!(schedule.next_after(after) > Some(after), "{}", text),
                Err(refused) => prop_assert!(!refused.message.is_empty() && !refused.hint.is_empty(), "{}", text),
            }
            let _ = parse_duration(&text);
        }
        prop_assert!(zone_suggestions(&noise).len() <= 3);
    }
}

/// The rule implemented directly: checks every minute of real time (real-time patterns), or every minute of civil time
/// and where it falls (fixed local times).
fn by_every_minute(text: &str, zone: &str, after: Time, until: Time) -> Vec<Time> {
    let zone = jiff::tz::TimeZone::get(zone).unwrap();
    let pattern: croner::Cron = text.parse().unwrap();
    let minute = jiff::SignedDuration::from_mins(1);
    let (start, end) = (after.to_jiff().unwrap(), until.to_jiff().unwrap());
    let mut slots = Vec::new();
    if text.split(' ').take(2).any(|field| field.starts_with('*')) {
        let mut at = start + minute;
        while at <= end {
            if pattern.is_time_matching(&zone.to_datetime(at)).unwrap() {
                slots.push(Time::from_jiff(at));
            }
            at += minute;
        }
    } else {
        // Two more days at both ends cover every gap and fold.
        let mut civil = zone.to_datetime(start - jiff::SignedDuration::from_hours(48));
        let last = zone.to_datetime(end + jiff::SignedDuration::from_hours(48));
        while civil <= last {
            if pattern.is_time_matching(&civil).unwrap() {
                let ambiguous = zone.to_ambiguous_timestamp(civil);
                let mut at = ambiguous.earlier().unwrap();
                if matches!(ambiguous.offset(), jiff::tz::AmbiguousOffset::Gap { .. }) {
                    // The first instant whose wall clock shows a later time.
                    while zone.to_datetime(at) < civil {
                        at += minute;
                    }
                }
                slots.push(Time::from_jiff(at));
            }
            civil += minute;
        }
        slots.dedup();
        slots.retain(|slot| *slot > after && *slot <= until);
    }
    slots
}

#[test]
fn a_period_is_anchored_to_the_epoch() {
    let quarter = Schedule::compile(&policy(Period::Every(900_000))).unwrap();
    for (after, next) in [
        ("2026-03-11T09:00:00Z", "2026-03-11T09:15:00Z"),
        ("2026-03-11T09:14:59.999Z", "2026-03-11T09:15:00Z"),
        ("1969-12-31T23:59:00Z", "1970-01-01T00:00:00Z"),
    ] {
        assert_eq!(quarter.next_after(time(after)), Some(time(next)), "after {after}");
    }
    assert_eq!(quarter.next_after(Time(i64::MAX)), None);
}

#[test]
fn the_uncovered_gap_of_a_schedule_tells_if_only_a_clock_change_causes_it() {
    let hours = |n: u64| Duration::from_secs(n * 3_600);
    let uncovered_hours = |n: u64| Some((hours(n), None));
    let change = |n: u64, date: &'static str| Some((hours(n), Some(date)));
    let from = time("2026-01-01T00:00:00Z");
    for (text, zone, window, over) in [
        ("0 9 * * *", "UTC", Window::Past24Hours, None),
        ("0 9 * * *", "Europe/Berlin", Window::Past24Hours, change(1, "2026-10-25")),
        ("0 9 * * *", "Australia/Sydney", Window::Past24Hours, change(1, "2026-04-05")),
        ("0 9 * * MON", "Europe/Berlin", Window::Past7Days, change(1, "2026-10-26")),
        ("0 9 * * MON-FRI", "UTC", Window::Past24Hours, uncovered_hours(48)),
        // The clock change falls on a weekend, which is too long on its own.
        ("0 9 * * MON-FRI", "Europe/Berlin", Window::Past24Hours, uncovered_hours(49)),
        (
            "* 9-17 * * MON-FRI",
            "UTC",
            Window::Past24Hours,
            Some((Duration::from_secs((15 * 60 + 1 + 24 * 60) * 60), None)),
        ),
        ("0 9 * * MON-FRI", "UTC", Window::Past7Days, None),
        ("0 9 1 * *", "UTC", Window::Past7Days, uncovered_hours(24 * 24)),
        ("0 9 1 1 *", "UTC", Window::Past7Days, uncovered_hours(358 * 24)),
        ("*/15 * * * *", "Antarctica/Troll", Window::Past24Hours, None),
    ] {
        let found = largest_uncovered_gap(&cron(text, zone), window, from);
        let found = found.as_ref().map(|one| (one.over, one.clock_change.as_deref()));
        assert_eq!(found, over, "{text} {zone}");
    }
    let two_days = Schedule::compile(&policy(Period::Every(2 * 86_400_000))).unwrap();
    let over = |window| largest_uncovered_gap(&two_days, window, from).map(|one| (one.over, one.clock_change));
    assert_eq!(over(Window::Past24Hours), uncovered_hours(24).map(|(over, _)| (over, None)));
    assert_eq!(over(Window::Past7Days), None);
}
