//! Items named by their address instead of their key: posts on Hacker News and Bluesky, pages and posts on X, and items
//! whose address holds no id.

use serde_json::{Value, json};
use topicwatch::compare::find_item_key;
use topicwatch::model::{Kind, Source};
use topicwatch::store::SeenItem;

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::mcp_client::StdioClient;
use crate::support::program::{NINE, Place};
use crate::support::replies::{ReplyServer, reply};
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::web_client::Pages;

const TEN: &str = "2026-03-11T10:00:00Z";
/// Addresses and the keys of their items. Two addresses are spelled differently from the stored ones.
const POSTS: [(&str, &str); 3] = [
    ("https://news.ycombinator.com/item?id=41#41", "post:hackernews:41"),
    ("http://www.bsky.app/profile/ann.example/post/3k/", "post:bluesky:did-plc-abc_3k"),
    ("https://bsky.app/profile/did:plc:def/post/4k", "post:bluesky:did-plc-def_4k"),
];

/// A comment on Hacker News, and two posts on Bluesky; the account of the second has no valid handle.
fn service() -> ReplyServer {
    let post = |account: &str, id: &str, handle: &str, text: &str| {
        json!({
            "uri": format!("at://{account}/app.bsky.feed.post/{id}"),
            "author": { "handle": handle },
            "record": { "text": text, "createdAt": "2026-03-11T08:00:00Z" },
        })
    };
    ReplyServer::answering(move |_, path| {
        let body = match path.split('?').next().unwrap() {
            "/api/v1/search_by_date" => json!({
                "nbHits": 1,
                "hits": [{ "objectID": "41", "author": "ann", "comment_text": "acme opens a shop", "created_at_i": 1_773_216_000 }],
            }),
            "/xrpc/app.bsky.feed.searchPosts" => json!({
                "posts": [
                    post("did:plc:abc", "3k", "ann.example", "acme shuts its old factory"),
                    post("did:plc:def", "4k", "handle.invalid", "acme sells bicycles now"),
                ],
            }),
            _ => json!({ "accessJwt": "access-1-S3cret", "refreshJwt": "refresh-1-S3cret" }),
        };
        reply(200, &[], &body.to_string())
    })
}

#[track_caller]
fn once(place: &Place, at: &str) {
    place.program(&["once", "--at", at]).env("BSKY_PASSWORD", "pass-0123-word").run().assert_stderr(0, &[]);
}

#[test]
fn a_post_can_be_found_and_forgotten_by_its_url() {
    for database in databases() {
        let server = service();
        let provider = |name: &str, kind: &str| {
            format!(
                "[providers.{name}]\nkind = \"{kind}\"\nbase_url = \"{}\"\nmax_tries = 1\nrate_limit = \"unlimited\"\n",
                server.url()
            )
        };
        let file = format!(
            "{}{}user = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"6h\"\n",
            provider("hn", "hackernews"),
            provider("bsky", "bluesky"),
        );
        let place = Place::without_service(database, &file);
        let name = place.database.name;
        once(&place, NINE);
        assert_eq!(place.database.items_of_all(), 3, "{name}");

        let pages = Pages::serve(&place, &["--at", NINE]);
        let mut client = StdioClient::start(place.program(&["mcp", "--at", NINE]));
        for (address, key) in POSTS {
            let coded: String = url::form_urlencoded::byte_serialize(address.as_bytes()).collect();
            let api = get_json(&pages, &format!("/api/v1/items?key={coded}"));
            assert_eq!(api["data"]["key"], key, "{name}: {address}");
            assert_eq!(api["data"], get_json(&pages, &format!("/api/v1/items?key={key}"))["data"], "{name}: {address}");
            let by_address = client.call_tool("get_item", &json!({ "key": address }));
            assert_eq!(by_address, client.call_tool("get_item", &json!({ "key": key })), "{name}: {address}");
            let story = |named: &str| -> Value { place.json(&["items", "story", named, "--json"])["story"].clone() };
            assert_eq!(story(address), story(key), "{name}: {address}");
            place.ok(&["items", "star", address]);
            place.ok(&["items", "note", address, "ask Ann"]);
            place.ok(&["items", "mark", "acme", address, "good"]);
        }
        for kept in ["--starred", "--noted"] {
            assert_eq!(place.json(&["items", kept, "--json"])["items"].as_array().unwrap().len(), 3, "{name}: {kept}");
        }
        place
            .run(&["items", "story", "https://bsky.app/profile/bob.example/post/3k"])
            .assert_stderr(2, &["there is no item `https://bsky.app/profile/bob.example/post/3k`"]);
        drop((pages, client));

        for (left, (address, _)) in [2, 1, 0].into_iter().zip(POSTS) {
            let dry_run = place.json(&["db", "forget", "--item", address, "--dry-run", "--json"]);
            assert_eq!(dry_run["taken"]["items"], 1, "{name}: {address}");
            let done = place.json(&["db", "forget", "--item", address, "--yes", "--json"]);
            assert_eq!(
                (&done["taken"]["items"], place.database.items_of_all()),
                (&json!(1), left),
                "{name}: {address}"
            );
        }
        // The services return them again.
        once(&place, TEN);
        assert_eq!(place.database.items_of_all(), 0, "{name}");
    }
}

/// A post or page with this key, id and address.
fn item_at(rank: u32, key: &str, id: Option<&str>, address: &str) -> SeenItem {
    let mut item = seen_item(Source::Social, rank, &[key], key);
    let finding = &mut item.sightings[0];
    finding.found.id = id.map(str::to_owned);
    finding.found.url = Some(address.to_owned());
    if let Some(path) = address.strip_prefix("https://x.com/") {
        finding.found.author = path.split('/').next().map(str::to_owned);
    }
    if key.starts_with("page:") {
        item.kind = Kind::Page;
        finding.kind = Kind::Page;
    }
    item
}

#[tokio::test]
async fn an_address_without_a_key_finds_the_first_item_stored_with_it() {
    for database in databases() {
        let store = open_store(&database).await;
        let watched = topic("acme");
        store.sync_topics(std::slice::from_ref(&watched), NOW).await.unwrap();
        let run = start_manual_run(&store, &watched, "R0", NOW).await;
        let world = vec![
            item_at(1, "post:x:20", Some("20"), "https://x.com/ann/status/20"),
            item_at(2, "post:x:21", Some("21"), "https://x.com/ann"),
            item_at(3, "post:x:22", Some("22"), "https://x.com/ann"),
            item_at(4, "post:reddit:ab1", Some("ab1"), "https://reddit.example/comments/ab1"),
            item_at(5, "text:x:ann:0f", None, "https://forum.example/thread/7"),
            item_at(6, "page:https://news.example/one", None, "https://www.news.example/one/"),
            item_at(7, "page:https://status.example/#0a", None, "https://status.example/"),
            item_at(8, "page:https://status.example/#0b", None, "https://status.example/"),
            item_at(9, "post:x:23", Some("23"), "https://x.com/ann-lee/status/23"),
        ];
        store.finish(&run, outcome(NOW, world)).await.unwrap();
        store.publish().await.unwrap();
        for (address, key) in [
            ("https://twitter.com/ann/status/20", "post:x:20"),
            ("https://x.com/ann", "post:x:21"),
            ("https://reddit.example/comments/ab1", "post:reddit:ab1"),
            ("https://forum.example/thread/7", "text:x:ann:0f"),
            ("https://news.example/one", "page:https://news.example/one"),
            ("https://status.example", "page:https://status.example/#0a"),
            ("https://x.com/ann-lee/status/23", "post:x:23"),
            ("https://x.com/bob", "https://x.com/bob"),
        ] {
            let found = find_item_key(&store, address).await.unwrap();
            assert_eq!(found, key, "{}: {address}", database.name);
        }
        database.close(store).await;
    }
}
