//! Several processes on one database: the service's limits hold for all of them together, as the service sees it; they
//! share slots and each slot runs once; work of a dead or stopped process is taken over.

use crate::support::arrivals::*;
use std::time::Duration;

use crate::support::databases::{Database, databases, postgres, sqlite};
use crate::support::program::{Place, RunningProgram, wait_until};

#[test]
fn processes_share_one_rate_and_one_limit_of_calls_in_flight() {
    const EACH: usize = 20;
    for database in databases() {
        let service = SlowService::answering_after(Duration::from_millis(120));
        let place = Place::new(database, &service.lines(4, "20/s"), &topics(EACH, ""));
        place.ok(&["db", "migrate"]);
        let name = place.database.name;
        let going: Vec<RunningProgram> = (0..3).map(|_| place.program(&["once", "--quiet"]).start()).collect();
        for process in going {
            let ended = process.wait();
            assert_eq!(ended.code, Some(0), "{name}: {ended}");
        }
        assert_eq!(service.calls(), 3 * EACH, "{name}");
        assert!(service.max_in_flight() <= 4, "{name}: {} at once", service.max_in_flight());
        let arrivals = service.arrivals();
        // A call arrives some time after its start, so a window may seem this much shorter.
        let late = Duration::from_secs(1);
        for (from, begin) in arrivals.iter().enumerate() {
            for (to, end) in arrivals.iter().enumerate().skip(from) {
                let length = end.at - begin.at;
                let allowed = 4 + (length + late).as_millis() / 50;
                assert!((to - from + 1) as u128 <= allowed, "{name}: {} calls in {length:?}", to - from + 1);
            }
        }
        let whole = arrivals[arrivals.len() - 1].at - arrivals[0].at + late;
        assert!(whole >= Duration::from_millis(50) * (3 * EACH as u32 - 4), "{name}: all within {whole:?}");
        assert_eq!(place.database.number("SELECT count(*) FROM service_lease"), 0, "{name}: all permits were released");
    }
}

#[test]
fn the_smallest_limit_and_the_slowest_rate_of_all_processes_hold() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::from_millis(60));
        let place = Place::new(database, &service.lines(6, "unlimited"), &topics(1, ""));
        place.ok(&["db", "migrate"]);
        let strict = Place { folder: tempfile::tempdir().unwrap(), database: Database::second_handle(&place.database) };
        strict.configure(&service.lines(2, "10/s"), &topics(12, "").replace("web", "social"));
        place.configure(&service.lines(6, "unlimited"), &topics(40, ""));
        service.hold_answers(true);
        let first = strict.program(&["once", "--quiet"]).start();
        wait_until("the strict one calls", || service.calls() == 2);
        let second = place.program(&["once", "--quiet"]).start();
        wait_until("both have asked for their part", || {
            place.database.number("SELECT count(*) FROM service_lease") == 2
        });
        service.hold_answers(false);
        first.wait().assert_stderr(0, &[]);
        second.wait().assert_stderr(0, &[]);
        // While the strict process made calls, at most its two were in flight, and ten in a second.
        let arrivals = service.arrivals();
        let last = arrivals.iter().rposition(|arrival| !arrival.path.contains("web")).unwrap();
        let most = arrivals[..=last].iter().map(|arrival| arrival.in_flight).max().unwrap();
        let allowed = 2 + (arrivals[last].at - arrivals[0].at + Duration::from_secs(1)).as_millis() / 100;
        assert!(most <= 2 && last as u128 <= allowed, "{}: {most} at once, {last} calls", place.database.name);
        assert_eq!(arrivals.len(), 52, "{}", place.database.name);
    }
}

#[test]
fn call_permits_of_a_killed_process_are_freed_when_its_lease_ends() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::from_millis(5));
        let rest = format!("[scheduler]\nlease = \"2s\"\n{}", topics(3, ""));
        let place = Place::new(database, &service.lines(2, "unlimited"), &rest);
        service.hold_answers(true);
        let dead = place.program(&["once"]).start();
        wait_until("both places are taken", || service.calls() == 2);
        assert!(dead.kill());
        let held = "SELECT coalesce(sum(permits), 0) FROM service_lease";
        assert_eq!(place.database.number(held), 2, "{}: no process released them", place.database.name);
        service.hold_answers(false);
        place.ok(&["once"]);
        assert_eq!((service.calls(), place.database.number(held)), (5, 0), "{}", place.database.name);
    }
}

#[test]
fn a_process_stalled_past_its_lease_starts_no_call() {
    for database in databases() {
        let service = SlowService::answering_after(Duration::from_millis(40));
        // Long enough that a busy machine does not keep the other process from renewing its own lease.
        let rest = format!("[scheduler]\nlease = \"4s\"\n{}", topics(25, "timeout = \"60s\""));
        let place = Place::new(database, &service.lines(1, "unlimited"), &rest);
        let stopped = place.program(&["once"]).start();
        wait_until("it has begun", || service.calls() >= 3);
        service.hold_answers(true);
        // A process stopped in the middle of a write would block everybody, and one stopped between its last look at the
        // lease and the first byte of a call cannot notice it. Neither is tested here.
        wait_until("it stands still while a call is in flight, and holds no lock", || {
            stopped.signal("STOP");
            let free = service.in_flight() == 1 && place.database.is_writable();
            if !free {
                stopped.signal("CONT");
            }
            free
        });
        let before = service.calls();
        service.hold_answers(false);
        let other = place.program(&["once"]).start();
        wait_until("the other has taken over", || service.calls() >= before + 5);
        stopped.signal("CONT");
        other.wait().assert_stderr(0, &[]);
        // Its runs may have been declared lost meanwhile; it only has to end.
        stopped.wait();
        let arrivals: Vec<_> =
            service.arrivals().into_iter().map(|call| (call.at, call.path, call.in_flight)).collect();
        assert_eq!(service.max_in_flight(), 1, "{}: {arrivals:#?}", place.database.name);
    }
}

#[test]
fn three_daemons_share_the_slots_of_one_database() {
    let Some(database) = postgres() else { return };
    let service = SlowService::answering_after(Duration::from_millis(30));
    let place = backlog(database, &service.lines(6, "unlimited"), "max_concurrent_runs = 8");
    let mut daemons: Vec<RunningProgram> = (0..3).map(|_| place.program(&["run"]).start()).collect();
    for daemon in &mut daemons {
        daemon.wait_until("its first run", |said| said.contains("run stored"));
    }
    let dead = daemons.remove(0);
    dead.signal("KILL");
    let ran = assert_all_ran_once(&place);
    drop(dead);
    for daemon in daemons {
        daemon.signal("TERM");
        let ended = daemon.wait();
        ended.assert_stderr(0, &["run stored", "stopped"]);
    }
    assert!(service.calls() as i64 >= ran);
    // Calls of the killed process may still have been in flight when others took its places.
    assert!(service.max_in_flight() <= 12, "{} at once", service.max_in_flight());
}

#[test]
fn a_worker_runs_what_a_daemon_planned_and_needs_no_topics() {
    let Some(database) = postgres() else { return };
    let service = SlowService::answering_after(Duration::from_millis(5));
    let place = backlog(database, &service.lines(8, "unlimited"), "");
    // Planned, and a few of them run, by a daemon that is then killed.
    let daemon = place.program(&["run"]).start();
    wait_until("the slots are planned", || {
        place.database.ledger_runs().iter().filter(|run| run.state != "missed").count() == 300
    });
    daemon.signal("KILL");
    drop(daemon);
    let elsewhere = Place { folder: tempfile::tempdir().unwrap(), database: Database::second_handle(&place.database) };
    elsewhere.configure(&service.lines(8, "unlimited"), "[scheduler]\nlease = \"2s\"");
    let topics = place.database.number("SELECT count(*) FROM topic WHERE removed_at IS NULL");
    let mut worker = elsewhere.program(&["worker"]).start();
    assert_all_ran_once(&place);
    // It has nothing to reload and continues.
    for asked in 1..=2 {
        worker.signal("HUP");
        worker.wait_until("its answer", |said| said.matches("reload requested: a worker").count() == asked);
    }
    worker.signal("TERM");
    worker.wait().assert_stderr(0, &["topicwatch", "worker started", "stopped"]);
    assert_eq!(place.database.number("SELECT count(*) FROM topic WHERE removed_at IS NULL"), topics, "it syncs none");
    assert_eq!(elsewhere.run(&["run"]).code, Some(2), "a daemon without topics has nothing to plan");
}

#[test]
fn a_worker_on_sqlite_is_refused_with_a_hint() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", "");
    place.run(&["worker"]).assert_stderr(2, &["SQLite", "hint: "]);
    assert_eq!(place.other_files(), Vec::<String>::new(), "nothing was written");
}

#[test]
fn an_unavailable_engine_is_refused_with_a_hint() {
    let graphile = "[scheduler]\nengine = \"graphile\"\n";
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", &format!("{graphile}{}", topics(1, "every = \"1h\"")));
    place.run(&["run"]).assert_stderr(2, &["on SQLite", "remove `engine`"]);
    if !topicwatch::store::GRAPHILE {
        let postgres = place.program(&["run", "--database", "postgres://nobody@127.0.0.1:1/none"]).run();
        postgres.assert_stderr(2, &["built without it", "--features graphile"]);
    }
    assert_eq!(place.other_files(), Vec::<String>::new(), "nothing was written");
}

#[cfg(feature = "graphile")]
#[test]
fn graphile_runs_each_slot_once_despite_a_kill_and_lost_jobs() {
    let Some(database) = postgres() else { return };
    let service = SlowService::answering_after(Duration::from_millis(30));
    let scheduler = "max_concurrent_runs = 8\nengine = \"graphile\"";
    let place = backlog(database, &service.lines(8, "unlimited"), scheduler);
    let jobs = format!("{}_graphile._private_jobs", place.database.schema);
    let daemon = place.program(&["run"]).start();
    let mut worker = place.program(&["worker"]).start();
    worker.wait_until("its first run", |said| said.contains("run stored"));
    wait_until("some have run", || place.database.runs_in("ok") >= 50);
    worker.signal("KILL");
    drop(worker);
    // The ledger restores jobs that the engine lost: these look as if they had been handed over long ago. The lock
    // avoids a deadlock with the daemon.
    crate::support::databases::block_on(place.database.execute(&format!(
        "BEGIN; LOCK TABLE run IN EXCLUSIVE MODE; DELETE FROM {jobs} WHERE locked_at IS NULL; \
         UPDATE run SET handed_at = handed_at - 60000 WHERE state = 'queued'; COMMIT"
    )));
    assert!(place.database.runs_in("ok") < 300, "all had run before anything was lost");
    let second = place.program(&["worker"]).start();
    assert_all_ran_once(&place);
    // The other processes release what the killed one held, perhaps only after every run has ended.
    let held = || place.database.number(&format!("SELECT count(*) FROM {jobs} WHERE locked_at IS NOT NULL"));
    wait_until("nobody holds a job", || held() == 0);
    daemon.signal("TERM");
    daemon.wait().assert_stderr(0, &["run stored", "stopped"]);
    // It may have started when everything was done.
    second.signal("TERM");
    second.wait().assert_stderr(0, &["stopped"]);
    assert_eq!(place.database.open_runs(), 0);
    // A job of a finished run that became due while its process stopped is released by the next process.
    let mut next = place.program(&["worker"]).start();
    next.wait_until("it works", |said| said.contains(" worker started"));
    wait_until("nobody holds a job of one that stopped", || held() == 0);
    next.signal("TERM");
    next.wait().assert_stderr(0, &["stopped"]);
}
