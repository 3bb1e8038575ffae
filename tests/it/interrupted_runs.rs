//! Runs that are interrupted: calls that were made are paid for, runs that only waited are not, tries without an answer
//! count, and no run stops another.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use topicwatch::budget::Prices;
use topicwatch::collect::{self, Collector, Stop, WorkerPool};
use topicwatch::daemon::{Handler, JobDone, JobResult, Jobs, Planner};
use topicwatch::model::{Clock, Job, Micros, Retention, RunState, SearchState, Source, Time};
use topicwatch::sandbox::{self, CorpusSource, Fault, SandboxHandle};
use topicwatch::search::{self, Access, Client, Dialect};
use topicwatch::store::{DefinitionSet, JobEnd, JobRun, Store, StoreErrorKind};

use crate::support::databases::{databases, sqlite};
use crate::support::searched::{LEASE, NOW, open_store, plan, start_manual_run, topic};
use crate::support::service::{FakeServer, Reply, reply};

/// A service that takes ten minutes to answer.
async fn slow() -> SandboxHandle {
    let settings = sandbox::Settings {
        listen: ([127, 0, 0, 1], 0).into(),
        key: None,
        corpus: CorpusSource::BuiltIn,
        faults: vec![Fault::parse("source=social, delay=10m").unwrap()],
        clock: Arc::new(|| NOW),
    };
    sandbox::start(settings).await.unwrap()
}

/// A collector with one call at a time.
fn collector(store: &Store, service: &str) -> Arc<Collector> {
    collector_with(store, service, || 0.5)
}

/// The same with these random numbers.
fn collector_with(store: &Store, service: &str, random: impl Fn() -> f64 + Send + Sync + 'static) -> Arc<Collector> {
    let client = Client::new(search::Settings {
        base_url: url::Url::parse(service).unwrap(),
        dialect: Dialect::Spec,
        platform: "X".into(),
        provider: "service".to_owned(),
        access: Access::Bare("key".to_owned().into()),
        allow_private: true,
        call_timeout: Duration::from_secs(900),
        max_concurrent: 1,
        rate_limit: None,
        max_tries: 3,
        max_response_bytes: 1_000_000,
    });
    let settings = collect::Settings {
        dialect: Dialect::Spec,
        platform: "X".into(),
        limits: 100.into(),
        prices: Prices { social: Micros(3_000), web: Micros(1_000), ai: Micros(4_000), ..Prices::default() },
        lease: Duration::from_secs(15),
        sandbox: true,
    };
    let client = client.unwrap().with_backoff(search::Backoff { base: Duration::ZERO, ..search::Backoff::default() });
    Arc::new(Collector::new(store.clone(), client, settings, Arc::new(|| NOW), Arc::new(random)))
}

/// Waits until it holds; fails after a minute.
async fn wait_until(what: &str, holds: impl AsyncFn() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), waiting).await.is_ok(), "never: {what}");
}

async fn counted(store: &Store, calls: i64) {
    wait_until("the call is counted", async || store.calls_on(NOW.utc_day()).await.unwrap() >= calls).await;
}

#[tokio::test]
async fn an_interrupted_run_is_charged_only_if_it_made_a_call() {
    for database in databases() {
        let store = open_store(&database).await;
        let service = slow().await;
        let cancel = CancellationToken::new();
        let (worker_pool, mut ends) = WorkerPool::new(collector(&store, &service.base_url()), 2, cancel.clone());
        for id in ["calls", "waits"] {
            let run = start_manual_run(&store, &topic("rust"), id, NOW).await;
            worker_pool.start(run, worker_pool.acquire().await.unwrap());
            counted(&store, 1).await;
        }
        cancel.cancel();
        worker_pool.finished().await;
        drop(worker_pool);
        while let Some(done) = ends.recv().await {
            done.result.unwrap();
        }
        let (calls, waits) = (store.run("calls").await.unwrap().unwrap(), store.run("waits").await.unwrap().unwrap());
        assert_eq!((calls.state, calls.cost), (RunState::Cancelled, Micros(3_000)), "{}", database.name);
        assert_eq!((waits.state, waits.cost), (RunState::Cancelled, Micros(0)), "no call was made for it");
        let searches = store.searches(&["calls".into(), "waits".into()]).await.unwrap();
        let searches: Vec<_> = searches.iter().map(|s| (s.run.as_str(), s.source, s.state)).collect();
        assert_eq!(searches, [("calls", Source::Social, SearchState::Lost)]);
        service.stop().await;
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_second_claim_after_the_lease_fences_the_first() {
    for database in databases() {
        let store = open_store(&database).await;
        let service = slow().await;
        let cancel = CancellationToken::new();
        let (worker_pool, mut ends) = WorkerPool::new(collector(&store, &service.base_url()), 2, cancel.clone());
        store.sync_topics(&[topic("rust")], NOW).await.unwrap();
        let at = Time(NOW.0 + 10);
        store.plan(&[plan(NOW, at, &[(at.0, RunState::Queued)])], at).await.unwrap();
        let first = store.claim(at, 1, LEASE, "first").await.unwrap().remove(0);
        worker_pool.start(first, worker_pool.acquire().await.unwrap());
        counted(&store, 1).await;
        // The process was stalled for longer than its lease, and its own loop noticed first.
        let late = NOW.plus(LEASE * 9);
        assert_eq!(store.rescue(late).await.unwrap(), 1);
        let second = store.claim(late, 1, LEASE, "second").await.unwrap().remove(0);
        let run = second.public_id.clone();
        worker_pool.start(second, worker_pool.acquire().await.unwrap());
        let ended = tokio::time::timeout(Duration::from_secs(60), ends.recv()).await.expect("the first ends").unwrap();
        assert_eq!(ended.result.unwrap_err().kind, StoreErrorKind::Fenced, "{}", database.name);
        counted(&store, 2).await;
        // The end of the first claim did not make the worker pool forget the second one: its lease, far in the future,
        // is set to three milliseconds from the pool's present, and so expires here.
        let alive = tokio::spawn({
            let worker_pool = worker_pool.clone();
            async move { worker_pool.keep_alive(Duration::from_millis(3)).await }
        });
        wait_until("the second's lease is prolonged", async || store.rescue(NOW.plus(LEASE)).await.unwrap() == 1).await;
        alive.abort();
        assert_eq!(store.run(&run).await.unwrap().unwrap().state, RunState::Failed, "two attempts, both lost");
        cancel.cancel();
        worker_pool.finished().await;
        service.stop().await;
        database.close(store).await;
    }
}

/// The log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Collects the warnings of this thread while the guard lives.
fn log_warnings() -> (Log, tracing::subscriber::DefaultGuard) {
    let log = Log::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .with_writer(move || written.clone())
        .finish();
    (log, tracing::subscriber::set_default(subscriber))
}

#[tokio::test]
async fn only_the_refusal_of_the_store_reports_a_lost_lease() {
    let (log, _logging) = log_warnings();
    for database in databases() {
        let store = open_store(&database).await;
        let service = slow().await;
        let (worker_pool, mut ends) =
            WorkerPool::new(collector(&store, &service.base_url()), 1, CancellationToken::new());
        let run = start_manual_run(&store, &topic("rust"), "R1", NOW).await;
        worker_pool.start(run.clone(), worker_pool.acquire().await.unwrap());
        counted(&store, 1).await;
        // Like a run that was just stored, it has no lease, and the pool does not know it yet.
        store.release(&run, NOW, &[]).await.unwrap();
        let alive = tokio::spawn({
            let worker_pool = worker_pool.clone();
            async move { worker_pool.keep_alive(Duration::from_millis(3)).await }
        });
        let ended = tokio::time::timeout(Duration::from_secs(60), ends.recv()).await.expect("it is stopped").unwrap();
        assert_eq!(ended.result.unwrap_err().kind, StoreErrorKind::Fenced, "{}", database.name);
        alive.abort();
        let lines = String::from_utf8(std::mem::take(&mut *log.0.lock().unwrap())).unwrap();
        let warnings: Vec<&str> = lines.lines().filter(|line| line.contains("R1")).collect();
        assert!(warnings.len() == 1 && warnings[0].contains("no longer held by this process"), "{warnings:?}");
        worker_pool.finished().await;
        service.stop().await;
        database.close(store).await;
    }
}

#[tokio::test]
async fn a_job_that_was_just_stored_is_not_reported_as_one_that_lost_its_lease() {
    let (log, _logging) = log_warnings();
    for database in databases() {
        let store = open_store(&database).await;
        let now = NOW.plus(Duration::from_secs(3_600));
        let prune = Job::of_prune(Retention::default(), topic("rust").schedule.unwrap()).unwrap();
        store.activate(DefinitionSet { topics: &[], jobs: &[prune] }, None, NOW).await.unwrap();
        Planner::default().plan(&store, now, false).await.unwrap();
        let (beat, mut beats) = mpsc::unbounded_channel();
        let clock: Clock = Arc::new(move || {
            let _ = beat.send(());
            now
        });
        let (begun, mut runs) = mpsc::unbounded_channel();
        let goes_on = Arc::new(Notify::new());
        let waits = Arc::clone(&goes_on);
        let handler: Handler = Arc::new(move |run: JobRun| {
            let waits = Arc::clone(&waits);
            let _ = begun.send(run);
            Box::pin(async move {
                waits.notified().await;
                Ok(JobResult::default())
            })
        });
        let (ended, mut ends) = mpsc::unbounded_channel();
        let on_end = Arc::new(move |done: JobDone| drop(ended.send(done)));
        let jobs = Jobs::new(store.clone(), clock, handler, on_end);
        assert_eq!(jobs.begin(LEASE, &|| "token".to_owned()).await.unwrap(), 1, "{}", database.name);
        let run = runs.recv().await.unwrap();
        // It is stored, and the process still counts it among those that run.
        let (state, messages) = (RunState::Ok, Vec::new());
        let stored = JobEnd { at: now, state, reason: None, error: None, report: None, messages };
        store.end_job(&run, &stored).await.unwrap();
        while beats.try_recv().is_ok() {}
        let alive = tokio::spawn({
            let jobs = jobs.clone();
            async move { jobs.keep_alive(Duration::from_millis(3)).await }
        });
        // When leases are renewed again, what came of the first time was handled.
        for _ in 0..2 {
            tokio::time::timeout(Duration::from_secs(60), beats.recv()).await.expect("leases are renewed").unwrap();
        }
        alive.abort();
        let lines = String::from_utf8(std::mem::take(&mut *log.0.lock().unwrap())).unwrap();
        assert!(!lines.contains(run.public_id()), "{}: {lines}", database.name);
        // Whoever has really lost it learns that at the end.
        goes_on.notify_one();
        let done = tokio::time::timeout(Duration::from_secs(60), ends.recv()).await.expect("it ends").unwrap();
        assert_eq!(done.result.unwrap_err().kind, StoreErrorKind::Fenced, "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn an_unanswered_try_counts_at_its_price_in_addition_to_the_next_try() {
    const BILL: &str = "x-desearch-cost-usd: 0.002\r\ncontent-type: application/json\r\n";
    const NONE: &str = "content-type: application/json\r\n";
    // The answers to the tries (`-`: the connection closes without one), the cost of the search, and its basis.
    for (tries, micros, basis) in [
        (vec![("200 OK", BILL)], 2_000, "billed"),
        (vec![("200 OK", NONE)], 3_000, "assumed"),
        (vec![("-", ""), ("200 OK", BILL)], 5_000, "assumed"),
        (vec![("503 Busy", NONE), ("200 OK", BILL)], 2_000, "billed"),
        (vec![("503 Busy", BILL), ("200 OK", BILL)], 4_000, "billed"),
        (vec![("-", ""), ("503 Busy", NONE), ("503 Busy", NONE)], 3_000, "assumed"),
        (vec![("503 Busy", NONE), ("503 Busy", NONE), ("503 Busy", NONE)], 0, "none"),
    ] {
        let database = sqlite();
        let store = open_store(&database).await;
        let (met, count) = (tries.clone(), AtomicUsize::new(0));
        let service = FakeServer::respond_with(move |_| match met[count.fetch_add(1, Ordering::SeqCst)] {
            ("-", _) => Reply::default(),
            (status, headers) => reply(status, headers, br#"{"results": [{"text": "hello", "user": "ann"}]}"#),
        });
        let run = start_manual_run(&store, &topic("rust"), "R1", NOW).await;
        let stop =
            Stop { cancel: CancellationToken::new(), deadline: tokio::time::Instant::now() + Duration::from_secs(60) };
        collector(&store, &service.url()).run(&run, &stop).await.unwrap();
        let search = store.searches(&["R1".into()]).await.unwrap().remove(0);
        assert_eq!((search.cost, search.cost_basis.as_deref()), (Micros(micros), Some(basis)), "{tries:?}");
        assert_eq!(search.tries, tries.len() as i64);
        database.close(store).await;
    }
}

#[tokio::test]
async fn the_bill_of_a_failed_try_is_not_assumed_after_an_interrupted_run() {
    const HEADERS: &str = "x-desearch-cost-usd: 0.002\r\nretry-after: 60\r\ncontent-type: application/json\r\n";
    for database in databases() {
        let store = open_store(&database).await;
        let service = FakeServer::respond_with(|_| reply("503 Busy", HEADERS, b"{}"));
        let (cancel, pauses) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
        // The length of the pause is drawn when the failure is known.
        let drawn = Arc::clone(&pauses);
        let random = move || {
            drawn.fetch_add(1, Ordering::SeqCst);
            0.5
        };
        let collector = collector_with(&store, &service.url(), random);
        let (worker_pool, mut ends) = WorkerPool::new(collector, 1, cancel.clone());
        let run = start_manual_run(&store, &topic("rust"), "R1", NOW).await;
        worker_pool.start(run, worker_pool.acquire().await.unwrap());
        wait_until("the pause", async || pauses.load(Ordering::SeqCst) > 0).await;
        cancel.cancel();
        worker_pool.finished().await;
        drop(worker_pool);
        let told = ends.recv().await.unwrap().result.unwrap().searches.remove(0);
        assert_eq!((told.cost, told.assumed), (Micros(2_000), Micros(0)), "{}", database.name);
        let search = store.searches(&["R1".into()]).await.unwrap().remove(0);
        let basis = search.cost_basis.as_deref();
        assert_eq!((search.state, search.cost, basis), (SearchState::Lost, Micros(2_000), Some("billed")));
        assert_eq!(store.run("R1").await.unwrap().unwrap().cost, Micros(2_000), "{}", database.name);
        assert_eq!(store.assumed_of_runs(&["R1".into()]).await.unwrap().len(), 0, "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test]
async fn the_worker_pool_grows_at_once_and_shrinks_as_runs_end() {
    let database = sqlite();
    let store = open_store(&database).await;
    let service = slow().await;
    let cancel = CancellationToken::new();
    let collector = collector(&store, &service.base_url());
    let (worker_pool, _ends) = WorkerPool::new(Arc::clone(&collector), 1, cancel.clone());
    worker_pool.replace(Arc::clone(&collector), 3);
    assert_eq!(worker_pool.free(), 3);
    for id in ["one", "two"] {
        let run = start_manual_run(&store, &topic("rust"), id, NOW).await;
        worker_pool.start(run, worker_pool.acquire().await.unwrap());
    }
    worker_pool.replace(Arc::clone(&collector), 1);
    wait_until("no place is free", async || worker_pool.free() == 0).await;
    cancel.cancel();
    worker_pool.finished().await;
    wait_until("one place is left", async || worker_pool.free() == 1).await;
    service.stop().await;
    database.close(store).await;
}
