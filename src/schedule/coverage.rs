//! Whether a schedule comes round often enough for its searches' look-back window. A forecast from the schedule alone;
//! what was really covered is read from the runs.

use std::time::Duration;

use super::{Schedule, When};
use crate::model::{Time, Window};

/// How far ahead gaps are looked for: more than a year, so that a yearly slot and every change of the clock is met.
const HORIZON: Duration = Duration::from_secs(400 * 86_400);

/// At most this many slots are walked through one by one; the largest gap found by then is the answer.
const MAX_WALKED: usize = 20_000;

/// By how much the largest gap between neighbouring slots of the next 400 days exceeds the window; `None` when every
/// gap fits. A daily local time in a zone with summer time exceeds 24 hours by one, once a year. A gap that begins
/// within the 400 days counts in full.
#[must_use]
pub fn uncovered(schedule: &Schedule, window: Window, from: Time) -> Option<Duration> {
    let length = window.length();
    let largest = match &schedule.when {
        When::Every(period) => Duration::from_millis(u64::try_from(*period).unwrap_or(0)),
        When::Cron(_) => largest_gap(schedule, length, from),
    };
    largest.checked_sub(length).filter(|over| !over.is_zero())
}

/// The largest gap when it is longer than `length`. Instead of walking through every slot it strides: from one slot it
/// asks for the first slot a whole `length` later, and only when these two are further apart than any gap so far, one of
/// the gaps between them may be longer.
fn largest_gap(schedule: &Schedule, length: Duration, from: Time) -> Duration {
    let until = from.plus(HORIZON);
    let (mut largest, mut walked) = (length, 0);
    let Some(mut slot) = schedule.next_after(from) else { return largest };
    while slot < until && walked < MAX_WALKED {
        // The millisecond makes a slot exactly one `length` later count as that slot and not the one behind it.
        let Some(far) = schedule.next_after(slot.plus(length).minus(Duration::from_millis(1))) else { break };
        if far.since(slot) > largest {
            let mut before = slot;
            for next in schedule.slots(slot, far).take(MAX_WALKED - walked) {
                if before >= until {
                    break;
                }
                largest = largest.max(next.since(before));
                before = next;
                walked += 1;
            }
        }
        slot = far;
    }
    largest
}
