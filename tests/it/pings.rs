//! Pings: what a monitoring service receives about each run, with a real receiver. They delay nothing, contain no
//! findings, and their URL is shown nowhere.

use std::time::Duration;

use crate::support::arrivals::ago;
use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place, ProgramOutput, wait_until};
use crate::support::receivers::{Answer, ReceivedRequest, WebhookServer};
use crate::support::service::Sandbox;

/// Parts of the URL that must not appear anywhere.
const SECRETS: [&str; 2] = ["T0KEN", "QUERYKEY"];

fn topic(ping: &str) -> String {
    format!("[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\nevery = \"6h\"\n{ping}\n")
}

fn ping_lines(hook: &WebhookServer) -> String {
    format!("ping = \"{}\"\nping_allow_private = true\n", hook.url())
}

/// The requests in order.
fn request_lines(hook: &WebhookServer) -> Vec<String> {
    let line = |got: &ReceivedRequest| got.head.lines().next().unwrap().trim_end_matches(" HTTP/1.1").to_owned();
    hook.received().iter().map(line).collect()
}

fn body(got: &ReceivedRequest) -> String {
    String::from_utf8(got.body.clone()).unwrap()
}

fn assert_no_secrets(place: &Place, ended: &ProgramOutput) {
    for secret in SECRETS {
        assert!(!ended.out.contains(secret) && !ended.err.contains(secret), "{secret}\n{ended}");
    }
    for sql in ["SELECT definition FROM topic", "SELECT definition FROM job", "SELECT value FROM store_info"] {
        let stored = place.database.texts(sql).join("\n");
        assert!(SECRETS.iter().all(|secret| !stored.contains(secret)), "{stored}");
    }
}

#[test]
fn a_run_pings_its_start_and_its_end_with_one_line_of_counts() {
    for database in databases() {
        let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
        let place = Place::new(database, &sandbox.lines(), &topic(&ping_lines(&hook)));
        let ended = place.run(&["once", "--at", NINE, "-vv"]);
        assert_eq!(ended.code, Some(0), "{ended}");
        assert_no_secrets(&place, &ended);
        let (start, end) = ("POST /T0KEN-in-the-path/start?key=QUERYKEY", "POST /T0KEN-in-the-path?key=QUERYKEY");
        assert_eq!(request_lines(&hook), [start, end], "{}", place.database.name);
        let found = place.database.number("SELECT sum(found) FROM v_run");
        let got = hook.received();
        assert_eq!(body(&got[0]), "started");
        assert_eq!(body(&got[1]), format!("ok: {found} found, {found} new; social ok"));
        assert_eq!(got[1].header("content-type"), Some("text/plain; charset=utf-8"));
        let ended = place.run(&["check", "--json"]);
        assert_no_secrets(&place, &ended);
        assert_no_secrets(&place, &place.run(&["check"]));
        // A run that fails.
        let failing = Sandbox::at(NINE, &["status=500"]);
        place.configure(&failing.lines(), &topic(&ping_lines(&hook)));
        let ended = place.run(&["once", "--at", "2026-03-11T10:00:00Z"]);
        assert_eq!(ended.code, Some(3), "{ended}");
        assert_eq!(request_lines(&hook)[3], "POST /T0KEN-in-the-path/fail?key=QUERYKEY");
        assert_eq!(body(&hook.received()[3]), "failed: 0 found, 0 new; social error");
    }
}

#[test]
fn a_daemon_pings_for_topics_and_reports_and_applies_a_changed_address() {
    for database in databases() {
        let (sandbox, hook, other, reports) =
            (sandbox_of_today(&[]), WebhookServer::accepting(), WebhookServer::accepting(), WebhookServer::accepting());
        let report = format!("[[reports]]\nname = \"all\"\nevery = \"6h\"\n{}\n", ping_lines(&reports));
        let place = Place::new(database, &sandbox.lines(), &format!("{}{report}", topic(&ping_lines(&hook))));
        place.ok(&["once", "--due", "--at", &ago(Duration::from_secs(13 * 3_600))]);
        let going = crate::support::daemons::start_daemon(&place, &[]);
        wait_until("the topic and the report", || {
            request_lines(&hook).len() >= 2 && request_lines(&reports).len() >= 2
        });
        for reported in [request_lines(&hook), request_lines(&reports)] {
            assert!(
                reported[0].contains("/start?") && reported[1].starts_with("POST /T0KEN-in-the-path?"),
                "{reported:?}"
            );
        }
        assert_eq!(body(&reports.received()[1]), "ok");
        place.configure(&sandbox.lines(), &topic(&ping_lines(&other)));
        let mut going = going;
        going.wait_until("the reload", |said| said.contains("configuration reloaded"));
        place.ok(&["topic", "run", "acme", "--wait"]);
        wait_until("the run", || request_lines(&other).len() == 2);
        assert!(body(&other.received()[1]).starts_with("ok: "), "{}", body(&other.received()[1]));
        going.signal("TERM");
        let ended = going.wait();
        assert_eq!(ended.code, Some(0), "{ended}");
        assert_no_secrets(&place, &ended);
    }
}

#[test]
fn a_failed_report_pings_the_failure() {
    let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
    let report =
        format!("[[reports]]\nname = \"all\"\nevery = \"6h\"\npath = \"wall/{{date}}\"\n{}\n", ping_lines(&hook));
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("{}{report}", topic("")));
    place.ok(&["once", "--due", "--at", NINE]);
    // A file in place of the report's folder.
    std::fs::write(place.path("wall"), "x").unwrap();
    place.run(&["once", "--due", "--at", "2026-03-11T12:00:00Z"]);
    assert_eq!(request_lines(&hook).len(), 2, "{:?}", request_lines(&hook));
    assert!(request_lines(&hook)[1].contains("/fail?"), "{:?}", request_lines(&hook));
    assert_eq!(body(&hook.received()[1]), "failed: output");
}

#[test]
fn a_silent_ping_receiver_delays_no_run_and_a_busy_one_is_retried() {
    let (sandbox, silent) = (sandbox_of_today(&[]), WebhookServer::answering(|_| Answer::Hang));
    let place = Place::new(sqlite(), &sandbox.lines(), &topic(&ping_lines(&silent)));
    let going = crate::support::daemons::start_daemon(&place, &[]);
    place.ok(&["topic", "run", "acme", "--wait"]);
    place.ok(&["topic", "run", "acme", "--wait"]);
    wait_until("it was asked", || !request_lines(&silent).is_empty());
    // Both runs have ended, and the receiver got only the topic's first ping, perhaps several times.
    let heard = request_lines(&silent);
    assert!(heard.iter().all(|ping| ping.contains("/start?") && *ping == heard[0]), "{heard:?}");
    going.signal("TERM");
    let ended = going.wait();
    assert_eq!(ended.code, Some(0), "{ended}");
    assert_no_secrets(&place, &ended);
    let busy = WebhookServer::answering(|n| Answer::Say(if n == 0 { "503 Busy" } else { "200 OK" }));
    place.configure(&sandbox.lines(), &topic(&ping_lines(&busy)));
    let going = crate::support::daemons::start_daemon(&place, &[]);
    place.ok(&["topic", "run", "acme", "--wait"]);
    wait_until("it is asked again", || request_lines(&busy).len() == 3);
    let reported = request_lines(&busy);
    assert!(reported[0] == reported[1] && reported[2].starts_with("POST /T0KEN-in-the-path?"), "{reported:?}");
    going.signal("TERM");
    going.wait();
}

#[test]
fn a_ping_to_a_private_address_is_refused_and_errors_hide_the_url() {
    let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
    let place = Place::new(sqlite(), &sandbox.lines(), &topic(&format!("ping = \"{}\"", hook.url())));
    let ended = place.run(&["once", "--at", NINE]);
    ended.assert_stderr(0, &["a ping was given up", "private network; set ping_allow_private = true"]);
    assert_no_secrets(&place, &ended);
    assert!(request_lines(&hook).is_empty());
    // A server that refuses may repeat the URL.
    let echo = WebhookServer::answering(|_| Answer::Say("404 no such T0KEN-in-the-path QUERYKEY"));
    place.configure(&sandbox.lines(), &topic(&ping_lines(&echo)));
    let ended = place.run(&["once", "--at", "2026-03-11T10:00:00Z"]);
    ended.assert_stderr(0, &["a ping was given up", "404"]);
    assert_no_secrets(&place, &ended);
    assert_eq!(request_lines(&echo).len(), 2, "a permanent refusal is not retried");
}

#[test]
fn a_ping_address_may_come_from_a_variable_and_contain_the_topic_id() {
    let (sandbox, hook) = (Sandbox::at(NINE, &[]), WebhookServer::accepting());
    let defaults = "[defaults]\nping_env = \"HC_URL\"\nping_allow_private = true\n";
    let more = "[[topics]]\nid = \"quiet\"\nquery = \"q\"\nsources = [\"social\"]\nping = \"\"\n";
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("{defaults}{}{more}", topic("")));
    place.run(&["once", "--at", NINE]).assert_stderr(2, &["ping of topic:acme", "HC_URL is not set", "hint:"]);
    let url = hook.url().replace("in-the-path", "{id}");
    let ended = place.program(&["once", "--at", NINE]).env("HC_URL", &url).run();
    assert_eq!(ended.code, Some(0), "{ended}");
    assert_eq!(request_lines(&hook), ["POST /T0KEN-acme/start?key=QUERYKEY", "POST /T0KEN-acme?key=QUERYKEY"]);
    let ended = place.program(&["once", "--at", NINE]).env("HC_URL", "T0KEN").run();
    ended.assert_stderr(2, &["HC_URL does not contain the URL of a web server"]);
    assert_no_secrets(&place, &ended);
    for (ping, says) in [
        ("ping = \"ftp://h/T0KEN\"", "is not the URL of a web server"),
        ("ping = \"T0KEN\"", "is not a valid URL"),
        ("ping = \"https://T0KEN:QUERYKEY@h/\"", "contains a user name"),
        ("ping = \"https://h/T0KEN\"\nping_env = \"X\"", "cannot be combined with `ping`"),
    ] {
        place.configure(&sandbox.lines(), &topic(ping));
        let ended = place.run(&["check"]);
        ended.assert_stderr(2, &[says]);
        assert_no_secrets(&place, &ended);
    }
}
