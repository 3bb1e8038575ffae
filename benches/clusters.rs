//! What looking for near-copies costs per item while ever more items are stored: `cargo bench --bench clusters`, with
//! TEST_POSTGRES_URL for PostgreSQL too. `CLUSTERS_UP_TO=100000` ends earlier than at a million, `CLUSTERS_ONE_TABLE=1` keeps
//! all keys in one table on SQLite, too, for comparison, `CLUSTERS_ONLY=sqlite` or `postgres` leaves the other out. It is measured over the
//! rounds before each size; moving keys on, which happens now and then, is told apart, per item since the size before.
//! It is no test.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

mod stored;

use std::time::{Duration, Instant};

use stored::{NOW, bare, open, outcome, seen, topic};
use topicwatch::collect::cluster_by;
use topicwatch::model::{Found, Kind, Marks, Room, Topic, Volume, Wording};
use topicwatch::normalise::near;
use topicwatch::store::{Filter, SeenItem, Store};

const LEASE: Duration = Duration::from_secs(600);
/// Items a run finds, and runs that are looked at together, as after a tick of many topics, where it is measured.
const ITEMS: u64 = 100;
const RUNS: u64 = 10;
/// Items of a run that only fills the database up to there.
const FILLING: u64 = 1_000;
/// Sizes at which is measured, over the last rounds before each.
const SIZES: [u64; 5] = [10_000, 30_000, 100_000, 300_000, 1_000_000];
/// Items that are decided in one transaction, as `cluster` does; and while the database is filled.
const AT_ONCE: usize = 500;
const AT_ONCE_FILLING: usize = 2_000;
/// Rounds of which the median is told, and the processor time they took together.
const ROUNDS: u64 = 9;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let up_to = std::env::var("CLUSTERS_UP_TO").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    pure();
    let folder = tempfile::tempdir().unwrap();
    let sqlite = format!("sqlite:{}", folder.path().join("bench.db").display());
    let only = std::env::var("CLUSTERS_ONLY").unwrap_or_default();
    if only != "postgres" {
        measure("SQLite", &sqlite, "", up_to).await;
    }
    if let (Ok(url), true) = (std::env::var("TEST_POSTGRES_URL"), only != "sqlite") {
        let schema = format!("topicwatch_clusters_{}", std::process::id());
        measure("PostgreSQL", &url, &schema, up_to).await;
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

/// Processor time of this process and, where `CLUSTERS_SERVER` is a word of their command lines (the `cluster_name` of a
/// server that serves nothing else), of the database's; nothing where there is no `/proc`. A busy machine stretches it
/// less than time.
fn processor() -> Duration {
    let mine = ran("/proc/self/task");
    let Ok(server) = std::env::var("CLUSTERS_SERVER") else { return mine };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_server = processes.filter(|process| {
        let line = std::fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
        line.starts_with("postgres:") && line.contains(&server)
    });
    mine + of_server.map(|process| ran(&process.path().join("task").to_string_lossy())).sum::<Duration>()
}

/// What the threads in a folder ran, in nanoseconds of the scheduler.
fn ran(tasks: &str) -> Duration {
    let threads = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let ran = threads.filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(ran.sum())
}

/// Bytes that this process handed to files; nothing where there is no `/proc`.
fn bytes_written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or(0)
}

/// What was spent on some items.
#[derive(Default)]
struct Spent {
    walls: Vec<Duration>,
    worked: Duration,
    written: u64,
    items: u64,
}

impl Spent {
    async fn on<T>(&mut self, items: u64, work: impl Future<Output = T>) -> T {
        let (begun, worked, written) = (Instant::now(), processor(), bytes_written());
        let done = work.await;
        self.walls.push(begun.elapsed());
        self.worked += processor().saturating_sub(worked);
        self.written += bytes_written() - written;
        self.items += items;
        done
    }
}

/// Stores a round of runs; returns its items.
async fn store_round(store: &Store, topic: &Topic, stored: u64, items: u64, runs: u64) -> u64 {
    for first in (0..runs).map(|run| stored + run * items) {
        let now = NOW.plus(Duration::from_secs(first / ITEMS));
        let held = store.start_manual(topic, &format!("run-{first:08}"), now, LEASE, "token").await.unwrap();
        store.finish(&held, outcome(now, found(first, items))).await.unwrap();
    }
    store.publish().await.unwrap();
    items * runs
}

async fn measure(name: &str, url: &str, schema: &str, up_to: u64) {
    let store = open(url, schema).await;
    let topic = topic("topic");
    store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();
    let room = match std::env::var_os("CLUSTERS_ONE_TABLE") {
        Some(_) => Room::endless(),
        None => store.cluster_room(),
    };
    println!(
        "{name}: items stored | median µs per item | processor | bytes | processor and bytes of keys that move on"
    );
    let (mut stored, mut known) = (0, 0);
    for size in SIZES.into_iter().filter(|size| *size <= up_to) {
        let (mut looked, mut moved) = (Spent::default(), Spent::default());
        let mut steps = [Duration::ZERO; STEPS.len()];
        while stored < size {
            let measured = stored + ROUNDS * RUNS * ITEMS >= size;
            let (items, runs, at_once) = if measured { (ITEMS, RUNS, AT_ONCE) } else { (FILLING, 1, AT_ONCE_FILLING) };
            let count = store_round(&store, &topic, stored, items, runs).await;
            stored += count;
            let crowded = async {
                // Early enough that none move on while a round is measured.
                let early = Room { young: room.young - 8 * ITEMS.cast_signed() * RUNS.cast_signed(), ..room };
                while store.sink_cluster_keys(&early).await.unwrap() {}
            };
            moved.on(count, crowded).await;
            if measured {
                let work = cluster_steps(&store, at_once, &mut steps);
                assert_eq!(looked.on(count, work).await, count);
            } else {
                assert_eq!(cluster_by(&store, at_once, room, &|| false).await.unwrap(), count);
            }
        }
        looked.walls.sort_unstable();
        let median = looked.walls.get(looked.walls.len() / 2).copied().unwrap_or_default();
        println!(
            "{size:>9} | {:>6.1} | {:>6.1} | {:>6} | {:>6.1} {:>6}",
            micros(median, RUNS * ITEMS),
            micros(looked.worked, looked.items),
            looked.written / looked.items.max(1),
            micros(moved.worked, stored - known),
            moved.written / (stored - known),
        );
        for (name, spent) in STEPS.into_iter().zip(&steps) {
            println!("          of it {name:20} {:>6.1}", micros(*spent, looked.items));
        }
        known = stored;
    }
    let Volume { raw, unique, .. } = store.volumes(&Filter::default()).await.unwrap()[0].1;
    println!("{name}: {raw} items, {unique} unique");
    store.close().await;
}

/// What looking at items consists of.
const STEPS: [&str; 5] = ["reading items", "marks", "what keys lead to", "first items", "deciding and keeping"];

/// As `cluster_by`, with the processor time of each step.
async fn cluster_steps(store: &Store, at_once: usize, spent: &mut [Duration; STEPS.len()]) -> u64 {
    let (mut done, mut before) = (0, processor());
    let mut took = |step: usize| {
        let now = processor();
        spent[step] += now.saturating_sub(before);
        before = now;
    };
    while let Some(batch) = store.unclustered(at_once).await.unwrap() {
        took(0);
        let items: Vec<Option<Marks>> = batch.words.iter().map(near::marks).collect();
        let keys = items.iter().flatten().flat_map(|marks| marks.bands.iter().copied()).collect();
        took(1);
        let leads = store.cluster_leads(&keys).await.unwrap();
        took(2);
        let heads = store.cluster_heads(&near::wanted(&items, &leads)).await.unwrap();
        took(3);
        let choices = near::choose(items, &near::Known { leads, heads, next: batch.next });
        assert!(store.keep_clusters(&batch, &choices).await.unwrap());
        took(4);
        done += choices.len() as u64;
    }
    took(0);
    done
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

fn found(first: u64, items: u64) -> Vec<SeenItem> {
    (0..items)
        .map(|rank| {
            let id = first + rank;
            let found = Found { author: Some(format!("user{}", id % 997)), text: Some(text(id)), ..bare(id, rank) };
            seen(found, vec![format!("post:x:{id:09}")])
        })
        .collect()
}
