//! The program does what it publishes about itself (the API's document, the help texts), on both databases.

use serde_json::{Value, json};

use crate::support::access_stage::add_share_link;
use crate::support::api_client::{get_json, send_request};
use crate::support::databases::databases;
use crate::support::mcp_client::call_tool;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages};
use crate::support::web_topics::TOPICS;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

const MARKS: &str = "/api/v1/topics/acme/marks";

fn encoded(key: &str) -> String {
    url::form_urlencoded::byte_serialize(key.as_bytes()).collect()
}

#[test]
fn marks_need_no_token_where_pages_may_edit_the_file_as_documented() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        let pages = Pages::wait_for_address(place.program(&["run"]).start());
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        let key = place.database.first_key();
        let marks = || get_json(&pages, MARKS)["data"].as_array().unwrap().clone();
        let body = json!({ "key": key, "mark": "noise" }).to_string();
        let reply = send_request(&pages, "POST", MARKS, &[("Content-Type", "application/json")], &body);
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        assert_eq!(marks()[0]["mark"], "noise", "{name}");
        let reply = send_request(&pages, "DELETE", &format!("{MARKS}?key={}", encoded(&key)), &[], "");
        assert_eq!((reply.status, marks().len()), (200, 0), "{name}: {}", reply.text());
        let document = get_json(&pages, "/api/v1/openapi.json");
        let mut actions = 0;
        for (path, operations) in document["paths"].as_object().unwrap() {
            for (method, operation) in operations.as_object().unwrap() {
                if operation["x-role"] == "act" {
                    let description = operation["description"].as_str().unwrap();
                    assert!(description.contains("where pages may edit the file"), "{method} {path}: {description}");
                    actions += 1;
                }
            }
        }
        assert!(actions >= 8, "{actions}");
        let note = document["paths"]["/api/v1/notes"]["post"]["description"].as_str().unwrap();
        assert!(note.contains("The note belongs to the item") && !note.contains("star"), "{note}");
    }
}

#[test]
fn a_ranked_list_is_complete_only_with_a_search_for_rare_words() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        for (query, complete) in [
            ("order=new", true),
            ("order=engagement", false),
            ("order=negative", false),
            ("order=positive&tone=positive", false),
            ("order=engagement&search=launch", true),
            ("order=velocity", true),
            ("order=suggested", true),
        ] {
            let list = get_json(&pages, &format!("/api/v1/topics/acme/items?{query}"));
            assert_eq!((&list["complete"], &list["unindexed"]), (&json!(complete), &json!(0)), "{name} {query}");
        }
        // Without marks nothing was learned, and nothing is ranked.
        let ranked = get_json(&pages, "/api/v1/topics/acme/items?order=relevance");
        assert_eq!((&ranked["learned"], ranked["data"].as_array().unwrap().len()), (&Value::Null, 0), "{name}");
        let document = get_json(&pages, "/api/v1/openapi.json");
        let told = document["paths"]["/api/v1/topics/{topic}/items"]["get"]["description"].as_str().unwrap();
        assert!(told.contains("with a `search` for rare words, all that have them"), "{told}");
    }
}

#[test]
fn runs_since_a_time_are_those_started_or_due_then() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\ncatch_up = \"none\"\n";
        let place = Place::new(database, &sandbox.lines(), topic);
        for at in [NINE, "2026-03-11T13:30:00Z"] {
            place.ok(&["once", "--due", "--at", at]);
        }
        let listed = place.json(&["runs", "--json", "--since", "2026-03-11T12:00:00Z"]);
        let runs: Vec<String> = listed["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| format!("{} {}", run["state"].as_str().unwrap(), run["slot"].as_str().unwrap()))
            .collect();
        let expected = ["missed 2026-03-11T13:00:00.000Z", "missed 2026-03-11T12:00:00.000Z"];
        assert_eq!(runs, expected, "{}", place.database.name);
        let help = place.ok(&["runs", "--help"]);
        assert!(help.contains("Started or due at or after"), "{help}");
    }
}

#[test]
fn days_of_a_topic_count_filtered_items_as_documented() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"giveaway\"]"));
        world.set_posts(&[post(1, 8, "a post about acme", 1), post(2, 8, "an acme giveaway", 1)]);
        run_once(&place, 9);
        let pages = Pages::serve(&place, &["--at", &hour(9)]);
        let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
        assert_eq!(days.as_array().unwrap().last().unwrap()["items"], 2, "{}: {days}", place.database.name);
        let document = get_json(&pages, "/api/v1/openapi.json");
        let items = document["components"]["schemas"]["Day"]["properties"]["items"]["description"].as_str();
        assert!(items.unwrap().ends_with(", before the topic's filter"), "{items:?}");
    }
}

#[test]
fn a_key_that_several_kinds_of_providers_have_is_described_for_each() {
    let place = Place::new(crate::support::databases::sqlite(), "", TOPICS);
    let schema: Value = serde_json::from_str(&place.ok(&["check", "--schema"])).unwrap();
    let keys = &schema["properties"]["defaults"]["additionalProperties"]["properties"];
    let limit = keys["limit"]["description"].as_str().unwrap();
    for kind in
        ["hackernews: Maximum hits read per run", "desearch: Maximum posts per reply", "spec-web: Maximum pages"]
    {
        assert!(limit.contains(kind), "{limit}");
    }
    assert!(keys["prompt"]["description"].as_str().unwrap().contains("desearch-ai, spec-ai: Query or prompt"));
    assert_eq!(keys["model"]["description"], "Name of the model.");
}

#[test]
fn help_says_what_quiet_and_pause_do() {
    let place = Place::new(crate::support::databases::sqlite(), "", TOPICS);
    for (verb, part) in [
        (
            &["once"][..],
            "no warnings about configuration or schedules; of `once` without --json or --dry-run, only what failed",
        ),
        (&["topic", "pause"], "queued runs are cancelled, no scheduled ones start, running ones finish"),
        (&["items", "list"], "24h, 7d ago, and then within their topic's window"),
    ] {
        let help = place.ok(&[verb, &["--help"]].concat());
        let words: Vec<&str> = help.split_whitespace().collect();
        assert!(words.join(" ").contains(part), "{part}\n{help}");
    }
}

#[test]
fn a_hidden_copy_in_the_place_of_a_pruned_item_counts_as_hidden() {
    let retention = "[retention]\nprune = \"never\"\nraw = \"1d\"\nsightings = \"30d\"\nitems = \"30d\"\n\n";
    let text = "spam about the launch of the new engine that was moved to the ninth of april because of the weather";
    for database in databases() {
        let world = ScriptedService::new();
        let topic = topic("acme", "exclude = [\"spam\"]");
        let place = Place::new(database, &world.lines(), &format!("{retention}{topic}"));
        // The first is not shown again, so its text is older than those of its copies.
        for (ids, at) in [(600..601, 24), (601..604, 96)] {
            world.set_posts(&ids.map(|id| post(id, 22, text, 3)).collect::<Vec<_>>());
            run_once(&place, at);
        }
        place.ok(&["db", "prune", "--at", "2026-04-13T00:00:00Z"]);
        let pages = Pages::serve(&place, &["--at", "2026-04-13T01:00:00Z"]);
        for (query, rows, filtered) in
            [("", 1, 0), ("?filtered=keep", 1, 1), ("?filtered=only", 1, 1), ("?copies=all&filtered=only", 3, 3)]
        {
            let list = get_json(&pages, &format!("/api/v1/topics/acme/items{query}"));
            let listed = (list["data"].as_array().unwrap().len(), &list["filtered"]);
            assert_eq!(listed, (rows, &json!(filtered)), "{} {query}", place.database.name);
        }
    }
}

#[test]
fn a_list_counts_each_hidden_row_once_regardless_of_its_copies() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"spam\"]"));
        let text =
            "spam about the launch of the new engine that was moved to the ninth of april because of the weather";
        world.set_posts(&(600..604).map(|id| post(id, 22, text, 3)).collect::<Vec<_>>());
        run_once(&place, 24);
        let pages = Pages::serve(&place, &["--at", &hour(25)]);
        for (query, rows, filtered) in
            [("", 0, 1), ("?filtered=keep", 1, 1), ("?copies=all", 0, 4), ("?copies=all&filtered=only", 4, 4)]
        {
            let list = get_json(&pages, &format!("/api/v1/topics/acme/items{query}"));
            let listed = (list["data"].as_array().unwrap().len(), &list["filtered"]);
            assert_eq!(listed, (rows, &json!(filtered)), "{} {query}", place.database.name);
        }
        let notes = |copies: &str| {
            let arguments = json!({ "topic": "acme", "copies": copies });
            call_tool(&pages, &[], "search_items", &arguments)["notes"].to_string()
        };
        let hidden = "Items of this page that the topic's filter hides: ";
        let copy = " (near-copies count once; one that it shows is listed instead).";
        let (folded, all) = (notes("fold"), notes("all"));
        assert!(folded.contains(&format!("{hidden}1{copy}")), "{}: {folded}", place.database.name);
        assert!(all.contains(&format!("{hidden}4.")), "{}: {all}", place.database.name);
        let (secret, _) = add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", &hour(25)]);
        let (once_each, each) = (
            "1 item found (near-copies count once), hidden by the topic's filter.",
            "4 items found, all hidden by the topic's filter.",
        );
        for (path, words) in [
            ("/topics/acme", once_each),
            ("/topics/acme?copies=all", each),
            (&format!("/shared/{secret}"), once_each),
            ("/items", each),
        ] {
            let page = pages.page(path);
            assert!(page.contains(words), "{} {path}: {page}", place.database.name);
        }
        // One of five is shown.
        world.set_posts(&[post(610, 23, "the new engine", 3)]);
        run_once(&place, 25);
        for (query, words) in [
            ("", "1 on this page is hidden by the topic's filter (near-copies count once)."),
            ("?copies=all", "4 on this page are hidden by the topic's filter."),
            ("?filtered=keep", "1 on this page is otherwise hidden by the topic's filter (near-copies count once)."),
        ] {
            let page = pages.page(&format!("/topics/acme{query}"));
            assert!(page.contains(words), "{} {query}: {page}", place.database.name);
            let leads = page.contains(&format!("{words} <a href=\"/topics/acme?"));
            assert_eq!(leads, !query.contains("keep"), "{} {query}: {page}", place.database.name);
        }
    }
}
