//! The sentences of a report about topics with little data, and about rising items, through the binary on both
//! databases with hand-written replies. `report` checks the numbers.

use serde_json::json;

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// The report of a date in Markdown, made at noon two days after the first day of the case.
fn report(place: &Place, date: &str) -> String {
    place.ok(&["report", "--date", date, "--at", "2026-03-13T12:00:00Z", "--out", "told.md"]);
    std::fs::read_to_string(place.path("told.md")).unwrap()
}

fn page(place: &Place, date: &str) -> String {
    place.ok(&["report", "--date", date, "--at", "2026-03-13T12:00:00Z", "--out", "-"])
}

#[test]
fn rising_items_are_reported_with_the_reactions_gained_in_the_period() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let one = |likes: i64| post(1, 1, "once a day is enough to rise", likes);
        let shared = |id: u32, text: &str, likes: i64, reposts: i64| {
            let mut post = post(id, 2, text, likes);
            post["retweet_count"] = json!(reposts);
            post
        };
        let two = |likes, reposts| shared(2, "it is shared instead of liked", likes, reposts);
        let three = |likes, reposts| shared(3, "what is shared a little and liked no more", likes, reposts);
        world.set_posts(&[one(10), two(100, 0), three(66, 20)]);
        run_once(&place, 7);
        world.set_posts(&[one(5_890), two(80, 40), three(12, 41)]);
        run_once(&place, 31);
        let reported = report(&place, "2026-03-12");
        assert!(
            reported.contains("+5,880 reactions and bookmarks (10 before), 245 an hour"),
            "a topic that is run once a day: {reported}"
        );
        assert!(
            reported.contains("+20 reactions and bookmarks (100 before), 0.8 an hour"),
            "only seen sums are reported: {reported}"
        );
        let page = page(&place, "2026-03-12");
        assert!(page.contains("+20 reactions and bookmarks (100 before)"), "{page}");
        for text in [reported, page] {
            assert_eq!(
                text.matches("reactions and bookmarks (").count(),
                2,
                "an item with fewer reactions in total is not rising: {text}"
            );
        }
        assert!(!report(&place, "2026-03-11").contains("Rising fastest"));
    }
}

#[test]
fn bookmarks_count_as_reactions() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let kept = |many: i64| {
            let mut post = post(1, 1, "it is kept for later", 0);
            post.as_object_mut().unwrap().remove("like_count");
            post["bookmark_count"] = json!(many);
            post
        };
        world.set_posts(&[kept(15)]);
        run_once(&place, 7);
        world.set_posts(&[kept(37)]);
        run_once(&place, 31);
        let reported = report(&place, "2026-03-12");
        assert!(reported.contains("+22 reactions and bookmarks (15 before)"), "{}: {reported}", place.database.name);
    }
}

/// Reports of what is new since the last one, for a topic that runs every six hours.
fn every_six_hours(database: crate::support::databases::Database, world: &ScriptedService, more: &str) -> Place {
    let since = "[[reports]]\nname = \"new\"\nwindow = \"since_last\"\nformat = \"markdown\"\n";
    let place = Place::new(database, &world.lines(), &format!("{}{since}{more}", topic("acme", "every = \"6h\"")));
    for n in [0, 6, 12, 18, 24, 30] {
        world.set_posts(&[post(n + 1, n, &format!("what was said at {n}"), 1)]);
        place.ok(&["once", "--due", "--at", &hour(n)]);
    }
    place
}

fn since_last(place: &Place, at: &str) -> String {
    place.ok(&["report", "new", "--at", at, "--out", "new.md"]);
    std::fs::read_to_string(place.path("new.md")).unwrap()
}

#[test]
fn time_before_the_next_due_search_is_not_reported_as_a_hole() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = every_six_hours(database, &world, "");
        let reported = since_last(&place, &hour(31));
        assert!(!reported.contains("not covered"), "{reported}");
        assert!(reported.contains("- 100% of the period so far covered\n"), "{reported}");
        let open = "Not covered yet: 1h 5m from 03-12 05:55. The next search looks back over it.";
        assert!(reported.contains(open), "{reported}");
        let page = place.ok(&["report", "new", "--at", &hour(31), "--out", "-"]);
        assert!(page.contains(open) && !page.contains("was not covered"), "{page}");
        // A search that was due and did not run leaves a hole.
        let reported = since_last(&place, &hour(40));
        assert!(reported.contains(" of the period was "), "{reported}");
        assert!(reported.contains("covered; the longest gap is"), "{reported}");
    }
}

#[test]
fn since_last_reports_do_not_overwrite_each_other() {
    let world = ScriptedService::new();
    let place = every_six_hours(crate::support::databases::sqlite(), &world, "timezone = \"Europe/Berlin\"\n");
    for n in [30, 31] {
        place.ok(&["report", "new", "--at", &hour(n)]);
    }
    for name in ["new-2026-03-12-0700+0100.md", "new-2026-03-12-0800+0100.md"] {
        assert!(place.path(&format!("reports/{name}")).exists(), "{name}");
    }
    let named = |path: &str| {
        let more = format!("every = \"6h\"\npath = \"{path}\"\n");
        every_six_hours(crate::support::databases::sqlite(), &world, &more).run(&["check"])
    };
    named("r/{name}-{date}").assert_stdout(0, &["later ones overwrite earlier ones", "{time}"]);
    assert!(!named("r/{date}T{time}").to_string().contains("replaces"));
}

#[test]
fn topic_order_is_the_same_for_every_way_to_make_a_report() {
    let world = ScriptedService::new();
    let one = |id: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"q\"\nsources = [\"social\"]\nevery = \"6h\"\n");
    let daily = "[[reports]]\nname = \"daily\"\nevery = \"24h\"\nformat = \"markdown\"\npath = \"r/{date}\"\n";
    let place = Place::new(
        crate::support::databases::sqlite(),
        &world.lines(),
        &format!("{}{}{daily}", one("zeta"), one("acme")),
    );
    world.set_posts(&[post(1, 1, "said before breakfast", 1)]);
    for n in [0, 6, 12, 18, 24, 30] {
        place.ok(&["once", "--due", "--at", &hour(n)]);
    }
    let made = std::fs::read(place.path("r/2026-03-11.md")).unwrap();
    let slot = place.database.texts("SELECT max(started_at) FROM v_run WHERE run LIKE 'report:daily@%'");
    assert!(!slot.is_empty());
    place.ok(&["report", "daily", "--date", "2026-03-11", "--at", &hour(24), "--out", "again.md"]);
    let again = std::fs::read_to_string(place.path("again.md")).unwrap();
    let place_of = |text: &str, id: &str| text.find(&format!("\n## {id}")).unwrap_or_else(|| panic!("{id}: {text}"));
    let made = String::from_utf8(made).unwrap();
    for text in [&made, &again] {
        assert!(place_of(text, "acme") < place_of(text, "zeta"), "{text}");
    }
}

#[test]
fn a_topic_without_results_says_why() {
    for database in databases() {
        let server = FakeServer::respond_with(|path| {
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
        let ill = "was run, but no run has returned results yet: there is nothing to report.";
        assert!(first.contains(ill) && first.contains("social: last error"), "{first}");
        assert!(first.contains("first day: 1 item. The baseline had 1 item of any date."), "{first}");
        let next = report(&place, "2026-03-12");
        assert!(next.contains(ill), "it was tried the day before: {next}");
        assert!(next.contains("was not searched in the period"), "{next}");
        // The searches of its source cover no time span.
        let unknown = "Nothing was searched in this period, so nothing is known about it.";
        assert!(next.contains(unknown) && !next.contains("**0** items"), "{next}");
        let before = report(&place, "2026-03-10");
        assert!(
            before.contains("was not watched yet in this period. Its first run was at 2026-03-11 09:00"),
            "{before}"
        );
        assert!(!before.contains("irst day"), "{before}");
        assert!(page(&place, "2026-03-10").contains("not watched yet"));
        assert!(page(&place, "2026-03-11").contains("no run returned results"));
    }
}

#[test]
fn a_gap_that_starts_before_the_days_read_is_marked_as_part_of_one() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        for at in ["2026-01-05T09:00:00Z", "2026-05-06T09:00:00Z"] {
            place.ok(&["once", "--at", at]);
        }
        let told = |date: &str| {
            place.ok(&["report", "--date", date, "--at", "2026-05-10T12:00:00Z", "--out", "told.md"]);
            std::fs::read_to_string(place.path("told.md")).unwrap()
        };
        // Sixty-one days are read.
        for (date, begin, is_whole) in [("2026-04-28", "02-27 00:00", false), ("2026-01-20", "01-05 09:00", true)] {
            let text = told(date);
            assert!(text.contains(&format!("part of a longer one from {begin} to 04-29 09:00")), "{text}");
            assert!(text.contains(&format!("- not covered: 2026-{begin} – 2026-04-29 09:00: ")), "{text}");
            let said = if is_whole { 0 } else { 2 };
            assert_eq!(
                text.matches("the next search looked back only 7d; it may have begun earlier").count(),
                said,
                "{text}"
            );
        }
    }
}

#[test]
fn on_the_first_day_only_the_first_reply_is_called_the_baseline() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[post(1, 1, "the first of all posts", 1)]);
        run_once(&place, 2);
        world.set_posts(&[post(2, 3, "another one of that day", 1), post(3, 3, "and one more of that day", 1)]);
        run_once(&place, 4);
        let reported = report(&place, "2026-03-11");
        assert!(reported.contains("first day: ≥\u{a0}3 items. The baseline had 1 item of any date."), "{reported}");
    }
}

#[test]
fn a_rise_across_an_empty_search_is_reported_even_if_another_source_had_results() {
    for database in databases() {
        let name = database.name;
        let world = ScriptedService::new();
        let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &world.lines(), &both);
        let run = |at: u32, likes: Option<i64>, web: bool| {
            let posts = likes.map(|likes| vec![post(1, 17, "a post that many like later", likes)]);
            world.set_posts(&posts.unwrap_or_default());
            let page = json!({ "title": "a page about acme", "url": "https://a.example/acme" });
            world.set_pages(&if web { vec![page] } else { Vec::new() });
            run_once(&place, at);
            let gains = place.json(&["diff", "acme", "--json"])["rising"].clone();
            gains.as_array().unwrap().iter().map(|one| one["gain"].as_i64().unwrap()).collect::<Vec<_>>()
        };
        run(18, Some(40), true);
        assert_eq!(run(21, None, true), [0; 0], "{name}");
        assert_eq!(run(30, Some(400), false), [360], "{name}");
        let reported = report(&place, "2026-03-12");
        assert!(reported.contains("### Rising fastest") && reported.contains("+360 reactions"), "{name}: {reported}");
        // Web found nothing since; that reveals no earlier rise of social again.
        assert_eq!(run(33, Some(900), false), [500], "{name}");
        assert_eq!(run(36, Some(900), false), [0; 0], "{name}");
    }
}

#[test]
fn omitted_sentences_are_counted() {
    let world = ScriptedService::new();
    let topics: String =
        (0..12).map(|n| format!("[[topics]]\nid = \"t{n}\"\nquery = \"acme\"\nsources = [\"social\"]\n")).collect();
    let place = Place::new(crate::support::databases::sqlite(), &world.lines(), &topics);
    place.ok(&["once", "--topic", "t11", "--at", &hour(60)]);
    let reported = report(&place, "2026-03-11");
    assert!(reported.contains("2 less important sentences not shown"), "{reported}");
    assert!(page(&place, "2026-03-11").contains("2 less important sentences not shown"));
}

#[test]
fn the_date_of_an_old_page_includes_its_year() {
    let world = ScriptedService::new();
    let place = Place::new(
        crate::support::databases::sqlite(),
        &world.lines(),
        "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\n",
    );
    world.set_pages(&[
        json!({ "title": "of another year", "url": "https://a.example/old", "date": "2019-01-01T00:00:00Z" }),
        json!({ "title": "without a date", "url": "https://a.example/undated" }),
    ]);
    run_once(&place, 9);
    let reported = report(&place, "2026-03-11");
    assert!(
        reported.contains(" · 2019-01-01 00:00 · ") && reported.contains(" · 03-11 09:00 (undated) · "),
        "{reported}"
    );
    let page = page(&place, "2026-03-11");
    assert!(page.contains("2019-01-01 00:00") && !page.contains(" 01-01 00:00"), "{page}");
}

#[test]
fn a_query_change_is_reported_once_for_several_sources() {
    for database in databases() {
        let world = ScriptedService::new();
        let both = |query: &str| topic(query, "").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &world.lines(), &both("acme"));
        world.set_posts(&[post(1, 1, "the first of all posts", 1)]);
        run_once(&place, 2);
        place.configure(&world.lines(), &both("acme OR globex"));
        run_once(&place, 26);
        let reported = report(&place, "2026-03-12");
        let sentence = "(query): the query changed: social and web searched for “acme OR globex”; figures before and after are for different queries";
        assert!(reported.contains(sentence), "{reported}");
        assert_eq!(reported.matches("the query changed: ").count(), 1, "{reported}");
        assert_eq!(page(&place, "2026-03-12").matches("The query changed: ").count(), 1);
    }
}

#[test]
fn the_number_of_comparable_earlier_days_is_shown_only_if_there_are_any() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        for at in [2, 26, 50, 74] {
            world.set_posts(&[post(at, at - 1, &format!("what was said at {at}"), 1)]);
            run_once(&place, at);
        }
        let name = place.database.name;
        let reported = |date: &str, out: &str| place.ok(&["report", "--date", date, "--at", &hour(75), "--out", out]);
        let few = "ot compared: only 1 comparable earlier day, 7 are needed";
        for (date, expected) in [
            ("2026-03-11", "; not compared: first day.".to_owned()),
            ("2026-03-12", "; not compared: no comparable earlier day, 7 are needed.".to_owned()),
            ("2026-03-13", format!("; n{few}.")),
        ] {
            reported(date, "days.md");
            let text = std::fs::read_to_string(place.path("days.md")).unwrap().replace('\\', "");
            assert!(text.contains(&expected), "{name}, {date}: {text}");
        }
        let text = std::fs::read_to_string(place.path("days.md")).unwrap().replace('\\', "");
        let calm = format!(
            "Every source answered and the period is covered. Not judged: volume (n{few}); tone (fewer than 20 scored items)."
        );
        assert!(text.contains(&calm), "{name}: {text}");
        let page = reported("2026-03-13", "-");
        assert!(page.contains(&calm) && page.contains(&format!("N{few}. ")), "{name}: {page}");
    }
}
