//! Times and counts that no run can have stored, as a damaged file or another writer may leave them: no command crashes.

use crate::support::databases::databases;
use crate::support::made_rows::{FIRST_RUN, FIRST_SEARCH, of_item};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

const FILE: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nsources = [\"social\"]\nevery = \"1h\"\n\n\
                    [[topics]]\nid = \"solar\"\nquery = \"solar panels\"\nsources = [\"social\"]\n\n\
                    [[alerts]]\nname = \"vol\"\nrule = \"volume\"\n";
/// The least and the greatest number of a column.
const LEAST: i64 = i64::MIN;
const MOST: i64 = i64::MAX;
/// A time from which PostgreSQL can still subtract a span, but that is too far from now for a difference.
const LONG_AGO: i64 = LEAST + 1_000_000_000_000;

/// Writes a number into rows, runs a command, and writes the earlier number back. The command must not crash.
fn assert_survives(place: &Place, of: (&str, &str, &str), number: i64, args: &[&str]) {
    let before = place.database.set_number(of, number);
    let ended = place.run(args);
    assert_eq!(ended.code, Some(0), "{}: {of:?} = {number}: {args:?}\n{ended}", place.database.name);
    place.database.set_number(of, before);
}

#[test]
fn impossible_times_and_counts_crash_no_command() {
    for database in databases() {
        let begin = "2026-03-09T09:00:00Z";
        let sandbox = Sandbox::at(begin, &[]);
        let place = Place::new(database, &sandbox.lines(), FILE);
        // Records where the schedule and the alert begin.
        place.ok(&["once", "--due", "--at", begin]);
        for at in ["2026-03-10T09:00:00Z", "2026-03-11T08:00:00Z", NINE] {
            sandbox.set_clock(at);
            place.ok(&["once", "--at", at]);
        }
        let key = place.database.first_key();
        let (item, sighted, story) = (format!("key = '{key}'"), of_item(&key), ["items", "story", key.as_str()]);
        let backtest = ["alerts", "backtest", "vol", "--at", "2026-03-11T10:00:00Z"];
        for number in [LONG_AGO, MOST] {
            assert_survives(&place, ("search", "started_at", FIRST_SEARCH), number, &backtest);
            assert_survives(&place, ("run", "started_at", FIRST_RUN), number, &backtest);
        }
        for number in [LEAST, MOST] {
            assert_survives(&place, ("item", "published_at", &item), number, &story);
            assert_survives(&place, ("topic_item", "first_seen", &sighted), number, &story);
        }
        // A topic without enough days of its own is compared with the other topics.
        let others = ("topic_term", "items", "topic = 'solar'");
        assert_survives(&place, others, MOST, &["terms", "acme", "--at", NINE]);
        let due = ["once", "--due", "--at", NINE];
        assert_survives(&place, ("follower", "at", "name = 'alert:vol'"), MOST, &due);
        place.database.change_stored_configuration();
        // The command replaces this row, so nothing is left to write back.
        place.database.set_number(("config_generation", "number", "hash = 'other'"), LEAST);
        place.ok(&due);
    }
}
