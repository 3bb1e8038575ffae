//! Disruptive visitors without a token, through the program: silent connections, endless forms, guessed tokens.

use std::io::Write as _;
use std::net::TcpStream;

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};
use crate::support::web_topics::TOPICS;

fn pages() -> (Sandbox, Place, Pages) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve_with_token(&place, &[]);
    (sandbox, place, pages)
}

/// Ends the program and returns its stderr.
fn stop_and_read_stderr(pages: Pages) -> String {
    pages.program.signal("TERM");
    let ended = pages.program.wait();
    assert_eq!(ended.code, Some(0), "{ended}");
    assert!(!ended.err.contains(TOKEN), "{ended}");
    ended.err
}

#[test]
fn silent_connections_delay_neither_probes_nor_pages() {
    let (_sandbox, place, pages) = pages();
    let url = format!("http://{}", pages.address);
    // A connection that a visitor uses stays open while it is used.
    let cookie = pages.log_in();
    let mut idle: Vec<TcpStream> = Vec::new();
    for _ in 0..3 {
        // More than the allowed connections, some of them with half a request.
        for n in 0..400 {
            let mut one = TcpStream::connect(&pages.address).unwrap();
            if n % 2 == 0 {
                one.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
            }
            idle.push(one);
        }
        place.run(&["health", "--url", &url]).assert_stderr(1, &["which does not run the schedule"]);
        for path in ["/healthz", "/readyz", "/login"] {
            pages.wait_for_status(path, 200);
        }
        let seen = pages.request("GET", "/", &[("Cookie", &cookie)], "");
        assert!(seen.status == 200 && seen.body.contains("Acme"), "{}", seen.text);
    }
    drop(idle);
    stop_and_read_stderr(pages);
}

#[test]
fn endless_forms_delay_no_page() {
    let (_sandbox, _place, pages) = pages();
    let head = format!(
        "POST /login HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: 200\r\n\r\ntoken=",
        pages.address
    );
    let dripping: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut one = pages.connect();
            one.write_all(head.as_bytes()).unwrap();
            one
        })
        .collect();
    assert_eq!(pages.get("/login").status, 200);
    pages.log_in();
    drop(dripping);
    stop_and_read_stderr(pages);
}

#[test]
fn a_client_that_guesses_ten_tokens_is_blocked_and_logged_once() {
    let (_sandbox, _place, pages) = pages();
    let (cookie, origin) = (pages.log_in(), pages.origin());
    let mut seen = [0; 2];
    for n in 0..200 {
        let guess = format!("web-token-{n:010}");
        let bearer = format!("Bearer {guess}");
        // However it is sent.
        let answer = match n % 3 {
            0 => pages.request("POST", "/login", &[("Origin", &origin)], &format!("token={guess}")),
            1 => pages.request("GET", "/", &[("Authorization", &bearer)], ""),
            _ => pages.request("GET", "/api/v1/topics", &[("Authorization", &bearer)], ""),
        };
        match answer.status {
            401 => seen[0] += 1,
            429 => {
                seen[1] += 1;
                let wait = answer.header("retry-after").unwrap_or("no time");
                assert!(answer.text.contains(&format!("Try again in {wait} s.")), "{}", answer.text);
            }
            other => panic!("{other}: {}", answer.text),
        }
    }
    // The allowance grows by one every six seconds, and the loop may take some time.
    assert!((10..30).contains(&seen[0]) && seen[0] + seen[1] == 200, "{seen:?}");
    // A logged-in browser is not affected, and probes need no token.
    assert_eq!(pages.request("GET", "/", &[("Cookie", &cookie)], "").status, 200);
    assert_eq!(pages.get("/healthz").status, 200);
    let log = stop_and_read_stderr(pages);
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("wrong tokens were sent to the pages")).collect();
    assert!((1..=2).contains(&lines.len()), "{log}");
    assert!(lines.iter().all(|line| line.contains("peer=\"127.0.0.1\"") && line.contains("WARN")), "{log}");
    let output = |field: &str| -> u64 {
        let of = |line: &&str| line.split(field).nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
        lines.iter().filter_map(of).sum()
    };
    assert_eq!((output(" wrong="), output(" not_looked_at=")), (seen[0], seen[1]), "{log}");
    assert!(!log.contains("web-token"), "{log}");
}

#[test]
fn a_token_of_one_repeated_letter_is_refused_by_check_and_by_serve() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    for token in ["a".repeat(40), "ab".repeat(20), "tiny".to_owned()] {
        for args in [&["check"][..], &["serve", "--listen", "127.0.0.1:0"], &["run"]] {
            if args == ["run"] {
                place.configure(&sandbox.lines(), &format!("[web]\nlisten = \"127.0.0.1:0\"\n{TOPICS}"));
            }
            let ended = place.program(args).env("TOPICWATCH_WEB_TOKEN", &token).run();
            ended.assert_stderr(2, &["the token of the pages", "hint: create one: openssl rand -hex 24"]);
            assert!(!ended.err.contains(&token), "{ended}");
        }
    }
    place.ok(&["check"]);
}
