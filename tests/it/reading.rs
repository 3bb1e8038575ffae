//! Reading pages, on both databases. The items page, its count, its files and the feeds of saved searches contain the
//! rows that separate SQL finds. Authorised visitors and programs add stars, notes and searches, which follow renamed
//! topics and merged items. Week counts equal SQL.

use std::collections::BTreeSet;

use base64::Engine as _;
use serde_json::{Value, json};
use topicwatch::model::{Source, Time};

use crate::support::api_client::{schema_errors, send_request};
use crate::support::databases::{Database, block_on, databases};
use crate::support::independent_readers::run_python;
use crate::support::program::{NINE, Place};
use crate::support::searched::{NOW, all_items, open_store, outcome, seen_item, start_manual_run, topic};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN, without_links};
use crate::support::web_topics::TOPICS;
use crate::support::word_index::queue_for_index;

const EIGHT: &str = "2026-03-11T08:00:00Z";
const HOSTILE: &str = "</title><script>alert(1)</script>&\"''=cmd|x";

/// Two topics, two runs each, and a hundred more items, some with a star, a note, a mark or hostile text.
fn filled_place(database: Database) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(EIGHT, &[]);
    // The filter of topic `rust` hides items about the zoo.
    let place = Place::new(
        database,
        &sandbox.lines(),
        &TOPICS.replace("id = \"rust\"", "exclude = [\"zoo\"]\ntags = [\"code\"]\nid = \"rust\""),
    );
    for at in [EIGHT, NINE] {
        sandbox.set_clock(at);
        place.ok(&["once", "--at", at]);
    }
    let hostile = HOSTILE.replace('\'', "''");
    place.database.make_items(
        100,
        &[
            ("kind", "CASE WHEN n % 3 = 0 THEN 'page' ELSE 'post' END"),
            ("first_seen", "1773219600000 + n / 2"),
            ("text", "'made number ' || n"),
            ("author", "'ann' || (n % 4)"),
            ("lang", "CASE WHEN n % 5 = 0 THEN 'en-GB' WHEN n % 5 = 1 THEN 'enm' ELSE 'de' END"),
            ("url", "'javascript:alert(1)'"),
        ],
    );
    for (topic, half) in [("acme", 0), ("rust", 1)] {
        let run = place.database.first_run("acme");
        place.database.add_items_to_topic(topic, &run, &format!("key LIKE 'post:made:%' AND id % 2 = {half}"));
    }
    place.database.star("key LIKE 'post:made:%' AND id % 3 = 0", 1_773_219_600_000);
    place.database.note("key LIKE 'post:made:%' AND id % 7 = 0", HOSTILE);
    block_on(place.database.execute(&format!(
        "INSERT INTO item_mark (topic, item, mark, at, through) SELECT topic, item, CASE WHEN item % 2 = 0 THEN 'good' ELSE 'noise' END, 1, 'cli' FROM topic_item WHERE item % 5 = 0; \
         UPDATE item SET text = 'a zoo ' || text WHERE key LIKE 'post:made:%' AND id % 11 = 0; \
         UPDATE item SET title = '{hostile}', text = '{hostile}', author = '{hostile}' WHERE key LIKE 'post:made:1_'"
    )));
    // Marks every item as due for the word index.
    queue_for_index(&place.database, "id > 0");
    place.ok(&["search", "launch"]);
    (sandbox, place)
}

/// `topic key` of each row, in any order.
type Rows = BTreeSet<String>;

/// The rows of a filter, from SQL independent of the program. `i` is the table because stars, notes and marks have no
/// views.
fn expected(place: &Place, condition: &str) -> Rows {
    let rows = place
        .database
        .texts(&format!("SELECT t.topic || ' ' || t.key FROM v_item t JOIN item i ON i.key = t.key WHERE {condition}"));
    rows.into_iter().collect()
}

/// Excludes what the filter of `rust` hides.
const SHOWN: &str =
    "NOT (t.topic = 'rust' AND lower(coalesce(i.title, '') || ' ' || coalesce(i.text, '')) LIKE '%zoo%')";

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The texts between two markers, for every occurrence.
fn between<'a>(page: &'a str, from: &str, until: &'a str) -> Vec<&'a str> {
    page.split(from).skip(1).map(|rest| rest.split(until).next().unwrap()).collect()
}

/// The rows of all pages starting at a URL, and the count on the first page. Asserts that each page keeps the filters.
fn read_all_pages(pages: &Pages, first: &str) -> (Rows, String) {
    let (rows, count) = crawl(pages, first);
    (rows.into_iter().collect(), count)
}

/// The same rows in the order of the pages.
fn listed(pages: &Pages, first: &str) -> Vec<String> {
    crawl(pages, first).0
}

fn crawl(pages: &Pages, first: &str) -> (Vec<String>, String) {
    let (mut rows, mut count, mut next) = (Vec::new(), String::new(), Some(first.to_owned()));
    let filters: Vec<&str> = first.split_once('?').map_or(Vec::new(), |(_, query)| query.split('&').collect());
    let mut many = 0;
    while let Some(address) = next {
        let page = pages.page(&address);
        if many == 0 {
            count = between(&page, "role=\"status\"><strong>", "</strong>")[0].to_owned();
        }
        let list = page.split("<ol class=\"found\">").nth(1).map_or("", |rest| rest.split("</ol>").next().unwrap());
        for row in list.split("<li id=").skip(1) {
            let key = unescaped(between(row, "href=\"/item?key=", "\"")[0]);
            let pair = format!("k={key}");
            let (_, key) = url::form_urlencoded::parse(pair.as_bytes()).next().unwrap();
            let topic = between(row, "href=\"/topics/", "\"")[0];
            let row = format!("{topic} {key}");
            assert!(!rows.contains(&row), "{address}: {row} is there twice");
            rows.push(row);
        }
        assert!(
            !page.contains("<script>") && !page.contains("href=\"javascript"),
            "{address}: text of an item became markup"
        );
        next = between(&page, "rel=\"next\" href=\"", "\"").first().map(|next| unescaped(next));
        if let Some(next) = &next {
            assert!(filters.iter().all(|filter| next.contains(filter)), "{first}: {next}");
        }
        many += 1;
        assert!(many < 30, "{first}: no end");
    }
    (rows, count)
}

#[test]
fn the_items_page_its_count_files_and_feed_contain_the_filtered_rows() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = filled_place(database);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let everything = expected(&place, SHOWN);
        assert!(everything.len() > 100 && expected(&place, "1 = 1").len() > everything.len(), "{name}");
        let asked = [
            ("", "1 = 1", vec![]),
            ("topic=acme", "t.topic = 'acme'", vec!["--topic", "acme"]),
            ("kind=page&topic=rust", "i.kind = 'page' AND t.topic = 'rust'", vec!["--kind", "page", "--topic", "rust"]),
            ("tag=code", "t.topic = 'rust'", vec!["--tag", "code"]),
            ("lang=en", "(i.lang = 'en' OR i.lang LIKE 'en-%')", vec!["--lang", "en"]),
            ("starred=true", "i.id IN (SELECT item FROM item_star)", vec!["--starred"]),
            (
                "noted=true&kind=post",
                "i.kind = 'post' AND i.id IN (SELECT item FROM item_note)",
                vec!["--noted", "--kind", "post"],
            ),
            (
                "marked=good",
                "EXISTS (SELECT 1 FROM item_mark m WHERE m.item = i.id AND m.topic = t.topic AND m.mark = 'good')",
                vec!["--marked", "good"],
            ),
            ("tone=negative", "i.tone = 'negative'", vec!["--tone", "negative"]),
            (
                "source=web",
                "EXISTS (SELECT 1 FROM v_sighting s WHERE s.key = t.key AND s.topic = t.topic AND s.source = 'web')",
                vec!["--source", "web"],
            ),
            ("author=%40ann1", "i.author = 'ann1'", vec!["--author", "ann1"]),
            (
                "search=%22made+number%22+-zoo",
                "i.text LIKE '%made number%' AND i.text NOT LIKE '%zoo%'",
                vec!["--search", "\"made number\" -zoo"],
            ),
            (
                "since=2026-03-11T08%3A30%3A00Z",
                "t.first_seen >= '2026-03-11T08:30:00.000Z'",
                vec!["--since", "2026-03-11T08:30:00Z"],
            ),
            (
                "until=2026-03-11T08%3A30%3A00Z",
                "t.first_seen < '2026-03-11T08:30:00.000Z'",
                vec!["--until", "2026-03-11T08:30:00Z"],
            ),
            (
                "new_since=2026-03-11T08%3A30%3A00Z",
                "t.first_seen >= '2026-03-11T08:30:00.000Z' AND NOT (EXISTS (SELECT 1 FROM v_sighting s WHERE s.key = t.key AND s.run = t.first_run) \
                 AND NOT EXISTS (SELECT 1 FROM v_sighting s WHERE s.key = t.key AND s.run = t.first_run AND s.fit <> 'outside'))",
                vec!["--new-since", "2026-03-11T08:30:00Z"],
            ),
        ];
        for (query, condition, options) in asked {
            let rows = expected(&place, &format!("{condition} AND {SHOWN}"));
            let address = |path: &str| if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
            let (seen, count) = read_all_pages(&pages, &address("/items"));
            assert_eq!(seen, rows, "{name}: {query}");
            let noun = if rows.len() == 1 { "item" } else { "items" };
            assert_eq!(count, format!("{} {noun}", rows.len()), "{name}: {query}");
            assert!(!rows.is_empty(), "{name}: {query} finds nothing");
            let reply = send_request(&pages, "GET", &address("/items.jsonl"), &[], "");
            assert_eq!((reply.status, reply.whole), (200, true), "{name}: {query}\n{}", reply.text());
            let text = String::from_utf8(reply.body.clone()).unwrap();
            let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let keys = |row: &Value| format!("{} {}", row["topic"].as_str().unwrap(), row["key"].as_str().unwrap());
            assert_eq!(lines.iter().map(keys).collect::<Rows>(), rows, "{name}: {query}");
            assert_eq!(lines.len(), rows.len(), "{name}: {query}");
            // The table has the rows of the command, which other tests read back, in the order of the page.
            let file = place.path("by-hand.csv");
            let out = ["-q", "export", "--filtered", "hide", "--profile", "excel", "--out", file.to_str().unwrap()];
            place.ok(&[&out[..], &options].concat());
            let sorted = |table: &[u8]| {
                let table = String::from_utf8_lossy(table).into_owned();
                let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
                lines.sort_unstable();
                lines
            };
            let reply = send_request(&pages, "GET", &address("/items.csv"), &[], "");
            assert!(reply.whole, "{name}: {query}");
            assert_eq!(sorted(&reply.body), sorted(&std::fs::read(&file).unwrap()), "{name}: {query}");
            for format in ["csv", "xlsx"] {
                let reply = send_request(&pages, "GET", &address(&format!("/items.{format}")), &[], "");
                let kept = format!("attachment; filename=\"items.{format}\"");
                assert_eq!(reply.header("content-disposition"), Some(kept.as_str()), "{name}");
                assert!(format == "csv" || reply.body.starts_with(b"PK"), "{name}: {query}");
                // The length of a file is unknown before it is written.
                let head = send_request(&pages, "HEAD", &address(&format!("/items.{format}")), &[], "");
                assert_eq!((head.status, head.header("content-length")), (200, None), "{name}: {query}");
            }
            let order = |lines: &[Value]| lines.iter().map(keys).collect::<Vec<_>>();
            assert_eq!(order(&lines), listed(&pages, &address("/items")), "{name}: {query}: the order");
        }
        // Filtered items are available on request, and stars and notes are at the end of a row.
        assert_eq!(read_all_pages(&pages, "/items?filtered=keep").0, expected(&place, "1 = 1"), "{name}");
        let rows = place.ok(&["-q", "export", "--noted", "--format", "jsonl"]);
        assert!(
            rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()).all(|row| row["note"] == HOSTILE),
            "{rows}"
        );
        assert!(
            place.ok(&["-q", "export"]).lines().next().unwrap().ends_with(",mark,relevance,starred_at,note,origin")
        );
        // Invalid filters are refused; an empty result offers a way on.
        for wrong in [
            "kind=film",
            "tone=loud",
            "lang=%25",
            "lang=english",
            "since=soon",
            "starred=yes",
            "source=mars",
            "search=-zoo",
            "after=x",
            "since=1d&until=2d",
        ] {
            for path in ["/items", "/items.csv"] {
                let status = pages.get(&format!("{path}?{wrong}")).status;
                assert!(
                    status == 400 || wrong.starts_with("after") && path == "/items.csv",
                    "{name}: {wrong}: {status}"
                );
            }
        }
        assert_eq!(pages.get("/item").status, 400, "{name}");
        assert_eq!(pages.get("/item?key=nothing").status, 404, "{name}");
        assert_eq!(pages.get("/items?topic=nobody").status, 404, "{name}");
        assert_eq!(pages.get("/items?tag=nothing").status, 404, "{name}");
        let page = pages.page("/items");
        assert!(
            page.contains("An item counts once for each topic that found it.") && page.contains("value=\"code\""),
            "{page}"
        );
        assert!(!pages.page("/items?topic=acme").contains("counts once for each topic"), "{name}");
        let feed = pages.get("/searches/my-search");
        assert!(feed.status == 404 && feed.body.contains("/searches/my-search.atom"), "{}", feed.text);
        let none = pages.page("/items?search=nobodysaysthis");
        assert!(
            none.contains("<strong>0 items</strong>") && none.contains("href=\"/items\">Clear the filters"),
            "{none}"
        );
        place.run(&["export", "--what", "runs", "--starred"]).assert_stderr(2, &["does not apply to runs"]);
        for tag in ["e%", "english", "e"] {
            place
                .run(&["export", "--lang", tag])
                .assert_stderr(2, &["is not a language tag", "such as en, de or pt-BR"]);
        }
    }
}

#[test]
fn stars_notes_and_searches_are_kept_only_for_authorised_requests() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        let pages = Pages::run(&place);
        let bearer = format!("Bearer {TOKEN}");
        let (token, form) = (("Authorization", bearer.as_str()), ("Content-Type", "application/json"));
        let empty = pages.request("GET", "/items", &[token], "").body;
        assert!(empty.contains("Nothing found yet.") && empty.contains("Run now"), "{name}: {empty}");
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        let key = place.database.first_key();
        let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let (cookie, origin) = (pages.log_in(), pages.origin());
        let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str())];
        let press = |path: &str, body: &str| {
            let answer = pages.request("POST", path, &headers, body);
            (answer.status, answer.header("location").unwrap_or("").to_owned())
        };
        let see = |path: &str| pages.request("GET", path, &headers[..1], "").body;
        let stars = || place.database.number("SELECT count(*) FROM item_star");
        let notes = || place.database.texts("SELECT note FROM item_note");
        // With buttons, which lead back to their item.
        let list = see("/items?kind=post");
        assert!(
            list.contains("value=\"/items?kind=post#i0\"") && list.contains("action=\"/items/star\""),
            "{name}: {list}"
        );
        let back = encoded("/items?kind=post#i0");
        let on = format!("key={}&starred=true&back={back}", encoded(&key));
        for _ in 0..2 {
            assert_eq!(press("/items/star", &on), (303, "/items?kind=post#i0".to_owned()), "{name}");
            assert_eq!(stars(), 1, "{name}");
        }
        assert!(see("/items?starred=true").contains("★ starred"), "{name}");
        assert_eq!(press("/items/star", &on.replace("=true", "=false")).0, 303, "{name}");
        assert_eq!(stars(), 0, "{name}");
        let noted =
            |note: &str, back: &str| format!("key={}&note={}&back={}", encoded(&key), encoded(note), encoded(back));
        assert_eq!(press("/items/note", &noted(HOSTILE, "//evil.example/items")), (303, "/items".to_owned()), "{name}");
        assert_eq!(notes(), [HOSTILE], "{name}");
        let page = see(&format!("/item?key={}", encoded(&key)));
        assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>"), "{name}: {page}");
        // A note keeps its lines.
        assert_eq!(press("/items/note", &noted("ask Ann\r\n\r\nthen  Bob", "/items")).0, 303, "{name}");
        let page = see("/items?noted=true");
        assert!(page.contains(">ask Ann\n\nthen Bob</span>"), "{name}: {page}");
        let long = "\u{1F600}".repeat(2_000);
        assert_eq!(press("/items/note", &noted(&long, "/items")).0, 303, "{name}");
        assert_eq!(notes(), std::slice::from_ref(&long), "{name}");
        assert_eq!(press("/items/note", &noted(&format!("{long}!"), "/items")).0, 400, "{name}");
        assert_eq!(press("/items/note", &noted(" \r\n", "/items")).0, 303, "{name}");
        assert!(notes().is_empty(), "{name}");
        // With the API: the document describes the answers.
        let document = send_request(&pages, "GET", "/api/v1/openapi.json", &[token], "").json();
        let api = |method: &str, path: &str, place: &str, body: &str, status: u16| {
            let headers = if body.is_empty() { vec![token] } else { vec![token, form] };
            let reply = send_request(&pages, method, path, &headers, body);
            assert_eq!(reply.status, status, "{name}: {method} {path}: {}", reply.text());
            let answers = &document["paths"][place][method.to_lowercase()]["responses"][status.to_string()];
            let kind = if status == 200 { "application/json" } else { "application/problem+json" };
            let wrong = schema_errors(&document, &answers["content"][kind]["schema"], &reply.json(), "$");
            assert!(wrong.is_empty(), "{name}: {method} {path}: {wrong:?}");
            reply.json()
        };
        let plain = |method: &str, path: &str, body: &str, status: u16| {
            api(method, path, path.split('?').next().unwrap(), body, status)
        };
        plain("POST", "/api/v1/stars", &json!({ "key": key }).to_string(), 200);
        plain("POST", "/api/v1/notes", &json!({ "key": key, "note": HOSTILE }).to_string(), 200);
        assert_eq!((stars(), notes()), (1, vec![HOSTILE.to_owned()]), "{name}");
        let item = plain("GET", &format!("/api/v1/items?key={}", encoded(&key)), "", 200);
        let known = &item["data"]["topics"][0];
        assert!(known["note"] == HOSTILE && known["starred_at"].is_string(), "{name}: {known}");
        // A saved search has a page and a feed, and can be deleted.
        let query = "kind=post&filtered=keep";
        let saved = plain("POST", "/api/v1/searches", &json!({ "name": "launches", "query": query }).to_string(), 200);
        assert_eq!(saved["data"]["feed"], "/searches/launches.atom", "{name}");
        assert_eq!(press("/searches", "what=save&name=kept&starred=true").1, "/items?starred=true#searches", "{name}");
        let all = plain("GET", "/api/v1/searches", "", 200);
        let names: Vec<&str> =
            all["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["kept", "launches"], "{name}");
        assert!(see("/items").contains("an existing search of this name is replaced"), "{name}");
        for path in ["/", "/items"] {
            assert!(see(path).contains("href=\"/items?filtered=keep&amp;kind=post\">launches</a>"), "{name}: {path}");
        }
        block_on(place.database.execute(&format!(
            "UPDATE item SET title = '{0}', text = '{0}', author_name = '{0}', url = 'javascript:alert(1)' WHERE id IN (SELECT item FROM item_star)",
            HOSTILE.replace('\'', "''")
        )));
        for (search, condition) in [("launches", "i.kind = 'post'"), ("kept", "i.id IN (SELECT item FROM item_star)")] {
            let reply = send_request(&pages, "GET", &format!("/searches/{search}.atom"), &[token], "");
            assert_eq!(
                (reply.status, reply.header("content-type")),
                (200, Some("application/atom+xml; charset=utf-8")),
                "{name}"
            );
            let file = place.path("feed.atom");
            std::fs::write(&file, &reply.body).unwrap();
            let script = "import sys, xml.etree.ElementTree as ET\nns = '{http://www.w3.org/2005/Atom}'\nroot = ET.parse(sys.argv[1]).getroot()\n\
                assert root.tag == ns + 'feed' and root.find(ns + 'id').text.startswith('urn:uuid:') and root.find(ns + 'updated').text\n\
                for entry in root.findall(ns + 'entry'):\n    assert all(entry.find(ns + part) is not None for part in ('id', 'title', 'updated', 'author'))\n    \
                assert all(link.get('href').startswith('http') for link in entry.findall(ns + 'link'))\n    print(entry.find(ns + 'content').text or '')\n";
            let Some(reported) = run_python(script, &[file.to_str().unwrap()]) else { continue };
            let rows = expected(&place, condition);
            let many = rows.iter().map(|row| row.split_once(' ').unwrap().1).collect::<BTreeSet<_>>().len();
            let entries = String::from_utf8_lossy(&reply.body).matches("<entry>").count();
            assert_eq!(entries, many.min(100), "{name}: {search}");
            assert!(many > 0 && (search != "kept" || reported == HOSTILE), "{name}: {reported}");
        }
        // Unauthorised and invalid requests store nothing.
        let right = format!("key={}&starred=false", encoded(&key));
        for (status, path, headers, body) in [
            (401, "/items/star", vec![headers[1]], right.as_str()),
            (403, "/items/star", vec![headers[0]], &right),
            (403, "/items/star", vec![headers[0], ("Origin", "http://evil.example")], &right),
            (400, "/items/star", headers.to_vec(), "key=a&starred=perhaps"),
            (404, "/items/star", headers.to_vec(), "key=a&starred=false"),
            (404, "/items/note", headers.to_vec(), "key=a&note=b"),
            (403, "/searches", vec![headers[0]], "what=delete&name=kept"),
            (400, "/searches", headers.to_vec(), "what=save&name=A+b"),
            (400, "/searches", headers.to_vec(), "what=save&name=a&tone=loud"),
            (404, "/searches", headers.to_vec(), "what=delete&name=nobody"),
        ] {
            let answer = pages.request("POST", path, &headers, body);
            assert_eq!(answer.status, status, "{name}: {path} {body}\n{}", answer.text);
        }
        for (method, path, template, body, status) in [
            ("POST", "/api/v1/stars", "/api/v1/stars", json!({ "key": "post:x:nobody" }), 404),
            ("POST", "/api/v1/stars", "/api/v1/stars", json!({ "key": "a\0" }), 400),
            ("POST", "/api/v1/notes", "/api/v1/notes", json!({ "key": key }), 400),
            ("POST", "/api/v1/notes", "/api/v1/notes", json!({ "key": key, "note": "x".repeat(2_001) }), 400),
            ("POST", "/api/v1/searches", "/api/v1/searches", json!({ "name": "a", "query": "order=new" }), 409),
            ("POST", "/api/v1/searches", "/api/v1/searches", json!({ "name": "a", "query": "topic=nobody" }), 404),
            ("DELETE", "/api/v1/searches/nobody", "/api/v1/searches/{search}", Value::Null, 404),
        ] {
            let body = if body.is_null() { String::new() } else { body.to_string() };
            api(method, path, template, &body, status);
        }
        send_request(&pages, "POST", "/api/v1/stars", &[form], &json!({ "key": key }).to_string()).assert_problem(401);
        assert_eq!(
            send_request(&pages, "GET", "/searches/kept.atom", &[], "").status,
            401,
            "{name}: a reader is told that it needs the token"
        );
        // Feed readers send a password. Nothing but a feed and the metrics is read with one, and nothing is changed.
        let basic = |password: &str| {
            let pair = base64::engine::general_purpose::STANDARD.encode(format!("anybody:{password}"));
            ("Authorization", format!("Basic {pair}"))
        };
        let (scheme, right) = basic(TOKEN);
        let with =
            |method: &str, path: &str, value: &str| send_request(&pages, method, path, &[(scheme, value)], "").status;
        assert_eq!((with("GET", "/searches/kept.atom", &right), with("GET", "/metrics", &right)), (200, 200), "{name}");
        assert_eq!(with("GET", "/searches/kept.atom", &basic("wrong").1), 401, "{name}");
        assert_eq!((with("GET", "/items", &right), with("GET", "/api/v1/topics", &right)), (303, 401), "{name}");
        assert!(matches!(with("POST", "/searches", &right), 401 | 403), "{name}");
        assert_eq!(
            (stars(), notes(), place.database.number("SELECT count(*) FROM saved_search")),
            (1, vec![HOSTILE.to_owned()], 2),
            "{name}"
        );
        // Under the topic's new name, and after deletion.
        api("DELETE", "/api/v1/searches/kept", "/api/v1/searches/{search}", "", 200);
        assert_eq!(press("/searches", "what=delete&name=launches").1, "/items#searches", "{name}");
        plain("DELETE", &format!("/api/v1/stars?key={}", encoded(&key)), "", 200);
        plain("DELETE", &format!("/api/v1/notes?key={}", encoded(&key)), "", 200);
        assert_eq!(
            (stars(), notes().len(), place.database.number("SELECT count(*) FROM saved_search")),
            (0, 0, 0),
            "{name}"
        );
        drop(pages);
        // A read-only process shows no buttons and accepts nothing.
        let pages = Pages::serve(&place, &[]);
        assert!(!pages.page("/items").contains("<form method=\"post\""), "{name}");
        for (path, body) in
            [("/items/star", right.as_str()), ("/items/note", "key=a"), ("/searches", "what=save&name=a")]
        {
            assert_eq!(pages.request("POST", path, &[("Origin", &pages.origin())], body).status, 403, "{name}: {path}");
        }
    }
}

#[test]
fn stars_notes_and_searches_follow_a_topic_rename_and_are_forgotten() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let author =
            place.database.texts("SELECT author FROM v_item WHERE author IS NOT NULL ORDER BY key LIMIT 1").remove(0);
        let (hers, even) = (format!("coalesce(author, '') = '{author}'"), "id % 2 = 0");
        place.database.star("id > 0", 1);
        place.database.note(&hers, "hers");
        place.database.note(&format!("NOT ({hers}) AND {even}"), &format!("ask @{author} again"));
        place.database.note(&format!("NOT ({hers}) AND NOT ({even})"), "mine");
        place.database.save_searches(&[
            ("of-acme", Some("acme"), "{\"kind\":\"post\"}"),
            ("of-rust", Some("rust"), "{}"),
            ("of-her", None, &format!("{{\"author\":\"{author}\"}}")),
        ]);
        place.ok(&["topic", "rename", "acme", "acme-inc"]);
        let searches =
            || place.database.texts("SELECT name || ' ' || coalesce(topic, '-') FROM saved_search ORDER BY name");
        assert_eq!(searches(), ["of-acme acme-inc", "of-her -", "of-rust rust"], "{name}");
        place.ok(&["forget", "--author", &author, "--yes"]);
        let number = |sql: &str| place.database.number(sql);
        assert_eq!(searches(), ["of-acme acme-inc", "of-rust rust"], "{name}");
        assert_eq!(number("SELECT count(*) FROM item_note WHERE note = 'hers'"), 0, "{name}");
        assert_eq!(number(&format!("SELECT count(*) FROM item_note WHERE note LIKE '%{author}%'")), 0, "{name}");
        assert!(number("SELECT count(*) FROM item_note WHERE note = '[erased]'") > 0, "{name}");
        assert!(number("SELECT count(*) FROM item_note WHERE note = 'mine'") > 0, "{name}");
        assert_eq!(number("SELECT count(*) FROM item_star"), place.database.items(), "{name}");
        place.configure(&sandbox.lines(), "[[topics]]\nid = \"acme-inc\"\nquery = \"acme launch\"\nevery = \"12h\"\n");
        place.ok(&["forget", "--topic", "rust", "--yes"]);
        assert_eq!(searches(), ["of-acme acme-inc"], "{name}");
        assert_eq!(number("SELECT count(*) FROM item_star"), place.database.items(), "{name}");
    }
}

#[tokio::test]
async fn merged_items_keep_the_earlier_star_and_both_notes() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("rust");
        store.sync_topics(std::slice::from_ref(&t), NOW).await.unwrap();
        let at = |seconds: i64| Time(NOW.0 + seconds * 1_000);
        let world = [
            vec![seen_item(Source::Social, 1, &["text:x:ann:h"], "hello")],
            vec![seen_item(Source::Web, 1, &["post:x:1"], "hello there")],
            vec![seen_item(Source::Social, 1, &["post:x:1", "text:x:ann:h"], "hello")],
        ];
        for (n, found) in world.into_iter().enumerate() {
            let n = i64::try_from(n).unwrap();
            if n == 2 {
                for (key, note, when) in [("post:x:1", "of the post", 50), ("text:x:ann:h", "of the words", 40)] {
                    assert!(store.star(key, true, at(when)).await.unwrap(), "{}", database.name);
                    assert!(store.note(key, Some(note), at(when)).await.unwrap());
                }
                assert!(!store.star("post:x:2", true, at(60)).await.unwrap());
            }
            let run = start_manual_run(&store, &t, &format!("R{n}"), at(n)).await;
            store.finish(&run, outcome(at(n), found)).await.unwrap();
            store.publish().await.unwrap();
        }
        let rows = all_items(&store).await;
        assert_eq!(rows.len(), 1, "{}", database.name);
        assert_eq!(rows[0].starred_at, Some(at(40)), "{}", database.name);
        let mut notes: Vec<&str> = rows[0].note.as_deref().unwrap().lines().collect();
        notes.sort_unstable();
        assert_eq!(notes, ["of the post", "of the words"], "{}", database.name);
        database.close(store).await;
    }
}

#[test]
fn weekly_counts_equal_sql() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = filled_place(database);
        // Over nine weeks back, in a zone with a half-hour offset.
        block_on(place.database.execute(
            "UPDATE item SET published_at = 1773219600000 - (id - (SELECT min(m.id) FROM item m WHERE m.key LIKE 'post:made:%')) * 50000000, tone = CASE WHEN id % 3 = 0 THEN 'negative' ELSE 'positive' END, scorer = 'x' WHERE key LIKE 'post:made:%'; \
             UPDATE topic_item SET first_seen = 1773219600000 - (item - (SELECT min(m.id) FROM item m WHERE m.key LIKE 'post:made:%')) * 50000000 WHERE item IN (SELECT id FROM item WHERE key LIKE 'post:made:%')",
        ));
        let pages = Pages::serve(&place, &["--at", NINE]);
        for (topic, shift) in [("acme", 0), ("rust", 19_800_000)] {
            let page = pages.page(&format!("/topics/{topic}?by=week&order=engagement"));
            let table =
                page.split("aria-label=\"The weeks in numbers\"").nth(1).unwrap().split("</table>").next().unwrap();
            let table = without_links(table);
            let rows: Vec<Vec<String>> = table
                .split("<tr>")
                .skip(2)
                .map(|row| {
                    let cells = row.split("<th scope=\"row\">").nth(1).unwrap().replace("</th>", "<td class=\"n\">");
                    cells
                        .split("<td class=\"n\">")
                        .map(|cell| cell.split('<').next().unwrap().to_owned())
                        .filter(|cell| !cell.is_empty())
                        .collect()
                })
                .collect();
            assert_eq!(rows.len(), 8, "{name}: {table}");
            assert_eq!(rows[0][0], "2026-W11", "{name}: the current week comes first");
            // The Monday of that week in the topic's zone, and those before.
            let monday = 1_773_014_400_000_i64 - shift;
            for (back, row) in rows.iter().enumerate() {
                let from = monday - i64::try_from(back).unwrap() * 604_800_000;
                let of = format!(
                    "FROM v_item i WHERE i.topic = '{topic}' AND \
                     CASE WHEN i.published_at < i.first_seen THEN i.published_at ELSE i.first_seen END >= '{}' AND \
                     CASE WHEN i.published_at < i.first_seen THEN i.published_at ELSE i.first_seen END < '{}'",
                    Time(from).iso_millis(),
                    Time(from + 604_800_000).iso_millis()
                );
                let number = |what: &str| place.database.number(&format!("SELECT {what} {of}")).to_string();
                // Nothing is known about a week that was not covered at all.
                let plain = |cell: &str| cell.trim_start_matches("≥\u{a0}").replace('–', "0");
                let reported = (plain(&row[1]), plain(&row[2]), row[3].clone());
                let scored = number(
                    "coalesce(sum(CASE WHEN i.tone IN ('negative', 'neutral', 'positive') THEN 1 ELSE 0 END), 0)",
                );
                assert_eq!(
                    reported,
                    (number("count(*)"), number("count(DISTINCT coalesce(i.cluster, i.key))"), scored),
                    "{name} {topic}: {row:?}"
                );
            }
            assert!(rows.iter().filter(|row| !["0", "–"].contains(&&*row[1])).count() > 4, "{name}: {rows:?}");
            // The switch and the form keep the other parameters.
            assert!(
                page.contains("href=\"/topics/rust?order=engagement#days\"") == (topic == "rust"),
                "{name}: {page}"
            );
            assert!(page.contains("<input type=\"hidden\" name=\"by\" value=\"week\">"), "{name}");
            // Each bar has its numbers as a label.
            let reported = format!("aria-label=\"2026-W11: {} items, {} without near-copies\"", rows[0][1], rows[0][2]);
            assert!(page.contains(&reported), "{name}: {reported}");
        }
        assert!(
            pages.page("/topics/acme").contains("The last 14 days") && pages.get("/topics/acme?by=year").status == 400,
            "{name}"
        );
    }
}
