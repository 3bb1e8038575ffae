//! Brings the ledger up to the present: a row for every slot that came. What becomes of a slot is `schedule`'s to decide;
//! nothing is run here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{Overlap, RunState, SchedulePolicy, Time, Trigger};
use crate::schedule::{Decision, Schedule, decide, jitter};
use crate::store::{JobPlan, PlannedSlot, PlannedTopic, Store, StoreError};

/// Rows planned for one job in one transaction.
const ROWS_PER_PLAN: usize = 1_000;

/// What planning did and what comes next.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// Ledger rows added.
    pub rows: u64,
    /// Topics and their next slots, by topic id.
    pub next: Vec<(String, Time)>,
}

/// Brings the ledger up to the present.
#[derive(Default)]
pub struct Planner {
    /// Compiled schedules by what they were compiled from.
    compiled: HashMap<String, Arc<Schedule>>,
}

impl Planner {
    /// Adds a row for every slot that came since each topic was last planned. `with_jitter` spreads the runs after
    /// their slots; one-shot callers do not wait for that.
    pub async fn plan(&mut self, store: &Store, now: Time, with_jitter: bool) -> Result<Planned, StoreError> {
        let mut planned = Planned::default();
        loop {
            let topics = store.planned_topics().await?;
            let (mut plans, mut more) = (Vec::new(), false);
            planned.next.clear();
            for known in &topics {
                let Some((policy, schedule)) = self.schedule(known) else { continue };
                if policy.paused {
                    continue;
                }
                let plan = decide(&schedule, &policy, known.planned_until, now, known.active as usize, ROWS_PER_PLAN);
                if plan.clamped {
                    tracing::warn!(topic = %known.topic.id, "the ledger was planned into the future (the clock was set back); slots are planned from now on");
                }
                if let Some(next) = schedule.next_after(now.max(plan.planned_until)) {
                    planned.next.push((known.topic.id.clone(), next));
                }
                more |= plan.more;
                if !plan.rows.is_empty() || plan.clamped {
                    let until = plan.planned_until;
                    let slots = plan
                        .rows
                        .into_iter()
                        .map(|(slot, decision)| row(known, &policy, slot, decision, with_jitter))
                        .collect();
                    plans.push(JobPlan {
                        topic: known.topic.id.clone(),
                        from: known.planned_until,
                        until,
                        max_attempts: policy.max_attempts,
                        side_by_side: policy.overlap == Overlap::Allow,
                        slots,
                    });
                }
            }
            if !plans.is_empty() {
                planned.rows += store.plan(&plans, now).await?;
            }
            if !more {
                return Ok(planned);
            }
        }
    }

    fn schedule(&mut self, known: &PlannedTopic) -> Option<(SchedulePolicy, Arc<Schedule>)> {
        let policy = known.topic.schedule.clone()?;
        let from = format!("{:?} {}", policy.period, policy.timezone);
        if let Some(schedule) = self.compiled.get(&from) {
            return Some((policy, Arc::clone(schedule)));
        }
        match Schedule::compile(&policy) {
            Ok(schedule) => {
                let schedule = Arc::new(schedule);
                self.compiled.insert(from, Arc::clone(&schedule));
                Some((policy, schedule))
            }
            Err(refused) => {
                tracing::error!(topic = %known.topic.id, "its stored schedule cannot be read: {}", refused.message);
                None
            }
        }
    }
}

fn row(
    known: &PlannedTopic,
    policy: &SchedulePolicy,
    slot: Time,
    decision: Decision,
    with_jitter: bool,
) -> PlannedSlot {
    let spread = if with_jitter { jitter(&known.topic.job(), slot, policy.jitter_ms) } else { Duration::ZERO };
    let (state, trigger, reason) = match decision {
        Decision::Run(trigger) => (RunState::Queued, trigger, None),
        Decision::Missed(reason) => (RunState::Missed, Trigger::Scheduled, Some(reason.to_owned())),
        Decision::Skipped(reason) => (RunState::Skipped, Trigger::Scheduled, Some(reason.to_owned())),
    };
    PlannedSlot { slot, trigger, state, reason, due_at: slot.plus(spread) }
}
