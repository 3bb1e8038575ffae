//! Measures the cost per item of near-copy detection in databases of 10,000, 100,000 and 1,000,000 items: `cargo bench
//! --bench clusters`, with TEST_POSTGRES_URL also on PostgreSQL. Fills all databases first, then measures them in turn,
//! one round of new items each, so that a slow machine affects all equally. `CLUSTERS_UP_TO=100000` omits larger ones,
//! `CLUSTERS_ONE_TABLE=1` keeps all keys in one table on SQLite too, for comparison, `CLUSTERS_ONLY=sqlite` or
//! `postgres` omits the other. Moving keys to other tables, which happens now and then, is reported separately, per
//! item of the second half of the filling and of the rounds. It asserts no limits.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

mod stored;

use std::time::{Duration, Instant};

use stored::{NOW, bare, open, outcome, seen, topic};
use topicwatch::collect::cluster_by;
use topicwatch::model::{Fingerprint, ItemText, KeyTableLimits, Kind, ReplyEntry, Topic, Volume};
use topicwatch::normalise::near;
use topicwatch::store::{Filter, SeenItem, Store};

const LEASE: Duration = Duration::from_secs(600);
/// In measured rounds: items per run, and runs clustered together, as after a tick of many topics.
const ITEMS: u64 = 100;
const RUNS: u64 = 10;
/// Items per run while the database is filled.
const FILLING: u64 = 1_000;
/// The measured database sizes, in items.
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];
/// Items decided in one transaction, as in `cluster`; and while the database is filled.
const AT_ONCE: usize = 500;
const AT_ONCE_FILLING: usize = 2_000;
/// Measured rounds per database, and warm-up rounds before them.
const ROUNDS: usize = 15;
const WARM: usize = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let up_to = std::env::var("CLUSTERS_UP_TO").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    pure();
    let folder = tempfile::tempdir().unwrap();
    let only = std::env::var("CLUSTERS_ONLY").unwrap_or_default();
    if only != "postgres" {
        let file = |size: u64| format!("sqlite:{}", folder.path().join(format!("{size}.db")).display());
        measure("SQLite", |size| (file(size), String::new()), up_to).await;
    }
    if let (Ok(url), true) = (std::env::var("TEST_POSTGRES_URL"), only != "sqlite") {
        let schema = |size: u64| format!("topicwatch_clusters_{}_{size}", std::process::id());
        measure("PostgreSQL", |size| (url.clone(), schema(size)), up_to).await;
        println!("left behind: schemas topicwatch_clusters_{}_*", std::process::id());
    }
}

/// Measures marks and comparisons without a database.
fn pure() {
    let words: Vec<ItemText> =
        (0..20_000).map(|n| ItemText { kind: Kind::Post, title: None, text: Some(text(n)), score: None }).collect();
    let begun = Instant::now();
    let marks: Vec<_> = words.iter().map(near::fingerprint).collect();
    per_item("making marks of a post", begun.elapsed(), 20_000);
    let begun = Instant::now();
    let pairs = marks.windows(2).filter_map(|pair| pair[0].as_ref().zip(pair[1].as_ref()));
    let alike = pairs.filter(|(a, b)| near::similarity(&a.sketch, &b.sketch).is_some()).count();
    per_item(&format!("comparing two sketches ({alike} alike)"), begun.elapsed(), 19_999);
}

fn per_item(what: &str, took: Duration, items: u64) {
    println!("{what:60} {:>8.1} µs per item", micros(took, items));
}

fn micros(took: Duration, items: u64) -> f64 {
    took.as_secs_f64() * 1e6 / items as f64
}

/// CPU time of this process. If `CLUSTERS_SERVER` is set, adds that of the database server's processes with this word
/// in their command lines (the `cluster_name` of a server used only for this). Zero without `/proc`. A busy machine
/// distorts it less than wall time.
fn cpu_time() -> Duration {
    let mine = thread_cpu_time("/proc/self/task");
    let Ok(server) = std::env::var("CLUSTERS_SERVER") else { return mine };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_server = processes.filter(|process| {
        let line = std::fs::read_to_string(process.path().join("cmdline")).unwrap_or_default();
        line.starts_with("postgres:") && line.contains(&server)
    });
    mine + of_server.map(|process| thread_cpu_time(&process.path().join("task").to_string_lossy())).sum::<Duration>()
}

/// CPU time of all threads in a `task` folder, from `schedstat`.
fn thread_cpu_time(tasks: &str) -> Duration {
    let threads = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let ran = threads.filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(ran.sum())
}

/// Bytes this process wrote to files; 0 without `/proc`.
fn bytes_written() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    io.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok()).unwrap_or(0)
}

/// Time and bytes spent on some items.
#[derive(Default)]
struct Spent {
    walls: Vec<Duration>,
    works: Vec<Duration>,
    written: u64,
    items: u64,
}

impl Spent {
    async fn on<T>(&mut self, items: u64, work: impl Future<Output = T>) -> T {
        let (begun, worked, written) = (Instant::now(), cpu_time(), bytes_written());
        let done = work.await;
        self.walls.push(begun.elapsed());
        self.works.push(cpu_time().saturating_sub(worked));
        self.written += bytes_written() - written;
        self.items += items;
        done
    }

    fn mean(&self) -> f64 {
        micros(self.works.iter().sum(), self.items)
    }
}

/// The median.
fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A database of a given size, and the work spent on it.
struct Filled {
    store: Store,
    topic: Topic,
    room: KeyTableLimits,
    stored: u64,
    moved: Spent,
    looked: Spent,
    steps: [Vec<Duration>; STEPS.len()],
    read: Read,
}

/// The rows read for the clustered items.
#[derive(Default)]
struct Read {
    keys: usize,
    led: usize,
    firsts: usize,
}

impl Filled {
    async fn with(size: u64, url: &str, schema: &str) -> Self {
        let store = open(url, schema).await;
        let topic = topic("topic");
        store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();
        let room = match std::env::var_os("CLUSTERS_ONE_TABLE") {
            Some(_) => KeyTableLimits::unlimited(),
            None => store.cluster_key_limits(),
        };
        let (moved, looked, steps, read) = Default::default();
        let mut filled = Self { store, topic, room, stored: 0, moved, looked, steps, read };
        while filled.stored < size {
            let count = filled.store_round(FILLING, 1).await;
            if filled.stored * 2 <= size {
                filled.moved = Spent::default();
            }
            assert_eq!(cluster_by(&filled.store, AT_ONCE_FILLING, room, &|| false).await.unwrap(), count);
        }
        filled
    }

    /// Stores a round of runs and lets keys move to other tables. Returns the number of items.
    async fn store_round(&mut self, items: u64, runs: u64) -> u64 {
        for first in (0..runs).map(|run| self.stored + run * items) {
            let now = NOW.plus(Duration::from_secs(first / ITEMS));
            let held =
                self.store.start_manual(&self.topic, &format!("run-{first:08}"), now, LEASE, "token").await.unwrap();
            self.store.finish(&held, outcome(now, found(first, items))).await.unwrap();
        }
        self.store.publish().await.unwrap();
        self.stored += items * runs;
        // Move keys early enough that none move while a round is measured.
        let early = KeyTableLimits { young: self.room.young - 8 * (ITEMS * RUNS).cast_signed(), ..self.room };
        let store = &self.store;
        let crowded = async { while store.age_cluster_keys(&early).await.unwrap() {} };
        self.moved.on(items * runs, crowded).await;
        items * runs
    }

    /// Clusters new items as `cluster_by` does, and measures the CPU time of each step.
    async fn measure_round(&mut self) {
        let count = self.store_round(ITEMS, RUNS).await;
        let Self { store, steps, read, .. } = self;
        let mut spent = [Duration::ZERO; STEPS.len()];
        let work = async {
            let (mut done, mut before) = (0, cpu_time());
            let mut took = |step: usize| {
                let now = cpu_time();
                spent[step] += now.saturating_sub(before);
                before = now;
            };
            while let Some(batch) = store.unclustered(AT_ONCE).await.unwrap() {
                took(0);
                let items: Vec<Option<Fingerprint>> = batch.words.iter().map(near::fingerprint).collect();
                let keys = items.iter().flatten().flat_map(|marks| marks.bands.iter().copied()).collect();
                read.keys += std::collections::BTreeSet::len(&keys);
                took(1);
                let leads = store.cluster_places(&keys).await.unwrap();
                read.led += leads.len();
                took(2);
                let heads = store.cluster_heads(&near::needed_heads(&items, &leads)).await.unwrap();
                read.firsts += heads.len();
                took(3);
                let choices = near::assign_clusters(items, &near::KnownClusters { leads, heads, next: batch.next });
                took(4);
                assert!(store.store_clusters(&batch, &choices).await.unwrap());
                took(5);
                done += choices.len() as u64;
            }
            took(0);
            done
        };
        assert_eq!(self.looked.on(count, work).await, count);
        for (step, spent) in steps.iter_mut().zip(spent) {
            step.push(spent);
        }
    }

    fn print(&self, size: u64) {
        let per_item = |times: &[Duration]| micros(median(times), ITEMS * RUNS);
        println!(
            "{size:>9} | {:>6.1} | {:>6.1} | {:>6} | {:>6.1} {:>6}",
            per_item(&self.looked.walls),
            per_item(&self.looked.works),
            self.looked.written / self.looked.items.max(1),
            self.moved.mean(),
            self.moved.written / self.moved.items.max(1),
        );
        for (name, spent) in STEPS.into_iter().zip(&self.steps) {
            println!("          of it {name:20} {:>6.1}", per_item(spent));
        }
        let each = |count: usize| count as f64 / self.looked.items.max(1) as f64;
        let Read { keys, led, firsts } = self.read;
        println!(
            "          read: {:.1} keys, that lead to {:.1} places; {:.1} first items",
            each(keys),
            each(led),
            each(firsts)
        );
    }
}

async fn measure(name: &str, url: impl Fn(u64) -> (String, String), up_to: u64) {
    println!(
        "{name}: items stored | median µs per item | processor | bytes | processor and bytes of keys that move on"
    );
    let mut all = Vec::new();
    for size in SIZES.into_iter().filter(|size| *size <= up_to) {
        let (url, schema) = url(size);
        all.push((size, Filled::with(size, &url, &schema).await));
    }
    for round in 0..WARM + ROUNDS {
        for (_, filled) in &mut all {
            if round == WARM {
                (filled.looked, filled.steps, filled.read) = Default::default();
            }
            filled.measure_round().await;
        }
    }
    for (size, filled) in all {
        filled.print(size);
        let Volume { raw, unique, .. } = filled.store.volumes(&Filter::default()).await.unwrap()[0].1;
        println!("          {raw} items, {unique} unique");
        filled.store.close().await;
    }
}

/// The steps of clustering.
const STEPS: [&str; 6] = ["reading items", "marks", "what keys lead to", "first items", "deciding", "keeping"];

/// Mixes the bits of a number.
fn spread(n: u64) -> u64 {
    let n = (n ^ (n >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (n ^ (n >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 7
}

/// The text of a post. A fifth repeat one of the thousand posts before, some with a comment. Word frequencies are as in
/// natural language, and half of the posts carry one of forty tags.
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
            // Zipf's law: the k-th most common of 30,000 words is about 1/k as frequent as the first.
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
            let found =
                ReplyEntry { author: Some(format!("user{}", id % 997)), text: Some(text(id)), ..bare(id, rank) };
            seen(found, vec![format!("post:x:{id:09}")])
        })
        .collect()
}
