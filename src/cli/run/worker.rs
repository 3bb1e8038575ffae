//! `run --worker`: claims and runs what is due. A daemon decides which topics exist and what is due.

use std::sync::Arc;

use crate::cli::run::long_running::{LongRunning, Resources};
use crate::cli::run::wait_for_database;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::signals::HangUps;
use crate::cli::wiring::context::{Context, Service};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::{channels, ids, pings};
use crate::daemon::{Membership, Skew};
use crate::process_status::ProcessStatus;

pub(in crate::cli) async fn run(common: &Common) -> Result<Exit, Failure> {
    // Listen from the start: without a listener SIGHUP would end the process.
    let hang_ups = HangUps::listen();
    let mut context = Context::load_without_topics(common)?;
    let skew = Skew::default();
    context.clock = skew.correct(context.clock);
    if context.store_settings(true).url.starts_with("sqlite:") {
        return Err(Failure::usage(
            "SQLite has one writer, so a worker beside a daemon would only wait for it",
            "use PostgreSQL for several workers; on SQLite raise [scheduler] max_concurrent_runs, or run `topicwatch once --due` beside the daemon",
        ));
    }
    let (channels, targets) = (channels::read(&context.config)?, pings::targets(&context.config)?);
    let Service { callers, sandbox, .. } = context.service().await?;
    let id = ids::run_id((context.clock)());
    let begin = async || {
        let store = context.working_store().await?;
        let (clock, lease) = (Arc::clone(&context.clock), context.config.scheduler.lease);
        let membership = Membership::join_as_worker(store.clone(), clock, id.clone(), lease).await?;
        Ok::<_, Failure>((store, membership))
    };
    let (store, membership) = wait_for_database::retry_while_away(begin).await?;
    let database = store.location().to_owned();
    let process_status = Arc::new(ProcessStatus::without_loop((context.clock)()));
    let answering = tokio::spawn(log_hangups(hang_ups));
    let working = LongRunning::begin(&context, store, channels, targets, process_status);
    // From here on a signal to stop is handled.
    tracing::info!(database, "topicwatch {} worker started", env!("CARGO_PKG_VERSION"));
    let membership = Arc::new(membership.with_stop(working.stop.clone()));
    let means = Resources { skew, callers, sandbox, membership, lock: None };
    let ended = working.until_stopped(&context, means, None).await;
    answering.abort();
    ended
}

/// Logs at each SIGHUP why nothing is reloaded.
async fn log_hangups(mut hang_ups: HangUps) {
    loop {
        hang_ups.next().await;
        tracing::info!(
            "reload requested: a worker runs the topics in the database and reads none from the file; restart it to change settings"
        );
    }
}
