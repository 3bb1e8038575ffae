//! The days of a topic's page and of the API: `≥` where part of a day was not covered, and what was not covered once,
//! however many sources miss it, on both databases. Also what the overview says about budgets, and unknown authors.

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::mcp_client::StdioClient;
use crate::support::program::{NINE, Place};
use crate::support::replies::{ReplyServer, reply};
use crate::support::web_client::{Pages, without_links};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

#[test]
fn a_partly_covered_day_shows_a_lower_bound_and_counts_its_gap_once() {
    for database in databases() {
        let world = ScriptedService::new();
        let second = format!("[providers.second]\nkind = \"spec\"\nkey_env = \"SECOND_KEY\"\n{}\n", world.lines());
        // A late run looks back an hour at most.
        let both = topic("acme", "every = \"6h\"\ncatch_up_window = \"1h\"")
            .replace("[\"social\"]", "[\"social\", \"second\"]");
        let place = Place::new(database, &world.lines(), &(second + &both));
        let run = |at: u32| {
            let ended = place.program(&["once", "--at", &hour(at)]).env("SECOND_KEY", "k").run();
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        for at in [6, 12, 18, 24, 30] {
            world.set_posts(&[post(at, at - 2, &format!("post {at} of acme"), 1)]);
            run(at);
        }
        // Nothing ran for fifty hours; the search then looks back a day.
        world.set_posts(&[post(80, 79, "after the gap", 1)]);
        run(80);
        let pages = Pages::serve(&place, &["--at", &hour(81)]);
        let name = place.database.name;
        let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
        let day = |date: &str| days.as_array().unwrap().iter().find(|day| day["date"] == date).unwrap().clone();
        // From 30:00 (less five minutes) to the end of the second day; the third begins uncovered for eight hours.
        // The last hour of the day that is not over is no gap yet, but nothing covers it.
        let gaps = [
            ("2026-03-11", 0, false),
            ("2026-03-12", 18 * 3_600, true),
            ("2026-03-13", 8 * 3_600, true),
            ("2026-03-14", 0, true),
        ];
        for (date, gap, more) in gaps {
            let day = day(date);
            let uncovered = day["uncovered_s"].as_i64().unwrap();
            assert!((uncovered - gap).abs() <= 600, "{name}: {day:#}");
            assert_eq!((&day["saturated"], &day["at_least"]), (&json!(false), &json!(more)), "{name}: {day:#}");
            place.ok(&["report", "--topic", "acme", "--date", date, "--at", &hour(81), "--out", "day.md"]);
            let report = std::fs::read_to_string(place.path("day.md")).unwrap();
            let bound = report.contains("**≥\u{a0}");
            assert_eq!(bound, more, "{name}, {date}: {report}");
        }
        let page = without_links(&pages.page("/topics/acme"));
        let caption = " ≥: there may be more, because the topic was not watched yet, not all time was covered, or the day \
                       was not searched to its end yet.";
        assert!(page.contains(caption), "{name}: {page}");
        let row = |date: &str| page.split(&format!("<th scope=\"row\">{date}</th>")).nth(1).unwrap().to_owned();
        let begin = |of: &str| of.split("</tr>").next().unwrap().replace("\u{a0}", " ");
        assert!(
            begin(&row("2026-03-12")).starts_with("<td class=\"n\">≥ 1</td><td class=\"n\">≥ 1</td>"),
            "{name}: {page}"
        );
        assert!(begin(&row("2026-03-14")).starts_with("<td class=\"n\">≥ 1</td>"), "{name}: {page}");
        assert!(
            begin(&row("2026-03-11")).starts_with("<td class=\"n\">4</td><td class=\"n\">4</td>"),
            "{name}: {page}"
        );
        // The caption of a report's chart says the same, of its days.
        place.ok(&["report", "--topic", "acme", "--date", "2026-03-13", "--at", &hour(81), "--out", "day.html"]);
        let report = std::fs::read_to_string(place.path("day.html")).unwrap();
        let caption = "≥: there may be more, because the topic was not watched yet, or not all time was covered.";
        assert!(report.contains(caption), "{name}: {report}");
    }
}

#[test]
fn the_overview_shows_days_without_a_search_as_unknown_not_as_zero() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude = [\"rumour\"]"));
        world.set_posts(&[post(1, 4, "post of acme", 1), post(2, 5, "a rumour about acme", 1)]);
        run_once(&place, 6);
        run_once(&place, 30);
        let page = without_links(&Pages::serve(&place, &["--at", &hour(81)]).page("/"));
        let name = place.database.name;
        assert!(page.contains("2 items in 2 days, before its filter"), "{name}: {page}");
        assert!(page.contains("2026-03-10: nothing known, 2026-03-11: 2, 2026-03-12: 0, 2026-03-13: nothing known, 2026-03-14: nothing known"), "{name}: {page}");
        assert!(page.contains("marked only on the topic's page"), "{name}: {page}");
    }
}

#[test]
fn the_overview_names_each_budget_once_calls_were_made() {
    for database in databases() {
        let world = ScriptedService::new();
        let second = format!(
            "[providers.second]\nkind = \"spec\"\nkey_env = \"SECOND_KEY\"\nbudget_per_day = 1\nmax_calls_per_day = 50\n{}\n",
            world.lines()
        );
        let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"second\"]");
        let lines = format!("{}budget_per_day = 2.5\nmax_calls_per_day = 40\n", world.lines());
        let place = Place::new(database, &lines, &(second + &both));
        let ended = place.program(&["once", "--at", &hour(9)]).env("SECOND_KEY", "k").run();
        assert_eq!(ended.code, Some(0), "{ended}");
        let page = Pages::serve(&place, &["--at", &hour(9)]).page("/");
        assert!(page.contains("service 1 of 40 · second 1 of 50"), "{page}");
        assert!(page.contains("service $0.003 of $2.500 · second $0.003 of $1.000"), "{page}");
        assert!(!page.contains("no budget is set"), "{page}");
    }
}

#[test]
fn an_unknown_number_of_authors_is_null_in_get_report() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[json!({ "id": "1", "text": "by nobody that is named", "created_at": hour(8) })]);
        run_once(&place, 9);
        let mut client = StdioClient::start(place.program(&["mcp", "--at", &hour(30)]));
        let called = json!({ "name": "get_report", "arguments": { "topics": ["acme"], "date": "2026-03-11" } });
        let answer = client.request("tools/call", &called);
        let answer: Value = answer["result"]["structuredContent"].clone();
        let period = &answer["topics"][0]["period"];
        assert_eq!(
            (&period["raw"], &period["authors"], &period["no_author"]),
            (&json!(1), &Value::Null, &json!(1)),
            "{answer:#}"
        );
    }
}

#[test]
fn a_renamed_topic_shows_its_days_at_once() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        for at in [6, 12, 30] {
            world.set_posts(&[post(at, at - 2, &format!("post {at} of acme"), 1)]);
            run_once(&place, at);
        }
        let days = |id: &str| {
            let pages = Pages::serve(&place, &["--at", &hour(31)]);
            let days = get_json(&pages, &format!("/api/v1/topics/{id}/days"))["data"].clone();
            let counted = |day: &Value| (day["date"].clone(), day["items"].clone());
            days.as_array().unwrap().iter().map(counted).collect::<Vec<_>>()
        };
        let before = days("acme");
        assert!(before.iter().any(|(_, items)| items.as_i64() > Some(0)), "{before:?}");
        place.ok(&["topic", "rename", "acme", "acme-inc"]);
        place.configure(&world.lines(), &topic("acme", "").replace("id = \"acme\"", "id = \"acme-inc\""));
        assert_eq!(days("acme-inc"), before, "{}", place.database.name);
    }
}

/// Two texts by one author, one without an id, the other on a page with a post's address; copies of both by others; and
/// the post, which has the first text and the page's address.
fn a_post_that_joins_two_texts() -> Vec<Vec<u8>> {
    let crane = "the quick harbor crane fell over during a long winter storm in the northern port yesterday evening";
    let music = "new lighthouse opening celebrated with music and fireworks by thousands of happy visitors this week";
    let (id, at) = ("1541815603606036480", "2026-03-11T07:00:00Z");
    let post = |author: &str, text: &str| json!({ "text": text, "user": { "username": author }, "created_at": at });
    let with_id = |mut post: Value, id: &str| {
        post["id"] = json!(id);
        post
    };
    let page = json!({ "link": format!("https://x.com/ursula/status/{id}"), "snippet": music, "published_date": at });
    let copies =
        [with_id(post("bert", crane), "1541815603606036001"), with_id(post("carl", music), "1541815603606036002")];
    let replies = [
        json!([post("ursula", crane)]),
        json!([page]),
        json!(copies),
        json!([with_id(post("ursula", crane), id)]),
        json!([]),
    ];
    let body = |found: &Value| json!({ "results": found }).to_string();
    replies.iter().map(|found| reply(200, &[("content-type", "application/json")], &body(found))).collect()
}

#[test]
fn copies_are_recounted_in_every_topic_when_two_texts_become_one() {
    for database in databases() {
        let service = ReplyServer::start(a_post_that_joins_two_texts());
        let lines = format!("base_url = \"{}\"\nrate_limit = \"unlimited\"\nmax_tries = 1\n", service.url());
        let acme = topic("acme", "every = \"6h\"").replace("[\"social\"]", "[\"social\", \"web\"]");
        let other = acme.replace("[\"social\", \"web\"]", "[\"social\"]").replace("\"acme\"", "\"other\"");
        let place = Place::new(database, &lines, &(acme + "\n" + &other));
        let once = |topic: &str, at: &str| place.ok(&["once", "--topic", topic, "--at", at]);
        // What the pages and the API show was counted after the runs; the export counts when it is written.
        let counted = || {
            let pages = Pages::serve(&place, &["--at", &hour(10)]);
            let days = get_json(&pages, "/api/v1/topics/other/days")["data"].clone();
            let today = days.as_array().unwrap().iter().find(|day| day["date"] == "2026-03-11").unwrap().clone();
            let exported = place.ok(&["export", "--what", "daily", "--topic", "other", "--format", "jsonl"]);
            let exported: Value = serde_json::from_str(exported.trim()).unwrap();
            [today, exported].map(|day| (day["items"].as_i64().unwrap(), day["unique"].as_i64().unwrap()))
        };
        once("acme", &hour(8));
        once("other", NINE);
        assert_eq!(counted(), [(2, 2), (2, 2)], "{}", place.database.name);
        once("acme", &hour(10));
        assert_eq!(counted(), [(2, 1), (2, 1)], "{}", place.database.name);
    }
}

/// Nothing would count them again.
#[test]
fn day_counts_survive_a_prune_by_a_fast_clock() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "every = \"6h\""));
        world.set_posts(&[post(1, 8, "of acme", 1)]);
        run_once(&place, 9);
        let found = || {
            let pages = Pages::serve(&place, &["--at", &hour(10)]);
            let days = get_json(&pages, "/api/v1/topics/acme/days")["data"].clone();
            days.as_array().unwrap().iter().map(|day| day["items"].as_i64().unwrap()).sum::<i64>()
        };
        assert_eq!(found(), 1, "{}", place.database.name);
        place.ok(&["db", "prune", "--at", "2027-03-11T09:00:00Z"]);
        assert_eq!(found(), 1, "{}", place.database.name);
    }
}
