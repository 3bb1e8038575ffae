//! Sources that topics get and lose, and sources that wait while another one fails, through the binary on both
//! databases: how `coverage`, reports and metrics show them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::access_stage::add_share_link;
use crate::support::api_client::get_json;
use crate::support::covered_spans::spans;
use crate::support::databases::{Database, databases};
use crate::support::exposition::ExposedMetrics;
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::web_client::{Pages, without_links};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

/// Two services that find the same posts. The second one fails on request.
struct Stage {
    place: Place,
    server: FakeServer,
    posts: Arc<Mutex<Vec<Value>>>,
    fails: Arc<AtomicBool>,
}

impl Stage {
    fn new(database: Database) -> Self {
        let (posts, fails): (Arc<Mutex<Vec<Value>>>, Arc<AtomicBool>) = Default::default();
        let (served, failing) = (Arc::clone(&posts), Arc::clone(&fails));
        let server = FakeServer::respond_with(move |path| {
            if path.starts_with("/second") && failing.load(Ordering::SeqCst) {
                return reply("500 Internal Server Error", "", b"{}");
            }
            let body = json!({ "results": *served.lock().unwrap() }).to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        let place = Place::new(database, &server.lines(), "");
        Self { place, server, posts, fails }
    }

    /// The topic, every six hours, with these sources.
    fn searches(&self, sources: &str) {
        let second = format!(
            "[providers.second]\nkind = \"spec\"\nkey_env = \"TOPICWATCH_API_KEY\"\nrate_limit = \"unlimited\"\n\
             max_tries = 1\nbase_url = \"{}/second\"\n\n",
            self.server.url()
        );
        let topic = format!(
            "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [{sources}]\nevery = \"6h\"\ntimezone = \"UTC\"\n\
             catch_up_window = \"1d\"\n"
        );
        self.place.configure(&self.server.lines(), &(second + &topic));
    }

    /// Runs all due jobs every six hours from one hour to another. Each search finds a post of each of the last three
    /// slots.
    fn run(&self, from: u32, until: u32) {
        for at in (from..=until).step_by(6) {
            let ids = (at.saturating_sub(12)..=at).step_by(6);
            *self.posts.lock().unwrap() = ids.map(|id| post(id, id, &format!("post {id}"), 1)).collect();
            let ended = self.place.run(&["once", "--due", "--at", &hour(at)]);
            assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
        }
    }

    fn covered(&self, source: &str, at: &str) -> Value {
        let all = self.place.json(&["coverage", "--json", "--since", "2026-03-11T00:00:00Z", "--at", at]);
        let sources = all["topics"][0]["sources"].as_array().unwrap();
        sources.iter().find(|one| one["source"] == source).cloned().unwrap_or_default()
    }

    /// The rows of `export --what daily`.
    fn daily(&self, more: &[&str]) -> Vec<Value> {
        let rows = self.place.ok(&[&["export", "--what", "daily", "--format", "jsonl"], more].concat());
        rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
    }

    fn report(&self, date: &str, at: &str) -> String {
        self.place.ok(&["report", "--date", date, "--at", at, "--out", "day.md"]);
        std::fs::read_to_string(self.place.path("day.md")).unwrap()
    }
}

#[test]
fn coverage_of_a_source_counts_only_while_its_topic_has_it() {
    let mut reported = Vec::new();
    for database in databases() {
        let stage = Stage::new(database);
        let name = stage.place.database.name;
        stage.searches("\"social\"");
        stage.run(0, 24);
        stage.searches("\"social\", \"second\"");
        // It waits for its first search. Nothing is due yet: this only reads the file.
        stage.place.run(&["once", "--due", "--at", &hour(25)]).assert_stderr(0, &[]);
        let added = stage.covered("second", &hour(26));
        assert_eq!((&added["covered_ms"], &added["holes_ms"], &added["open"]), (&json!(0), &json!(0), &Value::Null));
        stage.place.run(&["coverage", "--at", &hour(26)]).assert_stdout(0, &["acme second: nothing to cover yet"]);
        stage.run(30, 48);
        // Its first search looked back a day: nothing before that was ever its task.
        let added = stage.covered("second", &hour(50));
        assert_eq!(spans(&added["covered"]), ["03-11T06:00 03-12T23:55"], "{name}: {added}");
        assert_eq!(
            (&added["holes"], spans(&json!([added["open"]]))),
            (&json!([]), vec!["03-12T23:55 03-13T02:00".into()])
        );
        let newest = |at: u32| {
            let pages = Pages::serve(&stage.place, &["--at", &hour(at)]);
            let exposed = ExposedMetrics::read(&pages);
            ["last_answer", "newest_item"].map(|what| {
                let labels = [("topic", "acme"), ("source", "second")];
                exposed.value(&format!("topicwatch_topic_{what}_timestamp_seconds"), &labels).is_some()
            })
        };
        assert_eq!(newest(50), [true; 2], "{name}");

        // It is removed. What follows is not its task either, missed slots included.
        stage.searches("\"social\"");
        stage.run(54, 54);
        let report = stage.report("2026-03-13", &hour(56));
        assert!(report.contains("Not covered yet: 2h 5m"), "{name}: {report}");
        stage.run(60, 66);
        stage.run(96, 102);
        let removed = stage.covered("second", &hour(104));
        assert_eq!((&removed["holes"], &removed["open"]), (&json!([]), &Value::Null), "{name}: {removed}");
        assert_eq!(spans(&removed["late_indexing"]), ["03-12T23:55 03-13T00:00"], "{name}: {removed}");
        assert!(removed["covered_share"].as_f64().unwrap() > 0.99, "{name}: {removed}");
        let social = stage.covered("social", &hour(104));
        assert!(social["holes_ms"].as_i64().unwrap() > 0, "{name}: {social}");
        let report = stage.report("2026-03-13", &hour(104));
        let mut causes = report.lines().filter(|line| line.contains("missed slot")).peekable();
        assert!(causes.peek().is_some() && causes.all(|line| !line.contains("second")), "{name}: {report}");
        assert_eq!(newest(104), [false; 2], "{name}");

        // It is back, and fails: it belongs to the topic all the same.
        stage.searches("\"social\", \"second\"");
        stage.fails.store(true, Ordering::SeqCst);
        stage.run(108, 132);
        let failing = stage.covered("second", &hour(134));
        assert_eq!(failing["holes"].as_array().unwrap().len(), 1, "{name}: {failing}");
        assert_eq!(failing["holes"][0]["causes"][0]["why"], "failed_search", "{name}: {failing}");
        assert_eq!(failing["holes"][0]["causes"].as_array().unwrap().len(), 1, "{name}: {failing}");
        reported.push([added, removed, failing]);
    }
    assert!(reported.iter().all(|other| *other == reported[0]), "{reported:#?}");
}

#[test]
fn a_source_that_is_not_due_yet_is_not_a_cause_of_anothers_gap() {
    for database in databases() {
        let stage = Stage::new(database);
        let name = stage.place.database.name;
        stage.searches("\"social\", \"second\"");
        stage.run(0, 36);
        stage.fails.store(true, Ordering::SeqCst);
        stage.run(42, 42);
        // The second source is not covered from 11:55 on. The other one was searched at 18:00, and is due at midnight.
        let report = stage.report("2026-03-12", "2026-03-12T23:59:00Z");
        assert!(report.contains("second: 1 failed search"), "{name}: {report}");
        assert!(!report.contains("no search reached it"), "{name}: {report}");
    }
}

#[test]
fn a_day_with_an_added_or_removed_source_is_a_lower_bound_with_the_reason() {
    for database in databases() {
        let stage = Stage::new(database);
        let name = stage.place.database.name;
        stage.searches("\"social\"");
        stage.run(0, 48);
        // The first search of the added source, on the third day at six, looks back to six on the day before.
        stage.searches("\"social\", \"second\"");
        stage.run(54, 102);
        // Its last search was on the fifth day at six.
        stage.searches("\"social\"");
        stage.run(108, 144);
        let now = hour(146);

        let pages = Pages::serve(&stage.place, &["--at", &now]);
        let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
        let page = without_links(&pages.page("/topics/acme")).replace('\u{a0}', " ");
        let rows = stage.daily(&[]);
        for (date, change) in [
            ("2026-03-11", None),
            ("2026-03-12", Some(("2026-03-12 06:00 – 2026-03-13 00:00", "added"))),
            ("2026-03-13", None),
            ("2026-03-14", None),
            ("2026-03-15", Some(("2026-03-15 00:00 – 06:00", "removed"))),
            ("2026-03-16", None),
        ] {
            let note = |(span, change): (&str, &str)| {
                format!("second (only {span}). Its items of the rest may be missing (second was {change}).")
            };
            let why = change.map(note);
            let day = days.as_array().unwrap().iter().find(|day| day["date"] == date).unwrap();
            assert_eq!(
                (&day["items"], &day["at_least"], &day["uncovered_s"]),
                (&json!(4), &json!(why.is_some()), &json!(0)),
                "{name}: {day:#}"
            );
            // The export has the same bound, although nothing of the day is uncovered.
            let row = rows.iter().find(|row| row["day"] == date).unwrap();
            assert_eq!((&row["at_least"], &row["holes"]), (&day["at_least"], &json!(0)), "{name}: {row}");
            assert!(row["covered_share"].as_f64().unwrap() > 0.99, "{name}: {row}");
            let row = page.split(&format!("<th scope=\"row\">{date}</th>")).nth(1).unwrap();
            let count = if why.is_some() { "<td class=\"n\">≥ 4</td>" } else { "<td class=\"n\">4</td>" };
            assert!(row.starts_with(count), "{name}, {date}: {page}");

            let text = stage.report(date, &now);
            stage.place.ok(&["report", "--date", date, "--at", &now, "--out", "day.html"]);
            let html = std::fs::read_to_string(stage.place.path("day.html")).unwrap();
            assert_eq!(text.contains("**≥\u{a0}4** items"), why.is_some(), "{name}, {date}: {text}");
            assert_eq!(html.contains("<strong>≥\u{a0}4</strong> items"), why.is_some(), "{name}, {date}: {html}");
            assert_eq!(html.contains("No gaps in the period."), why.is_none(), "{name}, {date}: {html}");
            for reported in [&text, &html] {
                for words in ["Searched for a part of the period: ", "covered by the sources it had then"] {
                    assert_eq!(reported.contains(words), why.is_some(), "{name}, {date}: {words}: {reported}");
                }
                assert!(why.as_ref().is_none_or(|why| reported.contains(why)), "{name}, {date}: {reported}");
                assert!(why.is_none() || !reported.contains("the period is covered"), "{name}, {date}: {reported}");
            }
        }

        // The week knows both changes.
        stage.place.ok(&["report", "--week", "2026-W11", "--at", &now, "--out", "week.md"]);
        let week = std::fs::read_to_string(stage.place.path("week.md")).unwrap();
        let both = "second (only 2026-03-12 06:00 – 2026-03-15 06:00). Its items of the rest may be missing (second was \
                    added and removed).";
        assert!(week.contains(both), "{name}: {week}");
        // The page of the topic has the same words for its days and its weeks.
        for page in [page, without_links(&pages.page("/topics/acme?by=week"))] {
            let caption = format!(" a source was added or removed. Searched for a part of the period: {both}");
            assert_eq!(page.matches(&caption).count(), 1, "{name}: {page}");
            assert_eq!(page.matches(" ≥: there may be more, because ").count(), 1, "{name}: {page}");
        }
        // A shared page names no sources.
        let (secret, _) = add_share_link(&stage.place, &["--topic", "acme", "--for", "7d", "--at", &now]);
        let shared = pages.page(&format!("/shared/{secret}"));
        assert!(shared.contains(" a source was added or removed."), "{name}: {shared}");
        assert!(!shared.contains("Searched for a part"), "{name}: {shared}");
        let csv = stage.place.ok(&["export", "--what", "daily", "--format", "csv"]);
        let mut lines = csv.lines();
        assert!(lines.next().unwrap().ends_with(",pruned,at_least,assumed_usd,origin"), "{name}: {csv}");
        let bounds: Vec<&str> = lines.map(|line| line.rsplit(',').nth(2).unwrap()).collect();
        assert_eq!(bounds[..6], ["false", "true", "false", "false", "true", "false"], "{name}: {csv}");

        let (second, social) = (stage.covered("second", &now), stage.covered("social", &now));
        assert_eq!(spans(&second["had"]), ["03-12T06:00 03-15T06:00"], "{name}: {second}");
        assert_eq!((&second["holes"], &second["open"]), (&json!([]), &Value::Null), "{name}: {second}");
        assert!(social.get("had").is_none(), "{name}: {social}");
        let since = ["coverage", "--source", "second", "--since", "2026-03-11T00:00:00Z", "--at", &now];
        let only = ["the topic had it only from 2026-03-12T06:0", " until 2026-03-15T06:0"];
        stage.place.run(&since).assert_stdout(0, &only);
    }
}

#[test]
fn a_day_in_a_daily_export_does_not_depend_on_where_it_starts() {
    for database in databases() {
        let world = ScriptedService::new();
        let web = topic("acme", "").replace("\"social\"", "\"web\"");
        let place = Place::new(database, &world.lines(), &web);
        let name = place.database.name;
        world.set_pages(&[json!({ "title": "About acme", "url": "https://example.com/acme", "snippet": "acme" })]);
        run_once(&place, 12);
        // The first search of the added source is three days later, and looks back to noon of the day before.
        place.configure(&world.lines(), &web.replace("\"web\"", "\"web\", \"social\""));
        run_once(&place, 84);
        let rows = |more: &[&str]| -> Vec<Value> {
            let text = place.ok(&[&["export", "--what", "daily", "--format", "jsonl"], more].concat());
            text.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
        };
        let (all, latest) = (rows(&[]), rows(&["--since", "2026-03-13"]));
        assert_eq!((&all[2]["day"], &all[2]["at_least"]), (&json!("2026-03-13"), &json!(true)), "{name}: {all:#?}");
        // Nothing was searched after noon of the last day, and no search was due.
        assert_eq!((&all[3]["day"], &all[3]["at_least"]), (&json!("2026-03-14"), &json!(true)), "{name}: {all:#?}");
        assert!(all[3]["covered_share"].as_f64().unwrap() < 0.51, "{name}: {all:#?}");
        assert_eq!(all[2..], latest, "{name}");
    }
}

#[test]
fn a_topic_page_names_the_part_of_its_period_that_had_a_removed_source() {
    for database in databases() {
        let stage = Stage::new(database);
        let name = stage.place.database.name;
        stage.searches("\"social\", \"second\"");
        stage.run(0, 42);
        stage.searches("\"second\"");
        stage.run(48, 102);
        let pages = Pages::serve(&stage.place, &["--at", &hour(104)]);
        for path in ["/topics/acme", "/topics/acme?by=week"] {
            let page = without_links(&pages.page(path)).replace('\u{a0}', " ");
            // The chart begins earlier, the topic on 11 March.
            assert!(page.contains("Searched for a part of the period: social (only 2026-03-1"), "{name}: {page}");
            assert!(page.contains("(social was removed)."), "{name}: {page}");
        }
    }
}
