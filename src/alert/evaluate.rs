//! Evaluates all alerts over the runs since each one's cursor, and over the day's use of budgets. Events, messages
//! and cursor are stored together or not at all.

use std::collections::{BTreeMap, HashMap};

use super::dispatch;
use super::outages::Outages;
use super::read::{self, RunEvaluation};
use super::rules::{self, unrelated_subject};
use super::transitions::{Evaluation, Status, Transitions};
use crate::compare::WordFilters;
use crate::insight::EvaluatedWindow;
use crate::model::{
    AlertRule, AlertRun, AlertSpec, AlertState, Micros, RunState, Source, Time, Topic, TopicLimits, Usage,
    UsageByProvider, subject_topic,
};
use crate::store::{AlertChange, Store, StoreError};

/// Runs evaluated in one transaction.
const RUNS: i64 = 100;
/// The same for `missed`. It reads nothing else of a run, so it can cover a whole outage in one message.
const SLOTS: i64 = 20_000;

/// Runs after a place in the reading order, as many as are evaluated at once.
pub(super) async fn next_runs(store: &Store, spec: &AlertSpec, since: i64) -> Result<Vec<AlertRun>, StoreError> {
    store.alert_runs(since, if spec.rule == AlertRule::Missed { SLOTS } else { RUNS }).await
}

/// The result of an evaluation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// Events that were recorded.
    pub events: usize,
    /// Messages that were queued.
    pub messages: usize,
}

/// Evaluates every active alert. Calls `stop` between two transactions; the next call evaluates the rest.
pub async fn evaluate(store: &Store, now: Time, stop: &(dyn Fn() -> bool + Sync)) -> Result<Evaluated, StoreError> {
    let mut evaluated = Evaluated::default();
    for spec in store.alerts().await? {
        while !stop() && evaluate_batch(store, &spec, now, &mut evaluated).await? {}
    }
    Ok(evaluated)
}

/// Starts each new alert at the latest run. An alert checks every run after its creation, so this happens before any
/// run uses definitions that may hold a new alert.
pub async fn begin(store: &Store, now: Time) -> Result<(), StoreError> {
    for spec in store.alerts().await? {
        if store.cursor(&spec.job()).await?.is_none() {
            // Runs that a stopped process left without a number came before the alert.
            store.publish().await?;
            begin_alert(store, &spec, now).await?;
        }
    }
    Ok(())
}

/// Stores the latest run as the cursor of an alert that has none.
async fn begin_alert(store: &Store, spec: &AlertSpec, now: Time) -> Result<(), StoreError> {
    let to = (store.last_seq().await?, now);
    store.store_alert_change(&spec.name, &AlertChange { to, ..AlertChange::default() }, now).await.map(drop)
}

/// Runs one transaction of one alert. Returns whether more runs are waiting.
async fn evaluate_batch(
    store: &Store,
    spec: &AlertSpec,
    now: Time,
    evaluated: &mut Evaluated,
) -> Result<bool, StoreError> {
    let status = store.alert_state(&spec.name).await?;
    let Some((seq, checked_at)) = status.cursor else {
        // A new alert starts at the latest run, not with the whole history.
        begin_alert(store, spec, now).await?;
        return Ok(true);
    };
    if spec.paused {
        return pause(store, spec, &status, now).await.map(|()| false);
    }
    let runs = next_runs(store, spec, seq).await?;
    let muted = dispatch::mute_reason(spec, &status, now);
    let mut seen = Transitions::of(&status.firing);
    evaluate_runs(store, spec, &runs, &mut seen, muted).await?;
    if spec.rule == AlertRule::Budget {
        evaluate_budgets(store, spec, Some(checked_at), now, &mut seen, muted).await?;
    } else {
        end_unwatched(store, spec, &mut seen).await?;
    }
    crate::failpoint::at("alert/seen");
    let mut change = change(&status, &runs, seen, now);
    let fresh = change.events.iter().filter(|event| event.muted.is_none());
    let in_all = usize::try_from(status.waiting_in_all).unwrap_or(0) + fresh.clone().count();
    if in_all > 0 && dispatch::may_send(spec, &status, now) {
        let waiting: Vec<_> = status.waiting.iter().chain(fresh).cloned().collect();
        let invented = store.is_sandbox().await?;
        change.reported = waiting.last().map(|event| event.event.clone());
        change.messages = dispatch::messages(spec, &waiting, in_all, invented);
    }
    let idle = runs.is_empty() && change.events.is_empty() && change.reported.is_none();
    // Each day's use is evaluated once more on the next day.
    let idle = idle && !(spec.rule == AlertRule::Budget && is_earlier_day(checked_at, now));
    if idle && change.ended.is_empty() && change.begun.is_empty() {
        return Ok(false);
    }
    if store.store_alert_change(&spec.name, &change, now).await? {
        evaluated.events += change.events.len();
        evaluated.messages += change.messages.len();
    }
    Ok(!runs.is_empty())
}

/// Moves the cursor of a paused alert. When the alert is resumed, it starts over: firing subjects end without an event,
/// and waiting messages are never sent.
async fn pause(store: &Store, spec: &AlertSpec, status: &AlertState, now: Time) -> Result<(), StoreError> {
    let (last, (seq, at)) = (store.last_seq().await?, status.cursor.unwrap_or_default());
    let day_is_over = spec.rule == AlertRule::Budget && is_earlier_day(at, now);
    if last > seq || day_is_over || status.waiting_in_all > 0 || !status.firing.is_empty() {
        let ended = status.firing.iter().map(|one| one.subject.clone()).collect();
        let to = (last.max(seq), now.max(Time(at.0.saturating_add(1))));
        let change = AlertChange { from: status.cursor, to, ended, dropped: Some("paused"), ..AlertChange::default() };
        store.store_alert_change(&spec.name, &change, now).await?;
    }
    Ok(())
}

/// Whether an instant is on a UTC day before that of `now`.
fn is_earlier_day(at: Time, now: Time) -> bool {
    at.utc_day() < now.utc_day()
}

/// The change to store.
fn change(status: &AlertState, runs: &[AlertRun], seen: Transitions, now: Time) -> AlertChange {
    let (seq, at) = status.cursor.unwrap_or_default();
    // The cursor's time always grows, so of two evaluations from one cursor only the first is stored.
    let to = (runs.last().map_or(seq, |run| run.seq), now.max(Time(at.0.saturating_add(1))));
    let begun = seen.begun.into_values().collect();
    let (ended, events) = (seen.ended, seen.events);
    AlertChange { from: status.cursor, to, begun, ended, events, ..AlertChange::default() }
}

/// A run that was evaluated.
pub(super) struct EvaluatedRun {
    pub(super) topic: String,
    pub(super) at: Time,
    /// The counted window, if the rule counts one.
    pub(super) look: Option<EvaluatedWindow>,
    /// New items in which the alert's words may occur: their text was pruned.
    pub(super) without_text: u64,
}

/// Evaluates runs in reading order. Returns those that were evaluated.
pub(super) async fn evaluate_runs(
    store: &Store,
    spec: &AlertSpec,
    runs: &[AlertRun],
    seen: &mut Transitions,
    muted: Option<&str>,
) -> Result<Vec<EvaluatedRun>, StoreError> {
    let mut evaluated = Vec::with_capacity(runs.len());
    let topics = covered_topics(store, spec, runs).await?;
    let wanted = WordFilters::of(spec);
    let mut outages = Outages::default();
    for run in runs {
        let Some(topic) = topics.get(&run.topic) else { continue };
        match run.state {
            RunState::Missed if spec.rule == AlertRule::Missed => {
                outages.add(store, spec, run, seen).await?;
                evaluated.push(EvaluatedRun { topic: run.topic.clone(), at: run.at, look: None, without_text: 0 });
            }
            RunState::Ok | RunState::Partial | RunState::Failed | RunState::OverQuota => {
                if spec.rule == AlertRule::Missed {
                    outages.end(spec, &run.topic, seen, muted);
                }
                let RunEvaluation { evaluations, window: look, without_text } =
                    read::evaluate_run(store, spec, &wanted, topic, run).await?;
                seen.take(spec, &run.run, run.at, evaluations, muted);
                evaluated.push(EvaluatedRun { topic: run.topic.clone(), at: run.at, look, without_text });
            }
            RunState::Missed | RunState::Queued | RunState::Running | RunState::Skipped | RunState::Cancelled => {}
        }
    }
    outages.judge(spec, seen, muted);
    Ok(evaluated)
}

/// Ends, without an event, whatever fires for unwatched topics, for topics that the alert no longer covers, and for
/// sources that their topics no longer use: no run would end it.
async fn end_unwatched(store: &Store, spec: &AlertSpec, seen: &mut Transitions) -> Result<(), StoreError> {
    if seen.firing.is_empty() {
        return Ok(());
    }
    let mut ids: Vec<String> =
        seen.firing.keys().filter_map(|one| subject_topic(one, Some(spec))).map(str::to_owned).collect();
    ids.dedup();
    let watched = if ids.is_empty() { Vec::new() } else { store.watched_topics(&ids).await? };
    let goes_on = |subject: &str| {
        let topic = subject_topic(subject, Some(spec));
        let Some(topic) = watched.iter().find(|one| Some(&*one.topic) == topic && one.ended.is_none()) else {
            return false;
        };
        // This version may be unable to read the definition; another one can.
        let Some(topic) = &topic.definition else { return true };
        let has = |name| topic.sources().iter().any(|one| one.as_str() == name && spec.checks_source(*one));
        // The rule may have changed while it fired.
        let is_of_rule = match (spec.rule, subject.split_once('/')) {
            (AlertRule::Source, part) => part.is_some_and(|(_, source)| has(source)),
            (AlertRule::Volume | AlertRule::Negative, Some((topic, _))) => *subject == unrelated_subject(topic),
            (_, part) => part.is_none(),
        };
        is_of_rule && spec.matches_topic(&topic.id, &topic.tags)
    };
    let over: Vec<String> = seen.firing.keys().filter(|subject| !goes_on(subject)).cloned().collect();
    for subject in over {
        seen.end(&subject);
    }
    Ok(())
}

/// The topics of these runs that the alert is about.
async fn covered_topics(
    store: &Store,
    spec: &AlertSpec,
    runs: &[AlertRun],
) -> Result<HashMap<String, Topic>, StoreError> {
    let mut ids: Vec<String> = runs.iter().map(|run| run.topic.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let watched = store.watched_topics(&ids).await?.into_iter().filter_map(|watched| watched.definition);
    Ok(watched
        .filter(|topic| spec.matches_topic(&topic.id, &topic.tags))
        .map(|topic| (topic.id.clone(), topic))
        .collect())
}

/// The topics that an alert names by id or tag. `None` means it names none.
async fn selected_topics(store: &Store, spec: &AlertSpec) -> Result<Option<Vec<Topic>>, StoreError> {
    if spec.topics.is_empty() && spec.tags.is_empty() {
        return Ok(None);
    }
    // Finding topics by tag needs the definitions of all topics.
    let ids = if spec.tags.is_empty() { &*spec.topics } else { &[] };
    let topics = store.watched_topics(ids).await?.into_iter().filter_map(|watched| watched.definition);
    Ok(Some(topics.filter(|topic| spec.matches_topic(&topic.id, &topic.tags)).collect()))
}

/// Evaluates today's use of the budgets of the service and the providers, or of the named topics. If the day of the
/// last check is over, evaluates that day first: it had calls after that check.
pub(super) async fn evaluate_budgets(
    store: &Store,
    spec: &AlertSpec,
    checked_at: Option<Time>,
    now: Time,
    seen: &mut Transitions,
    muted: Option<&str>,
) -> Result<(), StoreError> {
    if let Some(at) = checked_at.filter(|at| is_earlier_day(*at, now)) {
        evaluate_day(store, spec, at, now, seen, muted).await?;
    }
    evaluate_day(store, spec, now, now, seen, muted).await
}

/// Evaluates the use of the UTC day of an instant.
async fn evaluate_day(
    store: &Store,
    spec: &AlertSpec,
    at: Time,
    now: Time,
    seen: &mut Transitions,
    muted: Option<&str>,
) -> Result<(), StoreError> {
    let day = at.utc_date();
    // A message may be read on another day: after quiet hours, or in the list of past events.
    let named = format!("on the UTC day {day}");
    let selected = selected_topics(store, spec).await?;
    let ids: Vec<String> = selected.iter().flatten().map(|topic| topic.id.clone()).collect();
    let (service, used) = store.usage_on(at.utc_day(), &ids).await?;
    // Each day's use is an event of its own; yesterday's ends without a message.
    let stale = |subject: &str| !subject.ends_with(&day);
    let old: Vec<String> = seen.firing.keys().filter(|subject| stale(subject)).cloned().collect();
    for subject in old {
        seen.end(&subject);
    }
    // How much of it was assumed is looked up only for a message.
    let counted = |used: Usage| used.with_assumed(Micros(0));
    let begins = |evaluations: &[Evaluation]| -> Vec<String> {
        let bad = evaluations.iter().filter(|one| one.status == Status::Bad).map(|one| &one.subject);
        bad.filter(|subject| !seen.firing.contains_key(&format!("{subject}/{day}"))).cloned().collect()
    };
    let mut evaluations;
    if let Some(topics) = selected {
        let evaluate = |assumed: &BTreeMap<String, Micros>| -> Vec<Evaluation> {
            let one = |(topic, used): (&Topic, &Usage)| {
                let sources = topic.sources();
                let cheapest = spec.cheapest_call(|source| sources.contains(&source));
                let used = used.with_assumed(assumed.get(&topic.id).copied().unwrap_or_default());
                rules::budget(spec, &topic.id, used, topic.limits, cheapest, &named)
            };
            topics.iter().zip(&used).map(one).collect()
        };
        evaluations = evaluate(&BTreeMap::new());
        let begun = begins(&evaluations);
        if !begun.is_empty() {
            evaluations = evaluate(&store.assumed_of_topics(at.utc_day(), &begun).await?);
        }
    } else {
        let evaluate = |used: &UsageByProvider| -> Vec<Evaluation> {
            let cheapest = spec.cheapest_call(Source::is_service);
            let of_service = rules::budget(spec, "service", used.service, spec.service, cheapest, &named);
            let one = |(name, limits): &(Source, TopicLimits)| {
                let cheapest = spec.cheapest_call(|source| source == *name);
                rules::budget(spec, name.as_str(), used.of(*name), *limits, cheapest, &named)
            };
            std::iter::once(of_service).chain(spec.providers.iter().map(one)).collect()
        };
        let others = store.used_by_provider(at.utc_day()).await?;
        let others = others.into_iter().map(|(name, used)| (name, counted(used))).collect();
        evaluations = evaluate(&UsageByProvider { service: counted(service), others });
        if !begins(&evaluations).is_empty() {
            evaluations = evaluate(&store.usage_by_provider(at.utc_day()).await?);
        }
    }
    for evaluation in &mut evaluations {
        evaluation.subject = format!("{}/{day}", evaluation.subject);
    }
    evaluations.retain(|evaluation| evaluation.status != Status::Well);
    seen.take(spec, &day, now, evaluations, muted);
    Ok(())
}
