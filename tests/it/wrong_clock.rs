//! The program after its clock was wrong for a while, once the times that it wrote then have come, on both databases;
//! also a time that a zone skipped. Clocks that jump while a daemon runs are tested in `endure_clock`.

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, post};

fn topic(more: &str) -> String {
    format!("[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\n{more}\n")
}

/// This hour of a day of March.
fn at(day: u32, hour: u32) -> String {
    format!("2026-03-{day:02}T{hour:02}:00:01Z")
}

/// Runs all due jobs at each of these times. The last is the present, whatever the clock showed before.
fn due(place: &Place, sandbox: &Sandbox, times: &[String]) {
    for now in times {
        sandbox.set_clock(now);
        place.run(&["once", "--due", "--at", now]);
    }
}

/// Runs the topic at each of these times. Each run finds one new item without a date.
fn find_one_at_each(world: &ScriptedService, place: &Place, times: impl IntoIterator<Item = String>) {
    for (number, now) in times.into_iter().enumerate() {
        world.set_posts(&[undated(u32::try_from(number).unwrap())]);
        place.ok(&["once", "--at", &now]);
    }
}

#[test]
fn slots_run_by_a_clock_ahead_run_again_on_time() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let report = "[[reports]]\nname = \"daily\"\nschedule = \"30 8 * * *\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &sandbox.lines(), &(topic("schedule = \"0 * * * *\"") + report));
        let name = place.database.name;
        due(&place, &sandbox, &[at(11, 8), at(11, 9), at(21, 8), at(21, 9), at(21, 10), at(11, 10), at(11, 11)]);
        // After its three runs come those of the present, before the slots that it recorded as missed.
        let runs = place.json(&["runs", "--json", "--topic", "acme", "--limit", "4"]);
        assert_eq!(runs["runs"][3]["slot"], "2026-03-11T11:00:00.000Z", "{name}: {runs:#}");
        due(&place, &sandbox, &[at(20, 23), at(21, 7)]);
        let called = sandbox.calls();
        due(&place, &sandbox, &[at(21, 8), at(21, 9)]);
        assert_eq!(sandbox.calls(), called + 2, "{name}");
        // Also if it is found late.
        due(&place, &sandbox, &["2026-03-21T10:20:00Z".to_owned(), at(21, 11)]);
        assert_eq!(sandbox.calls(), called + 4, "{name}");
        let one = "SELECT count(*) FROM v_run WHERE topic = 'acme' AND state = 'ok' AND slot LIKE '2026-03-21T1_:00%'";
        assert_eq!(place.database.number(one), 2, "{name}");
        let again = place.database.texts("SELECT DISTINCT reason FROM v_run WHERE state = 'ok' AND slot IS NULL");
        assert_eq!(again, ["run by a clock that was ahead"], "{name}");
        // The report of that day, too.
        assert_eq!(
            place.database.number("SELECT count(*) FROM v_run WHERE run LIKE 'report:daily@2026-03-21%'"),
            2,
            "{name}"
        );
    }
}

#[test]
fn slots_recorded_as_missed_by_a_clock_ahead_do_not_count_on_the_health_page() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let topics = topic("schedule = \"30 * * * *\"") + &topic("schedule = \"30 * * * *\"").replace("acme", "globex");
        let place = Place::new(database, &sandbox.lines(), &topics);
        due(&place, &sandbox, &[at(11, 8), at(11, 9), at(14, 9)]);
        // A paused topic is not planned again, so what is missed in the future stays where it is.
        place.ok(&["topic", "pause", "globex"]);
        due(&place, &sandbox, &[at(11, 10)]);
        let page = Pages::serve(&place, &["--at", &at(11, 10)]).page("/health");
        // The slots of 09:30, which came while the clock was wrong.
        assert!(page.contains(">2</span> in 7 days"), "{}: {page}", place.database.name);
    }
}

#[test]
fn a_finished_slot_does_not_run_again_after_a_clock_behind() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("schedule = \"0 * * * *\""));
        due(&place, &sandbox, &[at(11, 7), at(11, 8), at(11, 9)]);
        let called = sandbox.calls();
        for behind in ["2026-03-09T09:00:00Z", "2026-02-11T09:00:00Z"] {
            due(&place, &sandbox, &[behind.to_owned()]);
            place.ok(&["once", "--at", behind]);
            due(&place, &sandbox, &["2026-03-11T09:10:00Z".to_owned()]);
        }
        // Only the runs by hand.
        assert_eq!(sandbox.calls(), called + 2, "{}", place.database.name);
        // No slot was missed before the topic was created either.
        let missed = "SELECT count(*) FROM v_run WHERE state = 'missed'";
        assert_eq!(place.database.number(missed), 0, "{}", place.database.name);
        due(&place, &sandbox, &[at(11, 10)]);
        assert_eq!(sandbox.calls(), called + 3, "{}", place.database.name);
    }
}

/// A social post without a readable date.
fn undated(id: u32) -> Value {
    let mut post = post(id + 1, 0, &format!("undated {id} of acme"), 1);
    post["created_at"] = json!(null);
    post
}

#[test]
fn spans_claimed_by_a_clock_ahead_are_not_covered_later() {
    for database in databases() {
        let world = ScriptedService::new();
        let more = "every = \"24h\"\ncatch_up_window = \"1h\"";
        let place = Place::new(database, &world.lines(), &topic(more));
        let name = place.database.name;
        // On the 13th the clock shows the 19th; from the 17th to the 21st nothing runs.
        for (number, day) in [11, 12, 13, 19, 14, 15, 16, 22, 23].into_iter().enumerate() {
            world.set_posts(&[undated(u32::try_from(number).unwrap())]);
            place.ok(&["once", "--at", &at(day, 9)]);
        }
        let now = at(23, 10);
        let covered = place.json(&["coverage", "acme", "--since", "2026-03-14T09:00:01Z", "--json", "--at", &now]);
        let holes = &covered["topics"][0]["sources"][0]["holes"];
        let ends = |hole: &Value| (hole["from"].clone(), hole["until"].clone());
        assert_eq!(
            holes.as_array().unwrap().iter().map(ends).collect::<Vec<_>>(),
            [(json!("2026-03-16T08:55:01.000Z"), json!("2026-03-21T09:00:01.000Z"))],
            "{name}: {covered:#}"
        );
        let pages = Pages::serve(&place, &["--at", &now]);
        let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
        let day = days.as_array().unwrap().iter().find(|day| day["date"] == "2026-03-19").unwrap();
        assert_eq!(day["uncovered_s"], 86_400, "{name}: {day:#}");
        let rows = place.ok(&["export", "--what", "daily", "--format", "jsonl", "--out", "-"]);
        let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let row = rows.iter().find(|row| row["day"] == "2026-03-19").unwrap();
        assert_eq!((&row["covered_s"], &row["at_least"]), (&json!(0), &json!(true)), "{name}: {row:#}");
        place.ok(&["report", "--topic", "acme", "--date", "2026-03-19", "--at", &now, "--out", "day.md"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(report.contains("none of the period was covered"), "{name}: {report}");
    }
}

#[test]
fn empty_replies_are_not_compared_with_replies_of_a_clock_ahead() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"24h\"\ncatch_up_window = \"1h\""));
        let posts: Vec<Value> = (1..4).map(|id| post(id, 8, &format!("post {id} of acme"), 1)).collect();
        // Known posts show that the first empty reply is wrong. For the second one they are too old, but it may be just
        // as wrong.
        for (now, posts) in
            [(at(11, 9), &posts[..]), (at(29, 9), &posts[..]), (at(12, 7), &posts[..0]), (at(13, 9), &posts[..0])]
        {
            world.set_posts(posts);
            place.ok(&["once", "--at", &now]);
        }
        let nothing = "SELECT count(*) FROM v_search WHERE state = 'empty' AND covered_until IS NULL";
        assert_eq!(place.database.number(nothing), 2, "{}", place.database.name);
    }
}

#[test]
fn items_stored_by_a_clock_ahead_are_new_when_they_were_found() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"1h\""));
        find_one_at_each(&world, &place, [at(11, 9), at(11, 10), at(25, 9), at(11, 11), at(11, 12)]);
        // Without the baseline, and with it.
        assert_new(&place, &at(11, 13), "2026-03-10T13:00:01Z", (4, 5));
        assert_new(&place, &at(14, 9), "2026-03-13T09:00:01Z", (0, 0));
    }
}

#[test]
fn items_stored_by_a_clock_ahead_are_not_new_again_when_its_time_comes() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"1h\""));
        let right = [12, 13, 14, 15, 16].map(|day| at(day, 9));
        let times = [at(11, 9), at(11, 10), at(17, 9), at(11, 11)].into_iter().chain(right);
        find_one_at_each(&world, &place, times.chain([at(17, 10), at(17, 11)]));
        assert_new(&place, &at(17, 12), "2026-03-16T12:00:01Z", (2, 2));
        // It is new since an instant before it was found.
        let all = place.json(&["items", "--topic", "acme", "--new-since", "2026-03-11T08:00:01Z", "--json"]);
        assert_eq!(all["items"].as_array().unwrap().len(), 11, "{}: {all:#}", place.database.name);
    }
}

/// Such a clock may record very many slots as missed, which come before its own runs. Those of a topic that is paused since
/// stay where they are.
#[test]
fn an_item_stored_by_a_clock_ahead_is_not_new_though_ten_thousand_missed_slots_precede_it() {
    for database in databases() {
        let world = ScriptedService::new();
        let globex = topic("every = \"1m\"").replace("acme", "globex");
        let place = Place::new(database, &world.lines(), &(topic("") + &globex));
        let find = |number: u32, now: &str| {
            world.set_posts(&[undated(number)]);
            place.ok(&["once", "--topic", "acme", "--at", now]);
        };
        place.ok(&["once", "--due", "--at", &at(11, 9)]);
        find(1, &at(11, 9));
        find(2, &at(21, 9));
        place.ok(&["once", "--due", "--at", &at(21, 9)]);
        place.ok(&["topic", "pause", "globex"]);
        find(3, &at(11, 11));
        find(4, &at(11, 12));
        let name = place.database.name;
        let missed = "SELECT count(*) FROM v_run WHERE state = 'missed' AND slot > '2026-03-13'";
        assert!(place.database.number(missed) > 10_000, "{name}");
        for (since, new) in [("2026-03-12T00:00:00Z", 0), ("2026-03-11T11:30:00Z", 1)] {
            let listed = place.json(&["items", "--topic", "acme", "--new-since", since, "--json"]);
            assert_eq!(listed["items"].as_array().unwrap().len(), new, "{name}: since {since}: {listed:#}");
        }
    }
}

#[test]
fn items_stored_by_a_clock_ahead_stay_new_after_a_clock_behind() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"1h\""));
        let times = [at(9, 10), at(10, 10), at(11, 10), at(30, 11), at(1, 12), at(11, 13)];
        find_one_at_each(&world, &place, times);
        assert_new(&place, &at(11, 14), "2026-03-10T14:00:01Z", (3, 3));
    }
}

#[test]
fn items_stay_new_after_a_clock_that_was_behind_for_days() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"1h\""));
        let right = [1, 3, 5, 7, 9, 11].map(|day| at(day, 9));
        let behind = (2..10).map(|day| at(day, 10)).chain([at(10, 7)]);
        find_one_at_each(&world, &place, right.into_iter().chain(behind).chain([at(20, 9), at(20, 10)]));
        let new = place.json(&["items", "--topic", "acme", "--new-since", &at(11, 8), "--json"]);
        assert_eq!(new["items"].as_array().unwrap().len(), 3, "{}: {new:#}", place.database.name);
    }
}

/// Checks how many items pages count as new in the day before `now`, and how many are listed as new since an instant.
fn assert_new(place: &Place, now: &str, since: &str, (counted, listed): (usize, usize)) {
    let name = place.database.name;
    let pages = Pages::serve(place, &["--at", now]);
    assert_eq!(get_json(&pages, "/api/v1/topics/acme")["data"]["new_24h"], counted, "{name}: {now}");
    let of_api = get_json(&pages, &format!("/api/v1/topics/acme/items?new_since={since}&copies=all"));
    let of_items = place.json(&["items", "--topic", "acme", "--new-since", since, "--json"]);
    let export = ["export", "--what", "items", "--new-since", since, "--format", "jsonl", "--out", "-"];
    let lists = [&of_api["data"], &of_items["items"]].map(|list| list.as_array().unwrap().len());
    assert_eq!(lists, [listed; 2], "{name}: {now}\n{of_api:#}\n{of_items:#}");
    assert_eq!(place.ok(&export).lines().count(), listed, "{name}: {now}");
    let page = pages.page(&format!("/topics/acme?new_since={since}"));
    assert!(page.contains(&format!("<strong>{counted} items</strong>")), "{name}: {now}\n{page}");
}

#[test]
fn items_stay_new_when_a_run_that_was_interrupted_weeks_ago_ends_after_them() {
    for database in databases() {
        let world = ScriptedService::new();
        let acme = topic("schedule = \"0 9 * * *\"");
        let globex = acme.replace("acme", "globex").replace("0 9 * * *", "0 9 1 * *");
        let place = Place::new(database, &world.lines(), &(acme + &globex));
        let name = place.database.name;
        place.run(&["once", "--due", "--at", &at(11, 8)]);
        place.ok(&["once", "--topic", "globex", "--at", &at(11, 9)]);
        let interrupted = place.program(&["once", "--due", "--at", &at(12, 9)]);
        interrupted.env("TOPICWATCH_TEST_FAILPOINT", "kill call/counted of=acme").start().wait();
        world.set_posts(&[undated(1)]);
        place.ok(&["once", "--topic", "globex", "--at", &at(26, 9)]);
        // Acme is not watched any more, so its due runs end now.
        place.configure(&world.lines(), &globex);
        place.run(&["once", "--due", "--at", &at(26, 10)]);
        let since = "2026-03-25T09:00:00Z";
        let of_items = place.json(&["items", "--topic", "globex", "--new-since", since, "--json"]);
        assert_eq!((of_items["items"].as_array().unwrap().len(), &of_items["outside"]), (1, &json!(0)), "{name}");
        let late = "SELECT count(*) FROM v_run WHERE substr(finished_at, 1, 10) > substr(started_at, 1, 10) \
                    AND seq > (SELECT max(seq) FROM v_run WHERE topic = 'globex')";
        assert_eq!(place.database.number(late), 1, "{name}: the interrupted run ended after it");
        let export = ["export", "--what", "items", "--new-since", since, "--format", "jsonl", "--out", "-"];
        assert_eq!(place.ok(&export).lines().count(), 1, "{name}");
    }
}

#[test]
fn items_of_a_clock_ahead_stay_new_when_an_earlier_run_ends_after_them() {
    for database in databases() {
        let world = ScriptedService::new();
        let acme = topic("schedule = \"0 9 * * *\"");
        let globex = acme.replace("acme", "globex").replace("0 9 * * *", "0 9 1 * *");
        let place = Place::new(database, &world.lines(), &(acme + &globex));
        place.run(&["once", "--due", "--at", &at(11, 8)]);
        place.ok(&["once", "--topic", "globex", "--at", &at(11, 9)]);
        let interrupted = place.program(&["once", "--due", "--at", &at(12, 9)]);
        interrupted.env("TOPICWATCH_TEST_FAILPOINT", "kill call/counted of=acme").start().wait();
        world.set_posts(&[undated(1)]);
        place.ok(&["once", "--topic", "globex", "--at", &at(26, 9)]);
        // Acme is not watched any more, so what was due of it ends now.
        place.configure(&world.lines(), &globex);
        place.run(&["once", "--due", "--at", &at(12, 12)]);
        world.set_posts(&[undated(2)]);
        place.ok(&["once", "--topic", "globex", "--at", &at(12, 13)]);
        let new = place.json(&["items", "--topic", "globex", "--new-since", &at(12, 11), "--json"]);
        assert_eq!(new["items"].as_array().unwrap().len(), 2, "{}: {new:#}", place.database.name);
    }
}

#[test]
fn day_counts_survive_a_count_by_a_clock_ahead() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"6h\""));
        world.set_posts(&[post(1, 8, "of acme", 1)]);
        place.ok(&["once", "--at", &at(11, 9)]);
        world.set_posts(&[undated(2)]);
        place.ok(&["once", "--at", "2026-05-11T09:00:00Z"]);
        let pages = Pages::serve(&place, &["--at", &at(11, 10)]);
        let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
        let found: i64 = days.as_array().unwrap().iter().map(|day| day["items"].as_i64().unwrap()).sum();
        assert_eq!(found, 1, "{}: {days:#}", place.database.name);
    }
}

#[test]
fn a_daily_report_continues_when_the_times_of_a_clock_ahead_arrive() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let report = "[[reports]]\nname = \"daily\"\nschedule = \"0 8 * * *\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &sandbox.lines(), &(topic("schedule = \"0 7 * * *\"") + report));
        due(&place, &sandbox, &[at(11, 6), at(11, 7), at(11, 8), at(15, 7), at(15, 8), at(12, 6)]);
        for day in 12..16 {
            due(&place, &sandbox, &[at(day, 7), at(day, 8)]);
        }
        // The last report is of the day before, made after that day's runs.
        let since = place.json(&["diff", "acme", "--since", "last-report", "--json", "--at", &at(15, 9)]);
        assert_eq!(since["runs"], 1, "{}: {since}", place.database.name);
    }
}

#[test]
fn a_daily_report_counts_items_first_seen_by_a_clock_ahead() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"1h\""));
        for (number, now) in [at(11, 9), at(15, 9), at(11, 13)].iter().enumerate() {
            let number = u32::try_from(number).unwrap() + 1;
            world.set_posts(&[post(number, 7 + number, &format!("post {number} of acme"), 1)]);
            place.ok(&["once", "--at", now]);
        }
        place.ok(&["report", "--topic", "acme", "--date", "2026-03-11", "--at", &at(12, 9), "--out", "day.md"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(report.contains("3** items"), "{}: {report}", place.database.name);
        // Before the third run, it was not known that the clock had been ahead.
        place.ok(&["report", "--topic", "acme", "--date", "2026-03-11", "--at", &at(11, 12), "--out", "day.md"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(report.contains("1** item,"), "{}: {report}", place.database.name);
    }
}

#[test]
fn daily_exports_begin_with_the_first_day_despite_wrong_clocks() {
    for database in databases() {
        let world = ScriptedService::new();
        let exported = |place: &Place| {
            let rows = place.ok(&["export", "--what", "daily", "--format", "jsonl", "--out", "-"]);
            let day = |line: &str| serde_json::from_str::<Value>(line).unwrap()["day"].as_str().unwrap().to_owned();
            rows.lines().map(day).collect::<Vec<_>>()
        };
        let place = Place::new(database, &world.lines(), &topic("every = \"12h\""));
        let name = place.database.name;
        find_one_at_each(&world, &place, ["2027-03-11T09:00:01Z".to_owned(), at(11, 9), at(12, 9)]);
        assert_eq!(exported(&place), ["2026-03-11", "2026-03-12"], "{name}");
        place.ok(&["report", "--topic", "acme", "--date", "2026-03-12", "--at", &at(13, 9), "--out", "day.md"]);
        let report = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(!report.contains("not watched yet in this period"), "{name}: {report}");
    }
    for database in databases() {
        let world = ScriptedService::new();
        let keep = "[retention]\nraw = \"1d\"\nsightings = \"8d\"\nruns = \"40d\"\n\n";
        let place = Place::new(database, &world.lines(), &format!("{keep}{}", topic("every = \"12h\"")));
        let name = place.database.name;
        for now in &[at(11, 9), at(12, 9), "2025-03-11T09:00:01Z".to_owned(), at(13, 9)] {
            place.ok(&["once", "--at", now]);
        }
        place.ok(&["db", "prune", "--at", &at(13, 10)]);
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE started_at < '2026'") <= 1, "{name}");
        let rows = place.ok(&["export", "--what", "daily", "--format", "jsonl", "--out", "-"]);
        assert_eq!(rows.lines().count(), 3, "{name}: {rows}");
    }
}

#[test]
fn diff_and_the_last_answer_ignore_runs_of_a_clock_ahead() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("every = \"24h\""));
        for (number, day) in [11, 12, 30, 13, 14, 15, 16].into_iter().enumerate() {
            world.set_posts(&[undated(u32::try_from(number).unwrap())]);
            place.ok(&["once", "--at", &at(day, 9)]);
        }
        let diff = place.json(&["diff", "acme", "--since", "24h", "--json", "--at", &at(16, 10)]);
        assert_eq!(diff["runs"], 1, "{}: {diff:#}", place.database.name);
        let pages = Pages::serve(&place, &["--at", &at(16, 10)]);
        let metrics = pages.page("/metrics");
        for name in ["last_answer", "newest_item"] {
            // 2026-03-16T09:00:01Z
            let line =
                format!("topicwatch_topic_{name}_timestamp_seconds{{topic=\"acme\",source=\"social\"}} 1773651601");
            assert!(metrics.contains(&line), "{}: {metrics}", place.database.name);
        }
    }
}

#[test]
fn a_clock_ahead_for_a_moment_prunes_nothing_and_weekly_runs_prune() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let keep = "[retention]\nraw = \"1d\"\nsightings = \"8d\"\nruns = \"40d\"\n\n";
        let place = Place::new(database, &sandbox.lines(), &format!("{keep}{}", topic("every = \"12h\"")));
        let name = place.database.name;
        let searches = || place.database.number("SELECT count(*) FROM v_search WHERE started_at < '2026-03-20'");
        due(&place, &sandbox, &[at(11, 0), at(11, 12), at(12, 0), at(12, 12)]);
        assert_eq!(searches(), 3, "{name}");
        due(&place, &sandbox, &["2027-06-20T04:00:01Z".to_owned(), at(12, 13)]);
        let pruned = "SELECT count(*) FROM v_run WHERE run LIKE 'prune@2027%' AND state = 'ok'";
        assert_eq!((place.database.number(pruned), searches()), (1, 3), "{name}");
        // It runs every second week, and still deletes data that is too old.
        let days = ["2026-03-26", "2026-04-09", "2026-04-23", "2026-05-07", "2026-05-21"];
        due(&place, &sandbox, &days.map(|day| format!("{day}T09:00:01Z")));
        assert!(searches() < 3, "{name}");
    }
}

#[test]
fn a_clock_ahead_at_three_prune_runs_keeps_rows_that_are_kept_for_months() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let keep = "[retention]\nraw = \"1d\"\nsightings = \"8d\"\nruns = \"40d\"\n\n";
        let place = Place::new(database, &sandbox.lines(), &format!("{keep}{}", topic("every = \"12h\"")));
        let name = place.database.name;
        due(&place, &sandbox, &[at(11, 0), at(11, 12), at(12, 0), at(12, 12)]);
        let days = ["2027-06-20", "2027-06-21", "2027-06-22"];
        due(&place, &sandbox, &days.map(|day| format!("{day}T04:00:01Z")));
        due(&place, &sandbox, &[at(12, 13)]);
        let pruned = "SELECT count(*) FROM v_run WHERE run LIKE 'prune@2027%' AND state = 'ok'";
        assert_eq!(place.database.number(pruned), 3, "{name}");
        let searches = "SELECT count(*) FROM v_search WHERE started_at < '2026-03-20'";
        assert_eq!(place.database.number(searches), 3, "{name}");
    }
}

#[test]
fn a_schedule_that_changed_while_the_clock_showed_1970_missed_no_slot() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("every = \"12h\""));
        due(&place, &sandbox, &[at(11, 11), at(11, 12)]);
        place.configure(&sandbox.lines(), &topic("every = \"6h\""));
        place.run(&["once", "--due", "--at", "1970-01-01T00:00:20Z"]);
        due(&place, &sandbox, &[at(15, 9)]);
        assert_eq!(place.database.number("SELECT count(*) FROM v_run"), 1, "{}", place.database.name);
    }
}

/// The clocks of Nuuk went from 23:00 to midnight: a report at half past eleven was made at midnight, of another day.
#[test]
fn a_daily_report_at_a_skipped_hour_before_midnight_covers_the_day_before() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let report = "[[reports]]\nname = \"daily\"\nschedule = \"30 23 * * *\"\ntimezone = \"America/Nuuk\"\npath = \"out/{date}\"\n";
        let place = Place::new(database, &sandbox.lines(), &(topic("every = \"6h\"") + report));
        for (now, made) in
            [("2026-03-28T01:30:01Z", "26"), ("2026-03-29T01:00:01Z", "27"), ("2026-03-30T00:30:01Z", "28")]
        {
            due(&place, &sandbox, &[format!("{}0:10:00Z", &now[..12]), now.to_owned()]);
            assert!(place.path(&format!("out/2026-03-{made}.html")).exists(), "{}: {now}", place.database.name);
        }
    }
}
