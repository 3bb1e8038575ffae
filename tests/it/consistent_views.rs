//! Lists, pages, exports and charts agree with the rows: near-copies of filtered items, days after an edit, new items
//! after a new provider, languages, citations, and alerts without channels. Through the binary on both databases.

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::mcp_client::StdioClient;
use crate::support::program::Place;
use crate::support::service::{FakeServer, reply};
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

const COPIED: &str = "huge sale at the acme shop today only, get fifty percent off everything in store now";

fn post_by(author: &str, id: u32, published: u32, text: &str) -> Value {
    let mut post = post(id, published, text, 0);
    post["user"] = json!(author);
    post
}

fn listed_items(pages: &Pages, query: &str) -> Vec<String> {
    let list = get_json(pages, &format!("/api/v1/topics/acme/items{query}"));
    let row = |row: &Value| format!("{} {}", row["author"].as_str().unwrap(), row["copies"]["count"]);
    list["data"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn lists_show_one_matching_item_of_each_cluster() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude_authors = [\"ann\"]"));
        let name = place.database.name;
        world.set_posts(&[post_by("ann", 1, 1, COPIED)]);
        run_once(&place, 2);
        world.set_posts(&[post_by("cid", 4, 26, "nothing like the others at all, and of another day")]);
        run_once(&place, 26);
        world.set_posts(&[post_by("bob", 2, 50, COPIED), post_by("dan", 3, 50, COPIED)]);
        run_once(&place, 51);
        let pages = Pages::serve(&place, &["--at", &hour(52)]);
        // Ann's post is the first of its cluster and filtered: the next one represents it.
        assert_eq!(listed_items(&pages, ""), ["cid 0", "bob 1"], "{name}");
        assert_eq!(listed_items(&pages, "?filtered=keep"), ["cid 0", "ann 2"], "{name}");
        // Ann's post does not match these.
        assert_eq!(listed_items(&pages, "?filtered=keep&since=2026-03-12T20:00:00Z"), ["bob 1"], "{name}");
        assert_eq!(listed_items(&pages, "?filtered=keep&author=dan"), ["dan 0"], "{name}");
        assert_eq!(listed_items(&pages, "?filtered=keep&author=dan&author=bob&search=sale"), ["bob 1"], "{name}");
        let mut pair = listed_items(&pages, "?copies=all");
        pair.sort();
        assert_eq!(pair, ["bob 0", "cid 0", "dan 0"], "{name}");
        // An item lists all others of its cluster, including the first.
        for (key, others) in [("1", ["2", "3"]), ("2", ["1", "3"]), ("3", ["1", "2"])] {
            let item = get_json(&pages, &format!("/api/v1/items?key=post:x:{key}"))["data"].clone();
            let keys: Vec<&str> =
                item["copies"]["data"].as_array().unwrap().iter().map(|copy| copy["key"].as_str().unwrap()).collect();
            assert_eq!(keys, others.map(|other| format!("post:x:{other}")), "{name}: {item}");
            assert_eq!(item["copies"]["count"], 2, "{name}: {item}");
        }
        assert!(pages.page("/item?key=post:x:2").contains("2 other items say nearly the same"), "{name}");
        let within = pages.page("/item?key=post:x:2&copies=all&within=acme");
        assert!(within.contains("2 other items of acme say nearly the same"), "{name}: {within}");
        let page = pages.page("/topics/acme");
        assert!(page.contains("@bob") && !page.contains("@ann"), "{name}");
        let mut mcp = StdioClient::start(place.program(&["mcp", "--at", &hour(52)]));
        let reported = mcp.call_tool("search_items", &json!({ "topic": "acme", "author": "dan" }));
        mcp.close();
        assert_eq!(reported["items"].as_array().unwrap().len(), 1, "{name}: {reported}");
        // A day without a run is marked as such, instead of showing zero new items.
        let mut mcp = StdioClient::start(place.program(&["mcp", "--at", &hour(80)]));
        let reported = mcp.call_tool("list_topics", &json!({}));
        mcp.close();
        assert!(reported["notes"].to_string().contains("acme: no run in 24 hours"), "{name}: {reported}");
        let late = Pages::serve(&place, &["--at", &hour(80)]);
        for path in ["/", "/topics/acme"] {
            assert!(late.page(path).contains("no run in 24 hours"), "{name}: {path}");
            assert!(!pages.page(path).contains("no run in 24 hours"), "{name}: {path}");
        }
        assert!(pages.page("/runs?topic=acme").contains("<option value=\"acme\" selected>acme"), "{name}");
    }
}

#[test]
fn near_copies_hidden_by_the_filter_are_not_counted_or_shown_under_an_item() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", "exclude_authors = [\"ann\", \"dan\"]"));
        let name = place.database.name;
        for (author, id) in [("ann", 1), ("bob", 2), ("dan", 3), ("eve", 4)] {
            world.set_posts(&[post_by(author, id, id, COPIED)]);
            run_once(&place, id + 1);
        }
        let pages = Pages::serve(&place, &["--at", &hour(6)]);
        for (query, expected) in [("", "bob 1"), ("?filtered=keep", "ann 3"), ("?filtered=only", "ann 1")] {
            assert_eq!(listed_items(&pages, query), [expected], "{name}: {query}");
        }
        let page = pages.page("/topics/acme");
        assert!(page.contains("@eve") && !page.contains("@dan") && !page.contains("@ann"), "{name}: {page}");
        let mut mcp = StdioClient::start(place.program(&["mcp", "--at", &hour(6)]));
        let found = mcp.call_tool("search_items", &json!({ "topic": "acme" }));
        mcp.close();
        assert_eq!(found["items"][0]["copies"]["count"], 1, "{name}: {found}");
        assert!(!found.to_string().contains("\"dan\""), "{name}: {found}");
    }
}

#[test]
fn a_feed_has_100_entries_even_if_two_topics_found_its_items() {
    for database in databases() {
        let world = ScriptedService::new();
        let other = topic("acme", "").replace("id = \"acme\"", "id = \"other\"");
        let place = Place::new(database, &world.lines(), &format!("{}{other}", topic("acme", "")));
        let name = place.database.name;
        let text = |id: u32| format!("word{id} other{id} more{id}");
        world.set_posts(&(1..=120).map(|id| post(id, 1, &text(id), 0)).collect::<Vec<_>>());
        run_once(&place, 5);
        place.database.save_searches(&[("all", None, "{}")]);
        let pages = Pages::serve(&place, &["--at", &hour(6)]);
        let feed = pages.page("/searches/all.atom");
        assert_eq!(feed.matches("<entry>").count(), 100, "{name}");
    }
}

#[test]
fn lists_are_newest_first_also_within_a_run_and_page_by_page() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let name = place.database.name;
        // Keys in another order than times; two of one time.
        let of = |published: [u32; 5], from: u32| -> Vec<Value> {
            (from..).zip(published).map(|(id, at)| post(id, at, &format!("word{id} other{id} more{id}"), 0)).collect()
        };
        world.set_posts(&of([1, 3, 2, 3, 4], 1));
        run_once(&place, 5);
        world.set_posts(&of([7, 9, 6, 8, 9], 21));
        run_once(&place, 10);
        let newest = [22, 25, 24, 21, 23, 5, 2, 4, 3, 1].map(|id| format!("post:x:{id}"));
        let pages = Pages::serve(&place, &["--at", &hour(11)]);
        for limit in [1, 2, 3, 50] {
            let (mut keys, mut token) = (Vec::new(), String::new());
            loop {
                let list = get_json(&pages, &format!("/api/v1/topics/acme/items?copies=all&limit={limit}{token}"));
                keys.extend(list["data"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()));
                let Some(next) = list["next_page_token"].as_str() else { break };
                token = format!("&page_token={next}");
            }
            assert_eq!(keys, newest, "{name}: {limit}");
        }
        let on = |path: &str| -> Vec<String> {
            let page = pages.page(path).replace("%3A", ":");
            let keys = page.split("dir=\"auto\" href=\"/item?key=").skip(1);
            keys.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        assert_eq!(on("/topics/acme?copies=all"), newest, "{name}");
        assert_eq!(on("/items"), newest, "{name}");
        for (place_in_list, key) in newest.iter().enumerate() {
            let seen = place.database.time(&format!("SELECT first_seen FROM v_item WHERE key = '{key}'"));
            assert_eq!(on(&format!("/items?after={seen}/acme/{key}")), newest[place_in_list + 1..], "{name}: {key}");
        }
    }
}

#[test]
fn day_counts_follow_edits_and_dates_learned_later() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let undated = || {
            let mut post = post(2, 0, "the acme meeting is on tuesday", 0);
            post.as_object_mut().unwrap().remove("created_at");
            post["id"] = json!("a-2");
            post["url"] = json!("https://posts.example/a-2");
            post
        };
        world.set_posts(&[post(1, 30, "i love acme, it is wonderful and great", 0), undated()]);
        run_once(&place, 32);
        let mut dated = undated();
        dated["created_at"] = json!(hour(20));
        world.set_posts(&[post(1, 30, "i hate acme, it is horrible and awful", 0), dated]);
        run_once(&place, 33);
        let pages = Pages::serve(&place, &["--at", &hour(34)]);
        let days = get_json(&pages, "/api/v1/topics/acme/days");
        let reported = |day: &Value| {
            let share = |name: &str| day[name]["share"].as_f64();
            let date = day["date"].as_str().unwrap().to_owned();
            (date, day["items"].as_i64().unwrap(), share("negative"), share("positive"))
        };
        let days: Vec<_> = days["data"].as_array().unwrap().iter().map(reported).filter(|day| day.1 > 0).collect();
        let expected =
            [("2026-03-11".to_owned(), 1, Some(0.0), Some(0.0)), ("2026-03-12".to_owned(), 1, Some(1.0), Some(0.0))];
        assert_eq!(days, expected, "{}", place.database.name);
    }
}

#[test]
fn items_of_a_known_provider_are_new_during_the_baseline_of_another() {
    for database in databases() {
        let (known, first) = (ScriptedService::new(), ScriptedService::new());
        let providers = |sources: &str| {
            let of = |name: &str, world: &ScriptedService| {
                format!("[providers.{name}]\nkind = \"spec\"\nkey_env = \"SECOND_KEY\"\n{}\n", world.lines())
            };
            of("second", &known) + &of("third", &first) + &topic("acme", "").replace("\"social\"", sources)
        };
        let place = Place::without_service(database, &providers("\"second\""));
        let name = place.database.name;
        let once = |at: u32| {
            let ended = place.program(&["once", "--at", &hour(at)]).env("SECOND_KEY", "a key of its own").run();
            assert_eq!(ended.code, Some(0), "{ended}");
        };
        known.set_posts(&[post(1, 1, "of the first day", 0)]);
        once(2);
        std::fs::write(place.path("jobs.toml"), {
            let text = std::fs::read_to_string(place.path("jobs.toml")).unwrap();
            text.replace("sources = [\"second\"]", "sources = [\"second\", \"third\"]")
        })
        .unwrap();
        known.set_posts(&[post(2, 7, "new at the second", 0), post(3, 7, "also new at the second, later", 0)]);
        first.set_posts(&[post(4, 7, "of the baseline of the third", 0)]);
        once(8);
        let topics = place.program(&["diff", "acme", "--since", "6h", "--json", "--at", &hour(9)]);
        let diff: Value = serde_json::from_str(&topics.env("SECOND_KEY", "k").run().out).unwrap();
        let pages = Pages::wait_for_address(
            place.program(&["serve", "--listen", "127.0.0.1:0", "--at", &hour(9)]).env("SECOND_KEY", "k").start(),
        );
        let card = get_json(&pages, "/api/v1/topics")["data"][0].clone();
        // Two new ones at 08:00; the baseline of 02:00 is in the same day.
        assert_eq!((&diff["counts"]["new"], &diff["counts"]["baseline"]), (&json!(2), &json!(1)), "{name}: {diff}");
        assert_eq!(card["new_24h"], 2, "{name}: {card}");
    }
}

#[test]
fn the_lang_filter_matches_every_spelling_of_a_language_tag() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let of = |id: u32, lang: &str| {
            let mut post = post(id, 1, &format!("acme in {lang}"), 0);
            post["lang"] = json!(lang);
            post
        };
        world.set_posts(&[of(1, "pt_BR"), of(2, "pt-PT"), of(3, "ptx"), of(4, "en")]);
        run_once(&place, 2);
        for (tag, many) in [("pt", 2), ("pt-BR", 1), ("pt_br", 1), ("PT-pt", 1), ("en", 1)] {
            let rows = place.ok(&["export", "--what", "items", "--format", "jsonl", "--lang", tag]);
            assert_eq!(rows.lines().count(), many, "{}: {tag}\n{rows}", place.database.name);
        }
    }
}

#[test]
fn citations_of_an_answer_match_items_despite_a_different_url() {
    for database in databases() {
        let text = "Acme launched, see https://news.example/2026/acme-launch and https://twitter.com/ann/status/1992700000000000001 .";
        let server = FakeServer::respond_with(move |path| {
            let page = |url: &str| json!({ "title": format!("of {url}"), "link": url, "snippet": "words" });
            let body = if path.starts_with("/ai") {
                json!({ "summary": text })
            } else if path.starts_with("/web") {
                json!({ "results": [page("https://news.example/"), page("https://news.example/2026")] })
            } else {
                json!({ "results": [{ "id": "1992700000000000001", "user": "ann", "text": "we launched", "created_at": hour(1),
                    "url": "https://x.com/ann/status/1992700000000000001" }] })
            };
            reply("200 OK", "content-type: application/json\r\n", body.to_string().as_bytes())
        });
        let topics = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\", \"ai\"]");
        let place = Place::new(database, &server.lines(), &topics);
        run_once(&place, 2);
        let rows = place.ok(&["export", "--what", "answers", "--format", "jsonl"]);
        let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
        assert_eq!(row["cited"], "post:x:1992700000000000001", "{}: {row}", place.database.name);
    }
}

#[test]
fn events_of_an_alert_without_channels_are_shown_as_not_reported() {
    for database in databases() {
        let world = ScriptedService::new();
        let alert = "[[alerts]]\nname = \"quiet\"\nrule = \"items\"\nwords = [\"recall\"]\n";
        let place = Place::new(database, &world.lines(), &(topic("acme", "every = \"1h\"") + alert));
        let name = place.database.name;
        let due = |at: u32| place.ok(&["once", "--due", "--at", &hour(at)]);
        world.set_posts(&[post(1, 1, "nothing", 0)]);
        due(2);
        due(3);
        world.set_posts(&[post(2, 3, "a recall of acme", 0)]);
        due(4);
        let output = place.ok(&["alerts", "list"]);
        assert!(output.contains("muted") && !output.contains("notified"), "{name}: {output}");
        let pages = Pages::serve(&place, &["--at", &hour(5)]);
        let events = get_json(&pages, "/api/v1/alert-events");
        let event = &events["data"][0];
        assert_eq!(
            (&event["in_message"], &event["told"], &event["muted"]),
            (&json!(false), &json!(false), &json!("no channels")),
            "{name}: {events}"
        );
        assert!(pages.page("/alerts").contains("not reported: no channels"), "{name}");
    }
}

#[test]
fn a_report_does_not_judge_a_past_day_by_todays_query() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("initech", "every = \"6h\""));
        let of = |day: u32, word: &str| {
            (0..20).map(|n| post(day * 100 + n, 24 * day + 2, &format!("{word} is {n} and {day}"), 0)).collect()
        };
        for day in 0..3 {
            let posts: Vec<Value> = of(day, "initech");
            world.set_posts(&posts);
            run_once(&place, 24 * day + 5);
        }
        place.configure(&world.lines(), &topic("hooli", "every = \"6h\""));
        let posts: Vec<Value> = of(3, "hooli");
        world.set_posts(&posts);
        run_once(&place, 24 * 3 + 5);
        for (date, at) in [("2026-03-12", 24 * 3 + 6), ("2026-03-14", 24 * 3 + 6)] {
            place.ok(&["report", "--date", date, "--at", &hour(at), "--out", "r.md"]);
            let report = std::fs::read_to_string(place.path("r.md")).unwrap();
            assert!(!report.contains("contain no word of the query"), "{}: {date}\n{report}", place.database.name);
        }
    }
}
