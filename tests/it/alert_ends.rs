//! How alerts stop firing, through the binary on both databases: an acknowledgement counts for one firing; subjects
//! that are no longer watched, or that have too little data to judge, end without a message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::receivers::WebhookServer;
use crate::support::service::{FakeServer, reply};
use crate::support::world::{ScriptedService, hour, post, run_once};

fn file(hook: &WebhookServer, topic: &str, alert: &str) -> String {
    format!(
        "[[topics]]\nquery = \"acme\"\nevery = \"1h\"\n{topic}\n\n[[alerts]]\nname = \"ill\"\nchannels = [\"hook\"]\ncooldown = \"0s\"\n{alert}\n\n\
         [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"{}\"\nallow_private = true\n",
        hook.url()
    )
}

const SOURCE: &str = "rule = \"source\"\nfailures = 2\nof = 3";

/// A service that fails on demand for some of its addresses.
fn service_with_failing_part(part: &'static str) -> (FakeServer, Arc<AtomicBool>) {
    let fails = Arc::new(AtomicBool::new(false));
    let failing = Arc::clone(&fails);
    let server = FakeServer::respond_with(move |path| match failing.load(Ordering::SeqCst) && path.starts_with(part) {
        true => reply("400 Bad Request", "content-type: application/json\r\n", b"{}"),
        false => {
            let results = if path.starts_with("/web") { json!([]) } else { json!([post(1, 20, "words", 1)]) };
            let body = json!({ "results": results }).to_string();
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        }
    });
    (server, fails)
}

fn run_due(place: &Place, at: u32) {
    let ended = place.run(&["once", "--due", "--at", &hour(at)]);
    assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
}

fn firing(place: &Place) -> Value {
    place.json(&["alerts", "--json"])["alerts"][0]["firing"].clone()
}

fn subjects(hook: &WebhookServer) -> Vec<String> {
    hook.received().iter().map(|got| got.json()["subject"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_old_events_acknowledgement_does_not_touch_a_later_firing() {
    for database in databases() {
        let ((server, fails), hook) = (service_with_failing_part("/"), WebhookServer::accepting());
        let topic = "id = \"acme\"\nsources = [\"social\"]";
        let place = Place::new(database, &server.lines(), &file(&hook, topic, SOURCE));
        let name = place.database.name;
        let looks = |failing: bool, hours: std::ops::Range<u32>| {
            fails.store(failing, Ordering::SeqCst);
            hours.for_each(|at| run_due(&place, at));
        };
        looks(false, 23..26);
        looks(true, 26..28);
        looks(false, 28..30);
        looks(true, 30..32);
        let fired = || -> Vec<String> {
            let all = place.json(&["alerts", "--json", "--limit", "100"]);
            let all = all["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "fired");
            all.map(|event| event["event"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!((fired().len(), subjects(&hook).len()), (2, 3), "{name}: {:?}", subjects(&hook));
        place.run(&["alerts", "ack", "ill", "--event", &fired()[1]]).assert_stdout(0, &["1 event acknowledged"]);
        assert_eq!(firing(&place)[0]["acked"], false, "{name}");
        looks(false, 32..34);
        assert_eq!(subjects(&hook)[3..], ["[ill] over: acme: social works again"], "{name}");
        // The acknowledgement of the current firing counts.
        looks(true, 34..36);
        place.run(&["alerts", "ack", "ill", "--event", &fired()[0]]).assert_stdout(0, &["1 event acknowledged"]);
        assert_eq!(firing(&place)[0]["acked"], true, "{name}");
        let said = place.ok(&["alerts"]);
        assert!(said.contains("firing, acknowledged: acme/social; sends to hook"), "{name}: {said}");
        looks(false, 36..38);
        assert_eq!((subjects(&hook).len(), firing(&place)), (5, json!([])), "{name}: {:?}", subjects(&hook));
    }
}

#[test]
fn a_firing_alert_ends_silently_when_its_source_or_topic_is_removed() {
    for database in databases() {
        let ((server, fails), hook) = (service_with_failing_part("/web"), WebhookServer::accepting());
        let both = "id = \"acme\"\nsources = [\"social\", \"web\"]";
        let place = Place::new(database, &server.lines(), &file(&hook, both, SOURCE));
        let name = place.database.name;
        (23..26).for_each(|at| run_due(&place, at));
        fails.store(true, Ordering::SeqCst);
        (26..28).for_each(|at| run_due(&place, at));
        assert_eq!((subjects(&hook).len(), &firing(&place)[0]["subject"]), (1, &json!("acme/web")), "{name}");
        // Its topic no longer uses the source.
        place.configure(&server.lines(), &file(&hook, "id = \"acme\"\nsources = [\"social\"]", SOURCE));
        for at in 28..31 {
            run_due(&place, at);
            assert_eq!(firing(&place), json!([]), "{name}: {at}");
        }
        // It comes back, still fails, and is reported again.
        place.configure(&server.lines(), &file(&hook, both, SOURCE));
        (31..33).for_each(|at| run_due(&place, at));
        assert_eq!((subjects(&hook).len(), &firing(&place)[0]["subject"]), (2, &json!("acme/web")), "{name}");
        // The file no longer has the topic.
        place.configure(&server.lines(), &file(&hook, "id = \"other\"\nsources = [\"social\"]", SOURCE));
        run_due(&place, 33);
        assert_eq!((subjects(&hook).len(), firing(&place)), (2, json!([])), "{name}: {:?}", subjects(&hook));
        assert_eq!(place.database.number("SELECT count(*) FROM alert_firing"), 0, "{name}");
    }
}

#[test]
fn an_alert_removed_or_paused_while_firing_starts_fresh_when_it_returns() {
    let both = [false, true].map(|paused| databases().into_iter().map(move |one| (one, paused)));
    for (database, paused) in both.into_iter().flatten() {
        let ((server, fails), hook) = (service_with_failing_part("/"), WebhookServer::accepting());
        let topic = "id = \"acme\"\nsources = [\"social\"]";
        let whole = file(&hook, topic, SOURCE);
        let away = match paused {
            true => file(&hook, topic, &format!("{SOURCE}\npaused = true")),
            false => whole.replace("name = \"ill\"\nchannels = [\"hook\"]", "name = \"other\""),
        };
        let place = Place::new(database, &server.lines(), &whole);
        let name = format!("{}, paused {paused}", place.database.name);
        let looks = |failing: bool, hours: std::ops::Range<u32>| {
            fails.store(failing, Ordering::SeqCst);
            hours.for_each(|at| run_due(&place, at));
        };
        let left = || place.database.number("SELECT count(*) FROM alert_firing WHERE alert = 'ill'");
        looks(false, 23..26);
        looks(true, 26..28);
        assert_eq!((subjects(&hook).len(), left()), (1, 1), "{name}");
        place.configure(&server.lines(), &away);
        looks(true, 28..30);
        assert_eq!((subjects(&hook).len(), left()), (1, 0), "{name}");
        // It comes back, and the source still fails.
        place.configure(&server.lines(), &whole);
        looks(true, 30..32);
        assert_eq!(subjects(&hook).len(), 2, "{name}: {:?}", subjects(&hook));
        assert_eq!(firing(&place)[0]["since"], "2026-03-12T06:00:00.000Z", "{name}");
        // It comes back after the source recovered: nothing to report.
        place.configure(&server.lines(), &away);
        looks(false, 32..36);
        place.configure(&server.lines(), &whole);
        looks(false, 36..39);
        assert_eq!((subjects(&hook).len(), firing(&place)), (2, json!([])), "{name}: {:?}", subjects(&hook));
    }
}

#[test]
fn a_negative_alert_ends_when_a_whole_window_has_too_few_items() {
    for database in databases() {
        let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
        let alert = "rule = \"negative\"\nwindow = \"1h\"\nmin = 10";
        let topic = "id = \"acme\"\nsources = [\"social\"]";
        let place = Place::new(database, &world.lines(), &file(&hook, topic, alert));
        let (good, bad) = (
            "what a great day, I love this and I am so happy",
            "this is terrible, I hate it, the worst and most awful thing",
        );
        let day = |day: u32, many: u32, words: &str| {
            let n = 24 * day;
            world.set_posts(
                &(0..many).map(|k| post(n * 100 + k, n, &format!("{day} {k} acme: {words}"), 1)).collect::<Vec<_>>(),
            );
            run_once(&place, n);
        };
        for n in 0..8 {
            day(n, 20, good);
        }
        run_due(&place, 24 * 7);
        for (n, many, words, fires) in [(8, 20, bad, 1), (9, 5, good, 0), (10, 20, bad, 1)] {
            day(n, many, words);
            place.ok(&["once", "--due", "--at", &hour(24 * n).replace(":00Z", ":01Z")]);
            let now = firing(&place);
            assert_eq!(now.as_array().unwrap().len(), fires, "{}: day {n}: {now}", place.database.name);
        }
        let reported = subjects(&hook);
        let fired =
            reported.iter().filter(|one| one.starts_with("[ill] acme: 100% of 20 items in 1h sound negative")).count();
        assert_eq!((fired, reported.len()), (2, 2), "{}: {reported:?}", place.database.name);
    }
}
