//! What looking for near-copies costs per item while ever more items are stored: `cargo bench --bench clusters`, with
//! TEST_POSTGRES_URL for PostgreSQL too. `CLUSTERS_UP_TO=100000` ends earlier than at a million (PostgreSQL ends at
//! 300,000), `CLUSTERS_ONE_TABLE=1` keeps all keys in one table, for comparison. Means are over all items since the size
//! before, with what moving keys on takes; medians over the last rounds. It is no test.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

use std::time::{Duration, Instant};

use topicwatch::collect::cluster_by;
use topicwatch::model::{
    Finding, Found, Kind, Micros, Nature, Room, RunState, SearchState, SocialOperation, SocialQuery, Source, Time,
    Topic, Volume, Window, WindowFit, Wording,
};
use topicwatch::normalise::near;
use topicwatch::store::{Filter, Outcome, SearchResult, SeenItem, Settings, Store};

const NOW: Time = Time(1_773_219_600_000);
const LEASE: Duration = Duration::from_secs(600);
/// Items a run finds.
const ITEMS: u64 = 100;
/// Runs that are looked at together, as after a tick of many topics.
const RUNS: u64 = 10;
/// Sizes at which is measured, over the last rounds before each.
const SIZES: [u64; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// Items that are decided in one transaction, as `cluster` does.
const AT_ONCE: usize = 500;
/// Rounds of which the median is told, and the processor time they took together.
const ROUNDS: usize = 9;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let up_to = std::env::var("CLUSTERS_UP_TO").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    pure();
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", folder.path().join("bench.db").display());
    measure("SQLite", &sqlite, "", up_to).await;
    if let Ok(url) = std::env::var("TEST_POSTGRES_URL") {
        let schema = format!("topicwatch_clusters_{}", std::process::id());
        measure("PostgreSQL", &url, &schema, up_to.min(300_000)).await;
        println!("left behind: schema {schema}");
    }
}

/// Making marks and comparing, without a database.
fn pure() {
    let words: Vec<Wording> =
        (0..20_000).map(|n| Wording { kind: Kind::Post, title: None, text: Some(text(n)) }).collect();
    let begun = Instant::now();
    let marks: Vec<_> = words.iter().map(near::marks).collect();
    per_item("making marks of a post", begun.elapsed(), 20_000);
    let begun = Instant::now();
    let pairs = marks.windows(2).filter_map(|pair| pair[0].as_ref().zip(pair[1].as_ref()));
    let alike = pairs.filter(|(a, b)| near::alike(&a.sketch, &b.sketch).is_some()).count();
    per_item(&format!("comparing two sketches ({alike} alike)"), begun.elapsed(), 19_999);
}

fn per_item(what: &str, took: Duration, items: u64) {
    println!("{what:60} {:>8.1} µs per item", micros(took, items));
}

fn micros(took: Duration, items: u64) -> f64 {
    took.as_secs_f64() * 1e6 / items as f64
}

/// Processor time of this process, in hundredths of a second, which a busy machine does not stretch; nothing where there
/// is no `/proc`.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(ticks * 10)
}

/// Bytes that this process handed to files; nothing where there is no `/proc`.
fn bytes_written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or(0)
}

async fn measure(name: &str, url: &str, schema: &str, up_to: u64) {
    let settings = Settings { url: url.into(), schema: schema.into(), nature: None, create: true };
    let store = Store::open(&settings).await.unwrap();
    let topic = topic();
    store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();
    let mut taken: Vec<Duration> = Vec::new();
    let mut worked = Duration::ZERO;
    let room = match std::env::var_os("CLUSTERS_ONE_TABLE") {
        Some(_) => Room { young: i64::MAX, middle: i64::MAX, slice: 1 },
        None => Room::default(),
    };
    let (mut all, mut items_before, mut written) = (Duration::ZERO, 0, bytes_written());
    let mut storing = 0;
    let mut sizes = SIZES.iter().filter(|size| **size <= up_to).peekable();
    for round in 0.. {
        let stored = round * RUNS * ITEMS;
        while sizes.next_if(|size| **size <= stored).is_some() {
            taken.sort_unstable();
            let last = *taken.get(taken.len() / 2).unwrap();
            let what = format!("{name}: {stored} items stored");
            let worked = micros(worked, taken.len() as u64 * RUNS * ITEMS);
            let mean = micros(all, (stored - items_before).max(1));
            let wrote = (bytes_written() - written - storing) / (stored - items_before).max(1);
            println!(
                "{what:40} mean {mean:>7.1} µs per item, {wrote} bytes written; median {:.1} µs, {worked:.1} µs of a processor",
                micros(last, RUNS * ITEMS)
            );
            (all, items_before, written, storing) = (Duration::ZERO, stored, bytes_written(), 0);
            let begun = Instant::now();
            cluster_by(&store, AT_ONCE, room, &|| false).await.unwrap();
            println!("{name}: nothing to look at {:>47.1?}", begun.elapsed());
        }
        let Some(next) = sizes.peek() else { break };
        let before_storing = bytes_written();
        for run in round * RUNS..(round + 1) * RUNS {
            let now = NOW.plus(Duration::from_secs(run));
            let held = store.start_manual(&topic, &format!("run-{run:08}"), now, LEASE, "token").await.unwrap();
            store.finish(&held, outcome(now, items(run))).await.unwrap();
        }
        store.publish().await.unwrap();
        storing += bytes_written() - before_storing;
        let (begun, before) = (Instant::now(), processor());
        assert_eq!(cluster_by(&store, AT_ONCE, room, &|| false).await.unwrap(), RUNS * ITEMS);
        all += begun.elapsed();
        if **next <= stored + (ROUNDS as u64) * RUNS * ITEMS {
            taken.push(begun.elapsed());
            worked += processor().saturating_sub(before);
        } else {
            taken.clear();
            worked = Duration::ZERO;
        }
    }
    let Volume { raw, unique, .. } = store.volumes(&Filter::default()).await.unwrap()[0].1;
    println!("{name}: {raw} items, {unique} unique");
    store.close().await;
}

/// Spreads a number over all bits.
fn spread(n: u64) -> u64 {
    let n = (n ^ (n >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (n ^ (n >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 7
}

/// A post: a fifth repeat one of the thousand before it, some of them with a word more. Few words are common and many are
/// rare, as in any language, and half of the posts carry one of forty tags.
fn text(n: u64) -> String {
    if n % 5 == 4 {
        let first = n.saturating_sub(1 + spread(n) % 1_000);
        let first = first - u64::from(first % 5 == 4);
        let comment = if n.is_multiple_of(2) { "so true: " } else { "" };
        return format!("{comment}RT @user{}: {} https://t.co/{n}", n % 97, text(first));
    }
    let words: Vec<String> = (0..8 + spread(n) % 14)
        .map(|at| {
            let dice = spread(n * 64 + at) % 1_000_000;
            // The k-th commonest of 30,000 words comes up about 1/k as often as the first.
            let k = (30_000_f64.powf(dice as f64 / 1e6)) as u64;
            word(k)
        })
        .collect();
    let tag = if n.is_multiple_of(2) { format!(" #campaign{}", spread(n + 7) % 40) } else { String::new() };
    format!("{}{tag}", words.join(" "))
}

fn word(k: u64) -> String {
    let mut bits = spread(k + 1_000);
    (0..2 + bits % 3)
        .map(|_| {
            bits = spread(bits);
            let (c, v) = (b"bcdfghjklmnprstvwz"[(bits % 18) as usize], b"aeiou"[(bits / 18 % 5) as usize]);
            format!("{}{}", char::from(c), char::from(v))
        })
        .collect()
}

fn items(run: u64) -> Vec<SeenItem> {
    (0..ITEMS)
        .map(|rank| {
            let id = run * ITEMS + rank;
            let found = Found {
                kind: Some(Kind::Post),
                id: Some(id.to_string()),
                author: Some(format!("user{}", id % 997)),
                text: Some(text(id)),
                published_at: Some(NOW),
                rank: u32::try_from(rank).unwrap(),
                ..Found::default()
            };
            let keys = vec![format!("post:x:{id:09}")];
            let (source, kind) = (Source::Social, Kind::Post);
            let finding = Finding { source, found, kind, keys: keys.clone(), strong: true, fit: WindowFit::In };
            SeenItem { keys, strong: true, kind, sightings: vec![finding], repeats: Vec::new() }
        })
        .collect()
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

fn outcome(now: Time, items: Vec<SeenItem>) -> Outcome {
    let search = SearchResult {
        source: Source::Social,
        operation: "search",
        query: "query".into(),
        state: SearchState::Ok,
        reason: None,
        clears_at: None,
        http_status: Some(200),
        latency_ms: Some(1),
        unreadable: 0,
        saturated: false,
        cost: Micros(0),
        cost_basis: "none",
        error: None,
        raw: None,
        asked: None,
        covered: None,
    };
    Outcome {
        seen_at: now,
        finished_at: now,
        state: RunState::Ok,
        reason: None,
        error: None,
        searches: vec![search],
        items,
        answer: None,
        key_version: 1,
        nature: Some(Nature::Real),
        judge: None,
    }
}
