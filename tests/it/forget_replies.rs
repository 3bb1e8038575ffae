//! Replies and answers that did not find a forgotten item but name it: by its address, or in the request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::replies::{self, ReplyServer};
use crate::support::service::{FakeServer, reply};
use crate::support::world::{ScriptedService, post, run_once};

const TEN: &str = "2026-03-11T10:00:00Z";
/// From the end of what a search covered to its run.
const UNCLAIMED: &str =
    "SELECT s.covered_until || ' ' || r.started_at FROM v_search s JOIN v_run r ON r.run = s.run ORDER BY s.seq";
const POST: &str = "https://x.com/i/status/1900000000000000001";

/// A post as long as `found` is true, and an answer that cites its address.
fn service(found: &Arc<AtomicBool>) -> FakeServer {
    let found = Arc::clone(found);
    FakeServer::respond_with(move |path| {
        let post = json!({ "id": "1900000000000000001", "user": "ann", "text": "acme opens a shop", "created_at": "2026-03-11T08:00:00Z" });
        let posts = if found.load(Ordering::SeqCst) { json!([post]) } else { json!([]) };
        let body = match path.starts_with("/ai/") {
            true => json!({ "summary": format!("It began with {POST}, they say."), "cost_usd": 0.001 }),
            false => json!({ "results": posts }),
        };
        reply("200 OK", "content-type: application/json\r\n", body.to_string().as_bytes())
    })
}

fn topic(query: &str) -> String {
    format!("[[topics]]\nid = \"acme\"\nquery = \"{query}\"\nsources = [\"social\", \"ai\"]\nai.when = \"always\"\n")
}

#[test]
fn an_answer_that_cites_a_forgotten_item_is_deleted_and_not_stored_again() {
    for database in databases() {
        let found = Arc::new(AtomicBool::new(true));
        let server = service(&found);
        let place = Place::new(database, &server.lines(), &topic("acme"));
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        let replies = || place.database.number("SELECT count(*) FROM raw_reply");
        assert_eq!(replies(), 2, "{name}");
        let dry_run = place.json(&["db", "forget", "--item", POST, "--dry-run", "--json"]);
        place.ok(&["db", "forget", "--item", POST, "--yes"]);
        // The answer's reply has the address.
        assert_eq!((&dry_run["taken"]["answers"], replies()), (&json!(1), 0), "{name}");
        found.store(false, Ordering::SeqCst);
        place.ok(&["once", "--at", TEN]);
        let answers = place.database.texts("SELECT text FROM v_answer ORDER BY seq");
        assert_eq!(answers, ["[erased]", "[erased]"], "{name}");
        assert_eq!(replies(), 1, "{name}: the reply with the posts");
    }
}

#[test]
fn replies_whose_request_names_a_forgotten_author_are_deleted() {
    for database in databases() {
        let found = Arc::new(AtomicBool::new(false));
        let server = service(&found);
        let place = Place::new(database, &server.lines(), &topic("from:jane_d"));
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        place.configure(&server.lines(), &topic("acme"));
        place.ok(&["once", "--at", TEN]);
        let replies = || place.database.number("SELECT count(*) FROM raw_reply");
        let before = replies();
        let taken = place.json(&["db", "forget", "--author", "jane_d", "--dry-run", "--json"])["taken"].clone();
        place.ok(&["db", "forget", "--author", "jane_d", "--yes"]);
        assert_eq!((&taken["raw_replies"], before, replies()), (&json!(2), 4, 2), "{name}");
    }
}

#[test]
fn forgetting_an_author_named_like_a_parameter_keeps_other_replies() {
    for database in databases() {
        let server = service(&Arc::new(AtomicBool::new(true)));
        let place = Place::new(database, &server.lines(), &topic("acme"));
        place.ok(&["once", "--at", NINE]);
        let authors = ["--author", "search", "--author", "limit", "--author", "social"];
        let dry_run = place.json(&[&["db", "forget", "--dry-run", "--json"][..], &authors[..]].concat());
        place.ok(&[&["db", "forget", "--yes"][..], &authors[..]].concat());
        let left = place.database.number("SELECT count(*) FROM raw_reply");
        assert_eq!((&dry_run["taken"]["raw_replies"], left), (&json!(0), 2), "{}", place.database.name);
    }
}

#[test]
fn replies_that_still_show_forgotten_posts_do_not_move_the_end_of_what_is_covered() {
    for database in databases() {
        let world = ScriptedService::new();
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &world.lines(), topic);
        world.set_posts(&[post(1, 20, "acme opens a shop", 1), post(2, 21, "acme closes a shop", 1)]);
        run_once(&place, 24);
        run_once(&place, 25);
        place.ok(&["db", "forget", "--author", "author1", "--yes"]);
        run_once(&place, 26);
        run_once(&place, 27);
        assert_eq!(place.database.lengths(UNCLAIMED), [300_000; 4], "{}", place.database.name);
    }
}

#[test]
fn a_provider_that_still_shows_forgotten_posts_covers_time_up_to_five_minutes_ago() {
    let nine = 1_773_219_600;
    let hit = |hours: i64, author: &str| {
        let at = nine - hours * 3_600;
        json!({ "objectID": hours.to_string(), "created_at_i": at, "author": author, "comment_text": "acme opens a shop" })
    };
    let body = json!({ "hits": [hit(3, "ann"), hit(4, "bob")], "nbHits": 2, "exhaustiveNbHits": true }).to_string();
    for database in databases() {
        let server = ReplyServer::start(vec![replies::reply(200, &[], &body)]);
        let provider = format!("[providers.hn]\nkind = \"hackernews\"\nbase_url = \"{}\"\n\n", server.url());
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"1h\"\n";
        let place = Place::without_service(database, &format!("{provider}{topic}"));
        place.ok(&["once", "--at", NINE]);
        place.ok(&["db", "forget", "--author", "ann", "--yes"]);
        place.ok(&["once", "--at", TEN]);
        assert_eq!(place.database.lengths(UNCLAIMED), [300_000; 2], "{}", place.database.name);
    }
}
