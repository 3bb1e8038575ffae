//! Filtered items on the pages: pages say that something was found, count only what was examined, and files contain
//! what their page shows.

use serde_json::Value;

use crate::support::access_stage::{Visitor, link, token};
use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::web_client::Pages;
use crate::support::world::{World, hour, once, post, topic};

fn posts(of: &str, ids: std::ops::Range<u32>) -> Vec<Value> {
    // Unique words, so that no text is a near-copy.
    let words = |id: u32| (0..8).map(|at| format!("z{}", (id * 7_919 + at * 13) % 9_973)).collect::<Vec<_>>().join(" ");
    ids.map(|id| post(id, 22, &format!("{of} {}", words(id)), 0)).collect()
}

#[test]
fn items_that_are_all_hidden_were_found() {
    for database in databases() {
        let world = World::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "must = [\"good\"]"));
        let name = place.database.name;
        world.posts(&posts("spam", 100..160));
        once(&place, 24);
        let (secret, _) = link(&place, &["--topic", "acme", "--for", "9h", "--at", &hour(25)]);
        let reader = token(&place, &["reader", "--role", "read"]);
        let pages = Pages::serve(&place, &["--at", &hour(25)]);
        let see = |path: &str| Visitor::Bearer(&reader).asks(&pages, 1, "GET", path, "").words();
        let shared = || Visitor::Nobody.asks(&pages, 7, "GET", &format!("/shared/{secret}"), "").words();
        for page in [shared(), see("/items"), see("/topics/acme?sort=engagement&copies=all")] {
            assert!(!page.contains("Nothing found yet"), "{name}: {page}");
            assert!(page.contains("hidden by the topic's filter"), "{name}: {page}");
        }
        // The last page of a topic, and a topic with few items.
        let page = see("/topics/acme?filtered=hide");
        assert!(page.contains("Older items"), "{name}: {page}");
        assert!(see("/items?filtered=only").contains(">60 items<"), "{name}");
        // Older items that are not hidden are shown, however many newer ones are hidden.
        world.posts(&posts("good", 1..4));
        once(&place, 25);
        world.posts(&posts("spam", 200..320));
        once(&place, 26);
        let page = shared();
        assert!(page.contains("3 items") && page.matches("<p dir=\"auto\">good z").count() == 3, "{name}: {page}");
    }
}

#[test]
fn counts_cover_only_examined_items() {
    for database in databases() {
        let world = World::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"spam\"]"));
        let name = place.database.name;
        world.posts(&posts("good", 1..50));
        once(&place, 24);
        for (run, from) in (1_000..6_100_u32).step_by(850).enumerate() {
            world.posts(&posts("spam", from..from + 850));
            once(&place, 25 + u32::try_from(run).unwrap());
        }
        assert_eq!(place.database.number("SELECT count(*) FROM item"), 5_149, "{name}");
        let pages = Pages::serve(&place, &["--at", &hour(40)]);
        let page = pages.page("/items");
        assert!(!page.contains("More than"), "{name}: {page}");
        assert!(page.contains("At least ") && page.contains("not all were checked"), "{name}: {page}");
        assert!(pages.page("/items?filtered=keep").contains("More than 5,000 items"), "{name}");
    }
}

#[test]
fn the_files_of_a_topic_have_the_items_of_its_page_and_their_near_copies() {
    for database in databases() {
        let world = World::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"spam\"]"));
        let name = place.database.name;
        world.posts(&[posts("good launch", 1..4), posts("good", 4..9), posts("spam launch", 100..110)].concat());
        once(&place, 24);
        let [all, one] = [&["all", "--role", "read"][..], &["one", "--role", "read", "--topic", "acme"]]
            .map(|args| token(&place, args));
        let pages = Pages::serve(&place, &["--at", &hour(25)]);
        let see = |token: &str, path: &str| Visitor::Bearer(token).asks(&pages, 1, "GET", path, "").words();
        for (asked, rows) in [
            ("", 8),
            ("?q=launch", 3),
            ("?q=launch&filtered=keep&sort=engagement", 13),
            ("?author=%40author1&since=7d", 3),
        ] {
            let page = see(&all, &format!("/topics/acme{asked}"));
            let shown = page.matches("data-item").count();
            for format in ["csv", "jsonl"] {
                let begin = format!("/items.{format}");
                let file = page.split(&format!("href=\"{begin}")).nth(1);
                let file = file.unwrap_or_else(|| panic!("{name}: {asked}\n{page}")).split('"').next().unwrap();
                let text = see(&all, &format!("{begin}{}", file.replace("&amp;", "&")));
                let lines = text.lines().count() - usize::from(format == "csv");
                assert_eq!((lines, shown), (rows, rows), "{name}: {asked}: {file}\n{text}");
            }
            assert!(page.contains("href=\"/items.xlsx?topic=acme"), "{name}: {page}");
        }
        // No file of nothing, nor of a ranking, to which filters do not apply.
        for asked in ["?tone=negative&source=social", "?sort=velocity"] {
            assert!(!see(&all, &format!("/topics/acme{asked}")).contains("/items.csv"), "{name}: {asked}");
        }
        // Copies are folded on the page, as it says; the file has each.
        let text = "the launch of the new engine was moved to the ninth of april because of the weather at the coast";
        world.posts(&(200..204).map(|id| post(id, 25, text, 0)).collect::<Vec<_>>());
        once(&place, 26);
        let folded = see(&all, "/topics/acme?q=engine");
        assert!(folded.contains("With near-copies on rows of their own."), "{name}: {folded}");
        assert_eq!((folded.matches("data-item").count(), folded.contains("3 near-copies")), (1, true), "{name}");
        let apart = see(&all, "/topics/acme?q=engine&copies=all");
        assert!(!apart.contains("on rows of their own"), "{name}: {apart}");
        assert_eq!(apart.matches("data-item").count(), 4, "{name}: {apart}");
        assert_eq!(see(&all, "/items.csv?topic=acme&search=engine").lines().count(), 5, "{name}");
        // A token for one topic does not get that file.
        assert!(!see(&one, "/topics/acme").contains("items.csv"));
    }
}
