//! After a long outage a topic has thousands of missed slots. No statement of a page walks over them to find the last
//! run, or an earlier answer to the same query. The statements are taken from the program's own log.

use std::collections::BTreeSet;

use crate::support::databases::{databases, sqlite};
use crate::support::logged_sql::statements;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

#[test]
fn finding_the_last_run_does_not_read_missed_slots() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"5m\"\n";
        let place = Place::new(database, &sandbox.lines(), topic);
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["once", "--at", NINE]);
        sandbox.set_clock("2026-03-19T09:00:00Z");
        place.ok(&["once", "--due", "--at", "2026-03-19T09:00:00Z"]);
        let missed = place.database.runs_in("missed");
        assert!(missed > 2_000, "{missed}");
        place.database.analyse();

        let serve = ["serve", "--listen", "127.0.0.1:0", "--at", "2026-03-19T10:00:00Z", "--log-format", "json"];
        let pages = Pages::wait_for_address(place.program(&serve).env("RUST_LOG", "sqlx::query=debug").start());
        let overview = pages.page("/");
        assert!(overview.contains("acme"), "{overview}");
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        let walks: BTreeSet<String> = statements(&ended.err).filter(|sql| sql.contains("seq DESC LIMIT 1")).collect();
        // The cards' last runs, and the first answers.
        assert!(walks.len() >= 2, "{}: {walks:#?}", place.database.name);
        for sql in &walks {
            let plan = place.database.query_plan(sql).join("\n");
            let walked = sql.matches("seq DESC LIMIT 1").count();
            assert!(plan.matches("run_started").count() >= walked, "{}: {sql}\n{plan}", place.database.name);
        }
    }
}

#[test]
fn numbering_missed_slots_joins_no_whole_tables() {
    let sandbox = Sandbox::at(NINE, &[]);
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nevery = \"5m\"\n";
    let place = Place::new(sqlite(), &sandbox.lines(), topic);
    // The statistics of SQLite are of a time when there were few runs.
    for at in [NINE, "2026-03-11T09:05:01Z", "2026-03-11T09:10:01Z"] {
        sandbox.set_clock(at);
        place.ok(&["once", "--due", "--at", at]);
    }
    let later = "2026-03-11T09:40:01Z";
    sandbox.set_clock(later);
    let once = place.program(&["once", "--due", "--at", later, "--log-format", "json"]);
    let ended = once.env("RUST_LOG", "sqlx::query=debug").run();
    let numbers: BTreeSet<String> = statements(&ended.err).filter(|sql| sql.contains("run SET seq =")).collect();
    assert!(!numbers.is_empty(), "{ended}");
    for sql in &numbers {
        let plan = place.database.query_plan(sql);
        assert!(plan.iter().filter(|step| step.starts_with("SCAN")).count() <= 1, "{sql}\n{plan:#?}");
    }
}
