//! A schedule that is edited, or a topic that is removed, while nothing runs: slots that came due under the old
//! definitions still run or are recorded, whichever process reads the new file first.

use std::time::Duration;

use topicwatch::daemon::system_clock;

use crate::support::daemons::sandbox_of_today;
use crate::support::databases::databases;
use crate::support::ledger::LedgerRun;
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::Sandbox;

const AFTER: &str = "2026-03-11T12:06:10Z";

fn topic(id: &str, lines: &str) -> String {
    format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [\"social\"]\n{lines}\n\n")
}

/// `slot state trigger` of a topic's slots, in order.
fn slots(place: &Place, topic: &str) -> Vec<String> {
    let runs = place.database.ledger_slots();
    runs.iter().filter(|run| run.topic == topic).map(LedgerRun::slot_line).collect()
}

fn hours(last: &str) -> [String; 3] {
    let missed = |hour: u32| format!("2026-03-11T{hour}:00:00Z missed scheduled");
    [missed(10), missed(11), format!("2026-03-11T12:00:00Z {last}")]
}

#[test]
fn slots_of_a_schedule_edited_during_downtime_run_or_are_recorded() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let hourly = "schedule = \"0 * * * *\"";
        let before: String = ["cron", "zone", "gone", "rests", "policy", "held"].map(|id| topic(id, hourly)).concat();
        let place = Place::new(database, &sandbox.lines(), &before);
        let name = place.database.name;
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["topic", "pause", "held"]);
        let later = "schedule = \"5 * * * *\"";
        let after = [
            topic("cron", later),
            topic("zone", &format!("{hourly}\ntimezone = \"Asia/Kolkata\"")),
            topic("rests", &format!("{hourly}\npaused = true")),
            topic("policy", &format!("{hourly}\ncatch_up = \"none\"")),
            topic("held", later),
        ];
        place.configure(&sandbox.lines(), &after.concat());
        sandbox.set_clock(AFTER);
        place.ok(&["once", "--due", "--at", AFTER]);
        for (topic, last) in [
            ("cron", "ok catch_up"),
            ("zone", "ok catch_up"),
            ("gone", "cancelled catch_up"),
            ("rests", "cancelled catch_up"),
            // The schedule is the same, so its slots follow the policy that the file has now.
            ("policy", "missed scheduled"),
        ] {
            assert_eq!(slots(&place, topic), hours(last), "{topic} on {name}");
        }
        assert_eq!(slots(&place, "held"), [""; 0], "a paused topic has no missed slots, {name}");
        assert_eq!(place.database.unpublished_runs(), 0, "all are readable");
        // From here on the new schedule applies, and no slot comes twice.
        let at = "2026-03-11T13:06:00Z";
        sandbox.set_clock(at);
        place.ok(&["once", "--due", "--at", at]);
        let all = slots(&place, "cron");
        assert_eq!((all.len(), all[3].as_str()), (4, "2026-03-11T13:05:00Z ok scheduled"), "{name}");
    }
}

#[test]
fn a_manual_run_with_an_edited_file_loses_no_slot() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("acme", "schedule = \"0 * * * *\""));
        place.ok(&["once", "--due", "--at", NINE]);
        place.configure(&sandbox.lines(), &topic("acme", "schedule = \"5 * * * *\""));
        sandbox.set_clock(AFTER);
        place.ok(&["once", "--at", AFTER]);
        assert_eq!(slots(&place, "acme"), hours("queued catch_up"), "{}", place.database.name);
        place.ok(&["once", "--due", "--at", AFTER]);
        assert_eq!(slots(&place, "acme"), hours("ok catch_up"), "{}", place.database.name);
    }
}

#[test]
fn a_daemon_that_starts_with_an_edited_file_settles_the_old_slots_first() {
    for database in databases() {
        let sandbox = sandbox_of_today(&[]);
        let place = Place::new(database, &sandbox.lines(), &topic("acme", "every = \"12h\""));
        let then = system_clock()();
        place.ok(&["once", "--due", "--at", &then.minus(Duration::from_secs(2 * 86_400)).to_string()]);
        place.configure(&sandbox.lines(), &topic("acme", "every = \"7d\""));
        let going = place.program(&["run"]).start();
        let of = |state: &str| {
            let runs = place.database.ledger_slots();
            let old = |slot: i64| slot % 43_200_000 == 0 && slot <= then.0;
            runs.iter().filter(|run| run.slot.is_some_and(old) && run.state == state).count()
        };
        wait_until("the latest of the old slots", || of("ok") == 1);
        assert_eq!(of("missed"), 3, "{}", place.database.name);
        going.signal("TERM");
        assert_eq!(going.wait().code, Some(0));
    }
}
