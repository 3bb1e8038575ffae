//! `seq` is the order in which runs were stored, whatever their clocks said, and an export shows what each run
//! received. With ties (two topics at one time), clocks that differ, and several processes, on both databases.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};
use topicwatch::model::{Source, Time, Topic};
use topicwatch::store::{Filter, Outcome, Store};

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::searched::{NOW, outcome, seen_item, settings, start_manual_run, topic};
use crate::support::service::{FakeServer, reply};

/// The rows of an export.
fn rows(place: &Place, what: &str) -> Vec<Value> {
    let text = place.ok(&["export", "--what", what, "--format", "jsonl"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// One call at a time, so that the topic searched first is also stored first.
const ONE_BY_ONE: &str = "max_concurrent = 1";

fn one_by_one(topics: [&str; 2]) -> String {
    let topics = topics.map(|id| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [\"social\"]\n"));
    format!("[scheduler]\nmax_concurrent_runs = 1\n\n{}", topics.join("\n"))
}

/// Thirty posts whose text says $10 to the first request and $12 to later ones.
fn changing_posts() -> FakeServer {
    let asked = AtomicUsize::new(0);
    FakeServer::respond_with(move |_| {
        let price = if asked.fetch_add(1, Ordering::SeqCst) == 0 { 10 } else { 12 };
        let posts: Vec<Value> = (1..=30)
            .map(|n| {
                json!({ "id": n.to_string(), "text": format!("number {n} costs ${price} today"), "user": "ann",
                    "created_at": "2026-03-11T08:00:00Z", "url": format!("https://x.com/ann/status/{n}") })
            })
            .collect();
        reply("200 OK", "content-type: application/json\r\n", json!({ "results": posts }).to_string().as_bytes())
    })
}

#[test]
fn two_topics_at_one_time_export_the_text_that_each_received() {
    // Both orders, so that in one of them the topic with the smaller run id is stored last.
    for topics in [["acme", "zeta"], ["zeta", "acme"]] {
        let mut exported = Vec::new();
        for database in databases() {
            let service = changing_posts();
            let lines = format!("{}{ONE_BY_ONE}", service.lines());
            let place = Place::new(database, &lines, &one_by_one(topics));
            let name = place.database.name;
            place.ok(&["once", "--at", NINE]);
            for what in ["sightings", "new"] {
                for (topic, price) in [(topics[0], "$10"), (topics[1], "$12")] {
                    let rows = rows(&place, what);
                    let of = rows.iter().filter(|row| row["topic"] == topic);
                    let wrong = of.clone().filter(|row| !row["text"].as_str().unwrap().contains(price)).count();
                    assert_eq!((of.count(), wrong), (30, 0), "{name}: {what} of {topic} in {topics:?}");
                }
            }
            // The first topic was served other texts before than now, the second was not.
            let later = "2026-03-11T10:00:00Z";
            place.ok(&["once", "--at", later]);
            for (topic, edits) in [(topics[0], 30), (topics[1], 0)] {
                let diff = place.json(&["diff", topic, "--json"]);
                assert_eq!(diff["counts"]["edited"], edits, "{name}: {topic} in {topics:?}\n{diff}");
            }
            let all = ["sightings", "new", "runs"].map(|what| place.ok(&["export", "--what", what]));
            exported.push(all.map(|text| text.replace(name, "")));
        }
        for other in exported.iter().skip(1) {
            assert_eq!(exported[0], *other, "the same bytes on both databases, {topics:?}");
        }
    }
}

/// A configuration needs a topic.
const WATCHED: &str = "[[topics]]\nid = \"a\"\nquery = \"a\"\n";

/// The outcome of a run that finds one post with this text, with the times as offsets from `NOW`.
fn outcome_with_text(words: &str, seen_at: i64, finished_at: i64) -> Outcome {
    let item = seen_item(Source::Social, 1, &["post:x:1"], words);
    Outcome { seen_at: Time(NOW.0 + seen_at), finished_at: Time(NOW.0 + finished_at), ..outcome(NOW, vec![item]) }
}

/// The exported text of each run.
fn words_by_run(place: &Place, what: &str) -> BTreeMap<String, String> {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    let run = if what == "new" { "first_run" } else { "run" };
    rows(place, what).iter().map(|row| (text(row, run), text(row, "text"))).collect()
}

async fn seqs(store: &Store) -> BTreeMap<String, i64> {
    let runs = store.runs(&Filter::default(), 1_000).await.unwrap();
    runs.into_iter().filter_map(|run| run.seq.map(|seq| (run.run, seq))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn seq_numbers_follow_the_order_of_storing_not_the_clocks() {
    for database in databases() {
        let place = Place::new(database, "base_url = \"sandbox\"", WATCHED);
        let name = place.database.name;
        // Two processes; the clock of the first is ahead when its run ends.
        let (first, second) = (open(&place).await, open(&place).await);
        let topics: Vec<Topic> = ["a", "b", "c"].map(topic).to_vec();
        first.sync_topics(&topics, NOW).await.unwrap();
        let mut runs = Vec::new();
        for (id, topic) in ["R9", "R5", "R1"].iter().zip(&topics) {
            runs.push(start_manual_run(&first, topic, id, NOW).await);
        }
        first.finish(&runs[0], outcome_with_text("ten", 0, 60_000)).await.unwrap();
        second.finish(&runs[1], outcome_with_text("twelve", 1_000, 5_000)).await.unwrap();
        first.finish(&runs[2], outcome_with_text("twelve", 1_000, 1_000)).await.unwrap();
        first.publish().await.unwrap();
        let reported = seqs(&first).await;
        assert!(reported["R9"] < reported["R5"] && reported["R5"] < reported["R1"], "{name}: {reported:?}");
        for what in ["sightings", "new"] {
            let words = words_by_run(&place, what);
            let expected = [("R1", "twelve"), ("R5", "twelve"), ("R9", "ten")];
            assert_eq!(words, expected.map(|(run, words)| (run.to_owned(), words.to_owned())).into(), "{name}: {what}");
        }
        // An increment that was written stays correct: a run stored later has a higher number, however early its own
        // end time is.
        let before = place.ok(&["export", "--what", "sightings", "--seq", "0..3"]);
        let late = start_manual_run(&second, &topics[0], "R0", NOW).await;
        second.finish(&late, outcome_with_text("fourteen", 2_000, -90_000)).await.unwrap();
        assert!(seqs(&second).await["R0"] > reported["R1"], "{name}");
        assert_eq!(place.ok(&["export", "--what", "sightings", "--seq", "0..3"]), before, "{name}");
        first.close().await;
        second.close().await;
    }
}

async fn open(place: &Place) -> Store {
    Store::open(&settings(&place.database)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_stored_by_many_processes_are_each_read_once_and_unchanged() {
    const PROCESSES: usize = 4;
    const RUNS: usize = 25;
    for database in databases() {
        let place = Place::new(database, "base_url = \"sandbox\"", WATCHED);
        let name = place.database.name;
        let store = open(&place).await;
        let topics: Vec<Topic> = (0..PROCESSES).map(|n| topic(&format!("t{n}"))).collect();
        store.sync_topics(&topics, NOW).await.unwrap();
        let over = Arc::new(AtomicBool::new(false));
        // Reads increments meanwhile, as a loader would: everything above the highest number seen so far.
        let reader = tokio::spawn({
            let (store, over) = (open(&place).await, Arc::clone(&over));
            async move {
                let (mut highest, mut read) = (0, 0);
                loop {
                    let last = over.load(Ordering::SeqCst);
                    let runs = store.runs(&Filter::default(), 1_000).await.unwrap();
                    let above = runs.iter().filter_map(|run| run.seq).filter(|seq| *seq > highest);
                    let (count, most) = above.fold((0, highest), |(count, most), seq| (count + 1, most.max(seq)));
                    (highest, read) = (most, read + count);
                    if last {
                        store.close().await;
                        return read;
                    }
                }
            }
        });
        let mut tasks = Vec::new();
        for (n, topic) in topics.into_iter().enumerate() {
            let own = open(&place).await;
            tasks.push(tokio::spawn(async move {
                for m in 0..RUNS {
                    // Many ties, and clocks that differ by process.
                    let ended = if m % 2 == 0 { 0 } else { i64::try_from((PROCESSES - n) * 1_000).unwrap() };
                    let run = start_manual_run(&own, &topic, &format!("R{m}-{n}"), NOW).await;
                    own.finish(&run, outcome_with_text(&format!("R{m}-{n}"), 0, ended)).await.unwrap();
                    if m % 5 == n {
                        own.publish().await.unwrap();
                    }
                }
                own.close().await;
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        store.publish().await.unwrap();
        over.store(true, Ordering::SeqCst);
        assert_eq!(reader.await.unwrap(), PROCESSES * RUNS, "{name}: each run was seen above what had been read");
        let words = words_by_run(&place, "sightings");
        let wrong: Vec<_> = words.iter().filter(|(run, words)| run != words).collect();
        assert!(words.len() == PROCESSES * RUNS && wrong.is_empty(), "{name}: {} of {wrong:?}", wrong.len());
        store.close().await;
    }
}
