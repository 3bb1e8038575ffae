//! Every total of money says how much of it no bill confirms, on both databases, with a budget and without: pages, the
//! API, the metrics and the tools for assistants agree with the ledger.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::exposition::ExposedMetrics;
use crate::support::mcp_client::StdioClient;
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, reply};
use crate::support::stored::COST;
use crate::support::web_client::Pages;

const FEED: &[u8] = b"<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>t</title></channel></rss>";

/// The web searches are billed at 0.002 dollars. The social ones and the feed name no cost. Each social search finds a new
/// post.
fn service() -> FakeServer {
    let posts = AtomicUsize::new(0);
    FakeServer::respond_with(move |path| {
        let post;
        let (kind, cost, body): (&str, &str, &[u8]) = if path.contains("feed") {
            ("application/rss+xml", "", FEED)
        } else if path.contains("web") {
            (
                "application/json",
                "x-desearch-cost-usd: 0.002\r\n",
                br#"{"results": [{"title": "A page", "url": "https://a.example/page"}]}"#,
            )
        } else {
            let text = format!("plain text {}, long enough to be told apart", posts.fetch_add(1, Ordering::SeqCst));
            post = json!({ "results": [{ "text": text }] }).to_string();
            ("application/json", "", post.as_bytes())
        };
        reply("200 OK", &format!("content-type: {kind}\r\n{cost}"), body)
    })
}

/// One run of a topic with these three sources.
fn run_topic(place: &Place, service: &FakeServer, with_budget: bool) {
    configure(place, service, with_budget, "");
    place.ok(&["once", "--at", NINE]);
}

fn configure(place: &Place, service: &FakeServer, with_budget: bool, more: &str) {
    let budget = if with_budget { "budget_per_day = 2.5\n" } else { "" };
    let provider = "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\nprice.call = 0.05\n";
    let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\", \"news\"]\n";
    place.configure(
        &format!("{}prices.social = 0.003\n{budget}", service.lines()),
        &format!("{provider}{budget}\n{more}{topic}news.urls = [\"{}/feed\"]\n", service.url()),
    );
}

/// The rows of an export.
fn exported(place: &Place, what: &str) -> Vec<Value> {
    let rows = place.ok(&["-q", "export", "--what", what, "--format", "jsonl"]);
    rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

fn assumed_in_ledger(place: &Place) -> [i64; 2] {
    let of = |sources: &str| {
        let sql = format!("SELECT sum({COST}) FROM v_search WHERE cost_basis = 'assumed' AND source IN ({sources})");
        place.database.number(&sql)
    };
    [of("'social', 'web'"), of("'news'")]
}

#[test]
fn every_cost_total_says_how_much_of_it_is_assumed() {
    let all =
        [true, false].into_iter().flat_map(|with_budget| databases().into_iter().map(move |one| (one, with_budget)));
    for (database, with_budget) in all {
        let name = format!("{}, with a budget: {with_budget}", database.name);
        let (service, place) = (service(), Place::new(database, "", ""));
        run_topic(&place, &service, with_budget);
        assert_eq!(assumed_in_ledger(&place), [3_000, 50_000], "{name}");

        let status = place.json(&["status", "--json", "--at", NINE]);
        assert_eq!((&status["cost_usd"], &status["assumed_usd"]), (&json!(0.005), &json!(0.003)), "{name}: {status}");
        let provider = &status["providers"][0];
        assert_eq!((&provider["cost_usd"], &provider["assumed_usd"]), (&json!(0.05), &json!(0.05)), "{name}: {status}");

        let listed = place.json(&["runs", "--json"])["runs"][0].clone();
        assert_eq!((&listed["cost_usd"], &listed["assumed_usd"]), (&json!(0.055), &json!(0.053)), "{name}: {listed}");
        place.run(&["runs"]).assert_stdout(0, &[" ~$0.055 ", "~: no bill confirms all of this cost"]);

        for what in ["runs", "daily"] {
            let row = exported(&place, what).pop().unwrap();
            assert_eq!(
                (&row["cost_usd"], &row["assumed_usd"]),
                (&json!(0.055), &json!(0.053)),
                "{name}: {what}: {row}"
            );
        }

        let pages = Pages::serve(&place, &["--at", NINE]);
        let run = place.database.last_run("acme");
        let progress = format!("/progress/{run}");
        for (path, words) in [
            ("/", " · $0.053 assumed</small>"),
            ("/runs", " · $0.055 ($0.053 assumed)"),
            ("/runs?called=2026-03-11", ": 3 calls, $0.055 ($0.053 assumed)"),
            ("/runs?called=2026-03-11&topic=acme", ": 3 calls, $0.055 ($0.053 assumed)"),
            ("/runs?called=2026-03-11&provider=service", ": 2 calls, $0.005 ($0.003 assumed)"),
            ("/runs?called=2026-03-11&provider=news", ": 1 call, $0.050 (assumed)"),
            (progress.as_str(), ", cost $0.055 ($0.053 assumed)."),
        ] {
            let page = pages.page(path);
            assert!(page.contains(words), "{name}: `{words}` is not in {path}\n{page}");
        }
        let runs = get_json(&pages, "/api/v1/runs");
        let row = &runs["data"][0];
        assert_eq!((&row["cost_usd"], &row["assumed_usd"]), (&json!(0.055), &json!(0.053)), "{name}: {runs}");
        assert_eq!(get_json(&pages, &format!("/api/v1/runs/{run}"))["data"]["assumed_usd"], json!(0.053), "{name}");

        assert_metrics(&name, &ExposedMetrics::read(&pages), with_budget);
        assert_mcp_figures(&name, &place);
    }
}

#[test]
fn the_assumed_cost_of_a_run_whose_searches_were_deleted_is_unknown() {
    for database in databases() {
        let (service, place) = (service(), Place::new(database, "", ""));
        let name = place.database.name;
        configure(&place, &service, false, "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n");
        for at in ["2026-01-05T08:00:00Z", "2026-01-05T20:00:00Z", "2026-01-06T08:00:00Z", NINE] {
            place.ok(&["once", "--at", at]);
        }
        place.ok(&["db", "prune", "--at", NINE]);
        let pruned = place.database.texts("SELECT run FROM v_run WHERE pruned_at IS NOT NULL ORDER BY seq");
        assert_eq!(pruned.len(), 2, "{name}");
        let kept = place.database.last_run("acme");
        let listed = place.json(&["runs", "--json"]);
        let of = |run: &str| listed["runs"].as_array().unwrap().iter().find(|row| row["run"] == run).cloned().unwrap();
        assert_eq!(
            (&of(&pruned[0])["assumed_usd"], &of(&kept)["assumed_usd"]),
            (&Value::Null, &json!(0.053)),
            "{name}"
        );

        let (runs, days) = (exported(&place, "runs"), exported(&place, "daily"));
        for (rows, key, of_pruned, of_kept) in
            [(&runs, "run", pruned[0].as_str(), kept.as_str()), (&days, "day", "2026-01-05", "2026-03-11")]
        {
            let of = |value: &str| rows.iter().find(|row| row[key] == value).unwrap()["assumed_usd"].clone();
            assert_eq!((of(of_pruned), of(of_kept)), (Value::Null, json!(0.053)), "{name}: {rows:?}");
        }

        let pages = Pages::serve(&place, &["--at", NINE]);
        let runs = get_json(&pages, "/api/v1/runs");
        assert_eq!(runs["data"].as_array().unwrap().len(), 4, "{name}: {runs}");
        for row in runs["data"].as_array().unwrap() {
            let is_pruned = pruned.iter().any(|run| row["run"] == **run);
            let (assumed, searches) = if is_pruned { (Value::Null, 0) } else { (json!(0.053), 3) };
            assert_eq!((&row["cost_usd"], &row["assumed_usd"]), (&json!(0.055), &assumed), "{name}: {row}");
            assert_eq!(row["searches"].as_array().unwrap().len(), searches, "{name}: {row}");
        }
        let one = get_json(&pages, &format!("/api/v1/runs/{}", pruned[0]));
        assert_eq!(one["data"]["assumed_usd"], Value::Null, "{name}: {one}");
        let document = get_json(&pages, "/api/v1/openapi.json");
        let schema = &document["components"]["schemas"]["LedgerRun"]["properties"]["assumed_usd"];
        assert_eq!(schema["type"], json!(["number", "null"]), "{name}: {schema}");

        let unknown = "$0.055 (searches deleted; what was assumed is not known)";
        let page = pages.page("/runs");
        assert_eq!(page.matches(unknown).count(), 2, "{name}: {page}");
        assert_eq!(page.matches("$0.055 ($0.053 assumed)").count(), 2, "{name}: {page}");
        for (run, words) in [(&pruned[0], unknown), (&kept, "$0.055 ($0.053 assumed)")] {
            for path in [format!("/runs?run={run}"), format!("/progress/{run}")] {
                let page = pages.page(&path);
                assert!(page.contains(words), "{name}: `{words}` is not in {path}\n{page}");
            }
        }
    }
}

#[test]
fn a_topic_budget_says_how_much_of_its_use_is_assumed() {
    for database in databases() {
        let (service, place) = (service(), Place::new(database, "", ""));
        let name = place.database.name;
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nbudget_per_day = \"0.005\"\n";
        place.configure(&format!("{}prices.social = 0.003\n", service.lines()), topic);
        place.ok(&["once", "--at", NINE]);
        let used = "topic money of acme: $0.003 (assumed) used today (UTC) of $0.005, $0.002 left";
        place.run(&["status", "--at", NINE]).assert_stdout(0, &[used]);
        let status = place.json(&["status", "--json", "--at", NINE]);
        let budgets = status["budgets"].as_array().unwrap();
        let line = budgets.iter().find(|line| line["budget"] == "topic money").unwrap();
        assert_eq!((&line["used"], &line["assumed_usd"]), (&json!(0.003), &json!(0.003)), "{name}: {status}");
        let refused = "$0.003 (assumed) of $0.005 used on the UTC day that ends then, a call may cost $0.003";
        place.run(&["once", "--at", "2026-03-11T10:00:00Z"]).assert_stdout(3, &[refused]);
    }
}

#[test]
fn a_used_up_budget_of_the_service_or_a_provider_says_how_much_of_its_use_is_assumed() {
    let provider = "[providers.news]\nkind = \"feeds\"\nallow_private = true\nmax_tries = 1\nrate_limit = \"unlimited\"\nprice.call = 0.05\nbudget_per_day = \"0.08\"\n";
    let topics = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\n\
                  [[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"social\", \"news\"]\n";
    for database in databases() {
        let (service, place) = (service(), Place::new(database, "", ""));
        let lines =
            format!("{}prices.social = 0.003\nprices.web = 0.002\nbudget_per_day = \"0.007\"\n", service.lines());
        place.configure(&lines, &format!("{provider}{topics}news.urls = [\"{}/feed\"]\n", service.url()));
        place.ok(&["once", "--at", NINE]);
        place.run(&["once", "--topic", "globex", "--at", "2026-03-11T10:00:00Z"]).assert_stdout(
            3,
            &[
                "not enough service money until 2026-03-12T00:00:00Z: $0.005 ($0.003 assumed) of $0.007 used",
                "not enough news money until 2026-03-12T00:00:00Z: $0.050 (assumed) of $0.080 used",
            ],
        );
        let used = "service money: $0.005 ($0.003 assumed) used today (UTC) of $0.007, $0.002 left";
        place.run(&["status", "--at", NINE]).assert_stdout(0, &[used]);
        let status = place.json(&["status", "--json", "--at", NINE]);
        let lines = status["budgets"].as_array().unwrap();
        let line = lines.iter().find(|line| line["budget"] == "service money").unwrap();
        assert_eq!((&line["used"], &line["assumed_usd"]), (&json!(0.005), &json!(0.003)), "{status}");
    }
}

#[test]
fn the_possible_cost_of_an_open_call_is_assumed_in_every_total_of_the_day() {
    for database in databases() {
        let (service, place) = (service(), Place::new(database, "", ""));
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nbudget_per_day = \"0.005\"\n";
        place.configure(&format!("{}prices.social = 0.003\n", service.lines()), topic);
        let killed = place.program(&["once", "--at", NINE]);
        let killed = killed.env("TOPICWATCH_TEST_FAILPOINT", "kill call/replied of=acme").run();
        assert_eq!(killed.code, None, "{killed}");
        let status = place.json(&["status", "--json", "--at", NINE]);
        let budgets = status["budgets"].as_array().unwrap();
        let line = budgets.iter().find(|line| line["budget"] == "topic money").unwrap();
        let assumed = json!(0.003);
        assert_eq!(
            [&status["cost_usd"], &status["assumed_usd"], &line["used"], &line["assumed_usd"]],
            [&assumed; 4],
            "{}: {status}",
            place.database.name
        );
    }
}

fn assert_metrics(name: &str, exposed: &ExposedMetrics, with_budget: bool) {
    let news = [("provider", "news")];
    for (metric, labels, value) in
        [("topicwatch_today_cost_dollars", &[][..], 0.005), ("topicwatch_provider_today_cost_dollars", &news, 0.05)]
    {
        // Without a budget there is no figure of the day's cost.
        assert_eq!(exposed.value(metric, labels), with_budget.then_some(value), "{name}: {metric}");
    }
    for (source, total, assumed) in [("social", 0.003, 0.003), ("web", 0.002, 0.0), ("news", 0.05, 0.05)] {
        let of = |metric: &str| exposed.value(metric, &[("source", source)]);
        assert_eq!(of("topicwatch_cost_dollars_total"), Some(total), "{name}: {source}");
        assert_eq!(of("topicwatch_cost_assumed_dollars_total"), Some(assumed), "{name}: {source}");
    }
}

fn assert_mcp_figures(name: &str, place: &Place) {
    let mut client = StdioClient::start(place.program(&["mcp", "--at", NINE]));
    let question = json!({ "days": 2, "topic": "acme" });
    let cost = client.call_tool("get_cost", &question);
    let figures = |of: &Value| json!([of["calls"], of["cost_usd"], of["assumed_usd"]]);
    let (before, today) = (&cost["days"][0], &cost["days"][1]);
    assert_eq!(figures(before), json!([0, 0.0, 0.0]), "{name}: {cost}");
    assert_eq!(figures(today), json!([3, 0.055, 0.053]), "{name}: {cost}");
    assert_eq!(figures(&today["topic"]), json!([3, 0.055, 0.053]), "{name}: {cost}");
    let providers: Vec<Value> = today["by_provider"].as_array().unwrap().iter().map(figures).collect();
    assert_eq!(providers, [json!([2, 0.005, 0.003]), json!([1, 0.05, 0.05])], "{name}: {cost}");
    assert!(cost["notes"].to_string().contains("no bill confirms"), "{name}: {cost}");
    // How much was assumed is unknown for a day whose searches were deleted.
    place.database.set_pruned_until(1_773_187_200_001);
    let cost = client.call_tool("get_cost", &question);
    let assumed =
        |day: usize| (cost["days"][day]["assumed_usd"].clone(), cost["days"][day]["topic"]["assumed_usd"].clone());
    assert_eq!(assumed(1), (Value::Null, Value::Null), "{name}: {cost}");
    assert!(cost["notes"].to_string().contains("deleted by retention"), "{name}: {cost}");
    assert_eq!(client.close().code, Some(0), "{name}");
}
