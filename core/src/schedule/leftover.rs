//! Queued runs that no process ran before later slots passed. They follow `catch_up`, like slots that passed in the
//! meantime. Pure.

use std::time::Duration;

use super::Schedule;
use super::plan::{ON_TIME, reason};
use crate::model::{CatchUp, SchedulePolicy, Time};

/// Returns the waiting slots that must no longer run, with the reason. `waiting` are the slots of queued runs up to
/// `planned_until`.
///
/// While a process is alive, a run may wait as long as needed: for its jitter, for a place, for the run before it. So
/// only a later slot that was not planned in time shows that no process was running.
#[must_use]
pub fn expired_queued_slots(
    schedule: &Schedule,
    policy: &SchedulePolicy,
    planned_until: Time,
    now: Time,
    waiting: &[Time],
) -> Vec<(Time, &'static str)> {
    let passed = schedule.next_after(planned_until).is_some_and(|slot| now.since(slot) > ON_TIME);
    if waiting.is_empty() || !passed || policy.paused {
        return Vec::new();
    }
    let window = Duration::from_millis(policy.catch_up_window_ms);
    let why = |slot: Time| match policy.catch_up {
        CatchUp::None => Some(reason::LEFT),
        _ if now.since(slot) > window => Some(reason::LEFT_TOO_OLD),
        CatchUp::Latest => Some(reason::LEFT_SUPERSEDED),
        CatchUp::All => None,
    };
    waiting.iter().filter_map(|slot| Some((*slot, why(*slot)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Period;
    use crate::schedule::tests::{policy, time};

    #[test]
    fn runs_left_in_the_queue_run_only_as_catch_up_allows() {
        let hourly = policy(Period::Every(3_600_000));
        let schedule = Schedule::compile(&hourly).unwrap();
        let planned = time("2026-03-11T09:00:00Z");
        let of = |catch_up, now: &str| {
            let policy = SchedulePolicy { catch_up, ..hourly.clone() };
            expired_queued_slots(&schedule, &policy, planned, time(now), &[planned]).pop().map(|(_, why)| why)
        };
        for (now, none, latest, all) in [
            // No slot passed: the run waits for its jitter or for a place.
            ("2026-03-11T09:59:59Z", None, None, None),
            // The next slot is on time, so a process may have been alive the whole time.
            ("2026-03-11T10:01:00Z", None, None, None),
            ("2026-03-11T10:01:01Z", Some(reason::LEFT), Some(reason::LEFT_SUPERSEDED), None),
            ("2026-03-18T09:00:00Z", Some(reason::LEFT), Some(reason::LEFT_SUPERSEDED), None),
            ("2026-03-18T09:00:01Z", Some(reason::LEFT), Some(reason::LEFT_TOO_OLD), Some(reason::LEFT_TOO_OLD)),
            // The clock was set back.
            ("2026-03-11T08:00:00Z", None, None, None),
        ] {
            let reasons = (of(CatchUp::None, now), of(CatchUp::Latest, now), of(CatchUp::All, now));
            assert_eq!(reasons, (none, latest, all), "{now}");
        }
    }
}
