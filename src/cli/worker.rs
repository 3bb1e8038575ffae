//! `worker`: a process that only works. It claims what is due and runs it; what is due, and which topics there are, is a
//! daemon's to say. Wired like `run`, and ends like it.

use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

use super::args::Common;
use super::context::{Context, Service};
use super::jobs::Delivering;
use super::run::tell;
use super::signals::Ends;
use super::{Exit, Failure, channels, ids};
use crate::daemon::{self, Event, Life, Manager, Membership};

pub(super) async fn run(common: &Common) -> Result<Exit, Failure> {
    let mut context = Context::load_without_topics(common)?;
    let skew = daemon::Skew::default();
    context.clock = skew.correct(context.clock);
    if context.store_settings(true).url.starts_with("sqlite:") {
        return Err(Failure::usage(
            "SQLite has one writer, so a worker beside a daemon would only wait for it",
            "use PostgreSQL for several workers; on SQLite raise [scheduler] max_concurrent_runs, or run `topicwatch once --due` beside the daemon",
        ));
    }
    let channels = channels::read(&context.config)?;
    let Service { client, sandbox, .. } = context.service().await?;
    let store = context.working_store().await?;
    tracing::info!(database = store.place(), "topicwatch {} works", env!("CARGO_PKG_VERSION"));
    let collector = context.collector(store.clone(), client);
    let stop = CancellationToken::new();
    let delivering = Delivering::begin(&context.config, channels, &store, &context.clock, stop.clone());
    let signals = tokio::spawn({
        let stop = stop.clone();
        Ends::listen().twice(move || stop.cancel())
    });
    let scheduler = &context.config.scheduler;
    let settings = daemon::Settings {
        max_concurrent_runs: scheduler.max_concurrent_runs,
        lease: scheduler.lease,
        shutdown_grace: scheduler.shutdown_grace,
        plans: false,
        skew,
    };
    let told = Mutex::default();
    let manager = Manager::from_environment();
    let each = {
        let manager = manager.clone();
        move |event: Event| tell(event, &told, &manager)
    };
    let (clock, id) = (Arc::clone(&context.clock), ids::run_id((context.clock)()));
    let membership = Membership::join_as_worker(store.clone(), clock, id, scheduler.lease).await?;
    let life =
        Life { membership: Some(Arc::new(membership)), manager, reloads: None, jobs: Some(delivering.jobs.clone()) };
    let ended = daemon::run(collector, &settings, &ids::token, stop, life, &each).await;
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
