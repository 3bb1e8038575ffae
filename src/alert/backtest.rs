//! Replays past runs, in reading order, through an alert's rule to show when it would have fired. Stores nothing.
//! Items are read as they are today: later edits, merges and deletions are included.

use std::collections::BTreeSet;
use std::time::Duration;

use super::evaluate::{evaluate_budgets, evaluate_runs, next_runs};
use super::transitions::Transitions;
use crate::compare;
use crate::insight::EvaluatedWindow;
use crate::model::{AlertEvent, AlertRule, AlertSpec, Firing, Time};
use crate::store::{Store, StoreError};

/// The result of a backtest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backtest {
    /// Runs of the alert's topics that were evaluated.
    pub runs: u64,
    /// The events, oldest first.
    pub events: Vec<AlertEvent>,
    /// Whether there were more runs than the limit.
    pub cut: bool,
    /// The topic and start of each evaluated run.
    pub evaluated_runs: Vec<(String, Time)>,
    /// The windows that `volume` compared, by topic.
    pub looks: Vec<(String, EvaluatedWindow)>,
    /// Windows that begin before this may have held more items: sightings of the alert's sources were pruned.
    pub pruned_until: Option<Time>,
    /// New items whose text was pruned, if the alert looks for words: whether it fired on them is not known.
    pub without_text: u64,
}

/// Why a `budget` alert is not backtested.
pub const NO_BUDGET_BACKTEST: &str = "a budget alert cannot be backtested: usage is not stored call by call";

/// Backtests an alert over the runs since an instant, at most about `most`. A `budget` alert finds nothing: the use
/// of a budget is not stored call by call.
pub async fn backtest(store: &Store, spec: &AlertSpec, since: Time, most: u64) -> Result<Backtest, StoreError> {
    let mut result = Backtest::default();
    if spec.rule == AlertRule::Budget {
        return Ok(result);
    }
    let mut seq = store.alert_seq_before(since).await?;
    let (mut seen, mut read) = (Transitions::of(&[]), 0);
    loop {
        let mut runs = next_runs(store, spec, seq).await?;
        let Some(last) = runs.last() else { break };
        seq = last.seq;
        // Earlier missed slots may have been recorded since.
        runs.retain(|run| run.at >= since);
        if read >= most {
            result.cut = true;
            break;
        }
        read += runs.len() as u64;
        let evaluated = evaluate_runs(store, spec, &runs, &mut seen, None).await?;
        result.runs += evaluated.len() as u64;
        result.without_text += evaluated.iter().map(|one| one.without_text).sum::<u64>();
        result.evaluated_runs.extend(evaluated.iter().map(|one| (one.topic.clone(), one.at)));
        result.looks.extend(evaluated.into_iter().filter_map(|one| Some((one.topic, one.look?))));
    }
    result.events = seen.events;
    if matches!(spec.rule, AlertRule::Volume | AlertRule::Negative) {
        result.pruned_until = pruned_until(store, spec, since, &result.evaluated_runs).await?;
    }
    Ok(result)
}

/// Returns until when windows of the evaluated runs may have held more items than are counted.
async fn pruned_until(
    store: &Store,
    spec: &AlertSpec,
    since: Time,
    evaluated: &[(String, Time)],
) -> Result<Option<Time>, StoreError> {
    let topics: BTreeSet<&str> = evaluated.iter().map(|(topic, _)| topic.as_str()).collect();
    let topics: Vec<String> = topics.into_iter().map(str::to_owned).collect();
    // An empty list would mean all topics.
    let watched = if topics.is_empty() { Vec::new() } else { store.watched_topics(&topics).await? };
    let window = Duration::from_millis(spec.window_ms);
    let mut moment = store.snapshot().await?;
    let mut until = None;
    for topic in watched.iter().filter_map(|watched| watched.definition.as_ref()) {
        until = until.max(compare::pruned_sources_until(&mut moment, spec, topic, since.minus(window)).await?);
    }
    moment.end().await?;
    Ok(until)
}

/// The result of an alert's evaluation without storing it: what it would report now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trial {
    /// Runs of the alert's topics that were evaluated.
    pub runs: u64,
    /// Whether there were more since that instant: only the latest were evaluated.
    pub cut: bool,
    /// What would be firing now.
    pub firing: Vec<Firing>,
    /// The events that would have been recorded, oldest first.
    pub events: Vec<AlertEvent>,
}

/// Evaluates an alert over the latest runs since an instant, at most about `most`, and over today's use of the
/// budget.
pub async fn trial(store: &Store, spec: &AlertSpec, since: Time, most: i64, now: Time) -> Result<Trial, StoreError> {
    let last = store.last_seq().await?;
    let (begin, latest) = (store.alert_seq_before(since).await?, last.saturating_sub(most));
    let mut seq = begin.max(latest);
    let (mut result, mut seen) = (Trial { cut: latest > begin, ..Trial::default() }, Transitions::of(&[]));
    while seq < last {
        let mut runs = next_runs(store, spec, seq).await?;
        let Some(latest) = runs.last() else { break };
        seq = latest.seq;
        runs.retain(|run| run.at >= since);
        result.runs += evaluate_runs(store, spec, &runs, &mut seen, None).await?.len() as u64;
    }
    if spec.rule == AlertRule::Budget {
        evaluate_budgets(store, spec, None, now, &mut seen, None).await?;
    }
    result.firing = seen.firing.into_values().collect();
    result.events = seen.events;
    Ok(result)
}
