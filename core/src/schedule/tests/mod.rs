//! Tests of the schedule module through its public interface: vectors on which other cron engines agree, property
//! tests, clock changes, and slots after downtime. Test code only.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking and say what they skip"
)]

mod clock_changes;
mod downtime;
mod explained;
mod laws;
mod refusals;
mod vectors;

use crate::model::{CatchUp, Overlap, Period, SchedulePolicy, Time};
use crate::schedule::Schedule;

/// A policy with the defaults of the configuration.
pub(in crate::schedule) fn policy(period: Period) -> SchedulePolicy {
    SchedulePolicy {
        period,
        timezone: "UTC".to_owned(),
        catch_up: CatchUp::Latest,
        catch_up_window_ms: 7 * 86_400_000,
        max_catch_up_runs: 100,
        overlap: Overlap::Skip,
        jitter_ms: 0,
        timeout_ms: 300_000,
        max_attempts: 3,
        paused: false,
    }
}

fn cron(expression: &str, zone: &str) -> Schedule {
    crate::schedule::parse_cron(expression, zone).unwrap_or_else(|refused| panic!("{expression} in {zone}: {refused}"))
}

pub(in crate::schedule) fn time(text: &str) -> Time {
    Time::parse(text).unwrap_or_else(|| panic!("{text} is not a time"))
}
