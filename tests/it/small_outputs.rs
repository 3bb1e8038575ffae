//! Output of small commands: `show` of a run without an answer or of a topic that only failed; `try` without topics;
//! `once -q`.

use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place, Program};
use crate::support::service::Sandbox;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

const TEN: &str = "2026-03-11T09:30:00Z";
const ELEVEN: &str = "2026-03-11T11:00:00Z";

#[test]
fn show_says_that_no_answer_was_requested_and_shows_the_last_one() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nai.when = \"new\"\n";
        let place = Place::new(database, &sandbox.lines(), rest);
        place.ok(&["once", "--at", NINE]);
        let first = place.ok(&["show", "acme", "--json"]);
        let first: serde_json::Value = serde_json::from_str(&first).unwrap();
        let answer = first["answer"]["text"].as_str().unwrap().to_owned();
        assert_eq!(first["not_asked"], serde_json::Value::Null);
        // Within the hour the sandbox returns the same, so nothing is new.
        place.ok(&["once", "--at", TEN]);
        let beginning = answer.lines().next().unwrap();
        let output = [
            "answer: not asked: nothing new was found; the last answer is ",
            " old, from 2026-03-11T09:00:00Z",
            beginning,
        ];
        place.run(&["show", "acme"]).assert_stdout(0, &output);
        place
            .run(&["show", "acme", "--md"])
            .assert_stdout(0, &["answer: not asked: nothing new was found", "## Last answer"]);
        let output = place.json(&["show", "acme", "--json"]);
        assert_eq!(
            (&output["answer"], &output["not_asked"]),
            (&serde_json::Value::Null, &"nothing new was found".into())
        );
        assert_eq!(output["last_answer"]["text"], answer.as_str(), "{output}");
        // The first run had its own answer.
        let run = first["run"]["run"].as_str().unwrap();
        assert!(!place.ok(&["show", "acme", "--run", run]).contains("not asked"));
    }
}

#[test]
fn once_has_the_same_json_keys_with_and_without_due_and_names_its_database() {
    let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\nevery = \"6h\"\n";
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), rest);
        let keys = |args: &[&str]| {
            let output = place.json(&[&["once", "--at", NINE, "--json"], args].concat());
            assert_eq!(
                (&output["jobs"], &output["deliveries"]),
                (&serde_json::json!([]), &serde_json::json!([])),
                "{output}"
            );
            output.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(keys(&[]), keys(&["--due"]));
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs.toml"), format!("[service]\nbase_url = \"sandbox\"\n{rest}")).unwrap();
    let checked = Program::at(folder.path(), &["check", "--json"]).run();
    let output: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    let value = |key: &str| {
        let all = output["effective"].as_array().unwrap();
        all.iter().find(|one| one["key"] == key).unwrap()["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(value("database.url"), format!("\"{}\"", output["database"].as_str().unwrap()));
    assert!(value("database.url").ends_with("topicwatch-sandbox.db\""), "{output}");
    assert_eq!(value("database.schema"), "\"topicwatch_sandbox\"");
    let shown = Program::at(folder.path(), &["check"]).run().out;
    assert!(!shown.contains("topicwatch.db"), "{shown}");
}

#[test]
fn an_empty_list_of_items_says_that_it_is_empty() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", &topic("acme", ""));
    place.ok(&["db", "migrate"]);
    let told = place.ok(&["items"]);
    assert!(told.ends_with("\nno items\n"), "{told}");
    // Nor are there any without the filter, so nothing is promised.
    let told = place.ok(&["items", "--starred"]);
    assert!(told.ends_with("\nno items with --starred; try without it\n"), "{told}");
}

#[test]
fn an_empty_list_names_the_filters_that_leave_it_empty() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    world.set_posts(&[post(1, 20, "acme one", 5)]);
    for at in [24, 25] {
        place.ok(&["once", "--at", &hour(at)]);
    }
    let never = "2030-01-01";
    for (list, said) in [
        (&["runs", "--since", never][..], "no runs with --since; try without it"),
        (&["runs", "--topic", "acme", "--since", never], "no runs with --topic and --since; try without one of them"),
        (&["items", "--new-since", never], "no items with --new-since; try without it"),
        (&["items", "--starred"], "no items with --starred; try without it"),
        (&["items", "--topic", "acme", "--noted"], "no items with --topic and --noted; try without one of them"),
        (&["items", "--filtered", "only"], "no items with --filtered only; try without it"),
        (&["items", "--topic", "acme", "--marked", "good"], "no items with --marked; try without it"),
        (&["items", "--search", "acme", "--since", never], "nothing found with --since; try without it"),
        (&["items", "--search", "zebra"], "nothing found"),
    ] {
        let told = place.ok(list);
        assert!(told.contains(&format!("{said}\n")), "{list:?}: {told}");
    }
    // A list that the limit shortens says so.
    for (list, is_cut) in [(&["runs", "--limit", "1"][..], true), (&["runs", "--limit", "2"], false)] {
        let told = place.ok(list);
        assert_eq!(told.contains("\nthe latest 1; --limit N for more\n"), is_cut, "{list:?}: {told}");
    }
}

#[test]
fn a_baseline_of_one_item_is_counted_in_the_singular() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    world.set_posts(&[post(1, 20, "one", 5)]);
    place.run(&["once", "--at", &hour(24)]).assert_stdout(0, &["\n1 of the new items is a baseline: "]);
}

#[test]
fn show_prints_a_failed_only_run_and_later_failures() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["status=503,times=1"]);
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &sandbox.lines(), rest);
        place.ok(&["db", "migrate"]);
        place.run(&["show", "acme"]).assert_stderr(2, &["has no finished run yet"]);
        assert_eq!(place.run(&["once", "--at", NINE]).code, Some(3));
        place.run(&["show", "acme"]).assert_stdout(
            0,
            &["acme · 2026-03-11T09:00:00Z · failed · ≥0 found, ≥0 new", "! social error: server: 503"],
        );
        place.ok(&["once", "--at", TEN]);
        assert!(!place.ok(&["show", "acme"]).contains("failed"));
        let broken = Sandbox::at(ELEVEN, &["status=503"]);
        place.configure(&broken.lines(), rest);
        assert_eq!(place.run(&["once", "--at", ELEVEN]).code, Some(3));
        place
            .run(&["show", "acme"])
            .assert_stdout(0, &["2026-03-11T09:30:00Z · ok", "! a later run, at 2026-03-11T11:00:00Z, is failed: "]);
        assert_eq!(place.json(&["show", "acme", "--json"])["failed_since"]["state"], "failed");
    }
}

#[test]
fn try_works_without_a_topic() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), "");
    place.run(&["once"]).assert_stderr(2, &["[[topics]]"]);
    place.run(&["try", "acme"]).assert_stdout(0, &["social", "web", "ai"]);
    assert_eq!(sandbox.calls(), 3);
}

#[test]
fn once_quiet_prints_only_errors() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=web,status=503,after=1"]);
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n";
        let place = Place::new(database, &sandbox.lines(), rest);
        let good = place.run(&["once", "-q", "--at", NINE]);
        assert_eq!((good.code, good.out.as_str(), good.err.as_str()), (Some(0), "", ""), "{good}");
        let bad = place.run(&["once", "--quiet", "--at", TEN]);
        bad.assert_stderr(3, &["error: acme web error: ", "503", "hint: "]);
        assert_eq!(bad.out, "");
        assert!(!bad.err.contains("social") && !bad.err.contains("not_run"), "{bad}");
        let json = place.run(&["once", "-q", "--json", "--at", TEN]);
        assert!(serde_json::from_str::<serde_json::Value>(&json.out).unwrap()["runs"].is_array());
    }
}

#[test]
fn once_quiet_prints_only_failed_jobs() {
    const NOON: &str = "2026-03-11T12:00:00Z";
    let sandbox = Sandbox::at(NINE, &[]);
    let report = |name: &str| format!("\n[[reports]]\nname = \"{name}\"\nevery = \"6h\"\npath = \"{name}/{{date}}\"\n");
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"6h\"\n";
    let place = Place::new(sqlite(), &sandbox.lines(), &[topic, &report("good"), &report("wall")].concat());
    place.ok(&["once", "--due", "--at", NINE]);
    // A file is where the folder of one report should be.
    std::fs::write(place.path("wall"), "").unwrap();
    sandbox.set_clock(NOON);
    let failed = place.run(&["once", "--quiet", "--due", "--at", NOON]);
    failed.assert_stderr(
        3,
        &[
            "report:wall@2026-03-11T12:00:00Z: failed: output: ",
            "\nhint: choose another folder, or move that file away\n",
        ],
    );
    assert!(failed.out.is_empty() && !failed.err.contains("report:good"), "{failed}");
    assert!(place.path("good").is_dir());
}

#[test]
fn an_answer_of_other_tools_finds_items() {
    let sandbox = Sandbox::at(NINE, &[]);
    let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"ai\"]\nai.tools = [\"reddit\", \"hackernews\"]\n";
    let place = Place::new(sqlite(), &format!("{}dialect = \"desearch\"\n", sandbox.lines()), rest);
    place.ok(&["once", "--at", NINE]);
    assert!(place.database.number("SELECT count(*) FROM v_sighting WHERE source = 'ai'") >= 15);
}

#[test]
fn lists_show_whole_texts_in_a_pipe_and_fit_the_width_of_a_terminal() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    let text = format!("acme {}the end", "recalls a batch of kettles ".repeat(6));
    world.set_posts(&[post(1, 8, &text, 0)]);
    run_once(&place, 9);
    for verb in [&["items"][..], &["items", "--search", "kettles"]] {
        let listed = |columns: Option<&str>| {
            let program = place.program(verb);
            let ended = match columns {
                Some(columns) => program.env("COLUMNS", columns).run(),
                None => program.without_env("COLUMNS").run(),
            };
            assert_eq!(ended.code, Some(0), "{ended}");
            ended.out
        };
        assert!(listed(None).contains(&text), "{}", listed(None));
        let narrow = listed(Some("80"));
        let longest = narrow.lines().filter(|line| line.starts_with("acme ")).map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= 80) && !narrow.contains("the end"), "{narrow}");
    }
}
