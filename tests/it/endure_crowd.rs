//! Thousands of topics due in one minute, through a real daemon: none is lost, none runs twice, and the service never
//! gets more concurrent calls than it allows.

use std::time::Duration;

use crate::support::arrivals::{SlowService, ago, topics};
use crate::support::databases::{Database, databases};
use crate::support::ledger_checks::{assert_sound, is_long_form};
use crate::support::program::{Place, wait_until};

const AT_ONCE: u32 = 12;

fn assert_crowd_runs(database: Database, count: usize) {
    let service = SlowService::answering_after(Duration::ZERO);
    // The first of a month is at most 31 days ago; the daemon catches up with it when it starts.
    let each = "schedule = \"0 0 1 * *\"\ncatch_up_window = \"90d\"\n";
    let rest = format!("[scheduler]\nmax_concurrent_runs = 64\n{}", topics(count, each));
    let place = Place::new(database, &service.lines(AT_ONCE, "unlimited"), &rest);
    place.ok(&["once", "--due", "--at", &ago(Duration::from_secs(32 * 86_400))]);
    let going = place.program(&["run"]).start();
    let name = place.database.name;
    let mut before = -1;
    while place.database.runs_in("ok") < count as i64 {
        // Waits as long as there is progress.
        wait_until("more have run", || place.database.runs_in("ok") > before);
        before = place.database.runs_in("ok");
        std::thread::park_timeout(Duration::from_millis(200));
    }
    going.signal("TERM");
    going.wait().assert_stderr(0, &["stopped"]);
    let number = |sql: &str| place.database.number(sql);
    assert_eq!(number("SELECT count(DISTINCT topic) FROM v_run WHERE state = 'ok'"), count as i64, "{name}: each ran");
    assert_eq!(number("SELECT count(*) FROM v_run WHERE state = 'ok' AND attempt = 1"), count as i64, "{name}: once");
    assert_eq!(number("SELECT count(DISTINCT slot) FROM v_run WHERE state = 'ok'"), 1, "{name}: in one minute");
    assert_eq!(service.calls(), count, "{name}: one call for each");
    assert!(service.max_in_flight() <= i64::from(AT_ONCE), "{name}: {} at once", service.max_in_flight());
    assert_sound(&place, count as u64);
}

#[test]
fn topics_due_in_one_minute_all_run_once_within_the_services_limits() {
    for database in databases() {
        // scripts/bench tests 20,000 with a release build.
        let count = if is_long_form() { 5_000 } else { 1_000 };
        assert_crowd_runs(database, count);
    }
}
