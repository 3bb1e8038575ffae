//! `once --due` and `run` with the ledger, through the binary on both databases: every due slot runs exactly once,
//! whichever process asks and however often; gaps are recorded; a daemon ends on a signal.

use topicwatch::daemon::system_clock;

use crate::support::databases::databases;
use crate::support::ledger::LedgerRun;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;

fn topics(names: &[&str], more: &str) -> String {
    let topic =
        |name: &&str| format!("[[topics]]\nid = \"{name}\"\nquery = \"{name}\"\nsources = [\"social\"]\n{more}\n\n");
    names.iter().map(topic).collect()
}

/// `slot state trigger` of every scheduled run, by topic and slot.
fn slots(place: &Place) -> Vec<String> {
    place.database.ledger_slots().iter().map(LedgerRun::slot_line).collect()
}

fn run_due(place: &Place, at: &str) -> String {
    place.ok(&["once", "--due", "--at", at])
}

#[test]
fn the_first_once_due_plans_and_each_slot_runs_once_when_due() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"1h\""));
        for at in [NINE, NINE, "2026-03-11T09:59:59.999Z"] {
            assert!(run_due(&place, at).contains("nothing was due"), "{at}");
        }
        assert_eq!((sandbox.calls(), slots(&place)), (0, vec![]), "a new topic has no missed slots");
        assert!(run_due(&place, "2026-03-11T10:00:00Z").contains("1 of 1 run ok"));
        assert!(run_due(&place, "2026-03-11T10:00:00Z").contains("nothing was due"));
        assert!(run_due(&place, "2026-03-11T10:59:00Z").contains("nothing was due"));
        // A manual run is not a slot and causes none.
        place.ok(&["once", "--at", "2026-03-11T10:59:30Z"]);
        assert!(run_due(&place, "2026-03-11T11:00:05Z").contains("1 of 1 run ok"));
        assert_eq!(slots(&place), ["2026-03-11T10:00:00Z ok scheduled", "2026-03-11T11:00:00Z ok scheduled"]);
        assert_eq!(sandbox.calls(), 3);
        // The clock goes back: nothing runs again.
        for at in ["2026-03-11T10:00:00Z", "2026-03-11T11:00:05Z"] {
            assert!(run_due(&place, at).contains("nothing was due"), "{at}");
        }
        assert_eq!(sandbox.calls(), 3);
    }
}

#[test]
fn after_a_gap_each_slot_has_its_row_and_the_policy_says_which_run() {
    const GAP: &str = "2026-03-11T13:30:00Z";
    let missed = |hour: u32| format!("2026-03-11T{hour}:00:00Z missed scheduled");
    let caught = |hour: u32| format!("2026-03-11T{hour}:00:00Z ok catch_up");
    for (policy, expected) in [
        ("latest", [missed(10), missed(11), missed(12), caught(13)]),
        ("all", [caught(10), caught(11), caught(12), caught(13)]),
        ("none", [missed(10), missed(11), missed(12), missed(13)]),
    ] {
        for database in databases() {
            let sandbox = Sandbox::at(NINE, &[]);
            let more = format!("every = \"1h\"\ncatch_up = \"{policy}\"");
            let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], &more));
            run_due(&place, NINE);
            run_due(&place, GAP);
            assert_eq!(slots(&place), expected, "{policy} on {}", place.database.name);
            let ran = expected.iter().filter(|slot| slot.contains(" ok ")).count();
            assert_eq!(sandbox.calls(), ran as u64);
            assert!(run_due(&place, GAP).contains("nothing was due"), "{policy}");
            if ran < expected.len() {
                place.run(&["runs"]).assert_stdout(0, &["missed", "not started in time"]);
            }
            assert_eq!(place.database.unpublished_runs(), 0, "all are readable");
        }
    }
}

#[test]
fn concurrent_once_due_processes_never_repeat_a_call() {
    let names = ["acme", "globex", "initech"];
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["delay=50ms"]);
        let place = Place::new(database, &sandbox.lines(), &topics(&names, "every = \"1h\""));
        // The first four also create the database at the same time.
        for (hour, calls) in [(9, 0), (10, 3), (11, 6), (14, 9)] {
            let at = format!("2026-03-11T{hour:02}:00:01Z");
            let all: Vec<_> = (0..4).map(|_| place.program(&["once", "--due", "--at", &at]).start()).collect();
            for going in all {
                let ended = going.wait();
                assert_eq!(ended.code, Some(0), "{} at {at}: {ended}", place.database.name);
            }
            assert_eq!(sandbox.calls(), calls, "{} at {at}", place.database.name);
            assert_eq!(place.database.calls_made() as u64, calls);
        }
        let slots = slots(&place);
        assert_eq!(slots.len(), 3 * 5);
        assert_eq!(slots.iter().filter(|slot| slot.contains(" ok ")).count(), 9, "{slots:#?}");
        assert_eq!(slots.iter().filter(|slot| slot.contains(" missed ")).count(), 6, "{slots:#?}");
    }
}

#[test]
fn a_daemon_catches_up_and_finishes_active_runs_on_sigterm() {
    for database in databases() {
        let now = system_clock()();
        let sandbox = Sandbox::at(&now.to_string(), &["delay=2s"]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"12h\""));
        let two_days_ago = now.minus(std::time::Duration::from_secs(2 * 86_400)).to_string();
        run_due(&place, &two_days_ago);
        let daemon = place.program(&["run"]).start();
        wait_until("the call", || place.database.ledger_searches().len() == 1);
        daemon.signal("TERM");
        let ended = daemon.wait();
        ended.assert_stderr(0, &["stopping: running topics finish", "run stored", "stopped"]);
        assert_eq!((sandbox.calls(), ended.out.as_str()), (1, ""));
        let states = place.database.texts("SELECT state FROM v_run ORDER BY slot DESC");
        assert_eq!(states[0], "ok");
        // One more when noon or midnight passes meanwhile.
        assert!(states.len() >= 4 && states[1..].iter().all(|state| state == "missed"), "{states:?}");
        assert_eq!(place.database.unpublished_runs(), 0);
    }
}

#[test]
fn a_sqlite_file_has_one_daemon_and_other_verbs_work_at_the_same_time() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topics(&["acme"], "every = \"6h\""));
        let start = || {
            let mut daemon = place.program(&["run", "--log-format", "json"]).start();
            daemon.wait_until("its plan", |said| said.contains("next slot"));
            daemon
        };
        let first = start();
        let mut daemons = vec![first];
        if place.database.name == "SQLite" {
            place.run(&["run"]).assert_stderr(4, &["another `topicwatch run`", "hint: stop it first"]);
        } else {
            daemons.push(start());
        }
        place.ok(&["once", "--at", NINE]);
        place.ok(&["once", "--due"]);
        place.ok(&["export", "--out", "items.csv"]);
        place.run(&["status"]).assert_stdout(0, &["acme"]);
        for daemon in daemons {
            daemon.signal("TERM");
            let ended = daemon.wait();
            assert_eq!(ended.code, Some(0), "{ended}");
            for line in ended.err.lines() {
                serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            }
        }
        // The lock ends with its holder.
        let again = start();
        again.signal("INT");
        assert_eq!(again.wait().code, Some(0));
    }
}

#[test]
fn a_daemon_without_any_schedule_is_refused() {
    let place = Place::new(crate::support::databases::sqlite(), "base_url = \"sandbox\"", &topics(&["acme"], ""));
    place.run(&["run"]).assert_stderr(2, &["no topic, report or export in", "schedule = ", "topicwatch once"]);
    assert_eq!(place.other_files(), Vec::<String>::new());
}
