//! Replies that no honest service sends, through `once` on both databases: the run is recorded or its good items are
//! stored, both databases have the same content, memory stays bounded, and no control sequence reaches the terminal.

use std::sync::{Arc, Mutex};

use crate::support::databases::{databases, sqlite};
use crate::support::program::{KEY, NINE, Place};
use crate::support::service::{FakeServer, Reply, Sandbox, bytes, repeated, reply};
use crate::support::stored::COST;

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\n";
/// The most memory the process may use, in KiB, in an unoptimised build.
const MEMORY: u64 = 200 * 1024;

/// A social reply and its result: the search's `state class`, and the number of stored posts. No two have a post in
/// common.
struct Case {
    name: &'static str,
    reply: fn() -> Reply,
    becomes: &'static str,
    posts: i64,
}

fn json(body: &[u8]) -> Reply {
    reply("200 OK", "content-type: application/json\r\n", body)
}

fn gzip(body: &[u8], times: usize) -> Reply {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..times).for_each(|_| packed.write_all(body).unwrap());
    reply("200 OK", "content-encoding: gzip\r\n", &packed.finish().unwrap())
}

const CASES: &[Case] = &[
    Case {
        name: "a web page",
        reply: || reply("200 OK", "content-type: text/html\r\n", b"<!doctype html><html><body>Sign in</body></html>"),
        becomes: "error malformed",
        posts: 0,
    },
    Case { name: "no byte", reply: || json(b""), becomes: "error malformed", posts: 0 },
    Case { name: "nothing in it", reply: || json(br#"{"results": []}"#), becomes: "empty -", posts: 0 },
    Case { name: "a text for a list", reply: || json(br#"{"results": "soon"}"#), becomes: "error malformed", posts: 0 },
    Case {
        name: "entries of another format",
        reply: || json(br#"{"results": [{"body": "one", "permalink": "/1"}, {"body": "two", "permalink": "/2"}]}"#),
        becomes: "error malformed",
        posts: 0,
    },
    Case {
        name: "an answer for a list",
        reply: || reply("200 OK", "content-type: text/event-stream\r\n", b"data: {\"summary\": \"words\"}\n\n"),
        becomes: "error malformed",
        posts: 0,
    },
    Case {
        name: "JSON that stops in the middle",
        reply: || json(br#"{"results": [{"text": "one", "user": "ann"}, {"text": "tw"#),
        becomes: "error cut",
        posts: 1,
    },
    Case {
        name: "a connection that is cut",
        reply: || bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"results\": ["),
        becomes: "error cut",
        posts: 0,
    },
    Case { name: "no HTTP", reply: || bytes(b"220 mail.example ESMTP\r\n"), becomes: "error transport", posts: 0 },
    Case { name: "silence", reply: || bytes(b""), becomes: "error transport", posts: 0 },
    Case {
        name: "a redirect",
        reply: || reply("302 Found", "location: http://elsewhere.example/\r\n", b""),
        becomes: "error redirect",
        posts: 0,
    },
    Case {
        name: "arrays nested 100,000 deep",
        reply: || json("[".repeat(100_000).as_bytes()),
        becomes: "error malformed",
        posts: 0,
    },
    Case {
        name: "objects nested 100,000 deep in a post",
        reply: || {
            let (open, close) = ("{\"a\":".repeat(100_000), "}".repeat(100_000));
            json(format!(r#"{{"results": [{{"text": "deep", "x": {open}1{close}}}]}}"#).as_bytes())
        },
        becomes: "error malformed",
        posts: 0,
    },
    Case {
        name: "200 MB",
        reply: || repeated("200 OK", "", &[b' '; 1_000_000], 200),
        becomes: "error too_large",
        posts: 0,
    },
    Case {
        name: "200 MB under the cap of nobody, in small posts",
        reply: || repeated("200 OK", "", br#"{"text":"x"},"#.repeat(10_000).as_slice(), 1_600),
        becomes: "error too_large",
        posts: 0,
    },
    Case {
        name: "half a million posts below the cap of bytes",
        reply: || {
            let posts: Vec<String> = (0..500_000).map(|n| format!(r#"{{"text":"post {n}"}}"#)).collect();
            json(format!(r#"{{"results":[{}]}}"#, posts.join(",")).as_bytes())
        },
        becomes: "ok -",
        posts: 1_000,
    },
    Case { name: "a gzip bomb", reply: || gzip(&[b'['; 1_000_000], 200), becomes: "error too_large", posts: 0 },
    Case {
        name: "broken gzip",
        reply: || reply("200 OK", "content-encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\0 this is no deflate"),
        becomes: "error malformed",
        posts: 0,
    },
    Case {
        name: "bytes that are not UTF-8",
        reply: || {
            json(b"{\"results\": [{\"text\": \"caf\xe9\", \"user\": \"ann\"}, {\"text\": \"two\", \"user\": \"bob\"}]}")
        },
        becomes: "ok -",
        posts: 2,
    },
    Case {
        name: "a lone surrogate",
        reply: || json(br#"{"results": [{"text": "half \ud83d", "user": "ann"}, {"text": "two", "user": "cleo"}]}"#),
        becomes: "ok -",
        posts: 2,
    },
    Case {
        name: "NUL, escapes and overrides",
        reply: || {
            json(
                "{\"results\": [{\"text\": \"a\\u0000b\\u001b[2J\\u009b31m\\u202eevil\", \"user\": \"an\\u001b]0;n\\u0007n\"}, {\"text\": \"two\", \"user\": \"dora\"}]}"
                    .as_bytes(),
            )
        },
        becomes: "ok -",
        posts: 2,
    },
    Case {
        name: "bad items among good ones",
        reply: || {
            json(br#"{"results": [{"text": "one", "user": "eve"}, 17, null, [], {}, {"text": {"no": 1}}, "", {"id": 7, "text": "two", "created_at": "never", "user": 5}]}"#)
        },
        becomes: "ok -",
        posts: 2,
    },
    Case {
        name: "a byte order mark and a very long post",
        reply: || json(format!("\u{feff}{{\"results\": [{{\"text\": \"{}\"}}]}}", "long ".repeat(400_000)).as_bytes()),
        becomes: "ok -",
        posts: 1,
    },
];

/// Everything stored that does not depend on time or on the database's own ids.
fn stored_content(place: &Place) -> Vec<String> {
    let mut all = place.database.texts(&format!(
        "SELECT s.topic || ' ' || s.source || ' ' || s.state || ' ' || coalesce(s.error_class, '-') || ' ' || coalesce(s.error_text, '-') || ' ' || \
         s.found || ' ' || s.unreadable || ' ' || coalesce({COST}, -1) FROM v_search s ORDER BY s.topic, s.source",
    ));
    all.extend(place.database.texts(
        "SELECT i.key || ' ' || coalesce(i.author, '-') || ' ' || coalesce(i.text, '-') FROM v_item i ORDER BY i.key",
    ));
    for what in ["items", "sightings", "runs"] {
        all.push(place.ok(&["export", "--what", what]));
    }
    all
}

#[test]
fn every_hostile_reply_is_recorded_and_the_other_source_is_kept() {
    // Each case is a topic, so that the results of all cases are read once. Its number is in the address of its page.
    let now = Arc::new(Mutex::new((0, Reply::default())));
    let said = Arc::clone(&now);
    let server = FakeServer::respond_with(move |path| {
        let said = said.lock().unwrap();
        let (n, social) = &*said;
        match path {
            "/X/search" => social.clone(),
            _ => {
                json(format!(r#"{{"results": [{{"title": "A page", "url": "https://example.com/{n}"}}]}}"#).as_bytes())
            }
        }
    });
    let topic = |n: usize| TOPIC.replace("\"acme\"\nquery", &format!("\"acme-{n}\"\nquery"));
    let topics: String = (0..CASES.len()).map(topic).collect();
    let place = |database| Place::new(database, &server.lines(), &topics);
    let places: Vec<Place> = databases().into_iter().map(place).collect();
    for (n, case) in CASES.iter().enumerate() {
        *now.lock().unwrap() = (n, (case.reply)());
        let topic = format!("acme-{n}");
        for place in &places {
            let reported = format!("{} on {}", case.name, place.database.name);
            let (ended, peak_kib) =
                place.program(&["once", "--at", NINE, "--topic", &topic]).start().wait_and_measure();
            ended.assert_stdout(if case.becomes.starts_with("error") { 3 } else { 0 }, &[&topic]);
            assert!(peak_kib < MEMORY, "{reported}: {peak_kib} KiB");
            let social = place.database.texts(&format!(
                "SELECT state || ' ' || coalesce(error_class, '-') FROM v_search WHERE source = 'social' AND topic = '{topic}'"
            ));
            assert_eq!(social, [case.becomes], "{reported}\n{ended}");
            let kept = place.database.texts(&format!("SELECT kind FROM v_item WHERE topic = '{topic}' ORDER BY kind"));
            assert_eq!(kept.iter().filter(|kind| *kind == "page").count(), 1, "{reported}: the web page is kept");
            assert_eq!(kept.len() as i64 - 1, case.posts, "{reported}: posts\n{ended}");
            if case.posts > 0 {
                for verb in [&["show", &topic][..], &["show", &topic, "--md"]] {
                    place.run(verb).assert_stdout(0, &[&topic]);
                }
            }
        }
    }
    let mut first: Option<Vec<String>> = None;
    for place in &places {
        let name = place.database.name;
        for verb in [&["items", "--limit", "2000"][..], &["runs", "--searches", "--limit", "50"], &["status"]] {
            let ended = place.run(verb);
            ended.assert_stdout(0, &[]);
            for (n, case) in CASES.iter().enumerate() {
                assert!(ended.out.contains(&format!("acme-{n} ")), "{verb:?}: {} on {name}\n{ended}", case.name);
            }
        }
        let posts: i64 = CASES.iter().map(|case| case.posts + 1).sum();
        assert_eq!(place.database.items(), posts, "{name}: no case has an item of another");
        let held = stored_content(place);
        assert!(!held.iter().any(|text| text.contains('\0')), "{name}");
        assert_eq!(first.get_or_insert_with(|| held.clone()), &held, "{name} holds something else");
    }
}

#[test]
fn the_sandbox_imitates_every_kind_of_broken_reply() {
    for (rule, becomes) in [
        ("malformed=html", "error malformed"),
        ("malformed=json", "error cut"),
        ("malformed=blank", "error malformed"),
        ("malformed=deep", "error malformed"),
        ("malformed=surrogate", "ok -"),
        ("malformed=nul", "ok -"),
        ("malformed=utf8", "ok -"),
        ("bomb", "error too_large"),
        ("cut=200", "error cut"),
        ("truncate=200", "error cut"),
        ("empty", "empty -"),
        ("error_frame", "error service_error"),
        ("reset", "error transport"),
        ("redirect", "error redirect"),
    ] {
        let sandbox = Sandbox::at(NINE, &[&format!("source=social,{rule}")]);
        let place = Place::new(sqlite(), &sandbox.lines(), TOPIC);
        let (ended, peak_kib) = place.program(&["once", "--at", NINE]).start().wait_and_measure();
        ended.assert_stdout(if becomes.starts_with("error") { 3 } else { 0 }, &["SANDBOX"]);
        assert!(peak_kib < MEMORY, "{rule}: {peak_kib} KiB");
        let social = place
            .database
            .texts("SELECT state || ' ' || coalesce(error_class, '-') FROM v_search WHERE source = 'social'");
        assert_eq!(social, [becomes], "{rule}\n{ended}");
        assert_eq!(place.database.number("SELECT count(*) FROM v_item WHERE kind = 'page'"), 5, "{rule}");
        if becomes == "ok -" {
            assert_ne!(place.database.number("SELECT count(*) FROM v_item WHERE kind = 'post'"), 0, "{rule}");
        }
    }
}

#[test]
fn a_key_echoed_in_two_stream_pieces_is_redacted() {
    for database in databases() {
        // The pieces of the stream are joined into one answer: the key is in neither piece, but in both together.
        let (first, second) = KEY.split_at(KEY.len() / 2);
        let body = [first, second]
            .map(|part| {
                format!("data: {}\n\n", serde_json::json!({ "type": "text", "role": "summary", "content": part }))
            })
            .concat();
        let server = FakeServer::respond_with(move |_| reply("200 OK", "", body.as_bytes()));
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"ai\"]\nstreaming = true\n";
        let place = Place::new(database, &server.lines(), topic);
        place.run(&["once", "--at", NINE]);
        let answers = place.database.texts("SELECT text FROM v_answer");
        assert_eq!(answers, ["***"], "{}", place.database.name);
        place.run(&["show", "acme", "--md"]).assert_stdout(0, &["acme"]);
    }
}
