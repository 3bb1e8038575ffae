//! When a job is due: slots as a pure function of the schedule, and what happens to slots that passed. Reads no clock
//! and no database.
//!
//! ```text
//! policy -> compile (fields, cron, zone) -> Schedule -> next_after (local) -> decide -> rows of the ledger
//! ```
//!
//! Schedules follow Debian cron: patterns of fixed local times follow the wall clock and run once on days with a clock
//! change; patterns with `*` in a time field follow real time. `local` has that rule.

mod count;
mod coverage;
mod cron;
mod decide;
mod duration;
mod error;
mod explain;
mod fields;
mod instant;
mod jitter;
mod leftover;
mod local;
mod next_slot;
mod plan;
mod zone;

#[cfg(test)]
mod tests;

pub use coverage::{Uncovered, largest_uncovered_gap};
pub use decide::{AHEAD, ActiveRuns, decide};
pub use duration::{format_duration, parse_duration};
pub use error::{MIN_PERIOD, ScheduleError};
pub use explain::{ClockChange, Explanation, LocalSlot, explain};
pub use instant::{INSTANTS, InstantFault, TOO_FAR_BACK, parse_instant, read_instant};
pub use jitter::jitter;
pub use leftover::expired_queued_slots;
pub use next_slot::next_slot;
pub use plan::{Decision, ON_TIME, Plan, reason};
pub use zone::{check_zone, zone_suggestions};

use std::time::Duration;

use jiff::civil::Date;

use crate::model::{Period, SchedulePolicy, Time};

/// A checked schedule. Cheap to clone; a cron schedule holds about 6 KB, shared by its clones.
#[derive(Debug, Clone)]
pub struct Schedule {
    when: When,
    warnings: Vec<String>,
}

#[derive(Debug, Clone)]
enum When {
    /// Whole milliseconds, above zero, counted from the epoch.
    Every(i64),
    Cron(cron::Cron),
}

impl Schedule {
    /// Checks a policy's period and zone.
    ///
    /// # Errors
    /// [`ScheduleError`] if the expression is invalid, never fires or fires more often than [`MIN_PERIOD`], or if the zone is
    /// unknown.
    pub fn compile(policy: &SchedulePolicy) -> Result<Self, ScheduleError> {
        Self::compile_with(policy, MIN_PERIOD)
    }

    /// [`Schedule::compile`] with another shortest period, at most a day for cron schedules. On days with a clock
    /// change, fixed local times may still come closer together: a time inside the gap moves to its end.
    ///
    /// # Errors
    /// As [`Schedule::compile`].
    pub fn compile_with(policy: &SchedulePolicy, min_period: Duration) -> Result<Self, ScheduleError> {
        match &policy.period {
            Period::Every(ms) => {
                zone::find_zone(&policy.timezone)?;
                every(*ms, min_period)
            }
            Period::Cron(expression) => of_cron(expression, &policy.timezone, Some(min_period)),
        }
    }

    /// Returns what is allowed but probably not meant, one line each: a step longer than its field.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the first slot strictly after an instant; `None` after the end of the calendar (year 5000 for cron).
    #[must_use]
    pub fn next_after(&self, after: Time) -> Option<Time> {
        let next = match &self.when {
            When::Every(period) => Time(after.0.div_euclid(*period).checked_add(1)?.checked_mul(*period)?),
            When::Cron(cron) => cron.next_after(after)?,
        };
        // A slot not later than the one before would make the planner loop; no known input does this.
        (next > after && next.to_jiff().is_some()).then_some(next)
    }

    /// Returns the local date of the time that a slot represents. For a time skipped by a clock change, this may be the
    /// day before. `None` for a period.
    #[must_use]
    pub fn date_of(&self, slot: Time) -> Option<Date> {
        match &self.when {
            When::Every(_) => None,
            When::Cron(cron) => cron.date_of(slot),
        }
    }

    /// Returns the slots in (`after`, `until`], oldest first.
    pub fn slots(&self, after: Time, until: Time) -> impl Iterator<Item = Time> + use<'_> {
        let due = move |slot: &Time| *slot <= until;
        std::iter::successors(self.next_after(after).filter(due), move |slot| self.next_after(*slot).filter(due))
    }
}

/// Builds a schedule from a cron expression and a zone, without a shortest period.
///
/// # Errors
/// [`ScheduleError`] if the expression is invalid or never fires, or if the zone is unknown.
pub fn parse_cron(expression: &str, timezone: &str) -> Result<Schedule, ScheduleError> {
    of_cron(expression, timezone, None)
}

fn of_cron(expression: &str, timezone: &str, min_period: Option<Duration>) -> Result<Schedule, ScheduleError> {
    let (cron, warnings) = cron::compile(expression, timezone, min_period)?;
    Ok(Schedule { when: When::Cron(cron), warnings })
}

fn every(ms: u64, min_period: Duration) -> Result<Schedule, ScheduleError> {
    let period = Duration::from_millis(ms);
    if ms == 0 || period < min_period {
        let least = format_duration(min_period.max(Duration::from_millis(1)));
        return Err(ScheduleError::new(
            format!("a period of {} is too short", format_duration(period)),
            format!("the shortest period is {least}: write every = \"{least}\" or more"),
        ));
    }
    let schedule = i64::try_from(ms).ok().map(|period| Schedule { when: When::Every(period), warnings: Vec::new() });
    schedule.filter(|schedule| schedule.next_after(Time(0)).is_some()).ok_or_else(|| {
        ScheduleError::new(format!("a period of {} is too long", format_duration(period)), "write a shorter period")
    })
}
