//! A run that failed, that got an empty reply in error, or that searched the past, does not show what sources return
//! now.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::mcp_client::call_tool;
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Sandbox, reply};
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;
use crate::support::world::{ScriptedService, hour, post, run_once};

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";

fn still_shown(place: &Place, key: &str) -> Value {
    place.json(&["story", key, "--json"])["story"]["still_shown"].clone()
}

/// Whether there may be more new items than counted in the last 24 hours: by the API, and as the overview says it.
fn new_of_day(place: &Place, at: &str) -> (bool, bool) {
    let pages = Pages::serve(place, &["--at", at]);
    let topic = get_json(&pages, "/api/v1/topics")["data"][0].clone();
    (topic["new_24h_at_least"].as_bool().unwrap(), pages.page("/").contains("≥\u{a0}0"))
}

#[test]
fn after_a_failed_run_no_item_is_gone_and_new_counts_are_lower_bounds() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &format!("{}dialect = \"desearch\"\n", sandbox.lines()), TOPIC);
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        let key = place.json(&["items", "--json"])["items"][0]["key"].as_str().unwrap().to_owned();
        let shown = still_shown(&place, &key);
        assert!(shown.as_u64() > Some(0), "{name}: {shown}");
        assert_eq!(new_of_day(&place, NINE), (false, false), "{name}: a baseline is not new");

        let ten = "2026-03-11T10:00:00Z";
        place.ok(&["topic", "backfill", "acme", "--from", "2026-03-09", "--to", "2026-03-09", "--at", ten]);
        assert_eq!(still_shown(&place, &key), shown, "{name}: after a backfill");

        let raw = FakeServer::respond_with(|_| reply("500 Internal Server Error", "", b""));
        place.configure(&raw.lines(), TOPIC);
        let eleven = "2026-03-11T11:00:00Z";
        assert_eq!(place.run(&["once", "--at", eleven]).code, Some(3), "{name}");
        assert_eq!(still_shown(&place, &key), shown, "{name}: after a failed run");
        assert_eq!(new_of_day(&place, eleven), (true, true), "{name}");
        let pages = Pages::serve(&place, &["--at", eleven]);
        let status = place.json(&["status", "--json", "--at", eleven]);
        assert_eq!(status["topics"][0]["new_at_least"], true, "{name}: {status}");
        assert!(place.ok(&["status", "--at", eleven]).contains("≥0 "), "{name}");
        let (page, of_topic) = (pages.page("/"), pages.page("/topics/acme"));
        assert!(of_topic.contains("≥\u{a0}0 new items"), "{name}: the items of the last run, too: {of_topic}");
        let missing = "≥: a source failed in the last run";
        let told = place.ok(&["diff", "acme"]);
        assert!(told.contains("≥0 new · 0 gone") && told.contains(missing), "{name}: {told}");
        assert_eq!(place.json(&["diff", "acme", "--json"])["counts"]["at_least"], true, "{name}");
        let told = place.ok(&["runs", "--limit", "1"]);
        assert_eq!(told.matches("≥0").count(), 2, "{name}: {told}");
        let run = place.json(&["runs", "--limit", "1", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
        let told = place.ok(&["show", "acme", "--run", &run]);
        assert!(told.contains("≥0 found, ≥0 new"), "{name}: {told}");
        for path in [format!("/runs?run={run}"), format!("/progress/{run}")] {
            let page = pages.page(&path);
            let marked = page.contains("≥\u{a0}0 found") && page.contains("≥\u{a0}0 new");
            assert!(marked, "{name}: {path}: {page}");
        }
        let days = page.split("data-label=\"14 days\"").nth(1).and_then(|rest| rest.split("</td>").next()).unwrap();
        assert!(days.contains(">≥\u{a0}"), "{name}: the sum of days, too: {days}");
        // The next run looks back over what that one missed.
        let twelve = "2026-03-11T12:00:00Z";
        sandbox.set_clock(twelve);
        place.configure(&format!("{}dialect = \"desearch\"\n", sandbox.lines()), TOPIC);
        place.ok(&["once", "--at", twelve]);
        let told = place.ok(&["diff", "acme", "--since", eleven]);
        assert!(told.contains("2 runs") && !told.contains(missing), "{name}: {told}");
    }
}

/// Three replies with three posts. Later ones end within the second.
fn cut_after_three_replies() -> FakeServer {
    let replies = AtomicUsize::new(0);
    FakeServer::respond_with(move |_| {
        let posts = (1..4).map(|n| post(n, 20 + n, &format!("acme words {n}"), 1)).collect::<Vec<_>>();
        let body = json!({ "results": posts }).to_string();
        let until = if replies.fetch_add(1, Ordering::SeqCst) < 3 { body.len() } else { body.len() / 2 };
        reply("200 OK", "content-type: application/json\r\n", &body.as_bytes()[..until])
    })
}

#[test]
fn after_a_cut_reply_of_a_provider_no_item_is_gone_and_new_counts_are_lower_bounds() {
    for database in databases() {
        let service = cut_after_three_replies();
        let second =
            format!("[providers.second]\nkind = \"spec\"\nkey_env = \"TOPICWATCH_API_KEY\"\n{}\n", service.lines());
        let place = Place::without_service(database, &format!("{second}{}", TOPIC.replace("social", "second")));
        let name = place.database.name;
        for at in [24, 25, 26] {
            run_once(&place, at);
        }
        assert_eq!(place.run(&["once", "--at", &hour(27)]).code, Some(3), "{name}");
        let cut = place.database.texts("SELECT state || ' ' || found FROM v_search WHERE error_class = 'cut'");
        assert_eq!(cut, ["ok 1"], "{name}: the part before the end is kept");
        let diff = place.json(&["diff", "acme", "--json"]);
        assert_eq!((&diff["gone"], &diff["counts"]["gone"]), (&json!([]), &json!(0)), "{name}: {diff}");
        assert_eq!(diff["counts"]["at_least"], true, "{name}: as `status` says");
        let status = place.json(&["status", "--json", "--at", &hour(27)]);
        assert_eq!(status["topics"][0]["new_at_least"], true, "{name}: {status}");
        assert_eq!(new_of_day(&place, &hour(27)), (true, true), "{name}: the API and the first page, too");
        let page = Pages::serve(&place, &["--at", &hour(27)]).page("/topics/acme");
        assert!(page.contains("≥\u{a0}0 new items"), "{name}: the items of the last run, too: {page}");
    }
}

#[test]
fn new_counts_are_lower_bounds_after_a_search_skipped_for_a_refused_key() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let two = format!("[scheduler]\nmax_concurrent_runs = 1\n\n{TOPIC}{}", TOPIC.replace("acme", "globex"));
        let place = Place::new(database, &sandbox.lines(), &two);
        place.ok(&["once", "--at", NINE]);
        let raw = FakeServer::respond_with(|_| reply("401 Unauthorized", "", b""));
        place.configure(&format!("{}max_concurrent = 1\n", raw.lines()), &two);
        assert_eq!(place.run(&["once", "--at", "2026-03-11T11:00:00Z"]).code, Some(3), "{name}");
        let states = place.database.texts("SELECT state FROM v_search WHERE state <> 'ok' ORDER BY state");
        assert_eq!(states, ["error", "not_run"], "{name}");
        for topic in ["acme", "globex"] {
            let told = place.ok(&["diff", topic]);
            assert!(
                told.contains("\n≥0 new · ") && told.contains("≥: a source failed in the last run"),
                "{name}: {told}"
            );
        }
    }
}

/// Whether there may be more new items than counted in the last run, by topic.
fn marked(place: &Place) -> Vec<bool> {
    let status = place.json(&["status", "--json", "--at", NINE]);
    status["topics"].as_array().unwrap().iter().map(|topic| topic["new_at_least"].as_bool().unwrap()).collect()
}

#[test]
fn new_counts_are_lower_bounds_for_each_of_many_failed_topics() {
    let raw = FakeServer::respond_with(|_| reply("500 Internal Server Error", "", b""));
    // Before `acme`, in order of id.
    let other = |n: u32| {
        format!("[[topics]]\nid = \"a{n:04}\"\nquery = \"a{n:04}\"\nsources = [\"social\"]\nevery = \"12h\"\n\n")
    };
    let topics: String = (0..1_000).map(other).chain([TOPIC.to_owned()]).collect();
    for database in databases() {
        let place = Place::new(database, &raw.lines(), &topics);
        let name = place.database.name;
        // Stores the topics; nothing runs yet.
        place.ok(&["once", "--due", "--at", NINE]);
        assert_eq!(place.run(&["once", "--topic", "acme", "--at", NINE]).code, Some(3), "{name}");
        place.database.copy_run_to_other_topics();
        let all = marked(&place);
        assert_eq!((all.len(), all.iter().filter(|one| **one).count()), (1_001, 1_001), "{name}");
        let text = place.ok(&["status", "--at", NINE]);
        assert_eq!(text.lines().filter(|line| line.contains("≥0 ")).count(), 1_001, "{name}");
        assert_eq!(text.matches(": failed in the last run: ").count(), 1_001, "{name}");
    }
}

#[test]
fn a_full_reply_of_a_repeated_attempt_makes_no_count_a_lower_bound() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        let name = place.database.name;
        // The findings of the first run are a baseline.
        place.ok(&["once", "--at", NINE]);
        place.ok(&["once", "--at", NINE]);
        assert_eq!(marked(&place), [true, true], "{name}");
        assert!(place.ok(&["status", "--at", NINE]).contains("≥0 "), "{name}");
        place.database.attempt_again("social");
        assert_eq!(marked(&place), [false, false], "{name}");
        assert!(!place.ok(&["status", "--at", NINE]).contains('≥'), "{name}");
    }
}

#[test]
fn new_counts_are_lower_bounds_after_an_empty_reply_where_posts_are_known() {
    let empty = "an empty reply, although posts from that time are known or certain to exist";
    let normalize = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let posts = |many: u32| (0..many).map(|n| post(n, 20 + n, &format!("acme words {n}"), 1)).collect::<Vec<_>>();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TOPIC);
        let name = place.database.name;
        world.set_posts(&posts(3));
        place.ok(&["once", "--at", &hour(23)]);
        world.set_posts(&[]);
        let told = place.ok(&["once", "--at", &hour(24)]);
        assert!(
            told.contains("≥0 found = ≥0 new") && told.contains(&format!("acme social: {empty}\n")),
            "{name}: {told}"
        );
        let told = place.ok(&["show", "acme"]);
        assert!(
            told.contains("≥0 found, ≥0 new") && told.contains(&format!("\n! social: {empty}\n")),
            "{name}: {told}"
        );
        let told = place.ok(&["runs", "--limit", "1"]);
        assert_eq!(told.matches("≥0").count(), 2, "{name}: {told}");
        let told = normalize(&place.ok(&["runs", "--limit", "1", "--searches"]));
        assert!(
            told.contains("≥0 found = ≥0 new") && told.contains(&format!("covered nothing · {empty} ")),
            "{name}: {told}"
        );
        let told = place.ok(&["status", "--at", &hour(24)]);
        assert!(
            told.contains("≥0 ") && told.contains(&format!("acme: in the last run, social gave {empty}\n")),
            "{name}: {told}"
        );
        assert_eq!(place.json(&["status", "--json", "--at", &hour(24)])["topics"][0]["new_at_least"], true, "{name}");
        let told = normalize(&place.ok(&["diff", "acme"]));
        assert!(
            told.contains(" ≥0 new · 0 gone") && told.contains(&format!("≥: in the last run there was {empty}")),
            "{name}: {told}"
        );
        assert_eq!(place.json(&["diff", "acme", "--json"])["counts"]["at_least"], true, "{name}");
        assert_eq!(new_of_day(&place, &hour(24)), (true, true), "{name}");
        let pages = Pages::serve(&place, &["--at", &hour(24)]);
        assert!(pages.page("/topics/acme").contains("≥\u{a0}0 new items"), "{name}");
        let source = get_json(&pages, "/api/v1/topics")["data"][0]["sources"][0].clone();
        assert_eq!(source, json!({ "source": "social", "state": "empty_reply", "error_class": null }), "{name}");
        assert!(pages.page("/").contains("social: <strong class=\"warn\">empty reply</strong>"), "{name}");
        let page = pages.page("/runs");
        assert!(page.contains("≥\u{a0}0 found") && page.contains(empty), "{name}: {page}");
        let notes = call_tool(&pages, &[], "get_changes", &json!({ "topic": "acme" }))["notes"].to_string();
        assert!(notes.contains(&format!("In the last run there was {empty}: there may be more")), "{name}: {notes}");

        // A search that looked back further says both.
        let told = place.ok(&["once", "--at", &hour(56)]);
        let both = format!("{empty}; looked back 7d because nothing was covered since 2026-03-11T22:55:00Z");
        assert!(told.contains(&both), "{name}: {told}");
        let search = place.json(&["runs", "--limit", "1", "--json"])["runs"][0]["searches"][0].clone();
        assert_eq!((&search["state"], &search["reason"]), (&json!("empty"), &json!(both)), "{name}");

        // The next reply has them, so nothing is missing.
        world.set_posts(&posts(3));
        place.ok(&["once", "--at", &hour(57)]);
        for told in [place.ok(&["status", "--at", &hour(57)]), place.ok(&["diff", "acme", "--since", &hour(56)])] {
            assert!(!told.contains('≥') && !told.contains(empty), "{name}: {told}");
        }
        let pages = Pages::serve(&place, &["--at", &hour(57)]);
        assert_eq!(get_json(&pages, "/api/v1/topics")["data"][0]["sources"][0]["state"], "ok", "{name}");
    }
}

#[test]
fn an_empty_reply_where_few_posts_are_known_is_an_ordinary_reply() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TOPIC);
        world.set_posts(&[post(1, 20, "acme words", 1), post(2, 21, "more acme words", 1)]);
        place.ok(&["once", "--at", &hour(23)]);
        world.set_posts(&[]);
        let once = place.ok(&["once", "--at", &hour(24)]);
        let status = place.ok(&["status", "--at", &hour(24)]);
        let rest =
            [&["show", "acme"][..], &["runs", "--searches"], &["runs"], &["diff", "acme"]].map(|args| place.ok(args));
        for told in [once, status].iter().chain(&rest) {
            assert!(!told.contains('≥') && !told.contains("an empty reply"), "{}: {told}", place.database.name);
        }
    }
}
