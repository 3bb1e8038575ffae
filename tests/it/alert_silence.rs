//! Messages of alerts that wait for another try, through the binary on both databases: they wait for the end of quiet
//! hours and of a snooze, too, and the wait does not count as a try. Waiting messages of a paused or removed alert are
//! not sent.

use serde_json::{Value, json};

use topicwatch::model::Time;

use crate::support::databases::{Database, databases};
use crate::support::program::Place;
use crate::support::receivers::WebhookServer;
use crate::support::world::{ScriptedService, hour, post, topic};

const GOOD: &str = "204 No Content";
const AWAY: &str = "503 Service Unavailable";

fn file(hook: &WebhookServer, alert: &str) -> String {
    format!(
        "{}\n[[alerts]]\nname = \"recalls\"\nrule = \"items\"\nchannels = [\"hook\"]\n{alert}\n\n\
         [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
        topic("acme", "every = \"1h\""),
        hook.url()
    )
}

/// Runs all due jobs; the receiver may refuse.
fn run_due(place: &Place, at: u32) {
    let ended = place.run(&["once", "--due", "--at", &hour(at)]);
    assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
}

/// An event at `at`, whose message the receiver refuses once.
fn place_with_refused_message(database: Database, alert: &str, at: u32) -> (ScriptedService, Place, WebhookServer) {
    let (world, (hook, answer)) = (ScriptedService::new(), WebhookServer::changeable(AWAY));
    let place = Place::new(database, &world.lines(), &file(&hook, alert));
    (at - 2..at).for_each(|at| run_due(&place, at));
    world.set_posts(&[post(at, at - 1, "words", 1)]);
    run_due(&place, at);
    assert_eq!(hook.received().len(), 1, "{}", place.database.name);
    *answer.lock().unwrap() = GOOD;
    (world, place, hook)
}

/// The tries of the only message, and when it is due again. The list would count from the real present, so the time is
/// read from the table.
fn waits(place: &Place) -> [Value; 2] {
    let attempt = place.json(&["outbox", "--json"])["messages"][0]["attempt"].clone();
    [attempt, json!(Time(place.database.number("SELECT next_at FROM outbox")))]
}

/// When the list says that the only message is tried next, and the whole list.
fn listed_next_try(place: &Place) -> (Option<Time>, String) {
    let next = place.json(&["outbox", "--json"])["messages"][0]["next_at"].clone();
    (next.as_str().map(|at| Time::parse(at).unwrap()), place.ok(&["outbox"]))
}

#[test]
fn a_retry_is_not_sent_in_quiet_hours() {
    for database in databases() {
        // It was queued at 01:00 UTC, an hour before the quiet hours of the zone.
        let quiet = "quiet = \"03:00-06:30\"\ntimezone = \"Europe/Berlin\"";
        let (_world, place, hook) = place_with_refused_message(database, quiet, 25);
        let name = place.database.name;
        for at in 26..29 {
            run_due(&place, at);
            assert_eq!(hook.received().len(), 1, "{name}: {at}");
            assert_eq!(waits(&place), [json!(1), json!("2026-03-12T05:30:00.000Z")], "{name}: {at}");
        }
        let event = place.json(&["outbox", "--json"])["messages"][0]["event"].as_str().unwrap().to_owned();
        place.run(&["outbox", "show", &event]).assert_stdout(0, &["queued, 1 try", "503"]);
        place.ok(&["once", "--due", "--at", "2026-03-12T05:29:59Z"]);
        assert_eq!(hook.received().len(), 1, "{name}");
        place.run(&["once", "--due", "--at", "2026-03-12T05:30:00Z"]).assert_stdout(0, &["delivered"]);
        let got = hook.received();
        assert_eq!((got.len(), got[1].header("X-Topicwatch-Attempt")), (2, Some("2")), "{name}");
    }
}

#[test]
fn a_retry_is_not_sent_while_its_alert_is_snoozed() {
    for database in databases() {
        let (_world, place, hook) = place_with_refused_message(database, "", 25);
        let name = place.database.name;
        let of = |text: &str| Time::parse(text).unwrap().0;
        // Snoozes count from the real present, so they outlast the case's dates.
        place.run(&["alerts", "snooze", "recalls", "--for", "30d"]).assert_stdout(0, &["snoozed until"]);
        for at in 26..28 {
            run_due(&place, at);
            let [attempt, next] = waits(&place);
            let snoozed = place.database.number("SELECT snoozed_until FROM alert_state");
            assert_eq!(
                (hook.received().len(), attempt, of(next.as_str().unwrap())),
                (1, json!(1), snoozed),
                "{name}: {at}"
            );
        }
        // A shorter snooze: the message waits for its end, which the case sets to one of its own dates.
        place.ok(&["alerts", "snooze", "recalls", "--for", "1h"]);
        place.database.move_snooze(of(&hour(29)));
        run_due(&place, 28);
        assert_eq!((hook.received().len(), waits(&place)[1].as_str().map(of)), (1, Some(of(&hour(29)))), "{name}");
        run_due(&place, 29);
        assert_eq!(hook.received().len(), 2, "{name}");
        let output = &place.json(&["alerts", "--json"])["alerts"][0]["delivery"];
        assert_eq!(output, "delivered", "{name}");
    }
}

#[test]
fn a_message_is_due_again_when_its_alerts_snooze_is_ended() {
    for database in databases() {
        let (_world, place, hook) = place_with_refused_message(database, "", 25);
        place.ok(&["alerts", "snooze", "recalls", "--for", "30d"]);
        run_due(&place, 26);
        assert_eq!(hook.received().len(), 1, "{}", place.database.name);
        place.ok(&["alerts", "snooze", "recalls", "--off"]);
        run_due(&place, 27);
        assert_eq!(hook.received().len(), 2, "{}", place.database.name);
    }
}

#[test]
fn a_snooze_that_ends_in_quiet_hours_delays_a_message_until_they_end() {
    for database in databases() {
        let (_world, place, hook) =
            place_with_refused_message(database, "quiet = \"03:00-06:30\"\ntimezone = \"UTC\"", 25);
        let name = place.database.name;
        place.ok(&["alerts", "snooze", "recalls", "--for", "30d"]);
        place.database.move_snooze(Time::parse(&hour(28)).unwrap().0);
        run_due(&place, 26);
        assert_eq!(
            (hook.received().len(), waits(&place)),
            (1, [json!(1), json!("2026-03-12T06:30:00.000Z")]),
            "{name}"
        );
        // Without the snooze it need not wait for quiet hours that have not begun.
        place.ok(&["alerts", "snooze", "recalls", "--off"]);
        run_due(&place, 26);
        assert_eq!(hook.received().len(), 2, "{name}");
    }
}

#[test]
fn outbox_retry_says_whether_the_alert_holds_the_message_back() {
    for database in databases() {
        let (world, place, hook) = place_with_refused_message(database, "", 25);
        let name = place.database.name;
        let event = place.json(&["outbox", "--json"])["messages"][0]["event"].as_str().unwrap().to_owned();
        let waits = |why: &str| {
            let retried = place.run(&["outbox", "retry", &event]);
            let begins = format!("note: alert recalls {why}: its messages wait at least until ");
            retried.assert_stdout(0, &["queued again: 1\n", &begins]);
            let note = retried.out.lines().find(|line| line.starts_with(&begins)).unwrap();
            let (sent, until) = (hook.received().len(), note.strip_prefix(&begins).unwrap());
            let (next, list) = listed_next_try(&place);
            let second = |at: Time| at.0 / 1_000;
            assert_eq!(next.map(second), Some(second(Time::parse(until).unwrap())), "{name}: {why}: {list}");
            assert!(list.contains(&format!("  {until}  ")), "{name}: {why}: {list}");
            assert!(list.contains(&format!("\n{note}\n")), "{name}: {why}: {list}");
            let shown = place.ok(&["outbox", "show", &event]);
            assert!(shown.contains(&format!("\nnext try   {until}\n")), "{name}: {why}: {shown}");
            let delivered = place.ok(&["outbox", "deliver"]);
            let expected = format!("nothing was sent; the next try is at {until}\n{note}\n");
            assert_eq!(delivered, expected, "{name}: {why}");
            assert_eq!(hook.received().len(), sent, "{name}: {why}");
            until.to_owned()
        };
        place.ok(&["alerts", "snooze", "recalls", "--for", "30d"]);
        waits("is snoozed");
        place.ok(&["alerts", "snooze", "recalls", "--off"]);
        let retried = place.run(&["outbox", "retry", &event]);
        retried.assert_stdout(0, &["queued again: 1; a running daemon delivers them"]);
        assert!(!retried.out.contains("note: "), "{name}: {retried}");
        place.run(&["outbox", "deliver"]).assert_stdout(0, &["delivered"]);
        assert_eq!(hook.received().len(), 2, "{name}");

        // Retries happen in the real present: the quiet hours are around it.
        let hour_of_day = (topicwatch::daemon::system_clock()().0 / 3_600_000).rem_euclid(24);
        let quiet = format!("quiet = \"{:02}:00-{:02}:00\"", (hour_of_day + 23) % 24, (hour_of_day + 2) % 24);
        place.configure(&world.lines(), &file(&hook, &format!("{quiet}\ntimezone = \"UTC\"")));
        run_due(&place, 26);
        assert_eq!(hook.received().len(), 2, "{name}");
        let end = waits("has quiet hours");
        place.ok(&["alerts", "snooze", "recalls", "--for", "30m"]);
        assert_eq!(waits("is snoozed, then has quiet hours"), end, "{name}");
    }
}

#[test]
fn outbox_retry_and_deliver_say_that_a_channel_is_paused_or_missing() {
    for database in databases() {
        let (world, place, hook) = place_with_refused_message(database, "", 25);
        let name = place.database.name;
        let event = place.json(&["outbox", "--json"])["messages"][0]["event"].as_str().unwrap().to_owned();
        // Nothing is sent when the snooze ends, so it is not named.
        place.ok(&["alerts", "snooze", "recalls", "--for", "30d"]);
        // The channel is the last table of the file.
        let paused = |alert: &str| file(&hook, alert) + "paused = true\n";
        place.configure(&world.lines(), &paused(""));
        let [retried, delivered] = ["its messages wait", "1 message waits"]
            .map(|wait| format!("note: channel hook is paused: {wait} until it is resumed\n"));
        assert_eq!(place.ok(&["outbox", "retry", &event]), format!("queued again: 1\n{retried}"), "{name}");
        let (next, list) = listed_next_try(&place);
        assert!(next.is_none() && list.contains(&format!("\n{retried}")), "{name}: {next:?}: {list}");
        assert_eq!(place.ok(&["outbox", "deliver"]), format!("nothing was sent\n{delivered}"), "{name}");
        assert_eq!(hook.received().len(), 1, "{name}");

        let other = file(&hook, "").replace("\"hook\"", "\"other\"");
        place.configure(&world.lines(), &other);
        let gone = |args: &[&str], begins: &str| {
            let said = place.ok(args);
            let begins = format!("{begins}note: no channel hook in the configuration: its messages are not delivered");
            assert!(said.starts_with(&begins) && said.lines().count() == 2, "{name}: {said}");
        };
        gone(&["outbox", "deliver"], "nothing was sent\n");
        gone(&["outbox", "retry", &event], "queued again: 1\n");
        assert_eq!(listed_next_try(&place).0, None, "{name}");
        let shown = place.ok(&["outbox", "show", &event]);
        assert!(shown.contains("\nnote       no channel hook in the configuration: ") && !shown.contains("next try"));

        // A paused alert drops its messages, so they do not wait for the channel. No run has dropped them yet.
        let read = || place.ok(&["once", "--due", "--at", "2026-03-12T01:30:00Z"]);
        place.configure(&world.lines(), &paused("paused = true"));
        read();
        let dropped = "note: alert recalls is paused: its messages are not sent, and the next run drops them unless it is resumed before\n";
        assert_eq!(place.ok(&["outbox", "deliver"]), format!("nothing was sent\n{dropped}"), "{name}");
        assert_eq!(place.ok(&["outbox", "retry", &event]), format!("queued again: 1\n{dropped}"), "{name}");
        let (next, list) = listed_next_try(&place);
        assert!(next.is_none() && list.contains(&format!("\n{dropped}")), "{name}: {next:?}: {list}");

        place.configure(&world.lines(), &file(&hook, ""));
        read();
        place.ok(&["alerts", "snooze", "recalls", "--off"]);
        place.run(&["outbox", "deliver"]).assert_stdout(0, &["delivered"]);
        assert_eq!(hook.received().len(), 2, "{name}");
        assert_eq!(place.ok(&["outbox", "deliver"]), "nothing was due\n", "{name}");
    }
}

#[test]
fn outbox_deliver_names_the_channel_that_asked_for_a_pause_and_its_end() {
    for database in databases() {
        let (world, (hook, answer)) = (ScriptedService::new(), WebhookServer::changeable(AWAY));
        let place = Place::new(database, &world.lines(), &file(&hook, ""));
        let name = place.database.name;
        (23..25).for_each(|at| run_due(&place, at));
        world.set_posts(&[post(25, 24, "words", 1)]);
        run_due(&place, 25);
        *answer.lock().unwrap() = "429 Slow down\r\nretry-after: 7200";
        let asked = place.run(&["outbox", "deliver"]);
        asked.assert_stdout(3, &["retry at ", "note: channel hook asked for a pause: 1 message waits at least until "]);
        assert!(!asked.out.contains("nothing was"), "{name}: {asked}");
        let note = asked.out.lines().find(|line| line.starts_with("note: ")).unwrap();

        // As if the message was queued only now.
        place.database.make_messages_due();
        place
            .run(&["outbox", "deliver"])
            .assert_stdout(0, &["nothing was sent; the next try is at ", &format!("\n{note}\n")]);
        assert_eq!(place.json(&["outbox", "deliver", "--json"]), json!({ "deliveries": [] }), "{name}");
        assert_eq!(hook.received().len(), 2, "{name}");

        let event = place.json(&["outbox", "--json"])["messages"][0]["event"].as_str().unwrap().to_owned();
        place.ok(&["outbox", "retry", &event]);
        *answer.lock().unwrap() = GOOD;
        let sent = place.run(&["outbox", "deliver"]);
        assert!(sent.out.contains("delivered") && !sent.out.contains("note: "), "{name}: {sent}");
    }
}

#[test]
fn a_message_of_a_dead_process_waits_until_its_alert_and_channel_allow_it() {
    for database in databases() {
        let (world, (hook, answer)) = (ScriptedService::new(), WebhookServer::changeable(AWAY));
        // The lease outlasts the case.
        let with = |alert: &str| file(&hook, &format!("cooldown = \"0s\"\n{alert}")) + "timeout = \"5m\"\n";
        let place = Place::new(database, &world.lines(), &with(""));
        let name = place.database.name;
        (23..25).for_each(|at| run_due(&place, at));
        world.set_posts(&[post(25, 24, "words", 1)]);
        run_due(&place, 25);
        let killed = place.program(&["outbox", "deliver"]).env("TOPICWATCH_TEST_FAILPOINT", "kill courier/claimed");
        assert_eq!(killed.start().wait().code, None, "{name}");

        let snoozed = place.ok(&["alerts", "snooze", "recalls", "--for", "1h"]);
        let until = snoozed.split_once("until ").and_then(|(_, rest)| rest.split_once(';')).unwrap().0;
        let delivered = place.ok(&["outbox", "deliver"]);
        assert_eq!(delivered, format!("nothing was due; the next try is at {until}\n"), "{name}");
        place.ok(&["alerts", "snooze", "recalls", "--off"]);

        // Another message, at which the channel asks for a pause. `once --at` is months before `outbox deliver`, so it
        // assumes that the lease is from a clock that was ahead, and the first message waits, too.
        world.set_posts(&[post(26, 25, "words", 1)]);
        run_due(&place, 26);
        *answer.lock().unwrap() = "429 Slow down\r\nretry-after: 7200";
        let asked = place.run(&["outbox", "deliver"]);
        asked.assert_stdout(3, &["retry at "]);
        let note = asked.out.lines().find(|line| line.starts_with("note: channel hook asked for a pause: 2 ")).unwrap();
        let until = note.rsplit(' ').next().unwrap();
        let delivered = place.ok(&["outbox", "deliver"]);
        assert_eq!(delivered, format!("nothing was sent; the next try is at {until}\n{note}\n"), "{name}");

        place.configure(&world.lines(), &with("paused = true"));
        run_due(&place, 27);
        let delivered = place.ok(&["outbox", "deliver"]);
        assert!(!delivered.contains("next try"), "{name}: {delivered}");
    }
}

#[test]
fn waiting_events_of_a_paused_or_removed_alert_are_never_sent() {
    let both = ["paused", "removed"].map(|why| databases().into_iter().map(move |one| (one, why)));
    for (database, why) in both.into_iter().flatten() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let quiet = "quiet = \"00:30-06:00\"\ncooldown = \"0s\"";
        let whole = file(&hook, quiet);
        let away = match why {
            "paused" => file(&hook, &format!("{quiet}\npaused = true")),
            _ => whole.replace("name = \"recalls\"", "name = \"other\""),
        };
        let place = Place::new(database, &world.lines(), &whole);
        let name = format!("{}, {why}", place.database.name);
        (23..25).for_each(|at| run_due(&place, at));
        world.set_posts(&[post(25, 24, "words", 1)]);
        run_due(&place, 25);
        place.configure(&world.lines(), &away);
        run_due(&place, 26);
        place.configure(&world.lines(), &whole);
        (27..33).for_each(|at| run_due(&place, at));
        assert_eq!(hook.received().len(), 0, "{name}");
        let all = place.json(&["alerts", "--json"]);
        assert_eq!((&all["events"][0]["muted"], &all["alerts"][0]["waiting"]), (&json!(why), &json!(0)), "{name}");
        world.set_posts(&[post(33, 32, "words", 1)]);
        run_due(&place, 33);
        assert_eq!(hook.received().len(), 1, "{name}");
    }
}

#[test]
fn a_message_that_waits_for_a_retry_is_dropped_when_its_alert_is_paused() {
    for database in databases() {
        let (world, place, hook) = place_with_refused_message(database, "", 25);
        let name = place.database.name;
        place.configure(&world.lines(), &file(&hook, "paused = true"));
        // No run came since, so the alert was not looked at.
        let ended = place.run(&["once", "--due", "--at", "2026-03-12T01:30:00Z"]);
        assert_eq!((ended.code, hook.received().len()), (Some(0), 1), "{name}: {ended}");
        assert_eq!(waits(&place), [json!(1), json!("2026-03-12T01:31:00.000Z")], "{name}");
        // It is put off a little, but not tried then.
        let dropped = "nothing was sent\nnote: alert recalls is paused: its messages are not sent, and the next run drops them unless it is resumed before\n";
        assert_eq!(place.ok(&["outbox", "deliver"]), dropped, "{name}");
        (26..28).for_each(|at| run_due(&place, at));
        place.configure(&world.lines(), &file(&hook, ""));
        (28..31).for_each(|at| run_due(&place, at));
        assert_eq!(hook.received().len(), 1, "{name}");
        let all = place.json(&["alerts", "--json"]);
        let event = &all["events"][0];
        assert_eq!((&event["muted"], &event["message"]), (&json!("paused"), &json!(null)), "{name}: {all}");
        assert_eq!(all["alerts"][0]["sent_at"], json!(null), "{name}: {all}");
    }
}
