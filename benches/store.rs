//! Measures storing a run and writing CSV: `cargo bench --bench store`. It prints medians and asserts no limits.
//! `scripts/bench` measures whole processes.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

mod stored;

use std::time::{Duration, Instant};

use stored::{NOW, open, outcome, post, topic};
use topicwatch::export::{self, ExportKind, ExportOptions};
use topicwatch::model::{Micros, Source, Time, Topic};
use topicwatch::store::{Call, Outcome, RunRef, Store};

const LEASE: Duration = Duration::from_secs(60);
/// Items per run: as many as a social, a web and an AI reply contain together.
const ITEMS: u64 = 40;
/// Number of measured runs.
const RUNS: u64 = 200;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("bench.db").display());
    let store = open(&url, "").await;
    let topic = topic("topic");
    store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();

    let (mut starts, mut calls, mut new, mut known) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..RUNS {
        // Each set of items is found twice, so that every second run stores only known items.
        let first = round / 2 * ITEMS;
        let found = (0..ITEMS).map(|rank| post(first + rank, rank)).collect();
        let now = NOW.plus(Duration::from_secs(round));
        let begun = Instant::now();
        let run = start(&store, &topic, round, now).await;
        starts.push(begun.elapsed());
        let begun = Instant::now();
        store.before_call(&run, &call(), now, u32::MAX).await.unwrap();
        calls.push(begun.elapsed());
        let outcome = Outcome { judge: Some(topicwatch::sentiment::judge), ..outcome(now, found) };
        let begun = Instant::now();
        store.finish(&run, outcome).await.unwrap();
        if round % 2 == 0 { new.push(begun.elapsed()) } else { known.push(begun.elapsed()) }
    }
    print_median("begin a run", starts);
    print_median("count a call", calls);
    print_median(&format!("store a run of {ITEMS} new items"), new);
    print_median(&format!("store a run of {ITEMS} known items"), known);

    store.publish().await.unwrap();
    let mut writes = Vec::new();
    let mut rows = 0;
    for _ in 0..20 {
        let begun = Instant::now();
        let (mut hiding, mut nowhere) = (topicwatch::compare::RowFilter::none(), std::io::sink());
        rows =
            export::write(&store, &ExportOptions::all(ExportKind::Sightings), &mut hiding, &mut nowhere).await.unwrap();
        writes.push(begun.elapsed());
    }
    print_median(&format!("write {rows} sightings as CSV"), writes);
    store.close().await;
}

/// Prints the median, minimum and maximum.
fn print_median(what: &str, mut taken: Vec<Duration>) {
    taken.sort_unstable();
    let (middle, first, last) = (taken[taken.len() / 2], taken[0], taken[taken.len() - 1]);
    println!("{what:32} {middle:>12.1?}  ({first:.1?} to {last:.1?}, {} times)", taken.len());
}

async fn start(store: &Store, topic: &Topic, round: u64, now: Time) -> RunRef {
    store.start_manual(topic, &format!("run-{round}"), now, LEASE, &format!("token-{round}")).await.unwrap()
}

fn call() -> Call {
    Call { source: Source::Social, operation: "search", query: "query".into(), price: Micros(3_000) }
}
