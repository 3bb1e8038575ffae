//! The tone of stored items: judged when a run brings or changes the text, again by `rescore`, and tried with `score`.

use topicwatch::model::{Source, Time, Tone, ToneScore};
use topicwatch::store::Outcome;

use crate::support::databases::{Database, databases, sqlite};
use crate::support::program::{NINE, Place, Program};
use crate::support::searched::{NOW, all_items, open_store, outcome, seen_item, start_manual_run, topic};

/// A scorer that looks for one word.
fn first(title: Option<&str>, text: Option<&str>) -> ToneScore {
    let good = [title, text].into_iter().flatten().any(|words| words.contains("good"));
    let (tone, score) = if good { (Tone::Positive, 900) } else { (Tone::Neutral, 0) };
    ToneScore { tone, score: Some(score), scorer: "test-1" }
}

/// A scorer that finds everything negative and does not support the text "odd".
fn second(_: Option<&str>, text: Option<&str>) -> ToneScore {
    if text == Some("odd") {
        return ToneScore { tone: Tone::Unsupported, score: None, scorer: "test-2" };
    }
    ToneScore { tone: Tone::Negative, score: Some(-500), scorer: "test-2" }
}

fn outcome_with_texts(at: Time, words: &[(&str, &str)]) -> Outcome {
    let items =
        words.iter().zip(1..).map(|((key, text), rank)| seen_item(Source::Social, rank, &[key], text)).collect();
    Outcome { judge: Some(first), ..outcome(at, items) }
}

async fn tones(store: &topicwatch::store::Store) -> Vec<(String, Option<Tone>, Option<i64>, Option<String>)> {
    all_items(store).await.into_iter().map(|i| (i.key, i.tone.tone, i.tone.score, i.tone.scorer)).collect()
}

fn row(
    key: &str,
    tone: Tone,
    score: impl Into<Option<i64>>,
    scorer: &str,
) -> (String, Option<Tone>, Option<i64>, Option<String>) {
    (key.into(), Some(tone), score.into(), Some(scorer.into()))
}

#[tokio::test]
async fn texts_are_scored_when_new_and_when_changed() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        store.finish(&run, outcome_with_texts(NOW, &[("post:x:1", "good"), ("post:x:2", "so so")])).await.unwrap();
        let stored = tones(&store).await;
        assert_eq!(stored[0], row("post:x:1", Tone::Positive, 900, "test-1"), "{}", database.name);
        assert_eq!(stored[1], row("post:x:2", Tone::Neutral, 0, "test-1"));

        let later = Time(NOW.0 + 1_000);
        let run = start_manual_run(&store, &t, "R2", later).await;
        store
            .finish(&run, outcome_with_texts(later, &[("post:x:1", "not any more"), ("post:x:2", "so so")]))
            .await
            .unwrap();
        let stored = tones(&store).await;
        assert_eq!(stored[0], row("post:x:1", Tone::Neutral, 0, "test-1"), "revised: {}", database.name);

        // Without a scorer, the tone of the old text is removed.
        let last = Time(NOW.0 + 2_000);
        let run = start_manual_run(&store, &t, "R3", last).await;
        let unjudged =
            Outcome { judge: None, ..outcome_with_texts(last, &[("post:x:1", "other words"), ("post:x:2", "so so")]) };
        store.finish(&run, unjudged).await.unwrap();
        let stored = tones(&store).await;
        assert_eq!(stored[0], ("post:x:1".into(), None, None, None));
        assert_eq!(stored[1], row("post:x:2", Tone::Neutral, 0, "test-1"));
        database.close(store).await;
    }
}

#[tokio::test]
async fn rescore_scores_each_item_once_after_a_scorer_change() {
    for database in databases() {
        let store = open_store(&database).await;
        let (a, b) = (topic("a"), topic("b"));
        store.sync_topics(&[a.clone(), b.clone()], NOW).await.unwrap();
        let run = start_manual_run(&store, &a, "R1", NOW).await;
        let words = [("post:x:1", "good"), ("post:x:2", "so so"), ("post:x:3", "odd")];
        store.finish(&run, outcome_with_texts(NOW, &words)).await.unwrap();
        let run = start_manual_run(&store, &b, "R2", NOW).await;
        store
            .finish(&run, Outcome { judge: None, ..outcome_with_texts(NOW, &[("post:x:9", "nobody judged")]) })
            .await
            .unwrap();

        let dry_run = store.rescore(second, &[], 2, true, |_| {}).await.unwrap();
        assert_eq!((dry_run.rescored, dry_run.first, dry_run.changed()), (4, 1, 3), "{}", database.name);
        assert_eq!(tones(&store).await[0], row("post:x:1", Tone::Positive, 900, "test-1"), "a dry run writes nothing");

        let of_b = store.rescore(second, &["b".into()], 2, false, |_| {}).await.unwrap();
        assert_eq!((of_b.rescored, of_b.first), (1, 1));
        let mut batches = Vec::new();
        let done = store.rescore(second, &[], 2, false, |judged| batches.push(judged)).await.unwrap();
        assert_eq!((done.rescored, done.first, done.changed(), batches), (3, 0, 3, vec![2, 3]));
        assert_eq!(done.moved[Tone::Neutral as usize][Tone::Unsupported as usize], 1);
        assert_eq!(
            tones(&store).await,
            [
                row("post:x:1", Tone::Negative, -500, "test-2"),
                row("post:x:2", Tone::Negative, -500, "test-2"),
                row("post:x:3", Tone::Unsupported, None, "test-2"),
                row("post:x:9", Tone::Negative, -500, "test-2"),
            ]
        );
        assert_eq!(store.rescore(second, &[], 2, false, |_| {}).await.unwrap().rescored, 0, "nothing is left");
        database.close(store).await;
    }
}

#[test]
fn a_run_scores_its_items_and_rescore_has_nothing_left() {
    for database in databases() {
        let place = Place::new(database, "base_url = \"sandbox\"", "[[topics]]\nid = \"rust\"\nquery = \"rust async\"");
        place.ok(&["once", "--at", NINE]);
        let items = place.json(&["items", "--json"]);
        let items = items["items"].as_array().unwrap();
        assert!(!items.is_empty());
        for item in items {
            assert_eq!(item["scorer"], topicwatch::sentiment::VERSION, "{item}");
            let judged = item["score"].as_f64().is_some_and(|score| (-1.0..=1.0).contains(&score));
            assert!(item["tone"] == "unsupported" || judged, "{item}");
        }
        let version = topicwatch::sentiment::VERSION;
        let reported = format!("every item with stored text is already scored by {version}");
        assert!(place.ok(&["db", "rescore"]).contains(&reported));
        place.run(&["db", "rescore", "--topic", "rsut"]).assert_stderr(2, &["rsut", "did you mean", "rust"]);
        assert_eq!(place.json(&["db", "rescore", "--json", "--dry-run"])["scored"], 0);
    }
}

#[tokio::test]
async fn writers_are_not_blocked_by_rescore() {
    for database in databases() {
        let (store, other) = (open_store(&database).await, open_store(&database).await);
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let run = start_manual_run(&store, &t, "R1", NOW).await;
        let keys: Vec<String> = (0..8_000).map(|n| format!("post:x:{n}")).collect();
        let words: Vec<(&str, &str)> = keys.iter().map(|key| (key.as_str(), "so so")).collect();
        store.finish(&run, outcome_with_texts(NOW, &words)).await.unwrap();
        let over = std::sync::atomic::AtomicBool::new(false);
        let again = async {
            let done = store.rescore(second, &[], 500, false, |_| {}).await.unwrap();
            over.store(true, std::sync::atomic::Ordering::Relaxed);
            done
        };
        let beside = async {
            let run = start_manual_run(&other, &t, "R2", Time(NOW.0 + 1_000)).await;
            other.finish(&run, outcome_with_texts(Time(NOW.0 + 1_000), &[("post:x:1", "so so")])).await.unwrap();
            assert!(!over.load(std::sync::atomic::Ordering::Relaxed), "{}: it waited for the end", database.name);
        };
        let (done, ()) = tokio::join!(again, beside);
        assert_eq!(done.rescored, 8_000);
        other.close().await;
        database.close(store).await;
    }
}

fn score(folder: &std::path::Path, input: &[u8]) -> Vec<serde_json::Value> {
    let file = folder.join("in.txt");
    std::fs::write(&file, input).unwrap();
    let named = Program::at(folder, &["score", "in.txt"]).run();
    let piped = Program::at(folder, &["score", "-"]).stdin(std::fs::File::open(&file).unwrap()).run();
    assert_eq!((named.code, &named.out), (Some(0), &piped.out), "{named}");
    named.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn score_answers_each_line_with_one_object() {
    let folder = tempfile::tempdir().unwrap();
    let mut input = b"I love it, thank you!\r\nthis is awful\n\n\xff\xfe broken bytes are great\n".to_vec();
    input.extend("x".repeat(3 << 20).into_bytes());
    input.extend("\nЭто ужасно\nlast line, no end".as_bytes());
    let lines = score(folder.path(), &input);
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert_eq!((&lines[0]["label"], &lines[0]["lang"]), (&"positive".into(), &"en".into()));
    assert_eq!(lines[0]["scorer"], topicwatch::sentiment::VERSION);
    assert_eq!(lines[1]["label"], "negative");
    let p = |at: usize, name: &str| lines[at]["p"][name].as_f64().unwrap();
    for at in [0, 1, 3, 6] {
        assert!((p(at, "negative") + p(at, "neutral") + p(at, "positive") - 1.0).abs() < 1e-9, "{}", lines[at]);
        let score = lines[at]["score"].as_f64().unwrap();
        assert!((p(at, "positive") - p(at, "negative") - score).abs() < 1e-9, "{}", lines[at]);
    }
    for at in [2, 5] {
        assert_eq!(lines[at]["label"], "unsupported");
        assert!(lines[at]["score"].is_null() && lines[at]["p"].is_null());
    }
    assert_eq!(lines[5]["lang"], "ru");
    Program::at(folder.path(), &["score", "."]).run().assert_stderr(2, &[".: ", "one text per line"]);
    Program::at(folder.path(), &["score", "not there.txt"])
        .run()
        .assert_stderr(2, &["not there.txt", "one text per line"]);
}

#[test]
fn score_ends_without_an_error_on_a_closed_pipe() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.txt"), "what a day\n".repeat(50_000)).unwrap();
    let ended = Program::under_shell(folder.path(), "\"$@\" | head -n 1; exec true", &["score", "in.txt"]).run();
    assert_eq!((ended.code, ended.out.lines().count(), ended.err.as_str()), (Some(0), 1, ""), "{ended}");
}

#[test]
fn an_unscored_database_is_scored_later() {
    let database: Database = sqlite();
    let place = Place::new(database, "base_url = \"sandbox\"", "[[topics]]\nid = \"rust\"\nquery = \"rust async\"");
    place.ok(&["once", "--at", NINE]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(place.database.execute("UPDATE item SET tone = NULL, score = NULL, scorer = NULL"));
    let would = place.json(&["db", "rescore", "--json", "--dry-run"]);
    let done = place.json(&["db", "rescore", "--json"]);
    assert_eq!((&would["scored"], &would["judged"]), (&done["scored"], &done["scored"]));
    assert_eq!((&done["first"], &done["changed"]), (&done["scored"], &0.into()));
    assert!(done["scored"].as_i64().unwrap() > 0);
    assert_eq!(place.json(&["db", "rescore", "--json"])["scored"], 0);
}
