//! A changed configuration under pages served by a daemon: token, names and limits follow, the address does not.

use crate::support::daemons::{sandbox_of_today, start_daemon};
use crate::support::databases::{databases, sqlite};
use crate::support::program::{Place, RunningProgram, wait_until};
use crate::support::web_client::Pages;

const FIRST: &str = "first-token-0123456789";
const SECOND: &str = "second-token-0123456789";
const RELOADED: &str = "configuration reloaded";

/// A daemon with pages whose token is in a file.
fn start_with_token_file(place: &Place) -> Pages {
    write_token(place, FIRST);
    Pages::wait_for_address(start_daemon(place, &[]))
}

fn write_token(place: &Place, token: &str) {
    std::fs::write(place.path("token"), token).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(place.path("token"), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

fn file(web: &str) -> String {
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"12h\"\n";
    format!("[web]\n{web}\n{topic}")
}

/// Waits until the daemon has logged these words this many times.
fn wait_for_log(going: &mut RunningProgram, words: &str, times: usize) {
    going.wait_until(words, |all| all.matches(words).count() >= times);
}

#[test]
fn token_names_and_limits_follow_a_reload() {
    for database in databases() {
        let name = database.name;
        let sandbox = sandbox_of_today(&[]);
        let web = "listen = \"127.0.0.1:0\"\ntoken_file = \"token\"";
        let place = Place::new(database, &sandbox.lines(), &file(web));
        let mut pages = start_with_token_file(&place);
        let see = |pages: &Pages, token: &str, host: &str| {
            let bearer = format!("Bearer {token}");
            pages.request("GET", "/", &[("Authorization", &bearer), ("Host", host)], "")
        };
        place.ok(&["topic", "run", "acme", "--wait"]);
        let own = pages.address.clone();
        let cookie = {
            let answer = pages.request("POST", "/login", &[("Origin", &pages.origin())], &format!("token={FIRST}"));
            answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
        };
        assert_eq!(pages.request("GET", "/", &[("Cookie", &cookie)], "").status, 200, "{name}");
        assert!(see(&pages, FIRST, &own).body.contains("of 500"), "{name}");
        assert_eq!(see(&pages, FIRST, "watch.example.com").status, 421, "{name}");
        // Another name and another limit.
        let more = format!("{web}\nhosts = [\"watch.example.com\"]");
        place.configure(&format!("{}\nmax_calls_per_day = 321", sandbox.lines()), &file(&more));
        wait_for_log(&mut pages.program, RELOADED, 1);
        let page = see(&pages, FIRST, "watch.example.com");
        assert!(page.status == 200 && page.body.contains("of 321"), "{name}: {}", page.text);
        // Another token in the same file, with SIGHUP: the old token and every session end.
        write_token(&place, SECOND);
        pages.program.signal("HUP");
        wait_for_log(&mut pages.program, RELOADED, 2);
        wait_until("the new token", || see(&pages, SECOND, &own).status == 200);
        assert_eq!(see(&pages, FIRST, &own).status, 401, "{name}");
        assert_eq!(pages.request("GET", "/", &[("Cookie", &cookie)], "").status, 303, "{name}");
        let metrics = pages.request("GET", "/metrics", &[("Authorization", &format!("Bearer {SECOND}"))], "");
        assert!(metrics.status == 200 && metrics.body.contains("topicwatch_build_info"), "{name}: {}", metrics.text);
        // An invalid token changes nothing.
        write_token(&place, "short");
        pages.program.signal("HUP");
        wait_for_log(&mut pages.program, "shorter than 16 characters", 1);
        wait_for_log(&mut pages.program, "the configuration was rejected", 1);
        assert_eq!(see(&pages, SECOND, &own).status, 200, "{name}");
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        assert_eq!(ended.code, Some(0), "{ended}");
        assert!(!ended.err.contains(FIRST) && !ended.err.contains(SECOND), "{ended}");
    }
}

#[test]
fn a_reload_keeps_the_listen_address_and_logs_it() {
    let sandbox = sandbox_of_today(&[]);
    let web = "listen = \"0.0.0.0:0\"\ntoken_file = \"token\"";
    let place = Place::new(sqlite(), &sandbox.lines(), &file(web));
    write_token(&place, FIRST);
    let mut going = start_daemon(&place, &[]);
    wait_for_log(&mut going, "url=\"http://0.0.0.0:", 1);
    let mut port = String::new();
    going.with_output(|out, err| {
        let both = format!("{out}\n{err}");
        let rest = both.rsplit_once("http://0.0.0.0:").unwrap().1;
        port = rest.chars().take_while(char::is_ascii_digit).collect();
    });
    let mut pages = Pages { address: format!("127.0.0.1:{port}"), program: going };
    let status = |pages: &Pages| pages.request("GET", "/", &[("Authorization", &format!("Bearer {FIRST}"))], "").status;
    assert_eq!(status(&pages), 200);
    // The other keys of the file still take effect.
    let moved = "listen = \"127.0.0.1:1\"\ntoken_file = \"token\"\nhosts = [\"watch.example.com\"]";
    place.configure(&sandbox.lines(), &file(moved));
    wait_for_log(&mut pages.program, "[web] listen is now 127.0.0.1:1, but the pages stay at 0.0.0.0:0", 1);
    wait_for_log(&mut pages.program, "restart to change where pages are served", 1);
    wait_for_log(&mut pages.program, RELOADED, 1);
    let named = [("Authorization", &*format!("Bearer {FIRST}")), ("Host", "watch.example.com")];
    assert_eq!(pages.request("GET", "/", &named, "").status, 200);
    // Pages on a public address must keep a token, whatever address the file names now.
    place.configure(&sandbox.lines(), &file("listen = \"127.0.0.1:1\""));
    wait_for_log(&mut pages.program, "without a token the pages on 0.0.0.0:0 would show everything", 1);
    wait_for_log(&mut pages.program, "the configuration was rejected", 1);
    assert_eq!((status(&pages), pages.get("/").status), (200, 303));
    place.configure(&sandbox.lines(), &file("token_file = \"token\""));
    wait_for_log(&mut pages.program, "[web] listen was removed, but the pages stay at 0.0.0.0:0", 1);
    pages.program.signal("TERM");
    assert_eq!(pages.program.wait().code, Some(0));
}
