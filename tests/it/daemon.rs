//! The daemon's loop at library level, on a manual clock: each slot runs exactly once, whatever the clock does, and a
//! stop lets active runs finish.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use topicwatch::budget::Prices;
use topicwatch::collect::{self, Collector};
use topicwatch::daemon::{self, Event};
use topicwatch::model::{
    CatchUp, Clock, Overlap, Period, SchedulePolicy, SocialOperation, SocialQuery, Time, Topic, Window,
};
use topicwatch::sandbox;
use topicwatch::search::{self, Access, Client, Dialect};
use topicwatch::store::{Settings, Store};

use crate::support::databases::{Database, databases};
use crate::support::program::NINE;

/// The time between slots, in milliseconds.
const PERIOD: i64 = 60_000;
/// The daemon is stopped after this many runs.
const STOP_AFTER_RUNS: u64 = 44;

fn topic(id: &str) -> Topic {
    Topic {
        id: id.to_owned(),
        title: id.to_owned(),
        tags: Vec::new(),
        window: Window::Past24Hours,
        social: Some(SocialQuery { query: id.to_owned(), operation: SocialOperation::Search, limit: None }),
        web: None,
        ai: None,
        providers: Vec::new(),
        unscheduled: Default::default(),
        limits: Default::default(),
        filter: Default::default(),
        schedule: Some(SchedulePolicy {
            period: Period::Every(PERIOD.unsigned_abs()),
            timezone: "UTC".into(),
            catch_up: CatchUp::All,
            catch_up_window_ms: 7 * 86_400_000,
            max_catch_up_runs: 100,
            overlap: Overlap::Allow,
            jitter_ms: 0,
            timeout_ms: 60_000,
            max_attempts: 3,
            paused: false,
        }),
    }
}

/// A collector with this store, service and clock.
fn collector(store: &Store, service: &sandbox::SandboxHandle, clock: Clock) -> Arc<Collector> {
    let client = Client::new(search::Settings {
        base_url: service.base_url().parse().unwrap(),
        dialect: Dialect::Spec,
        platform: "X".into(),
        provider: "service".to_owned(),
        access: Access::Bare("k".to_owned().into()),
        allow_private: true,
        call_timeout: Duration::from_secs(30),
        max_concurrent: 8,
        rate_limit: None,
        max_tries: 1,
        max_response_bytes: 1_000_000,
    });
    let settings = collect::Settings {
        dialect: Dialect::Spec,
        platform: "X".into(),
        limits: 10_000.into(),
        prices: Prices::default(),
        lease: Duration::from_secs(15),
        sandbox: true,
    };
    Arc::new(Collector::new(store.clone(), client.unwrap(), settings, clock, Arc::new(|| 0.5)))
}

async fn open(database: &Database) -> Store {
    let (url, schema) = (database.url.clone(), database.schema.clone());
    Store::open(&Settings { url, schema, origin: None, create: true }).await.unwrap()
}

#[tokio::test]
async fn jitter_delays_runs_after_their_slots_by_different_times() {
    const JITTER: i64 = 50_000;
    for database in databases() {
        let (store, now) = (open(&database).await, Time::parse(NINE).unwrap());
        let mut topics: Vec<Topic> = (0..20).map(|n| topic(&format!("topic{n}"))).collect();
        for policy in topics.iter_mut().filter_map(|topic| topic.schedule.as_mut()) {
            policy.jitter_ms = JITTER.unsigned_abs();
        }
        store.sync_topics(&topics, now).await.unwrap();
        let later = Time(now.0 + PERIOD);
        daemon::Planner::default().plan(&store, later, true).await.unwrap();
        let waits = database.jitter_delays();
        assert!(waits.len() >= topics.len(), "{}: {waits:?}", database.name);
        assert!(waits.iter().all(|wait| (0..=JITTER).contains(wait)), "{}: {waits:?}", database.name);
        assert!(waits.iter().max().unwrap() - waits.iter().min().unwrap() > JITTER / 2, "{waits:?}");
        store.close().await;
    }
}

#[tokio::test]
async fn a_slot_is_skipped_while_the_one_before_it_waits() {
    for database in databases() {
        let (store, now) = (open(&database).await, Time::parse(NINE).unwrap());
        let mut acme = topic("acme");
        acme.schedule.as_mut().unwrap().overlap = Overlap::Skip;
        store.sync_topics(&[acme], now).await.unwrap();
        let mut planner = daemon::Planner::default();
        for slots in 1..=3 {
            planner.plan(&store, Time(now.0 + slots * PERIOD), false).await.unwrap();
        }
        let states: Vec<String> = database.ledger_runs().into_iter().map(|run| run.state).collect();
        assert_eq!(states, ["queued", "skipped", "skipped"], "{}", database.name);
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_slot_runs_exactly_once_while_the_clock_runs_jumps_and_falls_back() {
    for database in databases() {
        let hand = Arc::new(AtomicI64::new(Time::parse(NINE).unwrap().0));
        let clock: Clock = Arc::new({
            let hand = Arc::clone(&hand);
            move || Time(hand.load(Ordering::SeqCst))
        });
        let settings = sandbox::Settings {
            listen: ([127, 0, 0, 1], 0).into(),
            key: None,
            corpus: sandbox::CorpusSource::BuiltIn,
            faults: Vec::new(),
            clock: Arc::clone(&clock),
        };
        let service = sandbox::start(settings).await.unwrap();
        let store = open(&database).await;
        store.sync_topics(&[topic("acme"), topic("globex")], clock()).await.unwrap();

        let (stop, ended, ticks, tokens) =
            (CancellationToken::new(), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        // The clock advances with each planning pass and each run. It jumps ahead once and, while the backlog is being
        // worked off, back once.
        let each = |event: Event| match event {
            Event::Planned(_) => {
                let by = match ticks.fetch_add(1, Ordering::SeqCst) {
                    5 => 10 * PERIOD,
                    6 => -3 * PERIOD,
                    _ => PERIOD,
                };
                hand.fetch_add(by, Ordering::SeqCst);
            }
            Event::Ended(done) => {
                done.result.unwrap();
                hand.fetch_add(PERIOD / 5, Ordering::SeqCst);
                if ended.fetch_add(1, Ordering::SeqCst) + 1 == STOP_AFTER_RUNS {
                    stop.cancel();
                }
            }
            Event::Stopping => {}
        };
        let deadline = tokio::spawn({
            let stop = stop.clone();
            async move {
                tokio::time::sleep(Duration::from_secs(60)).await;
                stop.cancel();
            }
        });
        let token = || format!("token-{}", tokens.fetch_add(1, Ordering::SeqCst));
        let how = daemon::Settings {
            max_concurrent_runs: 4,
            // The manual clock advances faster than any heartbeat.
            lease: Duration::from_secs(86_400),
            shutdown_grace: Duration::from_secs(30),
            plans: true,
            // No clock skew here: only the manual clock sets the time.
            skew: daemon::Skew::default(),
        };
        daemon::run(
            collector(&store, &service, clock),
            &how,
            &token,
            stop.clone(),
            daemon::Connections::default(),
            &each,
        )
        .await
        .unwrap();
        deadline.abort();

        let ran = database.number("SELECT count(*) FROM v_run WHERE state = 'ok' AND attempt = 1");
        assert_eq!(ran, i64::try_from(service.calls()).unwrap(), "{}: one call for each run", database.name);
        assert!(
            ran >= i64::try_from(STOP_AFTER_RUNS).unwrap()
                && ran == i64::try_from(ended.load(Ordering::SeqCst)).unwrap(),
            "{ran} ran"
        );
        let runs = database.ledger_runs();
        let others = runs.iter().filter(|run| run.state != "ok" && run.state != "queued");
        assert_eq!(others.count(), 0, "{}: {runs:?}", database.name);
        // Every slot between the first and the last has its row: none is missing, none exists twice.
        for job in ["topic:acme", "topic:globex"] {
            let mut slots: Vec<i64> = runs.iter().filter(|run| run.job == job).map(|run| run.slot.unwrap()).collect();
            slots.sort_unstable();
            assert!(slots.len() > 1, "{}: {slots:?}", database.name);
            assert!(slots.windows(2).all(|two| two[1] - two[0] == PERIOD), "{}: {slots:?}", database.name);
        }
        service.stop().await;
        store.close().await;
    }
}
