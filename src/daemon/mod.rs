//! The only loop: at each tick it brings the ledger up to the present, claims what is due and runs it. The ticker only
//! wakes it; what is due is read from the ledger, so a dead ticker delays slots but loses none. It uses the clock it is
//! given, and knows no configuration file.

mod clock;
mod clock_set_back;
mod connections;
mod engine;
mod followers;
mod jobs;
mod membership;
mod planner;
mod requests;
mod service_manager;
mod settings;
mod shutdown;
mod ticker;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use clock::{Skew, system_clock};
pub use connections::{Connections, OnRunStart, Reloaded, Watch};
pub use jobs::{Failed, Handler, JobDone, JobResult, Jobs, WAITS_FOR_TOPICS};
pub use membership::Membership;
pub use planner::{Planned, Planner};
pub use service_manager::Manager;
pub use settings::Settings;

use engine::Source;
use shutdown::{BACKGROUND_TIMEOUT, CANCEL_TIMEOUT, finished, unresponsive_after_stop};

use crate::collect::{Collector, Done, WorkerPool};
use crate::model::Clock;
use crate::store::{Store, StoreError, StoreErrorKind};

/// The longest sleep between two checks of the ledger.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// The longest sleep of a worker, which does not know what others plan.
const LONGEST_IDLENESS: Duration = Duration::from_secs(1);

/// How soon after its end a run is numbered and so readable. Runs that end together are numbered together.
const READABLE_WITHIN: Duration = Duration::from_millis(100);

/// The most topics whose next slot is reported at the start.
const MAX_NEXT_SLOTS: u32 = 100;

/// The longest time a stop waits for jobs, which are short, after the topics' runs have ended.
const JOBS_GRACE: Duration = Duration::from_secs(10);

/// Time until the ledger is checked again after an error.
const AFTER_AN_ERROR: Duration = Duration::from_secs(5);

/// Runs until stopped, then lets runs finish within the grace period and gives the rest back. `each` is called for
/// every event: runs that ended, plans, and the stop.
pub async fn run(
    mut collector: Arc<Collector>,
    settings: &Settings,
    token: &(dyn Fn() -> String + Send + Sync),
    stop: CancellationToken,
    mut connections: Connections,
    each: &(dyn Fn(Event) + Send + Sync),
) -> Result<(), StoreError> {
    let mut settings = settings.clone();
    let wake = Arc::new(Notify::new());
    let ticker = ticker::begin(&wake).await;
    let give_up = CancellationToken::new();
    let (worker_pool, mut ends) =
        WorkerPool::new(Arc::clone(&collector), settings.max_concurrent_runs, give_up.clone());
    let mut alive = keep_alive(&worker_pool, settings.lease);
    let background = TaskTracker::new();
    // Everything but the runs stops at once: their calls were paid for, so they get time to finish.
    let store = collector.store().until(stop.clone());
    let following = followers::Wake::default();
    let clock: Clock = {
        let collector = Arc::clone(&collector);
        Arc::new(move || collector.now())
    };
    if settings.plans {
        background.spawn(requests::process_requests(store.clone(), Arc::clone(&clock), stop.clone()));
    }
    background.spawn(following.clone().keep_up(store.clone(), Arc::clone(&clock), stop.clone()));
    background.spawn(connections::listen(store.clone(), Arc::clone(&wake), stop.clone()));
    if let Some(membership) = connections.membership.clone() {
        let stop = stop.clone();
        background.spawn(async move { membership.keep_alive(stop).await });
    }
    let readable = Arc::new(Notify::new());
    if let Some(watch) = connections.watch.take() {
        background.spawn(connections::watch(watch, Arc::clone(&readable), stop.clone()));
    }
    let manager = connections.manager.clone();
    let jobs = connections.jobs.clone();
    let mut jobs_alive = keep_jobs_alive(jobs.as_ref(), settings.lease);
    let source = Source::new(&worker_pool, &store, &settings, &wake, &stop, connections.begun.take());
    let beat = connections.beat.clone();
    let pace = [manager.beat(), beat.as_ref().map(|beat| beat.tick_interval())].into_iter().flatten().min();
    let mut planner = Planner::default();
    let mut ended = Ok(());
    let started = Instant::now();
    let mut look_at = started;
    // A worker runs what another process plans, which reports this.
    let mut set_back = None;
    if settings.plans {
        set_back = Some(clock_set_back::ClockMonitor::begin(&store, collector.now()).await);
    }
    let mut begun = false;
    // Whether a run may have become readable, or the followers have other work.
    let mut followers_have_work = true;
    while !stop.is_cancelled() {
        let now = Instant::now();
        crate::failpoint::at("loop/round");
        let in_place = connections::in_place(&store, connections.lock.as_mut());
        let round = async {
            if let Err(error) = in_place {
                return Err(error);
            }
            if now < look_at {
                // A place may have become free; the rest of a tick can wait.
                return source.begin(&collector, &settings, token, &stop).await.map(|_| look_at);
            }
            let sleep =
                tick(&collector, &store, &mut planner, &source, jobs.as_ref(), &settings, token, &stop, each).await;
            if sleep.is_ok() && !std::mem::replace(&mut begun, true) {
                // Includes topics that were planned before this process started.
                let next = if settings.plans { store.next_slots(MAX_NEXT_SLOTS).await } else { Ok(Vec::new()) };
                each(Event::Planned(Planned { next: next.unwrap_or_default(), ..Planned::default() }));
                manager.ready();
            }
            if sleep.is_ok() && std::mem::take(&mut followers_have_work) {
                following.wake();
                readable.notify_one();
            }
            if sleep.is_ok()
                && let Some(set_back) = &mut set_back
                && let Err(error) = set_back.check(&store, started.elapsed(), collector.now()).await
            {
                tracing::debug!("cannot read which slots are due after the clock was set back: {error}");
            }
            sleep.map(|sleep| now + sleep)
        };
        let next_look = tokio::select! {
            next_look = round => next_look,
            () = unresponsive_after_stop(&stop) => Ok(now),
        };
        look_at = match next_look {
            Ok(at) => at,
            Err(error) if is_passing(&error) => {
                tracing::warn!("{error}; trying again");
                now + AFTER_AN_ERROR
            }
            Err(error) => {
                ended = Err(error);
                break;
            }
        };
        // Only here: a tick that hangs must not look alive.
        manager.alive();
        if let Some(beat) = &beat {
            beat.tick(collector.now());
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = wake.notified() => look_at = Instant::now(),
            () = tokio::time::sleep_until(pace.map_or(look_at, |pace| look_at.min(now + pace))) => {
                look_at = Instant::now();
            }
            new = connections::next(&mut connections.reloads) => {
                worker_pool.replace(Arc::clone(&new.collector), new.max_concurrent_runs);
                if new.lease != settings.lease {
                    alive.abort();
                    alive = keep_alive(&worker_pool, new.lease);
                    jobs_alive.abort();
                    jobs_alive = keep_jobs_alive(jobs.as_ref(), new.lease);
                }
                collector = new.collector;
                (settings.max_concurrent_runs, settings.lease) = (new.max_concurrent_runs, new.lease);
                settings.shutdown_grace = new.shutdown_grace;
                look_at = Instant::now();
                // Another time zone or filter means other counts.
                followers_have_work = true;
            }
            () = job_ended(jobs.as_ref()) => {
                followers_have_work = true;
                look_at = look_at.min(Instant::now() + READABLE_WITHIN);
            }
            Some(done) = ends.recv() => {
                each(Event::Ended(done));
                while let Ok(done) = ends.try_recv() {
                    each(Event::Ended(done));
                }
                followers_have_work = true;
                look_at = look_at.min(Instant::now() + READABLE_WITHIN);
            }
        }
    }
    each(Event::Stopping);
    manager.stopping();
    // After an error of the loop, nothing else has cancelled it.
    stop.cancel();
    background.close();
    if tokio::time::timeout(BACKGROUND_TIMEOUT, background.wait()).await.is_err() {
        tracing::warn!("the database did not answer: background tasks are stopped without waiting for it");
    }
    if let Some(membership) = &connections.membership {
        membership.leave().await;
    }
    let lost = ended.as_ref().is_err_and(is_lost);
    // If nothing can be stored any more, do not wait.
    if lost || !finished(&worker_pool, &manager, settings.shutdown_grace).await {
        give_up.cancel();
        collector.store().stop_waiting();
        if !finished(&worker_pool, &manager, CANCEL_TIMEOUT).await {
            tracing::warn!("the database did not answer: active runs are taken over when their leases expire");
        }
    }
    if let Some(jobs) = &jobs {
        jobs.finish(settings.shutdown_grace.min(JOBS_GRACE)).await;
    }
    alive.abort();
    jobs_alive.abort();
    while let Ok(done) = ends.try_recv() {
        each(Event::Ended(done));
    }
    if let Some(mut ticker) = ticker
        && let Err(error) = ticker.shutdown().await
    {
        tracing::debug!("the ticker did not stop: {error}");
    }
    if !lost {
        // The next start would do this too.
        match store.publish().await {
            Ok(_) => followers::finish(&store, &clock).await,
            Err(error) if is_passing(&error) => {
                tracing::warn!("the results of the last runs will become readable at the next start: {error}");
            }
            Err(error) => return Err(error),
        }
    }
    ended
}

/// Renews the leases of the pool's runs until aborted.
fn keep_alive(worker_pool: &WorkerPool, lease: Duration) -> tokio::task::JoinHandle<()> {
    let worker_pool = worker_pool.clone();
    tokio::spawn(async move { worker_pool.keep_alive(lease).await })
}

/// Renews the leases of other jobs until aborted.
fn keep_jobs_alive(jobs: Option<&Jobs>, lease: Duration) -> tokio::task::JoinHandle<()> {
    let jobs = jobs.cloned();
    tokio::spawn(async move {
        if let Some(jobs) = jobs {
            jobs.keep_alive(lease).await;
        }
    })
}

/// Waits for the next job to end; forever if no jobs run here.
async fn job_ended(jobs: Option<&Jobs>) {
    match jobs {
        Some(jobs) => jobs.ended().await,
        None => std::future::pending().await,
    }
}

/// Events of the loop.
#[derive(Debug)]
pub enum Event {
    /// A run ended.
    Ended(Done),
    /// The ledger was brought up to the present. Has the next slots by topic.
    Planned(Planned),
    /// No new run starts any more.
    Stopping,
}

/// Does one tick. Returns how long to sleep.
#[expect(clippy::too_many_arguments, reason = "these are the loop's own parts, and it is their only caller")]
async fn tick(
    collector: &Collector,
    store: &Store,
    planner: &mut Planner,
    source: &Source,
    jobs: Option<&Jobs>,
    settings: &Settings,
    token: &(dyn Fn() -> String + Send + Sync),
    stop: &CancellationToken,
    each: &(dyn Fn(Event) + Send + Sync),
) -> Result<Duration, StoreError> {
    settings.skew.follow(store, collector.now()).await?;
    let now = collector.now();
    let rescued = store.rescue(now).await?;
    if rescued > 0 {
        tracing::warn!(runs = rescued, "found runs whose process stopped or hung");
    }
    let mut planned = Planned::default();
    if settings.plans {
        planned = planner.plan_first(store, now).await?;
        if planned.rows > 0 {
            source.begin(collector, settings, token, stop).await?;
        }
        planned.add(planner.plan(store, now, true).await?);
    }
    store.publish().await?;
    let last_check = source.begin(collector, settings, token, stop).await?.unwrap_or(now);
    if let Some(jobs) = jobs.filter(|_| !stop.is_cancelled()) {
        jobs.begin(settings.lease, token).await?;
    }
    planned.soonest = if settings.plans { store.next_slots(1).await?.pop() } else { None };
    let next_slot = planned.soonest.as_ref().map(|(_, at)| *at);
    each(Event::Planned(planned));
    let next_due = if source.worker_pool.free() > 0 { store.next_due(last_check).await? } else { None };
    let next = [next_slot, next_due].into_iter().flatten().min();
    let longest = if settings.plans { LONGEST_SLEEP } else { LONGEST_IDLENESS };
    Ok(next.map_or(longest, |at| at.since(collector.now())).clamp(Duration::from_millis(20), longest))
}

/// Whether a retry may help: a server that is away, a full disk or a statement that took too long may pass; a database
/// that is not ours, or no longer ours, does not.
fn is_passing(error: &StoreError) -> bool {
    !matches!(error.kind, StoreErrorKind::Foreign | StoreErrorKind::Newer) && !is_lost(error)
}

/// Whether the database that this process began with is gone.
fn is_lost(error: &StoreError) -> bool {
    error.kind == StoreErrorKind::Replaced
}
