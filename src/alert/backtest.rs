//! When an alert would have fired, and on what: the runs of the past in reading order, through the same rules, kept nowhere.
//! What is known today is looked at: items that were edited, merged or forgotten since are as they are now.

use super::evaluate::{RUNS, budgets, take_runs};
use super::transitions::Transitions;
use crate::insight::Look;
use crate::model::{AlertEvent, AlertRule, AlertSpec, Firing, Time};
use crate::store::{Store, StoreError};

/// What would have been seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backtest {
    /// Runs of its topics that were judged.
    pub runs: u64,
    /// Events, the earliest first.
    pub events: Vec<AlertEvent>,
    /// There were more runs than are looked at.
    pub cut: bool,
    /// The topic and begin of each run that was judged.
    pub looked: Vec<(String, Time)>,
    /// The windows that `volume` compared, by topic.
    pub looks: Vec<(String, Look)>,
}

/// Looks at the runs since an instant, at most so many. What a day used of a budget is not kept call by call, so that
/// rule sees nothing here.
pub async fn backtest(store: &Store, spec: &AlertSpec, since: Time, most: u64) -> Result<Backtest, StoreError> {
    let mut told = Backtest::default();
    if spec.rule == AlertRule::Budget {
        return Ok(told);
    }
    let mut seq = store.alert_seq_before(since).await?;
    let (mut seen, mut read) = (Transitions::of(&[]), 0);
    loop {
        let runs = store.alert_runs(seq, RUNS).await?;
        let Some(last) = runs.last() else { break };
        seq = last.seq;
        if read >= most {
            told.cut = true;
            break;
        }
        read += runs.len() as u64;
        let looks = take_runs(store, spec, &runs, &mut seen, None).await?;
        told.runs += looks.len() as u64;
        told.looked.extend(looks.iter().map(|one| (one.topic.clone(), one.at)));
        told.looks.extend(looks.into_iter().filter_map(|one| Some((one.topic, one.look?))));
    }
    told.events = seen.events;
    Ok(told)
}

/// What an alert would say now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trial {
    /// Runs of its topics that were judged.
    pub runs: u64,
    /// What would fire now.
    pub firing: Vec<Firing>,
    /// What would have been seen, the earliest first.
    pub events: Vec<AlertEvent>,
}

/// Looks at the latest runs since an instant, at most about so many, and at what today used of a budget.
pub async fn trial(store: &Store, spec: &AlertSpec, since: Time, most: i64, now: Time) -> Result<Trial, StoreError> {
    let last = store.last_seq().await?;
    let mut seq = store.alert_seq_before(since).await?.max(last.saturating_sub(most));
    let (mut told, mut seen) = (Trial::default(), Transitions::of(&[]));
    while seq < last {
        let runs = store.alert_runs(seq, RUNS).await?;
        let Some(latest) = runs.last() else { break };
        seq = latest.seq;
        told.runs += take_runs(store, spec, &runs, &mut seen, None).await?.len() as u64;
    }
    if spec.rule == AlertRule::Budget {
        budgets(store, spec, now, &mut seen, None).await?;
    }
    told.firing = seen.firing.into_values().collect();
    told.events = seen.events;
    Ok(told)
}
