//! Measures how many empty runs per second the ledger can plan, claim and finish, on SQLite and, with
//! TEST_POSTGRES_URL, on PostgreSQL: `cargo bench --bench claims`. It prints results and asserts no limits.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

mod stored;

use std::sync::Arc;
use std::time::{Duration, Instant};

use stored::{NOW, open, topic};
use topicwatch::model::{RunState, Time, Topic, Trigger};
use topicwatch::store::{JobPlan, Outcome, PlannedSlot, Store};

const LEASE: Duration = Duration::from_secs(600);
/// Runs of one round: enough to take more than a second.
const RUNS: usize = 20_000;
/// Runs claimed at once, as by a process with this many worker slots.
const BATCH: u32 = 64;

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", folder.path().join("bench.db").display());
    measure("SQLite", &sqlite, "", &[1]).await;
    if let Ok(url) = std::env::var("TEST_POSTGRES_URL") {
        let schema = format!("topicwatch_claims_{}", std::process::id());
        measure("PostgreSQL", &url, &schema, &[1, 2, 4]).await;
        println!("left behind: schema {schema}");
    }
}

async fn measure(name: &str, url: &str, schema: &str, processes: &[usize]) {
    let store = open(url, schema).await;
    let topics: Vec<Topic> = (0..RUNS).map(|number| topic(&format!("topic-{number:05}"))).collect();
    let begun = Instant::now();
    store.sync_topics(&topics, NOW).await.unwrap();
    println!("{name}: store {RUNS} topics: {:.2?}", begun.elapsed());
    let mut from = NOW;
    for together in [true, false] {
        for count in processes {
            let slot = from.plus(Duration::from_secs(60));
            let begun = Instant::now();
            for chunk in topics.chunks(1_000) {
                let plans: Vec<JobPlan> = chunk.iter().map(|topic| plan(topic, from, slot)).collect();
                assert_eq!(store.plan(&plans, slot).await.unwrap(), (1_000, 1_000));
            }
            println!("{name}: plan {RUNS} rows: {:.2?}", begun.elapsed());
            from = slot;
            // Each has its own connection pools, as separate processes do.
            let mut stores = Vec::new();
            for _ in 0..*count {
                stores.push(open(url, schema).await);
            }
            let begun = Instant::now();
            let working =
                stores.iter().enumerate().map(|(me, store)| tokio::spawn(work(store.clone(), me, slot, together)));
            let mut done = 0;
            for worker in working.collect::<Vec<_>>() {
                done += worker.await.unwrap();
            }
            let took = begun.elapsed();
            assert_eq!(done, RUNS);
            let how = if together { "finished together" } else { "one transaction each" };
            println!("{name}: {count} x claim {BATCH}, {how}: {:.0} runs/s", done as f64 / took.as_secs_f64());
            store.publish().await.unwrap();
            for store in stores {
                store.close().await;
            }
        }
    }
    store.close().await;
}

/// Claims and finishes runs until none is left. Returns their number.
async fn work(store: Store, me: usize, now: Time, together: bool) -> usize {
    let mut done = 0;
    for round in 0.. {
        let runs = store.claim(now, BATCH, LEASE, &format!("token-{me}-{round}")).await.unwrap();
        if runs.is_empty() {
            break;
        }
        done += runs.len();
        if !together {
            // One at a time: each waits for its own commit.
            for run in runs {
                store.finish(&run, empty_outcome(now)).await.unwrap();
            }
            continue;
        }
        let outcome = Arc::new(empty_outcome(now));
        let finishing = runs.into_iter().map(|run| {
            let (store, outcome) = (store.clone(), Arc::clone(&outcome));
            tokio::spawn(async move { store.finish(&run, outcome).await.unwrap() })
        });
        for task in finishing.collect::<Vec<_>>() {
            task.await.unwrap();
        }
    }
    done
}

fn plan(topic: &Topic, from: Time, slot: Time) -> JobPlan {
    let row = PlannedSlot { slot, trigger: Trigger::Scheduled, state: RunState::Queued, reason: None, due_at: slot };
    JobPlan {
        id: topic.job(),
        topic: Some(topic.id.clone()),
        from,
        until: slot,
        next: Some(slot.plus(Duration::from_secs(60))),
        max_attempts: 3,
        side_by_side: false,
        slots: vec![row],
    }
}

/// The outcome of a run without a call.
fn empty_outcome(at: Time) -> Outcome {
    Outcome {
        searches: Vec::new(),
        memory: Vec::new(),
        judge: Some(topicwatch::sentiment::judge),
        origin: None,
        ..stored::outcome(at, Vec::new())
    }
}
