//! Coverage through the binary on both databases: gaps that a late run looks back over, and holes that stay with their
//! causes, in both dialects. Later backfills are tested in `backfill`.

use crate::support::covered_spans::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use topicwatch::daemon::system_clock;
use topicwatch::store::Store;

use crate::support::databases::{block_on, databases, databases_without_schema};
use crate::support::program::{NINE, Place};
use crate::support::searched::settings;
use crate::support::service::{FakeServer, Sandbox, reply};
use crate::support::stored::COST;

const DAY: i64 = 86_400_000;

/// 09:00, this many days later.
pub fn day(n: u32) -> String {
    format!("2026-03-{}T09:00:00Z", 11 + n)
}

fn place_of(database: crate::support::databases::Database, sandbox: &Sandbox, dialect: &str, more: &str) -> Place {
    Place::new(database, &format!("{}dialect = \"{dialect}\"\n", sandbox.lines()), &topic(more))
}

fn once(place: &Place, sandbox: &Sandbox, at: &str) -> crate::support::program::ProgramOutput {
    sandbox.set_clock(at);
    place.run(&["once", "--at", at])
}

/// The causes of the first hole.
fn causes(source: &Value) -> Vec<&str> {
    source["holes"][0]["causes"].as_array().unwrap().iter().map(|cause| cause["why"].as_str().unwrap()).collect()
}

#[test]
fn a_run_looks_back_over_three_days_of_downtime_in_both_dialects() {
    let mut reported = Vec::new();
    for (dialect, more, back, request) in [
        ("spec", "", "7d", "PAST_7_DAYS"),
        ("desearch", "social.limit = 100", "3d", "2026-03-11"),
        ("spec", "social.operation = \"basic\"\nsocial.limit = 100", "3d", "2026-03-11"),
    ] {
        for database in databases() {
            let sandbox = Sandbox::at(NINE, &[]);
            let place = place_of(database, &sandbox, dialect, more);
            let first = once(&place, &sandbox, NINE);
            assert!(!first.out.contains("looked back"), "a new topic has no gap: {first}");
            let why = format!("looked back {back} because nothing was covered since 2026-03-11T08:55:00Z");
            once(&place, &sandbox, &day(3)).assert_stdout(0, &[&why]);
            let asked = "SELECT asked_from || ' ' || asked_until FROM v_search ORDER BY seq";
            // Where the call takes a date, the search also looks back over the last minutes, which the previous search
            // did not claim as covered.
            let width = if back == "7d" { 7 * DAY } else { 3 * DAY + 300_000 };
            assert_eq!(place.database.lengths(asked), [DAY, width], "{}", place.database.name);
            assert!(place.database.texts("SELECT request FROM raw_reply ORDER BY search")[1].contains(request));
            // Items inside the gap are inside the requested window.
            let ages = place.database.lengths(
                "SELECT i.published_at || ' ' || s.seen_at FROM v_sighting s JOIN v_item i ON i.key = s.key AND i.topic = s.topic \
                 WHERE s.fit = 'in' AND i.published_at IS NOT NULL",
            );
            assert!(ages.iter().any(|age| *age > DAY), "{dialect} on {}", place.database.name);

            let source = social(&place, &day(3), "20d");
            // The sandbox thins out posts older than eight hours in a week-long window, and this call returns at most
            // 25 posts.
            let thinned = dialect == "spec" && more.is_empty();
            if thinned {
                assert_eq!(causes(&source), ["saturated"], "{source}");
            } else {
                assert_eq!((&source["covered_share"], spans(&source["covered"]).len()), (&1.0.into(), 1), "{source}");
                assert_eq!(spans(&serde_json::json!([source["open"]])), ["03-14T08:55 03-14T09:00"], "{source}");
            }
            let runs = place.json(&["runs", "--json"]);
            let search = &runs["runs"][0]["searches"][0];
            let until = (!thinned).then_some("2026-03-14T08:55:00.000Z");
            assert_eq!((search["reason"].as_str(), search["covered_until"].as_str()), (Some(&*why), until));
            place.run(&["runs", "--searches"]).assert_stdout(0, &[&format!("searched {back}"), &why]);
            assert_eq!(place.json(&["show", "acme", "--json"])["searches"][0]["asked_from"], search["asked_from"]);
            // The gap is closed: the next search uses the topic's normal window.
            once(&place, &sandbox, &day(3));
            assert_eq!(place.database.lengths(asked)[2], DAY);
            reported.push((dialect, more, place.ok(&["coverage", "--at", &day(4)]), source));
        }
    }
    for pair in reported.chunks(reported.len() / 3) {
        assert!(pair.iter().all(|other| *other == pair[0]), "{pair:#?}");
    }
}

#[test]
fn a_run_by_a_fast_clock_does_not_stop_the_next_from_looking_back() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = place_of(database, &sandbox, "spec", "");
        once(&place, &sandbox, NINE);
        once(&place, &sandbox, &day(5));
        let why = "looked back 7d because nothing was covered since 2026-03-11T08:55:00Z";
        once(&place, &sandbox, &day(3)).assert_stdout(0, &[why]);
    }
}

#[test]
fn a_gap_beyond_the_reach_of_a_dialect_stays_a_hole_with_its_missed_slots() {
    for (dialect, more, hole) in [
        ("spec", "catch_up_window = \"30d\"", Some("03-11T20:55 03-14T22:45")),
        ("desearch", "social.limit = 100", Some("03-11T20:55 03-14T09:00")),
        ("desearch", "social.limit = 100\ncatch_up_window = \"30d\"", None),
    ] {
        for database in databases() {
            let sandbox = Sandbox::at(NINE, &[]);
            let place = place_of(database, &sandbox, dialect, &format!("timezone = \"UTC\"\n{more}"));
            for at in [NINE, "2026-03-11T21:00:00Z", &day(10)] {
                sandbox.set_clock(at);
                place.run(&["once", "--due", "--at", at]);
            }
            let source = social(&place, &day(10), "20d");
            assert_eq!(spans(&source["holes"]), hole.into_iter().collect::<Vec<_>>(), "{dialect} {more} {source}");
            if hole.is_some() {
                // In the sandbox the first call returns at most 25 posts.
                let (cause, reported) = match dialect {
                    "spec" => {
                        ("saturated", ["1 gap, 3d 1h", "missed slots; the reply was full and did not reach further"])
                    }
                    _ => {
                        ("look_back_too_short", ["1 gap, 2d 12h", "missed slots; the next search looked back only 7d"])
                    }
                };
                assert_eq!(causes(&source), ["missed_slot", cause], "{source}");
                let narrow =
                    place.program(&["coverage", "--at", &day(10), "--since", "20d"]).env("COLUMNS", "80").run();
                narrow.assert_stdout(0, &reported);
                assert!(narrow.out.lines().all(|line| line.chars().count() <= 80), "{narrow}");
                // Nothing is cut, however narrow the terminal is.
                let narrow =
                    place.program(&["coverage", "--at", &day(10), "--since", "20d"]).env("COLUMNS", "60").run();
                let whole = narrow.out.split_whitespace().collect::<Vec<_>>().join(" ");
                assert!(whole.contains(reported[1]) && !whole.contains('…'), "{narrow}");
            }
        }
    }
}

#[test]
fn a_gap_left_by_a_pause_names_the_pause_as_its_cause() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = place_of(database, &sandbox, "desearch", "timezone = \"UTC\"\nsocial.limit = 100");
        let due = |at: &str| {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at])
        };
        due(NINE);
        due("2026-03-11T21:00:00Z");
        // Pausing and resuming by command take the time of the machine.
        let paused = |pause: bool, at: &str| {
            let now = topicwatch::model::Time::parse(at).unwrap();
            block_on(async {
                let store = Store::open(&settings(&place.database)).await.unwrap();
                let topics = ["acme".to_owned()];
                match pause {
                    true => store.pause_topics(&topics, Some("the fair"), now).await.unwrap(),
                    false => store.resume_topics(&topics, now).await.unwrap(),
                };
                store.close().await;
            });
        };
        let name = place.database.name;
        // No slot passes in a short pause, and nothing is recorded.
        paused(true, "2026-03-11T21:10:00Z");
        paused(false, "2026-03-11T21:20:00Z");
        due("2026-03-11T21:30:00Z");
        assert_eq!(place.database.runs_in("ok"), place.database.all_runs(), "{name}");
        paused(true, "2026-03-11T22:00:00Z");
        due(&day(5));
        paused(false, &day(10));
        due("2026-03-21T12:10:00Z");
        let recorded = place.database.texts("SELECT state || ' ' || reason FROM v_run WHERE state <> 'ok'");
        assert_eq!(recorded, ["skipped the topic was paused: the fair"], "{name}");
        let source = social(&place, "2026-03-21T12:20:00Z", "20d");
        assert_eq!(causes(&source), ["paused", "look_back_too_short"], "{name}: {source}");
        assert_eq!(source["holes"].as_array().unwrap().len(), 1, "{name}: {source}");
    }
}

#[test]
fn a_full_reply_covers_from_its_oldest_post_and_a_failed_search_nothing() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=social,status=500,after=2,times=1"]);
        let place = place_of(database, &sandbox, "desearch", "social.limit = 5");
        for n in [0, 1] {
            once(&place, &sandbox, &day(n)).assert_stdout(0, &["≥5"]);
        }
        let source = social(&place, &day(1), "2026-03-10T09:00:00Z");
        assert_eq!(causes(&source), ["saturated"], "{source}");
        let oldest = place.database.time(
            "SELECT min(i.published_at) FROM v_sighting s JOIN v_item i ON i.key = s.key WHERE s.fit = 'in' AND s.seq = (SELECT max(seq) FROM v_run)",
        );
        let covered = place.database.time("SELECT max(covered_from) FROM v_search");
        assert_eq!(covered, oldest, "{}", place.database.name);

        assert_eq!(once(&place, &sandbox, &day(3)).code, Some(3));
        let source = social(&place, &day(3), "2026-03-12T09:00:00Z");
        assert_eq!(
            (spans(&source["holes"]), causes(&source)),
            (vec!["03-12T09:00 03-14T09:00".into()], vec!["failed_search"])
        );
        assert_eq!(source["covered_ms"], 0);
        let failed = |columns: &str| format!("SELECT {columns} FROM v_search WHERE covered_until IS NULL");
        assert_eq!(place.database.texts(&failed("state")), ["error"]);
        let asked = place.database.lengths(&failed("asked_from || ' ' || asked_until"));
        assert_eq!(asked, [2 * DAY + 300_000], "the requested span is stored");
        // The next run makes up for both.
        once(&place, &sandbox, &day(4))
            .assert_stdout(0, &["looked back 3d because nothing was covered since 2026-03-12T08:55:00Z"]);
    }
}

#[test]
fn an_implausibly_empty_reply_covers_nothing_and_is_searched_again() {
    // `spec` asks for the past seven days again, and posts of these are known; `desearch` asks for the time since the
    // last search, and each of the last five replies had many posts.
    for (dialect, more) in [("spec", ""), ("desearch", "social.limit = 100")] {
        for database in databases() {
            let faults = ["source=social,status=500,after=5,times=1", "source=social,empty,after=6,times=1"];
            let sandbox = Sandbox::at(NINE, &faults);
            let place = place_of(database, &sandbox, dialect, more);
            for hour in 4..9 {
                once(&place, &sandbox, &format!("2026-03-11T0{hour}:00:00Z"));
            }
            assert_eq!([1, 2].map(|n| once(&place, &sandbox, &day(n)).code), [Some(3), Some(0)]);
            let name = format!("{dialect} on {}", place.database.name);
            let states = "SELECT state || ' ' || coalesce(covered_until, '-') FROM v_search ORDER BY seq";
            let states = place.database.texts(states);
            assert!(states[4].starts_with("ok 2") && states[5..] == ["error -", "empty -"], "{name}: {states:?}");
            let source = social(&place, &day(2), "2026-03-11T09:00:00Z");
            assert_eq!(
                (&source["covered_ms"], causes(&source)),
                (&0.into(), vec!["failed_search", "empty_reply"]),
                "{name}: {source}"
            );
            place.ok(&["report", "--date", "2026-03-12", "--at", &day(2), "--out", "day.md"]);
            let report = std::fs::read_to_string(place.path("day.md")).unwrap();
            assert!(
                !report.contains("100% of the period covered") && !report.contains("below usual"),
                "{name}: {report}"
            );
            assert!(report.contains("an empty reply, although posts from that time"), "{name}: {report}");
            // The service works again: the run looks back over both days.
            once(&place, &sandbox, &day(3))
                .assert_stdout(0, &["looked back ", "because nothing was covered since 2026-03-11T0"]);
        }
    }
}

#[test]
fn coverage_claimed_by_a_fast_clock_counts_only_from_that_time_on() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = place_of(database, &sandbox, "desearch", "timezone = \"UTC\"\nsocial.limit = 100");
        for at in [NINE, &day(4)] {
            assert_eq!(once(&place, &sandbox, at).code, Some(0));
        }
        for (at, covered) in [(1, false), (2, false), (5, true)] {
            let source = social(&place, &day(at), "2026-03-11T09:00:00Z");
            assert_eq!(source["covered_ms"] != 0, covered, "day {at} on {}: {source}", place.database.name);
        }
    }
}

#[test]
fn a_changed_format_is_a_failed_search_that_covers_nothing() {
    for body in [
        "",
        "{\"results\": \"soon\"}",
        "{\"hits\": []}",
        "data: {\"summary\": \"words\"}\n\n",
        "{\"results\": [{\"body\": 1}]}",
    ] {
        for database in databases() {
            let changed = Arc::new(AtomicBool::new(false));
            let after = Arc::clone(&changed);
            let server = FakeServer::respond_with(move |_| match after.load(Ordering::SeqCst) {
                false => reply("200 OK", "", b"{\"results\": []}"),
                true => reply("200 OK", "", body.as_bytes()),
            });
            let place = Place::new(database, &format!("{}prices.social = 0.5\n", server.lines()), &topic(""));
            place.run(&["once", "--at", NINE]).assert_stdout(0, &["empty"]);
            changed.store(true, Ordering::SeqCst);
            place.run(&["once", "--at", &day(3)]).assert_stdout(3, &["malformed"]);

            let source = social(&place, &day(3), "2026-03-11T09:00:00Z");
            assert_eq!(
                (&source["covered_ms"], causes(&source)),
                (&0.into(), vec!["failed_search"]),
                "{body}: {source}"
            );
            assert_eq!(source["holes"][0]["causes"][0]["detail"], "malformed", "{body}: {source}");
            let search = format!(
                "SELECT state || ' ' || coalesce(error_class, '-') || ' ' || CAST({COST} AS TEXT) || \
                 CASE WHEN covered_until IS NULL THEN '' ELSE ' covered' END FROM v_search ORDER BY seq"
            );
            let reported = ["empty - 500000 covered", "error malformed 500000"];
            assert_eq!(place.database.texts(&search), reported, "{body} on {}", place.database.name);
            let covered = place.database.covered("acme", "social");
            assert_eq!(covered.iter().map(|(from, until)| until - from).collect::<Vec<_>>(), [DAY - 300_000], "{body}");
            assert_eq!(place.database.number("SELECT count(*) FROM raw_reply"), 2, "the reply is stored");
        }
    }
}

#[test]
fn searches_without_dates_are_reported_as_checks_and_cover_no_time() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["source=web,status=500,after=2,times=1"]);
        let more = "social.operation = \"posts\"\nai.when = \"always\"";
        let place = place_of(database, &sandbox, "desearch", more);
        place.configure(
            &format!("{}dialect = \"desearch\"\n", sandbox.lines()),
            &topic(more).replace("[\"social\"]", "[\"social\", \"web\", \"ai\"]"),
        );
        for (at, code) in [(NINE.to_owned(), 0), ("2026-03-11T15:00:00Z".into(), 0), (day(3), 3)] {
            assert_eq!(once(&place, &sandbox, &at).code, Some(code));
        }
        place.run(&["coverage", "--at", &day(4)]).assert_stdout(
            0,
            &[
                "acme social: 3 checks, at most 2d 18h apart, last 2026-03-14T09:00:00Z",
                "acme web: 2 checks, at most 6h apart, 1 failed, last 2026-03-11T15:00:00Z",
                "acme ai: 3 checks",
            ],
        );
        assert_eq!(place.database.number("SELECT count(*) FROM v_search WHERE covered_from IS NOT NULL"), 0);
        let only = place.json(&["coverage", "acme", "--source", "web", "--json", "--at", &day(4)]);
        let sources = only["topics"][0]["sources"].as_array().unwrap();
        assert_eq!((sources.len(), &sources[0]["kind"], &sources[0]["failed"]), (1, &"checks".into(), &1.into()));
        // A topic without the source is still watched.
        let other =
            "[[topics]]\nid = \"other\"\nquery = \"other\"\nsources = [\"social\"]\nsocial.operation = \"posts\"\n";
        let acme = topic(more).replace("[\"social\"]", "[\"social\", \"web\", \"ai\"]");
        place.configure(&format!("{}dialect = \"desearch\"\n", sandbox.lines()), &format!("{acme}\n{other}"));
        assert_eq!(once(&place, &sandbox, &day(4)).code, Some(0));
        for (sources, words) in [
            (&["--source", "web"][..], "this source in the period: web\n"),
            (&["--source", "web", "--source", "ai"], "any of these sources in the period: web, ai\n"),
        ] {
            let none = place.ok(&[&["coverage", "other", "--at", &day(5)][..], sources].concat());
            assert!(none.ends_with(&format!("the topic is not known to have had {words}")), "{none}");
        }
    }
}

#[test]
fn a_daemon_says_why_it_looks_back() {
    for database in databases() {
        let now = system_clock()();
        let before = now.minus(std::time::Duration::from_secs(3 * 86_400)).to_string();
        let sandbox = Sandbox::at(&before, &[]);
        let place = place_of(database, &sandbox, "spec", "");
        place.ok(&["once", "--due", "--at", &before]);
        place.ok(&["once", "--at", &before]);
        sandbox.set_clock(&now.to_string());
        let mut daemon = place.program(&["run"]).start();
        daemon.wait_until("its run", |said| said.contains("run stored"));
        daemon.signal("TERM");
        daemon.wait().assert_stderr(0, &["looked back 7d because nothing was covered since"]);
    }
}

#[test]
fn coverage_that_cannot_be_computed_is_refused_with_a_hint() {
    for database in databases_without_schema() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = place_of(database, &sandbox, "spec", "");
        place.run(&["coverage"]).assert_stderr(4, &["hint: "]);
        place.ok(&["once", "--due", "--at", NINE]);
        place.run(&["coverage", "nobody"]).assert_stderr(2, &["there is no topic `nobody`", "the topics are: acme"]);
        place
            .run(&["coverage", "--at", NINE, "--since", "2026-03-12"])
            .assert_stderr(2, &["--since is not in the past"]);
        place.run(&["coverage", "--at", NINE]).assert_stdout(0, &["acme social: nothing to cover yet"]);
        place.run(&["coverage", "--at", &day(2)]).assert_stdout(
            0,
            &["0.00% of 2d covered, 1 gap, 2d", "at least one slot has passed, but its run has not started yet"],
        );
    }
}
