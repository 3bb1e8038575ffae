//! How long storing a run and writing CSV take by themselves: `cargo bench --bench store`. It prints medians and is no
//! test; whole processes are `scripts/bench`'s.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

use std::time::{Duration, Instant};

use topicwatch::export::{self, Order, What};
use topicwatch::model::{
    Finding, Found, Kind, Micros, Nature, RunState, SearchState, SocialOperation, SocialQuery, Source, Time, Topic,
    Window, WindowFit,
};
use topicwatch::store::{Call, Outcome, RunRef, SearchResult, SeenItem, Settings, Store};

const NOW: Time = Time(1_773_219_600_000);
const LEASE: Duration = Duration::from_secs(60);
/// Items a run finds: as many as a social, a web and an AI reply hold together.
const ITEMS: u64 = 40;
/// Measured runs.
const RUNS: u64 = 200;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("bench.db").display());
    let settings = Settings { url, schema: String::new(), nature: None, create: true };
    let store = Store::open(&settings).await.unwrap();
    let topic = topic();
    store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();

    let (mut starts, mut calls, mut new, mut known) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..RUNS {
        // Each set of items is found twice, so that every other run stores what is known.
        let found = items(round / 2);
        let now = NOW.plus(Duration::from_secs(round));
        let begun = Instant::now();
        let run = start(&store, &topic, round, now).await;
        starts.push(begun.elapsed());
        let begun = Instant::now();
        store.before_call(&run, &call(), now, u32::MAX).await.unwrap();
        calls.push(begun.elapsed());
        let begun = Instant::now();
        store.finish(&run, outcome(now, found)).await.unwrap();
        if round % 2 == 0 { new.push(begun.elapsed()) } else { known.push(begun.elapsed()) }
    }
    tell("begin a run", starts);
    tell("count a call", calls);
    tell(&format!("store a run of {ITEMS} new items"), new);
    tell(&format!("store a run of {ITEMS} known items"), known);

    store.publish().await.unwrap();
    let mut writes = Vec::new();
    let mut rows = 0;
    for _ in 0..20 {
        let begun = Instant::now();
        rows = export::write(
            &store,
            &Order::all(What::Sightings),
            &mut topicwatch::compare::Hiding::nothing(),
            std::io::sink(),
        )
        .await
        .unwrap()
        .1;
        writes.push(begun.elapsed());
    }
    tell(&format!("write {rows} sightings as CSV"), writes);
    store.close().await;
}

/// The median, with the fastest and the slowest.
fn tell(what: &str, mut taken: Vec<Duration>) {
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

fn topic() -> Topic {
    let social = SocialQuery { query: "query".into(), operation: SocialOperation::Search, limit: None };
    Topic {
        id: "topic".into(),
        title: "Topic".into(),
        tags: Vec::new(),
        window: Window::Past24Hours,
        social: Some(social),
        web: None,
        ai: None,
        schedule: None,
        limits: Default::default(),
        filter: Default::default(),
    }
}

fn items(set: u64) -> Vec<SeenItem> {
    (0..ITEMS)
        .map(|rank| {
            let id = set * ITEMS + rank;
            let found = Found {
                kind: Some(Kind::Post),
                id: Some(id.to_string()),
                url: Some(format!("https://x.com/someone/status/{id}")),
                author: Some("someone".into()),
                text: Some(format!("{id} {}", "a text as long as posts are, with a few words more ".repeat(4))),
                published_at: Some(NOW),
                rank: u32::try_from(rank).unwrap(),
                ..Found::default()
            };
            let keys = vec![format!("post:x:{id}"), format!("text:x:someone:{id}")];
            let finding = Finding {
                source: Source::Social,
                found,
                kind: Kind::Post,
                keys: keys.clone(),
                strong: true,
                fit: WindowFit::In,
            };
            SeenItem { keys, strong: true, kind: Kind::Post, sightings: vec![finding], repeats: Vec::new() }
        })
        .collect()
}

fn outcome(at: Time, items: Vec<SeenItem>) -> Outcome {
    let search = SearchResult {
        source: Source::Social,
        operation: "search",
        query: "query".into(),
        state: SearchState::Ok,
        reason: None,
        clears_at: None,
        http_status: Some(200),
        latency_ms: Some(300),
        unreadable: 0,
        saturated: false,
        cost: Micros(3_000),
        cost_basis: "billed",
        error: None,
        raw: None,
        asked: None,
        covered: None,
    };
    Outcome {
        seen_at: at,
        finished_at: at,
        state: RunState::Ok,
        reason: None,
        error: None,
        searches: vec![search],
        items,
        answer: None,
        key_version: topicwatch::normalise::KEY_VERSION,
        judge: Some(topicwatch::sentiment::judge),
        nature: Some(Nature::Sandbox),
    }
}
