//! Brings the ledger up to the present: adds a row for every slot that came. `schedule` decides what happens to a slot;
//! nothing runs here.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{Overlap, RunState, SchedulePolicy, Time, Trigger};
use crate::schedule::{AHEAD, ActiveRuns, Decision, Schedule, decide, expired_queued_slots, jitter};
use crate::store::{DefinitionSet, ExpiredSlot, JobPlan, PlannedJob, PlannedSlot, Store, StoreError};

/// The most rows planned for one job in one transaction.
const ROWS_PER_PLAN: usize = 1_000;

/// The most jobs planned in one transaction.
const JOBS_PER_LOOK: u32 = 1_000;

/// How long a topic is not planned again after its planning panicked.
const AFTER_A_DEFECT: Duration = Duration::from_secs(60);

/// Why a slot of a topic that its file paused was dropped.
const PAUSED_BY_FILE: &str = "the topic was paused in the configuration";

/// The result of planning.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// Ledger rows added.
    pub rows: u64,
    /// The next slots of the checked jobs: topics by id, other jobs by name.
    pub next: Vec<(String, Time)>,
    /// The job that is due next, and when.
    pub soonest: Option<(String, Time)>,
}

impl Planned {
    /// Adds jobs that were planned later.
    pub(super) fn add(&mut self, later: Self) {
        self.rows += later.rows;
        self.next.extend(later.next);
    }
}

/// Brings the ledger up to the present.
#[derive(Default)]
pub struct Planner {
    /// Compiled schedules, by period and time zone.
    compiled: HashMap<String, Arc<Schedule>>,
}

impl Planner {
    /// Adds a row for every slot that came since each topic or other job was last planned. Reads only those with a slot
    /// up to `now`, and new or changed ones. `with_jitter` spreads runs after their slots; one-shot callers do not wait
    /// for that.
    pub async fn plan(&mut self, store: &Store, now: Time, with_jitter: bool) -> Result<Planned, StoreError> {
        let mut planned = Planned::default();
        while self.plan_batch(store, now, with_jitter, &mut planned).await? {}
        Ok(planned)
    }

    /// Plans, by the schedules in force, the jobs that `set` is about to reschedule or remove: slots up to now still
    /// belong to the old schedules, and the new set starts at the present.
    pub async fn plan_before_change<'a>(
        store: &Store,
        set: impl Into<DefinitionSet<'a>>,
        removes: bool,
        now: Time,
        with_jitter: bool,
    ) -> Result<(), StoreError> {
        let set = set.into();
        let mut planner = Self::default();
        planner.record_pauses(store, &store.resumed_by(set).await?, now).await?;
        let left = store.jobs_losing_slots(set, removes).await?;
        while !left.is_empty() {
            let due = store.to_plan(now, AHEAD, u32::MAX).await?;
            let due: Vec<PlannedJob> = due.into_iter().filter(|planned_job| left.contains(&planned_job.id)).collect();
            if planner.cancel_leftovers(store, &due, now).await? {
                continue;
            }
            let mut accepted = 0;
            for batch in due.chunks(JOBS_PER_LOOK as usize) {
                accepted += planner.store_plans(store, batch, now, with_jitter, &mut Planned::default()).await?;
            }
            if accepted == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Records the first slot that each of these topics dropped while its file paused it: the cause of the gap that
    /// remains.
    async fn record_pauses(&mut self, store: &Store, resumed: &[PlannedJob], now: Time) -> Result<(), StoreError> {
        let plans: Vec<JobPlan> = resumed.iter().filter_map(|planned_job| self.pause_plan(planned_job, now)).collect();
        if !plans.is_empty() {
            store.plan(&plans, now).await?;
        }
        Ok(())
    }

    fn pause_plan(&mut self, planned_job: &PlannedJob, now: Time) -> Option<JobPlan> {
        let (policy, schedule) =
            self.schedule(planned_job).filter(|_| !planned_job.planned_until.is_before_program())?;
        let first = schedule.next_after(planned_job.planned_until).filter(|slot| *slot <= now)?;
        let slot = row(planned_job, &policy, first, Decision::Skipped(PAUSED_BY_FILE), false);
        Some(JobPlan { until: now, slots: vec![slot], ..unchanged_plan(planned_job, None) })
    }

    /// Does the first part of [`Planner::plan`], so that the first due jobs do not wait for the rows of all.
    pub(super) async fn plan_first(&mut self, store: &Store, now: Time) -> Result<Planned, StoreError> {
        let mut planned = Planned::default();
        self.plan_batch(store, now, true, &mut planned).await?;
        Ok(planned)
    }

    /// Plans one batch of jobs. Returns whether there may be more.
    async fn plan_batch(
        &mut self,
        store: &Store,
        now: Time,
        with_jitter: bool,
        planned: &mut Planned,
    ) -> Result<bool, StoreError> {
        let mut due = store.to_plan(now, AHEAD, JOBS_PER_LOOK).await?;
        if self.cancel_leftovers(store, &due, now).await? {
            due = store.to_plan(now, AHEAD, JOBS_PER_LOOK).await?;
        }
        // If none was accepted, another process plans the same right now. The rest is its work, or the next tick's.
        Ok(!due.is_empty() && self.store_plans(store, &due, now, with_jitter, planned).await? > 0)
    }

    /// Ends queued runs of these jobs that are not to run any more, before anything is decided by what is queued.
    /// Returns whether there were any.
    async fn cancel_leftovers(&mut self, store: &Store, due: &[PlannedJob], now: Time) -> Result<bool, StoreError> {
        let left: Vec<ExpiredSlot> = due.iter().flat_map(|planned_job| self.expired_slots(planned_job, now)).collect();
        Ok(!left.is_empty() && store.end_leftover_slots(&left, now).await? > 0)
    }

    /// Stores the plans of these jobs. Returns how many were accepted.
    async fn store_plans(
        &mut self,
        store: &Store,
        due: &[PlannedJob],
        now: Time,
        with_jitter: bool,
        planned: &mut Planned,
    ) -> Result<u64, StoreError> {
        let plans: Vec<JobPlan> =
            due.iter().map(|planned_job| self.plan_catching_panics(planned_job, now, with_jitter)).collect();
        let (accepted, rows) = store.plan(&plans, now).await?;
        planned.rows += rows;
        // A topic with many slots is planned in parts, and reported when the last part is done.
        let done = plans.into_iter().filter(|plan| plan.next.is_none_or(|next| next > now));
        planned.next.extend(done.filter_map(|plan| Some((plan.topic.unwrap_or(plan.id), plan.next?))));
        Ok(accepted)
    }

    /// Plans one job. A panic keeps no other job from being planned: this one is retried in a minute, and its slots
    /// stay open until then.
    fn plan_catching_panics(&mut self, planned_job: &PlannedJob, now: Time, with_jitter: bool) -> JobPlan {
        let decided = std::panic::catch_unwind(AssertUnwindSafe(|| self.decide(planned_job, now, with_jitter)));
        decided.unwrap_or_else(|_| {
            tracing::error!(job = %planned_job.id, "planning crashed, please report this bug; retrying in a minute");
            unchanged_plan(planned_job, Some(now.plus(AFTER_A_DEFECT)))
        })
    }

    /// Returns the queued runs of a job that are not to run any more.
    fn expired_slots(&mut self, planned_job: &PlannedJob, now: Time) -> Vec<ExpiredSlot> {
        if planned_job.waiting.is_empty() {
            return Vec::new();
        }
        let Some((policy, schedule)) = self.schedule(planned_job) else { return Vec::new() };
        let left = expired_queued_slots(&schedule, &policy, planned_job.planned_until, now, &planned_job.waiting);
        left.into_iter().map(|(slot, reason)| ExpiredSlot { job: planned_job.id.clone(), slot, reason }).collect()
    }

    fn decide(&mut self, planned_job: &PlannedJob, now: Time, with_jitter: bool) -> JobPlan {
        // A job that cannot be planned is not checked again until its definition changes.
        let mut job = unchanged_plan(planned_job, None);
        crate::failpoint::at_of("planner/decide", planned_job.topic.as_ref().unwrap_or(&planned_job.id));
        let Some((policy, schedule)) = self.schedule(planned_job) else { return job };
        // A clock may have been behind: before a job was created it missed no slot. `decide` judges a time before 2025.
        let mut planned_until = planned_job.planned_until;
        if planned_job.created_at <= now && !planned_until.is_before_program() {
            planned_until = planned_until.max(planned_job.created_at);
        }
        let plan = decide(&schedule, &policy, planned_until, now, busy(planned_job), ROWS_PER_PLAN);
        if plan.clamped {
            tracing::warn!(job = %planned_job.id, "the ledger was planned into the future (the clock was set back); planning restarts from now");
        }
        job.until = plan.planned_until;
        job.next = schedule.next_after(plan.planned_until).filter(|_| !policy.paused);
        job.max_attempts = policy.max_attempts;
        job.side_by_side = policy.overlap == Overlap::Allow;
        job.slots = plan
            .rows
            .into_iter()
            .map(|(slot, decision)| row(planned_job, &policy, slot, decision, with_jitter))
            .collect();
        job
    }

    fn schedule(&mut self, planned_job: &PlannedJob) -> Option<(SchedulePolicy, Arc<Schedule>)> {
        let policy = planned_job.schedule.clone()?;
        let from = format!("{:?} {}", policy.period, policy.timezone);
        if let Some(schedule) = self.compiled.get(&from) {
            return Some((policy, Arc::clone(schedule)));
        }
        match Schedule::compile(&policy) {
            Ok(schedule) => {
                let schedule = Arc::new(schedule);
                if self.compiled.len() >= COMPILED_KEPT {
                    self.compiled.clear();
                }
                self.compiled.insert(from, Arc::clone(&schedule));
                Some((policy, schedule))
            }
            Err(refused) => {
                tracing::error!(job = %planned_job.id, "its stored schedule cannot be read: {}", refused.message);
                None
            }
        }
    }
}

fn busy(planned_job: &PlannedJob) -> ActiveRuns {
    let running = planned_job.running as usize;
    ActiveRuns {
        active: planned_job.active as usize,
        running,
        backlog: planned_job.backlog as usize,
        on_time: planned_job.on_time as usize,
    }
}

/// Returns a plan that changes nothing until `next`.
fn unchanged_plan(planned_job: &PlannedJob, next: Option<Time>) -> JobPlan {
    let (from, until) = (planned_job.planned_until, planned_job.planned_until);
    JobPlan {
        id: planned_job.id.clone(),
        topic: planned_job.topic.clone(),
        from,
        until,
        next,
        max_attempts: 1,
        side_by_side: false,
        slots: Vec::new(),
    }
}

/// The most compiled schedules kept, 6 KB each: most topics share theirs.
const COMPILED_KEPT: usize = 500;

fn row(
    planned_job: &PlannedJob,
    policy: &SchedulePolicy,
    slot: Time,
    decision: Decision,
    with_jitter: bool,
) -> PlannedSlot {
    let spread = if with_jitter { jitter(&planned_job.id, slot, policy.jitter_ms) } else { Duration::ZERO };
    let (state, trigger, reason) = match decision {
        Decision::Run(trigger) => (RunState::Queued, trigger, None),
        Decision::Missed(reason) => (RunState::Missed, Trigger::Scheduled, Some(reason.to_owned())),
        Decision::Skipped(reason) => (RunState::Skipped, Trigger::Scheduled, Some(reason.to_owned())),
    };
    PlannedSlot { slot, trigger, state, reason, due_at: slot.plus(spread) }
}
