//! Slots after downtime, for every catch-up and overlap policy.

use super::{policy, time};
use crate::model::{CatchUp, Overlap, Period, SchedulePolicy, Time, Trigger};
use crate::schedule::{ActiveRuns, Decision, Plan, Schedule, decide, reason};

const HOUR: i64 = 3_600_000;
const MISSED_BEFORE: &str = "2026-03-11T09:00:00Z";

fn every_quarter() -> (Schedule, SchedulePolicy) {
    let policy = policy(Period::Every(900_000));
    (Schedule::compile(&policy).unwrap(), policy)
}

/// A job with `active` running runs, all on time.
fn going(active: usize) -> ActiveRuns {
    ActiveRuns { active, running: active, backlog: 0, on_time: active }
}

/// Rows as counts: scheduled, caught up, missed, skipped.
type Counts = (usize, usize, usize, usize);

fn counted(plan: &Plan) -> Counts {
    let count = |wanted: fn(&Decision) -> bool| plan.rows.iter().filter(|(_, decision)| wanted(decision)).count();
    (
        count(|d| matches!(d, Decision::Run(Trigger::Scheduled))),
        count(|d| matches!(d, Decision::Run(Trigger::CatchUp))),
        count(|d| matches!(d, Decision::Missed(_))),
        count(|d| matches!(d, Decision::Skipped(_))),
    )
}

#[test]
fn downtime_ends_as_each_catch_up_and_overlap_policy_says() {
    use CatchUp::{All, Latest};
    use Overlap::{Allow, BufferOne, Skip};
    // Down for (hours), back five minutes after the last slot; slots every 15 minutes; window 7 d; at most 100 runs.
    let none = CatchUp::None;
    let table: &[(i64, CatchUp, Overlap, usize, Counts)] = &[
        (1, Latest, Skip, 0, (0, 1, 3, 0)),
        (1, Latest, Skip, 1, (0, 0, 3, 1)),
        (1, Latest, BufferOne, 0, (0, 1, 3, 0)),
        (1, Latest, BufferOne, 1, (0, 1, 3, 0)),
        (1, Latest, BufferOne, 2, (0, 0, 3, 1)),
        (1, Latest, Allow, 5, (0, 1, 3, 0)),
        (1, All, Skip, 0, (0, 4, 0, 0)),
        (1, All, Skip, 1, (0, 4, 0, 0)),
        (1, All, BufferOne, 2, (0, 4, 0, 0)),
        (1, All, Allow, 0, (0, 4, 0, 0)),
        (1, none, Skip, 0, (0, 0, 4, 0)),
        (1, none, BufferOne, 0, (0, 0, 4, 0)),
        (1, none, Allow, 0, (0, 0, 4, 0)),
        (72, Latest, Skip, 0, (0, 1, 287, 0)),
        (72, Latest, BufferOne, 1, (0, 1, 287, 0)),
        (72, Latest, Allow, 1, (0, 1, 287, 0)),
        (72, All, Skip, 0, (0, 100, 188, 0)),
        (72, All, BufferOne, 0, (0, 100, 188, 0)),
        (72, All, Allow, 3, (0, 100, 188, 0)),
        (72, none, Skip, 0, (0, 0, 288, 0)),
        (72, none, BufferOne, 0, (0, 0, 288, 0)),
        (72, none, Allow, 0, (0, 0, 288, 0)),
        (960, Latest, Skip, 0, (0, 1, 3_839, 0)),
        (960, Latest, BufferOne, 0, (0, 1, 3_839, 0)),
        (960, Latest, Allow, 0, (0, 1, 3_839, 0)),
        (960, All, Skip, 0, (0, 100, 3_740, 0)),
        (960, All, BufferOne, 0, (0, 100, 3_740, 0)),
        (960, All, Allow, 0, (0, 100, 3_740, 0)),
        (960, none, Skip, 0, (0, 0, 3_840, 0)),
        (960, none, BufferOne, 0, (0, 0, 3_840, 0)),
        (960, none, Allow, 0, (0, 0, 3_840, 0)),
    ];
    for (hours, catch_up, overlap, active, expected) in table {
        let (schedule, policy) = every_quarter();
        let policy = SchedulePolicy { catch_up: *catch_up, overlap: *overlap, ..policy };
        let planned_until = time(MISSED_BEFORE);
        let now = Time(planned_until.0 + hours * HOUR + 300_000);
        let plan = decide(&schedule, &policy, planned_until, now, going(*active), 10_000);
        let case = format!("{hours} h, {catch_up} {overlap}, {active} active");
        assert_eq!(counted(&plan), *expected, "{case}");
        assert_eq!((plan.planned_until, plan.more, plan.clamped), (now, false, false), "{case}");
        assert!(plan.rows.is_sorted_by_key(|(slot, _)| *slot), "{case}");
        // Every run is newer than every missed slot.
        let first_run = plan.rows.iter().position(|(_, decision)| !matches!(decision, Decision::Missed(_)));
        let last_missed = plan.rows.iter().rposition(|(_, decision)| matches!(decision, Decision::Missed(_)));
        assert!(first_run.is_none() || last_missed.is_none() || last_missed < first_run, "{case}");
        // The same in parts: the planned runs make the job busier, but nothing else changes.
        assert_eq!(in_parts(&schedule, &policy, planned_until, now, going(*active), 150), plan.rows, "{case}");
    }
}

/// Calls `decide` while there is more, as the planner does.
fn in_parts(
    schedule: &Schedule,
    policy: &SchedulePolicy,
    mut planned_until: Time,
    now: Time,
    mut busy: ActiveRuns,
    max_rows: usize,
) -> Vec<(Time, Decision)> {
    let mut rows = Vec::new();
    loop {
        let plan = decide(schedule, policy, planned_until, now, busy, max_rows);
        assert!(plan.rows.len() <= max_rows && plan.planned_until > planned_until);
        let (on_time, late, _, _) = counted(&plan);
        busy.active += on_time + late;
        busy.backlog += late;
        rows.extend(plan.rows);
        if !plan.more {
            assert_eq!(plan.planned_until, now);
            return rows;
        }
        planned_until = plan.planned_until;
    }
}

#[test]
fn every_missed_slot_has_a_reason() {
    let (schedule, policy) = every_quarter();
    let start = time(MISSED_BEFORE);
    let now = Time(start.0 + 10 * 24 * HOUR + 300_000);
    let reasons = |catch_up| {
        let policy = SchedulePolicy { catch_up, ..policy.clone() };
        let rows = decide(&schedule, &policy, start, now, ActiveRuns::default(), 10_000).rows;
        rows.chunk_by(|a, b| a.1 == b.1).map(|rows| (rows[0].1, rows.len())).collect::<Vec<_>>()
    };
    let run = Decision::Run(Trigger::CatchUp);
    let old = (Decision::Missed(reason::TOO_OLD), 3 * 96);
    assert_eq!(reasons(CatchUp::Latest), [old, (Decision::Missed(reason::SUPERSEDED), 7 * 96 - 1), (run, 1)]);
    assert_eq!(reasons(CatchUp::All), [old, (Decision::Missed(reason::TOO_MANY), 7 * 96 - 100), (run, 100)]);
    assert_eq!(reasons(CatchUp::None), [(Decision::Missed(reason::NOT_CAUGHT_UP), 10 * 96)]);
}

#[test]
fn a_slot_is_on_time_for_a_minute_and_then_a_catch_up() {
    let (schedule, mut policy) = every_quarter();
    let planned = time("2026-03-11T09:00:00Z");
    let scheduled = Decision::Run(Trigger::Scheduled);
    for (late_ms, catch_up, decision) in [
        (0, CatchUp::Latest, scheduled),
        (0, CatchUp::None, scheduled),
        (60_000, CatchUp::None, scheduled),
        (60_000, CatchUp::All, scheduled),
        (60_001, CatchUp::Latest, Decision::Run(Trigger::CatchUp)),
        (60_001, CatchUp::All, Decision::Run(Trigger::CatchUp)),
        (60_001, CatchUp::None, Decision::Missed(reason::NOT_CAUGHT_UP)),
    ] {
        policy.catch_up = catch_up;
        let slot = time("2026-03-11T09:15:00Z");
        let plan = decide(&schedule, &policy, planned, Time(slot.0 + late_ms), ActiveRuns::default(), 100);
        assert_eq!(plan.rows, [(slot, decision)], "{late_ms} ms late, {catch_up}");
    }
    let before = decide(&schedule, &policy, planned, time("2026-03-11T09:14:59.999Z"), ActiveRuns::default(), 100);
    assert!(before.rows.is_empty() && !before.more);
}

#[test]
fn a_slot_on_time_runs_even_without_a_catch_up_window_and_closes_the_backlog() {
    let (schedule, policy) = every_quarter();
    let (planned, now) = (time("2026-03-11T08:00:00Z"), time("2026-03-11T09:00:30Z"));
    let with = |catch_up, window_ms, active| {
        let policy = SchedulePolicy { catch_up, catch_up_window_ms: window_ms, ..policy.clone() };
        counted(&decide(&schedule, &policy, planned, now, going(active), 100))
    };
    assert_eq!(with(CatchUp::Latest, 0, 0), (1, 0, 3, 0));
    assert_eq!(with(CatchUp::All, 0, 0), (1, 0, 3, 0));
    assert_eq!(with(CatchUp::All, 7 * 24 * 3_600_000, 0), (1, 3, 0, 0));
    assert_eq!(with(CatchUp::All, 7 * 24 * 3_600_000, 1), (0, 3, 0, 1));
    assert_eq!(with(CatchUp::Latest, 7 * 24 * 3_600_000, 1), (0, 0, 3, 1));
}

#[test]
fn a_running_run_overlaps_the_slot_on_time_and_a_backlog_does_not() {
    use Overlap::{Allow, BufferOne, Skip};
    let (schedule, policy) = every_quarter();
    let at_nine = time("2026-03-11T09:00:30Z");
    let busy = |active, backlog, on_time| ActiveRuns { active, running: on_time, backlog, on_time };
    // Planned until; overlap; queued and running runs; rows: scheduled, caught up, missed, skipped.
    let table: &[(&str, Overlap, ActiveRuns, Counts)] = &[
        // A killed process left a backlog, or a run to be repeated.
        ("08:45", Skip, busy(3, 3, 0), (0, 1, 0, 0)),
        ("08:45", Skip, busy(16, 15, 0), (0, 1, 0, 0)),
        ("08:45", BufferOne, busy(16, 15, 0), (0, 1, 0, 0)),
        ("08:45", Allow, busy(16, 15, 0), (1, 0, 0, 0)),
        ("08:00", Skip, busy(16, 15, 0), (0, 4, 0, 0)),
        ("08:00", Skip, busy(1, 0, 0), (0, 4, 0, 0)),
        // The last run is still going, or waits for its first try with no backlog before it.
        ("08:45", Skip, busy(1, 0, 1), (0, 0, 0, 1)),
        ("08:45", Skip, busy(1, 0, 0), (0, 0, 0, 1)),
        ("08:45", Skip, busy(4, 3, 1), (0, 0, 0, 1)),
        ("08:00", Skip, busy(1, 0, 1), (0, 3, 0, 1)),
        // A backlog that is never caught up does not grow forever.
        ("08:45", Skip, busy(200, 200, 0), (0, 1, 0, 0)),
        ("08:45", Skip, busy(201, 201, 0), (0, 0, 0, 1)),
    ];
    for (planned, overlap, busy, expected) in table {
        let policy = SchedulePolicy { catch_up: CatchUp::All, overlap: *overlap, ..policy.clone() };
        let planned_until = time(&format!("2026-03-11T{planned}:00Z"));
        let plan = decide(&schedule, &policy, planned_until, at_nine, *busy, 100);
        assert_eq!(counted(&plan), *expected, "{planned}, {overlap}, {busy:?}");
        // The other policies catch up at most one slot, and only if `overlap` allows it.
        let latest = SchedulePolicy { catch_up: CatchUp::Latest, ..policy };
        let plan = decide(&schedule, &latest, planned_until, at_nine, *busy, 100);
        let free = *overlap == Allow || (*overlap == BufferOne && busy.active < 2);
        assert_eq!(
            (counted(&plan).0, counted(&plan).3),
            (usize::from(free), usize::from(!free)),
            "{overlap}, {busy:?}"
        );
    }
}

#[test]
fn the_catch_up_window_includes_a_slot_of_exactly_its_age() {
    let (schedule, policy) = every_quarter();
    let policy = SchedulePolicy { catch_up: CatchUp::All, catch_up_window_ms: 1_800_000, ..policy };
    let planned = time("2026-03-11T08:00:00Z");
    let runs = |now: &str| counted(&decide(&schedule, &policy, planned, time(now), ActiveRuns::default(), 100)).1;
    assert_eq!(runs("2026-03-11T09:10:00Z"), 2, "08:45 and 09:00");
    assert_eq!(runs("2026-03-11T09:14:59.999Z"), 2);
    assert_eq!(runs("2026-03-11T09:15:00Z"), 2, "08:45 is exactly 30 minutes old; 09:15 is on time");
}

#[test]
fn a_clock_set_back_repeats_no_slot_and_a_plan_far_ahead_is_dropped() {
    let (schedule, policy) = every_quarter();
    let planned = time("2026-03-11T09:00:00Z");
    for (now, until, clamped) in [
        ("2026-03-11T08:59:59.999Z", "2026-03-11T09:00:00Z", false),
        ("2026-03-11T04:00:00Z", "2026-03-11T09:00:00Z", false),
        ("2026-03-10T09:00:00Z", "2026-03-11T09:00:00Z", false),
        ("2026-03-10T08:59:59.999Z", "2026-03-10T08:59:59.999Z", true),
        ("2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", true),
        // A board without a battery, before it knows the time.
        ("2024-12-31T23:59:59.999Z", "2026-03-11T09:00:00Z", false),
        ("1970-01-01T00:00:07Z", "2026-03-11T09:00:00Z", false),
    ] {
        let plan = decide(&schedule, &policy, planned, time(now), ActiveRuns::default(), 100);
        assert_eq!(plan, Plan { rows: vec![], planned_until: time(until), more: false, clamped }, "{now}");
    }
}

#[test]
fn a_plan_made_before_the_clock_was_set_is_not_an_outage() {
    let (schedule, policy) = every_quarter();
    let now = time("2026-03-11T09:00:00Z");
    for planned in ["1970-01-01T00:00:07Z", "2024-12-31T23:59:59.999Z"] {
        let plan = decide(&schedule, &policy, time(planned), now, ActiveRuns::default(), 100);
        assert_eq!(plan, Plan { rows: vec![], planned_until: now, more: false, clamped: false }, "{planned}");
    }
    // It continues as long as the clock stays there.
    let (planned, soon) = (time("1970-01-01T00:14:00Z"), time("1970-01-01T00:15:00Z"));
    assert_eq!(decide(&schedule, &policy, planned, soon, ActiveRuns::default(), 100).rows.len(), 1);
}

#[test]
fn a_job_has_no_missed_slots_after_a_pause() {
    let (schedule, mut policy) = every_quarter();
    policy.paused = true;
    let now = time("2026-03-14T09:00:00Z");
    let plan = decide(&schedule, &policy, time(MISSED_BEFORE), now, ActiveRuns::default(), 100);
    assert_eq!(plan, Plan { rows: vec![], planned_until: now, more: false, clamped: false });
}

#[test]
fn a_plan_in_small_parts_equals_a_plan_in_one() {
    let (schedule, policy) = every_quarter();
    let (start, now) = (time("2026-03-11T08:00:00Z"), time("2026-03-11T09:05:00Z"));
    for max_rows in [0, 1, 2, 3] {
        for catch_up in CatchUp::ALL {
            let policy = SchedulePolicy { catch_up: *catch_up, ..policy.clone() };
            let rows = in_parts(&schedule, &policy, start, now, ActiveRuns::default(), max_rows.max(1));
            assert_eq!(
                rows,
                decide(&schedule, &policy, start, now, ActiveRuns::default(), 100).rows,
                "{catch_up} by {max_rows}"
            );
        }
    }
}

#[test]
fn a_year_of_missed_minutes_is_planned_in_bounded_parts() {
    let minute = policy(Period::Cron("* * * * *".to_owned()));
    let minute = SchedulePolicy { catch_up_window_ms: 400 * 86_400_000, catch_up: CatchUp::All, ..minute };
    let schedule = Schedule::compile(&minute).unwrap();
    let (start, now) = (time("2025-03-11T09:00:00Z"), time("2026-03-11T09:00:30Z"));
    let plan = decide(&schedule, &minute, start, now, ActiveRuns::default(), 1_000);
    assert_eq!((plan.rows.len(), plan.more), (1_000, true));
    assert_eq!(plan.planned_until, Time(start.0 + 1_000 * 60_000));
    assert_eq!(counted(&plan), (0, 0, 1_000, 0));
}
