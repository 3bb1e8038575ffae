//! A token for some topics learns nothing about the others from a refusal, a hint or a link.

use serde_json::{Value, json};

use crate::support::access_stage::{HIDDEN_KEY, Visitor, add_token, place};
use crate::support::databases::{block_on, databases};
use crate::support::program::Place;
use crate::support::web_client::Pages;
use crate::support::word_index::queue_for_index;
use crate::support::world::{ScriptedService, hour, post};

#[test]
fn a_source_of_another_topic_is_refused_like_an_unknown_one() {
    for database in databases() {
        let (_world, place) = place(database);
        let [one, all] = [&["one", "--role", "read", "--topic", "acme"][..], &["all", "--role", "read"]]
            .map(|args| add_token(&place, args));
        let pages = Pages::serve(&place, &[]);
        let name = place.database.name;
        let see = |token: &str, source: &str| {
            let path = format!("/api/v1/topics/acme/items?source={source}");
            let reply = Visitor::Bearer(token).request(&pages, 1, "GET", &path, "");
            (reply.status, String::from_utf8_lossy(&reply.body).replace(source, "·"))
        };
        block_on(
            place.database.execute("INSERT INTO topic_latest (topic, source, answered_at) VALUES ('zebra', 'hn', 1)"),
        );
        assert_eq!(see(&all, "hn").0, 200, "{name}");
        assert_eq!(see(&one, "hn"), see(&one, "xx"), "{name}");
        assert_eq!((see(&one, "hn").0, see(&one, "social").0), (404, 200), "{name}");
        block_on(
            place.database.execute("INSERT INTO topic_latest (topic, source, answered_at) VALUES ('acme', 'hn', 1)"),
        );
        assert_eq!(see(&one, "hn").0, 200, "{name}");
    }
}

#[test]
fn a_token_of_one_topic_does_not_see_unindexed_items_of_another() {
    for database in databases() {
        let (_world, place) = place(database);
        let one = add_token(&place, &["one", "--role", "read", "--topic", "acme"]);
        let pages = Pages::serve(&place, &[]);
        let name = place.database.name;
        let see = |path: &str| Visitor::Bearer(&one).request(&pages, 1, "GET", path, "");
        let wait_for = |key: &str| {
            queue_for_index(&place.database, &format!("key = '{key}'"));
            let page = see("/topics/acme?search=launch").text();
            // After an upgrade these may be of any age.
            assert!(!page.contains("of the last minutes"), "{name}: {page}");
            (page.contains("not indexed yet"), see("/api/v1/exports/items.csv?search=launch").status)
        };
        assert_eq!(wait_for(HIDDEN_KEY), (false, 200), "{name}");
        assert_eq!(wait_for("post:x:7"), (true, 503), "{name}");
    }
}

#[test]
fn a_token_of_one_topic_does_not_see_uncounted_days_of_another() {
    for database in databases() {
        let (_world, place) = place(database);
        let one = add_token(&place, &["one", "--role", "read", "--topic", "acme"]);
        // `serve` only reads: nothing counts them.
        let pages = Pages::serve(&place, &[]);
        let see = |path: &str| Visitor::Bearer(&one).request(&pages, 1, "GET", path, "");
        let told = || {
            let counted = see("/api/v1/topics/acme/days").json()["uncounted"].clone();
            let (topic, overview) = (see("/topics/acme").text(), see("/").text());
            (counted, topic.contains("are still being counted"), overview.contains("are not counted yet"))
        };
        let name = place.database.name;
        assert_eq!(told(), (json!(false), false, false), "{name}");
        place.database.make_days_due(&["zebra"]);
        assert_eq!(told(), (json!(false), false, false), "{name}");
        place.database.make_days_due(&["zebra", "acme"]);
        assert_eq!(told(), (json!(true), true, true), "{name}");
        place.database.make_days_due(&[]);
        place.database.follow_up_to_last_run("days", "acme");
        assert_eq!(told(), (json!(true), true, true), "{name}");
    }
}

#[test]
fn a_report_of_one_topic_does_not_mention_uncompared_items_of_another() {
    for database in databases() {
        let (world, place) = place(database);
        world.set_posts(&[post(77_077_096, 12, "a second zebra crossed the road at noon", 1)]);
        place.ok(&["once", "--topic", "zebra", "--at", &hour(12)]);
        place.database.follow_up_to_last_run("near-copies", "zebra");
        let waits = |topic: &str| {
            place.ok(&["report", "--topic", topic, "--date", "2026-03-11", "--at", &hour(13), "--out", "day.md"]);
            let text = std::fs::read_to_string(place.path("day.md")).unwrap();
            text.contains("Not every item has been compared yet")
        };
        assert_eq!((waits("zebra"), waits("acme")), (true, false), "{}", place.database.name);
    }
}

#[test]
fn a_topic_token_sees_no_near_copy_cluster_of_other_topics() {
    for database in databases() {
        let (_world, place) = place(database);
        let one = add_token(&place, &["one", "--role", "read", "--topic", "acme"]);
        let pages = Pages::serve(&place, &[]);
        let rows = Visitor::Bearer(&one).request(&pages, 1, "GET", "/api/v1/exports/items.jsonl", "");
        let rows = rows.body_text();
        let clusters: Vec<Value> =
            rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()["cluster"].clone()).collect();
        // One of them began as a copy of a hidden item, the others are alone.
        assert_eq!(clusters, [Value::Null, Value::Null, Value::Null], "{}", place.database.name);
    }
}

#[test]
fn a_lookup_by_address_with_a_topic_token_ignores_other_topics() {
    const ADDRESS: &str = "https://bsky.app/profile/did:plc:abc/post/3k";
    for database in databases() {
        let (world, place) = place(database);
        let one = add_token(&place, &["one", "--role", "act", "--topic", "acme"]);
        let file = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let (other, web) = ("tags = [\"other\"]\nsources = [\"social\"]", "tags = [\"other\"]\nsources = [\"web\"]");
        assert!(file.contains(other), "{file}");
        std::fs::write(place.path("jobs.toml"), file.replace(other, web)).unwrap();
        let at = url::form_urlencoded::byte_serialize(ADDRESS.as_bytes()).collect::<String>();
        let found = || {
            let pages = Pages::serve(&place, &[]);
            let reply = Visitor::Bearer(&one).request(&pages, 1, "GET", &format!("/api/v1/items?key={at}"), "");
            (reply.status, reply.json()["data"]["key"].clone())
        };
        let mut post = post(55, 11, "acme sells its old bicycles", 1);
        post["url"] = json!(ADDRESS);
        world.set_posts(&[post]);
        place.ok(&["once", "--topic", "acme", "--at", &hour(12)]);
        let expected = (200, json!("post:x:55"));
        assert_eq!(found(), expected, "{}", place.database.name);
        // The key of this page is the first that the address may have.
        world.set_pages(&[json!({ "title": "zebra", "url": ADDRESS, "snippet": "a zebra on a bicycle" })]);
        place.ok(&["once", "--topic", "zebra", "--at", &hour(13)]);
        assert_eq!(found(), expected, "{}", place.database.name);
    }
}

#[test]
fn a_token_of_a_topic_that_never_ran_cannot_see_that_others_ran() {
    for database in databases() {
        let world = ScriptedService::new();
        let topic = |id: &str| {
            format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nevery = \"12h\"\nsources = [\"social\"]\n")
        };
        let place = Place::new(database, &world.lines(), &(topic("acme") + &topic("zebra")));
        place.ok(&["once", "--due", "--at", &hour(9)]);
        let one = add_token(&place, &["one", "--role", "read", "--topic", "acme"]);
        let overview = || {
            let pages = Pages::serve(&place, &["--at", &hour(11)]);
            let page = Visitor::Bearer(&one).request(&pages, 1, "GET", "/", "").body_text();
            (page.contains("not run yet"), page.contains("Nothing has run yet"))
        };
        assert_eq!(overview(), (true, false), "{}", place.database.name);
        place.ok(&["once", "--topic", "zebra", "--at", &hour(10)]);
        assert_eq!(overview(), (true, false), "{}", place.database.name);
    }
}

#[test]
fn alerts_are_not_named_to_visitors_who_may_not_read_them() {
    for database in databases() {
        let (world, place) = place(database);
        let file = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let alert = "[[alerts]]\nname = \"recalls\"\nrule = \"source\"\n";
        std::fs::write(place.path("jobs.toml"), format!("{file}{alert}")).unwrap();
        place.ok(&["once", "--due", "--at", &hour(11)]);
        place.database.add_firings(&[("recalls", "acme/social", 1_773_219_600_000, false)]);
        let [one, all] = [&["one", "--role", "read", "--topic", "acme"][..], &["all", "--role", "read"]]
            .map(|args| add_token(&place, args));
        let pages = Pages::serve(&place, &["--at", &hour(11)]);
        for path in ["/", "/topics/acme"] {
            let output =
                |token: &str| Visitor::Bearer(token).request(&pages, 1, "GET", path, "").text().contains("recalls");
            assert_eq!((output(&all), output(&one)), (true, false), "{}: {path}", place.database.name);
        }
        drop(world);
    }
}

#[test]
fn a_tag_of_another_topic_is_refused_like_an_unknown_one() {
    for database in databases() {
        let (_world, place) = place(database);
        let [one, all] = [&["one", "--role", "read", "--topic", "acme"][..], &["all", "--role", "read"]]
            .map(|args| add_token(&place, args));
        let pages = Pages::serve(&place, &[]);
        let see = |token: &str, tag: &str| {
            let path = format!("/api/v1/exports/items.csv?tag={tag}");
            let reply = Visitor::Bearer(token).request(&pages, 1, "GET", &path, "");
            (reply.status, reply.text().replace(tag, "·").split("\r\n\r\n").nth(1).unwrap_or("").to_owned())
        };
        let name = place.database.name;
        for (tag, of_one, of_all) in [("news", 200, 200), ("other", 404, 200), ("nwes", 404, 404)] {
            assert_eq!((see(&one, tag).0, see(&all, tag).0), (of_one, of_all), "{name}: {tag}");
        }
        assert_eq!(see(&one, "other"), see(&one, "nwes"), "{name}");
    }
}
