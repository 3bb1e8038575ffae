//! What has to hold of a database whatever happened to the processes on it, and `kill -9` at every named point of a run's
//! path, on both databases. The points are those that a test build tells of itself (`src/failpoint.rs`).

use std::collections::HashMap;
use std::time::Duration;

use topicwatch::model::Time;

use crate::databases::databases;
use crate::living::under_a_call;
use crate::program::{NINE, Place, until};
use crate::service::Sandbox;

/// Tells a test build what shall befall it, and where it writes what it passed.
pub(crate) const FAILPOINT: &str = "TOPICWATCH_TEST_FAILPOINT";
const TRACE: &str = "TOPICWATCH_TEST_FAILPOINT_TRACE";

/// Whether the long form was asked for.
pub(crate) fn long() -> bool {
    std::env::var("TOPICWATCH_LONG_TESTS").is_ok_and(|word| word == "1")
}

/// Rows that must not be there once every run has its end.
const NEVER: &[(&str, &str)] = &[
    ("a run without an end", "run WHERE state IN ('queued', 'running') OR finished_at IS NULL"),
    ("a run that no reader sees", "run WHERE seq IS NULL"),
    ("a slot twice", "(SELECT job FROM run WHERE slot IS NOT NULL GROUP BY job, slot HAVING count(*) > 1) AS t"),
    ("a number twice", "(SELECT seq FROM run GROUP BY seq HAVING count(*) > 1) AS t"),
    ("an attempt too many", "run WHERE attempt > max_attempts"),
    ("a call without an end", "search WHERE state = 'started'"),
    ("a lost call below its price", "search WHERE state = 'lost' AND coalesce(cost, 0) <> expected_cost"),
    (
        "a cost that is not its calls'",
        "run r WHERE r.cost <> (SELECT coalesce(sum(s.cost), 0) FROM search s WHERE s.run = r.id)",
    ),
    (
        "two results of one source",
        "(SELECT run FROM search WHERE state IN ('ok', 'empty') GROUP BY run, source HAVING count(*) > 1) AS t",
    ),
    (
        "a result without a search",
        "run r WHERE r.state = 'ok' AND NOT EXISTS (SELECT 1 FROM search s WHERE s.run = r.id AND s.attempt = r.attempt AND s.state IN ('ok', 'empty'))",
    ),
    (
        "a sighting without its run",
        "sighting s WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = s.run AND r.state IN ('ok', 'partial'))",
    ),
    (
        "an answer without its run",
        "answer a WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = a.run AND r.state IN ('ok', 'partial'))",
    ),
    ("a raw reply without its search", "raw_reply p WHERE NOT EXISTS (SELECT 1 FROM search s WHERE s.id = p.search)"),
    ("an item that nobody saw", "item i WHERE NOT EXISTS (SELECT 1 FROM sighting s WHERE s.item = i.id)"),
    ("an item without a key", "item i WHERE NOT EXISTS (SELECT 1 FROM item_key k WHERE k.item = i.id)"),
    (
        "an item first seen by another run",
        "topic_item t WHERE NOT EXISTS (SELECT 1 FROM sighting s WHERE s.run = t.first_run AND s.item = t.item)",
    ),
    (
        "times seen that are not its runs",
        "topic_item t WHERE t.times_seen <> (SELECT count(DISTINCT s.run) FROM sighting s JOIN run r ON r.id = s.run WHERE s.item = t.item AND r.topic = t.topic)",
    ),
    (
        "seen by a topic that does not know it",
        "sighting s JOIN run r ON r.id = s.run WHERE NOT EXISTS (SELECT 1 FROM topic_item t WHERE t.topic = r.topic AND t.item = s.item)",
    ),
];

/// Asserts that the ledger and the history are whole and agree, and that what was called is on record.
pub(crate) fn assert_sound(place: &Place, calls: u64) {
    let name = place.database.name;
    if name == "SQLite" {
        assert_eq!(place.database.texts("PRAGMA integrity_check"), ["ok"]);
    }
    for (what, rows) in NEVER {
        assert_eq!(place.database.number(&format!("SELECT count(*) FROM {rows}")), 0, "{name}: {what}");
    }
    // Counted before they are made: never fewer than were made.
    let made = place.database.number("SELECT coalesce(sum(made), 0) FROM calls");
    assert_eq!(made, place.database.number("SELECT coalesce(sum(tries), 0) FROM search"), "{name}");
    assert!(made as u64 >= calls, "{name}: {made} counted, {calls} made");
}

/// Asserts that every row is a slot of its own, that so many there are, and that each ended well.
pub(crate) fn assert_each_once(place: &Place, slots: i64) {
    let count = |sql: &str| place.database.number(&format!("SELECT count(*) FROM {sql}"));
    let name = place.database.name;
    assert_eq!(count("run"), slots, "{name}: rows");
    assert_eq!(count("(SELECT DISTINCT job, slot FROM run) AS t"), slots, "{name}: slots");
    assert_eq!(count("run WHERE state = 'ok'"), slots, "{name}: ended well");
}

const TOPIC: &str = "[scheduler]\nlease = \"1s\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\nai.when = \"always\"\n";

/// Hours that pass, each with one slot of the one topic.
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

    /// So many minutes after the hour.
    fn and(&self, minutes: u64) -> String {
        self.now.plus(Duration::from_secs(60 * minutes)).to_string()
    }

    /// The points that a process passes, each with how often it was passed until then.
    fn passed(&self, at: &str) -> Vec<(String, usize)> {
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
        // How often a process looks for more to claim, and what it does beside its runs, are a matter of time.
        let beside = |point: &str| point.starts_with("limits::") || point.contains("heartbeat");
        all.filter(|(point, pass)| !beside(point) && (*pass == 1 || !point.contains("claim"))).collect()
    }

    fn killed(&self, at: &str, failpoint: &str) {
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
        sandbox.turn_to(&at);
        let points = hours.passed(&at);
        for needed in [
            "planning::plan/",
            "ledger::claim/",
            "call/counted",
            "call/replied",
            "run/ingested",
            "together::write/",
            "clusters::keep/",
        ] {
            assert!(points.iter().any(|(point, _)| point.starts_with(needed)), "{needed} in {points:?}");
        }
        for (point, pass) in &points {
            let at = hours.next();
            sandbox.turn_to(&at);
            hours.killed(&at, &format!("kill {point} pass={pass}"));
            place.ok(&["once", "--due", "--at", &hours.and(30)]);
        }
        // Whoever finds a dead process' run may die on it too.
        for point in [
            "ledger::rescue/written",
            "ledger::rescue/committed",
            "together::write/written",
            "together::write/committed",
        ] {
            let at = hours.next();
            sandbox.turn_to(&at);
            hours.killed(&at, "kill run/ingested");
            hours.killed(&hours.and(20), &format!("kill {point} pass=1"));
            place.ok(&["once", "--due", "--at", &hours.and(40)]);
        }
        assert_each_once(&place, hours.slots);
        assert!(hours.slots > 30, "{} slots", hours.slots);
        assert_eq!(place.database.number("SELECT count(*) FROM item WHERE cluster IS NULL"), 0, "looked at later");
        assert_ne!(place.database.number("SELECT count(*) FROM search WHERE state = 'lost'"), 0);
        assert_sound(&place, sandbox.calls());
    }
}

#[test]
fn a_kill_while_a_lease_is_prolonged_or_a_run_given_back_leaves_its_slot_to_be_run() {
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
                until("the call", || under_a_call(&place));
                going.signal("INT");
            }
            let ended = going.wait();
            assert_eq!(ended.code, None, "{}: {point} was not met\n{ended}", place.database.name);
            place.configure(&quick.lines(), TOPIC);
            quick.turn_to(&hours.and(30));
            place.ok(&["once", "--due", "--at", &hours.and(30)]);
        }
        assert_each_once(&place, 4);
        assert_sound(&place, slow.calls() + quick.calls());
    }
}
