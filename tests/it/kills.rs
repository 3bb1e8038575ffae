//! `kill -9` at varying points of `once` and `once --due`, on both databases: the ledger stays consistent, each slot
//! ends once, and nothing is half stored.

use std::time::{Duration, Instant};

use topicwatch::model::Time;

use crate::support::databases::databases;
use crate::support::exported_story::assert_adds_up;
use crate::support::ledger_checks::assert_sound;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;

/// How many processes are killed in each case and database.
const KILLS: u32 = 20;

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\nevery = \"1h\"\nai.when = \"always\"\n\n\
                      [[topics]]\nid = \"globex\"\nquery = \"acme launch\"\nevery = \"1h\"\nsources = [\"social\"]\n";

/// Starts the program repeatedly, an hour later each time, and kills it at some point. Returns the time after the last
/// start, when every lease has expired.
fn kill_often(place: &Place, sandbox: &Sandbox, args: &[&str]) -> Time {
    let mut now = Time::parse(NINE).unwrap();
    let mut run = |full: Option<Duration>| {
        now = now.plus(Duration::from_secs(3_600));
        let at = now.to_string();
        sandbox.set_clock(&at);
        let going = place.program(&[args, &["--at", &at]].concat()).start();
        let begun = Instant::now();
        match full {
            None => assert_eq!(going.wait().code, Some(0)),
            Some(after) => {
                let killed = going.kill_after(after);
                return (begun.elapsed(), killed);
            }
        }
        (begun.elapsed(), false)
    };
    let (mut full, _) = run(None);
    let mut killed = 0;
    for n in 0..KILLS {
        // Low-discrepancy points over the whole duration, so that every part of it is tested.
        let part = (f64::from(n) * 0.618_034).fract();
        match run(Some(full.mul_f64(part))) {
            (_, true) => killed += 1,
            // Runs may take less time than the first one, which creates the tables.
            (took, false) => full = took,
        }
    }
    assert!(killed > KILLS / 4, "only {killed} of {KILLS} were killed before they ended");
    now.plus(Duration::from_secs(1_800))
}

fn assert_whole(place: &Place, sandbox: &Sandbox) {
    // All runs have ended and are readable, so the views show everything.
    assert_sound(place, sandbox.calls());
    let count = |sql: &str| place.database.number(&format!("SELECT count(*) FROM {sql}"));
    let name = place.database.name;
    assert_ne!(count("v_search WHERE state = 'lost'"), 0, "{name}: some were killed under a call");
    assert_eq!(count("v_search WHERE state = 'lost' AND cost_usd IS NULL"), 0, "{name}");
    assert_eq!(count("v_answer a JOIN v_run r ON r.run = a.run WHERE r.state <> 'ok'"), 0, "{name}");
    let unfinished = "v_run r WHERE r.state = 'ok' AND NOT EXISTS (SELECT 1 FROM v_search s WHERE s.run = r.run AND s.attempt = r.attempt AND s.source = 'social' AND s.state = 'ok')";
    assert_eq!(count(unfinished), 0, "{name}");
    assert_adds_up(place);
}

#[test]
fn a_kill_during_once_leaves_a_consistent_ledger() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["delay=5ms"]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        let after = kill_often(&place, &sandbox, &["once"]);
        place.ok(&["once", "--at", &after.to_string()]);
        assert_whole(&place, &sandbox);
        let lost = "SELECT count(*) FROM v_run WHERE state = 'failed' AND error_class = 'lease_lost'";
        assert_ne!(place.database.number(lost), 0, "a manual run is not begun again");
    }
}

#[test]
fn each_slot_ends_once_even_if_its_process_is_killed_repeatedly() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["delay=5ms"]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--due", "--at", NINE]);
        let after = kill_often(&place, &sandbox, &["once", "--due"]);
        place.ok(&["once", "--due", "--at", &after.to_string()]);
        let ended = place.ok(&["once", "--due", "--at", &after.to_string()]);
        assert!(ended.contains("nothing was due"), "{ended}");
        assert_whole(&place, &sandbox);
        // One row for each topic and each hour that passed, whatever its state.
        let rows = i64::from(2 * (KILLS + 1));
        assert_eq!(place.database.runs(), rows);
        assert_eq!(
            place.database.number("SELECT count(*) FROM (SELECT DISTINCT topic, slot FROM v_run) AS slots"),
            rows
        );
    }
}
