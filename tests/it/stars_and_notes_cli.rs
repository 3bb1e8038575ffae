//! `items star`, `items note` and the lists of starred and noted items, through the binary on both databases: the same
//! stars and notes as on the pages.

use serde_json::Value;

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\n\
                      [[topics]]\nid = \"other\"\nquery = \"acme launch\"\nsources = [\"social\"]\n";

/// `topic key` of each item in a list.
fn listed(place: &Place, args: &[&str]) -> Vec<String> {
    let listed = place.json(&[&["items", "--json"], args].concat());
    let of = |item: &Value| format!("{} {}", item["topic"].as_str().unwrap(), item["key"].as_str().unwrap());
    listed["items"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn items_are_starred_and_noted_and_listed() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let keys = place.database.texts("SELECT DISTINCT key FROM v_item ORDER BY key LIMIT 3");
        let (first, second) = (keys[0].as_str(), keys[1].as_str());
        assert!(listed(&place, &["--starred"]).is_empty() && listed(&place, &["--noted"]).is_empty());
        let output = place.ok(&["items", "star", first, second]);
        assert_eq!(output, "2 items starred; topicwatch items --starred lists them\n", "{name}");
        let at = place.database.texts("SELECT CAST(at AS TEXT) FROM item_star ORDER BY item");
        let output = place.ok(&["items", "star", first, second, second]);
        assert!(output.starts_with("0 items starred, 2 unchanged;"), "{name}: {output}");
        assert_eq!(place.database.texts("SELECT CAST(at AS TEXT) FROM item_star ORDER BY item"), at, "{name}");
        // A star applies to every topic.
        let of = |topic: &str| {
            let mut keys = listed(&place, &["--starred", "--topic", topic]);
            keys.sort();
            keys
        };
        for topic in ["acme", "other"] {
            assert_eq!(of(topic), [format!("{topic} {first}"), format!("{topic} {second}")], "{name}");
        }
        assert_eq!(listed(&place, &["--starred", "--limit", "1"]).len(), 1);
        let cut = place.run(&["items", "--starred", "--limit", "1"]);
        cut.assert_stdout(0, &["the newest 1; --limit N for more"]);
        // A note replaces the previous one; both filters together must both match.
        place.run(&["items", "note", first, "  ask Ann\r\nabout \u{1b}[31m it "]).assert_stdout(0, &[": note saved;"]);
        place.ok(&["items", "note", first, "-- ask Bob"]);
        assert_eq!(place.database.texts("SELECT note FROM item_note"), ["-- ask Bob"], "{name}");
        place.run(&["items", "--noted", "--topic", "acme"]).assert_stdout(0, &["yes", "-- ask Bob", first]);
        assert_eq!(listed(&place, &["--noted", "--starred", "--topic", "acme"]), [format!("acme {first}")], "{name}");
        let row = &place.json(&["items", "--noted", "--topic", "acme", "--json"])["items"][0];
        assert!(row["note"] == "-- ask Bob" && row["starred_at"].is_string(), "{name}: {row}");
        // Remove them again.
        let said = place.json(&["items", "star", second, "--off", "--json"]);
        assert_eq!(said, serde_json::json!({ "items": [second], "starred": false, "changed": 1 }), "{name}");
        let said = place.json(&["items", "note", first, "--clear", "--json"]);
        assert_eq!(said, serde_json::json!({ "item": first, "note": null }), "{name}");
        assert_eq!(of("acme"), [format!("acme {first}")], "{name}");
        assert!(listed(&place, &["--noted"]).is_empty(), "{name}");
        // There is nothing to remove, and nothing says that something was.
        place.run(&["items", "note", first, "--clear"]).assert_stdout(0, &[": had no note\n"]);
        place.ok(&["items", "note", first, "once more"]);
        place.run(&["items", "note", first, "--clear"]).assert_stdout(0, &[": note removed\n"]);
    }
}

#[test]
fn invalid_stars_and_notes_are_refused_and_change_nothing() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let key = place.database.first_key();
        let long = "x".repeat(2_001);
        for (args, why) in [
            (&["items", "star", &key, "post:x:nobody"][..], "no topic has an item `post:x:nobody`"),
            (&["items", "star", "a\u{1b}[2Jb"], "no topic has an item"),
            (&["items", "note", "post:x:nobody", "x"], "hint: topicwatch items --json lists the keys"),
            (&["items", "note", &key, " \n "], "remove a note with --clear"),
            (&["items", "note", &key, &long], "write at most 2000 characters"),
            (&["items", "note", &key], "<TEXT>"),
            (&["items", "note", &key, "x", "--clear"], "cannot be used with"),
            (&["items", "star"], "<KEY>..."),
            (&["items", "--starred", "star", &key], "cannot be used with"),
            (&["items", "--starred", "--search", "acme"], "cannot be used with"),
        ] {
            place.run(args).assert_stderr(2, &[why]);
        }
        for table in ["item_star", "item_note"] {
            assert_eq!(place.database.number(&format!("SELECT count(*) FROM {table}")), 0, "{name}: {table}");
        }
    }
}
