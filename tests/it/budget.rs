//! Budgets through the binary on both databases: what is refused, by which budget and until when, how it is reported,
//! and that an unknown cost never counts as zero.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::daemons::is_calling;
use crate::support::databases::{Database, databases, sqlite};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::service::{FakeServer, Sandbox, Then, broken, bytes, reply};
use crate::support::stored::COST;
use crate::support::web_client::Pages;

fn topic(id: &str, lines: &str) -> String {
    format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [\"web\"]\nevery = \"1h\"\n{lines}\n\n")
}

/// A service that reports no cost, or the cost in this header, and counts its calls.
fn service(header: &'static str) -> (FakeServer, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let raw = FakeServer::respond_with(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        let headers = format!("content-type: application/json\r\nx-topicwatch-sandbox: 1\r\n{header}");
        reply("200 OK", &headers, br#"{"data": [{"title": "t", "link": "https://example.com/1", "snippet": "s"}]}"#)
    });
    (raw, calls)
}

#[test]
fn three_processes_make_exactly_the_calls_that_the_budget_pays_for() {
    for database in databases() {
        let (raw, calls) = service("");
        let service = format!("{}prices.web = 0.01\nbudget_per_day = 0.179\nmax_concurrent = 4", raw.lines());
        let ids: Vec<String> = (0..30).map(|n| format!("t{n:02}")).collect();
        let place = Place::new(database, &service, &ids.iter().map(|id| topic(id, "")).collect::<String>());
        place.ok(&["db", "migrate"]);
        let processes: Vec<_> = ids
            .chunks(10)
            .map(|ids| {
                let mut args = vec!["once", "--at", NINE, "--json"];
                ids.iter().for_each(|id| args.extend(["--topic", id]));
                place.program(&args).start()
            })
            .collect();
        for process in processes {
            let ended = process.wait();
            assert_eq!(ended.code.map(|code| code == 0 || code == 3), Some(true), "{ended}");
        }
        let name = place.database.name;
        assert_eq!(calls.load(Ordering::SeqCst), 17, "{name}");
        let number = |sql: &str| place.database.number(sql);
        assert_eq!(
            number(
                "SELECT count(*) FROM v_search WHERE state = 'over_quota' AND clears_at = '2026-03-12T00:00:00.000Z'"
            ),
            13,
            "{name}"
        );
        assert_eq!(
            number("SELECT count(*) FROM v_run WHERE state = 'over_quota' AND clears_at = '2026-03-12T00:00:00.000Z'"),
            13,
            "{name}"
        );
        assert_eq!(number("SELECT made * 1000000 + spent FROM calls"), 17_170_000, "{name}");
        assert_eq!(place.database.spent(), 170_000, "{name}");
    }
}

#[test]
fn an_unknown_cost_counts_at_the_configured_price() {
    for database in databases() {
        let place = Place::new(database, "", "");
        for (n, header) in [
            "",
            "x-desearch-cost-usd: free\r\n",
            "x-desearch-cost-usd: \r\n",
            "x-desearch-cost-usd: NaN\r\n",
            "x-desearch-cost-usd: -0.5\r\n",
            "x-desearch-cost-usd: inf\r\n",
            "x-desearch-cost-usd: 0,001\r\n",
            "x-desearch-cost-usd: 0.001\r\nx-desearch-currency: EUR\r\n",
        ]
        .into_iter()
        .enumerate()
        {
            let (raw, _) = service(header);
            let id = format!("t{n}");
            place.configure(&format!("{}prices.web = 0.02\nbudget_per_day = 1", raw.lines()), &topic(&id, ""));
            place.ok(&["once", "--at", NINE]);
            let output = place.json(&["runs", "--topic", &id, "--json"]);
            let search = &output["runs"][0]["searches"][0];
            assert_eq!((&search["cost_usd"], &search["cost_basis"]), (&json!(0.02), &json!("assumed")), "{header:?}");
            let spent = i64::try_from(n + 1).unwrap() * 20_000;
            assert_eq!(place.database.number("SELECT spent FROM calls"), spent, "{} {header:?}", place.database.name);
        }
    }
}

#[test]
fn a_reply_without_results_costs_the_amount_in_its_body() {
    for database in databases() {
        let place = Place::new(database, "", "");
        for (n, (status, body, cost)) in [
            ("400 Bad Request", r#"{"detail":"no","cost_usd":0.002}"#, json!([0.002, "billed"])),
            ("500 Internal Server Error", r#"{"detail":"no","usage":{"cost_usd":0.002}}"#, json!([0.002, "billed"])),
            ("400 Bad Request", r#"{"detail":"no"}"#, json!([0.0, "none"])),
            ("200 OK", r#"{"error":"no","cost_usd":0.0066}"#, json!([0.0066, "billed"])),
            ("200 OK", r#"{"error":"no"}"#, json!([0.02, "assumed"])),
            ("200 OK", r#"{"error":"no","cost_usd":0.0066,"currency":"EUR"}"#, json!([0.02, "assumed"])),
        ]
        .into_iter()
        .enumerate()
        {
            let raw =
                FakeServer::respond_with(move |_| reply(status, "content-type: application/json\r\n", body.as_bytes()));
            let id = format!("t{n}");
            place.configure(&format!("{}prices.web = 0.02\nbudget_per_day = 1", raw.lines()), &topic(&id, ""));
            place.run(&["once", "--at", NINE]);
            let search = &place.json(&["runs", "--topic", &id, "--json"])["runs"][0]["searches"][0];
            assert_eq!(json!([search["cost_usd"], search["cost_basis"]]), cost, "{status} {body}: {search}");
        }
        let counted = place.database.number("SELECT spent FROM calls");
        assert_eq!(counted, 2_000 + 2_000 + 6_600 + 20_000 + 20_000, "{}", place.database.name);
    }
}

#[test]
fn a_killed_process_is_charged_the_price_of_its_open_call() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &["delay=5m"]);
        let budget = "prices.web = 0.05\nbudget_per_day = \"0.12\"";
        let place = Place::new(database, &format!("{}{budget}", sandbox.lines()), &topic("acme", ""));
        place.ok(&["db", "migrate"]);
        let going = place.program(&["once", "--at", NINE]).start();
        wait_until("the call", || is_calling(&place));
        assert!(going.kill());
        assert_eq!(place.database.number("SELECT spent FROM calls"), 50_000, "the call is counted before it is made");

        // After the lease expired the call is lost, and one of two further calls fits.
        let (raw, calls) = service("");
        let topics = [topic("one", ""), topic("two", "")].concat();
        place.configure(&format!("{}{budget}\nmax_concurrent = 1", raw.lines()), &topics);
        let ended = place.run(&["once", "--at", "2026-03-11T10:00:00Z"]);
        ended.assert_stdout(
            3,
            &[
                "not enough service money until 2026-03-12T00:00:00Z: $0.100 (assumed) of $0.120",
                "budget_per_day",
                "midnight",
            ],
        );
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        let name = place.database.name;
        let searches = place.database.ledger_searches();
        let lost = searches.iter().filter(|search| search.state == "lost" && search.cost_basis == "assumed");
        assert_eq!(lost.map(|search| search.cost).collect::<Vec<_>>(), [Some(50_000)], "{name}");
        assert_eq!(place.database.number("SELECT spent FROM calls"), 100_000, "{name}");
    }
}

#[test]
fn every_output_names_the_used_up_budget_and_when_it_clears() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let service = format!("{}budget_per_day = 2.5\nmax_calls_per_day = 50", sandbox.lines());
        // The sandbox bills a tenth of a cent for a web search, less than the configured price.
        let lines = |limits: &str| [topic("acme", limits), topic("free", "")].concat();
        let place = Place::new(
            database,
            &format!("{service}\nprices.web = 0.01"),
            &lines("budget_per_day = 0.011\nmax_calls_per_day = 9"),
        );
        place.ok(&["once", "--at", NINE, "--topic", "acme"]);
        place.ok(&["once", "--at", NINE]);
        let ended = place.run(&["once", "--at", NINE, "--json"]);
        assert_eq!(ended.code, Some(3), "{ended}");
        let output: Value = serde_json::from_str(&ended.out).unwrap();
        let (name, clears) = (place.database.name, json!("2026-03-12T00:00:00.000Z"));
        let acme = &output["runs"][0];
        let why = json!(
            "not enough topic money until 2026-03-12T00:00:00Z: $0.002 of $0.011 used on the UTC day that ends then, a call may cost $0.010"
        );
        assert_eq!(
            (&acme["state"], &acme["reason"], &acme["clears_at"]),
            (&json!("over_quota"), &why, &clears),
            "{name}"
        );
        assert_eq!((&acme["searches"][0]["state"], &acme["searches"][0]["clears_at"]), (&json!("over_quota"), &clears));
        assert_eq!(
            (&output["runs"][1]["state"], &output["runs"][1]["clears_at"]),
            (&json!("ok"), &Value::Null),
            "{name}"
        );
        assert_eq!(sandbox.calls(), 4, "{name}: the refused call was not made");

        let runs = place.json(&["runs", "--topic", "acme", "--json"]);
        assert_eq!((&runs["runs"][0]["clears_at"], &runs["runs"][0]["searches"][0]["clears_at"]), (&clears, &clears));
        place
            .run(&["runs", "--topic", "acme", "--searches"])
            .assert_stdout(0, &["over_quota", "until 2026-03-12T00:00:00Z"]);
        let views = "SELECT (SELECT count(*) FROM v_run WHERE clears_at = '2026-03-12T00:00:00.000Z') + \
                     (SELECT count(*) FROM v_search WHERE clears_at = '2026-03-12T00:00:00.000Z')";
        assert_eq!(place.database.number(views), 2, "{name}");

        let status = place.json(&["status", "--at", NINE, "--json"]);
        let budgets = json!([
            {"budget": "service calls", "topic": null, "used": 4, "limit": 50, "left": 46},
            {"budget": "service money", "topic": null, "used": 0.004, "limit": 2.5, "left": 2.496},
            {"budget": "topic calls", "topic": "acme", "used": 2, "limit": 9, "left": 7},
            {"budget": "topic money", "topic": "acme", "used": 0.002, "limit": 0.011, "left": 0.009},
        ]);
        assert_eq!((&status["budgets"], &status["budget_clears_at"]), (&budgets, &clears), "{name}");
        let status = place.ok(&["status", "--at", NINE]);
        // The last line ends with the database and its size.
        insta::allow_duplicates! { insta::assert_snapshot!(status.rsplit_once(" · ").unwrap().0, @r"
        SANDBOX: invented findings

        topic  state       last run              new  items  next slot
        acme   over quota  2026-03-11T09:00:00Z   ≥0      5  2026-03-11T10:00:00Z
        free   ok          2026-03-11T09:00:00Z   ≥0      5  2026-03-11T10:00:00Z
        acme is over quota: not enough topic money until 2026-03-12T00:00:00Z: $0.002 of $0.011 used on the UTC day that ends then, a call may cost $0.010
        service money: $0.004 used today (UTC) of $2.500, $2.496 left
        topic calls of acme: 2 calls used today (UTC) of 9 calls, 7 calls left
        topic money of acme: $0.002 used today (UTC) of $0.011, $0.009 left

        4 of 50 calls today (UTC), $0.004 of $2.500
        ") };
        // A raised limit applies from the next call on; every budget starts again the next day.
        place.configure(&service, &lines("budget_per_day = \"0.02\""));
        place.ok(&["once", "--at", NINE, "--topic", "acme"]);
        place.configure(&service, &lines("max_calls_per_day = 1"));
        place
            .run(&["once", "--at", NINE, "--topic", "acme"])
            .assert_stdout(3, &["no topic calls left", "3 of 1", "the topic's max_calls_per_day"]);
        place.ok(&["once", "--at", "2026-03-12T00:00:00Z", "--topic", "acme"]);
    }
}

#[test]
fn a_plan_warns_of_the_budget_of_a_provider() {
    let file = |limits: &str, more: &str| {
        let section = |name: &str| format!("[providers.{name}]\nkind = \"hackernews\"\nprice.call = 0.05\n{limits}\n");
        let topic = format!("[[topics]]\nid = \"a\"\nquery = \"a\"\nevery = \"1h\"\nsources = [\"hn\"]\n{more}\n");
        Place::without_service(sqlite(), &format!("{}{}{topic}", section("hn"), section("unused")))
    };
    let shown = |place: &Place| {
        place.ok(&["plan", "--days", "2", "--at", NINE]).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (more, upper, words) in [
        ("hn.limit = 50", Value::Null, "is used up at"),
        ("hn.limit = 50\nmax_calls_per_day = 1000", Value::Null, "is used up at"),
        ("hn.limit = 2000", json!(true), "may be used up from"),
    ] {
        let place = file("budget_per_day = 0.5\n", more);
        let plan = place.json(&["plan", "--days", "2", "--at", NINE, "--json"]);
        let budgets: Vec<&Value> =
            plan["budgets"].as_array().unwrap().iter().filter(|one| one["provider"] == "hn").collect();
        let met = budgets[0];
        assert_eq!(
            (budgets.len(), &met["budget"], &met["limit"]),
            (1, &json!("provider money"), &json!(0.5)),
            "{plan:#}"
        );
        assert_eq!((&met["used_up_on"], &met["upper_bound"]), (&json!("2026-03-11"), &upper), "{plan:#}");
        // Ten calls fit: of one in each hour, or of two.
        let at = if upper.is_null() { "19:00" } else { "14:00" };
        let shown = shown(&place);
        let reported = format!(
            "! 2026-03-11: provider money of hn, $0.500 a day, {words} {at} UTC ($0.000 used today); expected use: $"
        );
        assert!(shown.contains(&reported) && !shown.contains("of unused"), "`{reported}` is not in\n{shown}");
    }
    let shown = |budget: &str| shown(&file(budget, "hn.limit = 50"));
    let reported = shown("budget_per_day = 2.5\n");
    assert!(
        reported.contains("The busiest day of provider money of hn, 2026-03-12, is expected to use $1.200 of $2.500"),
        "{reported}"
    );
    let reported = shown("budget_per_day = 0.04\n");
    assert!(
        reported.contains("provider money of hn: one call of hn may cost $0.050, more than the $0.040 of a day"),
        "{reported}"
    );
}

#[test]
fn a_plan_says_which_budget_is_used_up_and_when() {
    let plan = |place: &Place| place.json(&["plan", "--days", "3", "--at", NINE, "--json"])["budgets"].clone();
    let topics = |limits: &str| [topic("a", limits), topic("b", "")].concat();
    // From 09:00 the first day has 14 slots of two calls; the next days have 24.
    let place = Place::new(
        sqlite(),
        "base_url = \"sandbox\"\nprices.web = 0.01\nbudget_per_day = 0.4",
        &topics("max_calls_per_day = 20\nbudget_per_day = 0.24"),
    );
    let budgets = plan(&place);
    // Topic a stops after 20 calls.
    let used_up =
        json!({"limit": 0.4, "used_up_on": "2026-03-12", "wanted": 0.44, "used_up_at": "2026-03-12T19:00:00.000Z"});
    assert_eq!(budgets[0]["used_up_on"], used_up["used_up_on"], "{budgets:#}");
    assert_eq!(budgets[0]["used_up_at"], used_up["used_up_at"], "{budgets:#}");
    assert_eq!((&budgets[0]["wanted"], &budgets[0]["limit"]), (&used_up["wanted"], &used_up["limit"]), "{budgets:#}");
    assert_eq!(
        (&budgets[1]["budget"], &budgets[1]["wanted"], &budgets[1]["topic"]),
        (&json!("topic calls"), &json!(24), &json!("a"))
    );
    assert_eq!(budgets[1]["used_up_at"], json!("2026-03-12T19:00:00.000Z"), "{budgets:#}");
    assert_eq!(
        (&budgets[2]["budget"], &budgets[2]["used_up_on"]),
        (&json!("topic money"), &Value::Null),
        "20 calls are allowed"
    );
    let shown = place.ok(&["plan", "--days", "3", "--at", NINE]);
    let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "! 2026-03-12: service money, $0.400 a day, is used up at 19:00 UTC ($0.000 used today); expected use: $0.440; exceeded on",
        "! 2026-03-12: topic calls of a, 20 calls a day, is used up at 19:00 UTC",
        "The busiest day of topic money of a, 2026-03-12, is expected to use $0.200 of $0.240",
        "! these costs ignore that daily limits of the service or of a provider are used up (below)",
    ] {
        assert!(flat.contains(part), "`{part}` is not in\n{shown}");
    }
    // Calls made earlier today count.
    let sandbox = Sandbox::at(NINE, &[]);
    let service = format!("{}prices.web = 0.01\nbudget_per_day = 0.28", sandbox.lines());
    let place = Place::new(sqlite(), &service, &topics("max_calls_per_day = 24"));
    assert_eq!(plan(&place)[0]["used_up_on"], json!("2026-03-12"));
    place.ok(&["once", "--at", NINE, "--topic", "a"]);
    let budgets = plan(&place);
    assert_eq!(
        (&budgets[0]["used_up_on"], &budgets[0]["used_today"]),
        (&json!("2026-03-11"), &json!(0.001)),
        "{budgets:#}"
    );
    assert_eq!(budgets[1]["used_today"], json!(1), "{budgets:#}");
}

#[test]
fn a_limit_behind_an_earlier_limit_may_be_used_up_later() {
    // The topic may make 15 calls a day, but the service's money allows only ten.
    let file = |budget: &str| {
        let service = format!("base_url = \"sandbox\"\nprices.web = 0.01\n{budget}");
        Place::new(sqlite(), &service, &topic("a", "max_calls_per_day = 15"))
    };
    let bound = "topic calls of a, 15 calls a day, may be used up from 14:00 UTC";
    for (budget, begin, upper, words) in [
        ("budget_per_day = 0.1", "2026-03-10T23:30:00Z", json!(true), bound),
        // On the first day, 15 calls are left.
        ("budget_per_day = 0.1", "2026-03-10T08:30:00Z", json!(true), bound),
        (
            "budget_per_day = 1",
            "2026-03-10T23:30:00Z",
            Value::Null,
            "topic calls of a, 15 calls a day, is used up at 14:00 UTC",
        ),
    ] {
        let place = file(budget);
        let plan = ["plan", "--days", "1", "--at", begin];
        let of_topic = place.json(&[&plan[..], &["--json"]].concat())["budgets"][1].clone();
        assert_eq!((&of_topic["budget"], &of_topic["upper_bound"]), (&json!("topic calls"), &upper), "{of_topic:#}");
        let shown = place.ok(&plan);
        let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "`{words}` is not in\n{shown}");
    }
}

#[test]
fn a_stored_budget_applies_in_a_process_with_a_different_file() {
    let holds = |database: Database| {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic("acme", "max_calls_per_day = 1"));
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["once", "--due", "--at", "2026-03-11T10:00:00Z"]);
        place
            .run(&["once", "--due", "--at", "2026-03-11T11:00:00Z"])
            .assert_stdout(3, &["no topic calls left", "1 of 1"]);
        let state = "SELECT state FROM v_run WHERE run = 'topic:acme@2026-03-11T11:00:00Z'";
        assert_eq!(place.database.texts(state), ["over_quota"]);
        assert_eq!(sandbox.calls(), 1);
        // The page shows the hint on that day, and on a later one.
        for (at, hint) in [
            ("2026-03-11T11:00:00Z", "raise the daily limit, or wait until 2026-03-12"),
            ("2026-03-12T11:00:00Z", "calls are available again; raise the daily limit to allow more a day"),
        ] {
            let page = Pages::serve(&place, &["--at", at]).page("/runs");
            assert!(page.contains(hint), "{}: {at}: {page}", place.database.name);
        }
        place.ok(&["once", "--due", "--at", "2026-03-12T00:00:00Z"]);
    };
    databases().into_iter().for_each(holds);
}

#[test]
fn a_budget_below_the_price_of_one_call_is_reported_as_never_clearing() {
    for database in databases() {
        let (raw, calls) = service("");
        let service = format!("{}prices.web = 0.003", raw.lines());
        let place = Place::new(database, &service, &topic("acme", "budget_per_day = 0.002"));
        let name = place.database.name;
        let warned = "is less than one web call may cost ($0.003): no web call will be made";
        place
            .run(&["check"])
            .assert_stdout(0, &["`budget_per_day` = $0.002", warned, "raise it; or, if a call costs less"]);
        let once = place.run(&["once", "--due", "--at", NINE]);
        once.assert_stderr(0, &[warned]);
        let refused = "topic money: a call may cost $0.003, but the limit for a UTC day is $0.002";
        let raise = "raise the topic's budget_per_day: one call may cost more than it allows in a day";
        let once = place.run(&["once", "--at", NINE]);
        once.assert_stdout(3, &[refused, raise]);
        assert!(!once.out.contains("midnight") && !once.out.contains("used up"), "{name}: {once}");
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        let run = &place.json(&["runs", "--json"])["runs"][0];
        assert_eq!((&run["state"], &run["clears_at"]), (&json!("over_quota"), &Value::Null), "{name}: {run}");
        let page = Pages::serve(&place, &["--at", NINE]).page("/runs");
        let hint = "raise the daily limit: one call may cost more than it allows";
        assert!(page.contains(hint) && !page.contains("midnight"), "{name}: {page}");
        // A new day does not help.
        let status = ["status", "--at", "2026-03-13T09:00:00Z"];
        let left = "topic money of acme: $0.000 used today (UTC) of $0.002, $0.002 left, too little for one call of web ($0.003)";
        place.run(&status).assert_stdout(0, &["acme is over quota: ", refused, left]);
        let plan = place.ok(&["plan", "--at", NINE]).split_whitespace().collect::<Vec<_>>().join(" ");
        let reported = "topic money of acme: one call of web may cost $0.003, more than the $0.002 of a day. None is made (over_quota)";
        assert!(plan.contains(reported) && !plan.contains("is used up at"), "{name}: {plan}");
        let met = &place.json(&["plan", "--json", "--at", NINE])["budgets"][0];
        assert_eq!(met["too_dear"], json!({ "source": "web", "price_usd": 0.003 }), "{name}: {met}");

        // The same for the service's budget, with no budget on the topic. There is no warning for a call that the
        // budget covers.
        place.configure(&format!("{service}\nbudget_per_day = 0.002"), &topic("acme", ""));
        place.run(&["check"]).assert_stdout(0, &[warned]);
        place
            .run(&["once", "--at", NINE])
            .assert_stdout(3, &["service money: a call may cost", "raise [service] budget_per_day"]);
        place.configure(&service, &topic("acme", "budget_per_day = 0.003"));
        assert!(!place.ok(&["check"]).contains("may cost"), "{name}");
        place.ok(&["once", "--at", NINE]);
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }
}

/// A service that refuses the first calls with 503 and then answers, each for 0.001 dollars.
fn refusing_first(refused: usize) -> (FakeServer, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let raw = FakeServer::respond_with(move |_| {
        if counted.fetch_add(1, Ordering::SeqCst) < refused {
            return reply("503 Service Unavailable", "retry-after: 0\r\n", b"");
        }
        let headers = "content-type: application/json\r\nx-desearch-cost-usd: 0.001\r\n";
        reply("200 OK", headers, br#"{"data": [{"title": "t", "link": "https://example.com/1", "snippet": "s"}]}"#)
    });
    (raw, calls)
}

#[test]
fn a_call_answered_with_an_error_costs_nothing_even_if_its_search_fails() {
    for database in databases() {
        let place = Place::new(database, "", "");
        let name = place.database.name;
        let money = |id: &str| {
            let runs = place.json(&["runs", "--topic", id, "--json"]);
            let search = &runs["runs"][0]["searches"][0];
            (search["state"].clone(), search["cost_usd"].clone(), search["tries"].clone())
        };
        // The second try is refused by the day's calls.
        let (raw, _) = refusing_first(1);
        let lines = raw.lines().replace("max_tries = 1", "max_tries = 3");
        place.configure(&format!("{lines}max_calls_per_day = 1"), &topic("refused", ""));
        let ended = place.run(&["once", "--at", NINE]);
        assert_eq!(ended.code, Some(3), "{ended}");
        assert_eq!(money("refused"), (json!("over_quota"), json!(0.0), json!(1)), "{name}");
        // The budget is enough for one call, and the first one cost nothing.
        let (raw, calls) = refusing_first(1);
        let lines = raw.lines().replace("max_tries = 1", "max_tries = 3");
        let day = "2026-03-12T09:00:00Z";
        place.configure(&format!("{lines}prices.web = 0.001\nbudget_per_day = 0.001"), &topic("retried", ""));
        let ended = place.run(&["once", "--at", day]);
        assert_eq!((ended.code, calls.load(Ordering::SeqCst)), (Some(0), 2), "{name}: {ended}");
        assert_eq!(money("retried"), (json!("ok"), json!(0.001), json!(2)), "{name}");
        let spent = "SELECT spent FROM calls ORDER BY day DESC LIMIT 1";
        assert_eq!(place.database.number(spent), 1_000, "{name}");
        place.run(&["status", "--at", day]).assert_stdout(0, &["$0.001 of $0.001"]);
        // The budget is used up now.
        assert_eq!(place.run(&["once", "--at", "2026-03-12T10:00:00Z"]).code, Some(3), "{name}");
        assert_eq!(calls.load(Ordering::SeqCst), 2, "{name}");
        // The run's time ends while it waits for another try. On a busy machine a short time may end before the first
        // one was answered.
        for (named, expected) in [
            ("", json!(["error", 0.0, 1, "none"])),
            ("x-desearch-cost-usd: 0.0004\r\n", json!(["error", 0.0004, 1, "billed"])),
        ] {
            let headers = format!("retry-after: 60\r\n{named}");
            let raw = FakeServer::respond_with(move |_| reply("503 Service Unavailable", &headers, b""));
            let lines = raw.lines().replace("max_tries = 1", "max_tries = 20");
            let mut ended = Value::Null;
            for timeout in ["1s", "5s", "25s"] {
                let timed = topic("timed", &format!("timeout = \"{timeout}\""));
                place.configure(&format!("{lines}prices.web = 0.001"), &timed);
                assert_eq!(place.run(&["once", "--at", "2026-03-13T09:00:00Z"]).code, Some(3), "{name}");
                let (state, cost, tries) = money("timed");
                let basis = "SELECT cost_basis FROM v_search ORDER BY seq DESC LIMIT 1";
                ended = json!([state, cost, tries, place.database.texts(basis)[0]]);
                if ended == expected {
                    break;
                }
            }
            assert_eq!(ended, expected, "{name}");
        }
    }
}

#[test]
fn a_stop_during_a_retry_wait_bills_no_refused_call() {
    for database in databases() {
        let raw = FakeServer::respond_with(|_| reply("503 Service Unavailable", "retry-after: 20\r\n", b""));
        let lines = raw.lines().replace("max_tries = 1", "max_tries = 9");
        let service = format!("{lines}prices.web = 0.003\nbudget_per_day = 0.010");
        let place = Place::new(database, &service, &topic("acme", ""));
        place.ok(&["db", "migrate"]);
        let mut going = place.program(&["once", "--at", NINE]).env("RUST_LOG", "topicwatch=debug").start();
        going.wait_until("the refusal", |said| said.contains("503"));
        going.signal("INT");
        let ended = going.wait();
        let name = place.database.name;
        assert_eq!(ended.code, Some(130), "{name}: {ended}");
        let search = format!("SELECT state || ' ' || {COST} || ' ' || cost_basis || ' ' || tries FROM v_search");
        assert_eq!(place.database.texts(&search), ["lost 0 none 1"], "{name}");
        assert_eq!(place.database.number("SELECT made * 1000000 + spent FROM calls"), 1_000_000, "{name}");
    }
}

#[test]
fn timeout_and_timezone_apply_to_a_topic_without_a_schedule() {
    for database in databases() {
        let raw = FakeServer::respond_with(|_| broken(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", Then::Hang));
        let lines = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n\
                     timeout = \"1s\"\ntimezone = \"Asia/Tokyo\"\n";
        let place = Place::new(database, &raw.lines(), lines);
        let ended = place.program(&["once", "--at", NINE]).start().wait_within(std::time::Duration::from_secs(30));
        ended.assert_stdout(3, &["the run's timeout was reached", "hint: raise the topic's `timeout`"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let days: Value = serde_json::from_str(&pages.page("/api/v1/topics/acme/days")).unwrap();
        assert_eq!(days["timezone"], "Asia/Tokyo", "{}", place.database.name);
    }
}

/// A feed with one entry, and a server that closes every other connection without a reply. Counts those.
fn silent_service_and_a_feed() -> (FakeServer, Arc<AtomicUsize>) {
    const FEED: &[u8] = b"<rss version=\"2.0\"><channel><title>t</title><item><guid>1</guid><title>Acme flies</title>\
        <link>https://news.example/1</link><pubDate>Wed, 11 Mar 2026 08:00:00 GMT</pubDate></item></channel></rss>";
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let raw = FakeServer::respond_with(move |path| {
        if path == "/feed" {
            return reply("200 OK", "content-type: application/rss+xml\r\n", FEED);
        }
        counted.fetch_add(1, Ordering::SeqCst);
        bytes(b"")
    });
    (raw, calls)
}

#[test]
fn an_unanswered_call_of_a_provider_counts_at_its_expected_price() {
    // 20 entries are expected, or as many as the topic asks for, and 7,000 tokens.
    let engine = ("searxng", "price.result = 0.35", "sources = [\"one\"]\n");
    let pages = ("spec-web", "price.result = 0.14\nkey_env = \"ONE\"", "sources = [\"one\"]\none.limit = 50\n");
    let model = ("openai", "price.tokens = 1", "one.model = \"small\"\n");
    // The longest question and answer that the topic allows.
    let long =
        ("openai", "price.tokens = 0.1", "one.model = \"small\"\none.input_tokens = 68000\none.max_tokens = 2000\n");
    let cases = [engine, pages, model, long];
    for (database, (kind, price, query)) in
        cases.into_iter().flat_map(|case| databases().into_iter().map(move |database| (database, case)))
    {
        let (raw, calls) = silent_service_and_a_feed();
        let url = raw.url();
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\n\n\
             [providers.one]\nkind = \"{kind}\"\nbase_url = \"{url}\"\nmax_tries = 1\n{price}\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nbudget_per_day = 8\nnews.urls = [\"{url}/feed\"]\n{query}"
        );
        let place = Place::without_service(database, &file.replace("[\"one\"]", "[\"one\", \"news\"]"));
        let name = place.database.name;
        for at in [NINE, "2026-03-11T10:00:00Z", "2026-03-11T11:00:00Z"] {
            let ended = place.program(&["once", "--at", at]).env("ONE", "key-of-one").run();
            assert_ne!(ended.code, Some(2), "{name}: {ended}");
        }
        let searches = format!("SELECT {COST} || ' ' || cost_basis FROM v_search WHERE source = 'one' ORDER BY seq");
        assert_eq!(place.database.texts(&searches)[0], "7000000 assumed", "{name}, {kind}");
        assert_eq!(place.database.spent(), 7_000_000, "{name}, {kind}");
        assert_eq!(calls.load(Ordering::SeqCst), 1, "{name}, {kind}: a second call does not fit");
    }
}

#[test]
fn a_providers_cost_header_counts_even_if_its_reply_is_unreadable() {
    let cost = |cost: &str| format!("x-desearch-cost-usd: {cost}\r\n");
    for (status, headers, body, expected) in [
        ("200 OK", format!("{}content-type: text/html\r\n", cost("0.004")), &b"<html>"[..], "4000 billed"),
        ("422 Unprocessable Entity", cost("0.001"), b"{\"detail\": \"x\"}", "1000 billed"),
        ("200 OK", "content-type: text/html\r\n".to_owned(), b"<html>", "10000 assumed"),
    ] {
        for database in databases() {
            let headers = headers.clone();
            let raw = FakeServer::respond_with(move |_| reply(status, &headers, body));
            let file = format!(
                "[providers.two]\nkind = \"desearch\"\nbase_url = \"{}\"\nkey_env = \"TWO\"\nmax_tries = 1\nprice.call = 0.01\n\n\
                 [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"two\"]\n",
                raw.url()
            );
            let place = Place::without_service(database, &file);
            let ended = place.program(&["once", "--at", NINE]).env("TWO", "key-of-two").run();
            assert_eq!(ended.code, Some(3), "{ended}");
            let costs = place.database.texts(&format!("SELECT {COST} || ' ' || cost_basis FROM v_search"));
            assert_eq!(costs, [expected], "{}, {status}", place.database.name);
        }
    }
}
