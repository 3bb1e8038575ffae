//! The common part of `run` and `run --worker`: delivery, the loop, signals, shutdown, and the log of each run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::cli::look::alerts;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::signals::StopSignals;
use crate::cli::wiring::callers::Callers;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::jobs::DeliveryTask;
use crate::cli::wiring::pings::{self, PingTask};
use crate::collect::Done;
use crate::daemon::{self, Connections, Event, Manager, Membership, OnRunStart, Reloaded, Skew};
use crate::model::{Micros, RunState, Time};
use crate::notify::{Channel, PingTargets};
use crate::process_status::ProcessStatus;
use crate::sandbox;
use crate::store::{Counts, DaemonLock, Store};

/// How long shutdown waits for a reload in progress, which may be writing.
const RELOAD_ENDS_WITHIN: Duration = Duration::from_secs(5);

/// The state of a long-running process from its start.
pub(in crate::cli) struct LongRunning {
    pub(in crate::cli) store: Store,
    pub(in crate::cli) manager: Manager,
    pub(in crate::cli) delivering: DeliveryTask,
    pinging: PingTask,
    process_status: Arc<ProcessStatus>,
    /// Cancelled to stop everything.
    pub(in crate::cli) stop: CancellationToken,
}

/// The channel of reloads, and the task that watches for changes.
pub(in crate::cli) struct Reloads {
    pub(in crate::cli) coming: mpsc::Receiver<Reloaded>,
    pub(in crate::cli) looking: JoinHandle<()>,
}

/// The resources of the process: clock correction, clients, its membership, and the lock against a second daemon.
pub(in crate::cli) struct Resources {
    pub(in crate::cli) skew: Skew,
    pub(in crate::cli) callers: Callers,
    pub(in crate::cli) sandbox: Option<sandbox::SandboxHandle>,
    pub(in crate::cli) membership: Arc<Membership>,
    pub(in crate::cli) lock: Option<DaemonLock>,
}

impl LongRunning {
    /// Starts to deliver.
    pub(in crate::cli) fn begin(
        context: &Context,
        store: Store,
        channels: Arc<[Channel]>,
        targets: PingTargets,
        process_status: Arc<ProcessStatus>,
    ) -> Self {
        let stop = CancellationToken::new();
        // Stops everything except the runs: their calls were paid for, so they get time to finish.
        let others = store.with_stop(stop.clone());
        let pinging = PingTask::begin(targets, Arc::clone(&process_status.pings));
        let pinger = &pinging.pinger;
        let delivering = DeliveryTask::begin(&context.config, channels, &others, &context.clock, pinger, stop.clone());
        Self { store, manager: Manager::from_environment(), delivering, pinging, process_status, stop }
    }

    /// Works until stopped, then ends everything it started. A process that takes reloads also plans slots.
    pub(in crate::cli) async fn until_stopped(
        self,
        context: &Context,
        resources: Resources,
        reloads: Option<Reloads>,
    ) -> Result<Exit, Failure> {
        let Self { store, manager, delivering, pinging, process_status, stop } = self;
        let Resources { skew, callers, sandbox, membership, lock } = resources;
        let collector = context.collector(store.clone(), callers);
        let signals = tokio::spawn({
            let stop = stop.clone();
            StopSignals::listen().stop_then_exit(move || stop.cancel())
        });
        let (coming, looking) = reloads.map(|reloads| (reloads.coming, reloads.looking)).unzip();
        let scheduler = &context.config.scheduler;
        let settings = daemon::Settings {
            max_concurrent_runs: scheduler.max_concurrent_runs,
            lease: scheduler.lease,
            shutdown_grace: scheduler.shutdown_grace,
            plans: coming.is_some(),
            skew,
        };
        let logged_slots = Mutex::default();
        let each = {
            let (manager, pinger) = (manager.clone(), pinging.pinger.clone());
            move |event: Event| {
                if let Event::Ended(done) = &event {
                    pings::topic_ended(&pinger, done);
                }
                log_event(event, &logged_slots, &manager);
            }
        };
        let jobs = Some(delivering.jobs.clone());
        let watch = Some(alerts::evaluator(&store.with_stop(stop.clone()), &context.clock, delivering.waker()));
        let run_pinger = pinging.pinger.clone();
        let begun: Option<OnRunStart> = Some(Arc::new(move |run| pings::topic_started(&run_pinger, &run.topic.id)));
        let (membership, beat) = (Some(membership), process_status.beat.clone());
        let connections = Connections { reloads: coming, lock, membership, manager, jobs, watch, beat, begun };
        let ended = daemon::run(collector, &settings, &ids::token, stop, connections, &each).await;
        if let Some(looking) = looking {
            // Do not drop a reload that is writing. One that waits for an unresponsive file may be dropped.
            let _ = tokio::time::timeout(RELOAD_ENDS_WITHIN, looking).await;
        }
        store.stop_waiting();
        delivering.end().await;
        pinging.end().await;
        if let Some(sandbox) = sandbox {
            sandbox.stop().await;
        }
        store.close().await;
        // A second signal ends the process at once until here.
        signals.abort();
        ended?;
        tracing::info!("stopped");
        Ok(Exit::Ok)
    }
}

/// More next slots than this share one log line.
const MAX_SINGLE_LINES: usize = 200;

/// The most jobs whose next slot is remembered, so that it is not logged twice. A hundred thousand would take
/// megabytes.
const REMEMBERED: usize = 2_000;

/// Logs one line for each run that ends, and one for each job whose next slot changed.
fn log_event(event: Event, logged_slots: &Mutex<HashMap<String, Time>>, manager: &Manager) {
    match event {
        Event::Planned(planned) => {
            if let Some((job, at)) = &planned.soonest {
                manager.status(&format!("next: {job} at {at}"));
                if planned.next.len() > MAX_SINGLE_LINES {
                    tracing::info!(jobs = planned.next.len(), job, next = %at, "next slots");
                }
            }
            if planned.next.len() > MAX_SINGLE_LINES {
                return;
            }
            let Ok(mut logged_slots) = logged_slots.lock() else { return };
            if logged_slots.len() > REMEMBERED {
                logged_slots.clear();
            }
            for (job, at) in planned.next {
                if logged_slots.insert(job.clone(), at) != Some(at) {
                    tracing::info!(job, next = %at, "next slot");
                }
            }
        }
        Event::Stopping => {
            manager.status("stopping: running topics finish, no new ones start");
            tracing::info!("stopping: running topics finish, no new ones start");
        }
        Event::Ended(Done { run, topic, result: Ok(report) })
            if matches!(report.state, RunState::Queued | RunState::Cancelled) =>
        {
            let cost = Micros(report.searches.iter().map(|s| s.cost.0).sum()).dollars();
            let becomes = if report.state == RunState::Queued { "its slot runs again" } else { "it is cancelled" };
            tracing::warn!(run, topic, cost_usd = cost, "run stopped before it found anything; {becomes}");
        }
        Event::Ended(Done { run, topic, result: Ok(report) }) => {
            let sum = |of: fn(&Counts) -> i64| report.searches.iter().map(|s| of(&s.counts)).sum::<i64>();
            let cost = Micros(report.searches.iter().map(|s| s.cost.0).sum()).dollars();
            let note = report
                .searches
                .iter()
                .find_map(|s| s.note.as_deref().filter(|_| report.state != RunState::Ok))
                .unwrap_or("");
            let (found, new) = (sum(|c| c.found), sum(|c| c.new));
            if report.state == RunState::Ok {
                tracing::info!(run, topic, state = %report.state, found, new, cost_usd = cost, "run stored");
            } else if let Some(clears_at) = report.clears_at {
                tracing::warn!(run, topic, state = %report.state, found, new, cost_usd = cost, clears_at = %clears_at, note, "run stored");
            } else {
                tracing::warn!(run, topic, state = %report.state, found, new, cost_usd = cost, note, "run stored");
            }
        }
        Event::Ended(Done { run, topic, result: Err(error) }) => {
            tracing::error!(run, topic, hint = error.hint, "{error}");
        }
    }
}
