//! `plan` shows how much calls cost at most: with all the tries that the file allows. A service fails at every first
//! try, and the ledger is compared with the plan afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::databases::{databases, sqlite};
use crate::support::editor::{Form, with_edit};
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::web_client::Pages;

/// What a failed and a successful try are billed, in dollars; an empty text is free.
type Bills = (&'static str, &'static str);

/// A service that fails at every second call, beginning with the first.
fn half_failing_service((failed, answered): Bills) -> FakeServer {
    let calls = AtomicUsize::new(0);
    FakeServer::respond_with(move |_| {
        let fails = calls.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        let (status, bill) = if fails { ("503 Busy", failed) } else { ("200 OK", answered) };
        let bill = if bill.is_empty() { String::new() } else { format!("x-desearch-cost-usd: {bill}\r\n") };
        let headers = format!("content-type: application/json\r\n{bill}");
        reply(status, &headers, br#"{"data": [{"title": "t", "link": "https://example.com/1", "snippet": "s"}]}"#)
    })
}

/// Four slots a day. All that are due run, so that one process makes the runs of a day.
const TOPIC: &str =
    "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\nevery = \"6h\"\ncatch_up = \"all\"\n";

/// A call may be tried twice.
fn service_lines(server: &FakeServer) -> String {
    format!("{}prices.web = 0.002", server.lines().replace("max_tries = 1", "max_tries = 2"))
}

fn planned(place: &Place, at: &str) -> Value {
    place.json(&["plan", "--days", "1", "--at", at, "--json"])
}

/// Dollars of the horizon, in micro-dollars.
fn micros(plan: &Value, part: &str) -> i64 {
    (plan[part]["horizon_usd"].as_f64().unwrap() * 1e6).round() as i64
}

/// Runs all slots of a day and returns what they cost.
fn paid_on(place: &Place, day: u32) -> i64 {
    let before = place.database.spent();
    let ended = place.run(&["once", "--due", "--at", &format!("2026-03-{day}T23:00:00Z")]);
    assert!(matches!(ended.code, Some(0 | 3)), "{ended}");
    place.database.spent() - before
}

#[test]
fn the_planned_maximum_cost_holds_if_every_call_is_retried() {
    // Each try is billed the price in the file; or only answers are billed, and more than that. Such a bill cannot be
    // known before the first. Then any try may cost it, also one that was free.
    for (bills, days, single, billed_tries) in
        [(("0.002", "0.002"), &[11][..], 2_000, 2), (("", "0.005"), &[11, 12], 5_000, 1)]
    {
        for database in databases() {
            let server = half_failing_service(bills);
            let place = Place::new(database, &service_lines(&server), TOPIC);
            let name = format!("{}, {bills:?}", place.database.name);
            place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
            let mut last = (0, 0, 0, 0);
            for day in days {
                let plan = planned(&place, &format!("2026-03-{}T23:30:00Z", day - 1));
                assert_eq!((&plan["calls"]["web"], &plan["tries"]["web"]), (&4.into(), &8.into()), "{name}: {plan:#}");
                let highest = (plan["prices"][1]["highest_usd"].as_f64().unwrap() * 1e6).round() as i64;
                last = (micros(&plan, "without_retries"), paid_on(&place, *day), micros(&plan, "at_most"), highest);
            }
            let (once, paid, at_most, highest) = last;
            assert_eq!((highest, once, at_most), (single, 4 * single, 8 * single), "{name}");
            assert_eq!(paid, 4 * billed_tries * single, "{name}");
            let tries = "SELECT count(*) FROM v_search WHERE tries = 2 AND state = 'ok'";
            assert_eq!(place.database.number(tries), 4 * days.len() as i64, "{name}");
        }
    }
}

#[test]
fn the_planned_maximum_cost_holds_when_failed_tries_become_billed() {
    for database in databases() {
        // From the tenth call on, failures are billed, too.
        let calls = AtomicUsize::new(0);
        let server = FakeServer::respond_with(move |_| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            let status = if call.is_multiple_of(2) { "503 Busy" } else { "200 OK" };
            let bill = if call >= 10 || status == "200 OK" { "x-desearch-cost-usd: 0.005\r\n" } else { "" };
            reply(status, &format!("content-type: application/json\r\n{bill}"), br#"{"data": []}"#)
        });
        let place = Place::new(database, &service_lines(&server), TOPIC);
        place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
        place.ok(&["once", "--at", "2026-03-10T23:30:00Z"]);
        assert_eq!(paid_on(&place, 11), 20_000, "{}", place.database.name);
        let plan = planned(&place, "2026-03-11T23:30:00Z");
        let paid = paid_on(&place, 12);
        assert_eq!((paid, micros(&plan, "at_most")), (40_000, 40_000), "{}: {plan:#}", place.database.name);
    }
}

#[test]
fn the_planned_maximum_cost_holds_if_no_daily_search_is_answered() {
    for limit in ["", "max_calls_per_day = 1000\n"] {
        for database in databases() {
            let server = FakeServer::respond_with(|_| reply("503 Busy", "x-desearch-cost-usd: 0.004\r\n", b"{}"));
            let ai = TOPIC.replace("[\"web\"]", "[\"ai\"]\nai.when = \"daily\"");
            let file = format!("{}prices.ai = 0.004", server.lines());
            let place = Place::new(database, &file, &format!("{ai}{limit}"));
            let name = format!("{}, {limit}", place.database.name);
            place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
            let plan = planned(&place, "2026-03-10T23:30:00Z");
            assert_eq!((&plan["calls"]["ai"], &plan["tries"]["ai"]), (&1.into(), &4.into()), "{name}: {plan:#}");
            let paid: i64 = (0..4)
                .map(|slot| {
                    let before = place.database.spent();
                    place.run(&["once", "--due", "--at", &format!("2026-03-11T{:02}:10:00Z", 6 * slot)]);
                    place.database.spent() - before
                })
                .sum();
            assert_eq!((paid, micros(&plan, "at_most")), (16_000, 16_000), "{name}: {plan:#}");
            let shown = place.ok(&["plan", "--days", "1", "--at", "2026-03-10T23:30:00Z"]);
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            let words = "at most: if every call is made and billed and no daily AI search is answered";
            assert!(shown.contains(words) && !shown.contains("1 times"), "{name}: {shown}");
        }
    }
}

#[test]
fn the_planned_maximum_cost_holds_after_max_tries_was_lowered() {
    for database in databases() {
        // The first try fails and is free. Every later one is answered and billed.
        let calls = AtomicUsize::new(0);
        let server = FakeServer::respond_with(move |_| {
            let (status, bill) = match calls.fetch_add(1, Ordering::SeqCst) {
                0 => ("503 Busy", ""),
                _ => ("200 OK", "x-desearch-cost-usd: 0.005\r\n"),
            };
            reply(status, &format!("content-type: application/json\r\n{bill}"), br#"{"data": []}"#)
        });
        let place = Place::new(database, &service_lines(&server), TOPIC);
        let name = place.database.name;
        place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
        place.ok(&["once", "--at", "2026-03-10T23:30:00Z"]);
        assert_eq!(place.database.texts("SELECT tries || ' ' || cost_basis FROM v_search"), ["2 billed"], "{name}");
        place.configure(&format!("{}prices.web = 0.002", server.lines()), TOPIC);
        let plan = planned(&place, "2026-03-10T23:30:00Z");
        assert_eq!((&plan["calls"]["web"], &plan["tries"]["web"]), (&4.into(), &4.into()), "{name}: {plan:#}");
        assert_eq!((micros(&plan, "at_most"), paid_on(&place, 11)), (20_000, 20_000), "{name}: {plan:#}");
    }
}

#[test]
fn a_plan_counts_one_extra_try_after_a_new_login() {
    let place = Place::without_service(
        sqlite(),
        "[providers.bsky]\nkind = \"bluesky\"\nuser = \"ann.example\"\nkey_env = \"BSKY_PASSWORD\"\nmax_tries = 2\n\n\
         [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"bsky\"]\nevery = \"6h\"\n",
    );
    let plan = ["plan", "--days", "1", "--at", "2026-03-10T23:30:00Z"];
    let shown = place.program(&plan).env("BSKY_PASSWORD", "pass-0123-word").run();
    let flat = shown.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "if each call is tried 3 times (max_tries and once more after a new login) and every try is billed";
    assert!(flat.contains(words), "{shown}");
    let json = place.program(&[&plan[..], &["--json"]].concat()).env("BSKY_PASSWORD", "pass-0123-word").run();
    let json: Value = serde_json::from_str(&json.out).unwrap();
    let price = json["prices"].as_array().unwrap().iter().find(|price| price["source"] == "bsky").unwrap();
    assert_eq!((&price["max_tries"], &json["tries"]["providers"]), (&2.into(), &60.into()), "{json:#}");
}

#[test]
fn retries_stay_within_the_limits_of_a_topic() {
    for limit in ["max_calls_per_day = 5", "budget_per_day = 0.011"] {
        for database in databases() {
            let server = half_failing_service(("0.002", "0.002"));
            let place = Place::new(database, &service_lines(&server), &format!("{TOPIC}{limit}\n"));
            let name = format!("{}, {limit}", place.database.name);
            place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
            let plan = planned(&place, "2026-03-10T23:30:00Z");
            let (at_most, paid) = (micros(&plan, "at_most"), paid_on(&place, 11));
            assert_eq!(place.database.number("SELECT sum(tries) FROM v_search"), 5, "{name}");
            assert!(paid <= at_most && at_most <= 11_000, "{name}: {paid} were paid\n{plan:#}");
        }
    }
}

#[test]
fn a_plan_separates_the_expected_cost_from_the_cost_of_retries() {
    let file = "base_url = \"sandbox\"\nprices.web = 0.002";
    let place = Place::new(sqlite(), file, TOPIC);
    let shown = || place.ok(&["plan", "--days", "1", "--at", "2026-03-10T23:30:00Z"]);
    let costs = |text: &str| text.split("\n\n").find(|part| part.starts_with("calls per day")).unwrap().to_owned();
    let text = shown();
    insta::assert_snapshot!(costs(&text), @r"
    calls per day  social  web  ai  cost/day  cost/30 days
    acme                0    4   0    $0.008        $0.240
    no retries          0    4   0    $0.008        $0.240
    at most             0   16   0    $0.032        $0.960
    ~ expected: $0.008 a day, $0.240 in 30 days, at the prices below
    at most: if each call is tried 4 times (max_tries) and every try is billed
    ");
    assert!(text.contains("\nDays are counted without retries; each try counts against these limits.\n"), "{text}");
    place.configure(&format!("{file}\nmax_tries = 1"), TOPIC);
    let text = shown();
    insta::assert_snapshot!(costs(&text), @r"
    calls per day  social  web  ai  cost/day  cost/30 days
    acme                0    4   0    $0.008        $0.240
    at most             0    4   0    $0.008        $0.240
    ");
    assert!(!text.contains("retries") && !text.contains("max_tries"), "{text}");
}

#[test]
fn the_preview_of_a_topic_shows_the_cost_of_retries() {
    let daily = TOPIC.replace("[\"web\"]", "[\"ai\"]\nai.when = \"daily\"");
    for (topic, words) in [
        (TOPIC, "$0.240<span class=\"sub\">at most $0.960 with all retries</span>"),
        (daily.as_str(), " with all retries and no daily answer</span>"),
    ] {
        let place = Place::new(sqlite(), "base_url = \"sandbox\"\nprices.web = 0.002", &with_edit(topic));
        place.ok(&["once", "--due", "--at", "2026-03-10T23:30:00Z"]);
        let pages = Pages::serve(&place, &["--at", "2026-03-10T23:30:00Z"]);
        let preview = Form::fetch(&pages, "/jobs/topics/acme").submit(&pages, "preview");
        assert!(preview.body.contains(words), "{words}: {}", preview.text);
    }
}
