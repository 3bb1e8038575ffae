//! Exports over the API: the same bytes as the command, refused for the same reasons, a few at a time, and never
//! truncated without a sign.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::support::access_stage::add_token;
use crate::support::api_client::{Reply, get_json, request_text, send_request};
use crate::support::databases::{block_on, databases, sql_literal};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;
use crate::support::word_index::queue_for_index;

const EIGHT: &str = "2026-03-11T08:00:00Z";

fn place(database: crate::support::databases::Database) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(EIGHT, &[]);
    // One more topic, whose tag finds nothing.
    let quiet =
        "[[topics]]\nid = \"quiet\"\nquery = \"q\"\nsources = [\"social\"]\ntags = [\"nothing\"]\nevery = \"12h\"\n";
    let place = Place::new(database, &sandbox.lines(), &format!("{TOPICS}{quiet}"));
    for at in [EIGHT, NINE] {
        sandbox.set_clock(at);
        place.ok(&["once", "--at", at, "--topic", "acme", "--topic", "rust"]);
    }
    (sandbox, place)
}

/// Options with their values.
type Filter<'a> = Vec<(&'a str, &'a str)>;

/// The options of the command and the equivalent query parameters.
fn options_and_query(filter: &[(&str, &str)]) -> (Vec<String>, String) {
    let options =
        filter.iter().flat_map(|(name, value)| [format!("--{}", name.replace('_', "-")), (*value).to_owned()]);
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in filter {
        query.append_pair(name, value);
    }
    (options.collect(), query.finish())
}

#[test]
fn an_api_export_has_the_same_bytes_as_the_command() {
    const ALL: [&str; 8] = ["items", "sightings", "new", "runs", "searches", "answers", "daily", "changes"];
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = place(database);
        // The bytes are the same for any content, including hostile texts.
        block_on(place.database.execute("UPDATE item SET text = '=cmd|''/C calc''!A0 \"q\", '' 😀' WHERE id % 5 = 0; UPDATE item SET author = '@ann' WHERE id % 7 = 0"));
        place.ok(&["search", "launch"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let run = place.database.texts("SELECT run FROM v_run WHERE topic = 'acme' ORDER BY seq LIMIT 1").remove(0);
        let mut asked: Vec<(&str, &str, Filter<'_>)> = Vec::new();
        for what in ALL {
            asked.push((what, "csv", vec![]));
            asked.push((what, "csv", vec![("profile", "excel")]));
            asked.push((what, "jsonl", vec![("topic", "acme")]));
        }
        asked.extend([
            ("items", "csv", vec![("tone", "negative"), ("tone", "positive"), ("source", "social")]),
            ("items", "csv", vec![("new_since", "2026-03-11T08:30:00Z"), ("filtered", "hide")]),
            ("items", "csv", vec![("author", "@ann"), ("search", "cmd -nothing")]),
            ("sightings", "csv", vec![("since", NINE), ("tag", "nothing")]),
            ("sightings", "csv", vec![("seq", "1..3"), ("search", "launch")]),
            ("new", "csv", vec![("until", NINE), ("topic", "acme"), ("topic", "rust")]),
            ("daily", "csv", vec![("timezone", "Asia/Kolkata"), ("topic", "rust")]),
            ("changes", "csv", vec![("since", run.as_str()), ("topic", "acme")]),
            ("changes", "jsonl", vec![("new_since", "2026-03-11")]),
        ]);
        for (what, format, filter) in asked {
            let (options, query) = options_and_query(&filter);
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let by_hand = place.ok(&[&["export", "--what", what, "--format", format][..], &options].concat());
            let reply = send_request(&pages, "GET", &format!("/api/v1/exports/{what}.{format}?{query}"), &[], "");
            assert_eq!((reply.status, reply.whole), (200, true), "{name} {what} {query}\n{}", reply.text());
            assert!(
                reply.body == by_hand.as_bytes(),
                "{name} {what}.{format} {query}\n{}\n---\n{by_hand}",
                reply.text()
            );
            let kept = format!("attachment; filename=\"{what}.{format}\"");
            assert_eq!(reply.header("content-disposition"), Some(kept.as_str()));
        }
    }
}

#[test]
fn an_api_export_refuses_what_the_command_refuses() {
    let (_sandbox, place) = place(crate::support::databases::sqlite());
    let pages = Pages::serve(&place, &["--at", NINE]);
    for (status, what, filter) in [
        (409, "runs", vec![("tone", "negative")]),
        (409, "items", vec![("seq", "1..2")]),
        (409, "items", vec![("timezone", "Europe/Berlin")]),
        (404, "daily", vec![("timezone", "Europe/Berln")]),
        (409, "runs", vec![("seq", "9..2")]),
        (400, "runs", vec![("seq", "2..")]),
        (400, "items", vec![("since", "soon")]),
        (409, "items", vec![("since", "last-report")]),
        (409, "items", vec![("since", "24h"), ("until", "48h")]),
        (409, "items", vec![("search", "-page")]),
        (409, "items", vec![("lang", "english")]),
        (400, "changes", vec![("since", "nothing")]),
        (404, "changes", vec![("since", "topic:acme@2020-01-01T00:00:00Z")]),
        (404, "changes", vec![("since", "last-report")]),
        (409, "changes", vec![("since", "24h"), ("new_since", "24h")]),
        (409, "runs", vec![("filtered", "hide")]),
        (404, "items", vec![("topic", "nobody")]),
        (400, "items", vec![("tone", "cross")]),
        (404, "items", vec![("source", "mars")]),
        (400, "items", vec![("profile", "word")]),
    ] {
        let (options, query) = options_and_query(&filter);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        place.run(&[&["export", "--what", what][..], &options].concat()).assert_stderr(2, &[]);
        let reported =
            send_request(&pages, "GET", &format!("/api/v1/exports/{what}.csv?{query}"), &[], "").assert_problem(status);
        assert!(!reported.contains("--"), "{reported}");
    }
    send_request(&pages, "GET", "/api/v1/exports/items.jsonl?profile=excel", &[], "").assert_problem(409);
    for file in ["items", "items.xlsx", "users.csv", "..%2fitems.csv"] {
        send_request(&pages, "GET", &format!("/api/v1/exports/{file}"), &[], "").assert_problem(404);
    }
    // Items that are not indexed yet would be missing without a warning.
    queue_for_index(&place.database, "id = 1");
    let reply = send_request(&pages, "GET", "/api/v1/exports/items.csv?search=launch", &[], "");
    reply.assert_problem(503);
    assert!(reply.header("retry-after").is_some(), "{}", reply.text());
}

#[test]
fn a_failed_api_export_breaks_its_connection() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = place(database);
        let pages = Pages::serve(&place, &["--at", NINE]);
        assert!(send_request(&pages, "GET", "/api/v1/exports/items.csv", &[], "").whole);
        // A row that this version cannot read.
        block_on(place.database.execute("UPDATE item SET tone = 'nonsense' WHERE id = (SELECT max(id) FROM item)"));
        let reply = send_request(&pages, "GET", "/api/v1/exports/items.csv", &[], "");
        assert!(!reply.whole, "{name}: {}", reply.text());
        get_json(&pages, "/api/v1/topics");
    }
}

/// Adds more items than the socket buffers of a client that does not read can take.
fn add_many_items(place: &Place) {
    let text = "many words ".repeat(90);
    place.database.make_items(30_000, &[("text", &sql_literal(&text))]);
    let run = place.database.first_run("acme");
    place.database.add_items_to_topic("acme", &run, "key LIKE 'post:made:%'");
}

/// Starts an export and reads only the start of its answer.
fn start_unread_export(pages: &Pages) -> Option<TcpStream> {
    let mut stream = pages.connect();
    stream.write_all(request_text(pages, "GET", "/api/v1/exports/items.csv", &[], "").as_bytes()).unwrap();
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).unwrap();
    begin.ends_with(b" 200").then_some(stream)
}

#[test]
fn at_most_two_exports_run_and_a_disconnect_ends_one() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = place(database);
        add_many_items(&place);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let refused = || send_request(&pages, "HEAD", "/api/v1/exports/runs.csv", &[], "").status == 503;
        let taken = std::cell::RefCell::new(Vec::new());
        crate::support::program::wait_until("two exports that are held", || {
            let mut taken = taken.borrow_mut();
            taken.clear();
            taken.extend([start_unread_export(&pages), start_unread_export(&pages)].into_iter().flatten());
            refused()
        });
        let reply = send_request(&pages, "GET", "/api/v1/exports/runs.csv", &[], "");
        if reply.status == 503 {
            reply.assert_problem(503);
            assert!(reply.header("retry-after").is_some(), "{}", reply.text());
        }
        // Neither a page nor a run waits for them.
        get_json(&pages, "/api/v1/topics");
        get_json(&pages, "/api/v1/topics/acme/items?limit=5");
        let later = "2026-03-11T10:00:00Z";
        sandbox.set_clock(later);
        place.ok(&["once", "--at", later]);
        // A client that disconnects frees its place for the next.
        taken.borrow_mut().clear();
        crate::support::program::wait_until("a place", || !refused());
        let reply = send_request(&pages, "GET", "/api/v1/exports/runs.csv", &[], "");
        assert_eq!((reply.status, reply.whole), (200, true), "{name}: {}", reply.text());
        // The program does not wait for clients that do not read when it ends.
        let _held = start_unread_export(&pages);
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        assert_eq!(ended.code, Some(0), "{name}: {ended}");
    }
}

#[test]
fn an_export_ends_when_its_token_is_withdrawn() {
    for database in databases() {
        let (_sandbox, place) = place(database);
        add_many_items(&place);
        let [ann, bob] = ["ann", "bob"].map(|name| add_token(&place, &[name, "--role", "read", "--topic", "acme"]));
        let pages = Pages::serve(&place, &["--at", NINE]);
        let [mut withdrawn, mut other] = [&ann, &bob].map(|secret| {
            let bearer = format!("Bearer {secret}");
            let headers = [("Authorization", bearer.as_str())];
            let mut stream = pages.connect();
            let asked = request_text(&pages, "GET", "/api/v1/exports/items.csv", &headers, "");
            stream.write_all(asked.as_bytes()).unwrap();
            let mut begin = vec![0; 12];
            stream.read_exact(&mut begin).unwrap();
            assert!(begin.ends_with(b" 200"));
            (stream, begin)
        });
        place.ok(&["token", "withdraw", "ann"]);
        // Neither client reads. The withdrawn token's place becomes free long before the timeout of a stalled export.
        let begun = Instant::now();
        let bearer = format!("Bearer {bob}");
        let headers = [("Authorization", bearer.as_str())];
        crate::support::program::wait_until("a place", || {
            send_request(&pages, "HEAD", "/api/v1/exports/runs.csv", &headers, "").status != 503
        });
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", place.database.name);
        let whole = |(stream, begin): &mut (TcpStream, Vec<u8>)| {
            let _ = stream.read_to_end(begin);
            Reply::parse(begin).whole
        };
        assert_eq!((whole(&mut withdrawn), whole(&mut other)), (false, true), "{}", place.database.name);
    }
}
