//! Mistyped page URLs: an unknown parameter is refused, so that a misspelt filter is not ignored. Also how pages show
//! runs that did not run, and counts of one.

use crate::support::databases::{databases, wait};
use crate::support::number_links::follow_link;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};

const TOPICS: &str =
    "[defaults]\ntimezone = \"Asia/Tokyo\"\n[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"6h\"\n";

#[test]
fn a_parameter_that_a_page_does_not_take_is_refused_and_named() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let key = place.database.first_key().replace(':', "%3A");
        let run = place.database.last_run("acme");
        let pages = Pages::serve_to_some(&place, &["--at", NINE]);
        let session = pages.log_in();
        let get = |path: &str| pages.ask("GET", path, &[("Cookie", &session)], "");
        let (item, run) = (format!("/item?key={key}"), format!("/runs?run={run}"));
        for path in [
            "/",
            "/items",
            "/items.csv",
            "/items.xlsx",
            "/items.jsonl",
            "/topics/acme",
            "/answers/acme",
            "/topics/acme/report",
            "/topics/acme/items.csv",
            "/topics/acme/items.xlsx",
            "/topics/acme/items.jsonl",
            &item,
            "/runs",
            &run,
            "/alerts",
            "/files",
            "/jobs",
            "/jobs/new",
            "/health",
            "/keys",
            "/access",
            "/login",
        ] {
            assert_eq!(get(path).status, 200, "{name}: {path}");
            let and = if path.contains('?') { '&' } else { '?' };
            let refused = get(&format!("{path}{and}new_sicne=1h"));
            assert_eq!(refused.status, 400, "{name}: {path}\n{}", refused.body);
            assert!(refused.body.contains("no parameter `new_sicne`"), "{name}: {path}\n{}", refused.body);
        }
        // The page lists the valid parameters.
        let refused = get("/items?topics=acme");
        assert!(refused.status == 400 && refused.body.contains("new_since"), "{name}: {}", refused.body);
        // A filter that was mistyped can be corrected in the form, which keeps the other filters.
        let refused = get("/items?since=yesteryear&author=ann");
        let kept = ["name=\"since\" value=\"yesteryear\"", "name=\"author\" value=\"ann\"", "yesteryear` is"];
        for kept in kept {
            assert!(refused.status == 400 && refused.body.contains(kept), "{name}: {kept}: {}", refused.body);
        }
        for path in [
            "/items?topic=acme&new_since=24h&after=",
            "/topics/acme?search=&order=new&by=week",
            "/runs?topic=&state=ok",
        ] {
            assert_eq!(get(path).status, 200, "{name}: {path}");
        }
        assert!(get("/items").body.contains(", newest first."), "{name}");
        // A page filters by one value of each parameter, and says so instead of leaving one out.
        for path in
            ["/items?topic=acme&topic=globex", "/items.csv?tone=negative&tone=positive", "/runs?state=ok&state=failed"]
        {
            let refused = get(path);
            assert!(
                refused.status == 400 && refused.body.contains("more than once"),
                "{name}: {path}: {}",
                refused.body
            );
        }
        assert_eq!(get("/items?topic=acme&topic=acme&tone=&tone=positive").status, 200, "{name}");
        // A parameter that takes one word refuses any other.
        for path in ["/topics/acme/report?as=", "/jobs/new?as=", "/jobs/topics/acme?as="] {
            assert_eq!(get(&format!("{path}nonsense")).status, 400, "{name}: {path}");
        }
        let file = get("/topics/acme/report?as=file");
        assert!(file.header("content-disposition").is_some_and(|how| how.starts_with("attachment")), "{}", file.text);
    }
}

#[test]
fn a_slot_that_was_missed_is_not_shown_as_a_run_that_found_nothing() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        for at in [NINE, "2026-03-12T18:00:02Z"] {
            sandbox.turn_to(at);
            place.run(&["once", "--due", "--at", at]);
        }
        let pages = Pages::serve(&place, &["--at", "2026-03-12T18:00:02Z"]);
        let missed = pages.page("/runs?state=missed");
        assert!(missed.contains("it did not run") && !missed.contains(" duplicate"), "{name}: {missed}");
        // The health page counts those of a week, and links to just these. An older one is a copy of the table's row.
        wait(place.database.execute(
            "INSERT INTO run (public_id, job, topic, slot, trigger, state, due_at, planned_at) SELECT 'before', job, topic, slot - 864000000, \
             trigger, state, due_at - 864000000, planned_at FROM run WHERE state = 'missed' ORDER BY slot LIMIT 1",
        ));
        let health = pages.page("/health");
        let (count, link) =
            health.split_once("</span> in 7 days, <a href=\"").unwrap_or_else(|| panic!("{name}: {health}"));
        let count: u64 = count.rsplit('>').next().unwrap().parse().unwrap();
        let link = link.split('"').next().unwrap().replace("&amp;", "&");
        let get = |path: &str| pages.page(path);
        let listed = follow_link(&get, &link);
        assert_eq!((listed.said, listed.rows), (count, count), "{name}: {link}");
        let ever = follow_link(&get, "/runs?state=missed");
        assert!(count > 1 && ever.rows == count + 1, "{name}: {ever:?}");
        let ran = pages.page("/runs?state=ok");
        assert!(ran.contains(" found</a> =") && !ran.contains("it did not run"), "{name}: {ran}");
        let form = Pages::of(
            place
                .program(&["run"])
                .env("TOPICWATCH_WEB_TOKEN", TOKEN)
                .env("TOPICWATCH_WEB_LISTEN", "127.0.0.1:0")
                .start(),
        );
        let session = form.log_in();
        let form = form.ask("GET", "/jobs/topics/acme", &[("Cookie", &session)], "").body;
        assert!(form.contains("if empty, that of [defaults], else UTC"), "{name}: {form}");
    }
}

#[test]
fn one_of_something_is_singular() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let key = place.database.first_post();
        wait(place.database.execute(&format!(
            "UPDATE item SET likes = 1, reposts = 2, replies = 1, quotes = 1, views = 1 WHERE key = '{key}'"
        )));
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page(&format!("/item?key={}", key.replace(':', "%3A")));
        assert!(page.contains("1 like, 2 reposts, 1 reply, 1 quote, 1 view"), "{page}");
    }
}
