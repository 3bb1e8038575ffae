//! What counts as new is the same everywhere: pages, API, `status`, `runs`, `items`, exports and feeds agree with
//! `diff`, on both databases. Each item is judged by its first sighting, whatever the topic's window is later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::access_stage::add_share_link;
use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::mcp_client::{StdioClient, merge_quoted};
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::web_client::{Pages, without_links};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// A topic with social posts and web pages, with extra lines.
fn topic_with_both_sources(query: &str, more: &str) -> String {
    topic(query, more).replace("[\"social\"]", "[\"social\", \"web\"]")
}

fn page(n: u32) -> Value {
    json!({ "title": format!("Page {n}"), "url": format!("https://example.org/{n}") })
}

/// A call that supports past days.
const BASIC: &str = "social.operation = \"basic\"";

/// A baseline, then three new items, and two that were published long before.
fn store_first_runs(place: &Place, world: &ScriptedService) {
    world.set_posts(&[post(1, 20, "what was there", 1)]);
    world.set_pages(&[page(1)]);
    run_once(place, 24);
    world.set_posts(&[
        post(1, 20, "what was there", 1),
        post(2, 28, "just now", 1),
        json!({ "id": "3", "text": "without a date" }),
        post(4, 0, "archived", 1),
        post(5, 1, "archived too", 1),
    ]);
    world.set_pages(&[page(1), page(2)]);
    run_once(place, 30);
}

/// The number of new items in 24 hours, on both pages and by the API.
fn new_count(place: &Place, at: u32, beside: &str) -> i64 {
    let pages = Pages::serve(place, &["--at", &hour(at)]);
    let answer: Value = serde_json::from_str(&pages.page("/api/v1/topics/acme")).unwrap();
    let new = answer["data"]["new_24h"].as_i64().unwrap();
    let said = if beside.is_empty() { String::new() } else { format!("<span class=\"sub\">{beside}</span>") };
    let cell = format!("data-label=\"New, 24 h\">{new}{said}</td>");
    // Next to it, the pages show the items of a baseline.
    let without = |path: &str| {
        let page = without_links(&pages.page(path));
        let begin = page.find(" <span class=\"meta\">(+");
        begin.map_or_else(
            || page.clone(),
            |begin| {
                let (before, rest) = page.split_at(begin);
                let (named, rest) = rest.split_once("</span>").unwrap();
                assert!(named.ends_with(" of the baseline)"), "{named}");
                format!("{before}{rest}")
            },
        )
    };
    assert!(without("/").contains(&cell), "{cell}: {}", pages.page("/"));
    let said = if beside.is_empty() { String::new() } else { format!(", {beside}") };
    let fact = format!("<dt>New, 24 h</dt><dd>{new}{said}</dd>");
    assert!(without("/topics/acme").contains(&fact), "{fact}: {}", pages.page("/topics/acme"));
    new
}

#[test]
fn new_in_24_hours_equals_the_new_items_of_diff() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic_with_both_sources("acme", BASIC));
        store_first_runs(&place, &world);
        let new =
            |since: u32| place.json(&["diff", "acme", "--since", &hour(since), "--json"])["counts"]["new"].clone();
        // The baseline is within that day, as are the two old posts.
        assert_eq!((new_count(&place, 31, ""), new(7)), (3, json!(3)), "{}", place.database.name);
        // Another query starts with a baseline; what it finds afterwards is new.
        place.configure(&world.lines(), &topic_with_both_sources("acme OR globex", BASIC));
        world.set_posts(&[post(6, 35, "of the other question", 1)]);
        world.set_pages(&[page(3)]);
        run_once(&place, 36);
        assert_eq!((new_count(&place, 37, ""), new(7)), (3, json!(3)));
        world.set_posts(&[post(7, 41, "new to it", 1), post(6, 35, "of the other question", 1)]);
        run_once(&place, 42);
        assert_eq!((new_count(&place, 43, ""), new(7)), (4, json!(4)));
        // A backfilled day adds nothing new.
        world.set_posts(&[json!({ "id": "8", "text": "of that day", "created_at": "2026-03-09T12:00:00Z" })]);
        let day = ["backfill", "acme", "--from", "2026-03-09", "--to", "2026-03-09", "--at", &hour(43)];
        place.run(&day).assert_stdout(0, &[]);
        assert_eq!(place.database.number("SELECT count(*) FROM v_sighting WHERE key = 'post:x:8' AND fit = 'in'"), 1);
        assert_eq!((new_count(&place, 44, ""), new(7)), (4, json!(4)));
        // Back to the first query, which already has its baseline. The count ignores the filter, and the page says so.
        place.configure(&world.lines(), &topic_with_both_sources("acme", &format!("{BASIC}\nexclude = [\"hidden\"]")));
        world.set_posts(&[post(9, 45, "hidden", 1), post(10, 45, "shown", 1)]);
        run_once(&place, 46);
        assert_eq!((new_count(&place, 47, "before its filter"), new(7)), (6, json!(5)));
        // As time passes, items first seen more than a day ago no longer count. Without a schedule no search was due.
        assert_eq!(new_count(&place, 68, "before its filter"), 2);
    }
}

#[test]
fn new_in_24_hours_is_a_lower_bound_where_searches_that_were_due_are_missing() {
    for database in databases() {
        let world = ScriptedService::new();
        // No search of the second topic was ever due.
        let other = "[[topics]]\nid = \"bell\"\nquery = \"bell\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &world.lines(), &format!("{}{other}", topic("acme", "every = \"6h\"")));
        world.set_posts(&[post(1, 5, "acme", 1)]);
        for at in [0, 7, 13] {
            place.run(&["once", "--due", "--at", &hour(at)]).assert_stdout(0, &[]);
        }
        assert!(place.database.runs() > 0);
        let (secret, _) = add_share_link(&place, &["--topic", "acme", "--for", "90h", "--at", &hour(13)]);
        // The second day: nothing ran since the first.
        for (at, missed) in [(14, false), (50, true)] {
            let name = format!("{}, {at}", place.database.name);
            let pages = Pages::serve(&place, &["--at", &hour(at)]);
            for path in ["/topics/acme", &format!("/shared/{secret}")] {
                let page = without_links(&pages.page(path));
                assert_eq!(page.contains("<dt>New, 24 h</dt><dd>≥"), missed, "{name}: {page}");
            }
            let overview = without_links(&pages.page("/"));
            let cells: Vec<&str> = overview.split("data-label=\"New, 24 h\">").skip(1).collect();
            let marked = |cells: &[&str]| cells.iter().map(|cell| cell.starts_with('≥')).collect::<Vec<_>>();
            assert_eq!(marked(&cells), [missed, false], "{name}: {overview}");
            let api = get_json(&pages, "/api/v1/topics")["data"].clone();
            let fields = [&api[0]["new_24h_at_least"], &api[1]["new_24h_at_least"]];
            assert_eq!(fields, [&json!(missed), &json!(false)], "{name}: {api}");
            assert_eq!(get_json(&pages, "/api/v1/topics/acme")["data"], api[0], "{name}");
            let mut client = StdioClient::start(place.program(&["mcp", "--at", &hour(at)]));
            let topics = client.call_tool("list_topics", &json!({}))["topics"].clone();
            assert_eq!(merge_quoted(&topics), api, "{name}");
            assert_eq!(client.close().code, Some(0), "{name}");
        }
        // Neither a pause nor its end undoes what was missed before.
        for verb in ["pause", "resume"] {
            place.ok(&["topic", verb, "acme"]);
            let page = Pages::serve(&place, &["--at", &hour(50)]).page("/topics/acme");
            assert!(
                without_links(&page).contains("<dt>New, 24 h</dt><dd>≥"),
                "{}, {verb}: {page}",
                place.database.name
            );
        }
    }
}

#[test]
fn status_runs_and_feeds_distinguish_older_items_from_new_ones() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic_with_both_sources("acme", ""));
        store_first_runs(&place, &world);
        let said = "acme: 2 more first seen in the last run, but older than the window";
        place.run(&["status"]).assert_stdout(0, &["Z    3      7", said]);
        place
            .run(&["runs", "--limit", "1"])
            .assert_stdout(0, &["3 (+2)", "(+n): also first seen, but older than the window"]);
        let run = &place.json(&["runs", "--limit", "1", "--json"])["runs"][0];
        assert_eq!((&run["new"], &run["new_older"]), (&json!(5), &json!(2)));
        assert_eq!(place.json(&["status", "--json"])["topics"][0]["new_older"], 2);
        let pages = Pages::serve(&place, &["--at", &hour(31)]);
        let page = without_links(&pages.page("/topics/acme"));
        assert!(page.contains("3 new items (+2 older)"), "{page}");
        drop(pages);
        let feed = place.ok(&["export", "--format", "atom", "--topic", "acme"]);
        assert_eq!((feed.matches("<entry>").count(), feed.contains("archived")), (3, false), "{feed}");
        // A filtered item is counted once: an old filtered item is not also counted as old.
        place.configure(&world.lines(), &topic_with_both_sources("acme", "exclude = [\"hidden\"]"));
        world.set_posts(&[
            post(6, 40, "hidden", 1),
            post(7, 2, "hidden, old", 1),
            post(8, 2, "old", 1),
            post(9, 40, "new", 1),
        ]);
        run_once(&place, 42);
        place.run(&["status"]).assert_stdout(
            0,
            &[
                "acme: 2 more first seen in the last run, filtered",
                "acme: 1 more first seen in the last run, but older than",
            ],
        );
        let output = &place.json(&["status", "--json"])["topics"][0];
        assert_eq!((&output["new_filtered"], &output["new_older"]), (&json!(2), &json!(1)));
    }
}

#[test]
fn old_items_of_a_baseline_count_as_older_with_and_without_a_filter() {
    for filter in ["", "exclude = [\"hidden\"]"] {
        for database in databases() {
            let world = ScriptedService::new();
            let place = Place::new(database, &world.lines(), &topic("acme", filter));
            world.set_posts(&[post(1, 28, "what was there", 1), post(2, 0, "old", 1)]);
            run_once(&place, 30);
            let name = format!("{}, {filter}", place.database.name);
            let status = &place.json(&["status", "--json"])["topics"][0];
            let run = &place.json(&["runs", "--json"])["runs"][0];
            for counts in [status, run] {
                assert_eq!((&counts["new_older"], &counts["new_baseline"]), (&json!(1), &json!(1)), "{name}: {counts}");
            }
            let first_seen = &place.json(&["show", "acme", "--json"])["first_seen"];
            assert_eq!((&first_seen["older"], &first_seen["baseline"]), (&json!(1), &json!(1)), "{name}: {first_seen}");
        }
    }
}

#[test]
fn items_of_a_widened_search_are_new_even_if_older_than_the_window() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "every = \"6h\""));
        world.set_posts(&[post(1, 20, "what was there", 1)]);
        let due = |at: u32| place.run(&["once", "--due", "--at", &hour(at)]).assert_stdout(0, &[]);
        due(23);
        due(24);
        // Nothing ran for three days; the next search looks back over them.
        world.set_posts(&[
            post(2, 40, "of the gap", 1),
            post(3, 95, "just now", 1),
            json!({ "id": "4", "text": "archived", "created_at": "2026-03-01T00:00:00Z" }),
            post(5, 200, "of some day", 1),
        ]);
        due(96);
        let diff = place.json(&["diff", "acme", "--json"]);
        assert_eq!((&diff["counts"]["new"], &diff["counts"]["outside"]), (&json!(2), &json!(2)), "{diff}");
        let since = hour(90);
        let fits = |place: &Place| {
            let listed = place.json(&["items", "--json"])["items"].clone();
            let fit = |key: &str| {
                let found = listed.as_array().unwrap().iter().find(|item| item["key"] == format!("post:x:{key}"));
                found.map_or(Value::Null, |item| item["fit"].clone())
            };
            [fit("2"), fit("3"), fit("4"), fit("5")]
        };
        let expected = ["in", "in", "outside", "outside"].map(|fit| json!(fit));
        assert_eq!(fits(&place), expected, "{}", place.database.name);
        let new = |place: &Place| {
            let items = place.json(&["items", "--new-since", &since, "--json"]);
            let rows = |what: &str| place.ok(&["export", "--what", what, "--new-since", &since]).lines().count() - 1;
            (items["items"].as_array().unwrap().len(), items["outside"].clone(), rows("items"), rows("new"))
        };
        assert_eq!(new(&place), (2, json!(2), 2, 2));
        place.run(&["items"]).assert_stdout(0, &["(older) archived", "(future date) of some day"]);
        let pages = Pages::serve(&place, &["--at", &hour(97)]);
        let listed: Value = serde_json::from_str(&pages.page("/api/v1/topics/acme/items?new_since=6h")).unwrap();
        assert_eq!((listed["data"].as_array().unwrap().len(), &listed["outside"]), (2, &json!(2)), "{listed}");
        drop(pages);
        // A changed window does not change earlier results.
        place.configure(&world.lines(), &topic("acme", "every = \"6h\"\nwindow = \"PAST_7_DAYS\""));
        due(102);
        assert_eq!((fits(&place), new(&place)), (expected, (2, json!(2), 2, 2)));
    }
}

#[test]
fn charts_of_pages_mark_where_another_query_began() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic_with_both_sources("acme", ""));
        world.set_posts(&[post(1, 20, "what was there", 1)]);
        world.set_pages(&[]);
        for at in [24, 30] {
            run_once(&place, at);
        }
        let shown = |at: u32| Pages::serve(&place, &["--at", &hour(at)]).page("/topics/acme");
        assert!(!shown(31).contains("he query changed"));
        place.configure(&world.lines(), &topic_with_both_sources("acme OR globex", ""));
        for at in [36, 42] {
            run_once(&place, at);
        }
        let reported = shown(43);
        assert!(reported.contains("Vertical line: the query changed on 2026-03-12 12:00."), "{reported}");
        assert_eq!(reported.matches("The query changed here").count(), 2, "both charts");
        // The line is where the query changed, also when that was the first search of the shown days.
        assert!(shown(24 * 14 + 13).contains("the query changed on 2026-03-12 12:00"));
        assert!(!shown(24 * 15 + 13).contains("he query changed"));
    }
}

#[test]
fn unknown_authors_are_not_counted_as_zero() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[json!({ "text": "nothing but words" }), json!({ "text": "quite other ones" })]);
        let said = place.ok(&["once", "--at", &hour(24)]);
        assert!(said.contains("2 items, 2 unique, authors unknown"), "{said}");
        place.run(&["show", "acme"]).assert_stdout(0, &["2 items, 2 unique, authors unknown"]);
        assert_eq!(
            place.json(&["show", "acme", "--json"])["volume"],
            json!({ "raw": 2, "unique": 2, "authors": null, "uncompared": 0 })
        );
        let days = place.ok(&["export", "--what", "daily", "--format", "jsonl"]);
        let day: Value = serde_json::from_str(days.lines().last().unwrap()).unwrap();
        assert_eq!((&day["items"], &day["authors"]), (&json!(2), &Value::Null), "{day}");
        // One known author is one, and no items have none.
        world.set_posts(&[post(1, 24, "with a name", 1)]);
        let said = place.ok(&["once", "--at", &hour(25)]);
        assert!(said.contains("1 item, 1 unique, 1 author\n"), "{said}");
        world.set_posts(&[]);
        assert!(place.ok(&["once", "--at", &hour(26)]).contains("0 items, 0 unique, 0 authors"));
    }
}

/// The new items and the baseline according to `diff`, exports, `runs` and the API, in this order.
fn new_and_baseline(place: &Place, at: u32) -> Vec<(i64, i64)> {
    let now = hour(at);
    let diff = place.json(&["diff", "acme", "--since", "2026-03-01", "--json"]);
    let rows = place.ok(&["-q", "export", "--what", "new", "--format", "jsonl"]);
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let baseline = rows.iter().filter(|row| row["baseline"] == true).count();
    let runs = place.json(&["runs", "--json"]);
    let sum =
        |field: &str| runs["runs"].as_array().unwrap().iter().map(|run| run[field].as_i64().unwrap()).sum::<i64>();
    let pages = Pages::serve(place, &["--at", &now]);
    let card: Value = serde_json::from_str(&pages.page("/api/v1/topics/acme")).unwrap();
    let of_diff = |field: &str| diff["counts"][field].as_i64().unwrap();
    vec![
        (of_diff("new"), of_diff("baseline")),
        (i64::try_from(rows.len() - baseline).unwrap(), i64::try_from(baseline).unwrap()),
        (sum("new") - sum("new_baseline"), sum("new_baseline")),
        (card["data"]["new_24h"].as_i64().unwrap(), of_diff("baseline")),
    ]
}

#[test]
fn a_cut_first_reply_counts_as_baseline_and_a_later_cut_reply_as_new() {
    for answered_before in [true, false] {
        for database in databases() {
            let replies = Arc::new(std::sync::Mutex::new(String::new()));
            let sent = Arc::clone(&replies);
            let server = FakeServer::respond_with(move |_| {
                let body = sent.lock().unwrap().clone();
                reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
            });
            let place = Place::new(database, &server.lines(), &topic("acme", ""));
            let say = |posts: &[Value], cut: bool| {
                let whole = json!({ "results": posts }).to_string();
                let end = ", {\"id\": \"77";
                *replies.lock().unwrap() = if cut { format!("{}{end}", whole.trim_end_matches("]}")) } else { whole };
            };
            let words = ["one thing about acme", "another that differs in every word", "a third which nobody repeats"];
            let posts: Vec<Value> = (1..4).zip(words).map(|(id, words)| post(id, 20, words, 1)).collect();
            if answered_before {
                say(&posts[..1], false);
                run_once(&place, 24);
            }
            say(&posts, true);
            place.run(&["once", "--at", &hour(26)]);
            let expected = if answered_before { (2, 1) } else { (0, 3) };
            assert_eq!(new_and_baseline(&place, 27), vec![expected; 4], "{}: {answered_before}", place.database.name);
        }
    }
}

#[test]
fn no_command_counts_baseline_items_as_new() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic_with_both_sources("acme", ""));
        world.set_posts(&[post(1, 20, "what was there", 1), post(2, 21, "and this", 1)]);
        world.set_pages(&[page(1)]);
        run_once(&place, 24);
        let name = place.database.name;
        place
            .run(&["status"])
            .assert_stdout(0, &["Z    0      3", "3 more first seen in the last runs: a baseline, not new"]);
        let shown = place.ok(&["show", "acme"]);
        assert!(shown.contains("3 found, 0 new, 3 baseline") && !shown.contains(", new"), "{name}: {shown}");
        let output = &place.json(&["status", "--json"])["topics"][0];
        assert_eq!((&output["new_baseline"], &output["new_older"]), (&json!(3), &json!(0)), "{name}");
        let output = place.json(&["show", "acme", "--json"])["first_seen"].clone();
        assert_eq!(output, json!({ "new": 0, "baseline": 3, "older": 0, "filtered": null }), "{name}");
        // With a filter, too: what it hides is not part of the baseline shown.
        place.configure(&world.lines(), &topic_with_both_sources("acme", "exclude = [\"this\"]"));
        world.set_posts(&[post(1, 20, "what was there", 1), post(3, 29, "new", 1), post(4, 29, "hide this", 1)]);
        run_once(&place, 30);
        place.run(&["status"]).assert_stdout(0, &["Z    1 ", "acme: 1 more first seen in the last run, filtered"]);
        place.run(&["show", "acme"]).assert_stdout(0, &["1 new, 1 filtered", "social, new"]);
    }
}

#[test]
fn items_outside_the_window_are_counted_in_full_with_any_limit() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic_with_both_sources("acme", ""));
        store_first_runs(&place, &world);
        for limit in ["1", "2", "50"] {
            let output = place.json(&["items", "--new-since", &hour(25), "--json", "--limit", limit]);
            assert_eq!(output["outside"], 2, "limit {limit}, {}", place.database.name);
        }
        place
            .run(&["items", "--new-since", &hour(25), "--limit", "1"])
            .assert_stdout(0, &["2 first seen since then, but older"]);
    }
}

#[test]
fn new_and_baseline_items_stay_so_after_their_searches_are_pruned() {
    for database in databases() {
        let world = ScriptedService::new();
        let file = format!(
            "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n{}",
            topic_with_both_sources("acme", BASIC)
        );
        let place = Place::new(database, &world.lines(), &file);
        store_first_runs(&place, &world);
        world.set_posts(&[post(6, 34, "later", 1)]);
        run_once(&place, 36);
        // Two posts of a day before the topic was watched.
        let of_that_day =
            |id: u32| json!({ "id": id.to_string(), "text": "of that day", "created_at": "2026-03-09T12:00:00Z" });
        world.set_posts(&[of_that_day(8), of_that_day(9)]);
        let day = ["topic", "backfill", "acme", "--from", "2026-03-09", "--to", "2026-03-09", "--at", &hour(43)];
        place.ok(&day);
        world.set_posts(&[]);
        let name = place.database.name;
        let rows = || -> Vec<(Value, Value)> {
            let text = place.ok(&["export", "--what", "new", "--format", "jsonl"]);
            let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            rows.map(|row| (row["key"].clone(), row["baseline"].clone())).collect()
        };
        let new = || place.ok(&["export", "--what", "new", "--new-since", "2026-03-01"]).lines().count();
        let older = || {
            place.json(&["runs", "--json", "--limit", "100"])["runs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|run| run["new_older"].as_i64().unwrap_or(0))
                .sum::<i64>()
        };
        let changed = || {
            let diff = place.json(&["diff", "acme", "--since", "2026-03-12T01:00:00Z", "--json"]);
            (diff["counts"]["new"].clone(), diff["counts"]["outside"].clone())
        };
        let (before, new_before, older_before, changed_before) = (rows(), new(), older(), changed());
        let baselines = before.iter().filter(|(_, baseline)| baseline == &json!(true)).count();
        assert_eq!((before.len(), baselines), (10, 2), "{name}: {before:?}");
        for at in ["2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z"] {
            place.ok(&["once", "--at", at]);
        }
        place.ok(&["db", "prune", "--at", "2026-06-02T00:00:00Z"]);
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE pruned_at IS NOT NULL") > 0, "{name}");
        assert_eq!(rows(), before, "{name}");
        assert_eq!((new(), older()), (new_before, older_before), "{name}: items of a backfill are not new");
        assert_eq!((changed(), &changed_before.1), (changed_before.clone(), &json!(4)), "{name}");
    }
}

/// A service whose social reply breaks off after its first post, until it is well.
fn breaking_service(well: &Arc<AtomicBool>) -> FakeServer {
    let well = Arc::clone(well);
    FakeServer::respond_with(move |path| {
        let posts = json!({ "results": [post(1, 20, "what was there", 1), post(2, 21, "what was there, too", 1)] });
        let body = posts.to_string();
        if path.starts_with("/web") || well.load(Ordering::SeqCst) {
            return reply("200 OK", "content-type: application/json\r\n", body.as_bytes());
        }
        let part = format!("{}, {{\"id\": \"77", body.split_once(",{\"created_at").unwrap().0);
        reply("200 OK", "content-type: application/json\r\n", part.as_bytes())
    })
}

#[test]
fn items_of_a_cut_first_reply_stay_baseline_after_its_search_is_pruned() {
    for database in databases() {
        let well = Arc::new(AtomicBool::new(false));
        let server = breaking_service(&well);
        let file =
            format!("[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n{}", topic("acme", ""));
        let place = Place::new(database, &server.lines(), &file);
        let name = place.database.name;
        place.run(&["once", "--at", &hour(24)]).assert_stdout(3, &["acme social"]);
        assert_eq!(place.database.items(), 1, "{name}");
        well.store(true, Ordering::SeqCst);
        for at in [30, 36] {
            run_once(&place, at);
        }
        let changed = || place.json(&["diff", "acme", "--since", &hour(20), "--json"])["counts"].clone();
        let mut before = changed();
        assert_eq!((&before["new"], &before["baseline"]), (&json!(0), &json!(2)), "{name}");
        for at in ["2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z"] {
            place.ok(&["db", "prune", "--at", at]);
        }
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE pruned_at IS NOT NULL") > 0, "{name}");
        // Whether a reply was full is not known any more.
        (before["pruned"], before["at_least"]) = (json!(true), json!(true));
        assert_eq!(changed(), before, "{name}");
    }
}
