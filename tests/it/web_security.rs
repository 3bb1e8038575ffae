//! Who gets pages, through the program: host names, origins, tokens, methods, sizes, timeouts.

use std::io::{Read, Write};

use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};
use crate::support::web_topics::TOPICS;

fn place(web: &str) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), &format!("{web}\n{TOPICS}"));
    place.ok(&["once", "--at", NINE]);
    (sandbox, place)
}

#[test]
fn a_public_address_without_a_token_is_refused_by_check_and_serve() {
    let (_sandbox, place) = place("");
    place.run(&["serve", "--listen", "0.0.0.0:0"]).assert_stderr(2, &["would show everything", "token"]);
    let sandbox = Sandbox::at(NINE, &[]);
    place.configure(&sandbox.lines(), &format!("[web]\nlisten = \"0.0.0.0:0\"\n{TOPICS}"));
    place.run(&["check"]).assert_stderr(2, &["listen", "no token is set", "TOPICWATCH_WEB_TOKEN"]);
    let ended = place.program(&["check"]).env("TOPICWATCH_WEB_TOKEN", TOKEN).run();
    assert_eq!(ended.code, Some(0), "{ended}");
    assert!(!ended.out.contains(TOKEN), "{ended}");
    let short = place.program(&["serve", "--listen", "127.0.0.1:0"]).env("TOPICWATCH_WEB_TOKEN", "short").run();
    short.assert_stderr(2, &["shorter than 16"]);
    for (line, hint) in [("listen = \"localhost\"", "an address and a port"), ("hosts = [\"https://x\"]", "no scheme")]
    {
        place.configure(&sandbox.lines(), &format!("[web]\n{line}\n{TOPICS}"));
        place.run(&["check"]).assert_stderr(2, &[hint]);
    }
    place.configure(&sandbox.lines(), TOPICS);
    let many = vec!["a.example"; 51].join(",");
    let ended = place.program(&["check"]).env("TOPICWATCH_WEB_HOSTS", &many).run();
    ended.assert_stderr(2, &["has 51 entries, at most 50 are allowed"]);
}

#[test]
fn a_port_in_use_is_reported_with_a_hint_and_a_daemon_runs_without_pages() {
    let (sandbox, place) = place("");
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = held.local_addr().unwrap().to_string();
    let reported =
        ["cannot listen on ", &address, "another process is listening there", "hint: stop it", "--listen", "port 0"];
    let ended = place.run(&["serve", "--listen", &address]);
    ended.assert_stderr(2, &reported);
    assert_eq!(ended.out, "", "nothing is served, so no address is printed");
    place.configure(&sandbox.lines(), &format!("[web]\nlisten = \"{address}\"\n{TOPICS}"));
    place.run(&["serve"]).assert_stderr(2, &reported);
    // A daemon runs without its pages: it logs this and serves them as soon as it can.
    let mut going = place.program(&["run"]).start();
    going.wait_until("the refusal", |said| {
        said.contains("pages cannot be served: cannot listen on ")
            && said.contains(&address)
            && said.contains("trying again")
    });
    place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
    drop(held);
    let pages = Pages::wait_for_address(going);
    assert_eq!((pages.address.as_str(), pages.get("/health").status), (address.as_str(), 200));
    pages.program.signal("TERM");
    assert_eq!(pages.program.wait().code, Some(0));
}

#[test]
fn a_token_file_readable_by_others_is_refused() {
    let (_sandbox, place) = place("[web]\ntoken_file = \"token\"");
    std::fs::write(place.path("token"), TOKEN).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(place.path("token"), std::fs::Permissions::from_mode(0o644)).unwrap();
        place.run(&["serve", "--listen", "127.0.0.1:0"]).assert_stderr(2, &["other users can read", "chmod 600"]);
        std::fs::set_permissions(place.path("token"), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let pages = Pages::serve(&place, &["--at", NINE]);
    assert_eq!(pages.get("/").status, 303);
    pages.log_in();
}

#[test]
fn requests_are_accepted_by_host_origin_method_and_size() {
    let (_sandbox, place) = place("[web]\nhosts = [\"watch.example.com\"]");
    let pages = Pages::serve(&place, &["--at", NINE]);
    let (own, origin) = (pages.address.clone(), pages.origin());
    let long = "x".repeat(40_000);
    let (address, form) = (format!("/?after={}", "x".repeat(17_000)), format!("token={long}"));
    for (status, method, path, headers, body) in [
        (200, "GET", "/", vec![("Host", own.as_str())], ""),
        (200, "GET", "/", vec![("Host", "localhost")], ""),
        (200, "GET", "/", vec![("Host", "watch.example.com:443")], ""),
        (200, "HEAD", "/", vec![], ""),
        (421, "GET", "/", vec![("Host", "evil.example")], ""),
        (421, "GET", "/", vec![("Host", "127.0.0.1.evil.example")], ""),
        (421, "GET", "/style.css", vec![("Host", "evil.example")], ""),
        (400, "GET", "/", vec![("Host", "localhost"), ("Host", "evil.example")], ""),
        (403, "POST", "/login", vec![], "token=x"),
        (403, "POST", "/login", vec![("Origin", "null")], "token=x"),
        (403, "POST", "/login", vec![("Origin", "http://evil.example")], "token=x"),
        (403, "POST", "/login", vec![("Origin", &origin), ("Sec-Fetch-Site", "cross-site")], "token=x"),
        (405, "POST", "/", vec![("Origin", &origin)], ""),
        (405, "PUT", "/health", vec![("Origin", &origin)], ""),
        (405, "DELETE", "/health", vec![("Origin", &origin)], ""),
        (404, "GET", "/../../etc/passwd", vec![], ""),
        (404, "GET", "/%2e%2e/%2e%2e/etc/passwd", vec![], ""),
        (404, "GET", "//evil.example/", vec![], ""),
        (414, "GET", &address, vec![], ""),
        (431, "GET", "/", vec![("X-Long", &long)], ""),
        (413, "POST", "/login", vec![("Origin", &origin)], &form),
        (400, "GET", &format!("/?after={}", "y".repeat(1_500)), vec![], ""),
        (404, "GET", "/topics/nobody", vec![], ""),
        (404, "GET", "/topics/..%2f..%2fetc", vec![], ""),
        (404, "GET", "/item?key=nobody", vec![], ""),
        (400, "GET", "/item?key=%00", vec![], ""),
        (404, "GET", "/runs?topic=nobody", vec![], ""),
        (404, "GET", "/answers/nobody", vec![], ""),
        (404, "GET", "/file?run=/etc/passwd&n=0", vec![], ""),
        (400, "GET", "/file?run=x&n=../../etc/passwd", vec![], ""),
        (400, "GET", "/topics/acme?order=upwards", vec![], ""),
        (400, "GET", "/topics/acme?after=nonsense", vec![], ""),
        (400, "GET", "/topics/acme?tone=cross", vec![], ""),
        (400, "GET", "/topics/acme?source=mars", vec![], ""),
        (400, "GET", "/topics/acme?since=1y", vec![], ""),
        (400, "GET", "/topics/acme?search=%2D%2D", vec![], ""),
        (400, "GET", "/answers/acme?before=x", vec![], ""),
        (400, "GET", "/runs?state=happy", vec![], ""),
        (400, "GET", "/runs?after=x", vec![], ""),
        (400, "GET", "/files?after=x", vec![], ""),
    ] {
        let answer = pages.request(method, path, &headers, body);
        assert_eq!(answer.status, status, "{method} {path:.40} {:.80}\n{}", format!("{headers:?}"), answer.text);
        for (name, part) in [
            ("content-security-policy", "default-src 'none'"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("x-frame-options", "DENY"),
            ("cache-control", "no-store"),
        ] {
            assert!(answer.header(name).is_some_and(|value| value.contains(part)), "{name}\n{}", answer.text);
        }
        let reported = answer.text.to_lowercase();
        assert!(!reported.contains(env!("CARGO_PKG_VERSION")) && answer.header("server").is_none(), "{}", answer.text);
        assert!(!reported.contains("unsafe-inline") && !reported.contains("root:"), "{}", answer.text);
    }
    // Invalid requests, and an attempt to inject a header.
    for bytes in [&b"nonsense\r\n\r\n"[..], b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\0\r\n\r\n"] {
        assert_eq!(pages.send_bytes(bytes).status, 400, "{bytes:?}");
    }
    let split = pages.get("/login?x=%0d%0aset-cookie:%20a=b");
    assert!(split.header("set-cookie").is_none(), "{}", split.text);
}

#[test]
fn with_a_configured_token_only_its_holder_sees_pages() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let pages = Pages::serve_with_token(&place, &["--at", NINE]);
        for (path, to) in [
            ("/", "/login"),
            ("/health", "/login?next=%2Fhealth"),
            ("/items?topic=acme&since=7d", "/login?next=%2Fitems%3Ftopic%3Dacme%26since%3D7d"),
        ] {
            let answer = pages.get(path);
            assert_eq!((answer.status, answer.header("location")), (303, Some(to)), "{path}");
            assert!(!answer.text.contains("Acme"));
        }
        assert!(pages.page("/login").contains("type=\"password\""));
        assert!(pages.get("/style.css").body.contains("--ink"));
        let origin = pages.origin();
        let wrong = pages.request("POST", "/login", &[("Origin", &origin)], "token=web-token-012345678x");
        assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None));
        let right = pages.request("POST", "/login", &[("Origin", &origin)], &format!("token={TOKEN}"));
        let cookie = right.header("set-cookie").unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(!right.text.contains(TOKEN), "{}", right.text);
        // After the login, visitors arrive where they were going, and never on another site.
        assert!(pages.page("/login?next=%2Fruns").contains("name=\"next\" value=\"/runs\""));
        for (next, to) in [
            ("%2Fitems%3Ftopic%3Dacme", "/items?topic=acme"),
            ("", "/"),
            ("%2F%2Fevil.example", "/"),
            ("https%3A%2F%2Fevil.example", "/"),
            ("%2F%5Cevil.example", "/"),
            ("%2F%09%2Fevil.example%2Fx", "/"),
            ("%2F%0A%2Fevil.example", "/"),
            ("%2Fa%01b", "/"),
            ("%2Fa%7Fb", "/"),
            ("%2F%C3%BC", "/"),
        ] {
            let form = format!("token={TOKEN}&next={next}");
            let entered = pages.request("POST", "/login", &[("Origin", &origin)], &form);
            assert_eq!((entered.status, entered.header("location")), (303, Some(to)), "{next}");
        }
        let cookie = pages.log_in();
        let seen = pages.request("GET", "/", &[("Cookie", &format!("a=b; {cookie}"))], "");
        assert!(seen.status == 200 && seen.body.contains("Acme"), "{}", seen.text);
        let last = if cookie.ends_with('0') { "1" } else { "0" };
        let forged = format!("{}{last}", &cookie[..cookie.len() - 1]);
        assert_eq!(pages.request("GET", "/", &[("Cookie", &forged)], "").status, 303);
        let bearer = format!("Bearer {TOKEN}");
        assert_eq!(pages.request("GET", "/", &[("Authorization", &bearer)], "").status, 200);
        for wrong in ["Bearer x", "Bearer ", "Basic eDp5"] {
            let status = pages.request("GET", "/", &[("Authorization", wrong)], "").status;
            assert!(matches!(status, 401 | 303), "{wrong}: {status}");
        }
        assert_eq!(pages.get(&format!("/?token={TOKEN}")).status, 303, "no token in an address");
        let left = pages.request("POST", "/logout", &[("Origin", &origin), ("Cookie", &cookie)], "");
        assert!(left.header("set-cookie").is_some_and(|kept| kept.contains("Max-Age=0")), "{}", left.text);
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        assert!(!ended.err.contains(TOKEN) && !ended.out.contains(TOKEN), "{ended}");
    }
}

#[test]
fn idle_and_slow_connections_delay_no_run_and_are_closed() {
    let sandbox = Sandbox::at(NINE, &[]);
    let topics = "[web]\nlisten = \"127.0.0.1:0\"\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\n";
    let place = Place::new(sqlite(), &sandbox.lines(), topics);
    let mut pages = Pages::wait_for_address(place.program(&["run"]).start());
    assert!(pages.page("/").contains("Nothing has run yet"));
    // More connections than are accepted; the rest wait.
    let idle: Vec<_> = (0..1_000).map_while(|_| std::net::TcpStream::connect(&pages.address).ok()).collect();
    assert!(idle.len() > 300, "{}", idle.len());
    for mut one in idle.iter().take(200) {
        let _ = one.write_all(b"GET / HTTP/1.1\r\nHost: local");
    }
    place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
    // The first is cut without a response.
    let mut first = &idle[0];
    first.set_read_timeout(Some(std::time::Duration::from_secs(50))).unwrap();
    let mut rest = Vec::new();
    let read = first.read_to_end(&mut rest);
    let timed_out =
        |e: &std::io::Error| matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut);
    assert!(!read.as_ref().is_err_and(timed_out), "the connection was not closed: {read:?}");
    drop(idle);
    crate::support::program::wait_until("the pages to answer again", || pages.get("/").body.contains("acme"));
    pages.program.wait_until("the end of a run", |said| said.contains("run stored"));
    pages.program.signal("TERM");
    let ended = pages.program.wait();
    assert_eq!(ended.code, Some(0), "{ended}");
}
