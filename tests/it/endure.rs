//! `kill -9` at every named point of a run, on both databases: afterwards each slot has run once. A test build reports
//! its points itself (`src/failpoint.rs`).

use crate::support::ledger_checks::*;
use std::collections::HashMap;
use std::time::Duration;

use topicwatch::model::Time;

use crate::support::daemons::is_calling;
use crate::support::databases::databases;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;

const TRACE: &str = "TOPICWATCH_TEST_FAILPOINT_TRACE";

const TOPIC: &str = "[scheduler]\nlease = \"1s\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\nai.when = \"always\"\n";

/// A topic with one slot an hour, and the current hour.
struct Hours<'a> {
    place: &'a Place,
    now: Time,
    slots: i64,
}

impl Hours<'_> {
    fn next(&mut self) -> String {
        self.now = self.now.plus(Duration::from_secs(3_600));
        self.slots += 1;
        self.now.to_string()
    }

    /// The time this many minutes after the hour.
    fn minutes_past(&self, minutes: u64) -> String {
        self.now.plus(Duration::from_secs(60 * minutes)).to_string()
    }

    /// The points that a process passes, each with its count so far.
    fn passed_points(&self, at: &str) -> Vec<(String, usize)> {
        let file = self.place.path("trace");
        let ended = self.place.program(&["once", "--due", "--at", at]).env(TRACE, file.to_str().unwrap()).run();
        assert_eq!(ended.code, Some(0), "{ended}");
        let (trace, mut times) = (std::fs::read_to_string(&file).unwrap(), HashMap::new());
        std::fs::remove_file(file).unwrap();
        let point = |line: &str| {
            let pass = times.entry(line.to_owned()).and_modify(|n| *n += 1).or_insert(1_usize);
            (line.to_owned(), *pass)
        };
        let all = trace.lines().map(point);
        // How often a process looks for work, and what it does besides its runs, depends on timing. Terms are counted
        // only after a day has ended; `terms` kills a process there.
        let beside = |point: &str| {
            ["limits::", "day_terms::"].iter().any(|one| point.starts_with(one)) || point.contains("heartbeat")
        };
        all.filter(|(point, pass)| !beside(point) && (*pass == 1 || !point.contains("claim"))).collect()
    }

    fn kill_at(&self, at: &str, failpoint: &str) {
        let ended = self.place.program(&["once", "--due", "--at", at]).env(FAILPOINT, failpoint).run();
        assert_eq!(ended.code, None, "{}: `{failpoint}` was not met\n{ended}", self.place.database.name);
    }
}

#[test]
fn a_kill_at_every_named_point_of_a_run_leaves_each_slot_run_once() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        place.ok(&["once", "--due", "--at", NINE]);
        let mut hours = Hours { place: &place, now: Time::parse(NINE).unwrap(), slots: 0 };
        let at = hours.next();
        sandbox.set_clock(&at);
        let points = hours.passed_points(&at);
        for needed in [
            "planning::plan/",
            "ledger::claim/",
            "call/counted",
            "call/replied",
            "run/ingested",
            "group_commit::write/",
            "clusters::store_decisions/",
        ] {
            assert!(points.iter().any(|(point, _)| point.starts_with(needed)), "{needed} in {points:?}");
        }
        for (point, pass) in &points {
            let at = hours.next();
            sandbox.set_clock(&at);
            hours.kill_at(&at, &format!("kill {point} pass={pass}"));
            place.ok(&["once", "--due", "--at", &hours.minutes_past(30)]);
        }
        // A process that recovers a dead process's run may be killed during it, too.
        for point in [
            "ledger::rescue/written",
            "ledger::rescue/committed",
            "group_commit::write/written",
            "group_commit::write/committed",
        ] {
            let at = hours.next();
            sandbox.set_clock(&at);
            hours.kill_at(&at, "kill run/ingested");
            hours.kill_at(&hours.minutes_past(20), &format!("kill {point} pass=1"));
            place.ok(&["once", "--due", "--at", &hours.minutes_past(40)]);
        }
        assert_each_once(&place, hours.slots);
        assert!(hours.slots > 30, "{} slots", hours.slots);
        assert_eq!(place.database.number("SELECT count(*) FROM v_item WHERE cluster IS NULL"), 0, "looked at later");
        assert_ne!(place.database.number("SELECT count(*) FROM v_search WHERE state = 'lost'"), 0);
        assert_sound(&place, sandbox.calls());
    }
}

#[test]
fn a_kill_during_lease_renewal_or_release_leaves_the_slot_to_run() {
    for database in databases() {
        let (slow, quick) = (Sandbox::at(NINE, &["delay=5m"]), Sandbox::at(NINE, &[]));
        let place = Place::new(database, &slow.lines(), TOPIC);
        place.ok(&["once", "--due", "--at", NINE]);
        let mut hours = Hours { place: &place, now: Time::parse(NINE).unwrap(), slots: 0 };
        let given_back = ["ledger::release/written", "ledger::release/committed"];
        let prolonged = ["ledger::heartbeat/written", "ledger::heartbeat/committed"];
        for point in given_back.into_iter().chain(prolonged) {
            place.configure(&slow.lines(), TOPIC);
            let at = hours.next();
            let going = place.program(&["once", "--due", "--at", &at]).env(FAILPOINT, &format!("kill {point}")).start();
            if given_back.contains(&point) {
                wait_until("the call", || is_calling(&place));
                going.signal("INT");
            }
            let ended = going.wait();
            assert_eq!(ended.code, None, "{}: {point} was not met\n{ended}", place.database.name);
            place.configure(&quick.lines(), TOPIC);
            quick.set_clock(&hours.minutes_past(30));
            place.ok(&["once", "--due", "--at", &hours.minutes_past(30)]);
        }
        assert_each_once(&place, 4);
        assert_sound(&place, slow.calls() + quick.calls());
    }
}
