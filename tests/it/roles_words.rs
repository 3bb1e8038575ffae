//! Texts of an item shared by several topics, for visitors with access to some of them: no version of the text that
//! only another topic saw.

use serde_json::{Value, json};

use crate::support::access_stage::{Visitor, add_token};
use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post};

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\nsources = [\"social\"]\n\
    [[topics]]\nid = \"zebra\"\nquery = \"zebra\"\nevery = \"12h\"\nsources = [\"social\"]\n";
/// The topic that runs, and the item's text in that run.
const WORDS: [(&str, &str); 5] = [
    ("zebra", "wording one of the press"),
    ("acme", "wording two of the press"),
    ("zebra", "wording three of the press"),
    ("acme", "wording four of the press"),
    ("zebra", "wording five of the press"),
];

#[test]
fn revisions_seen_only_by_another_topic_are_hidden() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TOPICS);
        for (at, (topic, words)) in (9..).zip(WORDS) {
            world.set_posts(&[post(7, 8, words, 3)]);
            place.ok(&["once", "--topic", topic, "--at", &hour(at)]);
        }
        let [one, other, both, all] = [
            &["one", "--role", "read", "--topic", "acme"][..],
            &["other", "--role", "read", "--topic", "zebra"],
            &["both", "--role", "read", "--topic", "acme", "--topic", "zebra"],
            &["all", "--role", "read"],
        ]
        .map(|args| add_token(&place, args));
        let pages = Pages::serve(&place, &["--at", &hour(15)]);
        let name = place.database.name;
        let see = |token: &str, path: &str| Visitor::Bearer(token).request(&pages, 1, "GET", path, "");
        let [two, three, four] = ["two", "three", "four"].map(|n| format!("wording {n} of the press"));
        for (token, reported, edits) in [
            // The edit that replaced the fourth text came after acme's last run.
            (&one, json!([two]), json!(null)),
            (&other, json!([three, WORDS[0].1]), json!(null)),
            (&both, json!([four, three, two, WORDS[0].1]), json!(null)),
            (&all, json!([four, three, two, WORDS[0].1]), json!(4)),
        ] {
            let data = see(token, "/api/v1/items?key=post%3Ax%3A7").json()["data"].clone();
            let texts: Vec<Value> =
                data["revisions"].as_array().unwrap().iter().map(|row| row["text"].clone()).collect();
            assert_eq!(json!(texts), reported, "{name}: {data}");
            assert_eq!(data["topics"][0]["revisions"], edits, "{name}: {data}");
            let page = see(token, "/item?key=post%3Ax%3A7").text();
            let shown = page.matches("Change seen").count();
            assert_eq!(shown, reported.as_array().unwrap().len(), "{name}\n{page}");
        }
        let path = "/api/v1/exports/items.jsonl?topic=acme";
        assert!(see(&one, path).body_text().contains("\"revisions\":null"), "{name}: {}", see(&one, path).text());
        assert!(see(&all, path).body_text().contains("\"revisions\":4"), "{name}");
        let listed = see(&one, "/api/v1/topics/acme/items").json()["data"][0]["revisions"].clone();
        assert_eq!(listed, json!(null), "{name}");
    }
}

#[test]
fn an_edit_of_a_text_seen_only_by_another_topic_is_not_shown() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TOPICS);
        let words = |n: &str| format!("wording {n} of the press");
        for (at, topic, shown) in [
            (9, "acme", Some("one")),
            // acme's next run does not find the item, but another topic's runs do.
            (10, "acme", None),
            (11, "zebra", Some("two")),
            (12, "acme", None),
            (13, "zebra", Some("three")),
            (14, "acme", Some("three")),
            (15, "zebra", Some("four")),
            (16, "acme", Some("four")),
        ] {
            world.set_posts(&[shown.map_or_else(|| post(8, 8, "other words", 1), |n| post(7, 8, &words(n), 3))]);
            place.ok(&["once", "--topic", topic, "--at", &hour(at)]);
        }
        let [one, all] = [&["one", "--role", "read", "--topic", "acme"][..], &["all", "--role", "read"]]
            .map(|args| add_token(&place, args));
        let pages = Pages::serve(&place, &["--at", &hour(17)]);
        let name = place.database.name;
        let see = |token: &str, path: &str| Visitor::Bearer(token).request(&pages, 1, "GET", path, "").text();
        for (since, of_one, of_all) in [
            (10, Some("one"), Some("one")),
            // Here the last text before the span was seen by the other topic.
            (13, Some("three"), Some("two")),
            (15, Some("three"), Some("three")),
        ] {
            for (token, reported) in [(&one, of_one), (&all, of_all)] {
                let path = format!("/api/v1/exports/changes.jsonl?topic=acme&since={}", hour(since));
                let rows = see(token, &path);
                for n in ["one", "two", "three"] {
                    let is_old = rows.contains(&format!("\"old_text\":\"{}\"", words(n)));
                    assert_eq!(is_old, reported == Some(n), "{name}, since {since}, {n}: {rows}");
                }
            }
        }
        let report = "/topics/acme/report";
        assert!(!see(&one, report).contains(&words("two")), "{name}: {}", see(&one, report));
    }
}

/// A post is first found as a page, with a snippet. Its text, which only the other topic's source has, replaces that and is
/// no edit of it.
#[test]
fn a_full_text_found_by_another_topic_is_not_shown_as_an_edit_of_a_snippet() {
    for database in databases() {
        let world = ScriptedService::new();
        let topics = TOPICS.replacen("[\"social\"]", "[\"web\"]", 1);
        let place = Place::new(database, &world.lines(), &topics);
        let url = "https://x.com/a/status/7";
        world.set_pages(&[json!({ "title": "Ann on X", "url": url, "snippet": "wording one of …" })]);
        for (at, topic, words) in [(9, "acme", None), (10, "zebra", Some("two")), (11, "zebra", Some("three"))] {
            world.set_posts(
                &words.map(|n| post(7, 8, &format!("wording {n} of the press"), 3)).into_iter().collect::<Vec<_>>(),
            );
            place.ok(&["once", "--topic", topic, "--at", &hour(at)]);
        }
        place.ok(&["once", "--topic", "acme", "--at", &hour(12)]);
        let told = |token: &str, pages: &Pages| {
            let data =
                Visitor::Bearer(token).request(pages, 1, "GET", "/api/v1/items?key=post%3Ax%3A7", "").json()["data"]
                    .clone();
            let texts = data["revisions"].as_array().unwrap().iter().map(|row| row["text"].clone());
            texts.collect::<Vec<Value>>()
        };
        let [one, other] =
            ["acme", "zebra"].map(|topic| add_token(&place, &[topic, "--role", "read", "--topic", topic]));
        let served = Pages::serve(&place, &["--at", &hour(15)]);
        let name = place.database.name;
        assert_eq!(told(&other, &served), [json!("wording two of the press")], "{name}");
        assert!(told(&one, &served).is_empty(), "{name}: {:?}", told(&one, &served));
    }
}
