//! Checks whether a schedule is frequent enough for the look-back window of its searches. Uses only the schedule; real
//! coverage is computed from the runs.

use std::time::Duration;

use super::{Schedule, When};
use crate::model::{Time, Window};

/// How far ahead to search for gaps: more than a year, to include yearly slots and every clock change.
const HORIZON: Duration = Duration::from_secs(400 * 86_400);

/// By how much the gaps of a schedule exceed a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncovered {
    /// By how much the largest gap exceeds the window.
    pub over: Duration,
    /// The local date on which the largest gap ends, if gaps exceed the window only because of clock changes.
    pub clock_change: Option<String>,
}

/// Returns by how much the largest gap between neighbouring slots of the next 400 days exceeds the window; `None` if
/// every gap fits. In a zone with summer time, a daily local time exceeds 24 hours by one hour once a year. A gap that
/// starts within the 400 days counts in full.
#[must_use]
pub fn largest_uncovered_gap(schedule: &Schedule, window: Window, from: Time) -> Option<Uncovered> {
    let length = window.length();
    let cron = match &schedule.when {
        When::Every(period) => {
            let period = Duration::from_millis(u64::try_from(*period).unwrap_or(0));
            let over = period.checked_sub(length).filter(|over| !over.is_zero())?;
            return Some(Uncovered { over, clock_change: None });
        }
        When::Cron(cron) => cron,
    };
    let gaps = longer_gaps(schedule, length, from);
    let mut largest: Option<(Time, Time)> = None;
    for (begin, end) in &gaps {
        if largest.is_none_or(|(from, until)| end.since(*begin) > until.since(from)) {
            largest = Some((*begin, *end));
        }
    }
    let (begin, end) = largest?;
    let local = |at: Time| at.to_jiff().map(|at| cron.zone.to_datetime(at));
    let by_the_clock = |(begin, end): &(Time, Time)| match (local(*begin), local(*end)) {
        (Some(begin), Some(end)) => begin.duration_until(end).unsigned_abs() > length,
        _ => true,
    };
    let clock_change = if gaps.iter().any(by_the_clock) { None } else { local(end) };
    Some(Uncovered {
        over: end.since(begin).saturating_sub(length),
        clock_change: clock_change.map(|at| at.date().to_string()),
    })
}

/// Returns the gaps longer than `length`. To avoid walking through every slot, it jumps from a slot to the first slot
/// at least `length` later. Only the gap that ends there can be longer than `length`.
fn longer_gaps(schedule: &Schedule, length: Duration, from: Time) -> Vec<(Time, Time)> {
    let until = from.plus(HORIZON);
    let mut gaps = Vec::new();
    let Some(mut slot) = schedule.next_after(from) else { return gaps };
    while slot < until {
        // Minus a millisecond, so that a slot exactly one `length` later is found itself, not the one after it.
        let Some(far) = schedule.next_after(slot.plus(length).minus(Duration::from_millis(1))) else { break };
        if far.since(slot) > length {
            let before = last_before(schedule, slot, far);
            if before < until && far.since(before) > length {
                gaps.push((before, far));
            }
        }
        slot = far;
    }
    gaps
}

/// Returns the last slot before the slot `end`, by bisection. `start` is an earlier slot.
fn last_before(schedule: &Schedule, start: Time, end: Time) -> Time {
    // With rare slots, `end` often directly follows `start`.
    if schedule.next_after(start).is_some_and(|slot| slot >= end) {
        return start;
    }
    // The answer is at or after `last`, and no slot before `end` lies after `open`. Cron slots are whole seconds.
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
