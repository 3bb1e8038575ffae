//! Measures storing a million items in runs of 100, a tenth of them seen before, against a plain loop of prepared
//! multi-row inserts into the same tables and indexes that commits every 100 items with the same durability: `cargo
//! bench --bench ingest`. The two alternate, a tenth at a time. INGEST_ITEMS sets another number; with
//! TEST_POSTGRES_URL also on PostgreSQL; INGEST_ONLY=sqlite or postgres omits the other. Also prints this process's CPU
//! time, which is meaningful for SQLite even on a busy machine.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking and tells by printing")]

mod stored;

use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection as _, QueryBuilder};
use stored::{NOW, open, outcome, post, text, topic};
use topicwatch::model::Time;
use topicwatch::store::Store;

/// Items per run. The first ten of them are the last ten of the run before.
const RUN: u64 = 100;
const SEEN_BEFORE: u64 = 10;
const TENTHS: u64 = 10;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let items = std::env::var("INGEST_ITEMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000_u64);
    let runs = items / RUN;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    if std::env::var("INGEST_ONLY").as_deref() != Ok("postgres") {
        let ours = open(&format!("sqlite:{}", file("ours.db").display()), "").await;
        open(&format!("sqlite:{}", file("plain.db").display()), "").await.close().await;
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(file("plain.db"))
            .foreign_keys(true)
            .synchronous(sqlx::sqlite::SqliteSynchronous::Full);
        let mut plain = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
        let mut reported = Results::default();
        for tenth in 0..TENTHS {
            reported.ours.push(store(&ours, tenth, runs).await);
            reported.plain.push(lite::insert(&mut plain, tenth, runs).await);
            reported.print_tenth("SQLite", items / TENTHS);
        }
        reported.print_total("SQLite", items);
        ours.close().await;
    }
    let Ok(url) = std::env::var("TEST_POSTGRES_URL") else { return };
    if std::env::var("INGEST_ONLY").as_deref() == Ok("sqlite") {
        return;
    }
    let schemas = ["topicwatch_bench_ours", "topicwatch_bench_plain"];
    let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
    let mut plain = sqlx::PgConnection::connect_with(&options.options([("search_path", schemas[1])])).await.unwrap();
    let drop = schemas.map(|schema| format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).join("; ");
    sqlx::raw_sql(AssertSqlSafe(drop.clone())).execute(&mut plain).await.unwrap();
    let ours = open(&url, schemas[0]).await;
    open(&url, schemas[1]).await.close().await;
    let mut reported = Results::default();
    for tenth in 0..TENTHS {
        reported.ours.push(store(&ours, tenth, runs).await);
        reported.plain.push(pg::insert(&mut plain, tenth, runs).await);
        reported.print_tenth("PostgreSQL", items / TENTHS);
    }
    reported.print_total("PostgreSQL", items);
    ours.close().await;
    sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut plain).await.unwrap();
}

/// Wall and CPU time of each tenth.
#[derive(Default)]
struct Results {
    ours: Vec<Taken>,
    plain: Vec<Taken>,
}

#[derive(Clone, Copy, Default)]
struct Taken {
    wall: Duration,
    cpu: Duration,
}

/// CPU time of all threads of this process.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    Duration::from_millis(fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10)
}

impl Results {
    fn print_tenth(&self, database: &str, items: u64) {
        let (ours, plain) = (self.ours.last().unwrap(), self.plain.last().unwrap());
        println!(
            "{database} tenth {:>2}: {:>7.0} items/s, plain {:>7.0}, {:.2} x; processor {:.2} s, plain {:.2} s",
            self.ours.len(),
            rate(items, ours.wall),
            rate(items, plain.wall),
            times(plain.wall, ours.wall),
            ours.cpu.as_secs_f64(),
            plain.cpu.as_secs_f64()
        );
    }

    fn print_total(&self, database: &str, items: u64) {
        let sum = |taken: &[Taken], of: fn(&Taken) -> Duration| taken.iter().map(of).sum::<Duration>();
        let (ours, plain) = (sum(&self.ours, |t| t.wall), sum(&self.plain, |t| t.wall));
        let (first, last) = (self.ours.first().unwrap(), self.ours.last().unwrap());
        println!(
            "{database}: {:.0} items/s, plain {:.0} items/s: {:.2} x (goal 0.5), by processor time {:.2} x; last tenth {:.2} x \
             the first (goal 2), by processor time {:.2} x",
            rate(items, ours),
            rate(items, plain),
            times(plain, ours),
            times(sum(&self.plain, |t| t.cpu), sum(&self.ours, |t| t.cpu)),
            times(last.wall, first.wall),
            times(last.cpu, first.cpu)
        );
    }
}

fn times(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "items are millions")]
fn rate(items: u64, taken: Duration) -> f64 {
    items as f64 / taken.as_secs_f64()
}

fn at(run: u64) -> Time {
    NOW.plus(Duration::from_secs(run))
}

/// The numbers of a run's items. The first tenth are the last ones of the run before.
fn numbers(run: u64) -> impl Iterator<Item = u64> {
    let first = run * (RUN - SEEN_BEFORE);
    first..first + RUN
}

async fn store(store: &Store, tenth: u64, runs: u64) -> Taken {
    let topic = topic("topic");
    if tenth == 0 {
        store.sync_topics(std::slice::from_ref(&topic), NOW).await.unwrap();
    }
    // Make the data beforehand, so that only storing it is measured. The plain loop does the same.
    let tenth = tenth * runs / TENTHS..(tenth + 1) * runs / TENTHS;
    let outcomes: Vec<_> =
        tenth.map(|run| (run, outcome(at(run), numbers(run).map(|id| post(id, id % RUN)).collect()))).collect();
    let (begun, before) = (Instant::now(), cpu());
    for (run, outcome) in outcomes {
        let held =
            store.start_manual(&topic, &format!("run-{run}"), at(run), Duration::from_secs(60), "token").await.unwrap();
        store.finish(&held, outcome).await.unwrap();
        if run % 16 == 15 {
            store.publish().await.unwrap();
        }
    }
    Taken { wall: begun.elapsed(), cpu: cpu().saturating_sub(before) }
}

/// The plain loop, for each database: six prepared statements, one transaction per 100 items.
macro_rules! plain {
    ($name:ident, $database:ty, $connection:ty, $begin:literal, $counted:literal, $twice:literal) => {
        mod $name {
            use super::*;

            pub(crate) async fn insert(conn: &mut $connection, tenth: u64, runs: u64) -> Taken {
                let number = |n: u64| i64::try_from(n).unwrap();
                let tenth = tenth * runs / TENTHS..(tenth + 1) * runs / TENTHS;
                let all: Vec<(u64, Vec<_>)> = tenth.map(|run| (run, numbers(run).map(|id| (id, text(id))).collect())).collect();
                let (begun, before) = (Instant::now(), cpu());
                for (run, rows) in all {
                    let mut tx = conn.begin_with($begin).await.unwrap();
                    sqlx::query(concat!(
                        "INSERT INTO run (id, public_id, job, topic, trigger, state, due_at, planned_at, started_at, finished_at, found, seq) ",
                        $counted,
                        " VALUES ($1, $2, 'topic:topic', 'topic', 'manual', 'ok', $3, $3, $3, $3, 100, $1)"
                    ))
                    .bind(number(run) + 1)
                    .bind(format!("run-{run}"))
                    .bind(at(run).0)
                    .execute(&mut *tx)
                    .await
                    .unwrap();
                    sqlx::query(
                        "INSERT INTO search (run, attempt, source, operation, query, state, started_at, found, cost, cost_basis, topic) \
                         VALUES ($1, 1, 'social', 'search', 'query', 'ok', $2, 100, 3000, 'billed', 'topic')",
                    )
                    .bind(number(run) + 1)
                    .bind(at(run).0)
                    .execute(&mut *tx)
                    .await
                    .unwrap();
                    let mut items = QueryBuilder::<$database>::new(concat!(
                        "INSERT INTO item (id, key, kind, strong, post_id, url, author, text, published_at, first_seen, last_seen) ",
                        $counted
                    ));
                    items.push_values(&rows, |mut row, (id, text)| {
                        row.push_bind(number(*id) + 1).push_bind(format!("post:x:{id}")).push("'post'").push("1");
                        row.push_bind(id.to_string()).push_bind(format!("https://x.com/someone/status/{id}"));
                        row.push_bind("someone").push_bind(text).push_bind(NOW.0).push_bind(at(run).0).push_bind(at(run).0);
                    });
                    items.push($twice);
                    items.build().execute(&mut *tx).await.unwrap();
                    let mut keys = QueryBuilder::<$database>::new("INSERT INTO item_key (key, version, item) ");
                    keys.push_values(rows.iter().flat_map(|(id, _)| [("post:x:", id), ("text:x:someone:", id)]), |mut row, (kind, id)| {
                        row.push_bind(format!("{kind}{id}")).push("1").push_bind(number(*id) + 1);
                    });
                    keys.push(" ON CONFLICT (key) DO NOTHING");
                    keys.build().execute(&mut *tx).await.unwrap();
                    let mut sightings = QueryBuilder::<$database>::new("INSERT INTO sighting (run, item, source, rank, fit) ");
                    sightings.push_values(&rows, |mut row, (id, _)| {
                        row.push_bind(number(run) + 1).push_bind(number(*id) + 1).push("'social'");
                        row.push_bind(number(*id % RUN)).push("'in'");
                    });
                    sightings.build().execute(&mut *tx).await.unwrap();
                    let mut known = QueryBuilder::<$database>::new(
                        "INSERT INTO topic_item (topic, item, first_seen, first_run, last_seen, last_run, times_seen) ",
                    );
                    known.push_values(&rows, |mut row, (id, _)| {
                        row.push("'topic'").push_bind(number(*id) + 1).push_bind(at(run).0).push_bind(number(run) + 1);
                        row.push_bind(at(run).0).push_bind(number(run) + 1).push("1");
                    });
                    known.push(
                        " ON CONFLICT (topic, item) DO UPDATE SET last_seen = excluded.last_seen, last_run = excluded.last_run, \
                         times_seen = topic_item.times_seen + 1",
                    );
                    known.build().execute(&mut *tx).await.unwrap();
                    tx.commit().await.unwrap();
                }
                Taken { wall: begun.elapsed(), cpu: cpu().saturating_sub(before) }
            }
        }
    };
}

plain!(
    lite,
    sqlx::Sqlite,
    sqlx::SqliteConnection,
    "BEGIN IMMEDIATE",
    "",
    " ON CONFLICT DO UPDATE SET last_seen = excluded.last_seen"
);
plain!(
    pg,
    sqlx::Postgres,
    sqlx::PgConnection,
    "BEGIN",
    "OVERRIDING SYSTEM VALUE ",
    " ON CONFLICT (key) DO UPDATE SET last_seen = excluded.last_seen"
);
