//! Two textbook rules to compare alerts with, on the same windows. `3-sigma` compares a window with those at the same
//! hour of earlier days, `z-score` with all windows before it. They notify no one.

use std::collections::VecDeque;
use std::time::Duration;

use super::daily::MIN_DAYS;
use crate::model::{Span, Time};

/// Both rules fire beyond this many standard deviations above the mean.
const FIRES: f64 = 3.0;
/// Both rules stop firing at or below this many standard deviations.
const ENDS: f64 = 2.0;
/// How far back `z-score` remembers; the same as for alerts.
const MEMORY: Duration = Duration::from_secs(28 * 86_400);
/// `z-score` judges only once it remembers at least this much time.
const LEAST_MEMORY: Duration = Duration::from_secs(86_400);

/// The number of values, their sum and the sum of their squares: integers, so adding and removing is exact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunningStats {
    many: u64,
    sum: u128,
    squares: u128,
}

impl RunningStats {
    /// The moments of some counts.
    #[must_use]
    pub fn of(counts: impl IntoIterator<Item = u64>) -> Self {
        let mut moments = Self::default();
        counts.into_iter().for_each(|count| moments.add(count));
        moments
    }

    fn add(&mut self, count: u64) {
        let count = u128::from(count);
        self.many += 1;
        self.sum = self.sum.saturating_add(count);
        self.squares = self.squares.saturating_add(count.saturating_mul(count));
    }

    fn remove(&mut self, count: u64) {
        let count = u128::from(count);
        self.many = self.many.saturating_sub(1);
        self.sum = self.sum.saturating_sub(count);
        self.squares = self.squares.saturating_sub(count.saturating_mul(count));
    }

    /// Returns how many standard deviations `count` lies above the mean, 0 if below; `None` with too few values.
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    fn deviations_above(&self, count: u64) -> Option<f64> {
        if self.many < MIN_DAYS as u64 {
            return None;
        }
        let many = self.many as f64;
        let mean = self.sum as f64 / many;
        let spread =
            u128::from(self.many).saturating_mul(self.squares).saturating_sub(self.sum.saturating_mul(self.sum));
        let deviation = (spread as f64 / (many * (many - 1.0))).sqrt();
        let away = count as f64 - mean;
        // If all values are equal, anything above them is infinitely far.
        Some(if away <= 0.0 { 0.0 } else { away / deviation })
    }
}

/// A window that an alert evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluatedWindow {
    /// When the run at the end of the window started.
    pub at: Time,
    pub window: Span,
    pub count: u64,
    /// The counts of the windows at the same hour of earlier days.
    pub like: RunningStats,
}

/// Collects when a rule fires; a rule that keeps firing counts once.
#[derive(Debug, Default)]
struct FiringState {
    firing: bool,
    at: Vec<Time>,
}

impl FiringState {
    fn update(&mut self, window: &EvaluatedWindow, above: Option<f64>, least: u64) {
        let Some(above) = above else { return };
        if above > FIRES && window.count >= least {
            if !self.firing {
                self.at.push(window.at);
            }
            self.firing = true;
        } else if above <= ENDS {
            self.firing = false;
        }
    }
}

/// Returns when a window's count rose more than three standard deviations above the mean of the same hour on earlier
/// days.
#[must_use]
pub fn three_sigma(windows: &[EvaluatedWindow], least: u64) -> Vec<Time> {
    let mut fires = FiringState::default();
    for window in windows {
        fires.update(window, window.like.deviations_above(window.count), least);
    }
    fires.at
}

/// Returns when a window's count rose more than three standard deviations above the mean of all earlier windows that do
/// not overlap it. `windows` belong to one topic, the earliest first.
#[must_use]
pub fn z_score(windows: &[EvaluatedWindow], least: u64) -> Vec<Time> {
    let (mut fires, mut before) = (FiringState::default(), RunningStats::default());
    let (mut waiting, mut remembered) = (VecDeque::<&EvaluatedWindow>::new(), VecDeque::<&EvaluatedWindow>::new());
    for window in windows {
        while let Some(over) = waiting.pop_front_if(|over| over.window.until <= window.window.from) {
            before.add(over.count);
            remembered.push_back(over);
        }
        while let Some(old) = remembered.pop_front_if(|old| old.window.until < window.window.until.minus(MEMORY)) {
            before.remove(old.count);
        }
        let (first, last) = (remembered.front(), remembered.back());
        let length = first.zip(last).map(|(first, last)| last.window.until.since(first.window.until));
        let knows = length.is_some_and(|length| length >= LEAST_MEMORY);
        fires.update(window, before.deviations_above(window.count).filter(|_| knows), least);
        waiting.push_back(window);
    }
    fires.at
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    const HOUR: i64 = 3_600_000;

    fn evaluated_window(hour: i64, length: i64, count: u64, like: &[u64]) -> EvaluatedWindow {
        let window = Span::new(Time((hour - length) * HOUR), Time(hour * HOUR)).unwrap();
        EvaluatedWindow { at: Time(hour * HOUR), window, count, like: RunningStats::of(like.iter().copied()) }
    }

    #[test]
    fn three_sigma_fires_beyond_three_and_ends_within_two() {
        // Mean 20; squared differences 16, 16, 4, 4, 4, 4 and 0; variance 48 / 6; deviation 2.828, edges 28.49 and
        // 25.66.
        let like = [16, 24, 18, 22, 18, 22, 20];
        let at = |counts: &[u64], least: u64| -> Vec<i64> {
            let windows: Vec<EvaluatedWindow> =
                (0..).zip(counts).map(|(hour, count)| evaluated_window(hour, 1, *count, &like)).collect();
            three_sigma(&windows, least).iter().map(|at| at.0 / HOUR).collect()
        };
        assert_eq!(at(&[28, 29, 27, 31, 25, 29], 1), [1, 5]);
        assert_eq!(at(&[28, 29, 27, 31, 26, 29], 1), [1], "between the two it goes on");
        assert_eq!(at(&[28, 29, 27, 31, 25, 29], 31), [3]);
        let too_few = evaluated_window(0, 1, 1_000, &like[..6]);
        assert!(three_sigma(&[too_few], 1).is_empty());
        let same = [
            evaluated_window(0, 1, 5, &[5; 7]),
            evaluated_window(1, 1, 6, &[5; 7]),
            evaluated_window(2, 1, 5, &[5; 7]),
        ];
        assert_eq!(three_sigma(&same, 1), [Time(HOUR)]);
    }

    #[test]
    fn the_z_score_needs_a_day_of_windows_without_overlap() {
        let calm = |hour: i64| 18 + u64::try_from(hour.rem_euclid(5)).unwrap();
        let fires = |burst: i64, length: i64| {
            let windows: Vec<EvaluatedWindow> = (0..800)
                .map(|hour| evaluated_window(hour, length, if hour == burst { 60 } else { calm(hour) }, &[]))
                .collect();
            z_score(&windows, 10).iter().map(|at| at.0 / HOUR).collect::<Vec<_>>()
        };
        assert_eq!(fires(24, 1), [0; 0], "the windows before it reach from 0 to 23");
        assert_eq!(fires(25, 1), [25]);
        assert_eq!(fires(30, 6), [30]);
        assert_eq!(fires(29, 6), [0; 0]);
        // A forgotten burst no longer counts: one from 29 days ago does not widen the deviation.
        let windows: Vec<EvaluatedWindow> = (0..800)
            .map(|hour| {
                evaluated_window(
                    hour,
                    1,
                    if hour == 30 {
                        100_000
                    } else if hour == 750 {
                        60
                    } else {
                        calm(hour)
                    },
                    &[],
                )
            })
            .collect();
        assert_eq!(z_score(&windows, 10), [Time(30 * HOUR), Time(750 * HOUR)]);
    }
}
