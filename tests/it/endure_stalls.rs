//! Stalled processes, runs that kill their process or panic, and a dead ticker: others go on, and nothing is written
//! twice. On both databases.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::arrivals::{SlowService, ago};
use crate::support::daemons::{sandbox_of_today, start_daemon};
use crate::support::databases::databases;
use crate::support::ledger_checks::{FAILPOINT, assert_sound};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::{FakeServer, Sandbox, reply};
use crate::support::stored::COST;
use crate::support::waits::stop_between_writes;
use crate::support::world::post;

/// Topics of one call each, with one slot each that passed while nothing ran.
fn overdue(database: crate::support::databases::Database, service: &str, scheduler: &str, topics: usize) -> Place {
    let topics: String = (0..topics)
        .map(|n| {
            format!("[[topics]]\nid = \"t{n}\"\nquery = \"acme {n}\"\nsources = [\"social\"]\nevery = \"12h\"\n\n")
        })
        .collect();
    let place = Place::new(database, service, &format!("[scheduler]\n{scheduler}\n\n{topics}"));
    place.ok(&["once", "--due", "--at", &ago(Duration::from_secs(13 * 3_600))]);
    place
}

#[test]
fn a_process_stalled_past_its_lease_writes_nothing() {
    for database in databases() {
        // The first call gets its answer when the process has lost its lease; the second is answered at once.
        let (calls, answered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let service = FakeServer::respond_with({
            let (calls, answered) = (Arc::clone(&calls), Arc::clone(&answered));
            move |_| {
                let is_first = calls.fetch_add(1, Ordering::SeqCst) == 0;
                while is_first && !answered.load(Ordering::SeqCst) {
                    std::thread::park_timeout(Duration::from_millis(1));
                }
                let posts = json!({ "results": [post(1, 1, "acme 0 is here", 1)] }).to_string();
                reply("200 OK", "content-type: application/json\r\n", posts.as_bytes())
            }
        });
        // Long enough that the second process keeps its own lease on a starved machine.
        let place = overdue(database, &service.lines(), "lease = \"5s\"", 1);
        let mut stopped = start_daemon(&place, &[]);
        // The service has its call: one that is only on record yet would come second.
        wait_until("it calls", || calls.load(Ordering::SeqCst) == 1);
        stop_between_writes(&stopped, &place);
        wait_until("another runs the slot", || {
            place.ok(&["once", "--due"]);
            place.database.runs_in("ok") == 1
        });
        let before = place.database.stored_history();
        answered.store(true, Ordering::SeqCst);
        stopped.signal("CONT");
        stopped.wait_until("it notices", |said| said.contains("no longer held by this process"));
        stopped.signal("TERM");
        assert_eq!(stopped.wait().code, Some(0));
        assert_eq!(place.database.stored_history(), before, "{}", place.database.name);
        let run = "SELECT state || ' ' || attempt FROM v_run WHERE state <> 'missed'";
        assert_eq!(place.database.texts(run), ["ok 2"], "{}", place.database.name);
        assert_eq!(place.database.texts("SELECT state FROM v_search ORDER BY attempt"), ["lost", "ok"]);
        assert_sound(&place, 2);
    }
}

#[test]
fn runs_that_use_all_workers_for_three_leases_are_not_repeated() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::ZERO);
        service.hold_answers(true);
        let place = overdue(database, &service.lines(4, "unlimited"), "lease = \"3s\"\nmax_concurrent_runs = 2", 2);
        let going = start_daemon(&place, &[]);
        wait_until("both calls", || service.calls() == 2);
        let first = place.database.first_lease_end();
        for leases in 1..=3 {
            wait_until("another lease", || place.database.first_lease_end() >= first + leases * 3_000);
            // Looks for lost runs and due slots.
            place.ok(&["once", "--due"]);
        }
        service.hold_answers(false);
        wait_until("the answers", || place.database.runs_in("ok") == 2);
        assert_eq!(
            place.database.texts("SELECT DISTINCT state || ' ' || attempt FROM v_run WHERE state <> 'missed'"),
            ["ok 1"]
        );
        assert_eq!(service.calls(), 2, "{}", place.database.name);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["stopped"]);
        assert_sound(&place, 2);
    }
}

const TWO: &str = "[scheduler]\nmax_concurrent_runs = 1\nlease = \"1s\"\n\n\
                   [[topics]]\nid = \"a\"\nquery = \"acme launch\"\nevery = \"6h\"\nsources = [\"social\"]\n\n\
                   [[topics]]\nid = \"b\"\nquery = \"globex launch\"\nevery = \"6h\"\nsources = [\"social\"]\n";

#[test]
fn a_run_that_kills_its_process_fails_at_max_attempts_and_the_others_run() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &format!("{}max_concurrent = 1\n", sandbox.lines()), TWO);
        place.ok(&["once", "--due", "--at", NINE]);
        let poisoned = |minute: u32| {
            let at = format!("2026-03-11T12:{minute:02}:00Z");
            place.program(&["once", "--due", "--at", &at]).env(FAILPOINT, "kill call/replied of=a").run()
        };
        for minute in 0..3 {
            assert_eq!(poisoned(minute).code, None, "{}: killed", place.database.name);
        }
        assert_eq!(poisoned(3).code, Some(0), "it is not begun a fourth time");
        let runs =
            "SELECT topic || ' ' || state || ' ' || attempt || ' ' || coalesce(error_class, '-') FROM v_run ORDER BY 1";
        assert_eq!(place.database.texts(runs), ["a failed 3 lease_lost", "b ok 1 -"]);
        assert_eq!(
            place.database.number(&format!("SELECT {COST} FROM v_run WHERE topic = 'a'")),
            9_000,
            "three calls at their price"
        );
        assert_sound(&place, sandbox.calls());
    }
}

#[test]
fn a_panic_in_a_run_costs_only_that_run_an_attempt() {
    for point in [
        "call/counted of=a",
        "call/replied of=a",
        "decode/begun pass=1",
        "run/ingested of=a",
        "group_commit::write/written pass=1",
        "group_commit::write/committed pass=1",
    ] {
        for database in databases() {
            let sandbox = Sandbox::at(NINE, &[]);
            let place = Place::new(database, &sandbox.lines(), &TWO.replace("max_concurrent_runs = 1", ""));
            place.ok(&["once", "--due", "--at", NINE]);
            let at = "2026-03-11T12:00:00Z";
            let program = place.program(&["once", "--due", "--at", at]).env(FAILPOINT, &format!("panic {point}"));
            let ended = program.start().wait_after_a_panic();
            let name = place.database.name;
            assert!(ended.code.is_some_and(|code| code != 0), "{name}, {point}: {ended}");
            // Runs written in the same batch may fail with it when the writer itself panicked.
            let least = i64::from(!point.contains("::"));
            let ok = place.database.runs_in("ok");
            assert!((least..=2).contains(&ok), "{name}, {point}: {ok} ended well\n{ended}");
            assert_eq!(ok + place.database.count_running(), 2, "{name}, {point}");
            place.ok(&["once", "--due", "--at", "2026-03-11T12:05:00Z"]);
            assert_eq!(place.database.texts("SELECT DISTINCT state FROM v_run"), ["ok"], "{name}, {point}");
            assert_eq!(place.database.runs(), 2, "{name}, {point}");
            assert_sound(&place, sandbox.calls());
        }
    }
}

#[test]
fn a_daemon_lives_on_after_a_panic_in_a_parser_and_in_the_planner() {
    for (failpoint, tells) in
        [("panic decode/begun pass=1", "crashed"), ("panic planner/decide of=t0", "planning crashed")]
    {
        for database in databases() {
            let sandbox = sandbox_of_today(&[]);
            let place = overdue(database, &sandbox.lines(), "lease = \"1s\"", 3);
            let mut going = place.program(&["run"]).env(FAILPOINT, failpoint).start();
            going.wait_until("the defect", |said| said.contains(tells));
            wait_until("the others", || place.database.runs_in("ok") >= 2);
            going.signal("TERM");
            assert_eq!(going.wait_after_a_panic().code, Some(0), "{}: {failpoint}", place.database.name);
            // A later process runs the slots that could not be planned.
            place.ok(&[
                "once",
                "--due",
                "--at",
                &topicwatch::daemon::system_clock()().plus(Duration::from_secs(120)).to_string(),
            ]);
            assert_eq!(place.database.runs_in("ok"), 3, "{}: {failpoint}", place.database.name);
            assert_sound(&place, sandbox.calls());
        }
    }
}

#[test]
fn slots_run_even_if_the_ticker_is_dead() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let now = topicwatch::daemon::system_clock()();
        let soon = now.plus(Duration::from_secs(6)).to_string();
        let (minute, second) = (&soon[14..16], &soon[17..19]);
        let rest = format!(
            "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nschedule = \"{second} {minute} * * * *\"\n"
        );
        let place = Place::new(database, &sandbox.lines(), &rest);
        // Plans this slot even if the machine is slow; the daemon may start a little after it.
        place.ok(&["once", "--due", "--at", &now.minus(Duration::from_secs(1_800)).to_string()]);
        let going = place.program(&["run"]).env(FAILPOINT, "fail ticker").start();
        wait_until("the slot", || place.database.runs_in("ok") == 1);
        let runs = place.database.ledger_runs();
        let runs: Vec<_> = runs.iter().map(|run| (run.state.as_str(), run.trigger.as_str())).collect();
        assert_eq!(runs, [("ok", "scheduled")]);
        going.signal("TERM");
        going.wait().assert_stderr(0, &["stopped"]);
        assert_sound(&place, 1);
    }
}
