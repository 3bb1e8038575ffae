//! Items that replies describe differently: which date and URL win, and how two items that merged appear in the ledger.
//! Also how a search reports items that are not indexed yet. On both databases.

use serde_json::{Value, json};
use topicwatch::model::{Source, Time};

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::service::{FakeServer, reply};
use crate::support::world::{ScriptedService, hour};

/// An X post id that encodes this time.
fn id_of(at: &str) -> i64 {
    (Time::parse(at).unwrap().0 - 1_288_834_974_657) << 22
}

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\n";

#[test]
fn a_date_from_a_reply_replaces_the_date_derived_from_an_id() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TOPIC);
        let name = place.database.name;
        let id = id_of("2026-03-11T20:15:30.250Z");
        let address = |host: &str| format!("https://{host}/ann/status/{id}");
        // A web search finds it first, without a date.
        world.set_pages(&[json!({ "title": "Ann on X", "snippet": "acme is here", "url": address("x.com") })]);
        place.ok(&["once", "--at", &hour(24)]);
        let item = |place: &Place| -> Value {
            let text = place.ok(&["export", "--what", "items", "--format", "jsonl"]);
            assert_eq!(text.lines().count(), 1, "{text}");
            serde_json::from_str(&text).unwrap()
        };
        let first = item(&place);
        assert_eq!(first["published_at"], "2026-03-11T20:15:30.250Z", "{name}: {first}");
        let given = |at: &str| json!({ "id": id.to_string(), "text": "acme is here", "user": "ann", "created_at": at, "url": address("twitter.com") });
        world.set_posts(&[given("2026-03-11T20:15:00Z")]);
        place.ok(&["once", "--at", &hour(25)]);
        let second = item(&place);
        assert_eq!(
            Time::parse(second["published_at"].as_str().unwrap()),
            Time::parse("2026-03-11T20:15:00Z"),
            "{name}"
        );
        // The first known URL stays, and so does the first date from a reply.
        assert_eq!(second["url"], first["url"], "{name}");
        world.set_posts(&[given("2026-03-11T20:16:00Z")]);
        place.ok(&["once", "--at", &hour(26)]);
        assert_eq!(item(&place)["published_at"], second["published_at"], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn merged_items_are_subtracted_from_the_ledgers_new_count() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let words = || seen_item(Source::Social, 1, &["text:x:ann:h"], "hello");
        let page = || seen_item(Source::Web, 1, &["post:x:1"], "hello there");
        let both = || seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], "hello");
        for (n, world) in [vec![words()], vec![page(), words()], vec![both()]].into_iter().enumerate() {
            let at = Time(NOW.0 + i64::try_from(n).unwrap() * 1_000);
            let run = start_manual_run(&store, &t, &format!("R{n}"), at).await;
            store.finish(&run, outcome(at, world)).await.unwrap();
        }
        let name = database.name;
        assert_eq!(database.number("SELECT sum(new) FROM v_run"), 2, "{name}");
        let taken = "SELECT (SELECT sum(new) FROM v_run) - (SELECT sum(erased_new) + sum(merged_new) FROM v_erased)";
        assert_eq!(database.number(taken), 1, "{name}");
        assert_eq!(database.items_of_all(), 1, "{name}");
        assert_eq!(database.texts("SELECT run || ' ' || merged_new FROM v_erased"), ["R1 1"], "{name}");
        database.close(store).await;
    }
}

#[test]
fn a_search_for_http_notes_that_url_schemes_are_not_indexed() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), TOPIC);
    world
        .set_posts(&[json!({ "id": "1", "text": "acme speaks http and more at https://acme.example/a", "user": "ann",
        "created_at": hour(20), "url": "https://x.com/ann/status/1" })]);
    place.ok(&["once", "--at", &hour(24)]);
    for (words, found) in [("http", 1), ("https", 0), ("acme -https", 1)] {
        let ended = place.run(&["search", "--json", "--", words]);
        ended.assert_stderr(0, &["note:", "at the start of an address is not indexed"]);
        let output: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(output["items"].as_array().unwrap().len(), found, "{words}: {output}");
    }
    let plain = place.run(&["search", "--json", "--", "acme.example"]);
    plain.assert_stderr(0, &[]);
    assert!(!plain.err.contains("note:"), "{plain}");
}

#[tokio::test(flavor = "multi_thread")]
async fn merging_two_items_subtracts_only_what_the_run_counted_as_new() {
    for database in databases() {
        let store = open_store(&database).await;
        let topics = [topic("a"), topic("b")];
        store.sync_topics(&topics, NOW).await.unwrap();
        let words = || seen_item(Source::Social, 1, &["text:x:ann:h"], "hello");
        let page = || seen_item(Source::Web, 1, &["post:x:1"], "hello there");
        let both = || seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], "hello");
        // Both topics know the words, and one of them the page. A run of the other shows that they are one item.
        for (n, (topic, found)) in [(0, words()), (1, words()), (0, page()), (1, both())].into_iter().enumerate() {
            let at = Time(NOW.0 + i64::try_from(n).unwrap() * 1_000);
            let run = start_manual_run(&store, &topics[topic], &format!("R{n}"), at).await;
            store.finish(&run, outcome(at, vec![found])).await.unwrap();
        }
        let counts = "SELECT r.run || ' ' || r.new || ' ' || coalesce(e.merged_new, 0) FROM v_run r LEFT JOIN v_erased e ON e.run = r.run ORDER BY r.seq";
        assert_eq!(database.texts(counts), ["R0 1 0", "R1 1 0", "R2 1 1", "R3 0 0"], "{}", database.name);
        database.close(store).await;
    }
}

#[test]
fn an_answer_names_the_items_that_it_cites_by_their_public_keys() {
    let address = "https://x.com/ann/status/1900000000000000001";
    let raw = FakeServer::respond_with(move |path| {
        let body = match path.split('?').next().unwrap_or_default() {
            // Without an id or an address.
            "/X/search" => {
                json!({ "results": [{ "text": "acme opens a plant in the north of the country", "user": "ann" }] })
            }
            "/ai/search" => {
                json!({ "summary": format!("It opens, see {address} and https://nobody.example/1."), "results": [
                { "id": "1900000000000000001", "text": "acme opens a plant in the north of the country", "user": "ann", "url": address }] })
            }
            _ => json!({ "results": [] }),
        };
        reply("200 OK", "content-type: application/json\r\n", body.to_string().as_bytes())
    });
    for database in databases() {
        let file = |sources: &str| {
            format!("[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = {sources}\nai.when = \"always\"\n")
        };
        let place = Place::new(database, &raw.lines(), &file("[\"social\"]").replace("ai.when = \"always\"\n", ""));
        place.ok(&["once", "--at", &hour(24)]);
        place.configure(&raw.lines(), &file("[\"social\", \"ai\"]"));
        place.ok(&["once", "--at", &hour(25)]);
        let keys = place.database.all_item_keys();
        let cited = place.database.texts("SELECT cited FROM v_answer");
        assert_eq!((keys.len(), cited.len()), (1, 1), "{}: {keys:?} {cited:?}", place.database.name);
        assert_eq!(cited[0], json!(keys).to_string(), "{}", place.database.name);
        // The next answer names an item that only earlier runs found.
        let second = place.json(&["show", "acme", "--json"]).to_string();
        assert!(second.contains(&keys[0]), "{second}");
    }
}
