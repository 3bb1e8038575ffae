//! Detects a clock that was set back, while the loop runs or before it started. No slot runs twice, and nothing new
//! runs until the clock has caught up. This is reported once, and so is each job that would be due by the monotonic
//! clock. The ledger still decides what is planned.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::model::{Time, format_duration};
use crate::schedule::AHEAD;
use crate::store::{Store, StoreError};

/// A clock may go back by this much without a warning.
const WORTH_A_WARNING: Duration = Duration::from_secs(60);

/// Jobs whose next slots are checked, and how many of them are named.
const MAX_JOBS: u32 = 100;
const NAMED: usize = 5;

/// Compares the time that has passed on the monotonic clock with the wall clock.
#[derive(Debug)]
pub(super) struct ClockMonitor {
    steady: TrustedClock,
    reported: BTreeSet<(String, Time)>,
}

impl ClockMonitor {
    /// Starts at `now`. If the ledger is planned beyond it, the clock was set back before this process started.
    /// If it had been more than a day ahead, the planner reports that.
    pub(super) async fn begin(store: &Store, now: Time) -> Self {
        let planned = store.planned_until(now.believed_until(AHEAD)).await.unwrap_or_else(|error| {
            tracing::debug!("cannot read how far ahead the ledger is planned: {error}");
            None
        });
        let time = planned.map_or(now, |until| until.max(now));
        Self { steady: TrustedClock { passed: Duration::ZERO, time, back: None }, reported: BTreeSet::new() }
    }

    /// Reports what is new, `passed` after the start.
    pub(super) async fn check(&mut self, store: &Store, passed: Duration, now: Time) -> Result<(), StoreError> {
        let time = match self.steady.observe(passed, now) {
            ClockState::AsUsual => {
                self.reported.clear();
                return Ok(());
            }
            ClockState::JustSetBack { by, time } => {
                tracing::warn!(
                    expected = %time,
                    now = %now,
                    "the clock was set back by {}: no slot runs twice, and slots that come due meanwhile wait until the clock reaches them",
                    format_duration(by)
                );
                time
            }
            ClockState::StillBack { time } => time,
        };
        let next = store.next_slots(MAX_JOBS).await?;
        let due = next.into_iter().filter(|slot| slot.1 > now && slot.1 <= time);
        let new: Vec<_> = due.filter(|slot| self.reported.insert(slot.clone())).collect();
        if !new.is_empty() {
            let named: Vec<String> = new.iter().take(NAMED).map(|(job, slot)| format!("{job} at {slot}")).collect();
            let more = if new.len() > NAMED { ", …" } else { "" };
            tracing::warn!(
                jobs = new.len(),
                "due by elapsed time, but not yet by the clock: {}{more}",
                named.join(", ")
            );
        }
        Ok(())
    }
}

/// The clock when it was last trusted.
#[derive(Debug)]
struct TrustedClock {
    passed: Duration,
    time: Time,
    /// How far it is behind, if it was set back.
    back: Option<Duration>,
}

#[derive(Debug, PartialEq, Eq)]
enum ClockState {
    AsUsual,
    /// By how much, and which time it should be.
    JustSetBack {
        by: Duration,
        time: Time,
    },
    /// Which time it should be.
    StillBack {
        time: Time,
    },
}

impl TrustedClock {
    fn observe(&mut self, passed: Duration, now: Time) -> ClockState {
        let time = self.time.plus(passed.saturating_sub(self.passed));
        let behind = time.since(now);
        // It was corrected, ran ahead, or has caught up.
        if behind < WORTH_A_WARNING || (self.back.is_some() && now >= self.time) {
            *self = Self { passed, time: now, back: None };
            return ClockState::AsUsual;
        }
        let further = self.back.is_none_or(|earlier| behind > earlier + WORTH_A_WARNING);
        self.back = Some(behind);
        if further { ClockState::JustSetBack { by: behind, time } } else { ClockState::StillBack { time } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_set_back_is_reported_once_and_stays_back_until_it_catches_up() {
        let hours = |hours: u64| Duration::from_secs(hours * 3_600);
        let at = |hour: u64| Time(1_773_187_200_000).plus(hours(hour));
        let just_set_back = |by: u64, time: u64| ClockState::JustSetBack { by: hours(by), time: at(time) };
        let back = |time: u64| ClockState::StillBack { time: at(time) };
        // Hours that have passed, the hour of the clock, and the result.
        let cases: [&[(u64, u64, ClockState)]; 4] = [
            &[
                (1, 11, ClockState::AsUsual),
                (2, 12, ClockState::AsUsual),
                (3, 8, just_set_back(5, 13)),
                (4, 9, back(14)),
                (6, 11, back(16)),
            ],
            // It catches up.
            &[
                (1, 11, ClockState::AsUsual),
                (2, 7, just_set_back(5, 12)),
                (5, 10, back(15)),
                (6, 11, ClockState::AsUsual),
                (7, 12, ClockState::AsUsual),
            ],
            // It is corrected and runs ahead.
            &[
                (1, 6, just_set_back(5, 11)),
                (2, 12, ClockState::AsUsual),
                (3, 20, ClockState::AsUsual),
                (4, 21, ClockState::AsUsual),
            ],
            // It is set back further.
            &[
                (1, 6, just_set_back(5, 11)),
                (2, 2, just_set_back(10, 12)),
                (3, 3, back(13)),
                (4, 6, back(14)),
                (5, 7, back(15)),
            ],
        ];
        for case in cases {
            let mut steady = TrustedClock { passed: Duration::ZERO, time: at(10), back: None };
            for (passed, clock, seen) in case {
                assert_eq!(steady.observe(hours(*passed), at(*clock)), *seen, "{case:?}");
            }
        }
    }

    #[test]
    fn small_corrections_by_a_time_server_are_not_a_set_back_clock() {
        let start = Time(1_773_187_200_000);
        let mut steady = TrustedClock { passed: Duration::ZERO, time: start, back: None };
        for round in 1..1_000 {
            // Half a second too slow in thirty.
            let (passed, clock) = (Duration::from_secs(round * 30), start.plus(Duration::from_millis(round * 29_500)));
            assert_eq!(steady.observe(passed, clock), ClockState::AsUsual);
        }
    }
}
