//! The only loop: at each tick, bring the ledger up to the present, take what is due, run it. The ticker only wakes it;
//! what is due is read from the ledger, so a dead ticker costs latency and never a slot. It reads the clock it is given,
//! and knows no configuration file.

mod clock;
mod engine;
mod planner;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_cron_scheduler::{Job, JobScheduler};
use tokio_util::sync::CancellationToken;

pub use clock::{Skew, system_clock};
pub use planner::{Planned, Planner};

use engine::Source;

use crate::collect::{Collector, Crew, Done};
use crate::store::StoreError;

/// How the loop behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Runs at the same time in this process.
    pub max_concurrent_runs: u32,
    /// Lease of a claimed run.
    pub lease: Duration,
    /// How long a stop waits for running runs.
    pub shutdown_grace: Duration,
    /// Whether it plans; a worker runs what others planned.
    pub plans: bool,
    /// Follows the database's clock where it has one; the collector's clock must be corrected by the same.
    pub skew: Skew,
}

/// Longest sleep between two looks at the ledger.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// The same for a worker, which does not know what others plan.
const LONGEST_IDLENESS: Duration = Duration::from_secs(1);

/// Runs until asked to stop, then lets what runs finish within the grace. `each` hears of every run that ended and of
/// every plan.
pub async fn run(
    collector: Arc<Collector>,
    settings: &Settings,
    token: &(dyn Fn() -> String + Send + Sync),
    stop: CancellationToken,
    each: &(dyn Fn(Event) + Send + Sync),
) -> Result<(), StoreError> {
    let wake = Arc::new(Notify::new());
    let ticker = ticker(&wake).await;
    let give_up = CancellationToken::new();
    let (crew, mut ends) = Crew::new(Arc::clone(&collector), settings.max_concurrent_runs, give_up.clone());
    let alive = tokio::spawn({
        let (crew, lease) = (crew.clone(), settings.lease);
        async move { crew.keep_alive(lease).await }
    });
    let source = Source::new(&crew, collector.store(), settings, &wake, &stop);
    let mut planner = Planner::default();
    let mut ended = Ok(());
    while !stop.is_cancelled() {
        let sleep = match tick(&collector, &mut planner, &source, settings, token, &stop, each).await {
            Ok(sleep) => sleep,
            Err(error) if is_passing(&error) => {
                tracing::warn!("{error}; trying again");
                Duration::from_secs(5)
            }
            Err(error) => {
                ended = Err(error);
                break;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = wake.notified() => {}
            () = tokio::time::sleep(sleep) => {}
            Some(done) = ends.recv() => {
                each(Event::Ended(done));
                // Publishing takes one lock and one statement; what ended meanwhile goes with it.
                while let Ok(done) = ends.try_recv() {
                    each(Event::Ended(done));
                }
            }
        }
    }
    each(Event::Stopping);
    if tokio::time::timeout(settings.shutdown_grace, crew.finished()).await.is_err() {
        give_up.cancel();
        crew.finished().await;
    }
    alive.abort();
    while let Ok(done) = ends.try_recv() {
        each(Event::Ended(done));
    }
    if let Some(mut ticker) = ticker
        && let Err(error) = ticker.shutdown().await
    {
        tracing::debug!("the ticker did not end: {error}");
    }
    collector.store().publish().await?;
    ended
}

/// What the loop tells.
#[derive(Debug)]
pub enum Event {
    /// A run ended.
    Ended(Done),
    /// The ledger was brought up to the present; next slots by topic.
    Planned(Planned),
    /// No new run begins any more.
    Stopping,
}

/// One look at the ledger; returns how long to sleep.
async fn tick(
    collector: &Collector,
    planner: &mut Planner,
    source: &Source,
    settings: &Settings,
    token: &(dyn Fn() -> String + Send + Sync),
    stop: &CancellationToken,
    each: &(dyn Fn(Event) + Send + Sync),
) -> Result<Duration, StoreError> {
    let store = collector.store();
    settings.skew.follow(store, collector.now()).await?;
    let now = collector.now();
    let rescued = store.rescue(now).await?;
    if rescued > 0 {
        tracing::warn!(runs = rescued, "found runs whose process ended or stood still");
    }
    let planned = if settings.plans { planner.plan(store, now, true).await? } else { Planned::default() };
    store.publish().await?;
    let next_slot = planned.next.iter().map(|(_, at)| *at).min();
    each(Event::Planned(planned));
    let looked = source.begin(collector, settings, token, stop).await?.unwrap_or(now);
    let next_due = if source.crew.free() > 0 { store.next_due(looked).await? } else { None };
    let next = [next_slot, next_due].into_iter().flatten().min();
    let longest = if settings.plans { LONGEST_SLEEP } else { LONGEST_IDLENESS };
    Ok(next.map_or(longest, |at| at.since(collector.now())).clamp(Duration::from_millis(20), longest))
}

/// Whether trying again may help: a server that is away, a full disk and a statement that took too long pass; a database
/// that is not ours does not.
fn is_passing(error: &StoreError) -> bool {
    use crate::store::StoreErrorKind::{Foreign, Newer};
    !matches!(error.kind, Foreign | Newer)
}

/// Wakes the loop now and then, in UTC, whatever else happens. `None` when it could not be started, which is told: the
/// loop wakes by itself too.
async fn ticker(wake: &Arc<Notify>) -> Option<JobScheduler> {
    let start = async {
        let scheduler = JobScheduler::new().await?;
        let wake = Arc::clone(wake);
        scheduler.add(Job::new("0/15 * * * * *", move |_, _| wake.notify_one())?).await?;
        scheduler.start().await?;
        Ok::<_, tokio_cron_scheduler::JobSchedulerError>(scheduler)
    };
    start.await.inspect_err(|error| tracing::warn!("the ticker could not be started: {error}")).ok()
}
