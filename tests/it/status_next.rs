//! `status` for topics that differ from the file: topics that came back, topics of another file, and slots planned by a
//! clock that was ahead. Also processes with such a clock.

use std::time::Duration;

use serde_json::{Value, json};
use topicwatch::daemon::system_clock;

use crate::support::api_client::get_json;
use crate::support::daemons::{is_calling, sandbox_of_today};
use crate::support::databases::databases;
use crate::support::exposition::ExposedMetrics;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

fn topics(names: &[&str], schedule: &str) -> String {
    let topic = |name: &&str| {
        format!("[[topics]]\nid = \"{name}\"\nquery = \"{name} launch\"\nsources = [\"social\"]\n{schedule}\n\n")
    };
    names.iter().map(topic).collect()
}

fn status_of(place: &Place, at: &str, topic: &str) -> Value {
    let output = place.json(&["status", "--json", "--at", at]);
    let all = output["topics"].as_array().unwrap();
    let one: Vec<_> = all.iter().filter(|one| one["topic"] == topic).collect();
    assert_eq!(one.len(), 1, "{output}");
    one[0].clone()
}

#[test]
fn a_topic_that_is_back_in_the_file_has_its_findings_before_anything_runs() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let hourly = "every = \"1h\"";
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"], hourly));
        place.ok(&["once", "--at", NINE]);
        let before = status_of(&place, NINE, "globex");
        assert!(before["items"].as_i64().unwrap() > 0, "{before}");
        place.configure(&sandbox.lines(), &topics(&["acme"], hourly));
        place.ok(&["once", "--due", "--at", NINE]);
        place.configure(&sandbox.lines(), &topics(&["acme", "globex", "new"], hourly));
        let after = status_of(&place, NINE, "globex");
        for key in ["items", "last_run", "last_success", "state", "standing", "next_slot", "new_older"] {
            assert_eq!(after[key], before[key], "{key} on {}", place.database.name);
        }
        let new = status_of(&place, NINE, "new");
        assert_eq!((&new["state"], &new["items"]), (&"never run".into(), &0.into()), "{new}");
        let text = place.ok(&["status", "--at", NINE]);
        let line = text.lines().find(|line| line.starts_with("globex")).unwrap();
        assert!(!line.contains("never run") && line.contains(&before["items"].to_string()), "{text}");
        // A topic that was paused and removed is still paused when it comes back.
        place.configure(&sandbox.lines(), &topics(&["acme", "globex"], hourly));
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["topic", "pause", "globex"]);
        place.configure(&sandbox.lines(), &topics(&["acme"], hourly));
        place.ok(&["once", "--due", "--at", NINE]);
        place.configure(&sandbox.lines(), &topics(&["acme", "globex"], hourly));
        assert_eq!(status_of(&place, NINE, "globex")["paused"]["by"], "pause");
    }
}

#[test]
fn a_pass_that_reads_new_topics_says_that_their_slots_count_from_then_on() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let hourly = "every = \"1h\"";
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], hourly));
        let due = |at: &str| {
            sandbox.set_clock(at);
            place.run(&["once", "--due", "--at", at])
        };
        let next = "next due: acme at 2026-03-11T10:00:00Z";
        due(NINE).assert_stdout(0, &["nothing was due", "1 new topic: its slots count from now on", next]);
        place.configure(&sandbox.lines(), &topics(&["acme", "globex", "initech"], hourly));
        let ten = "2026-03-11T10:00:00Z";
        due(ten).assert_stdout(0, &["1 of 1 run ok", "2 new topics: their slots count from now on"]);
        let again = due(ten);
        assert!(!again.out.contains("from now on"), "{}: {again}", place.database.name);
        // A topic that was paused and removed is still paused when it comes back.
        place.ok(&["topic", "pause", "globex"]);
        place.configure(&sandbox.lines(), &topics(&["acme"], hourly));
        due(ten);
        place.configure(&sandbox.lines(), &topics(&["acme", "globex", "hooli"], hourly));
        due(ten).assert_stdout(0, &["1 new topic: its slots count from now on"]);
    }
}

#[test]
fn status_takes_the_next_slot_from_the_ledger_after_a_clock_set_back() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let hourly = "schedule = \"0 * * * *\"";
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme", "globex"], hourly));
        place.ok(&["once", "--due", "--at", "2026-03-11T12:00:30Z"]);
        let back = "2026-03-11T08:30:00Z";
        place.run(&["once", "--due", "--at", back]).assert_stdout(0, &["at 2026-03-11T13:00:00Z"]);
        let next = |at: &str, topic: &str| status_of(&place, at, topic)["next_slot"].as_str().map(str::to_owned);
        assert_eq!(next(back, "acme").as_deref(), Some("2026-03-11T13:00:00.000Z"), "{}", place.database.name);
        assert_eq!(next("2026-03-11T14:30:00Z", "acme").as_deref(), Some("2026-03-11T15:00:00.000Z"));
        // A slot that passed without being planned is reported after two minutes of grace.
        let late = |at: &str| status_of(&place, at, "acme")["overdue_since"].clone();
        assert!(late("2026-03-11T13:01:00Z").is_null() && late(back).is_null(), "{}", place.database.name);
        assert_eq!(late("2026-03-11T14:30:00Z"), "2026-03-11T13:00:00.000Z");
        let said = place.ok(&["status", "--at", "2026-03-11T14:30:00Z"]);
        assert!(said.contains("2 topics are overdue since 2026-03-11T13:00:00Z: start `topicwatch run`"), "{said}");
        assert!(said.lines().any(|line| line.starts_with("acme ") && line.ends_with(" overdue")), "{said}");
        // More than a day ahead, slots are planned again.
        assert_eq!(next("2026-03-09T08:30:00Z", "acme").as_deref(), Some("2026-03-09T09:00:00.000Z"));
        // Another schedule starts when it is read; a topic that is not in this file still has its planned slot.
        place.configure(&sandbox.lines(), &topics(&["acme"], "schedule = \"5 * * * *\""));
        assert_eq!(next(back, "acme").as_deref(), Some("2026-03-11T09:05:00.000Z"));
        assert_eq!(next(back, "globex").as_deref(), Some("2026-03-11T13:00:00.000Z"), "{}", place.database.name);
    }
}

#[test]
fn the_api_and_status_agree_on_the_next_slot() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "schedule = \"0 * * * *\""));
        place.ok(&["once", "--due", "--at", "2026-03-11T12:00:30Z"]);
        for (at, next, overdue_since) in [
            ("2026-03-11T12:30:00Z", "2026-03-11T13:00:00.000Z", Value::Null),
            // The clock was set back.
            ("2026-03-11T08:30:00Z", "2026-03-11T13:00:00.000Z", Value::Null),
            ("2026-03-11T13:01:00Z", "2026-03-11T14:00:00.000Z", Value::Null),
            ("2026-03-11T14:30:00Z", "2026-03-11T15:00:00.000Z", json!("2026-03-11T13:00:00.000Z")),
        ] {
            let status = status_of(&place, at, "acme");
            let card = get_json(&Pages::serve(&place, &["--at", at]), "/api/v1/topics/acme")["data"].clone();
            for one in [status, card] {
                let said = (&one["next_slot"], &one["overdue_since"]);
                assert_eq!(said, (&json!(next), &overdue_since), "{} at {at}: {one}", place.database.name);
            }
        }
    }
}

#[test]
fn a_daemon_started_after_a_clock_set_back_warns_once() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"1h\""));
        let ahead = system_clock()().plus(Duration::from_secs(3 * 3_600));
        place.ok(&["once", "--due", "--at", &ahead.to_string()]);
        let mut going = place.program(&["run"]).start();
        going.wait_until("the log line", |said| said.contains("the clock was set back by "));
        going.wait_until("its plan", |said| said.contains("next slot"));
        going.signal("TERM");
        let ended = going.wait();
        assert_eq!((ended.code, ended.err.matches("the clock was set back").count()), (Some(0), 1), "{ended}");
    }
}

#[test]
fn a_heartbeat_from_the_future_does_not_count_as_a_daemon() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"12h\""));
        place.ok(&["once", "--due"]);
        let sign = |seen: u64| {
            let seen = system_clock()().plus(Duration::from_secs(seen)).0;
            place.database.add_instance("daemon", seen, seen + 60_000);
        };
        sign(5 * 3_600);
        place.run(&["health"]).assert_stderr(1, &["no running daemon found"]);
        place.run(&["topic", "run", "acme"]).assert_stderr(3, &["no daemon is running", "nothing was queued"]);
        // Such a daemon does not keep an older file from coming back either.
        for names in [&["acme", "globex"][..], &["acme"]] {
            place.configure(&sandbox.lines(), &topics(names, "every = \"12h\""));
            let once = place.run(&["once", "--due"]);
            assert!(once.code == Some(0) && !once.err.contains("a daemon with newer topics"), "{once}");
        }
        sign(0);
        place.ok(&["health"]);
        place.run(&["topic", "run", "acme"]).assert_stdout(0, &["acme: queued as"]);
    }
}

#[test]
fn status_does_not_advise_to_start_a_daemon_that_is_running() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"12h\""));
        // Planned long ago, and not since.
        place.ok(&["once", "--due", "--at", "2020-03-11T09:00:00Z"]);
        let start = "1 topic is overdue since 2020-03-11T12:00:00Z: start `topicwatch run`";
        let now = system_clock()().0;
        for (role, is_running) in [("worker", false), ("daemon", true)] {
            place.database.add_instance(role, now, now + 3_600_000);
            let output = place.ok(&["status"]);
            assert_eq!(output.contains(start), !is_running, "{}: {output}", place.database.name);
            assert_eq!(output.contains("a daemon is running, but does not plan what is due"), is_running, "{output}");
            if !is_running {
                // A worker plans nothing.
                place
                    .run(&["health"])
                    .assert_stderr(1, &["the planner is late: 1 slot overdue", "hint: start `topicwatch run`"]);
            }
        }
        // Many workers that were seen after it do not hide it.
        place.database.add_workers(60, now + 1, now + 3_600_000);
        place.run(&["status"]).assert_stdout(0, &["a daemon is running, but does not plan what is due"]);
        place
            .run(&["health"])
            .assert_stderr(1, &["the planner is late: 1 slot overdue", "or does it use another file?"]);
        let exposed = ExposedMetrics::read(&Pages::serve(&place, &[]));
        assert_eq!(exposed.value("topicwatch_processes", &[("role", "worker")]), Some(61.0), "{}", place.database.name);
    }
}

#[test]
fn health_shows_a_ticking_daemon_behind_many_later_processes() {
    for database in databases() {
        let name = database.name;
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"12h\""));
        place.ok(&["once", "--due"]);
        let now = system_clock()().0;
        place.database.add_instance("daemon", now - 2, now + 3_600_000);
        let health = || Pages::serve(&place, &[]).page("/health");
        let page = health();
        assert!(page.contains("ticking") && !page.contains("The 50 seen last."), "{name}: {page}");
        // They ended since, and fill the list.
        place.database.add_workers(60, now - 1, now - 1);
        let page = health();
        assert!(page.contains("ticking") && !page.contains("not running"), "{name}: {page}");
        assert!(page.contains("many-1") && page.contains("The 50 seen last."), "{name}: {page}");
    }
}

#[test]
fn a_run_whose_process_died_is_not_the_last_one_if_another_began_after_it() {
    for database in databases() {
        let (slow, quick) = (Sandbox::at(NINE, &["delay=5m"]), Sandbox::at(NINE, &[]));
        let topics =
            ["a", "b"].map(|id| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [\"social\"]\n"));
        let place = Place::new(database, &slow.lines(), &topics.concat());
        place.ok(&["db", "migrate"]);
        let going = place.program(&["once", "--topic", "a", "--at", NINE]).start();
        wait_until("the call", || is_calling(&place));
        assert!(going.kill());
        place.configure(&quick.lines(), &topics.concat());
        place.ok(&["once", "--topic", "a", "--at", "2026-03-11T09:00:05Z"]);
        // Its lease has ended.
        place.ok(&["once", "--topic", "b", "--at", "2026-03-11T10:00:00Z"]);
        let name = place.database.name;
        let states = "SELECT state FROM v_run WHERE topic = 'a' ORDER BY seq";
        assert_eq!(place.database.texts(states), ["ok", "failed"], "{name}: the dead one is read last");
        let output = place.json(&["status", "--json"]);
        let a = &output["topics"][0];
        assert_eq!((&a["state"], &a["last_run"]["state"]), (&json!("ok"), &json!("ok")), "{name}");
        let (status, shown) = (place.ok(&["status"]), place.ok(&["show", "a"]));
        assert!(!status.contains("failed in the last run"), "{name}: {status}");
        assert!(!shown.contains("a later run"), "{name}: {shown}");
        let pages = Pages::serve(&place, &["--at", "2026-03-11T10:00:00Z"]);
        let card: Value = serde_json::from_str(&pages.page("/api/v1/topics/a")).unwrap();
        assert_eq!(card["data"]["last_run"]["state"], "ok", "{name}");
    }
}
