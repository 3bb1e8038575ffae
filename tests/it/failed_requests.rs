//! Requests that fail: calls that were never sent cost nothing, invalid spans and unknown topics are refused, and a
//! reply cut off in transfer is not reported as a damaged one.

use std::io::Write as _;

use crate::support::daemons::topics;
use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Reply, RequestTrap, Sandbox, bytes, reply};
use crate::support::web_client::Pages;

const THREE: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n";

#[test]
fn a_call_that_was_never_sent_costs_nothing_and_uses_no_proxy() {
    let trap = RequestTrap::set();
    let lines = FakeServer::unreachable().replace("max_tries = 1", "max_tries = 2");
    let place = Place::new(sqlite(), &lines, THREE);
    let tried = |args: &[&str]| {
        let mut program = place.program(args);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            program = program.env(name, &trap.url());
        }
        program.run()
    };
    let ended = tried(&["try", "acme", "--json"]);
    assert_eq!(ended.code, Some(3), "{ended}");
    let output: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let sources = output["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 3);
    for source in sources {
        assert!(source["error"].as_str().unwrap().contains("efused"), "{source}");
        assert_eq!(source["cost_usd"].to_string().trim_matches('"').parse::<f64>().unwrap(), 0.0, "{source}");
        assert_eq!(source["cost_assumed"], false, "{source}");
    }
    let shown = tried(&["try", "acme"]);
    assert!(!shown.out.contains("assumed") && shown.out.contains("$0"), "{shown}");
    assert_eq!(trap.request_count(), 0);
    // A call that was sent but not answered may have been billed.
    let silent = FakeServer::respond_with(|_| Reply::default());
    place.configure(&silent.lines(), THREE);
    let output: serde_json::Value = serde_json::from_str(&place.run(&["try", "acme", "--json"]).out).unwrap();
    assert!(output["sources"].as_array().unwrap().iter().all(|source| source["cost_assumed"] == true), "{output}");
}

#[test]
fn an_export_whose_end_is_before_its_start_is_refused() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let rest = format!("[web]\nlisten = \"127.0.0.1:0\"\n{}", topics(&["acme"]));
        let place = Place::new(database, &sandbox.lines(), &rest);
        place.ok(&["once", "--at", NINE]);
        std::fs::write(place.path("items.csv"), "old").unwrap();
        for args in [
            &["--since", "2026-03-12", "--until", "2026-03-11"][..],
            &["--since", "2026-03-11", "--until", "2026-03-11"],
            &["--since", "1h", "--until", "2h"],
            &["--new-since", "2026-03-12", "--until", "2026-03-11"],
            &["--what", "changes", "--since", "2026-03-12", "--until", "2026-03-11"],
            &["--what", "sightings", "--since", "2026-03-12", "--until", "2026-03-11"],
        ] {
            let ended = place.run(&[&["export", "--out", "items.csv"], args].concat());
            ended.assert_stderr(2, &["--until: `", "is not after --", "hint: swap them, or choose a later --until"]);
            assert_eq!(std::fs::read_to_string(place.path("items.csv")).unwrap(), "old");
        }
        place.ok(&["export", "--out", "items.csv", "--since", "2026-03-11", "--until", "2026-03-12"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let answer = pages.get("/api/v1/exports/items.csv?since=2026-03-12&until=2026-03-11");
        assert_eq!(answer.status, 409, "{}", answer.text);
        assert!(answer.body.contains("is not after since"), "{}", answer.text);
    }
}

#[test]
fn topic_run_refuses_unknown_topics_even_without_a_daemon() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"]));
        place.ok(&["once", "--topic", "acme", "--at", NINE]);
        place
            .run(&["topic", "run", "acmee"])
            .assert_stderr(2, &["there is no topic `acmee`", "did you mean `acme`?", "acme, globex"]);
        place
            .run(&["topic", "run", "acme", "NOSUCH"])
            .assert_stderr(2, &["there is no topic `NOSUCH`", "the topics are: acme, globex"]);
        // A topic that no daemon has read yet is known, too.
        place
            .run(&["topic", "run", "globex"])
            .assert_stderr(3, &["no daemon is running", "topicwatch once --topic globex"]);
    }
}

#[test]
fn a_topic_removed_from_the_file_is_not_called_unknown() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"]));
        place.ok(&["once", "--at", NINE]);
        place.configure(&sandbox.lines(), &topics(&["acme"]));
        place.ok(&["once", "--due", "--at", NINE]);
        for verb in ["pause", "resume"] {
            place.run(&["topic", verb, "globex"]).assert_stderr(
                2,
                &["topic `globex` is not watched: it was removed from the configuration", "are kept"],
            );
        }
        place
            .run(&["items", "mark", "globex", "post:x:nobody", "good"])
            .assert_stderr(2, &["topic `globex` has no item `post:x:nobody`", "hint: "]);
    }
}

#[test]
fn a_broken_chunk_is_reported_as_a_cut_even_in_a_compressed_reply() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(br#"{"results": [{"title": "t", "url": "https://example.com/"}]}"#).unwrap();
    let packed = packed.finish().unwrap();
    let (broken, damaged) = (packed.clone(), packed);
    // The size of the second chunk is not a number.
    let cut = FakeServer::respond_with(move |_| {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked";
        bytes(&[head.as_bytes(), b"\r\n\r\na\r\n", &broken[..10], b"\r\nzz\r\n"].concat())
    });
    let place = Place::new(sqlite(), &cut.lines(), THREE);
    let ended = place.run(&["try", "acme", "--source", "web"]);
    assert!(ended.code == Some(3) && ended.out.contains("cut"), "{ended}");
    assert!(!ended.out.contains("decompress"), "{ended}");
    let damage = FakeServer::respond_with(move |_| {
        let mut body = damaged.clone();
        // After the ten-byte header: a block of the reserved type.
        body[10..].fill(0xff);
        reply("200 OK", "content-type: application/json\r\ncontent-encoding: gzip\r\n", &body)
    });
    place.configure(&damage.lines(), THREE);
    let ended = place.run(&["try", "acme", "--source", "web"]);
    assert!(ended.code == Some(3) && ended.out.contains("cannot be decompressed"), "{ended}");
}

#[test]
fn a_base_url_that_ends_in_the_path_of_a_call_is_refused() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", THREE);
    for path in [
        "/web/search",
        "/ai/search/",
        "/X/search",
        "/v1/ai/search",
        "/twitter",
        "/web",
        "/desearch/ai/search/links/web",
    ] {
        place.configure(&format!("base_url = \"https://api.example.com{path}\""), THREE);
        place
            .run(&["check"])
            .assert_stderr(2, &["`base_url` ends in /", "is the path of one call", "hint: remove that"]);
    }
    for path in ["", "/", "/v1", "/search", "/search/v2", "/webby"] {
        place.configure(&format!("base_url = \"https://api.example.com{path}\""), THREE);
        place.ok(&["check"]);
    }
}

#[test]
fn a_long_retry_after_is_respected() {
    for database in databases() {
        // Two topics run one after the other in one process.
        let two = format!("[scheduler]\nmax_concurrent_runs = 1\n\n{}{}", THREE, THREE.replace("acme", "globex"));
        let sandbox = Sandbox::at(NINE, &["source=social,status=429,retry_after=3600"]);
        let lines = format!("{}max_concurrent = 1\n", sandbox.lines());
        let place = Place::new(database, &lines, &two);
        let ended = place.run(&["once", "--at", NINE]);
        assert_eq!(ended.code, Some(3), "{ended}");
        let name = place.database.name;
        let searches = place.database.texts(
            "SELECT topic || ' ' || source || ' ' || state || ' ' || tries || ' ' || coalesce(error_text, '') \
             FROM v_search ORDER BY seq, source",
        );
        let social: Vec<&String> = searches.iter().filter(|search| search.contains(" social ")).collect();
        assert!(social[0].contains(" error 1 "), "{name}: {searches:?}");
        assert!(
            social[1].contains(" not_run 0 not called, the service asked to wait until 2026-03-11T10:00:00Z"),
            "{name}: {searches:?}"
        );
        // The other sources have limits of their own.
        assert_eq!(searches.iter().filter(|search| search.contains(" ok 1 ")).count(), 4, "{name}: {searches:?}");
        assert_eq!(sandbox.calls(), 5, "{name}");
    }
    // A time beyond the last valid date is not shown.
    let slow = FakeServer::respond_with(|_| reply("429 Too Many Requests", "retry-after: 999999999999999\r\n", b""));
    let social = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
    let two = format!("[scheduler]\nmax_concurrent_runs = 1\n\n{social}{}", social.replace("acme", "globex"));
    let place = Place::new(sqlite(), &format!("{}max_concurrent = 1\n", slow.lines()), &two);
    let ended = place.run(&["once", "--at", NINE]);
    ended.assert_stderr(3, &[]);
    assert!(!format!("{}{}", ended.out, ended.err).contains("out-of-range"), "{ended}");
    let errors = place.database.texts("SELECT error_text FROM v_search ORDER BY seq");
    assert!(
        errors[1].starts_with("not called until 2026-03-12T09:00:00Z, because an earlier call got 429"),
        "{errors:?}"
    );
}
