//! What a report says of topics that have little to tell yet, and of what rises, through the binary on both databases with
//! replies written by hand. Its figures are worked out again in `report`.

use serde_json::json;

use crate::changes::{World, hour, once, post, topic};
use crate::databases::databases;
use crate::program::Place;
use crate::service::{Raw, reply};

/// The report of a date in Markdown, made at noon two days after the day of the cases.
fn report(place: &Place, date: &str) -> String {
    place.ok(&["report", "--date", date, "--at", "2026-03-13T12:00:00Z", "--out", "told.md"]);
    std::fs::read_to_string(place.path("told.md")).unwrap()
}

fn page(place: &Place, date: &str) -> String {
    place.ok(&["report", "--date", date, "--at", "2026-03-13T12:00:00Z", "--out", "-"])
}

#[test]
fn what_rose_since_the_run_before_the_period_is_told_with_what_was_seen() {
    for database in databases() {
        let world = World::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let two = |likes: i64, reposts: i64| {
            let mut post = post(2, 2, "it is shared instead of liked", likes);
            post["retweet_count"] = json!(reposts);
            post
        };
        world.posts(&[post(1, 1, "once a day is enough to rise", 10), two(100, 0)]);
        once(&place, 7);
        world.posts(&[post(1, 1, "once a day is enough to rise", 5_890), two(20, 40)]);
        once(&place, 31);
        let told = report(&place, "2026-03-12");
        assert!(told.contains("+5,880 to 10, 245 an hour"), "a topic that is run once a day: {told}");
        assert!(told.contains("+40 to 100, 1.7 an hour"), "no sum that was never seen: {told}");
        assert!(page(&place, "2026-03-12").contains("+40 to 100"));
        assert!(!report(&place, "2026-03-11").contains("Rising fastest"));
    }
}

#[test]
fn a_topic_that_has_nothing_to_tell_yet_says_why() {
    for database in databases() {
        let server = Raw::saying(|path| {
            if path.starts_with("/web") {
                let pages = json!({ "results": [{ "title": "a page", "url": "https://a.example/1" }] }).to_string();
                return reply("200 OK", "content-type: application/json\r\n", pages.as_bytes());
            }
            reply("400 Bad Request", "content-type: application/json\r\n", b"{\"detail\":\"no\"}")
        });
        let topics = "[[topics]]\nid = \"ill\"\nquery = \"x\"\nsources = [\"social\"]\n\
                      [[topics]]\nid = \"pages\"\nquery = \"x\"\nsources = [\"web\"]\n";
        let place = Place::new(database, &server.lines(), topics);
        place.run(&["once", "--at", &hour(9)]);
        let first = report(&place, "2026-03-11");
        let ill = "was run, but no run has brought anything yet: there is nothing to report.";
        assert!(first.contains(ill) && first.contains("social: last error"), "{first}");
        assert!(first.contains("first day: 1 item; 1 of what was found is the baseline"), "{first}");
        let next = report(&place, "2026-03-12");
        assert!(next.contains(ill), "it was tried the day before: {next}");
        assert!(next.contains("was not asked in the period"), "{next}");
        let before = report(&place, "2026-03-10");
        assert!(before.contains("was not watched yet: its first run began at 2026-03-11 09:00"), "{before}");
        assert!(!before.contains("irst day"), "{before}");
        assert!(page(&place, "2026-03-10").contains("not watched yet"));
        assert!(page(&place, "2026-03-11").contains("no run brought anything"));
    }
}

#[test]
fn of_the_first_day_only_the_first_answer_is_called_the_baseline() {
    for database in databases() {
        let world = World::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.posts(&[post(1, 1, "the first of all posts", 1)]);
        once(&place, 2);
        world.posts(&[post(2, 3, "another one of that day", 1), post(3, 3, "and one more of that day", 1)]);
        once(&place, 4);
        let told = report(&place, "2026-03-11");
        assert!(told.contains("first day: 3 items; 1 of what was found is the baseline"), "{told}");
    }
}

#[test]
fn sentences_that_are_not_told_are_counted() {
    let world = World::new();
    let topics: String =
        (0..12).map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"acme\"\nsources = [\"social\"]\n")).collect();
    let place = Place::new(crate::databases::sqlite(), &world.lines(), &topics);
    place.ok(&["once", "--topic", "t11", "--at", &hour(60)]);
    let told = report(&place, "2026-03-11");
    assert!(told.contains("2 sentences of less weight not listed"), "{told}");
    assert!(page(&place, "2026-03-11").contains("2 sentences of less weight not listed"));
}

#[test]
fn an_old_page_says_its_year() {
    let world = World::new();
    let place = Place::new(
        crate::databases::sqlite(),
        &world.lines(),
        "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\n",
    );
    world.pages(&[
        json!({ "title": "of another year", "url": "https://a.example/old", "date": "2019-01-01T00:00:00Z" }),
        json!({ "title": "without a date", "url": "https://a.example/undated" }),
    ]);
    once(&place, 9);
    let told = report(&place, "2026-03-11");
    assert!(told.contains(" · 2019-01-01 00:00 · ") && told.contains(" · 03-11 09:00 (undated) · "), "{told}");
    let page = page(&place, "2026-03-11");
    assert!(page.contains("2019-01-01 00:00") && !page.contains(" 01-01 00:00"), "{page}");
}
