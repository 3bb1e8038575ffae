//! Words around the rows of pages: each page has a title of its own, a page beyond the last says so, right-to-left text
//! does not reverse other text, the numbers of an item lead to their rows, and dead messages have a hint.

use std::collections::BTreeMap;

use crate::support::access_stage::add_share_link;
use crate::support::databases::{block_on, databases, sqlite};
use crate::support::editor::place_with;
use crate::support::number_links::{Link, number_links};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// The text between two marks.
fn between<'p>(page: &'p str, begin: &str, end: &str) -> &'p str {
    let (_, rest) = page.split_once(begin).unwrap_or_else(|| panic!("no {begin}: {page}"));
    rest.split(end).next().unwrap()
}

fn stage(database: crate::support::databases::Database) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(database, &sandbox.lines(), &format!("[web]\nedit = true\n{TOPICS}"));
    place.ok(&["once", "--at", NINE]);
    (sandbox, place)
}

#[test]
fn each_page_has_a_unique_title() {
    let (_sandbox, place) = stage(sqlite());
    let run = place.database.last_run("acme");
    let pages = Pages::serve(&place, &["--at", NINE]);
    let (one, progress) = (format!("/runs?run={run}"), format!("/progress/{run}"));
    let mut seen = BTreeMap::new();
    for path in [
        "/",
        "/items",
        "/items?starred=true",
        "/items?noted=true",
        "/topics/acme",
        "/topics/acme?new_since=24h",
        "/topics/acme?baseline_since=24h",
        "/answers/acme",
        "/alerts",
        "/alerts?firing=true",
        "/runs",
        one.as_str(),
        progress.as_str(),
        "/files",
        "/jobs",
        "/jobs/new",
        "/jobs/topics/acme",
        "/jobs/new?from=acme",
        "/health",
        "/keys",
        "/access",
    ] {
        let page = pages.page(path);
        assert_eq!(page.matches("<h1").count(), 1, "{path}");
        let title = between(&page, "<title>", "</title>").to_owned();
        if let Some(other) = seen.insert(title.clone(), path) {
            panic!("{other} and {path} have the title {title}");
        }
    }
}

#[test]
fn the_page_of_a_problem_names_the_first_page_as_the_menu_does() {
    let (_sandbox, place) = stage(sqlite());
    let pages = Pages::serve(&place, &["--at", NINE]);
    let name = pages.page("/").split_once("<h1>").unwrap().1.split('<').next().unwrap().to_owned();
    for path in ["/nothing", "/topics/nobody", "/runs?last=0"] {
        let problem = pages.get(path).body;
        assert!(problem.contains(&format!("<p><a href=\"/\">{name}</a></p>")), "{path}: {problem}");
    }
}

#[test]
fn a_page_beyond_the_last_says_so_and_links_back() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = stage(database);
        let run = place.database.last_run("acme");
        let pages = Pages::serve(&place, &["--at", NINE]);
        for (path, words) in [
            ("/?after=zzzz".to_owned(), "No more topics."),
            ("/files?after=1/z".to_owned(), "Nothing earlier."),
            ("/topics/acme?new_since=24h&after=99999".to_owned(), "No more items."),
            (format!("/runs?run={run}&page=99"), "No more of these."),
        ] {
            let page = pages.page(&path);
            assert!(page.contains(words) && !page.contains("Nothing here yet"), "{name}: {path}: {page}");
        }
        let beyond = pages.page(&format!("/runs?run={run}&page=99"));
        let (before, _) = beyond.split_once("\">Before these</a>").expect("a way back");
        let address = before.rsplit("href=\"").next().unwrap().replace("&amp;", "&");
        let back = pages.page(address.split('#').next().unwrap());
        assert!(back.contains("<li id=\"i0\""), "{name}: {address}: {back}");
    }
}

#[test]
fn right_to_left_text_does_not_reorder_its_neighbours() {
    let (_sandbox, place) = place_with("[[topics]]\nid = \"akhbar\"\nquery = \"خبر\"\nevery = \"12h\"\n");
    let page = Pages::serve(&place, &["--at", NINE]).page("/jobs");
    assert!(page.contains("<bdi>خبر</bdi> · <bdi>12h</bdi>"), "{page}");
}

#[test]
fn an_items_run_count_links_to_its_sightings_and_they_to_their_runs() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = stage(database);
        let key = place.database.first_post();
        let pages = Pages::serve(&place, &["--at", NINE]);
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("key", &key).finish();
        let page = pages.page(&format!("/item?{query}"));
        let links = number_links(&page);
        let runs = links.iter().find(|link| link.address == "#sightings");
        assert_eq!(runs.map(Link::number), Some(1), "{name}: {page}");
        let sightings = between(&page, "id=\"sightings\"", "</section>");
        assert!(sightings.contains(">One sighting.<"), "{name}: {sightings}");
        let run = between(sightings, "<td data-label=\"When\"><a href=\"", "\"").replace("&amp;", "&");
        let run = pages.page(&run);
        assert!(run.contains(&format!("href=\"/item?{query}\"")), "{name}: {run}");
    }
}

#[test]
fn a_shared_page_says_that_it_lists_only_the_latest_items() {
    let world = ScriptedService::new();
    let place = Place::new(sqlite(), &world.lines(), &topic("acme", ""));
    // Unique posts.
    let text = |n: u32| (0..9).map(|k| format!(" w{:x}", (n * 9 + k).wrapping_mul(2_654_435_761))).collect::<String>();
    for (at, many, words) in [(9, 10, ">10 items, new first;"), (10, 60, ">The latest 50 items, new first;")] {
        world.set_posts(&(0..many).map(|n| post(n + 1, 8, &format!("acme{}", text(n)), 1)).collect::<Vec<_>>());
        run_once(&place, at);
        let (secret, _) = add_share_link(&place, &["--topic", "acme", "--for", "9h", "--at", &hour(at)]);
        let page = Pages::serve(&place, &["--at", &hour(at)]).page(&format!("/shared/{secret}"));
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn the_health_page_says_what_to_do_about_dead_messages() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = stage(database);
        let health = || Pages::serve(&place, &["--at", NINE]).page("/health");
        let todo = "<code>topicwatch outbox retry --dead</code> sends them again.";
        assert!(!health().contains(todo), "{name}: {}", health());
        block_on(place.database.add_undelivered_report(999, "news", 1_773_219_600_000, "manual"));
        let page = health();
        assert!(page.contains(">1 dead</span>, none waiting. ") && page.contains(todo), "{name}: {page}");
        // The commands are there.
        place.run(&["outbox", "list", "--state", "dead"]).assert_stdout(0, &["news/mail"]);
    }
}
