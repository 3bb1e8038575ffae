//! Few rows among many: matching items are shown however many hidden rows, old ones or copies come before them, and a
//! topic only reports changes of items it has seen. Through the binary on both databases, with hand-written replies.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::world::{ScriptedService, hour, item_keys, post, run_once, topic};

/// A text unlike any other.
fn words(of: &str, id: u32) -> String {
    let others: Vec<String> = (0..8).map(|place| format!("z{}", (id * 7_919 + place * 13) % 9_973)).collect();
    format!("{of} {}", others.join(" "))
}

fn posts(of: &str, ids: std::ops::Range<u32>, published: u32, likes: i64) -> Vec<Value> {
    ids.map(|id| post(id, published, &words(of, id), likes)).collect()
}

/// The lines of a Markdown report that list the fastest-rising items.
fn risers(place: &Place) -> Vec<String> {
    let date = ["report", "--topic", "acme", "--date", "2026-03-12", "--at", "2026-03-13T12:00:00Z", "--out", "r.md"];
    place.ok(&date);
    let report = std::fs::read_to_string(place.path("r.md")).unwrap();
    let Some((_, rest)) = report.split_once("Rising fastest") else { return Vec::new() };
    rest.lines().filter(|line| line.contains("an hour")).map(ToOwned::to_owned).collect()
}

#[test]
fn diff_shows_rising_items_behind_hundreds_of_hidden_ones() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"spam\"]"));
        let both = |good: i64, spam: i64| [posts("good", 1..9, 22, good), posts("spam", 100..350, 22, spam)].concat();
        world.set_posts(&both(0, 0));
        run_once(&place, 25);
        world.set_posts(&both(40, 90));
        run_once(&place, 26);
        let reported = risers(&place);
        assert_eq!(reported.len(), 5, "{}: {reported:#?}", place.database.name);
        assert!(reported.iter().all(|line| line.contains("good") && line.contains("+40")), "{reported:#?}");
        assert_eq!(place.json(&["diff", "acme", "--json"])["counts"]["rising"], 8);
    }
}

#[test]
fn diff_shows_rising_items_behind_hundreds_of_copies() {
    let text =
        "a campaign that many accounts repeat word by word until everybody has read it at least once or twice today";
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let both = |good: i64, copied: i64| {
            let copies = (100..350).map(|id| post(id, 22, text, copied)).collect();
            [posts("good", 1..4, 22, good), copies].concat()
        };
        world.set_posts(&both(0, 0));
        run_once(&place, 25);
        world.set_posts(&both(40, 90));
        run_once(&place, 26);
        let reported = risers(&place);
        assert_eq!(reported.len(), 4, "{}: {reported:#?}", place.database.name);
        assert!(
            reported[0].contains("campaign") && reported[1..].iter().all(|line| line.contains("good")),
            "{reported:#?}"
        );
    }
}

#[test]
fn items_are_listed_even_behind_many_newer_hidden_ones() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"spam\"]"));
        let name = place.database.name;
        world.set_posts(&posts("good", 1..31, 22, 0));
        run_once(&place, 24);
        world.set_posts(&posts("spam", 100..1_000, 24, 0));
        run_once(&place, 25);
        let listed = |more: &[&str]| place.json(&[&["items", "--json"], more].concat());
        let some = listed(&["--limit", "20"]);
        assert_eq!((item_keys(&some["items"]).len(), &some["filtered"]), (20, &json!(900)), "{name}");
        place
            .run(&["items", "--limit", "20"])
            .assert_stdout(0, &["good z", "the newest 20; --limit N for more", "900 hidden by their topics' filters"]);
        // A feed contains the newest 100 of the 900, and counts no others.
        let feed = |mode| place.run(&["export", "--topic", "acme", "--out", "new.atom", "--filtered", mode]);
        feed("keep").assert_stderr(0, &["100 entries written to ", ", 100 filtered (included)"]);
        feed("hide").assert_stderr(0, &["0 entries written to ", ", 900 filtered (left out)"]);
        let all = listed(&["--limit", "30"]);
        assert_eq!((item_keys(&all["items"]).len(), &all["filtered"]), (30, &json!(900)), "{name}");
        assert!(!place.ok(&["items", "--limit", "30"]).contains("for more"), "no further rows: {name}");
        // Only hidden items, which come after those that are not.
        place.configure(&world.lines(), &topic("acme", "exclude = [\"good\"]"));
        world.set_posts(&[]);
        run_once(&place, 26);
        let hidden = listed(&["--filtered", "only", "--limit", "20"]);
        assert_eq!((item_keys(&hidden["items"]).len(), &hidden["filtered"]), (20, &json!(20)), "{name}");
        assert!(item_keys(&hidden["items"]).iter().all(|key| key.len() < "post:x:100".len()), "{hidden}");
    }
}

#[test]
fn new_items_are_listed_even_behind_many_older_posts_seen_later() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&posts("good", 1..31, 22, 0));
        run_once(&place, 24);
        let mut old = posts("archived", 100..600, 22, 0);
        old.iter_mut().for_each(|post| post["created_at"] = json!("2026-02-01T00:00:00Z"));
        world.set_posts(&old);
        run_once(&place, 25);
        let new = place.json(&["items", "--new-since", "2026-03-11", "--limit", "20", "--json"]);
        assert_eq!((item_keys(&new["items"]).len(), &new["outside"]), (20, &json!(500)), "{}", place.database.name);
    }
}

#[test]
fn paging_items_with_equal_times_of_two_topics_loses_and_repeats_none() {
    let more = "exclude = [\"spam\"]";
    for database in databases() {
        let world = ScriptedService::new();
        let two = format!("{}\n{}", topic("acme", more), topic("globex", more).replace("\"acme\"", "\"globex\""));
        let place = Place::new(database, &world.lines(), &two);
        let some = |id: u32| if id.is_multiple_of(50) { "good" } else { "spam" };
        // Some have no known date.
        let all = (1..1_001).map(|id| {
            let mut post = post(id, 22, &words(some(id), id), 0);
            if id.is_multiple_of(3) {
                post.as_object_mut().unwrap().remove("created_at");
            }
            post
        });
        world.set_posts(&all.collect::<Vec<_>>());
        run_once(&place, 24);
        let listed = place.json(&["items", "--limit", "90", "--json"]);
        let rows = listed["items"].as_array().unwrap();
        let seen: BTreeSet<_> = rows.iter().map(|row| (row["topic"].to_string(), row["key"].to_string())).collect();
        assert_eq!((rows.len(), seen.len()), (40, 40), "{}", place.database.name);
        assert_eq!(listed["filtered"], 1_960);
        let whole = place.json(&["items", "--limit", "5000", "--filtered", "keep", "--json"]);
        let whole: Vec<&Value> = whole["items"].as_array().unwrap().iter().collect();
        let shown: Vec<&Value> =
            whole.iter().copied().filter(|row| row["text"].as_str().unwrap().starts_with("good")).collect();
        assert_eq!((whole.len(), shown), (2_000, rows.iter().collect()), "the order is the same as on one page");
    }
}

#[test]
fn edits_from_before_a_topic_saw_the_item_are_not_reported_to_it() {
    let two = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n\n\
               [[topics]]\nid = \"corp\"\nquery = \"acme corp\"\nsources = [\"social\"]\n";
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), two);
        let name = place.database.name;
        let run = |topic: &str, at: u32| {
            let ended = place.run(&["once", "--topic", topic, "--at", &hour(at)]);
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        let edits = |topic: &str| {
            let diff = place.json(&["diff", topic, "--since", "2026-03-01", "--json"]);
            assert_eq!(diff["counts"]["edited"], diff["edited"].as_array().unwrap().len(), "{diff}");
            let export =
                ["export", "--what", "changes", "--format", "jsonl", "--topic", topic, "--since", "2026-03-01"];
            let exported = place.ok(&export);
            let rows = exported.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let rows: Vec<_> =
                rows.filter(|row| row["change"] == "edited").map(|row| row["old_text"].clone()).collect();
            assert_eq!(diff["counts"]["edited"], rows.len(), "{name}: {exported}");
            rows
        };
        let reported = |topic: &str| {
            let at = ["--date", "2026-03-12", "--at", "2026-03-13T12:00:00Z", "--out", "r.md"];
            place.ok(&[&["report", "--topic", topic][..], &at].concat());
            std::fs::read_to_string(place.path("r.md")).unwrap().contains("Edited")
        };
        world.set_posts(&[post(1, 20, "it costs $10", 5)]);
        run("acme", 25);
        world.set_posts(&[post(1, 20, "it costs $12", 5)]);
        run("acme", 26);
        run("corp", 28);
        assert_eq!((edits("acme").len(), edits("corp").len()), (1, 0), "{name}");
        assert_eq!((reported("acme"), reported("corp")), (true, false), "{name}");
        // It reports edits of an item it has seen, whichever topic noticed them.
        world.set_posts(&[post(1, 20, "it costs $15", 5)]);
        run("acme", 30);
        run("corp", 31);
        assert_eq!(edits("corp"), [json!("it costs $12")], "{name}");
        assert!(reported("corp"), "{name}");
    }
}

#[test]
fn an_unknown_language_code_is_refused() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[post(1, 20, "one is here", 5)]);
        run_once(&place, 24);
        for code in ["zxx", "qaa", "und", "mul"] {
            let tested = place.run(&["topic", "filter", "test", "acme", "--lang", "en", "--lang", code]);
            tested.assert_stderr(2, &["lang, entry 2 names no language, so it matches nothing", "leave it out"]);
            place.configure(&world.lines(), &topic("acme", &format!("lang = [\"{code}\"]")));
            place.run(&["check"]).assert_stderr(2, &["names no language", "leave it out"]);
            place.configure(&world.lines(), &topic("acme", ""));
        }
        place.run(&["topic", "filter", "test", "acme", "--lang", "que"]).assert_stdout(0, &[]);
    }
}
