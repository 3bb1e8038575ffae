//! Who gets answers from the API, and the limits of requests: host names, tokens, sizes, timeouts, number.

use std::io::{Read as _, Write as _};

use serde_json::Value;

use crate::support::api_client::{Reply, get_json, request_text, send_request};
use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN};
use crate::support::web_topics::TOPICS;

const REQUESTS: &str = "/api/v1/topics/acme/requests";

#[test]
fn every_api_error_is_a_problem_document_without_the_program_version() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let (own, origin) = (pages.address.clone(), pages.origin());
    let long = "x".repeat(40_000);
    let json = ("Content-Type", "application/json");
    for (status, method, path, headers, body) in [
        (421, "GET", "/api/v1/topics", vec![("Host", "evil.example")], ""),
        (421, "GET", "/api/v1/nowhere", vec![("Host", "127.0.0.1.evil.example")], ""),
        (400, "GET", "/api/v1/topics", vec![("Host", "localhost"), ("Host", "evil.example")], ""),
        (404, "GET", "/api/v1/nowhere", vec![("Host", own.as_str())], ""),
        (404, "GET", "/api/../../etc/passwd", vec![], ""),
        (405, "DELETE", "/api/v1/topics", vec![("Origin", &origin)], ""),
        (405, "TRACE", "/api/v1/topics", vec![], ""),
        (414, "GET", &format!("/api/v1/runs?topic={}", "x".repeat(17_000)), vec![], ""),
        (431, "GET", "/api/v1/topics", vec![("X-Long", &long)], ""),
        (413, "POST", REQUESTS, vec![json], &long),
        (403, "POST", REQUESTS, vec![json], "{\"action\": \"pause\"}"),
        (403, "POST", REQUESTS, vec![json, ("Origin", "http://evil.example")], "{\"action\": \"pause\"}"),
        (403, "POST", REQUESTS, vec![json, ("Authorization", "Bearer guessed")], "{\"action\": \"pause\"}"),
    ] {
        let reply = send_request(&pages, method, path, &headers, body);
        reply.assert_problem(status);
        for (name, part) in [("cache-control", "no-store"), ("x-content-type-options", "nosniff")] {
            assert!(reply.header(name).is_some_and(|value| value.contains(part)), "{}", reply.text());
        }
        assert!(reply.header("access-control-allow-origin").is_none() && reply.header("server").is_none());
        assert!(!reply.text().contains(env!("CARGO_PKG_VERSION")), "{}", reply.text());
    }
    assert_eq!(place.database.requests(), 0);
    // A page of another site may not read answers, and the document contains no version except the API's.
    let reply = send_request(&pages, "GET", "/api/v1/topics", &[("Origin", "http://evil.example")], "");
    assert!(reply.status == 200 && reply.header("access-control-allow-origin").is_none(), "{}", reply.text());
    assert_eq!(get_json(&pages, "/api/v1/openapi.json")["info"]["version"], "1.0.0");
}

#[test]
fn requests_without_the_configured_token_are_refused() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let pages = Pages::serve_with_token(&place, &["--at", NINE]);
        let cookie = pages.log_in();
        for path in ["/api", "/api/v1/topics", "/api/v1/openapi.json", "/api/v1/nowhere", "/api/v1/exports/items.csv"] {
            for headers in [
                vec![],
                vec![("Authorization", "Bearer x")],
                vec![("Authorization", "Bearer ")],
                vec![("Authorization", "Basic eDp5")],
                vec![("Cookie", cookie.as_str())],
            ] {
                let reply = send_request(&pages, "GET", path, &headers, "");
                reply.assert_problem(401);
                assert_eq!(reply.header("www-authenticate"), Some("Bearer"), "{path}");
                assert!(!reply.text().contains("acme") && !reply.text().contains("Acme"), "{}", reply.text());
            }
        }
        let bearer = format!("Bearer {TOKEN}");
        let reply = send_request(&pages, "GET", "/api/v1/topics", &[("Authorization", &bearer)], "");
        assert!(reply.status == 200 && reply.text().contains("Acme & Sons"), "{}", reply.text());
        let document = send_request(&pages, "GET", "/api/v1/openapi.json", &[("Authorization", &bearer)], "").json();
        assert_eq!(document["security"], serde_json::json!([{ "token": [] }]));
        // A process that only reads changes nothing and accepts no request.
        let json = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        send_request(&pages, "POST", REQUESTS, &json, "{\"action\": \"pause\"}").assert_problem(403);
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        assert!(!ended.err.contains(TOKEN) && !ended.out.contains(TOKEN), "{ended}");
    }
}

#[test]
fn a_daemon_executes_authorised_requests_and_reports_their_result() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        let pages = Pages::run(&place);
        let bearer = format!("Bearer {TOKEN}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json; charset=utf-8")];
        let see = |path: &str| -> Reply { send_request(&pages, "GET", path, &headers[..1], "") };
        let put = |action: &str| -> (String, Value) {
            let reply = send_request(&pages, "POST", REQUESTS, &headers, &format!("{{\"action\": \"{action}\"}}"));
            assert_eq!(reply.status, 202, "{name}: {}", reply.text());
            let value = reply.json()["data"].clone();
            assert_eq!((&value["action"], &value["topic"]), (&action.into(), &"acme".into()));
            (reply.header("location").unwrap().to_owned(), value)
        };
        let done = |place: &str| -> Value {
            crate::support::program::wait_until("the end of a request", || {
                see(place).json()["data"]["state"] == "done"
            });
            see(place).json()["data"].clone()
        };
        let (asked, queued) = put("run-now");
        assert_eq!(asked, format!("{REQUESTS}/{}", queued["id"].as_str().unwrap()));
        let reported = done(&asked);
        assert_eq!((&reported["answer"], &reported["run"]), (&"queued".into(), &queued["id"]));
        let run = format!("/api/v1/runs/{}", reported["run"].as_str().unwrap());
        crate::support::program::wait_until("the run", || see(&run).json()["data"]["state"] == "ok");
        assert_eq!(see(&run).json()["data"]["trigger"], "manual");
        assert_eq!(done(&put("pause").0)["answer"], "paused");
        let paused = see("/api/v1/topics/acme").json()["data"]["paused"].clone();
        let reason = "requested through the pages or the API";
        assert_eq!((&paused["by"], &paused["reason"]), (&"pause".into(), &reason.into()), "{name}");
        assert_eq!(done(&put("resume").0)["answer"], "resumed");
        assert_eq!(see("/api/v1/topics/acme").json()["data"]["paused"], Value::Null, "{name}");
        assert_eq!(see(REQUESTS).json()["data"].as_array().unwrap().len(), 3);
        // Unauthorised and invalid requests write no row.
        let rows = place.database.requests();
        let (cookie, origin) = (pages.log_in(), pages.origin());
        let json = headers[1];
        let right = "{\"action\": \"pause\"}";
        for (status, headers, body) in [
            (401, vec![json], right),
            (401, vec![json, ("Authorization", "Bearer x")], right),
            (401, vec![json, ("Cookie", cookie.as_str()), ("Origin", origin.as_str())], right),
            (415, vec![headers[0]], right),
            (415, vec![headers[0], ("Content-Type", "text/plain")], right),
            (400, headers.to_vec(), "{\"action\": \"drop\"}"),
            (400, headers.to_vec(), "{\"action\": \"pause\", \"more\": 1}"),
            (400, headers.to_vec(), "[]"),
            (400, headers.to_vec(), "\u{0}"),
            (400, vec![headers[0], json, ("Content-Length", "0")], ""),
            (413, headers.to_vec(), &" ".repeat(40_000)),
        ] {
            send_request(&pages, "POST", REQUESTS, &headers, body).assert_problem(status);
        }
        send_request(&pages, "POST", &REQUESTS.replace("acme", "nobody"), &headers, right).assert_problem(404);
        send_request(&pages, "POST", &format!("{REQUESTS}?x=1"), &headers, right).assert_problem(400);
        assert_eq!(place.database.requests(), rows, "{name}");
        // A body that never arrives blocks nobody: its connection is closed.
        let mut slow = pages.connect();
        let (more, reported) = ([headers[0], json, ("Content-Length", "100")], "{\"action\":");
        slow.write_all(request_text(&pages, "POST", REQUESTS, &more, reported).as_bytes()).unwrap();
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        let mut rest = Vec::new();
        let read = slow.read_to_end(&mut rest);
        assert!(read.is_ok() || read.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock), "{name}");
        let rest = String::from_utf8_lossy(&rest);
        assert!(rest.is_empty() || rest.contains(" 503 ") || rest.contains(" 413 "), "{rest}");
        assert_eq!(place.database.requests(), rows, "{name}");
    }
}

#[test]
fn a_daemon_without_a_token_refuses_actions() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place =
        Place::new(sqlite(), &sandbox.lines(), &format!("[web]\nlisten = \"127.0.0.1:0\"\nedit = false\n{TOPICS}"));
    let pages = Pages::wait_for_address(place.program(&["run"]).start());
    get_json(&pages, "/api/v1/topics");
    let json = [("Content-Type", "application/json")];
    let reported = send_request(&pages, "POST", REQUESTS, &json, "{\"action\": \"run-now\"}").assert_problem(403);
    assert!(reported.contains("token"), "{reported}");
    assert_eq!(place.database.requests(), 0);
}
