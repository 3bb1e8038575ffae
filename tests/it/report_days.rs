//! Reports and `daily` for days with problems: searches that failed before anything was found, a topic's filter, pruned
//! texts and searches, a day that is not over. Through the binary on both databases.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::databases::{Database, databases, sqlite};
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

fn report(place: &Place, date: &str, at: &str) -> (String, String) {
    let made = |name: &str| {
        place.ok(&["report", "--date", date, "--at", at, "--out", name]);
        std::fs::read_to_string(place.path(name)).unwrap()
    };
    (made("told.md"), made("told.html"))
}

fn daily(place: &Place) -> Vec<Value> {
    let text = place.ok(&["export", "--what", "daily", "--format", "jsonl"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The values of a column, by day.
fn column_by_day(rows: &[Value], column: &str) -> Vec<(String, Value)> {
    rows.iter().map(|row| (row["day"].as_str().unwrap().to_owned(), row[column].clone())).collect()
}

#[test]
fn a_topic_whose_first_searches_failed_counts_as_watched_with_costs() {
    for database in databases() {
        let well = Arc::new(AtomicBool::new(false));
        let answers = Arc::clone(&well);
        let server = FakeServer::respond_with(move |_| {
            let headers = "content-type: application/json\r\nx-desearch-cost-usd: 0.01\r\n";
            if answers.load(Ordering::SeqCst) {
                let body = json!({ "results": [post(1, 47, "found at last", 1)] }).to_string();
                return reply("200 OK", headers, body.as_bytes());
            }
            reply("502 Bad Gateway", headers, b"{\"detail\":\"balance spent\"}")
        });
        let place = Place::new(database, &server.lines(), &topic("acme", ""));
        // Seven failed runs from noon on, and one that succeeded in the morning of the third day.
        for n in [12, 18, 24, 30, 36, 42, 48] {
            place.run(&["once", "--at", &hour(n)]);
        }
        well.store(true, Ordering::SeqCst);
        run_once(&place, 54);
        let (name, rows) = (place.database.name, daily(&place));
        let days = |figures: [Value; 3]| -> Vec<(String, Value)> {
            ["2026-03-11", "2026-03-12", "2026-03-13"].map(str::to_owned).into_iter().zip(figures).collect()
        };
        assert_eq!(column_by_day(&rows, "social_failed"), days([json!(2), json!(4), json!(1)]), "{name}");
        assert_eq!(column_by_day(&rows, "runs"), days([json!(2), json!(4), json!(2)]), "{name}");
        let cost: f64 = rows.iter().map(|row| row["cost_usd"].as_f64().unwrap()).sum();
        assert!((cost - 0.08).abs() < 1e-9, "{name}: {cost}");

        let now = hour(55);
        let (text, page) = report(&place, "2026-03-12", &now);
        let reported = "had no results in this period yet. Its first run with results was at 2026-03-13 06:00; older items were found later";
        assert!(text.contains(reported) && page.contains(reported), "{name}: {text}");
        assert!(!text.contains("was not watched yet") && !page.contains("was not watched yet"), "{name}: {text}");
        // The failures are in the period, the recovery is not.
        let failed = "social: 4 of 4 searches failed here in the period; it has answered since 03-13 06:00.";
        assert!(text.contains(failed) && page.contains(failed), "{name}: {text}");
        let (text, page) = report(&place, "2026-03-10", &now);
        let reported = "was not watched yet in this period. Its first run was at 2026-03-11 12:00";
        assert!(text.contains(reported) && page.contains(reported), "{name}: {text}");
        assert!(
            !text.contains("found later") && !page.contains("found later"),
            "{name}: no item was found later: {text}"
        );
        // In the period of the recovery, the last search is part of it.
        let (text, _) = report(&place, "2026-03-13", &now);
        assert!(text.contains("social: 1 of 2 searches failed here; the last one succeeded."), "{name}: {text}");
        assert!(text.contains("irst day"), "{name}: the baseline came on that day: {text}");
    }
}

#[test]
fn a_failure_after_a_past_day_is_not_shown_in_the_report_of_that_day() {
    for database in databases() {
        let well = Arc::new(AtomicBool::new(true));
        let answers = Arc::clone(&well);
        let server = FakeServer::respond_with(move |_| {
            if answers.load(Ordering::SeqCst) {
                let body = json!({ "results": [post(1, 1, "found", 1)] }).to_string();
                return reply("200 OK", "content-type: application/json\r\n", body.as_bytes());
            }
            reply("502 Bad Gateway", "content-type: application/json\r\n", b"{\"detail\":\"gone\"}")
        });
        let place = Place::new(database, &server.lines(), &topic("acme", ""));
        // It fails from the last search of 03-12 on, and answers again from 03-14 on.
        for n in [6, 12, 18, 24, 30, 36, 42, 54, 60, 72] {
            well.store(!(42..72).contains(&n), Ordering::SeqCst);
            place.run(&["once", "--at", &hour(n)]);
        }
        let (name, now) = (place.database.name, hour(240));
        let (text, page) = report(&place, "2026-03-11", &now);
        assert!(text.contains("- social: last ok, 03-11 18:00; 0 of 3 failed"), "{name}: {text}");
        let (text_of_failure, page_of_failure) = report(&place, "2026-03-12", &now);
        let reported = "social was failing at the end of the period here: its last search, at 03-12 18:00, failed";
        assert!(text_of_failure.contains(reported) && page_of_failure.contains(reported), "{name}: {text_of_failure}");
        assert!(text_of_failure.contains("; 1 of 4 failed in the period."), "{name}: {text_of_failure}");
        // No search of the day before failed.
        for reported in [&text, &page] {
            assert!(!reported.contains("failing"), "{name}: {reported}");
        }
        // The day before the failures; the first of them came at most twelve hours later.
        let place = Place::new(sqlite(), &server.lines(), &topic("acme", ""));
        for n in [6, 12, 18, 30] {
            well.store(n < 24, Ordering::SeqCst);
            place.run(&["once", "--at", &hour(n)]);
        }
        let (text, page) = report(&place, "2026-03-11", &hour(31));
        let reported = "social is failing here: its last search, at 03-12 06:00, failed";
        assert!(text.contains(reported) && page.contains(reported), "{text}");
        let (text, page) = report(&place, "2026-03-11", &hour(40));
        for reported in [&text, &page] {
            assert!(!reported.contains("failing"), "{reported}");
        }
        assert!(text.contains("- social: last ok, 03-11 18:00; 0 of 3 failed"), "{text}");
    }
}

#[test]
fn a_full_reply_without_a_gap_makes_no_figure_a_lower_bound() {
    for database in databases() {
        let said = Arc::new(Mutex::new(json!([])));
        let shown = Arc::clone(&said);
        let server = FakeServer::respond_with(move |_| {
            let body = shown.lock().unwrap().to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        let service = format!("{}dialect = \"desearch\"\n", server.lines());
        let place = Place::new(database, &service, &topic("acme", "social.limit = 4\n"));
        let at = |n: u32| -> Vec<Value> {
            let new = (0..3).map(|k| post(n * 10 + k, n - k, &format!("{n} {k} said of acme"), 1));
            let known = post((n - 2) * 10 + 1, n.saturating_sub(3), &format!("{} 1 said of acme", n - 2), 1);
            new.chain([known]).collect()
        };
        let bound =
            |text: &str| text.split("≥\u{a0}").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        // Each reply is full and reaches back beyond the search before it, over posts that are indexed late.
        for n in (2..=20).step_by(2) {
            *said.lock().unwrap() = json!(at(n));
            run_once(&place, n);
        }
        let name = place.database.name;
        let (text, _) = report(&place, "2026-03-11", &hour(20));
        // The day before was not watched, so it is unknown which of its posts the first reply left out.
        let watched: String = text.lines().filter(|line| !line.starts_with("| 2026-03-10")).collect();
        assert!(!bound(&watched), "{name}: {text}");
        let rows = daily(&place);
        assert_eq!((&rows[0]["saturated"], &rows[0]["items"]), (&json!(false), &json!(31)), "{name}: {rows:?}");
        // A reply that reached back only an hour, after four hours.
        *said.lock().unwrap() = json!([
            post(901, 24, "much", 1),
            post(902, 23, "more", 1),
            post(903, 23, "was said", 1),
            post(904, 23, "of it", 1)
        ]);
        run_once(&place, 24);
        let (text, page) = report(&place, "2026-03-11", &hour(24));
        assert!(bound(&text) && bound(&page), "{name}: {text}");
        assert_eq!(column_by_day(&daily(&place), "saturated")[0].1, json!(true), "{name}");
    }
}

#[test]
fn sql_of_a_filtered_topic_says_that_it_counts_before_the_filter() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"recall\"]"));
        world.set_posts(&[
            post(1, 1, "acme is liked", 1),
            post(2, 2, "acme is disliked", 1),
            post(3, 3, "a recall of acme", 1),
            post(4, 3, "another recall, larger than the first", 1),
        ]);
        run_once(&place, 9);
        let (text, page) = report(&place, "2026-03-11", &hour(30));
        let name = place.database.name;
        assert!(text.contains("**≥\u{a0}2** items"), "{name}: {text}");
        for figure in ["items, unique, authors", "the items themselves", "tone", "copied texts"] {
            let title = format!("{figure} (before the filter: 2 more items)");
            assert!(text.contains(&title) && page.contains(&title), "{name}: no {title}: {text}");
        }
        assert!(!text.contains("cost (before the filter"), "{name}: searches have no filter: {text}");
        let sql = text.split("```sql\n").nth(1).unwrap().split("\n```").next().unwrap();
        assert_eq!(place.database.number(&format!("SELECT items FROM ({sql}) q")), 4, "{name}: {sql}");
        // Without a filter there is nothing to add.
        place.configure(&world.lines(), &topic("acme", ""));
        run_once(&place, 31);
        let (text, _) = report(&place, "2026-03-11", &hour(32));
        assert!(text.contains("**4** items") && !text.contains("before the filter"), "{name}: {text}");
    }
}

#[test]
fn the_number_of_authors_is_unknown_for_a_day_with_pruned_texts() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nitems = \"25d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("acme", "")));
        let all: Vec<Value> = (0..3).map(|k| post(k, k, &format!("{k} what acme was in spring"), 1)).collect();
        world.set_posts(&all);
        run_once(&place, 9);
        // One of them is seen again, so its text is kept longer.
        world.set_posts(&all[..1]);
        run_once(&place, 24 * 20);
        let (name, now) = (place.database.name, "2026-04-10T00:00:00Z".to_owned());
        assert_eq!(column_by_day(&daily(&place), "authors")[0].1, json!(3), "{name}");
        place.ok(&["db", "prune", "--at", &now]);
        let rows = daily(&place);
        assert_eq!((&rows[0]["items"], &rows[0]["authors"]), (&json!(3), &Value::Null), "{name}: {}", rows[0]);
        let (text, page) = report(&place, "2026-03-11", &now);
        assert!(text.contains("**≥\u{a0}3** items, **≥\u{a0}3** unique, authors unknown"), "{name}: {text}");
        assert!(page.contains("authors unknown"), "{name}");
    }
}

#[test]
fn a_day_whose_searches_were_pruned_is_not_called_uncovered() {
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("acme", "")));
        for day in 0..9 {
            world.set_posts(&[post(day, 24 * day, &format!("{day} what acme was"), 1)]);
            for n in [1, 12, 24] {
                run_once(&place, 24 * day + n);
            }
        }
        let (name, now) = (place.database.name, "2026-04-14T12:00:00Z".to_owned());
        let pruned = "Week before (Thursday 03-12): not compared, its searches were pruned.";
        let (before, _) = report(&place, "2026-03-19", &now);
        assert!(before.contains("Week before (Thursday 03-12): 1 item"), "{name}: {before}");
        place.ok(&["db", "prune", "--at", &now]);
        let (text, page) = report(&place, "2026-03-19", &now);
        assert!(text.contains(pruned) && page.contains(pruned), "{name}: {text}");
        assert!(!text.contains("0% covered"), "{name}: {text}");
    }
}

#[test]
fn a_topic_reduced_to_its_web_source_has_checks_instead_of_coverage() {
    for database in databases() {
        let world = ScriptedService::new();
        let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &world.lines(), &both);
        world.set_pages(&[json!({ "title": "About acme", "url": "https://example.com/acme", "snippet": "acme" })]);
        run_once(&place, 12);
        place.configure(&world.lines(), &both.replace("\"social\", ", ""));
        for day in 1..9 {
            run_once(&place, 24 * day + 12);
        }
        let name = place.database.name;
        let rows = |more: &[&str]| -> Vec<Value> {
            let text = place.ok(&[&["export", "--what", "daily", "--format", "jsonl"], more].concat());
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let all = rows(&[]);
        assert_eq!(all.len(), 9, "{name}");
        // The figures of a day do not depend on where the export begins.
        assert_eq!(all[1..], rows(&["--since", "2026-03-12"]), "{name}");
        for day in &all[2..] {
            let figures = ["covered_s", "holes", "holes_s"].map(|column| day[column].clone());
            assert_eq!(figures, [Value::Null, Value::Null, Value::Null], "{name}: {day}");
            assert_eq!((&day["web_answered"], &day["covered_share"]), (&json!(1), &json!(1.0)), "{name}: {day}");
        }
        let (text, page) = report(&place, "2026-03-15", &hour(24 * 9));
        assert!(!text.contains("not covered") && !text.contains("gap"), "{name}: {text}");
        for text in [&text, &page] {
            assert!(
                !text.contains("100% covered") && !text.contains("period is covered") && text.contains("1 check"),
                "{name}: {text}"
            );
        }
        let covered = text.lines().find(|line| line.starts_with("| 2026-03-15 ")).unwrap();
        assert!(covered.ends_with("| 1 check |"), "{name}: {covered}");
    }
}

#[test]
fn a_day_without_a_search_of_a_web_topic_is_unknown_not_zero() {
    for database in databases() {
        let world = ScriptedService::new();
        let more = topic("acme", "").replace("[\"social\"]", "[\"web\"]");
        let place = Place::new(database, &world.lines(), &more);
        // At noon of each day, but not on the third.
        for day in [0, 1, 3] {
            world.set_pages(&[json!({ "title": format!("Page {day}"), "url": format!("https://a.example/{day}") })]);
            run_once(&place, day * 24 + 12);
        }
        let (text, page) = report(&place, "2026-03-13", &hour(90));
        let name = place.database.name;
        for part in [
            "(not asked) was not searched in the period: nothing is known about it.",
            "Nothing was searched in this period, so nothing is known about it.",
            "Day before (Thursday 03-12): 1 item; not compared: no search of this day answered.",
            "| 2026-03-10 | – | – | – | ",
            "| 2026-03-12 | 1 | 1 | unknown | ",
            "| 2026-03-13 | – | – | – | 0 | – | – | 0 checks |",
        ] {
            assert!(text.contains(part), "{name}: {part}: {text}");
        }
        assert!(page.contains("2026-03-12: 1, 2026-03-13: –"), "{name}: {page}");
        assert!(!text.contains("**0**") && !page.contains("now 0"), "{name}: {text}");
        let lower_bounds = column_by_day(&daily(&place), "at_least");
        let expected = [("11", false), ("12", false), ("13", true), ("14", false)];
        let expected = expected.map(|(day, bound)| (format!("2026-03-{day}"), json!(bound)));
        assert_eq!(lower_bounds, expected, "{name}");
    }
}

/// A topic that only searches the web. Each search finds ten new pages.
fn find_ten_pages_at(database: Database, hours: impl IntoIterator<Item = u32>) -> Place {
    let world = ScriptedService::new();
    let web = topic("acme", "web.limit = 50").replace("[\"social\"]", "[\"web\"]");
    let place = Place::new(database, &world.lines(), &web);
    for at in hours {
        let page = |k: u32| json!({ "title": format!("Page {at} {k}"), "url": format!("https://s{k}.example/{at}") });
        world.set_pages(&(0..10).map(page).collect::<Vec<_>>());
        run_once(&place, at);
    }
    place
}

#[test]
fn fewer_pages_from_fewer_searches_are_not_reported_as_a_fall() {
    for database in databases() {
        // Three searches a day; on the ninth day only the first.
        let place = find_ten_pages_at(database, (0..=48).map(|n| n * 6).filter(|at| at % 24 < 18 && *at <= 192));
        let (text, page) = report(&place, "2026-03-19", &hour(220));
        let name = place.database.name;
        let day_before = "Day before (Wednesday 03-18): 30 items; not compared: only 1 answer from web.";
        for part in ["; below usual, but only 1 answer from web (", day_before] {
            assert!(text.contains(part), "{name}: {part}: {text}");
        }
        assert!(page.contains(day_before), "{name}: {page}");
        assert!(!text.contains("(volume)"), "{name}: {text}");
    }
}

#[test]
fn more_pages_from_many_more_searches_are_not_reported_as_a_rise() {
    for database in databases() {
        // Two searches a day; on the ninth day, one every two hours.
        let place = find_ten_pages_at(database, (0..16).map(|n| n * 12).chain((0..12).map(|n| 192 + n * 2)));
        let (text, page) = report(&place, "2026-03-19", &hour(220));
        let name = place.database.name;
        let day_before = "Day before (Wednesday 03-18): not compared, only 2 answers from web.";
        for part in ["**120** items", "not compared: no comparable earlier day", day_before] {
            assert!(text.contains(part), "{name}: {part}: {text}");
        }
        assert!(page.contains(day_before), "{name}: {page}");
        assert!(!text.contains("(volume)"), "{name}: {text}");
    }
}

#[test]
fn a_rise_of_posts_is_reported_although_pages_were_searched_by_hand() {
    let world = ScriptedService::new();
    let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\"]");
    let place = Place::new(sqlite(), &world.lines(), &both);
    // One search a day; on the eleventh day, three more by hand.
    for at in (0..10).map(|day| day * 24 + 22).chain([254, 257, 260, 262, 265]) {
        let many = match at {
            0..240 => 3,
            240..264 => 40,
            _ => 0,
        };
        let found = |k: u32| {
            let day = at / 24;
            post(day * 100 + k, day * 24 + k % 8, &format!("{day} {k} acme words"), 1)
        };
        world.set_posts(&(0..many).map(found).collect::<Vec<_>>());
        run_once(&place, at);
    }
    let (text, _) = report(&place, "2026-03-21", &hour(266));
    let rise = "**acme** (volume): ≥\u{a0}40 items by ≥\u{a0}3 authors, ≥\u{a0}13.3 times the usual number: ";
    assert!(text.contains(rise) && text.contains("Week before (Saturday 03-14): 3 items; now ≥\u{a0}40"), "{text}");
}

#[test]
fn a_day_with_one_check_fewer_by_its_schedule_is_compared() {
    for database in databases() {
        // Every five hours: most days have five searches, the tenth has four.
        let place = find_ten_pages_at(database, (0..=47).map(|n| n * 5));
        let (text, _) = report(&place, "2026-03-20", &hour(245));
        let name = place.database.name;
        let compared = "Day before (Thursday 03-19): 50 items; now 40, −20%.";
        assert!(text.contains(compared) && !text.contains("only 4 answers"), "{name}: {text}");
    }
}

/// Nothing new was found, so the AI had nothing to write about.
#[test]
fn a_fall_is_reported_even_if_fewer_answers_were_written() {
    for database in databases() {
        let shown = Arc::new(Mutex::new(json!([])));
        let pages = Arc::clone(&shown);
        let server = FakeServer::respond_with(move |path| {
            let body = match path.starts_with("/web") {
                true => json!({ "results": *pages.lock().unwrap() }),
                false => json!({ "completion": "Pages were found." }),
            };
            reply("200 OK", "content-type: application/json\r\n", body.to_string().as_bytes())
        });
        let more = topic("acme", "web.limit = 50").replace("[\"social\"]", "[\"web\", \"ai\"]");
        let place = Place::new(database, &server.lines(), &more);
        // As above, but on the ninth day the second and third search find nothing.
        for at in (0..=34).map(|n| n * 6).filter(|at| at % 24 < 18) {
            let page =
                |k: u32| json!({ "title": format!("Page {at} {k}"), "url": format!("https://s{k}.example/{at}") });
            let many = if at > 192 { 0 } else { 10 };
            *shown.lock().unwrap() = json!((0..many).map(page).collect::<Vec<_>>());
            run_once(&place, at);
        }
        let answers = "SELECT count(*) FROM v_search WHERE source = 'ai' AND state = 'ok'";
        assert_eq!(place.database.number(answers), 25, "{}", place.database.name);
        let (text, _) = report(&place, "2026-03-19", &hour(220));
        let name = place.database.name;
        for part in ["**acme** (volume): 10 items", "30 items; now 10, −67%.", "| 3 checks |"] {
            assert!(text.contains(part), "{name}: {part}: {text}");
        }
    }
}
