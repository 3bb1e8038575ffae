//! Mistyped page URLs: an unknown parameter is refused, so that a misspelt filter is not ignored. Also how pages show
//! runs that did not run, and counts of one.

use crate::support::databases::{databases, sqlite};
use crate::support::number_links::follow_link;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{Pages, TOKEN};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

const TOPICS: &str =
    "[defaults]\ntimezone = \"Asia/Tokyo\"\n[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"6h\"\n";

#[test]
fn an_unknown_page_parameter_is_refused_by_name() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let key = place.database.first_key().replace(':', "%3A");
        let run = place.database.last_run("acme");
        let pages = Pages::serve_with_token(&place, &["--at", NINE]);
        let session = pages.log_in();
        let get = |path: &str| pages.request("GET", path, &[("Cookie", &session)], "");
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
        let refused = get("/topics/acme?search=-launch&tone=negative&order=engagement");
        for kept in [
            "name=\"search\" value=\"-launch\"",
            "<option value=\"negative\" selected>",
            "<option value=\"engagement\" selected>",
            "only excludes words",
        ] {
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
        // A page filters by one value of each parameter. It refuses a second value instead of ignoring it.
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
        let refused = get("/items?q=launch&search=acme");
        assert!(refused.status == 400 && refused.body.contains("`search` is in this address more than once"), "{name}");
        // An empty value takes no filter away.
        for path in ["/items?search=nosuchword&search=", "/items?q=nosuchword&search=", "/items?search=&q=nosuchword"] {
            let page = get(path);
            assert!(
                page.status == 200 && page.body.contains("<strong>0 items</strong>"),
                "{name}: {path}: {}",
                page.body
            );
        }
        // A provider is one of a day's calls.
        assert_eq!(get("/runs?called=2026-03-11&provider=service").status, 200, "{name}");
        let refused = get("/runs?provider=service");
        assert!(refused.status == 400 && refused.body.contains("`provider` needs a day"), "{name}: {}", refused.body);
        // A parameter that takes one word refuses any other.
        for path in ["/topics/acme/report?as=", "/jobs/new?as=", "/jobs/topics/acme?as="] {
            assert_eq!(get(&format!("{path}nonsense")).status, 400, "{name}: {path}");
        }
        let file = get("/topics/acme/report?as=file");
        assert!(file.header("content-disposition").is_some_and(|how| how.starts_with("attachment")), "{}", file.text);
    }
}

#[test]
fn percent_encoded_addresses_are_decoded_and_invalid_utf8_is_refused() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let progress = format!(
            "/progress/%{:02X}{}",
            place.database.last_run("acme").as_bytes()[0],
            &place.database.last_run("acme")[1..]
        );
        let pages = Pages::serve(&place, &["--at", NINE]);
        for path in ["/topics/acm%65", "/answers/%61cme", "/topics/acm%65/items.csv", "/jobs/topics/acm%65", &progress]
        {
            assert_eq!(pages.get(path).status, 200, "{name}: {path}");
        }
        for path in [
            "/topics/%FF",
            "/topics/%FF/report",
            "/topics/acme%00",
            "/topics/acme%00/items.csv",
            "/answers/%FF",
            "/searches/%FF.atom",
            "/searches/a%00.atom",
            "/progress/%FF/events",
            "/progress/a%00/events",
            "/shared/%FF",
            "/items?search=%FF",
            "/topics/acme?source=%C3%28",
            "/login?next=%FF",
        ] {
            let refused = pages.get(path);
            let says = refused.body.contains("<h1>This address cannot be read</h1>");
            assert!(refused.status == 400 && says, "{name}: {path}: {}", refused.text);
        }
        let pressed = pages.request("POST", "/topics/%FF", &[("Origin", &pages.origin())], "kind=pause");
        assert!(pressed.status == 400 && pressed.body.contains("cannot be read"), "{name}: {}", pressed.text);
        // Text that is written in full, the sign for unreadable text included, is searched for.
        for right in ["/items?search=%C3%A4", "/items?search=a%EF%BF%BD", "/items?search=100%"] {
            assert_eq!(pages.get(right).status, 200, "{name}: {right}");
        }
    }
}

#[test]
fn a_missed_slot_is_not_shown_as_a_run_without_results() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        let now = "2026-03-12T19:00:00Z";
        for at in ["2026-03-05T13:00:00Z", now] {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at]);
        }
        let pages = Pages::serve(&place, &["--at", now]);
        let missed = pages.page("/runs?state=missed");
        assert!(missed.contains("it did not run") && !missed.contains(" duplicate"), "{name}: {missed}");
        let listed = place.ok(&["runs", "--limit", "1000"]);
        let row = listed.lines().find(|line| line.contains(" missed ")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>()[2..5], ["missed", "-", "-"], "{name}: {listed}");
        let runs = place.json(&["runs", "--limit", "1000", "--json"])["runs"].take();
        let run = runs.as_array().unwrap().iter().find(|run| run["state"] == "missed").unwrap();
        let (id, slot) = (run["run"].as_str().unwrap(), run["slot"].as_str().unwrap().replace(".000Z", "Z"));
        let shown = place.ok(&["show", "acme", "--run", id]);
        assert!(shown.contains(&format!("\nacme · {slot} · missed: ")), "{name}: {shown}");
        assert!(shown.contains(" · - found, - new\n") && !shown.contains("0 found"), "{name}: {shown}");
        // The health page counts those of a week, and links to just these; the first was missed before it.
        let health = pages.page("/health");
        let (count, link) =
            health.split_once("</span> in 7 days, <a href=\"").unwrap_or_else(|| panic!("{name}: {health}"));
        let count: u64 = count.rsplit('>').next().unwrap().parse().unwrap();
        let link = link.split('"').next().unwrap().replace("&amp;", "&");
        let get = |path: &str| pages.page(path);
        let listed = follow_link(&get, &link);
        assert_eq!((listed.said, listed.rows), (count, count), "{name}: {link}");
        // The slots since the last check are not known yet.
        let later = Pages::serve(&place, &["--at", "2026-03-13T19:00:00Z"]).page("/health");
        assert!(later.contains(">≥\u{a0}") && !health.contains(">≥\u{a0}"), "{name}: {later}");
        let ever = follow_link(&get, "/runs?state=missed");
        assert!(count > 1 && ever.rows == count + 1, "{name}: {ever:?}");
        let ran = pages.page("/runs?state=ok");
        assert!(ran.contains(" found</a> =") && !ran.contains("it did not run"), "{name}: {ran}");
        let form = Pages::wait_for_address(
            place
                .program(&["run"])
                .env("TOPICWATCH_WEB_TOKEN", TOKEN)
                .env("TOPICWATCH_WEB_LISTEN", "127.0.0.1:0")
                .start(),
        );
        let session = form.log_in();
        let form = form.request("GET", "/jobs/topics/acme", &[("Cookie", &session)], "").body;
        assert!(form.contains("if empty, that of [defaults], else UTC"), "{name}: {form}");
    }
}

#[test]
fn counts_of_one_are_worded_in_the_singular() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let mut shown = post(1, 23, "words of acme", 1);
        for (name, many) in [("retweet_count", 2), ("reply_count", 1), ("quote_count", 1), ("view_count", 1)] {
            shown[name] = many.into();
        }
        world.set_posts(&[shown]);
        run_once(&place, 24);
        let pages = Pages::serve(&place, &["--at", &hour(25)]);
        let page = pages.page("/item?key=post%3Ax%3A1");
        assert!(page.contains("1 like, 2 reposts, 1 reply, 1 quote, 1 view"), "{page}");
    }
}

#[test]
fn a_search_may_be_as_long_on_pages_as_the_reference_says() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    let (longest, longer) = ("%F0%9F%8E%89".repeat(1_000), "%D1%8F".repeat(1_001));
    for path in ["/items", "/topics/acme", "/items.csv", "/topics/acme/items.csv", "/api/v1/topics/acme/items"] {
        assert_eq!(pages.get(&format!("{path}?search={longest}")).status, 200, "{path}");
        let refused = pages.get(&format!("{path}?search={longer}"));
        assert!(matches!(refused.status, 400 | 422), "{path}: {}", refused.text);
    }
    for path in ["/items", "/topics/acme"] {
        assert!(pages.page(path).contains("type=\"search\" name=\"search\" value=\"\" maxlength=\"1000\""), "{path}");
    }
}

#[test]
fn addresses_that_lead_to_nothing_say_why() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(sqlite(), &sandbox.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let pages = Pages::serve(&place, &["--at", NINE]);
    for (path, status, said) in [
        ("/runs?run=nothing", 200, "No run has this id. "),
        ("/runs?topic=acme&last=1", 200, "<strong>The last 1 run</strong>"),
        ("/alerts?after=zzz", 200, "No more alerts."),
        ("/topics/acme?from=2026-03-12&until=2026-03-11", 400, "<h1>`from` is not before `until`</h1>"),
        ("/topics/acme?from=2026-03-12", 400, "<h1>`from` is not before now</h1>"),
        ("/items?lang=%3F", 400, "<p>Write a language tag such as en, de or pt-BR; en includes en-GB.</p>"),
    ] {
        let page = pages.get(path);
        assert!(page.status == status && page.body.contains(said), "{path}: {}", page.text);
        assert!(!page.body.contains("One run. "), "{path}: {}", page.text);
    }
}

#[test]
fn the_progress_of_a_run_says_why_a_source_was_not_searched() {
    let sandbox = Sandbox::at(NINE, &[]);
    let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nai.when = \"new\"\n";
    let place = Place::new(sqlite(), &sandbox.lines(), rest);
    // Within the hour the sandbox returns the same, so nothing is new.
    let later = "2026-03-11T09:30:00Z";
    for at in [NINE, later] {
        place.ok(&["once", "--at", at]);
    }
    let run = place.database.last_run("acme");
    let page = Pages::serve(&place, &["--at", later]).page(&format!("/progress/{run}"));
    assert!(page.contains("nothing new was found"), "{page}");
}
