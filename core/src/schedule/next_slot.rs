//! The next slot of a policy, for people: what is planned already is taken into account.

use super::Schedule;
use super::decide::AHEAD;
use crate::model::{SchedulePolicy, Time};

/// Returns the next slot of a policy from the present on; all slots until `planned_until` are in the ledger. `None` if
/// the policy is paused or has no more slots.
#[must_use]
pub fn next_slot(policy: &SchedulePolicy, planned_until: Option<Time>, now: Time) -> Option<Time> {
    if policy.paused {
        return None;
    }
    // Planned slots stay planned even if the clock is set back; those of a clock far ahead are planned again.
    let until = planned_until.filter(|until| *until <= now.believed_until(AHEAD));
    Schedule::compile(policy).ok()?.next_after(until.map_or(now, |until| until.max(now)))
}
