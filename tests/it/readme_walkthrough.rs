//! The README's walk-through, through the binary on both databases: a first run finds items, a second one at the same
//! time finds nothing new, and everything can be shown and exported, with the same bytes from both.

use crate::support::databases::databases;
use crate::support::exported_story::*;
use crate::support::program::{NINE, Place, ProgramOutput};
use crate::support::service::Sandbox;

const TOPICS: &str = r#"
[defaults]
every = "6h"

[[topics]]
id = "acme"
title = "Acme, \"launches\""
query = "acme launch"

[[topics]]
id = "globex"
query = "globex pricing"
sources = ["social", "web"]

[[topics]]
id = "again"
title = "The same words once more"
query = "acme launch"
sources = ["social"]
"#;

#[test]
fn a_second_run_finds_nothing_new_and_both_databases_export_equal_bytes() {
    let mut outputs = Vec::new();
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);

        let first = place.run(&["once", "--at", NINE]);
        first.assert_stdout(0, &["SANDBOX", "3 of 3 runs ok", " 0 duplicate", "next: topicwatch show acme"]);
        assert_eq!((sandbox.calls(), sandbox.calls_to("/ai/search")), (6, 1));

        let second = place.run(&["once", "--at", NINE, "--config", "jobs.toml"]);
        second.assert_stdout(0, &["3 of 3 runs ok", "= ≥0 new +", "acme ai: nothing new was found"]);
        second.assert_stdout(0, &["next: topicwatch show acme --config jobs.toml · "]);
        assert_eq!((sandbox.calls(), sandbox.calls_to("/ai/search")), (11, 1), "the AI source is not asked again");
        assert_eq!(place.database.unpublished_runs(), 0);

        assert_reading_commands(&place);
        assert_adds_up(&place);
        outputs.push((place.database.name, exports(&place), script_json(&place)));
    }
    assert_same_outputs(&outputs);
}

/// The output of a database: its name, every export, and the JSON for scripts.
type Output = (&'static str, Vec<(String, String)>, serde_json::Value);

/// Checks the output of the reading commands.
fn assert_reading_commands(place: &Place) {
    place.run(&["show", "acme"]).assert_stdout(0, &["SANDBOX", "Posts", "Pages", "social", " · ok · "]);
    // The second run made no AI search; the first run's answer is in its own snapshot.
    let runs = place.json(&["runs", "--json", "--topic", "acme"]);
    let (last, first) = (&runs["runs"][0], &runs["runs"][1]);
    assert_eq!((&last["new"], &last["trigger"]), (&0.into(), &"manual".into()), "{last}");
    let first_id = first["run"].as_str().unwrap();
    place.run(&["show", "acme", "--run", first_id]).assert_stdout(0, &["Posts", " baseline"]);
    place
        .run(&["show", "acme", "--run", first_id, "--md"])
        .assert_stdout(0, &["# acme", "## Answer", "## Posts", "](<http"]);
    // Citations in the answer are links, as in reports, and none is escaped away.
    let pasted = place.ok(&["show", "acme", "--run", first_id, "--md"]);
    let answer = pasted.split("## Answer").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(answer.contains("[1](<https://x.com/sandbox_"), "{answer}");
    assert!(answer.contains("\n- ") && !answer.contains("\\["), "{answer}");
    let snapshot = place.json(&["show", "acme", "--run", first_id, "--json"]);
    assert_eq!(snapshot["sandbox"], true);
    assert!(snapshot["answer"]["text"].as_str().is_some_and(|text| !text.is_empty()));
    assert_eq!(snapshot["searches"].as_array().unwrap().len(), 3);
    assert!(snapshot["items"].as_array().unwrap().iter().all(|item| item["new"] == true));

    let status = place.json(&["status", "--json"]);
    let states: Vec<_> = status["topics"].as_array().unwrap().iter().map(|t| t["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["ok", "ok", "ok"]);
    place.run(&["status"]).assert_stdout(0, &["acme", "globex", "again"]);
    place.run(&["export", "--topic", "nobody"]).assert_stderr(2, &["no topic `nobody`", "acme", "hint"]);
    place
        .run(&["runs", "--searches"])
        .assert_stdout(0, &["acme", "social search ok", "not_run", "nothing new was found"]);
    place.run(&["items"]).assert_stdout(0, &["acme", "@"]);
    assert_eq!(place.json(&["items", "--json", "--new-since", "2026-03-12"])["items"].as_array().unwrap().len(), 0);
    assert_ne!(place.json(&["items", "--json", "--new-since", "2026-03-11"])["items"].as_array().unwrap().len(), 0);
}

/// The JSON for scripts, without what depends on the machine.
fn script_json(place: &Place) -> serde_json::Value {
    let mut runs = place.json(&["runs", "--json"]);
    for run in runs["runs"].as_array_mut().unwrap() {
        for search in run["searches"].as_array_mut().unwrap() {
            search["latency_ms"] = serde_json::Value::Null;
        }
    }
    serde_json::json!([runs, place.json(&["items", "--json"])])
}

fn assert_same_outputs(outputs: &[Output]) {
    let [(_, first, first_json), others @ ..] = outputs else { panic!("no database") };
    for (database, exports, json) in others {
        for ((name, here), (_, there)) in first.iter().zip(exports) {
            assert!(here == there, "{database} exports other {name}:\n{here}\n---\n{there}");
        }
        assert!(first_json == json, "{database} tells other JSON:\n{first_json:#}\n---\n{json:#}");
    }
}

#[test]
fn files_made_from_invented_findings_are_marked_as_sandbox() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE, "--topic", "globex"]);
        let out = place.path("items.csv").display().to_string();
        let ended: ProgramOutput = place.run(&["export", "--out", &out]);
        ended.assert_stderr(0, &["SANDBOX: ", " items written to "]);
        assert_eq!(std::fs::read_to_string(&out).unwrap(), place.ok(&["export"]));
    }
}

#[test]
fn the_walkthrough_also_works_in_the_desearch_dialect() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let service = format!("{}dialect = \"desearch\"\n", sandbox.lines());
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nstreaming = true\nai.when = \"always\"\n";
        let place = Place::new(database, &service, rest);
        place.run(&["once", "--at", NINE]).assert_stdout(0, &["1 of 1 run ok"]);
        place.run(&["once", "--at", NINE]).assert_stdout(0, &["1 of 1 run ok", "= ≥0 new +"]);
        let snapshot = place.json(&["show", "acme", "--json"]);
        assert_eq!(snapshot["answer"]["partial"], false);
        assert!(snapshot["items"].as_array().unwrap().iter().any(|item| item["sources"]["ai"].is_number()));
        assert_adds_up(&place);
    }
}
