//! Alerts through the binary on both databases: what fires, that each event is sent once to the right channels, the
//! state after a kill, quiet hours, cool-down, acknowledging and snoozing, and backtests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::support::databases::{databases, sqlite};
use crate::support::program::{Place, Program, ProgramOutput, wait_until};
use crate::support::receivers::WebhookServer;
use crate::support::service::{FakeServer, reply};
use crate::support::world::{ScriptedService, calm_days, hour, post, posts_of_calm_day, run_once};

const HOOK: &str = "[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n";

fn file(topic: &str, alert: &str) -> String {
    format!(
        "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\n{topic}\n\n\
         [[alerts]]\nname = \"recalls\"\nchannels = [\"hook\"]\n{alert}\n\n{HOOK}"
    )
}

fn program(place: &Place, hook: &WebhookServer, args: &[&str]) -> Program {
    place.program(args).env("HOOK_URL", &hook.url())
}

fn run_due(place: &Place, hook: &WebhookServer, at: &str) -> ProgramOutput {
    let ended = program(place, hook, &["once", "--due", "--at", at]).run();
    assert_eq!(ended.code, Some(0), "{ended}");
    ended
}

/// Plans the first slots; the first run is a baseline.
fn plan_first_slots(place: &Place, hook: &WebhookServer) {
    run_due(place, hook, &hour(23));
    run_due(place, hook, &hour(24));
}

/// The subjects of the received messages.
fn subjects(hook: &WebhookServer) -> Vec<String> {
    hook.received().iter().map(|got| got.json()["subject"].as_str().unwrap().to_owned()).collect()
}

fn events(place: &Place, hook: &WebhookServer) -> Value {
    let listed = program(place, hook, &["alerts", "--json", "--limit", "100"]).run();
    serde_json::from_str::<Value>(&listed.out).unwrap_or_else(|_| panic!("{listed}"))["events"].clone()
}

#[test]
fn an_items_alert_reports_matching_new_items_once_and_never_a_baseline() {
    let mut reported = Vec::new();
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let rest = file("", "rule = \"items\"\nwords = [\"recall\", \"lawsuit\"]\ncooldown = \"2h\"\n");
        let place = Place::new(database, &world.lines(), &rest);
        world.set_posts(&[post(1, 20, "a recall of old", 1)]);
        run_due(&place, &hook, &hour(23));
        run_due(&place, &hook, &hour(24));
        assert_eq!(subjects(&hook), [""; 0], "the first answers are a baseline");
        world.set_posts(&[
            post(2, 24, "Recall: brakes", 1),
            post(3, 24, "nothing of note", 1),
            post(1, 20, "a recall of old", 1),
        ]);
        run_due(&place, &hook, &hour(25));
        assert_eq!(subjects(&hook), ["[recalls] acme: 1 new item with “recall”"]);
        let got = hook.received()[0].json();
        assert_eq!(got["event"], "alert:recalls/topic:acme@2026-03-12T01:00:00Z/acme/fired/hook", "{got}");
        assert_eq!(got["data"]["events"][0]["lines"][0]["key"], "post:x:2");
        assert_eq!(
            got["text"],
            "2026-03-12T01:00:00Z acme: 1 new item with “recall”\n  - @author2: Recall: brakes\n    https://x.com/a/status/2\n"
        );
        // Another process evaluates again: already sent.
        run_due(&place, &hook, &hour(25));
        // Nothing is sent within the cool-down; afterwards one message covers both events.
        for n in 26..28 {
            world.set_posts(&[post(n, n - 1, "another lawsuit", 1)]);
            run_due(&place, &hook, &hour(n));
        }
        assert_eq!(subjects(&hook).len(), 2, "{:?}", subjects(&hook));
        assert_eq!(subjects(&hook)[1], "[recalls] acme: 1 new item with “lawsuit” and 1 more");
        let events = events(&place, &hook);
        let states: Vec<bool> = events.as_array().unwrap().iter().map(|event| event["message"].is_string()).collect();
        assert_eq!(states, [true, true, true]);
        // A backtest with the same rules finds the events that were sent; the baseline is not among them.
        let past = ["alerts", "backtest", "recalls", "--days", "3", "--json", "--at", &hour(28)];
        let past = place.program(&past).env("HOOK_URL", "http://127.0.0.1:9/").run();
        let past: Value = serde_json::from_str(&past.out).unwrap_or_else(|_| panic!("{past}"));
        let ids = |events: &Value| -> Vec<String> {
            let mut ids: Vec<String> = events.as_array().unwrap().iter().map(|e| e["event"].to_string()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&past["events"]), ids(&events));
        reported.push((subjects(&hook), past));
    }
    assert!(reported.iter().all(|other| *other == reported[0]), "{reported:#?}");
}

#[test]
fn a_kill_at_any_point_leaves_each_event_in_exactly_one_message() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &file("", "rule = \"items\"\ncooldown = \"0s\"\n"));
        plan_first_slots(&place, &hook);
        let points = [
            "alert/seen",
            "alerts::store_change/written",
            "alerts::store_change/committed",
            "courier/claimed",
            "courier/sent",
        ];
        for (n, point) in (25..).zip(points) {
            world.set_posts(&[post(n, n - 1, "words", 1)]);
            let killed = program(&place, &hook, &["once", "--due", "--at", &hour(n)]);
            let killed = killed.env("TOPICWATCH_TEST_FAILPOINT", &format!("kill {point}")).start().wait();
            assert_eq!(killed.code, None, "{point}: {killed}");
        }
        // The leases of claimed messages expire.
        run_due(&place, &hook, &hour(31));
        run_due(&place, &hook, &hour(32));
        let mut reported: Vec<String> = Vec::new();
        let mut messages: Vec<String> = Vec::new();
        for got in hook.received() {
            let body = got.json();
            let message = body["event"].as_str().unwrap().to_owned();
            if messages.contains(&message) {
                continue;
            }
            messages.push(message);
            reported.extend(body["data"]["events"].as_array().unwrap().iter().map(|e| e["event"].to_string()));
        }
        let seen = reported.len();
        reported.sort();
        reported.dedup();
        assert_eq!((reported.len(), seen), (5, 5), "{}: {reported:?}", place.database.name);
    }
}

#[test]
fn an_empty_reply_does_not_end_a_source_alert_while_posts_are_known() {
    for database in databases() {
        let (fails, world, hook) =
            (Arc::new(AtomicBool::new(false)), ScriptedService::new(), WebhookServer::accepting());
        let (failing, posts) = (Arc::clone(&fails), Arc::clone(&world.social));
        let server = FakeServer::respond_with(move |_| match failing.load(Ordering::SeqCst) {
            true => reply("400 Bad Request", "content-type: application/json\r\n", b"{}"),
            false => {
                let body = json!({ "results": *posts.lock().unwrap() }).to_string();
                reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
            }
        });
        let rest = file("", "rule = \"source\"\nfailures = 2\nof = 2\ncooldown = \"0s\"\n");
        let place = Place::new(database, &server.lines(), &rest);
        let look = |n: u32| {
            let ended = program(&place, &hook, &["once", "--due", "--at", &hour(n)]).run();
            assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
        };
        let three: Vec<Value> = (20..23).map(|n| post(n, n, &format!("words {n}"), 1)).collect();
        world.set_posts(&three);
        (23..26).for_each(look);
        fails.store(true, Ordering::SeqCst);
        (26..28).for_each(look);
        assert_eq!(subjects(&hook).len(), 1, "{:?}", subjects(&hook));
        // It returns nothing, although three posts of the day before are known.
        fails.store(false, Ordering::SeqCst);
        world.set_posts(&[]);
        (28..30).for_each(look);
        let name = place.database.name;
        assert_eq!(subjects(&hook).len(), 1, "{name}: {:?}", subjects(&hook));
        program(&place, &hook, &["alerts"]).run().assert_stdout(0, &["firing: acme/social"]);
        world.set_posts(&three);
        look(30);
        assert_eq!(subjects(&hook)[1..], ["[recalls] over: acme: social works again"], "{name}");
    }
}

#[test]
fn a_failing_source_and_its_recovery_are_reported() {
    for database in databases() {
        let (fails, hook) = (Arc::new(AtomicBool::new(false)), WebhookServer::accepting());
        let failing = Arc::clone(&fails);
        let server = FakeServer::respond_with(move |_| match failing.load(Ordering::SeqCst) {
            true => reply("400 Bad Request", "content-type: application/json\r\n", b"{}"),
            false => {
                let body = json!({ "results": [post(1, 20, "words", 1)] }).to_string();
                reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
            }
        });
        let rest = file("", "rule = \"source\"\nfailures = 2\nof = 3\ncooldown = \"0s\"\n");
        let place = Place::new(database, &server.lines(), &rest);
        let look = |n: u32| {
            let ended = program(&place, &hook, &["once", "--due", "--at", &hour(n)]).run();
            assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
        };
        (23..26).for_each(look);
        fails.store(true, Ordering::SeqCst);
        look(26);
        assert_eq!(subjects(&hook).len(), 0, "one failure does not fire an alert");
        look(27);
        look(28);
        assert_eq!(subjects(&hook).len(), 1, "{:?}", subjects(&hook));
        assert!(subjects(&hook)[0].starts_with("[recalls] acme: social failed in 2 of its last 3 searches: "));
        let listed = program(&place, &hook, &["alerts"]).run();
        listed.assert_stdout(0, &["firing: acme/social"]);
        fails.store(false, Ordering::SeqCst);
        look(29);
        look(30);
        assert_eq!(subjects(&hook).len(), 2, "{:?}", subjects(&hook));
        assert!(subjects(&hook)[1].contains("acme: social works again"));
        assert!(hook.received()[1].json()["text"].as_str().unwrap().contains(" over: acme: social works again"));
        // It fails again while the alert is snoozed, and works after that: no message about an end without a beginning.
        program(&place, &hook, &["alerts", "snooze", "recalls", "--for", "30d"])
            .run()
            .assert_stdout(0, &["snoozed until"]);
        fails.store(true, Ordering::SeqCst);
        (31..34).for_each(look);
        program(&place, &hook, &["alerts"]).run().assert_stdout(0, &["acme: social failed"]);
        program(&place, &hook, &["alerts", "snooze", "recalls", "--off"])
            .run()
            .assert_stdout(0, &["no longer snoozed"]);
        fails.store(false, Ordering::SeqCst);
        (34..36).for_each(look);
        assert_eq!(subjects(&hook).len(), 2, "{:?}", subjects(&hook));
        let latest = &events(&place, &hook)[0];
        assert_eq!((&latest["kind"], &latest["muted"]), (&json!("recovered"), &json!("snoozed")));
        // A firing of one rule does not continue under another rule.
        fails.store(true, Ordering::SeqCst);
        (36..38).for_each(look);
        program(&place, &hook, &["alerts"]).run().assert_stdout(0, &["firing: acme/social"]);
        place.configure(&server.lines(), &file("", "rule = \"volume\"\n"));
        look(38);
        let listed = program(&place, &hook, &["alerts"]).run().out;
        assert!(listed.contains("not firing") && !listed.contains("firing:"), "{}: {listed}", place.database.name);
    }
}

#[test]
fn a_source_alert_counts_the_last_searches_of_its_source_not_the_last_runs() {
    for database in databases() {
        let (now, hook) = (Arc::new(AtomicU32::new(0)), WebhookServer::accepting());
        let at = Arc::clone(&now);
        // A new post every two hours, about which the AI source is asked in vain.
        let server = FakeServer::respond_with(move |path| {
            if path.starts_with("/ai") {
                return reply("400 Bad Request", "content-type: application/json\r\n", b"{}");
            }
            let posts: Vec<Value> = (1..=at.load(Ordering::SeqCst) / 2).map(|n| post(n, n * 2, "words", 1)).collect();
            let body = json!({ "results": posts }).to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        let rest =
            file("", "rule = \"source\"\nfailures = 5\nof = 5\n").replace("[\"social\"]", "[\"social\", \"ai\"]");
        let place = Place::new(database, &server.lines(), &rest);
        let look = |n: u32| {
            now.store(n, Ordering::SeqCst);
            let ended = program(&place, &hook, &["once", "--due", "--at", &hour(n)]).run();
            assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
        };
        (23..40).for_each(look);
        let failed = "SELECT count(*) FROM v_search WHERE source = 'ai' AND state = 'error'";
        assert!(place.database.number(failed) > 5);
        assert_eq!(subjects(&hook).len(), 1, "{:?}", subjects(&hook));
        assert!(subjects(&hook)[0].starts_with("[recalls] acme: ai failed in 5 of its last 5 searches: "));
    }
}

#[test]
fn quiet_hours_snooze_and_acknowledgement_hold_messages_back() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let rest = file("", "rule = \"items\"\ncooldown = \"0s\"\nquiet = \"00:30-06:00\"\n");
        let place = Place::new(database, &world.lines(), &rest);
        let run = |args: &[&str]| program(&place, &hook, args).run();
        plan_first_slots(&place, &hook);
        for n in 25..28 {
            world.set_posts(&[post(n, n - 1, "words", 1)]);
            run_due(&place, &hook, &hour(n));
        }
        assert_eq!(subjects(&hook).len(), 0, "it is night");
        run(&["alerts"]).assert_stdout(0, &["pending"]);
        // Somebody acknowledges one event.
        let listed = events(&place, &hook);
        let known = listed[0]["event"].as_str().unwrap();
        run(&["alerts", "ack", "recalls", "--event", known]).assert_stdout(0, &["1 event acknowledged"]);
        run(&["alerts", "ack", "recalls", "--event", known]).assert_stderr(2, &["no such unacknowledged event"]);
        run_due(&place, &hook, &hour(30));
        assert_eq!(subjects(&hook), ["[recalls] acme: 1 new item and 1 more"]);
        run(&["alerts", "snooze", "recalls", "--for", "367d"]).assert_stderr(2, &["longer than 366 days"]);
        // A snooze counts from the real present, so it outlasts the case's dates.
        run(&["alerts", "snooze", "recalls", "--for", "30d"]).assert_stdout(0, &["snoozed until"]);
        world.set_posts(&[post(31, 30, "words", 1)]);
        run_due(&place, &hook, &hour(31));
        run(&["alerts", "snooze", "recalls", "--off"]).assert_stdout(0, &["no longer snoozed"]);
        run_due(&place, &hook, &hour(32));
        assert_eq!(subjects(&hook).len(), 1, "a snoozed event is never sent");
        assert_eq!(events(&place, &hook)[0]["muted"], "snoozed");
    }
}

#[test]
fn consecutive_missed_slots_are_reported_in_one_message() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &file("", "rule = \"missed\"\n"));
        run_due(&place, &hook, &hour(24));
        run_due(&place, &hook, &hour(25));
        run_due(&place, &hook, &hour(29));
        let expected = "[recalls] acme: 3 slots missed, from 2026-03-12T02:00:00Z to 2026-03-12T04:00:00Z";
        assert_eq!(subjects(&hook), [expected]);
    }
}

#[test]
fn short_outages_are_not_added_up_and_a_long_one_is_one_event() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &file("", "rule = \"missed\"\nmin = 5\ncooldown = \"0s\"\n"));
        for n in [24, 25, 29, 33, 184] {
            run_due(&place, &hook, &hour(n));
        }
        let expected = "acme: 150 slots missed, from 2026-03-12T10:00:00Z to 2026-03-18T15:00:00Z";
        assert_eq!(subjects(&hook), [format!("[recalls] {expected}")], "{}", place.database.name);
        let past = ["alerts", "backtest", "recalls", "--days", "10", "--json", "--at", &hour(184)];
        let past = program(&place, &hook, &past).run();
        let past: Value = serde_json::from_str(&past.out).unwrap_or_else(|_| panic!("{past}"));
        let summaries: Vec<&Value> = past["events"].as_array().unwrap().iter().map(|one| &one["summary"]).collect();
        assert_eq!(summaries, [expected], "{}", place.database.name);
    }
}

#[test]
fn slots_missed_one_at_a_time_are_one_outage() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let late = "[[topics]]\nid = \"late\"\nquery = \"late\"\nsources = [\"social\"]\nschedule = \"0 0 * * *\"\ncatch_up = \"none\"\n";
        let alert = "rule = \"missed\"\ntopics = [\"late\"]\nmin = 3\ncooldown = \"0s\"\n";
        let place = Place::new(database, &world.lines(), &file(&format!("\n{late}"), alert));
        let name = place.database.name;
        let json = |args: &[&str]| -> Value {
            let ended = program(&place, &hook, args).run();
            serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{name}: {ended}"))
        };
        let firing = || json(&["alerts", "--json"])["alerts"][0]["firing"].clone();
        let days = |days: std::ops::Range<u32>| {
            for day in days {
                run_due(&place, &hook, &hour(24 * day + 6));
            }
        };
        days(0..3);
        assert_eq!((subjects(&hook).len(), firing()), (0, json!([])), "{name}: two are too few");
        days(3..11);
        let reported = |from: u32| {
            format!("[recalls] late: 3 slots missed, from 2026-03-{from}T00:00:00Z to 2026-03-{}T00:00:00Z", from + 2)
        };
        assert_eq!(subjects(&hook), [reported(12)], "{name}: an outage fires once");
        assert_eq!(firing()[0]["since"], "2026-03-14T00:00:00.000Z", "{name}");
        // A run ends it, without a message; the next outage is counted from there.
        let ended = program(&place, &hook, &["once", "--at", &hour(24 * 10 + 7)]).run();
        assert_eq!(ended.code, Some(0), "{ended}");
        days(11..13);
        assert_eq!((subjects(&hook).len(), firing()), (1, json!([])), "{name}");
        days(13..16);
        assert_eq!(subjects(&hook), [reported(12), reported(22)], "{name}");
        // The backtest finds the same events, although it reads all slots at once.
        let past = json(&["alerts", "backtest", "recalls", "--days", "30", "--json", "--at", &hour(24 * 16)]);
        let ids = |events: &Value| -> Vec<Value> {
            let mut ids: Vec<Value> = events.as_array().unwrap().iter().map(|one| one["event"].clone()).collect();
            ids.sort_by_key(Value::to_string);
            ids
        };
        assert_eq!(ids(&past["events"]), ids(&events(&place, &hook)), "{name}: {past}");
    }
}

#[test]
fn a_volume_alert_fires_above_the_usual_count_of_the_hour_but_not_on_a_new_query() {
    // Services cut replies at thirty posts, so the reply may have been full.
    let full = databases().into_iter().map(|database| (database, 30, "≥"));
    for (database, new, at_least) in full.chain([(sqlite(), 29, "")]) {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let alert = "rule = \"volume\"\nwindow = \"1h\"\nmin = 5\ncooldown = \"0s\"\n";
        let place = Place::new(database, &world.lines(), &file("", alert));
        // Three posts a day at this hour for eight days, then about thirty.
        calm_days(&world, &place);
        run_due(&place, &hook, &hour(24 * 7));
        let many = |from: u32, at: u32| -> Vec<Value> {
            (0..30).map(|k| post(from + k, at, &format!("{from} post number {k} of an acme storm"), 1)).collect()
        };
        let mut storm = many(90_000, 192);
        if new < 30 {
            // A reply of another length in which no known post is missing was not full.
            storm.truncate(new);
            storm.extend((0..8).flat_map(posts_of_calm_day));
        }
        world.set_posts(&storm);
        run_once(&place, 192);
        run_due(&place, &hook, "2026-03-19T00:00:01Z");
        let subjects = subjects(&hook);
        assert_eq!(subjects.len(), 1, "{subjects:?}");
        let expected = format!(
            "[recalls] acme: {at_least}{new} new unique items in 1h ({at_least}{new} items by {at_least}3 authors); up to "
        );
        assert!(subjects[0].starts_with(&expected), "{subjects:?}");
        // Another query also finds thirty: a baseline, not a storm.
        let rest = file("", alert).replace("query = \"acme\"", "query = \"acme corp\"");
        place.configure(&world.lines(), &rest);
        world.set_posts(&many(95_000, 216));
        run_once(&place, 216);
        run_due(&place, &hook, "2026-03-20T00:00:01Z");
        assert_eq!(hook.received().len(), 1, "{:?}", events(&place, &hook));
    }
}

#[test]
fn a_negative_alert_reports_worse_tone_than_usual_and_its_end() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let alert = "rule = \"negative\"\nwindow = \"1h\"\nmin = 10\ncooldown = \"0s\"\n";
        let place = Place::new(database, &world.lines(), &file("", alert));
        let day = |day: u32, words: &str| {
            let n = 24 * day;
            let posts: Vec<Value> =
                (0..20).map(|k| post(n * 100 + k, n, &format!("{day} {k} acme: {words}"), 1)).collect();
            world.set_posts(&posts);
        };
        for n in 0..8 {
            day(n, "what a great day, I love this and I am so happy");
            run_once(&place, 24 * n);
        }
        run_due(&place, &hook, &hour(24 * 7));
        day(8, "this is terrible, I hate it, the worst and most awful thing");
        run_once(&place, 192);
        run_due(&place, &hook, "2026-03-19T00:00:01Z");
        day(9, "what a great day, I love this and I am so happy");
        run_once(&place, 216);
        run_due(&place, &hook, "2026-03-20T00:00:01Z");
        let subjects = subjects(&hook);
        assert_eq!(subjects.len(), 2, "{subjects:?} {:?}", events(&place, &hook));
        assert!(subjects[0].starts_with("[recalls] acme: 100% of 20 items in 1h sound negative ("), "{subjects:?}");
        assert!(subjects[1].starts_with("[recalls] over: acme: 0% of 20 items in 1h sound negative ("), "{subjects:?}");
    }
}

#[test]
fn a_storm_of_unrelated_posts_is_recorded_but_not_sent() {
    let good = "I love this and I am so happy";
    let bad = "this is terrible, I hate it, the worst and most awful thing";
    // The name in usual posts, the name in the storm's posts, and the number of messages.
    let vague = "somebody";
    let world = ScriptedService::new();
    let day = |day: u32, many: u32, name: &str, words: &str| {
        let n = 24 * day;
        let one = |k: u32| post(n * 100 + k, n, &format!("{name} {day} {k} says {words}"), 1);
        world.set_posts(&(0..many).map(one).collect::<Vec<_>>());
    };
    let two = "rule = \"volume\"\nwindow = \"1h\"\nmin = 5\ncooldown = \"0s\"\n\n[[alerts]]\nname = \"tone\"\n\
               channels = [\"hook\"]\nrule = \"negative\"\nwindow = \"1h\"\nmin = 10\ncooldown = \"0s\"\n";
    // Eight usual days with each name.
    let usual_days = ["acme", vague].map(|usual| {
        let (place, hook) = (Place::new(sqlite(), &world.lines(), &file("", two)), WebhookServer::accepting());
        for n in 0..8 {
            day(n, 20, usual, good);
            run_once(&place, 24 * n);
        }
        run_due(&place, &hook, &hour(24 * 7));
        assert_eq!(subjects(&hook), [""; 0]);
        (usual, place)
    });
    for (usual, storm, reported) in [("acme", vague, 0), ("acme", "acme", 1), (vague, vague, 1)] {
        let (_, before) = usual_days.iter().find(|(name, _)| *name == usual).unwrap();
        for database in databases() {
            let (place, hook) = (before.copy_to(database), WebhookServer::accepting());
            day(8, 90, storm, bad);
            run_once(&place, 192);
            run_due(&place, &hook, "2026-03-19T00:00:01Z");
            let of = |alert: &str| subjects(&hook).iter().filter(|one| one.starts_with(&format!("[{alert}]"))).count();
            assert_eq!((of("recalls"), of("tone")), (reported, reported), "{usual} {storm}: {:?}", subjects(&hook));
            let all = program(&place, &hook, &["alerts", "--json", "--limit", "100"]).run();
            let all: Value = serde_json::from_str(&all.out).unwrap();
            let events = &all["events"];
            let held: Vec<&Value> = events.as_array().unwrap().iter().filter(|one| !one["muted"].is_null()).collect();
            assert_eq!(held.len(), 2 * (1 - reported), "{usual} {storm}: {events}");
            for one in held {
                assert_eq!(one["muted"], "unrelated posts");
                let summary = "acme: 90 of 90 posts in 1h contain no word of the query: not judged";
                assert_eq!((&one["subject"], &one["summary"]), (&json!("acme/unrelated"), &json!(summary)));
            }
            // It is listed, but not as an alarm.
            let list = |alert: usize, list: &str| all["alerts"][alert][list].as_array().unwrap().len();
            let lists = [0, 1].map(|alert| (list(alert, "firing"), list(alert, "held_back")));
            assert_eq!(lists, [(reported, 1 - reported); 2], "{usual} {storm}: {all}");
            let text = program(&place, &hook, &["alerts"]).run();
            assert_eq!(text.out.contains("held back: acme/unrelated"), reported == 0, "{usual} {storm}: {text}");
            // Posts about the topic end the alert without a message.
            day(9, 20, usual, good);
            run_once(&place, 216);
            run_due(&place, &hook, "2026-03-20T00:00:01Z");
            assert_eq!(subjects(&hook).len(), 4 * reported, "{usual} {storm}: {:?}", subjects(&hook));
            let listed = program(&place, &hook, &["alerts", "--json"]).run();
            let listed: Value = serde_json::from_str(&listed.out).unwrap();
            let firing = listed["alerts"].as_array().unwrap().iter().all(|one| one["firing"] == json!([]));
            assert!(firing, "{listed}");
        }
    }
}

#[test]
fn a_budget_that_is_nearly_used_is_reported_once_a_day() {
    // The service has no limit: an alert on its budget would report nothing.
    let both =
        ["topics = [\"acme\"]", "tags = [\"dear\"]"].map(|named| databases().into_iter().map(move |one| (one, named)));
    for (database, named) in both.into_iter().flatten() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let rest = file(
            "max_calls_per_day = 10\ntags = [\"dear\"]\n\n[[topics]]\nid = \"other\"\nquery = \"other\"\nsources = [\"web\"]\nmax_calls_per_day = 1\nevery = \"24h\"\n",
            &format!("rule = \"budget\"\n{named}\npercent = 20\ncooldown = \"0s\"\n"),
        );
        let place = Place::new(database, &world.lines(), &rest);
        // A first evaluation, then a day in which the second call uses a fifth of the limit.
        for n in 23..29 {
            run_due(&place, &hook, &hour(n));
        }
        let reported = |day: &str| format!("[recalls] acme: 2 of 10 calls used on the UTC day {day} (20%)");
        assert_eq!(subjects(&hook), [reported("2026-03-12")], "{named}: {:?}", events(&place, &hook));
        assert_eq!(events(&place, &hook)[0]["event"], "alert:recalls/2026-03-12/acme/2026-03-12/fired");
        // It fires until the UTC day is over, even without a later check.
        for (at, firing) in [("2026-03-12T23:59:00Z", true), ("2026-03-13T00:00:00Z", false)] {
            let said = program(&place, &hook, &["alerts", "--at", at]).run();
            assert_eq!((said.code, said.out.contains("firing: acme/2026-03-12")), (Some(0), firing), "{at}: {said}");
        }
        for n in 48..51 {
            run_due(&place, &hook, &hour(n));
        }
        assert_eq!(
            subjects(&hook),
            [reported("2026-03-12"), reported("2026-03-13")],
            "another day is another event, and the end of an event is not reported"
        );
    }
}

#[test]
fn a_budget_too_small_for_another_call_is_reported_as_used_up() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let rule = "rule = \"budget\"\npercent = 100\ncooldown = \"0s\"\n";
        let of_service = format!("[[alerts]]\nname = \"all\"\nchannels = [\"hook\"]\n{rule}");
        let budget = "budget_per_day = \"0.0076\"\n";
        let service = format!("{}prices.social = 0.003\n{budget}", world.lines());
        let place =
            Place::new(database, &service, &file(budget, &format!("{rule}topics = [\"acme\"]\n\n{of_service}")));
        // A first evaluation, then a day in which the third call would exceed the limit.
        for n in 23..26 {
            run_due(&place, &hook, &hour(n));
        }
        let used = "$0.006 (assumed) of $0.0076 used on the UTC day 2026-03-12 (78%); no paid call fits into the rest: \
                    the cheapest may cost $0.003";
        let reported = [format!("[all] service: {used}"), format!("[recalls] acme: {used}")];
        let mut subjects = subjects(&hook);
        subjects.sort_unstable();
        assert_eq!(subjects, reported, "{}", place.database.name);
    }
}

#[test]
fn budget_used_shortly_before_midnight_is_reported_after_midnight() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let alert = "rule = \"budget\"\ntopics = [\"acme\"]\npercent = 20\ncooldown = \"0s\"\n";
        let place = Place::new(database, &world.lines(), &file("max_calls_per_day = 10\n", alert));
        let name = place.database.name;
        run_due(&place, &hook, "2026-03-11T23:00:00Z");
        for at in ["2026-03-11T23:58:00Z", "2026-03-11T23:59:00Z"] {
            let ended = program(&place, &hook, &["once", "--at", at]).run();
            assert_eq!(ended.code, Some(0), "{ended}");
        }
        run_due(&place, &hook, "2026-03-12T00:00:10Z");
        let reported = "[recalls] acme: 2 of 10 calls used on the UTC day 2026-03-11 (20%)";
        assert_eq!(subjects(&hook), [reported], "{name}");
        let all = events(&place, &hook);
        assert_eq!(all[0]["event"], "alert:recalls/2026-03-11/acme/2026-03-11/fired", "{name}: {all}");
        // That day is over and was checked after its end. It is not checked again.
        run_due(&place, &hook, "2026-03-12T00:00:20Z");
        assert_eq!(subjects(&hook).len(), 1, "{name}: {:?}", subjects(&hook));
        assert_eq!(place.database.number("SELECT count(*) FROM alert_firing"), 0, "{name}");
    }
}

#[test]
fn forgotten_authors_leave_alert_events_and_renamed_topics_keep_theirs() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let place = Place::new(database, &world.lines(), &file("", "rule = \"items\"\n"));
        plan_first_slots(&place, &hook);
        world.set_posts(&[post(1, 24, "words of hers", 1), post(2, 24, "words of theirs", 1)]);
        run_due(&place, &hook, &hour(25));
        assert!(events(&place, &hook).to_string().contains("words of hers"));
        let forgotten = program(&place, &hook, &["forget", "--author", "author1", "--yes"]).run();
        assert_eq!(forgotten.code, Some(0), "{forgotten}");
        let left = events(&place, &hook);
        assert!(!left.to_string().contains("author1") && !left.to_string().contains("hers"), "{left}");
        let renamed = program(&place, &hook, &["topic", "rename", "acme", "acme-inc"]).run();
        assert_eq!(renamed.code, Some(0), "{renamed}");
        assert_eq!(place.database.texts("SELECT DISTINCT subject FROM alert_event"), ["acme-inc"]);
    }
}

#[test]
fn a_test_message_arrives_or_says_why_not() {
    let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
    let place = Place::new(sqlite(), &world.lines(), &file("", "rule = \"items\"\n"));
    program(&place, &hook, &["alerts", "test", "recalls"]).run().assert_stdout(0, &["hook: delivered"]);
    assert!(subjects(&hook)[0].contains("Test message: an alert about 3 new items looks like this."));
    program(&place, &hook, &["alerts", "test", "recals"]).run().assert_stderr(2, &["did you mean `recalls`?"]);
    let nobody = place.program(&["alerts", "test", "recalls"]).env("HOOK_URL", "http://127.0.0.1:1/").run();
    nobody.assert_stdout(3, &["hook: not delivered"]);
}

/// Slack and ntfy messages, parsed as their servers would.
#[test]
fn slack_and_ntfy_messages_follow_their_formats() {
    let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
    let rest =
        file("", "rule = \"items\"\n").replace("channels = [\"hook\"]", "channels = [\"chat\", \"team\", \"phone\"]");
    let rest = rest.replace(
        HOOK,
        "[[channels]]\nname = \"chat\"\nkind = \"slack\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n\n\
         [[channels]]\nname = \"team\"\nkind = \"mattermost\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n\n\
         [[channels]]\nname = \"phone\"\nkind = \"ntfy\"\nurl_env = \"NTFY_URL\"\ntoken_env = \"NTFY_TOKEN\"\nallow_private = true\n",
    );
    let place = Place::new(sqlite(), &world.lines(), &rest);
    let at = |n: u32| {
        let program = program(&place, &hook, &["once", "--due", "--at", &hour(n)]);
        assert_eq!(
            program.env("NTFY_URL", &hook.url().replace('?', "/?")).env("NTFY_TOKEN", "tk_s3cret").run().code,
            Some(0)
        );
    };
    at(23);
    at(24);
    world.set_posts(&[post(1, 24, "a <!channel> recall & more, *not* [it](https://evil.example/_a_) @all", 1)]);
    at(25);
    let got = hook.received();
    assert_eq!(got.len(), 3);
    let slack = got.iter().find(|got| got.json()["unfurl_links"] == false).unwrap();
    let text = slack.json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("a &lt;!channel&gt; recall &amp; more") && !text.contains('<'), "{text}");
    assert_eq!(slack.json()["mrkdwn"], false, "stars are stars");
    // Mattermost interprets Markdown and mentions in every text.
    let team = got.iter().find(|got| got.json().as_object().unwrap().len() == 1).unwrap();
    let text = team.json()["text"].as_str().unwrap().to_owned();
    let safe = "a &lt;\\!channel&gt; recall &amp; more, \\*not\\* \\[it\\]\\(https://evil.example/_a_) @\u{2060}all";
    assert!(text.contains(safe), "{text}");
    assert!(slack.header("X-Topicwatch-Event").is_none() && slack.header("authorization").is_none());
    let ntfy = got.iter().find(|got| got.json()["topic"] == "T0KEN-in-the-path").unwrap();
    assert_eq!(ntfy.header("authorization"), Some("Bearer tk_s3cret"));
    assert_eq!(ntfy.json()["title"], "[recalls] acme: 1 new item");
}

#[test]
fn alerts_are_evaluated_after_each_run_and_sent_once_by_several_processes() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let rest = file("", "rule = \"items\"\ncooldown = \"0s\"\n").replace("every = \"1h\"", "every = \"300d\"");
        let place = Place::new(database, &world.lines(), &rest);
        let undated = |id: &str| json!({ "id": id, "text": format!("words of {id}"), "user": "a" });
        let mut daemon = program(&place, &hook, &["run"]).start();
        daemon.wait_until("its plan", |said| said.contains("next slot"));
        world.set_posts(&[undated("1")]);
        place
            .program(&["topic", "run", "acme", "--wait"])
            .env("HOOK_URL", &hook.url())
            .run()
            .assert_stdout(0, &["1 of 1 run ok"]);
        world.set_posts(&[undated("2")]);
        place
            .program(&["topic", "run", "acme", "--wait"])
            .env("HOOK_URL", &hook.url())
            .run()
            .assert_stdout(0, &["1 of 1 run ok"]);
        // Other processes evaluate and deliver at the same time as the daemon; each event is sent once.
        let beside: Vec<_> = (0..3).map(|_| program(&place, &hook, &["once", "--due"]).start()).collect();
        wait_until("the message", || !hook.received().is_empty());
        for one in beside {
            let ended = one.wait();
            assert!(matches!(ended.code, Some(0 | 4)), "{ended}");
        }
        daemon.signal("TERM");
        assert_eq!(daemon.wait().code, Some(0));
        run_due(&place, &hook, "2099-01-01T00:00:00Z");
        let output: Vec<String> = hook
            .received()
            .iter()
            .filter(|got| got.json()["event"].as_str().unwrap().contains("/acme/fired/"))
            .map(|got| got.json()["subject"].to_string())
            .collect();
        assert_eq!(output, ["\"[recalls] acme: 1 new item\""], "{}", place.database.name);
    }
}

#[test]
fn invalid_alerts_are_refused_with_their_place() {
    let world = ScriptedService::new();
    for (lines, expected) in [
        ("", "this alert has no `rule`"),
        ("rule = \"item\"", "did you mean `items`?"),
        ("rule = \"budget\"\nsources = [\"web\"]", "`sources` does not apply to rule = \"budget\""),
        ("rule = \"missed\"\nsources = [\"web\"]", "it applies to items, volume, negative, source"),
        ("rule = \"items\"\npercent = 5", "`percent` does not apply to rule = \"items\""),
        ("rule = \"items\"\nwords = [\"/(/\"]", "`words` contains an entry that"),
        ("rule = \"source\"\nfailures = 9", "`failures` is more than `of` = 5"),
        ("rule = \"items\"\nquiet = \"22-7\"", "write two times of a day"),
        ("rule = \"items\"\nquiet = \"22:00-22:00\"", "starts and ends at the same time"),
        ("rule = \"items\"\ntimezone = \"Berlin\"", "Europe/Berlin"),
        ("rule = \"items\"\ntopics = [\"acne\"]", "did you mean `acme`?"),
        ("rule = \"volume\"\nwindow = \"30d\"", "write a duration from 10m to 7d"),
    ] {
        let place = Place::new(sqlite(), &world.lines(), &file("", lines));
        place.program(&["check"]).env("HOOK_URL", "http://127.0.0.1:9/").run().assert_stderr(2, &[expected]);
    }
}
