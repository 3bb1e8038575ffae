//! Measures a backtest against a list of real events: precision, recall and delay of the rule, and of two textbook
//! rules over the same windows. Pure; `real_events` reads the list.

use super::backtest::Backtest;
use crate::insight::{Detection, EvaluatedWindow, FiredAlert, RealEvent, three_sigma, z_score};
use crate::model::{AlertEventKind, AlertRule, AlertSpec, Time};

/// One rule, measured against the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredRule {
    /// The alert's rule, or the textbook name of the other one.
    pub rule: &'static str,
    /// When it began to fire, oldest first.
    pub alarms: Vec<FiredAlert>,
    pub detection: Detection,
}

/// How well an alert detects real events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// Events during which a run was evaluated. Only these are measured.
    pub events: Vec<RealEvent>,
    /// Events during which no run was evaluated.
    pub not_looked_at: Vec<RealEvent>,
    /// The alert's rule first. The textbook rules follow only for `volume`, which alone counts windows.
    pub rules: Vec<MeasuredRule>,
}

/// Measures a backtest against real events.
#[must_use]
pub fn measure(spec: &AlertSpec, backtest: &Backtest, events: &[RealEvent]) -> Measurement {
    let mut evaluated_runs: Vec<&(String, Time)> = backtest.evaluated_runs.iter().collect();
    evaluated_runs.sort_by_key(|(_, at)| *at);
    let was_evaluated = |event: &RealEvent| {
        let from = evaluated_runs.partition_point(|(_, at)| *at < event.begin);
        let inside = evaluated_runs.iter().skip(from).take_while(|(_, at)| *at <= event.end);
        inside.into_iter().any(|(topic, at)| event.contains(topic, *at))
    };
    let (events, not_looked_at) = events.iter().cloned().partition::<Vec<RealEvent>, _>(was_evaluated);
    let fired = backtest.events.iter().filter(|event| event.kind == AlertEventKind::Fired && event.muted.is_none());
    // A source's subject is `TOPIC/SOURCE`; a topic's id holds no slash.
    let topic = |subject: &str| subject.split('/').next().unwrap_or_default().to_owned();
    let own = fired.map(|event| FiredAlert { topic: topic(&event.subject), at: event.at }).collect();
    let mut rules = vec![(spec.rule.as_str(), own)];
    if spec.rule == AlertRule::Volume {
        rules.push(("3-sigma", fired_by_rule(backtest, u64::from(spec.least), three_sigma)));
        rules.push(("z-score", fired_by_rule(backtest, u64::from(spec.least), z_score)));
    }
    let one = |(rule, mut alarms): (&'static str, Vec<FiredAlert>)| {
        alarms.sort_by(|a, b| (a.at, &a.topic).cmp(&(b.at, &b.topic)));
        let detection = Detection::of(&alarms, &events);
        MeasuredRule { rule, alarms, detection }
    };
    let rules = rules.into_iter().map(one).collect();
    Measurement { events, not_looked_at, rules }
}

/// When a textbook rule fires for each topic.
fn fired_by_rule(
    backtest: &Backtest,
    least: u64,
    rule: impl Fn(&[EvaluatedWindow], u64) -> Vec<Time>,
) -> Vec<FiredAlert> {
    let mut topics: Vec<&str> = backtest.looks.iter().map(|(topic, _)| topic.as_str()).collect();
    topics.sort_unstable();
    topics.dedup();
    let of = |topic: &str| {
        let mut windows: Vec<EvaluatedWindow> =
            backtest.looks.iter().filter(|(own, _)| own == topic).map(|(_, window)| *window).collect();
        windows.sort_by_key(|window| window.at);
        rule(&windows, least).into_iter().map(|at| FiredAlert { topic: topic.to_owned(), at }).collect::<Vec<_>>()
    };
    topics.into_iter().flat_map(of).collect()
}
