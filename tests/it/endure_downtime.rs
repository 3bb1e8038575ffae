//! Downtime of an hour, three days and forty days with each catch-up and overlap policy, end to end
//! (`schedule/tests/downtime.rs` has the outcome of each slot as a table). Also a file that is replaced while slots are
//! due.

use std::collections::BTreeMap;
use std::time::Duration;

use topicwatch::model::Time;

use crate::support::arrivals::{SlowService, ago, assert_all_ran_once, backlog};
use crate::support::daemons::{is_calling, sandbox_of_today};
use crate::support::databases::{Database, databases};
use crate::support::ledger_checks::{FAILPOINT, assert_each_once, assert_sound, is_long_form};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;

const CATCH_UP: [&str; 3] = ["latest", "all", "none"];
const OVERLAP: [&str; 3] = ["skip", "buffer_one", "allow"];

/// An hourly topic for each pair of policies.
fn policies() -> String {
    let mut topics = String::new();
    for catch_up in CATCH_UP {
        for overlap in OVERLAP {
            topics.push_str(&format!(
                "[[topics]]\nid = \"{catch_up}-{}\"\nquery = \"acme launch\"\nsources = [\"social\"]\nevery = \"1h\"\n\
                 catch_up = \"{catch_up}\"\noverlap = \"{overlap}\"\nmax_catch_up_runs = 20\n\n",
                overlap.replace('_', "-")
            ));
        }
    }
    topics
}

/// The runs and missed slots of a topic after this many hours: at most twenty are caught up, from the last seven days.
fn expected(catch_up: &str, hours: i64) -> (i64, i64) {
    let runs = match catch_up {
        "latest" => 1,
        "all" => hours.min(20),
        _ => 0,
    };
    (runs, hours - runs)
}

fn assert_downtime(database: Database, hours: i64) {
    let sandbox = Sandbox::at(NINE, &[]);
    let lines = format!("{}max_calls_per_day = 100000\n", sandbox.lines());
    let place = Place::new(database, &lines, &policies());
    place.ok(&["once", "--due", "--at", NINE]);
    let back = Time::parse(NINE).unwrap().plus(Duration::from_secs(hours as u64 * 3_600 + 300)).to_string();
    sandbox.set_clock(&back);
    place.ok(&["once", "--due", "--at", &back]);
    let name = place.database.name;
    for catch_up in CATCH_UP {
        for overlap in OVERLAP {
            let topic = format!("{catch_up}-{}", overlap.replace('_', "-"));
            let count = |rest: &str| {
                place.database.number(&format!("SELECT count(*) FROM v_run WHERE topic = '{topic}' AND {rest}"))
            };
            let (runs, missed) = expected(catch_up, hours);
            let found =
                (count("state = 'ok' AND trigger = 'catch_up'"), count("state = 'missed' AND reason IS NOT NULL"));
            assert_eq!(found, (runs, missed), "{name}: {topic} after {hours} h");
            assert_eq!(count("true"), hours, "{name}: {topic}: a row for each slot");
            // Runs are newer than missed slots.
            let newest = "SELECT count(*) FROM v_run a JOIN v_run b ON a.topic = b.topic AND a.slot < b.slot";
            let wrong = format!("{newest} WHERE a.topic = '{topic}' AND a.state = 'ok' AND b.state = 'missed'");
            assert_eq!(place.database.number(&wrong), 0, "{name}: {topic}");
        }
    }
    assert!(place.ok(&["once", "--due", "--at", &back]).contains("nothing was due"), "{name}");
    assert_sound(&place, sandbox.calls());
}

#[test]
fn an_hour_and_three_days_of_downtime_end_as_each_policy_says() {
    for hours in [1, 72] {
        databases().into_iter().for_each(|database| assert_downtime(database, hours));
    }
}

#[test]
fn forty_days_of_downtime_end_as_each_policy_says() {
    let all = databases().into_iter();
    all.take(if is_long_form() { 2 } else { 1 }).for_each(|database| assert_downtime(database, 960));
}

#[test]
fn replacing_the_file_repeatedly_loses_or_repeats_no_due_slot() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::from_millis(10));
        let place = backlog(database, &service.lines(8, "unlimited"), "max_concurrent_runs = 8");
        let text = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
        let mut going = place.program(&["run"]).start();
        let ok = |least: i64| place.database.runs_in("ok") >= least;
        for n in 0..5_usize {
            wait_until("some have run", || ok(20 * (n as i64 + 1)));
            // Another title is another configuration; the schedules stay the same.
            let changed = text.replace("query = \"q0\"", &format!("query = \"q0\"\ntitle = \"the {n}th\""));
            assert_ne!(changed, text);
            std::fs::write(place.path("new"), changed).unwrap();
            std::fs::rename(place.path("new"), place.path("jobs.toml")).unwrap();
            going.signal("HUP");
            going.wait_until("it is taken over", |said| said.matches("configuration").count() > n);
        }
        let ran = assert_all_ran_once(&place);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["stopped"]);
        assert_eq!(service.calls() as i64, ran, "{}: one call for each", place.database.name);
        assert_sound(&place, service.calls() as u64);
    }
}

#[test]
fn forty_days_of_missed_slots_are_recorded_with_two_reasons() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let rest = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"12h\"\n";
        let place = Place::new(database, &sandbox.lines(), rest);
        place.ok(&["once", "--due", "--at", &ago(Duration::from_secs(40 * 86_400))]);
        let going = place.program(&["run"]).start();
        wait_until("the latest", || place.database.runs_in("ok") == 1);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["run stored", "stopped"]);
        // A 12-hour boundary may pass during the test.
        let rows = place.database.runs();
        assert!((79..=81).contains(&rows), "{}: {rows} rows", place.database.name);
        let reasons = place.database.texts("SELECT DISTINCT reason FROM v_run WHERE state = 'missed' ORDER BY reason");
        assert_eq!(reasons.len(), 2, "{reasons:?}");
        assert_sound(&place, 1);
    }
}

/// Every minute; all missed slots are caught up, up to a maximum.
const MINUTES: &str = "[scheduler]\nlease = \"2m\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1m\"\n\
                       catch_up = \"all\"\nmax_attempts = 10\n";

/// This many seconds after nine.
fn seconds_past_nine(seconds: u64) -> String {
    Time::parse(NINE).unwrap().plus(Duration::from_secs(seconds)).to_string()
}

/// The number of runs in each state, as text.
fn count_by_state(place: &Place) -> Vec<String> {
    let mut states = BTreeMap::new();
    for run in place.database.ledger_runs() {
        *states.entry(run.state).or_insert(0) += 1;
    }
    states.into_iter().map(|(state, runs)| format!("{state} {runs}")).collect()
}

#[test]
fn a_backlog_left_by_a_kill_does_not_block_newer_slots() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), MINUTES);
        let name = place.database.name;
        place.ok(&["once", "--due", "--at", NINE]);
        // Down for 20 minutes, then killed during its third run, and again during the first run of the next process.
        for (at, pass) in [(20 * 60 + 10, 3), (23 * 60 + 10, 1)] {
            sandbox.set_clock(&seconds_past_nine(at));
            let kill = format!("kill run/ingested pass={pass}");
            let killed = place.program(&["once", "--due", "--at", &seconds_past_nine(at)]).env(FAILPOINT, &kill).run();
            assert_eq!(killed.code, None, "{name}: {killed}");
            assert!(place.database.open_runs() > 10);
        }
        // The next slot comes while the killed run still counts as running.
        place.ok(&["once", "--due", "--at", &seconds_past_nine(24 * 60 + 5)]);
        assert_eq!(count_by_state(&place), ["ok 2", "queued 21", "running 1"], "{name}");
        sandbox.set_clock(&seconds_past_nine(26 * 60 + 40));
        place.ok(&["once", "--due", "--at", &seconds_past_nine(26 * 60 + 40)]);
        assert_eq!(count_by_state(&place), ["ok 26"], "{name}");
        assert_each_once(&place, 26);
        assert_sound(&place, sandbox.calls());
    }
}

#[test]
fn slots_during_a_running_run_are_skipped_as_overlap_with_catch_up_all() {
    for database in databases() {
        let (slow, quick) = (Sandbox::at(NINE, &["delay=5m"]), Sandbox::at(NINE, &[]));
        let long_lease = MINUTES.replace("2m", "10m");
        let place = Place::new(database, &slow.lines(), &long_lease);
        let name = place.database.name;
        place.ok(&["once", "--due", "--at", NINE]);
        let going = place.program(&["once", "--due", "--at", &seconds_past_nine(65)]).start();
        wait_until("the call", || is_calling(&place));
        place.configure(&quick.lines(), &long_lease);
        // A second process meanwhile: first with the next slot, then with a late one and the next.
        for (at, expected) in
            [(125, ["running 1", "skipped 1"].as_slice()), (245, &["queued 1", "running 1", "skipped 2"])]
        {
            place.run(&["once", "--due", "--at", &seconds_past_nine(at)]);
            assert_eq!(count_by_state(&place), expected, "{name}");
        }
        let reasons = place.database.texts("SELECT DISTINCT reason FROM v_run WHERE state = 'skipped'");
        assert_eq!(reasons, ["the last run was still going on"], "{name}");
        assert!(going.kill_after(Duration::ZERO), "{name}: it was running");
    }
}
