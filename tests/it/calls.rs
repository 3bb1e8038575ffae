//! Which call serves a source, and what it accepts, through the binary: a file with a setting that a call does not take
//! is refused before any request, and each dialect sends its own requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::databases::{databases, sqlite};
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Sandbox, reply};

#[test]
fn every_verb_refuses_unsupported_call_settings_before_any_request() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let server = FakeServer::respond_with(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        reply("200 OK", "", b"[]")
    });
    for (dialect, line, column, message, hint) in [
        ("spec", "social = { operation = \"posts\", limit = 5 }", 41, "cannot be 5", "from 10 to 200"),
        ("desearch", "social.limit = 150", 16, "cannot be 150", "from 1 to 100"),
        ("desearch", "model = \"NOVA\"", 9, "`model` is not supported in dialect", "dialect = \"spec\""),
        (
            "desearch",
            "response_order = \"SUMMARY_FIRST\"",
            18,
            "`response_order` is not supported",
            "dialect = \"spec\"",
        ),
        ("desearch", "web.limit = 7", 13, "`web.limit` is not supported by this call", "web.operation = \"links\""),
        ("desearch", "ai.tools = [\"twiter\"]", 13, "`ai.tools` cannot be", "did you mean `twitter`?"),
        ("spec", "ai.count = 20", 12, "`ai.count` is not supported in dialect", "dialect = \"desearch\""),
    ] {
        let service = format!("{}dialect = \"{dialect}\"\n", server.lines());
        let topic = format!("[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"1h\"\n{line}\n");
        let place = Place::new(sqlite(), &service, &topic);
        let text = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let number = 1 + text.lines().position(|one| one == line).unwrap();
        for verb in [&["check"][..], &["plan"], &["once", "--at", NINE], &["once", "--due", "--at", NINE], &["run"]] {
            let ended = place.run(verb);
            ended.assert_stderr(2, &[&format!("jobs.toml:{number}:{column}"), message, hint]);
            assert_eq!(place.other_files(), [""; 0], "{verb:?} {line}: nothing was written");
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn the_highest_limits_of_posts_and_links_reach_the_request() {
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\n\
                 social = { operation = \"posts\", limit = 200 }\nweb = { operation = \"links\", limit = 150 }\n";
    for dialect in ["spec", "desearch"] {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(sqlite(), &format!("{}dialect = \"{dialect}\"\n", sandbox.lines()), topic);
        place.ok(&["check"]);
        place.ok(&["once", "--at", NINE]);
        let counts = place.database.texts("SELECT request FROM raw_reply ORDER BY request DESC");
        assert!(counts[0].contains("\"count\":150") && counts[1].contains("\"count\":200"), "{counts:?}");
    }
}

#[test]
fn basic_social_search_uses_post_in_spec_and_get_in_desearch() {
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\", \"web\"]\n\
                 social = { operation = \"basic\", limit = 30 }\nweb.operation = \"basic\"\n";
    let mut found = Vec::new();
    for (dialect, social, curl) in
        [("spec", "POST /twitter", "curl -X POST"), ("desearch", "GET /twitter", "curl -X GET")]
    {
        for database in databases() {
            let sandbox = Sandbox::at(NINE, &[]);
            let place = Place::new(database, &format!("{}dialect = \"{dialect}\"\n", sandbox.lines()), topic);
            place.ok(&["once", "--at", NINE]);
            let mut asked = sandbox.requests();
            asked.sort();
            let mut expected = [social, "GET /web"];
            expected.sort_unstable();
            assert_eq!(asked, expected, "{dialect}: the web call is a GET in both");
            let kept = place.database.texts("SELECT request FROM raw_reply WHERE request LIKE '%/twitter%'");
            let method = social.split(' ').next().unwrap();
            assert!(kept[0].contains(&format!("\"method\":\"{method}\"")), "{kept:?}");
            let states = "SELECT source || ' ' || state FROM v_search ORDER BY source";
            assert_eq!(place.database.texts(states), ["social ok", "web ok"], "{dialect}");
            found.push(place.database.texts("SELECT key FROM v_item WHERE kind = 'post' ORDER BY key"));
            let shown = place.ok(&["once", "--dry-run", "--at", NINE]);
            let line = shown.lines().find(|line| line.contains("/twitter")).unwrap();
            assert!(line.contains(curl) && (dialect == "spec") != line.contains("sort=Latest"), "{shown}");
        }
    }
    assert_eq!(found[0].len(), 30);
    assert!(found.iter().all(|keys| *keys == found[0]), "all find the same: {found:?}");
}
