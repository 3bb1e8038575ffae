//! Invalid input is refused and overwrites nothing: misspelt topics and tags, options that would be ignored, files that
//! are not backups. Also: a topic of the file is shown before its first run.

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const TOPICS: &str =
    "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\ntags = [\"competitor\"]\n";
const LATER: &str = "[[topics]]\nid = \"brandnew\"\nquery = \"brand new\"\nsources = [\"social\"]\nevery = \"6h\"\n";

#[test]
fn unknown_names_and_ignored_options_are_refused() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        place.ok(&["export", "--tag", "competitor", "--out", "good.csv"]);
        let good = std::fs::read(place.path("good.csv")).unwrap();
        assert!(good.len() > 1_000);
        for (args, said) in [
            (&["export", "--tag", "competitr", "--out", "good.csv"][..], "did you mean `competitor`?"),
            (
                &["export", "--profile", "excel", "--format", "jsonl", "--out", "good.csv"],
                "the profile excel works only with csv",
            ),
            (&["runs", "--topic", "acne"], "did you mean `acme`?"),
            (&["runs", "--limit", "0"], "0 is not in 1.."),
            (&["serve", "--listen", "8080"], "write an IP address and a port"),
            (&["sandbox", "--listen", "localhost:0"], "write an IP address and a port"),
            (&["items", "--limit", "0"], "0 is not in 1.."),
            (&["items", "--search", "launch", "--limit", "0"], "0 is not in 1.."),
            (&["items", "--starred", "--limit", "0"], "0 is not in 1.."),
            (&["alerts", "--limit", "0"], "0 is not in 1.."),
            (&["outbox", "--limit", "0"], "0 is not in 1.."),
            (&["items", "--topic", "acne"], "did you mean `acme`?"),
            (&["items", "--topic", "acne", "--search", "launch"], "did you mean `acme`?"),
            (&["items", "--topic", "acne", "--starred"], "did you mean `acme`?"),
            (&["items", "--starred", "--since", "1h"], "--since"),
            (&["items", "--new-since", "2026-03-11", "--since", "2026-03-11"], "--since"),
            (&["items", "--noted", "--after", "zzz"], "--after"),
        ] {
            place.run(args).assert_stderr(2, &[said]);
        }
        assert_eq!(std::fs::read(place.path("good.csv")).unwrap(), good, "a good export stays");
    }
}

#[test]
fn items_have_the_same_fields_in_every_list() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let key = place.database.first_key();
        place.ok(&["items", "star", &key]);
        let fields = |args: &[&str]| {
            let listed = place.json(&[&["items", "--json"], args].concat());
            let first = listed["items"][0].as_object().unwrap_or_else(|| panic!("{args:?}: {listed}")).clone();
            first.keys().cloned().collect::<Vec<_>>()
        };
        let plain = fields(&[]);
        assert!(plain.contains(&"fit".to_owned()), "{plain:?}");
        for args in [&["--search", "launch"][..], &["--starred"], &["--rank", "relevance", "--topic", "acme"]] {
            assert_eq!(fields(args), plain, "{args:?}");
        }
    }
}

#[test]
fn a_backup_does_not_overwrite_a_file_that_is_not_a_backup() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let precious = "a,b\n".repeat(50_000);
        std::fs::write(place.path("precious.csv"), &precious).unwrap();
        place.run(&["db", "backup", "precious.csv"]).assert_stderr(2, &["it is not a SQLite database", "hint: "]);
        assert_eq!(std::fs::read_to_string(place.path("precious.csv")).unwrap(), precious);
        std::fs::write(place.path("empty.db"), "").unwrap();
        place.ok(&["db", "backup", "empty.db"]);
        place.ok(&["db", "backup", "empty.db"]);
    }
}

#[test]
fn a_topic_of_the_file_is_shown_before_its_first_run() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        place.configure(&sandbox.lines(), &format!("{TOPICS}{LATER}"));
        let shown = place.ok(&["status", "--at", NINE]);
        let line = shown.lines().find(|line| line.starts_with("brandnew")).unwrap_or_else(|| panic!("{shown}"));
        assert!(line.contains("never run") && line.contains("2026-03-11T12:00:00Z"), "{line}");
        let status = place.json(&["status", "--json", "--at", NINE]);
        let topics = status["topics"].as_array().unwrap();
        let new = topics.iter().find(|topic| topic["topic"] == "brandnew").unwrap();
        assert_eq!((&new["state"], &new["last_run"]), (&"never run".into(), &serde_json::Value::Null));
        assert_eq!(topics.len(), 2);
    }
}
