//! Posts on Hacker News and Bluesky that a web search finds as pages at their addresses: forgetting one forgets the
//! other, whichever is found first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::json;

use crate::support::databases::{Database, databases};
use crate::support::program::{NINE, Place};
use crate::support::replies::{ReplyServer, reply};

const TEN: &str = "2026-03-11T10:00:00Z";
const BY_HANDLE: &str = "https://bsky.app/profile/ann.example/post/3k";
const BY_ACCOUNT: &str = "https://bsky.app/profile/did:plc:abc/post/3k";

/// The findings: the posts, the pages at their addresses, or both.
const POSTS: u8 = 1;
const PAGES: u8 = 2;
const BOTH: u8 = 3;

fn service(found: &Arc<AtomicU8>) -> ReplyServer {
    let found = Arc::clone(found);
    ReplyServer::answering(move |_, path| {
        let has = |what: u8| found.load(Ordering::SeqCst) & what != 0;
        let some = |what: u8, list: serde_json::Value| if has(what) { list } else { json!([]) };
        let body = match path.split('?').next().unwrap() {
            "/api/v1/search_by_date" => json!({ "nbHits": 1, "hits": some(POSTS, json!([
                { "objectID": "41", "author": "bob", "comment_text": "acme opens a shop", "created_at_i": 1_773_216_000 },
            ])) }),
            "/xrpc/app.bsky.feed.searchPosts" => json!({ "posts": some(POSTS, json!([
                { "uri": "at://did:plc:abc/app.bsky.feed.post/3k", "author": { "handle": "ann.example" },
                  "record": { "text": "acme shuts its old factory", "createdAt": "2026-03-11T08:00:00Z" } },
            ])) }),
            path if path.starts_with("/xrpc/") => {
                json!({ "accessJwt": "access-1-S3cret", "refreshJwt": "refresh-1-S3cret" })
            }
            _ => json!({ "results": some(PAGES, json!([
                { "title": "A post", "url": format!("{BY_HANDLE}?utm_source=x"), "snippet": "acme shuts" },
                { "title": "A comment", "url": "https://news.ycombinator.com/item?id=41", "snippet": "acme opens" },
            ])) }),
        };
        reply(200, &[("content-type", "application/json")], &body.to_string())
    })
}

fn place(database: Database, server: &ReplyServer) -> Place {
    let address = format!("base_url = \"{}\"\nmax_tries = 1\nrate_limit = \"unlimited\"\n", server.url());
    let file = format!(
        "[providers.hn]\nkind = \"hackernews\"\n{address}\n\
         [providers.bsky]\nkind = \"bluesky\"\n{address}user = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\n\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\", \"hn\", \"bsky\"]\n"
    );
    Place::new(database, &address, &file)
}

#[track_caller]
fn once(place: &Place, at: &str) {
    place.program(&["once", "--at", at]).env("BSKY_PASSWORD", "pass-0123-word").run().assert_stderr(0, &[]);
}

#[test]
fn a_post_and_the_page_at_its_address_are_forgotten_together() {
    for (before, named, erased, after, gone) in [
        (PAGES, ["--item", BY_HANDLE], 1, BOTH, "3k"),
        (BOTH, ["--item", BY_ACCOUNT], 2, BOTH, "3k"),
        (BOTH, ["--author", "ann.example"], 2, BOTH, "3k"),
        (POSTS, ["--item", "post:bluesky:did-plc-abc_3k"], 1, PAGES, "3k"),
        (BOTH, ["--item", "post:hackernews:41"], 2, BOTH, "41"),
        (POSTS, ["--author", "bob"], 1, PAGES, "41"),
    ] {
        for database in databases() {
            let found = Arc::new(AtomicU8::new(before));
            let server = service(&found);
            let place = place(database, &server);
            let name = format!("{}: {before} {named:?}", place.database.name);
            once(&place, NINE);
            assert_eq!(place.database.items_of_all(), if before == BOTH { 4 } else { 2 }, "{name}");
            let dry_run = place.json(&["db", "forget", named[0], named[1], "--dry-run", "--json"]);
            let done = place.json(&["db", "forget", named[0], named[1], "--yes", "--json"]);
            assert_eq!((&dry_run["taken"], &done["taken"]["items"]), (&done["taken"], &json!(erased)), "{name}");
            found.store(after, Ordering::SeqCst);
            once(&place, TEN);
            let kept = place.database.all_item_keys();
            assert!(!kept.iter().any(|key| key.contains(gone)), "{name}: {kept:?}");
            assert!(!kept.is_empty(), "{name}");
        }
    }
}
