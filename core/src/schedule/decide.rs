//! Decides what happens to the due slots of a job: which run now, which are recorded as missed or skipped. A pure
//! function of the schedule, the policy and two instants, so every process computes the same plan.

use std::time::Duration;

use super::Schedule;
use super::plan::{Decision, ON_TIME, Plan, reason};
use crate::model::{CatchUp, Overlap, SchedulePolicy, Time, Trigger};

/// If `planned_until` is further ahead than this, the clock was not slightly off but wrong.
pub const AHEAD: Duration = Duration::from_secs(86_400);

/// The number of a job's queued and running runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActiveRuns {
    /// Queued and running runs.
    pub active: usize,
    pub running: usize,
    /// Catch-up runs, and runs repeated because their process was killed.
    pub backlog: usize,
    /// Running runs that are not part of the backlog.
    pub on_time: usize,
}

/// Decides what happens to the slots in (`planned_until`, `now`].
///
/// `busy` counts the job's queued and running runs. `max_rows` (at least 1) limits the rows of one call; if
/// [`Plan::more`] is set, call again after storing the rows.
///
/// **On time or late.** The newest due slot is on time if it is at most [`ON_TIME`] old. All other due slots were
/// missed and follow `catch_up`: `latest` runs the newest of them unless a slot is on time, `all` the newest
/// `max_catch_up_runs`, `none` none. Nothing older than `catch_up_window` runs. The rest become rows with a reason.
///
/// **Overlap** concerns a slot that comes while the job is busy. The slot on time and the one picked by `latest` run
/// only if `overlap` allows it. With `all`, missed slots form a backlog that waits its turn: they run even if the job
/// is busy. The slot on time joins the backlog, whether planned together with it or later (a killed process leaves one
/// behind); only a run on time that is still going blocks it. So the claim, not the plan, keeps the runs of a job
/// apart: one at a time, oldest slot first, unless `overlap` is `allow`. A job slower than its schedule would never
/// catch up, so slots on time join only up to twice `max_catch_up_runs` runs.
///
/// **Backward clocks.** While `now` is before `planned_until`, nothing is due and `planned_until` stays, so no slot
/// runs twice. If it is more than a day ahead, the clock was once far in the future: it is set to `now` and
/// [`Plan::clamped`] is set. Slots that ran in that future are already in the ledger; `store` lets them run again when
/// they come. A clock that shows a time before this program existed, as when a board without a battery starts, is wrong
/// itself: nothing is due.
///
/// **Paused** jobs are not planned and catch up on nothing later: `planned_until` moves to `now` without rows.
#[must_use]
pub fn decide(
    schedule: &Schedule,
    policy: &SchedulePolicy,
    planned_until: Time,
    now: Time,
    busy: ActiveRuns,
    max_rows: usize,
) -> Plan {
    let nothing = |planned_until, clamped| Plan { rows: Vec::new(), planned_until, more: false, clamped };
    if planned_until > now {
        let clamped = planned_until > now.believed_until(AHEAD);
        return nothing(if clamped { now } else { planned_until }, clamped);
    }
    // The clock was wrong when the job was planned: no slot was missed since then.
    if planned_until.is_before_program() && !now.is_before_program() {
        return nothing(now, false);
    }
    if policy.paused {
        return nothing(now, false);
    }
    let due = Due::of(schedule, policy, planned_until, now);
    let max_rows = max_rows.max(1);
    let mut plan = nothing(now, false);
    let mut backlog = false;
    for slot in schedule.slots(planned_until, now) {
        // Keep the runs together if they fit, so that a plan in parts equals the plan in one piece.
        let parted = due.first() == Some(slot) && plan.rows.len() + due.count() > max_rows;
        if let Some((last, _)) = plan.rows.last()
            && (parted || plan.rows.len() == max_rows)
        {
            (plan.planned_until, plan.more) = (*last, true);
            break;
        }
        let decision = due.decision(policy, slot, now, busy, backlog);
        backlog |= matches!(decision, Decision::Run(_));
        plan.rows.push((slot, decision));
    }
    plan
}

/// The due slots to run if `overlap` allows: consecutive slots up to the newest due one, oldest first.
struct Due {
    late: Vec<Time>,
    on_time: Option<Time>,
}

impl Due {
    fn of(schedule: &Schedule, policy: &SchedulePolicy, planned_until: Time, now: Time) -> Self {
        // Intervals exclude their start: the millisecond includes a slot of exactly the allowed age.
        let since = |age: Duration| planned_until.max(now.minus(age).minus(Duration::from_millis(1)));
        let on_time = newest(schedule, since(ON_TIME), now, 1).pop();
        let most = policy.max_catch_up_runs as usize;
        let wanted = match policy.catch_up {
            CatchUp::Latest if on_time.is_none() => most.min(1),
            CatchUp::All => most,
            CatchUp::Latest | CatchUp::None => 0,
        };
        let window = since(Duration::from_millis(policy.catch_up_window_ms));
        let until = on_time.map_or(now, |slot| slot.minus(Duration::from_millis(1)));
        Self { late: newest(schedule, window, until, wanted), on_time }
    }

    fn first(&self) -> Option<Time> {
        self.late.first().copied().or(self.on_time)
    }

    fn count(&self) -> usize {
        self.late.len() + usize::from(self.on_time.is_some())
    }

    /// `backlog` is whether late slots of the same plan run before this one.
    fn decision(&self, policy: &SchedulePolicy, slot: Time, now: Time, busy: ActiveRuns, backlog: bool) -> Decision {
        if self.first().is_none_or(|first| slot < first) {
            let too_old = now.since(slot) > Duration::from_millis(policy.catch_up_window_ms);
            return Decision::Missed(match policy.catch_up {
                CatchUp::None => reason::NOT_CAUGHT_UP,
                _ if too_old => reason::TOO_OLD,
                CatchUp::Latest => reason::SUPERSEDED,
                CatchUp::All => reason::TOO_MANY,
            });
        }
        let on_time = self.on_time == Some(slot);
        let trigger = if on_time { Trigger::Scheduled } else { Trigger::CatchUp };
        let too_busy = match policy.overlap {
            Overlap::Skip if busy.running == 0 => (busy.active > 0).then_some(reason::WAITING),
            Overlap::Skip => Some(reason::OVERLAP),
            Overlap::BufferOne => (busy.active > 1).then_some(reason::BUFFER_FULL),
            Overlap::Allow => None,
        };
        let Some(why) = too_busy else { return Decision::Run(trigger) };
        if policy.catch_up != CatchUp::All {
            return Decision::Skipped(why);
        }
        let joins = busy.on_time == 0 && (backlog || busy.backlog > 0);
        match on_time {
            false => Decision::Run(Trigger::CatchUp),
            true if !joins => Decision::Skipped(why),
            true if busy.backlog > policy.max_catch_up_runs as usize * 2 => Decision::Skipped(reason::BACKLOG_FULL),
            // It runs after the backlog; slots that come until then join it too.
            true => Decision::Run(Trigger::CatchUp),
        }
    }
}

/// Returns the newest `most` slots in (`after`, `until`], oldest first. Looks back in doubling steps, to avoid walking
/// through months of a minutely schedule for its last hundred slots.
fn newest(schedule: &Schedule, after: Time, until: Time, most: usize) -> Vec<Time> {
    if most == 0 || after >= until {
        return Vec::new();
    }
    let mut reach = ON_TIME.saturating_mul(u32::try_from(most).unwrap_or(u32::MAX));
    loop {
        let start = after.max(until.minus(reach));
        let mut slots: Vec<Time> = schedule.slots(start, until).collect();
        if slots.len() >= most || start == after {
            return slots.split_off(slots.len().saturating_sub(most));
        }
        reach = reach.saturating_mul(2);
    }
}
