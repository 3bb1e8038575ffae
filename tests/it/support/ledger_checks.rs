//! Failpoints, and checks of the ledger and the history after runs.

use crate::support::program::Place;

/// The variable that sets the failpoint of a test build.
pub(crate) const FAILPOINT: &str = "TOPICWATCH_TEST_FAILPOINT";

/// Whether the long form of the tests was requested.
pub(crate) fn is_long_form() -> bool {
    std::env::var("TOPICWATCH_LONG_TESTS").is_ok_and(|word| word == "1")
}

/// Rows that must not exist once every run has ended.
pub const FORBIDDEN_ROWS: &[(&str, &str)] = &[
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

/// Asserts that the ledger and the history are complete and consistent, and that every call is on record.
pub(crate) fn assert_sound(place: &Place, calls: u64) {
    let name = place.database.name;
    if name == "SQLite" {
        assert_eq!(place.database.texts("PRAGMA integrity_check"), ["ok"]);
    }
    for (what, rows) in FORBIDDEN_ROWS {
        assert_eq!(place.database.number(&format!("SELECT count(*) FROM {rows}")), 0, "{name}: {what}");
    }
    // Calls are counted before they are made, so the count is never too low.
    let made = place.database.number("SELECT coalesce(sum(made), 0) FROM calls");
    assert_eq!(made, place.database.number("SELECT coalesce(sum(tries), 0) FROM search"), "{name}");
    assert!(made as u64 >= calls, "{name}: {made} counted, {calls} made");
}

/// Asserts that there are this many slots, one row each, and that each ended well.
pub(crate) fn assert_each_once(place: &Place, slots: i64) {
    let count = |sql: &str| place.database.number(&format!("SELECT count(*) FROM {sql}"));
    let name = place.database.name;
    assert_eq!(count("run"), slots, "{name}: rows");
    assert_eq!(count("(SELECT DISTINCT job, slot FROM run) AS t"), slots, "{name}: slots");
    assert_eq!(count("run WHERE state = 'ok'"), slots, "{name}: ended well");
}
