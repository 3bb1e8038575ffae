//! The only loop: at each tick, bring the ledger up to the present, take what is due, run it. The ticker only wakes it;
//! what is due is read from the ledger, so a dead ticker costs latency and never a slot. It reads the clock it is given,
//! and knows no configuration file.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_cron_scheduler::{Job, JobScheduler};
use tokio_util::sync::CancellationToken;

use crate::collect::{Collector, Crew, Done};
use crate::model::{Clock, Overlap, RunState, SchedulePolicy, Time, Trigger};
use crate::schedule::{Decision, Schedule, decide, jitter};
use crate::store::{JobPlan, PlannedSlot, PlannedTopic, Store, StoreError};

/// The clock of this machine: one of the two places that read it.
#[must_use]
pub fn system_clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "the daemon hands the present out; everybody else is given it")]
    Arc::new(|| Time::from_jiff(jiff::Timestamp::now()))
}

/// How far the shared present is ahead of this machine's clock. On PostgreSQL the server's time is the present for every
/// daemon; it is asked for once per tick, and this machine's clock counts on from there.
#[derive(Debug, Clone, Default)]
pub struct Skew(Arc<AtomicI64>);

impl Skew {
    /// The machine's clock, corrected.
    #[must_use]
    pub fn correct(&self, machine: Clock) -> Clock {
        let ahead = Arc::clone(&self.0);
        Arc::new(move || Time(machine().0.saturating_add(ahead.load(Ordering::Relaxed))))
    }

    /// Takes the server's time over; says so when the two are far apart.
    pub async fn follow(&self, store: &Store, corrected: Time) -> Result<(), StoreError> {
        let Some(server) = store.server_time().await? else { return Ok(()) };
        let before = self.0.load(Ordering::Relaxed);
        let ahead = before.saturating_add(server.0.saturating_sub(corrected.0));
        self.0.store(ahead, Ordering::Relaxed);
        if ahead.abs() > WORTH_A_WARNING_MS && (ahead - before).abs() > WORTH_A_WARNING_MS {
            tracing::warn!(ahead_ms = ahead, "the database's clock and this machine's differ; the database's counts");
        }
        Ok(())
    }
}

/// How far two clocks may be apart in silence.
const WORTH_A_WARNING_MS: i64 = 60_000;

/// How the loop behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Runs at the same time in this process.
    pub max_concurrent_runs: u32,
    /// Lease of a claimed run.
    pub lease: Duration,
    /// How long a stop waits for running runs.
    pub shutdown_grace: Duration,
    /// Follows the database's clock where it has one; the collector's clock must be corrected by the same.
    pub skew: Skew,
}

/// Longest sleep between two looks at the ledger.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// Rows planned for one job in one transaction.
const ROWS_PER_PLAN: usize = 1_000;

/// What planning did and what comes next.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// Ledger rows added.
    pub rows: u64,
    /// Topics and their next slots, by topic id.
    pub next: Vec<(String, Time)>,
}

/// Brings the ledger up to the present.
#[derive(Default)]
pub struct Planner {
    /// Compiled schedules by what they were compiled from.
    compiled: HashMap<String, Arc<Schedule>>,
}

impl Planner {
    /// Adds a row for every slot that came since each topic was last planned. `with_jitter` spreads the runs after
    /// their slots; one-shot callers do not wait for that.
    pub async fn plan(&mut self, store: &Store, now: Time, with_jitter: bool) -> Result<Planned, StoreError> {
        let mut planned = Planned::default();
        loop {
            let topics = store.planned_topics().await?;
            let (mut plans, mut more) = (Vec::new(), false);
            planned.next.clear();
            for known in &topics {
                let Some((policy, schedule)) = self.schedule(known) else { continue };
                if policy.paused {
                    continue;
                }
                let plan = decide(&schedule, &policy, known.planned_until, now, known.active as usize, ROWS_PER_PLAN);
                if plan.clamped {
                    tracing::warn!(topic = %known.topic.id, "the ledger was planned into the future (the clock was set back); slots are planned from now on");
                }
                if let Some(next) = schedule.next_after(now.max(plan.planned_until)) {
                    planned.next.push((known.topic.id.clone(), next));
                }
                more |= plan.more;
                if !plan.rows.is_empty() || plan.clamped {
                    let until = plan.planned_until;
                    let slots = plan
                        .rows
                        .into_iter()
                        .map(|(slot, decision)| row(known, &policy, slot, decision, with_jitter))
                        .collect();
                    plans.push(JobPlan {
                        topic: known.topic.id.clone(),
                        from: known.planned_until,
                        until,
                        max_attempts: policy.max_attempts,
                        side_by_side: policy.overlap == Overlap::Allow,
                        slots,
                    });
                }
            }
            if !plans.is_empty() {
                planned.rows += store.plan(&plans, now).await?;
            }
            if !more {
                return Ok(planned);
            }
        }
    }

    fn schedule(&mut self, known: &PlannedTopic) -> Option<(SchedulePolicy, Arc<Schedule>)> {
        let policy = known.topic.schedule.clone()?;
        let from = format!("{:?} {}", policy.period, policy.timezone);
        if let Some(schedule) = self.compiled.get(&from) {
            return Some((policy, Arc::clone(schedule)));
        }
        match Schedule::compile(&policy) {
            Ok(schedule) => {
                let schedule = Arc::new(schedule);
                self.compiled.insert(from, Arc::clone(&schedule));
                Some((policy, schedule))
            }
            Err(refused) => {
                tracing::error!(topic = %known.topic.id, "its stored schedule cannot be read: {}", refused.message);
                None
            }
        }
    }
}

fn row(
    known: &PlannedTopic,
    policy: &SchedulePolicy,
    slot: Time,
    decision: Decision,
    with_jitter: bool,
) -> PlannedSlot {
    let spread = if with_jitter { jitter(&known.topic.job(), slot, policy.jitter_ms) } else { Duration::ZERO };
    let (state, trigger, reason) = match decision {
        Decision::Run(trigger) => (RunState::Queued, trigger, None),
        Decision::Missed(reason) => (RunState::Missed, Trigger::Scheduled, Some(reason.to_owned())),
        Decision::Skipped(reason) => (RunState::Skipped, Trigger::Scheduled, Some(reason.to_owned())),
    };
    PlannedSlot { slot, trigger, state, reason, due_at: slot.plus(spread) }
}

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
    let mut planner = Planner::default();
    let mut ended = Ok(());
    while !stop.is_cancelled() {
        let sleep = match tick(&collector, &mut planner, &crew, settings, token, &stop, each).await {
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
    crew: &Crew,
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
    let planned = planner.plan(store, now, true).await?;
    store.publish().await?;
    let next_slot = planned.next.iter().map(|(_, at)| *at).min();
    each(Event::Planned(planned));
    let mut looked = now;
    while !stop.is_cancelled() && crew.free() > 0 {
        looked = collector.now();
        let claimed = store.claim(looked, crew.free(), settings.lease, &token()).await?;
        if claimed.is_empty() {
            break;
        }
        for run in claimed {
            let Some(place) = crew.place().await else { return Ok(Duration::ZERO) };
            crew.start(run, place);
        }
    }
    let next_due = if crew.free() > 0 { store.next_due(looked).await? } else { None };
    let next = [next_slot, next_due].into_iter().flatten().min();
    Ok(next.map_or(LONGEST_SLEEP, |at| at.since(collector.now())).clamp(Duration::from_millis(20), LONGEST_SLEEP))
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
