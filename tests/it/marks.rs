//! Marks of items, through the binary on both databases: setting and removing them, what happens to them when their
//! topic or item changes, what is learned from twenty of them, and that nothing remains without them.

use serde_json::Value;
use topicwatch::model::{Mark, MarkedVia, NewMark, Source, Time};

use crate::support::databases::{Database, databases};
use crate::support::program::{NINE, Place};
use crate::support::searched::{NOW, all_items, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::truth::{TruePost, TruthService};

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme rocket\"\nsources = [\"social\"]\n\
                      [[topics]]\nid = \"other\"\nquery = \"acme rocket\"\nsources = [\"social\"]\n";

/// Posts that alternate between rockets and shoes.
fn place_with_posts(database: Database) -> (TruthService, Place) {
    let now = Time::parse(NINE).unwrap();
    let words = [["launch", "engine", "orbit"], ["cheap", "leather", "winter"]];
    let posts = (0..160_u64).map(|n| {
        let word = |place: u64| words[usize::from(n % 2 == 1)][usize::try_from((n / 2 + place) % 3).unwrap()];
        let text = match n % 2 {
            0 => format!("the {} of an acme rocket, {} number {n}", word(0), word(1)),
            _ => format!("buy {} shoes, {} number {n}", word(0), word(1)),
        };
        let published = Time(now.0 - 3_600_000 - i64::try_from(n).unwrap() * 1_000);
        TruePost { query: "acme rocket".into(), id: n + 1, text, published, indexed: published, deleted: None }
    });
    let truth = TruthService::new(posts.collect());
    truth.set(|world| world.now = now);
    let place = Place::new(database, &truth.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    (truth, place)
}

/// The keys of posts about rockets and about shoes.
fn keys(place: &Place) -> [Vec<String>; 2] {
    let of = |like: &str| {
        let sql = format!("SELECT DISTINCT key FROM v_item WHERE text LIKE '{like}%' ORDER BY key");
        place.database.texts(&sql)
    };
    let keys = [of("the "), of("buy ")];
    assert_eq!([keys[0].len(), keys[1].len()], [80, 80]);
    keys
}

fn mark(place: &Place, topic: &str, keys: &[String], mark: &str) -> String {
    let keys = keys.iter().map(String::as_str);
    place.ok(&["mark", topic].into_iter().chain(keys).chain([mark]).collect::<Vec<_>>())
}

/// The rows of an export of one topic.
fn exported(place: &Place, args: &[&str]) -> Vec<serde_json::Map<String, Value>> {
    let text = place.ok(&[&["-q", "export", "--format", "jsonl", "--topic", "acme"], args].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn marks_can_be_set_removed_and_exported() {
    for database in databases() {
        let name = database.name;
        let (_truth, place) = place_with_posts(database);
        let before = [place.ok(&["-q", "export"]), place.ok(&["-q", "export", "--what", "sightings"])];
        let [rockets, shoes] = keys(&place);
        let reported = mark(&place, "acme", &rockets[..2], "good");
        assert!(
            reported.starts_with("2 items marked good; acme has 2 marks: relevance needs at least 20"),
            "{reported}"
        );
        mark(&place, "acme", &shoes[..1], "noise");
        let reported = mark(&place, "acme", &rockets[..2], "good");
        assert!(reported.starts_with("0 items marked good, 2 unchanged; acme has 3 marks"), "{reported}");
        mark(&place, "other", &rockets[..1], "noise");
        // A mark belongs to its topic.
        for (args, marks) in [(&["--what", "items"][..], 3), (&["--what", "sightings"], 3)] {
            let rows = exported(&place, args);
            let marked: Vec<_> = rows.iter().filter(|row| !row["mark"].is_null()).collect();
            assert_eq!(marked.len(), marks, "{name}: {args:?}");
            assert!(rows.iter().all(|row| row["relevance"].is_null()), "{name}: too few marks to learn from");
            for row in marked {
                let is = if shoes.iter().any(|key| row["key"] == **key) { "noise" } else { "good" };
                assert_eq!(row["mark"], is, "{name}: {row:?}");
            }
            // The columns are at the end, so that no column moved.
            let head = place.ok(&[&["-q", "export"], args].concat()).lines().next().unwrap().to_owned();
            let kept = if args[1] == "items" { "starred_at,note," } else { "" };
            assert!(head.ends_with(&format!(",mark,relevance,{kept}origin")), "{head}");
        }
        // Incremental files do not change with marks.
        let pieces = exported(&place, &["--what", "sightings", "--seq", "0..100"]);
        assert!(pieces.len() > 100 && pieces.iter().all(|row| row["mark"].is_null()), "{name}");
        let listed = place.json(&["items", "--topic", "acme", "--marked", "good", "--json"]);
        let listed: Vec<&str> =
            listed["items"].as_array().unwrap().iter().map(|i| i["key"].as_str().unwrap()).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [rockets[0].as_str(), &rockets[1]], "{name}");
        let rows = place.json(&["items", "--topic", "acme", "--json", "--limit", "500"]);
        let marks = |of: &Value| of["items"].as_array().unwrap().iter().filter(|row| !row["mark"].is_null()).count();
        assert_eq!(marks(&rows), 3, "{name}");
        assert_eq!(place.database.number("SELECT count(*) FROM item_mark WHERE through = 'cli'"), 4);
        // Invalid commands change nothing.
        for (args, why) in [
            (["mark", "acme", &rockets[3], "post:x:nobody", "good"], "topic `acme` has no item `post:x:nobody`"),
            (["mark", "acmee", &rockets[3], &rockets[4], "good"], "there is no topic `acmee`"),
        ] {
            place.run(&args).assert_stderr(2, &[why, "hint: "]);
        }
        place.run(&["mark", "acme", &rockets[3], "perhaps"]).assert_stderr(2, &["invalid value 'perhaps'"]);
        place.run(&["items", "--rank", "relevance"]).assert_stderr(2, &["--topic"]);
        assert_eq!(place.database.number("SELECT count(*) FROM item_mark"), 4, "{name}");
        // After removing the marks, everything is as before, byte for byte.
        for topic in ["acme", "other"] {
            let reported = mark(&place, topic, &[&rockets[..2], &shoes[..1]].concat(), "none");
            assert!(reported.contains("unmarked"), "{reported}");
        }
        let after = [place.ok(&["-q", "export"]), place.ok(&["-q", "export", "--what", "sightings"])];
        assert_eq!(before, after, "{name}");
    }
}

#[test]
fn marks_follow_a_renamed_topic_and_are_forgotten_with_their_item() {
    for database in databases() {
        let name = database.name;
        let (truth, place) = place_with_posts(database);
        let [rockets, shoes] = keys(&place);
        mark(&place, "acme", &rockets[..2], "good");
        mark(&place, "other", &rockets[..1], "noise");
        place.ok(&["forget", "--item", &rockets[0], "--yes"]);
        assert_eq!(place.database.texts("SELECT topic || ' ' || mark FROM item_mark"), ["acme good"], "{name}");
        place.run(&["mark", "acme", &rockets[0], "good"]).assert_stderr(2, &["has no item"]);
        place.ok(&["topic", "rename", "acme", "acme-inc"]);
        assert_eq!(place.database.texts("SELECT topic || ' ' || mark FROM item_mark"), ["acme-inc good"], "{name}");
        place.configure(&truth.lines(), &TOPICS.replace("\"acme\"", "\"acme-inc\""));
        mark(&place, "acme-inc", &shoes[..1], "noise");
        mark(&place, "other", &shoes[..1], "good");
        place.configure(&truth.lines(), TOPICS.split_at(TOPICS.rfind("[[topics]]").unwrap()).1);
        place.ok(&["forget", "--topic", "acme-inc", "--yes"]);
        assert_eq!(place.database.texts("SELECT topic || ' ' || mark FROM item_mark"), ["other good"], "{name}");
    }
}

#[test]
fn relevance_ranking_needs_twenty_marks_and_hides_nothing_by_default() {
    for database in databases() {
        let name = database.name;
        let (_truth, place) = place_with_posts(database);
        let [rockets, shoes] = keys(&place);
        let plain = |place: &Place| place.json(&["items", "--topic", "acme", "--limit", "500", "--json"]);
        mark(&place, "acme", &rockets[..10], "good");
        mark(&place, "acme", &shoes[..9], "noise");
        let few = place.ok(&["items", "--topic", "acme", "--rank", "relevance", "--fold-noise"]);
        assert!(few.contains("relevance needs at least 20 marks"), "{name}: {few}");
        let all = plain(&place)["items"].as_array().unwrap().len();
        let reported = mark(&place, "acme", &shoes[9..10], "noise");
        assert!(reported.contains("acme has 20 marks: topicwatch items --topic acme --rank relevance"), "{reported}");

        let ranked = place.json(&["items", "--topic", "acme", "--rank", "relevance", "--limit", "500", "--json"]);
        let rows = ranked["items"].as_array().unwrap();
        assert_eq!((rows.len(), &ranked["folded"]), (all, &0.into()), "{name}: nothing is hidden automatically");
        let relevance: Vec<f64> = rows.iter().map(|row| row["relevance"].as_f64().unwrap()).collect();
        assert!(relevance.is_sorted_by(|a, b| a >= b) && relevance.iter().all(|one| (0.0..=1.0).contains(one)));
        let half = rows[..80].iter().filter(|row| row["text"].as_str().unwrap().starts_with("the ")).count();
        assert_eq!(half, 80, "{name}: rockets first");
        let first = place.ok(&["items", "--topic", "acme", "--rank", "relevance", "--limit", "3"]);
        assert!(first.contains(&format!("\n{} more; --limit N shows more\n", all - 3)), "{name}: {first}");
        let learned = ranked["learned"].as_str().unwrap();
        assert!(learned.starts_with("learned from 20 marks; cross-validated, it folds "), "{name}: {learned}");
        assert!(learned.ends_with(" of 10 noise and 0 of 10 good"), "{name}: {learned}");

        let folded = place.json(&[
            "items",
            "--topic",
            "acme",
            "--rank",
            "relevance",
            "--fold-noise",
            "--limit",
            "500",
            "--json",
        ]);
        let kept = folded["items"].as_array().unwrap();
        let many = folded["folded"].as_u64().unwrap();
        assert!(many >= 10 && kept.len() as u64 + many == all as u64, "{name}: {many} folded");
        let good = kept.iter().filter(|row| row["text"].as_str().unwrap().starts_with("the ")).count();
        assert_eq!(good, 80, "{name}: nothing good is folded");
        assert!(kept.iter().filter(|row| row["mark"] == "noise").count() == 10, "{name}: marked items are shown");
        let text = place.ok(&["items", "--topic", "acme", "--fold-noise"]);
        assert!(text.contains(&format!("\n{many} likely noise folded (learned from 20 marks")), "{name}: {text}");
        // Exports have the same values, and a topic without marks has none.
        let rows = exported(&place, &["--what", "items"]);
        for row in &rows {
            let listed = ranked["items"].as_array().unwrap().iter().find(|one| one["key"] == row["key"]).unwrap();
            assert_eq!(row["relevance"], listed["relevance"], "{name}");
        }
        let sightings = exported(&place, &["--what", "sightings"]);
        assert!(sightings.iter().all(|row| row["relevance"].is_number()), "{name}");
        let other = place.ok(&["-q", "export", "--format", "jsonl", "--topic", "other"]);
        assert!(other.lines().all(|line| line.contains("\"relevance\":null")), "{name}: {other}");
        // Marks of one kind cannot rank, however many they are.
        let reported = mark(&place, "other", &rockets[..20], "good");
        assert!(
            reported.contains("other has 20 marks: relevance needs marks of both kinds; none is noise"),
            "{reported}"
        );
        // Without marks nothing is learned.
        mark(&place, "acme", &[&rockets[..10], &shoes[..10]].concat(), "none");
        let without = plain(&place);
        assert!(without["items"].as_array().unwrap().iter().all(|row| row["relevance"].is_null()), "{name}");
    }
}

#[test]
fn twenty_suggested_items_are_marked_and_noise_is_folded() {
    for database in databases() {
        let name = database.name;
        let (truth, place) = place_with_posts(database);
        let [rockets, shoes] = keys(&place);
        let suggested = || {
            let listed = place.json(&["items", "--topic", "acme", "--suggest", "--json"]);
            let items = listed["items"].as_array().unwrap().clone();
            assert!(items.iter().all(|item| item["mark"].is_null()), "{name}: {items:?}");
            items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let output = place.ok(&["items", "--topic", "acme", "--suggest"]);
        let command = "topicwatch items mark acme KEY good --suggested";
        assert!(suggested().iter().all(|key| output.contains(key.as_str())) && output.contains(command), "{output}");
        let mut marked = Vec::new();
        for marks in [5, 10, 15, 20] {
            let next = suggested();
            assert_eq!((next.len(), &next), (5, &suggested()), "{name}: the same until one is marked");
            let few = place.ok(&["items", "--topic", "acme", "--rank", "relevance"]);
            assert!(few.contains("topicwatch items --topic acme --suggest"), "{name}: {few}");
            for (word, of) in [("good", &rockets), ("noise", &shoes)] {
                let keys = next.iter().filter(|key| of.contains(key)).map(String::as_str);
                let keys: Vec<&str> = keys.collect();
                if !keys.is_empty() {
                    place.ok(&[&["items", "mark", "acme"], &keys[..], &[word, "--suggested"]].concat());
                }
            }
            let count = "SELECT count(*) FROM item_mark WHERE suggested = 1";
            assert_eq!(place.database.number(count), marks, "{name}");
            marked.extend(next);
        }
        let folded = place.json(&["items", "--topic", "acme", "--fold-noise", "--limit", "500", "--json"]);
        let kept = folded["items"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap());
        assert_eq!(kept.filter(|key| rockets.iter().any(|one| one == key)).count(), 80, "{name}: {folded}");
        assert!(folded["folded"].as_u64().unwrap() >= 20, "{name}: {}", folded["folded"]);
        assert!(folded["learned"].as_str().unwrap().starts_with("learned from 20 marks"), "{name}: {folded}");
        // A mark that is corrected elsewhere remains one of a suggested item, also under another name of the topic.
        let all = "SELECT topic || ' ' || suggested FROM item_mark GROUP BY topic, suggested";
        marked.sort();
        mark(&place, "acme", &marked[..3], "noise");
        mark(&place, "acme", &marked[..3], "good");
        place.ok(&["topic", "rename", "acme", "acme-inc"]);
        assert_eq!(place.database.texts(all), ["acme-inc 1"], "{name}");
        place.configure(&truth.lines(), &TOPICS.replace("\"acme\"", "\"acme-inc\""));
        // Without the mark it is like any other.
        mark(&place, "acme-inc", &marked, "none");
        mark(&place, "acme-inc", &marked[..3], "good");
        assert_eq!(place.database.texts(all), ["acme-inc 0"], "{name}");
        place.run(&["items", "--suggest"]).assert_stderr(2, &["--topic"]);
        place
            .run(&["items", "--topic", "other", "--suggest", "--fold-noise"])
            .assert_stderr(2, &["cannot be used with"]);
    }
}

#[test]
fn items_hidden_by_the_filter_are_not_suggested() {
    for database in databases() {
        let name = database.name;
        let (truth, place) = place_with_posts(database);
        let [rockets, _] = keys(&place);
        let filtered = TOPICS.replacen("[\"social\"]\n", "[\"social\"]\nexclude = [\"shoes\"]\n", 1);
        place.configure(&truth.lines(), &filtered);
        place.ok(&["once", "--at", "2026-03-11T10:00:00Z", "--topic", "acme"]);
        let listed = place.json(&["items", "--topic", "acme", "--suggest", "--json"]);
        let items = listed["items"].as_array().unwrap();
        assert_eq!(items.len(), 5, "{name}: {listed}");
        assert!(items.iter().all(|item| rockets.iter().any(|key| item["key"] == **key)), "{name}: {listed}");
    }
}

#[tokio::test]
async fn when_two_items_merge_the_later_mark_wins() {
    for database in databases() {
        for (first, second) in [(Mark::Good, Mark::Noise), (Mark::Noise, Mark::Good)] {
            let store = open_store(&database).await;
            let id = format!("rust-{first}");
            let t = topic(&id);
            store.add_topics(std::slice::from_ref(&t), NOW).await.unwrap();
            let at = |seconds: i64| Time(NOW.0 + seconds * 1_000);
            let (words_key, post_key) = (format!("text:x:ann:{first}"), format!("post:x:{first}"));
            let words = || seen_item(Source::Social, 1, &[&words_key], "hello");
            let post = || seen_item(Source::Web, 1, &[&post_key], "hello there");
            let both = || seen_item(Source::Social, 1, &[&post_key, &words_key], "hello");
            for (n, world) in [vec![words(), post()], vec![both()]].into_iter().enumerate() {
                let n = i64::try_from(n).unwrap();
                let run = start_manual_run(&store, &t, &format!("{id}-R{n}"), at(n)).await;
                store.finish(&run, outcome(at(n), world)).await.unwrap();
                store.publish().await.unwrap();
                if n == 0 {
                    let mark = async |key: &str, mark, seconds, suggested| {
                        let new = NewMark { mark: Some(mark), through: MarkedVia::Cli, suggested };
                        store.mark(&id, &[key.to_owned()], new, at(seconds)).await.unwrap()
                    };
                    assert_eq!(mark(&words_key, first, 10, second == Mark::Good).await[0].before, None);
                    mark(&post_key, second, 20, second == Mark::Noise).await;
                }
            }
            let rows: Vec<_> = all_items(&store).await.into_iter().filter(|row| row.topic == id).collect();
            let reported: Vec<_> = rows.iter().map(|row| (row.key.as_str(), row.mark)).collect();
            assert_eq!(reported, [(post_key.as_str(), Some(second))], "{}", database.name);
            // With the mark it is kept whether the item had been suggested.
            let marks = store.list_marks(&id, None, 10).await.unwrap();
            let reported: Vec<_> = marks.iter().map(|mark| (mark.mark, mark.suggested)).collect();
            assert_eq!(reported, [(second, second == Mark::Noise)], "{}", database.name);
            // It is also found by the key of the merged item.
            let none = NewMark { mark: None, through: MarkedVia::Api, suggested: false };
            let again = store.mark(&id, &[words_key], none, at(30)).await.unwrap();
            assert_eq!(
                (again[0].key.as_str(), again[0].before),
                (post_key.as_str(), Some(second)),
                "{}",
                database.name
            );
            store.close().await;
        }
    }
}
