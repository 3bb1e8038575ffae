//! The statements of an idle daemon: each one uses an index, however many topics wait. They are taken from the binary's
//! own log, so none is missed. `scripts/bench` measures the time.

use std::collections::BTreeSet;

use crate::support::daemons::{sandbox_of_today, topics};
use crate::support::databases::databases;
use crate::support::logged_sql::{events, statement};
use crate::support::program::Place;

#[test]
fn an_idle_tick_scans_no_growing_table() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let names: Vec<String> = (0..2_000).map(|n| format!("topic-{n:04}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let place = Place::new(database, &sandbox.lines(), &topics(&names).replace("12h", "300d"));
        let mut planning = place.program(&["run"]).start();
        planning.wait_until("the first plan", |said| said.contains("next slot"));
        planning.signal("TERM");
        planning.wait().assert_stderr(0, &["stopped"]);
        crate::support::databases::block_on(place.database.execute("ANALYZE topic; ANALYZE run"));

        // Nothing is left to plan: from here on every tick is idle.
        let program = place.program(&["run", "--log-format", "json"]);
        let mut waiting = program.env("RUST_LOG", "topicwatch=info,sqlx::query=debug").start();
        waiting.wait_until("two reads of the requests", |said| {
            said.matches("'asked'), ''").count() >= 2 && said.contains("next slot")
        });
        waiting.signal("TERM");
        let ended = waiting.wait();
        let idle = events(&ended.err);
        let idle = idle.skip_while(|event| {
            !event["message"].as_str().is_some_and(|text| text.starts_with("topicwatch ") && text.ends_with(" started"))
        });
        let idle = idle.take_while(|event| !event["message"].as_str().is_some_and(|text| text.starts_with("stopping")));
        let statements: BTreeSet<String> = idle
            .filter_map(|event| statement(&event))
            .filter(|sql| ["SELECT", "WITH", "UPDATE", "INSERT", "DELETE"].iter().any(|verb| sql.starts_with(verb)))
            .collect();
        assert!(statements.len() >= 6, "{}: {statements:#?}", place.database.name);
        for sql in &statements {
            let plan = place.database.query_plan(sql);
            for table in ["topic", "run", "search", "t", "q", "r"] {
                for scan in [format!("SCAN {table}"), format!("Seq Scan on {table}")] {
                    // Reading an index from one end is not a table scan, although SQLite calls it one.
                    let scanned = plan.iter().find(|line| {
                        line.find(&scan).is_some_and(|at| {
                            let rest = &line[at + scan.len()..];
                            (rest.is_empty() || rest.starts_with(' ')) && !rest.contains("USING")
                        })
                    });
                    assert!(scanned.is_none(), "{}: {sql}\n{plan:#?}", place.database.name);
                }
            }
        }
    }
}
