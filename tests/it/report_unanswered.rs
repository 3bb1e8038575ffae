//! A source whose searches see only a moment, and that gives no answer for a day: its items are missing, although another
//! source covered all of the day. Reports, pages, the API and `daily` say so; and shares of voice say so of a topic that
//! was paused. Through the binary on both databases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::web_client::{Pages, without_links};
use crate::support::world::{hour, post, topic};

/// The post of the first morning, and as many pages of each day. The search for pages fails on request.
fn service(fails: &Arc<AtomicBool>) -> FakeServer {
    let fails = Arc::clone(fails);
    FakeServer::respond_with(move |path| {
        let results = match path.starts_with("/web") {
            true if fails.load(Ordering::SeqCst) => return reply("500 Internal Server Error", "", b"{}"),
            true => json!([{ "title": "About acme", "url": "https://example.com/acme", "snippet": "acme" }]),
            false => json!([post(1, 0, "acme is here", 1)]),
        };
        let body = json!({ "results": results }).to_string();
        reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
    })
}

#[test]
fn a_day_without_an_answer_of_one_source_is_a_lower_bound_everywhere() {
    for database in databases() {
        let fails = Arc::new(AtomicBool::new(false));
        let server = service(&fails);
        let both = topic("acme", "timezone = \"UTC\"").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &server.lines(), &both);
        let name = place.database.name;
        // On the second day, no search for pages is answered.
        for at in (0..72).step_by(12) {
            fails.store((24..48).contains(&at), Ordering::SeqCst);
            place.run(&["once", "--at", &hour(at)]);
        }
        let now = hour(61);
        let report = |date: &str, file: &str| {
            place.ok(&["report", "--date", date, "--at", &now, "--out", file]);
            std::fs::read_to_string(place.path(file)).unwrap()
        };
        let text = report("2026-03-12", "day.md");
        assert!(text.contains("**≥\u{a0}0** items, **≥\u{a0}0** unique, ≥\u{a0}0 authors"), "{name}: {text}");
        assert!(text.contains("| 2026-03-12 | ≥\u{a0}0 | ≥\u{a0}0 | ≥\u{a0}0 | "), "{name}: {text}");
        let not_compared = "Day before (Wednesday 03-11): 2 items; not compared: no answer from web.";
        assert!(text.contains(not_compared), "{name}: {text}");
        let html = report("2026-03-12", "day.html");
        assert!(html.contains("<strong>≥\u{a0}0</strong> items"), "{name}: {html}");
        assert!(html.contains("because the topic was not watched yet, or a source gave no answer."), "{name}: {html}");
        assert!(!html.contains("No gaps in the period."), "{name}: {html}");
        let before = report("2026-03-11", "before.md");
        assert!(before.contains("**2** items, **2** unique, 1 author;"), "{name}: {before}");

        let pages = Pages::serve(&place, &["--at", &now]);
        let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
        let page = without_links(&pages.page("/topics/acme")).replace('\u{a0}', " ");
        let rows: Vec<Value> = {
            let rows = place.ok(&["export", "--what", "daily", "--format", "jsonl"]);
            rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
        };
        for (date, count, at_least) in [("2026-03-11", "2", false), ("2026-03-12", "≥ 0", true)] {
            let day = days.as_array().unwrap().iter().find(|day| day["date"] == date).unwrap();
            let row = rows.iter().find(|row| row["day"] == date).unwrap();
            assert_eq!([&day["at_least"], &row["at_least"]], [&json!(at_least); 2], "{name}: {day:#} {row}");
            let row = page.split(&format!("<th scope=\"row\">{date}</th>")).nth(1).unwrap();
            assert!(row.starts_with(&format!("<td class=\"n\">{count}</td>")), "{name}, {date}: {page}");
        }
    }
}

#[test]
fn shares_of_a_topic_that_was_paused_are_bounds() {
    for database in databases() {
        // Each search finds another page.
        let found = AtomicU32::new(0);
        let server = FakeServer::respond_with(move |_| {
            let n = found.fetch_add(1, Ordering::SeqCst);
            let page = json!({ "title": format!("Page {n}"), "url": format!("https://example.com/{n}") });
            let body = json!({ "results": [page] }).to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        let place = Place::new(database, &server.lines(), "");
        let name = place.database.name;
        let of = |id: &str, more: &str| {
            let more = format!("every = \"6h\"\ntimezone = \"UTC\"\n{more}");
            topic(id, &more).replace("[\"social\"]", "[\"web\"]").replacen("acme", id, 1)
        };
        // The second topic is paused from noon of the second day on.
        for at in (0..96).step_by(6) {
            let paused = if at >= 36 { "paused = true" } else { "" };
            place.configure(&server.lines(), &format!("{}\n{}", of("acme", ""), of("globex", paused)));
            place.ok(&["once", "--due", "--at", &hour(at)]);
        }
        let now = hour(97);
        let report = |args: &[&str]| {
            place.ok(&[&["report", "--at", &now, "--out", "voice.md"], args].concat());
            std::fs::read_to_string(place.path("voice.md")).unwrap().replace('\u{a0}', " ")
        };
        for (args, row) in [
            (["--date", "2026-03-11"], "| globex | 50% (3) | 50% (3) | unknown |"),
            (["--date", "2026-03-12"], "| globex | ≥ 33% (≥ 2) | ≥ 33% (≥ 2) | unknown |"),
            (["--date", "2026-03-12"], "**≥ 2** items, **≥ 2** unique"),
            (["--date", "2026-03-13"], "| globex | – | – | – |"),
            (["--week", "2026-W11"], "| globex | ≈ 25% (≥ 5) | ≈ 25% (≥ 5) | unknown |"),
            (["--week", "2026-W11"], "| 2026-03-12 | ≤ 67% (4) | ≥ 33% (≥ 2) | ≥ 6 | 100% |"),
            (["--week", "2026-W11"], "| 2026-03-13 | ≤ 100% (4) | – | ≥ 4 | 0% |"),
        ] {
            let text = report(&args);
            assert!(text.contains(row), "{name}: {row}: {text}");
        }
    }
}

#[test]
fn fewer_items_after_failed_searches_of_one_source_are_no_fall() {
    for database in databases() {
        let fails = Arc::new(AtomicBool::new(false));
        let (asked, failing) = (AtomicU32::new(0), Arc::clone(&fails));
        // Each search for pages finds ten new ones.
        let server = FakeServer::respond_with(move |path| {
            if path.starts_with("/web") && failing.load(Ordering::SeqCst) {
                return reply("500 Internal Server Error", "", b"{}");
            }
            let n = asked.fetch_add(1, Ordering::SeqCst);
            let page = |k: u32| json!({ "title": format!("Page {n} {k}"), "url": format!("https://s{k}.example/{n}") });
            let pages: Vec<Value> = (0..10).map(page).collect();
            let results = if path.starts_with("/web") { json!(pages) } else { json!([]) };
            let body = json!({ "results": results }).to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        let both = topic("acme", "timezone = \"UTC\"\nweb.limit = 50");
        let both = both.replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &server.lines(), &both);
        let name = place.database.name;
        // Four searches a day; on the ninth day only the last one is answered.
        for at in (0..=240).step_by(6) {
            fails.store((192..210).contains(&at), Ordering::SeqCst);
            place.run(&["once", "--at", &hour(at)]);
        }
        let report = |date: &str| {
            place.ok(&["report", "--date", date, "--at", &hour(241), "--out", "few.md"]);
            std::fs::read_to_string(place.path("few.md")).unwrap()
        };
        let few = report("2026-03-19");
        for part in [
            "unique, authors unknown; below usual, but only 1 answer from web (",
            "Day before (Wednesday 03-18): 40 items; not compared: only 1 answer from web.",
        ] {
            assert!(few.contains(part), "{name}: {part}: {few}");
        }
        assert!(!few.contains("(volume)"), "{name}: {few}");
        let next = report("2026-03-20");
        let not_compared = "Day before (Thursday 03-19): not compared, only 1 answer from web.";
        assert!(next.contains(not_compared) && next.contains("; as usual ("), "{name}: {next}");
    }
}

#[test]
fn a_day_after_a_clock_change_without_an_answer_makes_its_week_a_lower_bound() {
    for database in databases() {
        let fails = Arc::new(AtomicBool::new(false));
        let server = service(&fails);
        let only_web = topic("acme", "timezone = \"Africa/Cairo\"").replace("[\"social\"]", "[\"web\"]");
        let place = Place::new(database, &server.lines(), &only_web);
        let name = place.database.name;
        // Clocks go forward on Friday, 24 April, which ends at 21:00 UTC after 23 hours. Both searches of Saturday fail.
        for day in 18..=26 {
            for at in [format!("2026-04-{day}T09:30:00Z"), format!("2026-04-{day}T21:30:00Z")] {
                fails.store(["2026-04-24T21:30:00Z", "2026-04-25T09:30:00Z"].contains(&at.as_str()), Ordering::SeqCst);
                place.run(&["once", "--at", &at]);
            }
        }
        let week = ["report", "--week", "2026-W17", "--timezone", "Africa/Cairo", "--at", "2026-04-27T09:00:00Z"];
        place.ok(&[&week[..], &["--out", "week.md"]].concat());
        let text = std::fs::read_to_string(place.path("week.md")).unwrap();
        assert!(text.contains("| 2026-04-25 | –"), "{name}: {text}");
        assert!(text.contains("**≥\u{a0}0** items"), "{name}: {text}");
    }
}

#[test]
fn a_week_in_which_half_the_searches_of_a_source_failed_is_not_compared() {
    for (failing, expected) in [
        (120..288, "Week before (2026-W12): not compared, only 7 answers from web."),
        (288..456, "Week before (2026-W12): not compared, only 7 answers from web in this week."),
    ] {
        let fails = Arc::new(AtomicBool::new(false));
        let server = service(&fails);
        let both = topic("acme", "timezone = \"UTC\"").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(sqlite(), &server.lines(), &both);
        // The searches of midnight fail, those of noon do not: no day is without an answer.
        for at in (96..=456).step_by(12) {
            fails.store(failing.contains(&at) && at % 24 == 0, Ordering::SeqCst);
            place.run(&["once", "--at", &hour(at)]);
        }
        place.ok(&["report", "--week", "2026-W13", "--at", &hour(457), "--out", "week.md"]);
        let text = std::fs::read_to_string(place.path("week.md")).unwrap();
        assert!(text.contains(expected) && !text.contains("| figure |"), "{expected}: {text}");
    }
}

#[test]
fn a_week_after_one_with_searches_by_hand_is_compared() {
    for sources in ["[\"social\", \"web\"]", "[\"web\"]"] {
        let server = service(&Arc::new(AtomicBool::new(false)));
        let daily = topic("acme", "timezone = \"UTC\"").replace("[\"social\"]", sources);
        let place = Place::new(sqlite(), &server.lines(), &daily);
        // One search a day, and three by hand in the first week.
        for at in (96..=456).step_by(4).filter(|at| at % 24 == 0 || (124..136).contains(at)) {
            place.run(&["once", "--at", &hour(at)]);
        }
        place.ok(&["report", "--week", "2026-W13", "--at", &hour(457), "--out", "week.md"]);
        let text = std::fs::read_to_string(place.path("week.md")).unwrap();
        let is_compared = text.contains("; as many as in the week before.") && text.contains("| figure |");
        assert!(is_compared && !text.contains("not compared"), "{sources}: {text}");
    }
}
