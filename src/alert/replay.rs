//! Replays the `volume` rule over windows that were counted elsewhere, such as those of a benchmark, with the same
//! judgement, start and end as for real runs. Does not read the store.

use super::backtest::Backtest;
use super::rules::{self, WindowVolume};
use super::transitions::Transitions;
use crate::insight::daily::{Day, ItemCounts};
use crate::insight::{EvaluatedWindow, RunningStats};
use crate::model::{AlertSpec, Time, format_duration};

/// One window of a topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// When it was evaluated.
    pub at: Time,
    pub day: Day,
    pub count: u64,
    /// The windows at the same hour of earlier days, oldest first.
    pub earlier: Vec<(Day, u64)>,
    /// The windows of `windows_at_any_hour`; used while the others are too few.
    pub at_any_hour: Vec<(Day, u64)>,
}

/// Evaluates the windows of a topic, oldest first.
#[must_use]
pub fn replay(spec: &AlertSpec, topic: &str, windows: &[Window]) -> Backtest {
    let mut backtest = Backtest::default();
    let mut seen = Transitions::of(&[]);
    let length = format_duration(std::time::Duration::from_millis(spec.window_ms));
    for (number, window) in windows.iter().enumerate() {
        let counted = ItemCounts { raw: window.count, unique: window.count, ..ItemCounts::default() };
        let usual = rules::usual_volume(&window.day, &window.earlier, &window.at_any_hour);
        let about = WindowVolume { counted: &counted, at_least: false, usual, length: &length, top: &[] };
        let says = rules::volume(spec, topic, &about).into_iter().collect();
        seen.take(spec, &number.to_string(), window.at, says, None);
        let like = RunningStats::of(window.earlier.iter().map(|(_, count)| *count));
        backtest.runs += 1;
        backtest.evaluated_runs.push((topic.to_owned(), window.at));
        backtest.looks.push((
            topic.to_owned(),
            EvaluatedWindow { at: window.at, window: window.day.span, count: window.count, like },
        ));
    }
    backtest.events = seen.events;
    backtest
}
