//! `changes` exports, through the binary on both databases: each list of `diff --json` in the same order, the text
//! before an edit as stored, and the same baselines as `diff`.

use serde_json::{Value, json};

use crate::support::databases::{Database, databases, sqlite};
use crate::support::program::Place;
use crate::support::world::{ScriptedService, hour, post, run_once};

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n\n\
                      [[topics]]\nid = \"other\"\nquery = \"other\"\nsources = [\"social\", \"web\"]\ntags = [\"few\"]\nexclude = [\"four\"]\n";

/// Post 1 goes, 2 is edited twice, 3 and 4 are new, 3 grows; pages come and go without a date.
fn history(database: Database) -> (ScriptedService, Place) {
    let world = ScriptedService::new();
    let place = Place::new(database, &world.lines(), TOPICS);
    let one = || post(1, 20, "one, \"quoted\"\nand =more", 5);
    let page =
        |n: u32| json!({ "title": format!("Page {n}"), "url": format!("https://example.com/{n}"), "snippet": "words" });
    world.set_posts(&[one(), post(2, 21, "two costs $10", 5)]);
    world.set_pages(&[page(1)]);
    run_once(&place, 24);
    world.set_posts(&[post(3, 25, "three is new", 1), one(), post(2, 21, "two costs $11", 5)]);
    run_once(&place, 25);
    world.set_pages(&[page(2), page(1)]);
    run_once(&place, 26);
    world.set_posts(&[
        post(4, 27, "four is new", 3),
        post(3, 25, "three is new", 41),
        post(2, 21, "two costs $12 now", 5),
    ]);
    run_once(&place, 28);
    (world, place)
}

fn rows(place: &Place, more: &[&str]) -> Vec<Value> {
    let text = place.ok(&[&["export", "--what", "changes", "--format", "jsonl"], more].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows of a topic derived from `diff --json`, except the columns that only the export has.
fn of_diff(place: &Place, topic: &str, more: &[&str]) -> Vec<Value> {
    let diff = place.json(&[&["diff", topic, "--json"], more].concat());
    let mut all = Vec::new();
    for change in ["new", "gone", "edited", "rising"] {
        for item in diff[change].as_array().unwrap() {
            let mut row = json!({
                "topic": topic, "change": change, "since_run": diff["since"]["run"], "until_run": diff["until"]["run"],
                "run": item["run"], "fit": item["fit"], "key": item["key"], "kind": item["kind"], "url": item["url"],
                "author": item["author"], "title": item["title"], "text": item["text"], "edits": item["edits"],
            });
            let known = |of: &Value, kind: &str| of.get(kind).cloned().unwrap_or(Value::Null);
            for kind in ["likes", "reposts", "replies", "quotes"] {
                row[format!("{kind}_before")] = known(&item["before"], kind);
                row[format!("{kind}_after")] = known(&item["after"], kind);
            }
            row["reactions_before"] = item["had"].clone();
            row["reactions_after"] =
                item["had"].as_i64().map_or(Value::Null, |had| (had + item["gain"].as_i64().unwrap()).into());
            row["per_hour"] = item["per_hour"].clone();
            let names = |list: &Value| {
                list.as_array().map(|all| all.iter().map(|s| s.as_str().unwrap()).collect::<Vec<_>>().join(" "))
            };
            row["sources"] = names(&item["sources"]).map_or(item["source"].clone(), Value::from);
            // The text before, from the pieces of the diff.
            for (words, pieces) in [("title", "title_changes"), ("text", "text_changes")] {
                let before = |list: &Vec<Value>| {
                    let kept = list.iter().filter_map(|piece| piece["same"].as_str().or(piece["removed"].as_str()));
                    Value::from(kept.collect::<String>())
                };
                let old = item[pieces].as_array().map_or(item[words].clone(), before);
                row[format!("old_{words}")] = if change == "edited" { old } else { Value::Null };
            }
            all.push(row);
        }
    }
    all
}

#[test]
fn a_changes_export_matches_diff_on_both_databases() {
    let mut reported = Vec::new();
    for database in databases() {
        let (_world, place) = history(database);
        let second = place.json(&["runs", "--topic", "acme", "--json"])["runs"][2]["run"].as_str().unwrap().to_owned();
        let mut seen = std::collections::BTreeSet::new();
        for since in [None, Some("2026-03-01"), Some("2026-03-12T01:30:00Z"), Some(&*second)] {
            let since: Vec<&str> = since.map_or(Vec::new(), |since| vec!["--since", since]);
            let topics: &[&str] = if since.last() == Some(&&*second) { &["acme"] } else { &["acme", "other"] };
            let expected: Vec<Value> = topics.iter().flat_map(|topic| of_diff(&place, topic, &since)).collect();
            let named: Vec<&str> = topics.iter().flat_map(|topic| ["--topic", topic]).collect();
            let got = rows(&place, &[&since[..], &named[..]].concat());
            assert_eq!(got.len(), expected.len(), "{}: {since:?} {got:#?} {expected:#?}", place.database.name);
            for (got, expected) in got.iter().zip(&expected) {
                seen.insert(got["change"].as_str().unwrap().to_owned());
                for (column, value) in expected.as_object().unwrap() {
                    assert_eq!(&got[column], value, "{}: {since:?} {column} of {got:#}", place.database.name);
                }
                assert_eq!(got["origin"], "service");
                assert!(got["at"].is_string() && (got["since_run"].is_string() || !since.is_empty()), "{got:#}");
            }
        }
        assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), ["edited", "gone", "new", "rising"]);
        let all = rows(&place, &["--since", "2026-03-01"]);
        let hidden = all.iter().filter(|row| row["topic"] == "other" && row["key"] == "post:x:4").count();
        assert_eq!(hidden, 0, "diff does not report items hidden by the topic's filter");
        let edited = all.iter().find(|row| row["change"] == "edited").unwrap();
        assert_eq!((&edited["old_text"], &edited["edits"]), (&"two costs $10".into(), &2.into()), "{edited:#}");
        assert_eq!(rows(&place, &["--new-since", "2026-03-01"]), all, "the same start under another name");
        let few = rows(&place, &["--since", "2026-03-01", "--tag", "few"]);
        assert!(!few.is_empty() && few.iter().all(|row| row["topic"] == "other"), "{few:#?}");
        // With an end, rows show the state at that time.
        let then = rows(&place, &["--since", "2026-03-01", "--until", &hour(26), "--topic", "acme"]);
        assert_eq!(then.iter().map(|row| row["change"].as_str().unwrap()).collect::<Vec<_>>(), ["new", "edited"]);
        let csv =
            |profile: &str| place.ok(&["export", "--what", "changes", "--since", "2026-03-01", "--profile", profile]);
        reported.push((all, then, csv("machine"), csv("excel")));
    }
    assert!(reported.windows(2).all(|two| two[0] == two[1]), "{reported:#?}");
}

#[test]
fn a_changes_export_refuses_invalid_spans_and_filters() {
    let (_world, place) = history(sqlite());
    let export = |more: &[&str]| place.run(&[&["export", "--what", "changes"], more].concat());
    export(&["--since", "sometime"]).assert_stderr(2, &["neither a run of acme nor a time"]);
    export(&["--new-since", "sometime"])
        .assert_stderr(2, &["--new-since: `sometime` is neither a run of acme nor a time"]);
    export(&["--since", "last-report"]).assert_stderr(2, &["no report with topic acme has been delivered yet"]);
    export(&["--since", "1d", "--new-since", "1d"]).assert_stderr(2, &["the same for changes"]);
    export(&["--search", "two"]).assert_stderr(2, &["--search does not apply to changes", "items"]);
    export(&["--seq", "0..2"]).assert_stderr(2, &["--seq does not apply to changes"]);
    for what in ["changes", "daily"] {
        let export = format!(
            "[[exports]]\nname = \"x\"\nwhat = \"{what}\"\nmode = \"incremental\"\nevery = \"1d\"\npath = \"x/{{run}}.csv\"\n"
        );
        place.configure("base_url = \"sandbox\"\n", &format!("{TOPICS}\n{export}"));
        place.run(&["check"]).assert_stderr(2, &[&format!("rows of {what} change later"), "mode = \"full\""]);
        place.configure("base_url = \"sandbox\"\n", &format!("{TOPICS}\n{}", export.replace("incremental", "full")));
        place.run(&["check"]).assert_stdout(0, &[]);
    }
}
