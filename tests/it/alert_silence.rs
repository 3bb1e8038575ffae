//! Messages of alerts that wait for another try, through the binary on both databases: they wait for the end of quiet
//! hours and of a snooze, too, and that counts as no try.

use serde_json::{Value, json};

use topicwatch::model::Time;

use crate::support::databases::{Database, databases, wait};
use crate::support::program::Place;
use crate::support::receivers::Hook;
use crate::support::world::{World, hour, post, topic};

const GOOD: &str = "204 No Content";
const AWAY: &str = "503 Service Unavailable";

fn file(hook: &Hook, alert: &str) -> String {
    format!(
        "{}\n[[alerts]]\nname = \"recalls\"\nrule = \"items\"\nchannels = [\"hook\"]\n{alert}\n\n\
         [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
        topic("acme", "every = \"1h\""),
        hook.url()
    )
}

/// Runs what is due; the receiver may refuse.
fn due(place: &Place, at: u32) {
    let ended = place.run(&["once", "--due", "--at", &hour(at)]);
    assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
}

/// An event at `at`, whose message the receiver refuses once.
fn refused(database: Database, alert: &str, at: u32) -> (World, Place, Hook) {
    let (world, (hook, answer)) = (World::new(), Hook::changeable(AWAY));
    let place = Place::new(database, &world.lines(), &file(&hook, alert));
    (at - 2..at).for_each(|at| due(&place, at));
    world.posts(&[post(at, at - 1, "words", 1)]);
    due(&place, at);
    assert_eq!(hook.got().len(), 1, "{}", place.database.name);
    *answer.lock().unwrap() = GOOD;
    (world, place, hook)
}

/// The tries of the only message, and when it is due again.
fn waits(place: &Place) -> [Value; 2] {
    let entry = place.json(&["outbox", "--json"])["messages"][0].clone();
    [entry["attempt"].clone(), entry["next_at"].clone()]
}

#[test]
fn a_message_that_waits_for_another_try_is_not_sent_in_quiet_hours() {
    for database in databases() {
        // It was queued at 01:00 UTC, an hour before the quiet hours of the zone.
        let quiet = "quiet = \"03:00-06:30\"\ntimezone = \"Europe/Berlin\"";
        let (_world, place, hook) = refused(database, quiet, 25);
        let name = place.database.name;
        for at in 26..29 {
            due(&place, at);
            assert_eq!(hook.got().len(), 1, "{name}: {at}");
            assert_eq!(waits(&place), [json!(1), json!("2026-03-12T05:30:00.000Z")], "{name}: {at}");
        }
        let event = place.json(&["outbox", "--json"])["messages"][0]["event"].as_str().unwrap().to_owned();
        place.run(&["outbox", "show", &event]).shows(0, &["queued, 1 try", "503"]);
        place.ok(&["once", "--due", "--at", "2026-03-12T05:29:59Z"]);
        assert_eq!(hook.got().len(), 1, "{name}");
        place.run(&["once", "--due", "--at", "2026-03-12T05:30:00Z"]).shows(0, &["delivered"]);
        let got = hook.got();
        assert_eq!((got.len(), got[1].header("X-Topicwatch-Attempt")), (2, Some("2")), "{name}");
    }
}

#[test]
fn a_message_that_waits_for_another_try_is_not_sent_while_its_alert_is_snoozed() {
    for database in databases() {
        let (_world, place, hook) = refused(database, "", 25);
        let name = place.database.name;
        let of = |text: &str| Time::parse(text).unwrap().0;
        // Snoozes count from the real present, so they outlast the case's dates.
        place.run(&["alerts", "snooze", "recalls", "--for", "30d"]).shows(0, &["snoozed until"]);
        for at in 26..28 {
            due(&place, at);
            let [attempt, next] = waits(&place);
            let snoozed = place.database.number("SELECT snoozed_until FROM alert_state");
            assert_eq!((hook.got().len(), attempt, of(next.as_str().unwrap())), (1, json!(1), snoozed), "{name}: {at}");
        }
        // A shorter snooze: the message waits for its end, which the case sets to one of its own dates.
        place.ok(&["alerts", "snooze", "recalls", "--for", "1h"]);
        wait(place.database.execute(&format!("UPDATE alert_state SET snoozed_until = {}", of(&hour(29)))));
        due(&place, 28);
        assert_eq!((hook.got().len(), waits(&place)[1].as_str().map(of)), (1, Some(of(&hour(29)))), "{name}");
        due(&place, 29);
        assert_eq!(hook.got().len(), 2, "{name}");
        let told = &place.json(&["alerts", "--json"])["alerts"][0]["delivery"];
        assert_eq!(told, "delivered", "{name}");
    }
}

#[test]
fn a_message_is_due_again_when_its_alerts_snooze_is_ended() {
    for database in databases() {
        let (_world, place, hook) = refused(database, "", 25);
        place.ok(&["alerts", "snooze", "recalls", "--for", "30d"]);
        due(&place, 26);
        assert_eq!(hook.got().len(), 1, "{}", place.database.name);
        place.ok(&["alerts", "snooze", "recalls", "--off"]);
        due(&place, 27);
        assert_eq!(hook.got().len(), 2, "{}", place.database.name);
    }
}
