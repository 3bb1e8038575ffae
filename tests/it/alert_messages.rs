//! Messages of alerts through the binary on both databases: each event is counted once, the first run of a new alert is
//! checked, the state of a message is shown, and acknowledging cancels messages that wait for another try.

use serde_json::{Value, json};

use crate::support::alert_rows::Event;
use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::receivers::WebhookServer;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post, topic};

const GOOD: &str = "204 No Content";
const AWAY: &str = "503 Service Unavailable";
const GONE: &str = "404 Not Found";

fn file(hook: &WebhookServer, alert: &str) -> String {
    let channel =
        format!("[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n", hook.url());
    format!("{}\n{alert}\n{channel}", topic("acme", "every = \"1h\""))
}

fn alert(name: &str, more: &str) -> String {
    format!("[[alerts]]\nname = \"{name}\"\nrule = \"items\"\nchannels = [\"hook\"]\n{more}\n")
}

/// Runs all due jobs; a receiver may refuse.
fn run_due(place: &Place, at: u32) {
    let ended = place.run(&["once", "--due", "--at", &hour(at)]);
    assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
}

fn listed(place: &Place) -> Value {
    place.json(&["alerts", "--json", "--limit", "1000"])
}

fn subjects(hook: &WebhookServer) -> Vec<String> {
    hook.received().iter().map(|got| got.json()["subject"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_of_many_waiting_events_is_counted_once() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &file(&hook, &alert("recalls", "cooldown = \"0s\"")));
        (23..25).for_each(|at| run_due(&place, at));
        let names: Vec<(String, String)> = (0..330).map(|n| (format!("R{n:03}"), format!("event {n}"))).collect();
        let waiting: Vec<Event<'_>> = (1_773_219_600_000..)
            .zip(&names)
            .map(|(at, (of, summary))| Event { alert: "recalls", of, at, summary, ..Event::default() })
            .collect();
        place.database.add_events(&waiting);
        (25..27).for_each(|at| run_due(&place, at));
        let counted: Vec<Value> =
            hook.received().iter().map(|got| got.json()["data"]["events_in_all"].clone()).collect();
        assert_eq!(counted, [json!(330)], "{}", place.database.name);
        assert_eq!(subjects(&hook), ["[recalls] event 0 and 329 more"]);
        let text = hook.received()[0].json()["text"].to_string();
        assert!(text.contains("and 280 more: topicwatch alerts"), "{text}");
        assert_eq!(hook.received()[0].json()["data"]["events"].as_array().map(Vec::len), Some(50));
        world.set_posts(&[post(1, 26, "words", 1)]);
        run_due(&place, 27);
        assert_eq!(subjects(&hook)[1..], ["[recalls] acme: 1 new item"]);
    }
}

#[test]
fn a_new_and_a_renamed_alert_check_their_first_run() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &file(&hook, ""));
        (23..25).for_each(|at| run_due(&place, at));
        world.set_posts(&[post(1, 24, "from before the alert", 1)]);
        run_due(&place, 25);
        for (name, at) in [("recalls", 26), ("renamed", 27)] {
            place.configure(&world.lines(), &file(&hook, &alert(name, "cooldown = \"0s\"")));
            world.set_posts(&[post(at, at - 1, "words", 1)]);
            run_due(&place, at);
        }
        assert_eq!(
            subjects(&hook),
            ["[recalls] acme: 1 new item", "[renamed] acme: 1 new item"],
            "{}",
            place.database.name
        );
        // An alert that comes back does not report what happened while it was away.
        place.configure(&world.lines(), &file(&hook, &alert("recalls", "cooldown = \"0s\"")));
        world.set_posts(&[post(28, 27, "words", 1)]);
        run_due(&place, 28);
        assert_eq!(subjects(&hook)[2..], ["[recalls] acme: 1 new item"], "{}", place.database.name);
    }
}

#[test]
fn alert_lists_show_the_delivery_state_of_each_message() {
    for database in databases() {
        let (world, (hook, answer)) = (ScriptedService::new(), WebhookServer::changeable(GOOD));
        let place = Place::new(database, &world.lines(), &file(&hook, &alert("recalls", "cooldown = \"0s\"")));
        let name = place.database.name;
        (23..25).for_each(|at| run_due(&place, at));
        let said = || {
            let all = listed(&place);
            [&all["alerts"][0]["delivery"], &all["events"][0]["delivery"]].map(Value::clone)
        };
        assert_eq!(said(), [json!(null), json!(null)], "{name}");
        for (at, code, expected) in [(25, AWAY, "waiting"), (27, GOOD, "delivered"), (28, GONE, "dead")] {
            *answer.lock().unwrap() = code;
            if at != 27 {
                world.set_posts(&[post(at, at - 1, "words", 1)]);
            }
            run_due(&place, at);
            assert_eq!(said(), [json!(expected), json!(expected)], "{name}");
            let output = place.ok(&["alerts"]);
            let open = format!("({expected})");
            assert!(
                output.contains(expected) && output.contains(&open) == (expected != "delivered"),
                "{name}: {output}"
            );
            assert!(!output.contains("notified"), "{name}: {output}");
        }
        let pages = Pages::serve(&place, &["--at", &hour(28)]);
        let page = pages.page("/alerts");
        // The last message of the alert and its event; the event before was reported.
        assert_eq!(page.matches("its message is dead").count(), 2, "{name}: {page}");
        assert!(page.contains("· reported"), "{name}: {page}");
        drop(pages);
        place.ok(&["outbox", "drop", "--dead"]);
        assert_eq!(said(), [json!("unknown"), json!("unknown")], "{name}");
    }
}

#[test]
fn acknowledging_cancels_messages_that_wait_for_a_retry() {
    for database in databases() {
        let (world, (hook, answer)) = (ScriptedService::new(), WebhookServer::changeable(GOOD));
        let place = Place::new(database, &world.lines(), &file(&hook, &alert("recalls", "cooldown = \"2h\"")));
        let name = place.database.name;
        (23..25).for_each(|at| run_due(&place, at));
        // The first event is reported; the next two share a message, which is not delivered.
        for at in 25..28 {
            *answer.lock().unwrap() = if at < 27 { GOOD } else { AWAY };
            world.set_posts(&[post(at, at - 1, "words", 1)]);
            run_due(&place, at);
        }
        assert_eq!(subjects(&hook)[1..], ["[recalls] acme: 1 new item and 1 more"], "{name}");
        let latest = listed(&place)["events"][0]["event"].as_str().unwrap().to_owned();
        place.run(&["alerts", "ack", "recalls", "--event", &latest]).assert_stdout(0, &["1 event acknowledged"]);
        run_due(&place, 28);
        assert_eq!(hook.received().len(), 3, "{name}: the message is also about an event that nobody acknowledged");
        // This includes the first one, which was delivered.
        place.run(&["alerts", "ack", "recalls"]).assert_stdout(0, &["2 events acknowledged"]);
        *answer.lock().unwrap() = GOOD;
        (30..40).step_by(3).for_each(|at| run_due(&place, at));
        assert_eq!(hook.received().len(), 3, "{name}: {:?}", subjects(&hook));
        let all = listed(&place);
        let said = |n: usize| [&all["events"][n]["delivery"], &all["events"][n]["muted"]].map(Value::clone);
        // The cancelled message is no longer the last one.
        let (last, sent) = (&all["alerts"][0]["sent_at"], &all["alerts"][0]["delivery"]);
        assert_eq!((last, sent), (&json!("2026-03-12T01:00:00.000Z"), &json!("delivered")), "{name}");
        let dropped = [json!(null), json!("acknowledged")];
        assert_eq!(
            [said(0), said(1), said(2)],
            [dropped.clone(), dropped, [json!("delivered"), json!(null)]],
            "{name}"
        );
    }
}

#[test]
fn a_cancelled_message_sets_no_sent_time_and_no_cool_down() {
    for database in databases() {
        let (world, (hook, answer)) = (ScriptedService::new(), WebhookServer::changeable(GOOD));
        let place = Place::new(database, &world.lines(), &file(&hook, &alert("recalls", "cooldown = \"7d\"")));
        let name = place.database.name;
        (23..25).for_each(|at| run_due(&place, at));
        *answer.lock().unwrap() = AWAY;
        world.set_posts(&[post(25, 24, "words", 1)]);
        run_due(&place, 25);
        assert_eq!((hook.received().len(), &listed(&place)["alerts"][0]["delivery"]), (1, &json!("waiting")), "{name}");
        // The message waits, and no event is without one.
        place.run(&["alerts"]).assert_stdout(0, &["rule   pending  last message", "      0  ", "Z (waiting)"]);
        place.run(&["alerts", "ack", "recalls"]).assert_stdout(0, &["1 event acknowledged"]);
        let all = listed(&place);
        assert_eq!([&all["alerts"][0]["sent_at"], &all["alerts"][0]["delivery"]], [&json!(null); 2], "{name}");
        let output = place.ok(&["alerts"]);
        assert!(!output.contains("unknown"), "{name}: {output}");
        // Nobody got a message, so the next one is not held back.
        *answer.lock().unwrap() = GOOD;
        world.set_posts(&[post(26, 25, "words", 1)]);
        run_due(&place, 26);
        assert_eq!(hook.received().len(), 2, "{name}");
    }
}

/// Two channels, the second of which refuses for good, and a message to both.
fn place_with_a_refusing_channel(
    database: crate::support::databases::Database,
) -> (ScriptedService, Place, [WebhookServer; 2]) {
    let (world, good, (bad, _)) = (ScriptedService::new(), WebhookServer::accepting(), WebhookServer::changeable(GONE));
    let both = alert("recalls", "cooldown = \"0s\"").replace("[\"hook\"]", "[\"hook\", \"other\"]");
    let other =
        format!("[[channels]]\nname = \"other\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n", bad.url());
    let place = Place::new(database, &world.lines(), &format!("{}\n{other}", file(&good, &both)));
    (23..25).for_each(|at| run_due(&place, at));
    world.set_posts(&[post(25, 24, "words", 1)]);
    run_due(&place, 25);
    assert_eq!((good.received().len(), bad.received().len()), (1, 1), "{}", place.database.name);
    (world, place, [good, bad])
}

#[test]
fn a_message_dropped_for_one_channel_is_shown_as_partly_delivered() {
    for database in databases() {
        let (_world, place, _hooks) = place_with_a_refusing_channel(database);
        let name = place.database.name;
        for drops in [false, true] {
            if drops {
                place.run(&["outbox", "drop", "--dead"]).assert_stdout(0, &["dropped: alert:recalls/"]);
            }
            let all = listed(&place);
            let said = [&all["alerts"][0]["delivery"], &all["events"][0]["delivery"], &all["events"][0]["muted"]];
            let partly = json!("partly delivered");
            assert_eq!(said, [&partly, &partly, &json!(null)], "{name}: dropped {drops}");
            // A terminal of 80 columns.
            let output = place.program(&["alerts"]).env("COLUMNS", "80").run();
            output.assert_stdout(0, &["(partly delivered)", "sends to hook other"]);
            assert!(output.out.lines().all(|line| line.chars().count() <= 80), "{name}: {output}");
        }
    }
}

#[test]
fn outbox_retry_skips_dead_messages_about_acknowledged_events() {
    for database in databases() {
        let (_world, place, [_, bad]) = place_with_a_refusing_channel(database);
        let name = place.database.name;
        place.run(&["alerts", "ack", "recalls"]).assert_stdout(0, &["1 event acknowledged"]);
        place.run(&["outbox", "retry", "--dead"]).assert_stdout(0, &["queued again: 0"]);
        run_due(&place, 26);
        assert_eq!(bad.received().len(), 1, "{name}");
        let all = listed(&place);
        assert_eq!(all["events"][0]["delivery"], "partly delivered", "{name}: {all}");
    }
}
