//! Whether a schedule comes round often enough for its searches' look-back window. A forecast from the schedule alone;
//! what was really covered is read from the runs.

use std::time::Duration;

use super::{Schedule, When};
use crate::model::{Time, Window};

/// How far ahead gaps are looked for: more than a year, so that a yearly slot and every change of the clock is met.
const HORIZON: Duration = Duration::from_secs(400 * 86_400);

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

/// The largest gap when it is longer than `length`, else `length`. Instead of walking through every slot it strides: from
/// one slot to the first slot at least `length` later. Only the gap that ends there can be longer than `length`.
fn largest_gap(schedule: &Schedule, length: Duration, from: Time) -> Duration {
    let until = from.plus(HORIZON);
    let mut largest = length;
    let Some(mut slot) = schedule.next_after(from) else { return largest };
    while slot < until {
        // The millisecond makes a slot exactly one `length` later count as that slot and not the one behind it.
        let Some(far) = schedule.next_after(slot.plus(length).minus(Duration::from_millis(1))) else { break };
        if far.since(slot) > largest {
            let before = last_before(schedule, slot, far);
            if before < until {
                largest = largest.max(far.since(before));
            }
        }
        slot = far;
    }
    largest
}

/// The last slot before the slot `end`, by bisection; `start` is an earlier slot.
fn last_before(schedule: &Schedule, start: Time, end: Time) -> Time {
    // Rare slots, of which each has many strides to itself, follow one another: then nothing is left to look for.
    if schedule.next_after(start).is_some_and(|slot| slot >= end) {
        return start;
    }
    // The answer is never earlier than `last`, and no slot before `end` is later than `open`. Cron's slots are whole
    // seconds.
    let (mut last, mut open) = (start, end);
    while open.since(last) > Duration::from_secs(1) {
        let middle = last.plus(open.since(last) / 2);
        match schedule.next_after(middle) {
            Some(slot) if slot < end => last = slot,
            _ => open = middle,
        }
    }
    last
}
