//! `diff` where runs became readable in another order than they started, and where another topic's run noticed a change
//! first: through the binary on both databases, with hand-written replies. docs/explanation/changes.md defines the
//! terms.

use serde_json::Value;

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// Runs `once` this many minutes after an hour.
fn once_past(place: &Place, hours: u32, minutes: u32, topic: &str) {
    let at = hour(hours).replace(":00:00Z", &format!(":{minutes:02}:00Z"));
    let ended = place.run(&["once", "--topic", topic, "--at", &at]);
    assert_eq!(ended.code, Some(0), "{ended}");
}

/// The keys of one list of a diff.
fn listed_keys(place: &Place, topic: &str, list: &str, more: &[&str]) -> Vec<String> {
    let diff = place.json(&[&["diff", topic, "--json"], more].concat());
    let all = diff[list].as_array().unwrap_or_else(|| panic!("{list}: {diff}"));
    assert_eq!(diff["counts"][list], all.len(), "{diff}");
    all.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect()
}

/// The keys of a topic's exported changes of one kind.
fn exported(place: &Place, topic: &str, change: &str, since: &str) -> Vec<String> {
    let text = place.ok(&["export", "--what", "changes", "--format", "jsonl", "--topic", topic, "--since", since]);
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["change"] == change).map(|row| row["key"].as_str().unwrap().to_owned()).collect()
}

fn both() -> [Value; 2] {
    [post(1, 20, "one is here", 5), post(2, 21, "two is here", 5)]
}

#[test]
fn an_item_in_the_latest_reply_is_not_gone_even_if_its_run_began_earlier() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&both());
        for at in [24, 25, 26] {
            run_once(&place, at);
        }
        // The clock stepped back, or a slow run ended after a later one.
        once_past(&place, 25, 30, "acme");
        assert!(listed_keys(&place, "acme", "gone", &[]).is_empty(), "{}", place.database.name);
        // It was seen in that run: an item missing now is gone since then.
        world.set_posts(&both()[1..]);
        run_once(&place, 27);
        assert_eq!(listed_keys(&place, "acme", "gone", &[]), ["post:x:1"], "{}", place.database.name);
    }
}

#[test]
fn a_missing_item_is_gone_even_if_an_earlier_run_had_a_later_time() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&both());
        // The first run had a clock that was ahead.
        for at in [32, 24, 25, 26] {
            run_once(&place, at);
        }
        world.set_posts(&both()[1..]);
        run_once(&place, 27);
        assert_eq!(listed_keys(&place, "acme", "gone", &[]), ["post:x:1"], "{}", place.database.name);
    }
}

/// Two topics that find the same posts.
const TWO: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n\n\
                   [[topics]]\nid = \"corp\"\nquery = \"acme corp\"\nsources = [\"social\"]\n";

#[test]
fn an_edit_is_reported_once_to_each_topic_even_if_another_noticed_it() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TWO);
        let name = place.database.name;
        world.set_posts(&[post(1, 20, "one costs $10", 5)]);
        run_once(&place, 24);
        world.set_posts(&[post(1, 20, "one costs $12", 5)]);
        once_past(&place, 30, 0, "corp");
        once_past(&place, 36, 0, "acme");
        for topic in ["acme", "corp"] {
            assert_eq!(listed_keys(&place, topic, "edited", &[]), ["post:x:1"], "{name}");
            assert_eq!(
                listed_keys(&place, topic, "edited", &["--since", "2026-03-12T02:00:00Z"]),
                ["post:x:1"],
                "{name}"
            );
            assert_eq!(exported(&place, topic, "edited", "2026-03-12T02:00:00Z"), ["post:x:1"], "{name}");
        }
        // Reported once: the next span does not contain it.
        run_once(&place, 41);
        for topic in ["acme", "corp"] {
            assert!(listed_keys(&place, topic, "edited", &[]).is_empty(), "{name}");
        }
    }
}

#[test]
fn diff_since_a_time_includes_every_run_that_began_after_it() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let name = place.database.name;
        let [one, two] = both();
        world.set_posts(std::slice::from_ref(&one));
        run_once(&place, 24);
        world.set_posts(&[one.clone(), two]);
        once_past(&place, 27, 30, "acme");
        // It becomes readable last, though it started before.
        world.set_posts(&[one, post(3, 21, "three is here", 5)]);
        run_once(&place, 27);
        let since = "2026-03-12T03:15:00Z";
        let mut keys = listed_keys(&place, "acme", "new", &["--since", since]);
        keys.sort_unstable();
        assert_eq!(keys, ["post:x:2", "post:x:3"], "{name}");
        assert_eq!(
            exported(&place, "acme", "new", since),
            listed_keys(&place, "acme", "new", &["--since", since]),
            "{name}"
        );
        // No run started since then. A run that started exactly at `since` belongs to the span.
        place.run(&["diff", "acme", "--since", "2026-03-12T03:31:00Z"]).assert_stdout(0, &["no run since then"]);
        assert_eq!(listed_keys(&place, "acme", "new", &["--since", "2026-03-12T03:30:00Z"]).len(), 2, "{name}");
        assert_eq!(listed_keys(&place, "acme", "new", &["--since", "2026-03-01"]).len(), 2, "{name}");
    }
}

#[test]
fn a_missed_slot_does_not_move_the_start_of_a_diff_span() {
    for database in databases() {
        let world = ScriptedService::new();
        let lines = TWO.replacen("query = \"acme\"", "query = \"acme\"\nevery = \"12h\"\ncatch_up = \"none\"", 1);
        let place = Place::new(database, &world.lines(), &lines);
        let name = place.database.name;
        world.set_posts(&[post(1, 20, "one costs $10", 5)]);
        place.ok(&["once", "--due", "--at", &hour(24)]);
        run_once(&place, 25);
        world.set_posts(&[post(1, 20, "one costs $12", 5)]);
        once_past(&place, 30, 0, "corp");
        // The slot at hour 36 is recorded as missed; the topic is not searched before hour 42.
        place.ok(&["once", "--due", "--at", &hour(37)]);
        assert_eq!(place.database.runs_in("missed"), 1, "{name}");
        once_past(&place, 42, 0, "acme");
        for since in ["2026-03-12T11:59:59Z", "2026-03-12T12:00:01Z", "2026-03-12T17:59:59Z"] {
            assert_eq!(
                listed_keys(&place, "acme", "edited", &["--since", since]),
                ["post:x:1"],
                "{name} since {since}"
            );
            assert_eq!(exported(&place, "acme", "edited", since), ["post:x:1"], "{name} since {since}");
        }
    }
}
