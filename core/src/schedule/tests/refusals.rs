//! Tests of refused expressions, their hints, and expressions accepted with a warning.

use std::time::Duration;

use super::policy;
use crate::model::Period;
use crate::schedule::{MIN_PERIOD, Schedule, parse_cron};

#[test]
fn an_invalid_cron_expression_is_refused_with_a_suggestion() {
    for (expression, hint) in [
        ("1,,2 * * * *", "\"1,2 * * * *\""),
        (",1 * * * *", "\"1 * * * *\""),
        ("0 22-2 * * *", "\"0 22-23,0-2 * * *\""),
        ("0 23-2 * * *", "\"0 23,0-2 * * *\""),
        ("0 0 * * 6-1", "\"0 0 * * 6,0-1\""),
        ("0 0 * * FRI-MON", "\"0 0 * * 5-6,0-1\""),
        ("/5 * * * *", "\"*/5 * * * *\""),
        ("60 * * * *", "\"0 * * * *\""),
        ("0 24 * * *", "\"0 0 * * *\""),
        ("0 0 31 2 *", "\"0 0 L 2 *\""),
        ("0 0 31 4,6 *", "\"0 0 L 4,6 *\""),
        ("0 0 * * L", "\"0 0 * * 5L\""),
        ("0 0 * JANUARY *", "\"0 0 * JAN *\""),
        ("0 0 * JANUARY-MARCH *", "\"0 0 * JAN-MAR *\""),
        ("0 0 * * monday,friday", "\"0 0 * * MON,FRI\""),
        ("0 0 * * WDE", "\"0 0 * * WED\""),
        ("MON * * * *", "0-59"),
        ("0 0 * 1JAN *", "\"0 0 * JAN *\""),
        ("0 0 * XYZ *", "JAN-DEC"),
        ("*/0 * * * *", "0-59"),
        ("*,5 * * * *", "\"* * * * *\""),
        ("* * * *", "5 fields"),
        ("0 0 1 1 * * 2030", "year"),
        ("", "5 fields"),
        ("@dayly", "\"@daily\""),
        ("@reboot", "@hourly"),
        ("@every 90m", "every = \"90m\""),
        ("TZ=Europe/Berlin 0 9 * * *", "timezone"),
        ("0 0 L-3 * *", "last day"),
        ("0 0 * * 5#6", "third"),
        ("\u{1b}[31m * * * *", "0-59"),
    ] {
        let refused = parse_cron(expression, "UTC").unwrap_err();
        assert!(refused.hint.contains(hint), "{expression}: {refused:?}");
        assert!(!format!("{refused:?}").contains('\u{1b}') && !refused.message.contains('\u{1b}'), "{refused:?}");
        // A quoted expression in a hint must itself be accepted.
        if let Some(proposal) = refused.hint.split('"').nth(1).filter(|text| text.split(' ').count() >= 5) {
            assert!(parse_cron(proposal, "UTC").is_ok(), "{expression}: {proposal}");
        }
    }
    assert!(parse_cron(&"1,".repeat(10_000), "UTC").is_err());
    assert!(parse_cron("0 9 * * *", "Europe/Berln").unwrap_err().hint.contains("Europe/Berlin"));
}

#[test]
fn a_step_longer_than_its_field_is_accepted_with_a_warning() {
    for (expression, warnings) in [
        ("*/90 * * * *", 1),
        ("*/60 */24 * * *", 2),
        ("0 12 */100 * 1", 1),
        ("*/30 * * * *", 0),
        // Two values: 0 and the last of the field.
        ("*/59 */23 * * *", 0),
        ("0 0 * * 1-5/2", 0),
        ("15 9 * * MON-FRI", 0),
    ] {
        assert_eq!(parse_cron(expression, "UTC").unwrap().warnings().len(), warnings, "{expression}");
    }
    let schedule = parse_cron("*/90 * * * *", "UTC").unwrap();
    assert!(schedule.warnings()[0].contains("every = \"90m\""), "{:?}", schedule.warnings());
}

#[test]
fn schedules_with_too_short_intervals_are_refused() {
    let compile = |period: Period| Schedule::compile(&policy(period));
    let seconds = |expression: &str| compile(Period::Cron(expression.to_owned()));
    for expression in ["*/10 * * * * *", "* * * * * *", "0,30 0 9 * * *", "0-59/30 0 9 1 1 *"] {
        let refused = seconds(expression).unwrap_err();
        assert!(refused.hint.contains("write \"0 "), "{expression}: {refused:?}");
    }
    for expression in ["* * * * *", "30 * * * * *", "0 */5 * * * *", "59 23 * * *"] {
        assert!(seconds(expression).is_ok(), "{expression}");
    }
    for ms in [0, 1, 59_999] {
        assert!(compile(Period::Every(ms)).unwrap_err().hint.contains("every = \"1m\""), "{ms}");
    }
    assert!(compile(Period::Every(60_000)).is_ok());
    assert!(compile(Period::Every(u64::MAX)).is_err());
    assert!(compile(Period::Every(u64::try_from(i64::MAX).unwrap())).is_err());
}

#[test]
fn another_shortest_interval_also_applies_across_midnight() {
    let with = |expression: &str, least: Duration| {
        Schedule::compile_with(&policy(Period::Cron(expression.to_owned())), least).map(|_| ())
    };
    let quarter = Duration::from_secs(15 * 60);
    assert!(with("*/15 * * * *", quarter).is_ok());
    assert!(with("*/14 * * * *", quarter).is_err());
    assert!(with("55 23 * * *", quarter).is_ok());
    assert!(with("0,55 0,23 * * *", quarter).is_err(), "23:55 and 00:00 of the next day");
    assert!(with("0,30 0 1 * *", quarter).is_ok());
    assert!(with("0 0,23 * * *", Duration::from_secs(2 * 3_600)).is_err());
    assert!(with("0 0,23 1 * *", Duration::from_secs(2 * 3_600)).is_ok(), "no two consecutive days");
    assert!(with("*/10 * * * * *", Duration::from_secs(10)).is_ok());
    let tenth = Schedule::compile_with(&policy(Period::Every(100)), Duration::from_millis(100));
    assert!(tenth.is_ok() && MIN_PERIOD > Duration::from_millis(100));
}

#[test]
fn the_zone_of_a_period_is_checked_too() {
    let mut wrong = policy(Period::Every(60_000));
    wrong.timezone = "Europe/Berln".to_owned();
    assert!(Schedule::compile(&wrong).unwrap_err().hint.contains("Europe/Berlin"));
}
