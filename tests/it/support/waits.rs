//! Waits for states of programs and databases that hold on a busy machine too: a program that is stopped and holds no
//! lock, and a ledger that goes on. `program` has the plain `wait_until`.

use std::time::{Duration, Instant};

use crate::support::program::{Place, RunningProgram, pause_before_next_check, wait_until};

/// The number of sessions that wait for another one; PostgreSQL only.
pub const BLOCKED: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0";

/// Stops a program with SIGSTOP at a moment when it holds no lock; stopped within a write, it would block all others.
#[track_caller]
pub fn stop_between_writes(going: &RunningProgram, place: &Place) {
    wait_until("it is stopped and holds no lock", || {
        going.signal("STOP");
        // By the second check, the server has finished what it was still doing for the process.
        let free = place.database.is_writable() && place.database.is_writable();
        if !free {
            going.signal("CONT");
        }
        free
    });
}

/// Waits until this many runs exist and all have ended and are numbered, for as long as one ends every minute.
#[track_caller]
pub fn wait_until_all_ended(place: &Place, runs: i64) {
    let count = |rows: &str| place.database.number(&format!("SELECT count(*) FROM run WHERE {rows}"));
    let (mut ended, mut last) = (0, Instant::now());
    let begun = last;
    loop {
        let checked = Instant::now();
        let now = count("finished_at IS NOT NULL AND seq IS NOT NULL");
        if now >= runs && count("finished_at IS NULL OR seq IS NULL") == 0 {
            return;
        }
        if now > ended {
            (ended, last) = (now, Instant::now());
        }
        assert!(last.elapsed() < Duration::from_secs(60), "{}: {ended} of {runs} runs have ended", place.database.name);
        pause_before_next_check(begun, checked);
    }
}

/// How often a point is in a trace of failpoints.
#[track_caller]
pub fn count_passes(trace: &std::path::Path, point: &str) -> usize {
    let trace = std::fs::read_to_string(trace).unwrap_or_default();
    trace.lines().filter(|line| *line == point).count()
}
