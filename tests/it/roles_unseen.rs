//! A token for some topics sees nothing of the others: on no page, in no file and in no refusal.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::access_stage::{
    CANARY, COPY_KEY, HIDDEN_KEY, Visitor, add_token, place, save_star_note_and_search, shows_nothing_hidden,
    start_pages,
};
use crate::support::databases::databases;
use crate::support::program::wait_until;
use crate::support::web_client::Pages;
use crate::support::word_index::queue_for_index;

/// URLs with every parameter that could lead to another topic.
const PROBING_URLS: [&str; 54] = [
    "/",
    "/topics/acme?copies=all",
    "/topics/acme?order=engagement&filtered=keep",
    "/topics/acme?search=launch",
    "/topics/acme?order=velocity",
    "/topics/acme?by=week",
    "/topics/acme?order=positive",
    "/topics/acme?order=relevance",
    "/topics/acme?order=suggested",
    "/topics/acme?tone=neutral",
    "/topics/acme?source=social&since=90d",
    "/topics/acme/items.csv",
    "/topics/acme/items.jsonl?copies=all&filtered=keep",
    "/topics/acme/items.csv?order=engagement",
    "/topics/acme/report",
    "/topics/acme/report?as=file",
    "/keys",
    "/answers/acme",
    "/item?key=post%3Ax%3A7",
    "/item?key=post%3Ax%3A6",
    "/runs",
    "/runs?after=9999999999999/x",
    "/runs?topic=acme",
    "/runs?state=ok",
    "/runs?since=2026-03-10&until=2026-03-12",
    "/runs?called=2026-03-11",
    "/runs?topic=acme&source=social&last=3",
    "/topics/acme?new_since=24h",
    "/topics/acme?baseline_since=24h",
    "/topics/acme?from=48h&until=1h",
    "/item?key=post%3Ax%3A7&copies=all&within=zebra",
    "/api/v1/openapi.json",
    "/api/v1/topics",
    "/api/v1/topics/acme",
    "/api/v1/topics/acme/items?copies=all",
    "/api/v1/topics/acme/items?order=velocity",
    "/api/v1/topics/acme/items?order=suggested",
    "/api/v1/topics/acme/days",
    "/api/v1/topics/acme/terms",
    "/api/v1/topics/acme/items?search=launch",
    "/api/v1/topics/acme/answers",
    "/api/v1/topics/acme/marks",
    "/api/v1/topics/acme/requests",
    "/api/v1/items?key=post%3Ax%3A7",
    "/api/v1/items?key=post%3Ax%3A6",
    "/api/v1/runs",
    "/api/v1/exports/items.jsonl",
    "/api/v1/exports/sightings.csv",
    "/api/v1/exports/new.jsonl",
    "/api/v1/exports/runs.csv",
    "/api/v1/exports/searches.jsonl",
    "/api/v1/exports/daily.csv",
    "/api/v1/exports/changes.jsonl",
    "/api/v1/exports/terms.jsonl",
];

#[test]
fn a_token_for_some_topics_sees_nothing_of_the_others() {
    for database in databases() {
        let (_world, place) = place(database);
        let all = add_token(&place, &["all", "--role", "read"]);
        let some = [
            add_token(&place, &["one", "--role", "act", "--topic", "acme"]),
            add_token(&place, &["tag", "--role", "read", "--tag", "news"]),
        ];
        let pages = start_pages(&place, false);
        let see = |token: &str, path: &str| Visitor::Bearer(token).request(&pages, 1, "GET", path, "");
        // A token for all topics finds it; otherwise its absence would prove nothing.
        for path in [
            "/",
            "/runs",
            "/items",
            "/items.csv",
            "/item?key=post%3Ax%3A7",
            "/api/v1/exports/items.jsonl",
            "/api/v1/items?key=post%3Ax%3A7",
        ] {
            let text = see(&all, path).text().to_lowercase();
            assert!(text.contains(CANARY) || text.contains(HIDDEN_KEY), "{path}\n{text}");
        }
        save_star_note_and_search(&pages, &add_token(&place, &["keeper", "--role", "act"]));
        for (path, what) in [
            ("/", "zebra-news"),
            ("/item?key=post%3Ax%3A7", "the zebra was here, too"),
            ("/topics/acme", "the zebra was here, too"),
            ("/api/v1/topics/acme/items", "the zebra was here, too"),
            ("/api/v1/exports/items.csv", "the zebra was here, too"),
            ("/api/v1/exports/items.jsonl", "\"cluster\":\"post:x:77077097\""),
        ] {
            let text = see(&all, path).text();
            assert!(text.contains(what), "{path}: {what}\n{text}");
        }
        assert!(see(&all, "/item?key=post%3Ax%3A7").text().contains("77077099"), "the near-copy");
        assert!(see(&all, "/item?key=post%3Ax%3A6").text().contains("77077097"), "the original of {COPY_KEY}");
        for token in &some {
            for path in PROBING_URLS {
                let reply = see(token, path);
                let text = reply.text().to_lowercase();
                assert_eq!(reply.status, 200, "{path}\n{text}");
                assert!(shows_nothing_hidden(&text), "{}: {path}\n{text}", place.database.name);
                assert!(!text.contains("★") && !text.contains("\"starred_at\":\""), "{path}\n{text}");
            }
            let rows = see(token, "/api/v1/exports/items.jsonl").body_text();
            assert_eq!(rows.lines().count(), 3, "{rows}");
            for path in [
                "/runs?topic=zebra",
                "/api/v1/runs?topic=zebra",
                "/api/v1/exports/items.csv?topic=zebra",
                "/topics/zebra",
            ] {
                let reply = see(token, path);
                assert!(
                    reply.status == 403 && !reply.text().to_lowercase().contains(CANARY),
                    "{path}\n{}",
                    reply.text()
                );
            }
            // An item or run of another topic gets the same answer as one that does not exist.
            for (theirs, nobodys) in [
                ("/item?key=post%3Ax%3A77077099", "/item?key=post%3Ax%3A77077999"),
                ("/api/v1/items?key=post%3Ax%3A77077099", "/api/v1/items?key=post%3Ax%3A77077999"),
            ] {
                let (theirs, nobodys) = (see(token, theirs), see(token, nobodys));
                assert_eq!((theirs.status, nobodys.status), (404, 404));
                assert_eq!(theirs.body_text().replace("77077099", "77077999"), nobodys.body_text());
            }
            let run = place.database.last_run("zebra");
            let run = url::form_urlencoded::byte_serialize(run.as_bytes()).collect::<String>();
            assert_eq!(see(token, &format!("/api/v1/runs/{run}")).status, 404);
            for list in ["", "&only=found", "&only=first&source=social"] {
                let text = see(token, &format!("/runs?run={run}{list}")).text();
                assert!(text.contains("No run has this id") && shows_nothing_hidden(&text), "{text}");
            }
            // Alerts and calls are of all topics.
            assert_eq!(see(token, "/topics/acme?alert=any&run=any").status, 403);
            assert!(!see(token, "/runs?called=2026-03-11").text().contains("2026-03-11: "));
            // No link leads to a refused or missing page.
            let mut todo = ["/", "/topics/acme", "/runs", "/answers/acme"].map(str::to_owned).to_vec();
            let mut opened = BTreeSet::new();
            while let Some(path) = todo.pop().filter(|_| opened.len() < 150) {
                if !opened.insert(path.clone()) {
                    continue;
                }
                let reply = see(token, &path);
                let text = reply.text();
                assert!(reply.status == 200 && shows_nothing_hidden(&text), "{path}\n{text}");
                let links = text.split(" href=\"/").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
                todo.extend(links.map(|link| format!("/{}", link.replace("&amp;", "&"))));
            }
            assert!(opened.iter().any(|path| path.contains("only=found")), "{opened:?}");
        }
        // Requests that cannot be limited to some topics are refused with a reason.
        for path in [
            "/alerts",
            "/files",
            "/health",
            "/metrics",
            "/jobs",
            "/jobs/new",
            "/jobs/topics/acme",
            "/api/v1/exports/items.jsonl?starred=true",
            "/api/v1/exports/items.csv?noted=true",
            "/items",
            "/items?topic=acme",
            "/items.csv",
            "/items.xlsx",
            "/items.jsonl?topic=acme",
            "/searches/kept.atom",
            "/progress/nobody",
            "/progress/nobody/events",
            "/api/v1/searches",
            "/api/v1/reports",
            "/api/v1/items/post%3Ax%3A7/story",
        ] {
            let reply = see(&some[0], path);
            assert!(reply.status == 403 && reply.text().contains("does not cover this"), "{path}\n{}", reply.text());
        }
        // The list of tokens is only for the role `edit`.
        let reply = see(&some[0], "/access");
        assert!(reply.status == 403 && reply.text().contains("the role `edit`"), "{}", reply.text());
        // The page of a refusal has the menu of the visitor, and the login none.
        let text = reply.text();
        assert!(
            text.contains("Log out") && text.contains("href=\"/runs\"") && !text.contains("href=\"/items\""),
            "{text}"
        );
        let text = see(&some[0], "/nowhere").text();
        assert!(text.contains("Log out") && !text.contains("href=\"/items\""), "{text}");
        assert!(see(&all, "/nowhere").text().contains("href=\"/items\""), "the whole menu");
        for path in ["/login", "/nowhere"] {
            let text = Visitor::Anonymous.request(&pages, 1, "GET", path, "").text();
            assert!(!text.contains("href=\"/items\"") && !text.contains("href=\"/keys\""), "{path}: {text}");
        }
        // Readers of all topics may see the settings: no buttons, but the lines to copy.
        for path in ["/jobs", "/jobs/topics/zebra", "/jobs/topics/zebra?as=toml"] {
            let text = see(&all, path).text();
            assert!(text.contains("Your token has the role `read`") && text.contains("zebra"), "{path}\n{text}");
            // A check writes nothing.
            let text = text.replace("action=\"/jobs/check\"", "");
            assert!(!text.contains("method=\"post\" action=\"/jobs"), "{path}\n{text}");
        }
        // Buttons appear only where permitted: stars and notes need all topics, marks one.
        for path in ["/topics/acme", "/item?key=post%3Ax%3A7"] {
            let (one, all) = (see(&some[0], path).text(), see(&all, path).text());
            assert!(one.contains("/topics/acme/marks") && !one.contains("/items/star"), "{one}");
            assert!(!one.contains("/jobs") && !all.contains("/jobs/") && !all.contains("/marks\""), "{one}\n{all}");
        }
        // A topic that gets the tag is visible at once, and one that loses it is hidden.
        let (tagged, text) = (&some[1], std::fs::read_to_string(place.path("jobs.toml")).unwrap());
        std::fs::write(place.path("jobs.toml"), text.replace("[\"other\"]", "[\"news\"]")).unwrap();
        pages.program.signal("HUP");
        wait_until("the tag", || see(tagged, "/").text().to_lowercase().contains(CANARY));
        assert!(!see(&some[0], "/").text().to_lowercase().contains(CANARY));
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn requests_for_hidden_and_missing_topics_get_the_same_answer() {
    for database in databases() {
        let (_world, place) = place(database);
        let one = add_token(&place, &["one", "--role", "act", "--topic", "acme"]);
        let all = add_token(&place, &["all", "--role", "act"]);
        let pages = start_pages(&place, false);
        let name = place.database.name;
        let asks = |token: &str, method: &str, path: &str, body: &str| {
            Visitor::Bearer(token).request(&pages, 1, method, path, body)
        };
        let asked = asks(&all, "POST", "/api/v1/topics/zebra/requests", "{\"action\": \"pause\"}");
        assert_eq!(asked.status, 202, "{}", asked.text());
        let request = asked.json()["data"]["id"].as_str().unwrap().to_owned();
        // Something of the other topic, something that does not exist, and the refusal of both.
        let of_topics = [
            ("GET", "/topics/{}", ""),
            ("GET", "/topics/{}?after=1/x", ""),
            ("GET", "/topics/{}/report", ""),
            ("GET", "/answers/{}", ""),
            ("GET", "/runs?topic={}", ""),
            ("GET", "/items?topic={}", ""),
            ("GET", "/jobs/topics/{}", ""),
            ("POST", "/topics/{}", "kind=run_now"),
            ("POST", "/topics/{}/marks", "key=post%3Ax%3A7&mark=good"),
            ("GET", "/api/v1/topics/{}", ""),
            ("GET", "/api/v1/topics/{}/items", ""),
            ("GET", "/api/v1/topics/{}/answers", ""),
            ("GET", "/api/v1/topics/{}/days", ""),
            ("GET", "/api/v1/topics/{}/terms", ""),
            ("GET", "/api/v1/topics/{}/marks", ""),
            ("GET", "/api/v1/topics/{}/requests", ""),
            ("POST", "/api/v1/topics/{}/requests", "{\"action\": \"run-now\"}"),
            ("POST", "/api/v1/topics/{}/marks", "{\"key\": \"post:x:7\", \"mark\": \"good\"}"),
            ("DELETE", "/api/v1/topics/{}/marks?key=post%3Ax%3A7", ""),
            ("GET", "/api/v1/runs?topic={}", ""),
            ("GET", "/api/v1/exports/items.csv?topic={}", ""),
            ("GET", "/api/v1/exports/changes.jsonl?topic={}", ""),
            ("GET", "/api/v1/exports/items.csv?topic=acme&topic={}", ""),
        ];
        for (method, path, body) in of_topics {
            let [theirs, nobodys] =
                ["zebra", "nobody"].map(|topic| asks(&one, method, &path.replace("{}", topic), body));
            let named = format!("{name}: {method} {path}\n{}", theirs.text());
            assert_eq!((theirs.status, nobodys.status), (403, 403), "{named}");
            assert_eq!(theirs.body_text(), nobodys.body_text(), "{named}");
        }
        let run = place.database.last_run("zebra");
        let nobody = run.replace("zebra", "zebrb").replace(|c: char| c.is_ascii_digit(), "1");
        let (run, nobody) = (run.as_str(), nobody.as_str());
        let of_things = [
            ("GET", "/item?key={}", HIDDEN_KEY, "post:x:77077999", "", 404),
            ("GET", "/api/v1/items?key={}", HIDDEN_KEY, "post:x:77077999", "", 404),
            ("GET", "/api/v1/runs/{}", run, nobody, "", 404),
            ("GET", "/runs?run={}", run, nobody, "", 200),
            ("GET", "/progress/{}", request.as_str(), "nobody", "", 403),
            ("GET", "/progress/{}/events", request.as_str(), "nobody", "", 403),
            ("GET", "/api/v1/topics/acme/requests/{}", request.as_str(), "nobody", "", 404),
            ("POST", "/topics/acme/marks", HIDDEN_KEY, "post:x:77077999", "mark=good&key={}", 404),
            ("DELETE", "/api/v1/topics/acme/marks?key={}", HIDDEN_KEY, "post:x:77077999", "", 404),
            (
                "POST",
                "/api/v1/topics/acme/marks",
                HIDDEN_KEY,
                "post:x:77077999",
                "{\"key\": \"{}\", \"mark\": \"good\"}",
                404,
            ),
            ("GET", "/api/v1/exports/changes.jsonl?since={}", run, nobody, "", 404),
            ("GET", "/api/v1/exports/items.jsonl?tag={}", "other", "nothing", "", 404),
            ("GET", "/searches/{}.atom", "zebra-news", "nobody", "", 403),
        ];
        save_star_note_and_search(&pages, &all);
        for (method, path, theirs, nobodys, body, status) in of_things {
            let reported = |thing: &str| {
                let written: String = url::form_urlencoded::byte_serialize(thing.as_bytes()).collect();
                let body = body.replace("{}", if body.starts_with('{') { thing } else { &written });
                let reply = asks(&one, method, &path.replace("{}", &written), &body);
                // The answer may repeat the request; nothing else may differ.
                let words = reply.body_text().replace(thing, "·").replace(&written, "·");
                (reply.status, words.split("As of ").next().unwrap_or_default().to_owned())
            };
            let (theirs, nobodys) = (reported(theirs), reported(nobodys));
            assert_eq!(theirs.0, status, "{name}: {method} {path}\n{}", theirs.1);
            assert_eq!(theirs, nobodys, "{name}: {method} {path}");
        }
        // Sources of other topics are not named.
        let found = asks(&one, "GET", "/api/v1/topics/acme/items?source=nobody", "");
        assert!(found.status == 404 && !found.text().contains("One of"), "{}", found.text());
        pages.program.signal("TERM");
        assert_eq!(pages.program.wait().code, Some(0));
    }
}

#[test]
fn unindexed_items_are_counted_only_of_the_tokens_topics() {
    for database in databases() {
        let (_world, place) = place(database);
        let [one, all] = [&["one", "--role", "read", "--topic", "acme"][..], &["all", "--role", "read"]]
            .map(|args| add_token(&place, args));
        // `serve` only reads: nothing indexes them.
        let pages = Pages::serve(&place, &[]);
        queue_for_index(&place.database, "id > 0");
        let waiting = |token: &str| {
            let path = "/api/v1/topics/acme/items?search=launch";
            Visitor::Bearer(token).request(&pages, 1, "GET", path, "").json()["unindexed"].clone()
        };
        assert_eq!((waiting(&one), waiting(&all)), (json!(3), json!(6)), "{}", place.database.name);
    }
}
