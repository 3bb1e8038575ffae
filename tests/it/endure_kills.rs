//! Daemons killed with `kill -9` at random while they work off a backlog, and a server that crashes under them: each
//! slot has one result. The long form (`TOPICWATCH_LONG_TESTS=1`) kills 100 times on each database, the short one 10
//! times.

use std::time::Duration;

use crate::support::arrivals::past_hours;
use crate::support::daemons::sandbox_of_today;
use crate::support::databases::{Database, on_server, postgres, sqlite};
use crate::support::ledger_checks::{assert_sound, is_long_form};
use crate::support::postgres_server::PostgresServer;
use crate::support::program::{Place, RunningProgram, wait_until};
use crate::support::waits::wait_until_all_ended;

fn kills() -> u32 {
    if is_long_form() { 100 } else { 10 }
}

/// Slots that passed while nothing ran: one a minute for each of three topics.
fn backlog(database: Database, service: &str, hours: i64) -> Place {
    let (when, before) = past_hours(hours);
    let topic = |n: u32| {
        format!(
            "[[topics]]\nid = \"t{n}\"\nquery = \"acme {n}\"\nsources = [\"social\"]\n{when}max_catch_up_runs = 10000\nmax_attempts = 100\n\n"
        )
    };
    let topics: String = (0..3).map(topic).collect();
    let lines = format!("{service}max_calls_per_day = 1000000\nmax_concurrent = 8\n");
    let place =
        Place::new(database, &lines, &format!("[scheduler]\nlease = \"1s\"\nmax_concurrent_runs = 4\n\n{topics}"));
    place.ok(&["once", "--due", "--at", &before]);
    place
}

/// Waits until all slots have ended and checks them. Returns how many ran.
fn assert_all_ran_once(place: &Place, slots: i64) -> i64 {
    let count = |sql: &str| place.database.number(&format!("SELECT count(*) FROM {sql}"));
    wait_until_all_ended(place, slots);
    let ran = place.database.runs_in("ok");
    assert_eq!(place.database.runs(), count("(SELECT DISTINCT topic, slot FROM v_run) AS t"), "rows are slots");
    assert_eq!(count("v_run WHERE state <> 'ok'"), 0, "{}: each run succeeded", place.database.name);
    assert_eq!(ran, slots, "{}", place.database.name);
    // No slot between the first and the last is missing.
    let runs = place.database.ledger_slots();
    assert_eq!(runs.len() as i64, place.database.all_runs(), "{}", place.database.name);
    for two in runs.windows(2).filter(|two| two[0].job == two[1].job) {
        assert_eq!(two[1].slot, two[0].slot.map(|slot| slot + 60_000), "{}: {two:?}", place.database.name);
    }
    assert_ne!(count("v_run WHERE attempt > 1"), 0, "{}: some were killed on the way", place.database.name);
    ran
}

fn stop_all(daemons: Vec<RunningProgram>) {
    for daemon in daemons {
        daemon.signal("TERM");
        assert_eq!(daemon.wait().code, Some(0));
    }
}

/// Keeps this many daemons alive and kills them in turn at varying moments.
fn kill_in_turn(place: &Place, side_by_side: usize, mut between: impl FnMut(u32)) -> Vec<RunningProgram> {
    let start = || place.program(&["run"]).start();
    let mut daemons: Vec<RunningProgram> = (0..side_by_side).map(|_| start()).collect();
    for n in 0..kills() {
        // Low-discrepancy moments, so that young processes are killed as often as busy ones. For every second daemon
        // the time counts from when it starts to work, however long a busy machine takes until then.
        if n % 2 == 1 {
            daemons[0].wait_until("it works", |said| said.contains(" started"));
        }
        let moment = Duration::from_millis(60).mul_f64(1.0 + 9.0 * (f64::from(n) * 0.618_034).fract());
        assert!(daemons.remove(0).kill_after(moment), "{}: the process had ended before the kill", place.database.name);
        between(n);
        daemons.push(start());
    }
    daemons
}

fn hours() -> i64 {
    if is_long_form() { 7 } else { 1 }
}

#[test]
fn a_daemon_on_sqlite_that_is_killed_again_and_again_runs_each_slot_once() {
    let sandbox = sandbox_of_today(&["delay=60ms"]);
    let place = backlog(sqlite(), &sandbox.lines(), hours());
    let daemons = kill_in_turn(&place, 1, |_| ());
    let ran = assert_all_ran_once(&place, 180 * hours());
    stop_all(daemons);
    wait_until("numbers", || place.database.unpublished_runs() == 0);
    assert_sound(&place, sandbox.calls());
    eprintln!("SQLite: {} kills, {ran} slots", kills());
}

#[test]
fn two_daemons_on_postgresql_that_are_killed_again_and_again_run_each_slot_once() {
    let Some(database) = postgres() else { return };
    let sandbox = sandbox_of_today(&["delay=60ms"]);
    let place = backlog(database, &sandbox.lines(), hours());
    let daemons = kill_in_turn(&place, 2, |_| ());
    let ran = assert_all_ran_once(&place, 180 * hours());
    stop_all(daemons);
    assert_sound(&place, sandbox.calls());
    eprintln!("PostgreSQL: {} kills, {ran} slots", kills());
}

#[test]
fn a_server_crash_under_two_daemons_loses_or_repeats_no_slot() {
    let Some(cluster) = PostgresServer::start("a crash of the server", &[]) else { return };
    let sandbox = sandbox_of_today(&["delay=60ms"]);
    let place = backlog(on_server(&cluster.url()), &sandbox.lines(), 1);
    let daemons: Vec<RunningProgram> = (0..2).map(|_| place.program(&["run"]).start()).collect();
    for crashes in 1..=2 {
        wait_until("some have run", || place.database.runs_in("ok") >= 40 * crashes);
        cluster.crash_and_restart();
    }
    assert_all_ran_once(&place, 180);
    stop_all(daemons);
    assert_sound(&place, sandbox.calls());
}
