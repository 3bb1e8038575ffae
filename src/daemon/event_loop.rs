//! The loop: each round brings the ledger up to the present, claims what is due and runs it, then waits for a slot, a
//! request, a reload or the end of a run. `planner` decides what is planned, and `engine` claims.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::clock_set_back::ClockMonitor;
use super::connections::{self, Connections, Reloaded};
use super::engine::Source;
use super::event::Event;
use super::leases::{keep_alive, keep_jobs_alive, rescue};
use super::shutdown::{BACKGROUND_TIMEOUT, CANCEL_TIMEOUT, finished, unresponsive_after_stop};
use super::{Jobs, Planned, Planner, Settings, followers, requests, ticker};
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

/// The state of the loop, and its background tasks.
pub(super) struct EventLoop<'a> {
    collector: Arc<Collector>,
    settings: Settings,
    token: &'a (dyn Fn() -> String + Send + Sync),
    each: &'a (dyn Fn(Event) + Send + Sync),
    connections: Connections,
    stop: CancellationToken,
    /// Everything but the runs stops at once: their calls were paid for, so they get time to finish.
    store: Store,
    clock: Clock,
    ticker: Option<ticker::Ticker>,
    planner: Planner,
    source: Source,
    worker_pool: WorkerPool,
    run_ends: mpsc::UnboundedReceiver<Done>,
    /// Cancels the runs that did not end within the grace period.
    give_up: CancellationToken,
    run_leases: JoinHandle<()>,
    job_leases: JoinHandle<()>,
    background: TaskTracker,
    /// Ends the wait between two rounds.
    wake: Arc<Notify>,
    followers: followers::Wake,
    /// Tells the watch that runs became readable.
    readable: Arc<Notify>,
    /// Whether a run may have become readable, or the followers have other work.
    followers_have_work: bool,
    /// `None` for a worker: it runs what another process plans, which reports this.
    clock_monitor: Option<ClockMonitor>,
    started: Instant,
    /// When the next tick is due.
    next_tick: Instant,
    is_ready: bool,
}

impl<'a> EventLoop<'a> {
    /// Starts the background tasks.
    pub(super) async fn begin(
        collector: Arc<Collector>,
        settings: &Settings,
        token: &'a (dyn Fn() -> String + Send + Sync),
        stop: CancellationToken,
        mut connections: Connections,
        each: &'a (dyn Fn(Event) + Send + Sync),
    ) -> Self {
        let settings = settings.clone();
        let wake = Arc::new(Notify::new());
        let ticker = ticker::begin(&wake).await;
        let give_up = CancellationToken::new();
        let (worker_pool, run_ends) =
            WorkerPool::new(Arc::clone(&collector), settings.max_concurrent_runs, give_up.clone());
        let store = collector.store().with_stop(stop.clone());
        let clock: Clock = {
            let collector = Arc::clone(&collector);
            Arc::new(move || collector.now())
        };
        let source = Source::new(&worker_pool, &store, &settings, &wake, &stop, connections.begun.take());
        let started = Instant::now();
        let mut event_loop = Self {
            run_leases: keep_alive(&worker_pool, settings.lease),
            job_leases: keep_jobs_alive(connections.jobs.as_ref(), settings.lease),
            collector,
            settings,
            token,
            each,
            connections,
            stop,
            store,
            clock,
            ticker,
            planner: Planner::default(),
            source,
            worker_pool,
            run_ends,
            give_up,
            background: TaskTracker::new(),
            wake,
            followers: followers::Wake::default(),
            readable: Arc::new(Notify::new()),
            followers_have_work: true,
            clock_monitor: None,
            started,
            next_tick: started,
            is_ready: false,
        };
        event_loop.spawn_background();
        if event_loop.settings.plans {
            let monitor = ClockMonitor::begin(&event_loop.store, event_loop.collector.now()).await;
            event_loop.clock_monitor = Some(monitor);
        }
        event_loop
    }

    fn spawn_background(&mut self) {
        let (background, store, clock, stop) = (&self.background, &self.store, &self.clock, &self.stop);
        if self.settings.plans {
            background.spawn(requests::process_requests(store.clone(), Arc::clone(clock), stop.clone()));
        }
        background.spawn(self.followers.clone().keep_up(store.clone(), Arc::clone(clock), stop.clone()));
        background.spawn(connections::listen(store.clone(), Arc::clone(&self.wake), stop.clone()));
        if let Some(membership) = self.connections.membership.clone() {
            let stop = stop.clone();
            background.spawn(async move { membership.keep_alive(stop).await });
        }
        if let Some(watch) = self.connections.watch.take() {
            background.spawn(connections::watch(watch, Arc::clone(&self.readable), stop.clone()));
        }
    }

    /// Runs until the stop, or until an error that a retry does not help.
    pub(super) async fn run(&mut self) -> Result<(), StoreError> {
        while !self.stop.is_cancelled() {
            let now = Instant::now();
            crate::failpoint::at("loop/round");
            let stop = self.stop.clone();
            let next_tick = tokio::select! {
                next_tick = self.round(now) => next_tick,
                () = unresponsive_after_stop(&stop) => Ok(now),
            };
            self.next_tick = match next_tick {
                Ok(at) => at,
                Err(error) if is_passing(&error) => {
                    tracing::warn!("{error}; trying again");
                    now + AFTER_AN_ERROR
                }
                Err(error) => return Err(error),
            };
            // Only here: a tick that hangs must not look alive.
            self.connections.manager.alive();
            if let Some(beat) = &self.connections.beat {
                beat.tick(self.collector.now());
            }
            self.wait(now).await;
        }
        Ok(())
    }

    /// Does a tick if one is due, and what follows from it. Returns when the next one is.
    async fn round(&mut self, now: Instant) -> Result<Instant, StoreError> {
        connections::in_place(&self.store, self.connections.lock.as_mut())?;
        if now < self.next_tick {
            // A permit may be free now; the rest of a tick can wait.
            self.source.begin(&self.collector, &self.settings, self.token, &self.stop).await?;
            return Ok(self.next_tick);
        }
        let sleep = self.tick().await?;
        if !std::mem::replace(&mut self.is_ready, true) {
            // Includes topics that were planned before this process started.
            let next = if self.settings.plans { self.store.next_slots(MAX_NEXT_SLOTS).await } else { Ok(Vec::new()) };
            (self.each)(Event::Planned(Planned { next: next.unwrap_or_default(), ..Planned::default() }));
            self.connections.manager.ready();
        }
        if std::mem::take(&mut self.followers_have_work) {
            self.followers.wake();
            self.readable.notify_one();
        }
        if let Some(monitor) = &mut self.clock_monitor
            && let Err(error) = monitor.check(&self.store, self.started.elapsed(), self.collector.now()).await
        {
            tracing::debug!("cannot read which slots are due after the clock was set back: {error}");
        }
        Ok(now + sleep)
    }

    /// Brings the ledger up to the present, and starts what is due. Returns how long to sleep.
    async fn tick(&mut self) -> Result<Duration, StoreError> {
        let (collector, store, settings) = (&self.collector, &self.store, &self.settings);
        settings.skew.follow(store, collector.now()).await?;
        let now = collector.now();
        rescue(&self.worker_pool, self.connections.jobs.as_ref(), store, settings.lease, now).await?;
        let mut planned = Planned::default();
        if settings.plans {
            planned = self.planner.plan_first(store, now).await?;
            if planned.rows > 0 {
                self.source.begin(collector, settings, self.token, &self.stop).await?;
            }
            planned.add(self.planner.plan(store, now, true).await?);
        }
        store.publish().await?;
        let last_check = self.source.begin(collector, settings, self.token, &self.stop).await?.unwrap_or(now);
        if let Some(jobs) = self.connections.jobs.as_ref().filter(|_| !self.stop.is_cancelled()) {
            jobs.begin(settings.lease, self.token).await?;
        }
        planned.soonest = if settings.plans { store.next_slots(1).await?.pop() } else { None };
        let next_slot = planned.soonest.as_ref().map(|(_, at)| *at);
        (self.each)(Event::Planned(planned));
        let next_due = if self.worker_pool.free() > 0 { store.next_due(last_check).await? } else { None };
        let next = [next_slot, next_due].into_iter().flatten().min();
        let longest = if settings.plans { LONGEST_SLEEP } else { LONGEST_IDLENESS };
        Ok(next.map_or(longest, |at| at.since(collector.now())).clamp(Duration::from_millis(20), longest))
    }

    /// Waits until there is something to do: a tick, a reload, or the end of a run or a job.
    async fn wait(&mut self, now: Instant) {
        let beat = self.connections.beat.as_ref().map(|beat| beat.tick_interval());
        let pace = [self.connections.manager.beat(), beat].into_iter().flatten().min();
        let until = pace.map_or(self.next_tick, |pace| self.next_tick.min(now + pace));
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = self.wake.notified() => self.next_tick = Instant::now(),
            () = tokio::time::sleep_until(until) => self.next_tick = Instant::now(),
            reloaded = connections::next(&mut self.connections.reloads) => self.reload(reloaded),
            () = job_ended(self.connections.jobs.as_ref()) => self.tick_soon(),
            Some(done) = self.run_ends.recv() => {
                (self.each)(Event::Ended(done));
                self.report_ended_runs();
                self.tick_soon();
            }
        }
    }

    fn reload(&mut self, new: Reloaded) {
        self.worker_pool.replace(Arc::clone(&new.collector), new.max_concurrent_runs);
        if new.lease != self.settings.lease {
            self.run_leases.abort();
            self.run_leases = keep_alive(&self.worker_pool, new.lease);
            self.job_leases.abort();
            self.job_leases = keep_jobs_alive(self.connections.jobs.as_ref(), new.lease);
        }
        self.collector = new.collector;
        (self.settings.max_concurrent_runs, self.settings.lease) = (new.max_concurrent_runs, new.lease);
        self.settings.shutdown_grace = new.shutdown_grace;
        self.next_tick = Instant::now();
        // Another time zone or filter means other counts.
        self.followers_have_work = true;
    }

    /// After a run or a job has ended.
    fn tick_soon(&mut self) {
        self.followers_have_work = true;
        self.next_tick = self.next_tick.min(Instant::now() + READABLE_WITHIN);
    }

    fn report_ended_runs(&mut self) {
        while let Ok(done) = self.run_ends.try_recv() {
            (self.each)(Event::Ended(done));
        }
    }

    /// Waits for runs and jobs to finish, and gives the others back. `ended` is how the loop ended.
    pub(super) async fn end(mut self, ended: Result<(), StoreError>) -> Result<(), StoreError> {
        (self.each)(Event::Stopping);
        self.connections.manager.stopping();
        // After an error of the loop, nothing else has cancelled it.
        self.stop.cancel();
        self.background.close();
        if tokio::time::timeout(BACKGROUND_TIMEOUT, self.background.wait()).await.is_err() {
            tracing::warn!("the database did not answer: background tasks are stopped without waiting for it");
        }
        if let Some(membership) = &self.connections.membership {
            membership.leave().await;
        }
        let lost = ended.as_ref().is_err_and(is_lost);
        self.finish_runs(lost).await;
        if let Some(jobs) = &self.connections.jobs {
            jobs.finish(self.settings.shutdown_grace.min(JOBS_GRACE)).await;
        }
        self.run_leases.abort();
        self.job_leases.abort();
        self.report_ended_runs();
        ticker::end(self.ticker.take()).await;
        if !lost {
            // The next start would do this too.
            match self.store.publish().await {
                Ok(_) => followers::finish(&self.store, &self.clock).await,
                Err(error) if is_passing(&error) => {
                    tracing::warn!("the results of the last runs will become readable at the next start: {error}");
                }
                Err(error) => return Err(error),
            }
        }
        ended
    }

    /// Waits for the runs; cancels them after the grace period, or at once if nothing can be stored any more.
    async fn finish_runs(&self, lost: bool) {
        let (worker_pool, manager) = (&self.worker_pool, &self.connections.manager);
        if lost || !finished(worker_pool, manager, self.settings.shutdown_grace).await {
            self.give_up.cancel();
            self.collector.store().stop_waiting();
            if !finished(worker_pool, manager, CANCEL_TIMEOUT).await {
                tracing::warn!("the database did not answer: active runs are taken over when their leases expire");
            }
        }
    }
}

/// Waits for the next job to end; forever if no jobs run here.
async fn job_ended(jobs: Option<&Jobs>) {
    match jobs {
        Some(jobs) => jobs.wait_for_end().await,
        None => std::future::pending().await,
    }
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
