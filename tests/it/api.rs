//! The API through the program, on both databases: answers match the published document, pages contain each row once,
//! and invalid requests are refused. Access is tested in `api_access`, exports in `api_exports`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::alert_rows::Event;
use crate::support::api_client::{get_json, schema_errors, send_request};
use crate::support::databases::{Database, block_on, databases, sql_literal};
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;
use crate::support::web_topics::TOPICS;

const EIGHT: &str = "2026-03-11T08:00:00Z";

const ALERTS: &str = "[[alerts]]\nname = \"recalls\"\nrule = \"items\"\nquiet = \"22:00-07:00\"\n\
    [[alerts]]\nname = \"sick\"\nrule = \"source\"\ntopics = [\"acme\"]\n";

/// Two topics with two runs each, two alerts (one fires), a finished report and export, and a request.
fn filled_place(database: Database) -> (Sandbox, Place) {
    let sandbox = Sandbox::at(EIGHT, &[]);
    let place = Place::new(database, &sandbox.lines(), &format!("{TOPICS}{ALERTS}"));
    // The alerts start to evaluate.
    place.ok(&["once", "--due", "--at", "2026-03-11T07:59:00Z"]);
    for at in [EIGHT, NINE] {
        sandbox.set_clock(at);
        place.ok(&["once", "--at", at]);
    }
    std::fs::write(place.path("day.md"), "# A day").unwrap();
    std::fs::write(place.path("rows.csv"), "key").unwrap();
    place.database.add_report(&[place.path("day.md")]);
    let rows = sql_literal(&serde_json::json!([place.path("rows.csv")]).to_string());
    block_on(place.database.execute(&format!(
        "INSERT INTO export_edition (export, number, run, at, seq_since, seq_until, definition, files, written, done_at) \
         VALUES ('x', 1, 'export:x@2026-03-11T07:00:00Z', 1773219600000, 0, 1, '{{}}', {rows}, 7, 1773219600001); \
         INSERT INTO request (id, kind, topic, asked_at, state, answer) VALUES ('R1', 'run_now', 'acme', 1773219600000, 'done', 'queued'); \
         INSERT INTO request (id, kind, alert, event, length, asked_at, state, answer) VALUES ('R2', 'snooze', 'recalls', NULL, 3600000, 1773219600000, 'done', 'tells nobody'); \
         INSERT INTO item_mark (topic, item, mark, at, through) SELECT topic, item, 'good', 1773219600000, 'api' FROM topic_item WHERE topic = 'acme'"
    )));
    let nine = Event::default().at;
    place.database.add_firings(&[("sick", "acme/web", nine, true), ("sick", "acme/social", nine + 1, false)]);
    place.database.add_snooze("sick", nine, nine + 100_000);
    place.database.add_events(&[
        Event {
            alert: "recalls",
            of: "topic:acme@2026-03-11T09:00:00Z",
            summary: "acme: 1 new item",
            lines: r#"[{"text":"words","key":"post:x:2"},{"text":"and 3 more"}]"#,
            ..Event::default()
        },
        Event {
            alert: "gone",
            of: "2026-03-11",
            subject: "service/2026-03-11",
            summary: "the day",
            ..Event::default()
        },
    ]);
    place.database.save_searches(&[("all", Some("acme"), "{\"kind\":\"post\"}")]);
    let key = place.database.first_key();
    for topic in place.database.texts(&format!("SELECT topic FROM v_item WHERE key = '{}'", key.replace('\'', "''"))) {
        place.database.add_revision(&topic, &key, "before");
    }
    (sandbox, place)
}

/// Fills the parameters of a path, and the required query parameters.
fn fill_parameters(place: &Place, path: &str) -> String {
    let run = place.database.texts("SELECT run FROM v_run WHERE topic = 'acme' ORDER BY seq LIMIT 1");
    let key = place.database.first_key();
    let key = url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>();
    let request = if path.contains("{alert}") { "R2" } else { "R1" };
    let path = path
        .replace("{topic}", "acme")
        .replace("{run}", &run[0])
        .replace("{request}", request)
        .replace("{alert}", "recalls")
        .replace("{key}", &key);
    match path.as_str() {
        "/api/v1/items" => format!("{path}?key={key}"),
        "/api/v1/files" => format!("{path}?run=report:day@2026-03-11T07:00:00Z"),
        _ => path.replace("{file}", "items.csv"),
    }
}

/// A URL with one more parameter.
fn with_parameter(address: &str, name: &str, value: &str) -> String {
    let pair = url::form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
    format!("{address}{}{pair}", if address.contains('?') { '&' } else { '?' })
}

#[test]
fn every_api_operation_answers_as_its_document_says() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = filled_place(database);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let document = get_json(&pages, "/api/v1/openapi.json");
        assert_eq!(document["openapi"], "3.1.0");
        let terms = &document["components"]["schemas"]["TermNews"]["properties"];
        assert_eq!(
            (&terms["untold"]["deprecated"], &terms["no_terms"]["deprecated"]),
            (&Value::Bool(true), &Value::Null)
        );
        let paths = document["paths"].as_object().unwrap();
        assert!(paths.len() > 12, "{paths:?}");
        let mut asked = 0;
        for (path, operations) in paths {
            let address = fill_parameters(&place, path);
            for (method, operation) in operations.as_object().unwrap() {
                if method != "get" {
                    continue;
                }
                asked += 1;
                let content = operation["responses"]["200"]["content"].as_object().unwrap();
                let reply = send_request(&pages, "GET", &address, &[], "");
                assert_eq!((reply.status, reply.whole), (200, true), "{name}: {address}\n{}", reply.text());
                let kind = reply.header("content-type").unwrap();
                let reported = content.get(kind).unwrap_or_else(|| panic!("{address} is {kind}, not {content:?}"));
                if kind == "application/json" {
                    let value = reply.json();
                    let wrong = schema_errors(&document, &reported["schema"], &value, "$");
                    assert!(wrong.is_empty(), "{name}: {address}\n{}", wrong.join("\n"));
                    let some = value.get("data").is_none_or(|data| data.as_array().is_none_or(|rows| !rows.is_empty()));
                    assert!(some, "{name}: {address} returns nothing");
                }
                let head = send_request(&pages, "HEAD", &address, &[], "");
                assert_eq!((head.status, head.body.len()), (200, 0), "{address}");
            }
            // Methods that the document does not list are refused.
            for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
                if operations.get(method.to_lowercase()).is_none() {
                    let reply = send_request(&pages, method, &address, &[], "");
                    reply.assert_problem(405);
                    assert!(
                        reply
                            .header("allow")
                            .is_some_and(|allow| allow.contains("GET") == operations.get("get").is_some()),
                        "{}",
                        reply.text()
                    );
                }
            }
        }
        assert!(asked > 12);
        for nowhere in ["/api", "/api/", "/api/v1", "/api/v2/topics", "/api/v1/topics/", "/api/v1/exports/items.xml"] {
            send_request(&pages, "GET", nowhere, &[], "").assert_problem(404);
        }
    }
}

#[test]
fn a_parameter_at_its_bounds_is_accepted_and_one_outside_is_refused() {
    let (_sandbox, place) = filled_place(crate::support::databases::sqlite());
    let pages = Pages::serve(&place, &["--at", NINE]);
    let document = get_json(&pages, "/api/v1/openapi.json");
    let mut looked_at = 0;
    let paths = document["paths"].as_object().unwrap();
    for (path, operations) in paths.iter().filter(|(_, operations)| operations.get("get").is_some()) {
        let (address, operation) = (fill_parameters(&place, path), &operations["get"]);
        let refuse = |name: &str, value: &str| {
            let clean: String = address.split('?').next().unwrap().to_owned();
            let needed = address.split_once('?').map_or(String::new(), |(_, query)| query.to_owned());
            let address = if needed.starts_with(&format!("{name}=")) { clean } else { address.clone() };
            let said = send_request(&pages, "GET", &with_parameter(&address, name, value), &[], "").assert_problem(400);
            assert!(said.contains(name), "{address} {name}={value}: {said}");
        };
        let said = send_request(&pages, "GET", &with_parameter(&address, "colour", "red"), &[], "").assert_problem(400);
        assert!(said.contains("`colour`"), "{said}");
        for parameter in operation["parameters"].as_array().unwrap().iter().filter(|p| p["in"] == "query") {
            looked_at += 1;
            let name = parameter["name"].as_str().unwrap();
            let (schema, many) = match parameter["schema"].get("items") {
                Some(items) => (items, true),
                None => (&parameter["schema"], false),
            };
            refuse(name, "");
            refuse(name, "\0");
            if let Some(most) = schema["maxLength"].as_u64() {
                refuse(name, &"x".repeat(usize::try_from(most).unwrap() + 1));
            }
            if let (Some(least), Some(most)) = (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
                for wrong in [least - 1, most + 1] {
                    refuse(name, &wrong.to_string());
                }
                for wrong in ["x", "1.0", "+1", "01", " 1", "99999999999999999999"] {
                    refuse(name, wrong);
                }
                for right in [least, most] {
                    let reply =
                        send_request(&pages, "GET", &with_parameter(&address, name, &right.to_string()), &[], "");
                    assert!(reply.status == 200 || path.ends_with("files"), "{}", reply.text());
                }
            }
            for right in schema["enum"].as_array().into_iter().flatten() {
                let reply =
                    send_request(&pages, "GET", &with_parameter(&address, name, right.as_str().unwrap()), &[], "");
                assert_eq!(reply.status, 200, "{address} {name}={right}\n{}", reply.text());
                refuse(name, &format!("{}x", right.as_str().unwrap()));
            }
            let example = parameter["example"].as_str().unwrap_or("").to_owned();
            if !many && !example.is_empty() && parameter["required"] == false && !path.contains("{file}") {
                let twice = with_parameter(&with_parameter(&address, name, &example), name, &example);
                let said = send_request(&pages, "GET", &twice, &[], "");
                assert_eq!(said.status, 400, "{twice}\n{}", said.text());
            }
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}

#[test]
fn invalid_requests_are_refused_with_a_hint() {
    for database in databases() {
        let (_sandbox, place) = filled_place(database);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let token =
            get_json(&pages, "/api/v1/topics/acme/items?limit=1")["next_page_token"].as_str().unwrap().to_owned();
        let cut = &token[..token.len() - 2];
        for (status, path, said) in [
            (404, "/api/v1/topics/nobody".to_owned(), "no topic `nobody`"),
            (404, "/api/v1/topics/nobody/items".into(), "no topic"),
            (404, "/api/v1/topics/%00/items".into(), "is not a valid"),
            (400, "/api/v1/topics/%ff".into(), "percent-encoded"),
            (400, "/api/v1/topics/acme/items?search=%FF".into(), "percent-encoded"),
            (400, "/api/v1/runs?topic=acm%C3".into(), "percent-encoded"),
            (400, "/api/v1/runs?%ff=acme".into(), "percent-encoded"),
            (404, "/api/v1/topics/..%2f..%2fetc".into(), "no topic"),
            (404, "/api/v1/topics/nobody/answers".into(), "no topic"),
            (404, "/api/v1/topics/nobody/days".into(), "no topic"),
            (404, "/api/v1/topics/acme/requests/nothing".into(), "no request"),
            (404, "/api/v1/topics/acme/requests/R2".into(), "no request"),
            (404, "/api/v1/alerts/nobody".into(), "no alert `nobody`"),
            (404, "/api/v1/alerts/nobody/requests".into(), "no alert"),
            (404, "/api/v1/alerts/recalls/requests/R1".into(), "no request"),
            (404, "/api/v1/alerts/sick/requests/R2".into(), "no request"),
            (404, "/api/v1/runs/nothing".into(), "no run `nothing`"),
            (404, "/api/v1/items?key=nothing".into(), "no item `nothing`"),
            (400, "/api/v1/items".into(), "`key` is missing"),
            // What is needed cannot be omitted.
            (400, "/api/v1/items?key=".into(), "Give 1 to 700 characters."),
            (404, "/api/v1/topics//items".into(), "Give 1 to 64 characters."),
            (400, "/api/v1/topics/acme/items?search=".into(), "characters, or omit it."),
            (404, "/api/v1/files?run=/etc/passwd".into(), "no such file"),
            (400, "/api/v1/files?run=x&n=../../etc/passwd".into(), "whole number"),
            (404, "/api/v1/runs?topic=nobody".into(), "no topic `nobody`"),
            (400, "/api/v1/runs?since=soon".into(), "24h"),
            (409, "/api/v1/topics/acme/items?search=%2D%2D".into(), "no word"),
            (409, "/api/v1/topics/acme/items?order=velocity&tone=negative".into(), "order=velocity"),
            (400, "/api/v1/topics/acme/items?page_token=non%20sense".into(), "next_page_token"),
            (404, "/api/v1/topics/acme/items?page_token=nonsense".into(), "not a page token"),
            (404, format!("/api/v1/topics/acme/items?page_token={cut}"), "page token"),
            (404, format!("/api/v1/topics/acme/items?tone=negative&page_token={token}"), "another query"),
            (404, format!("/api/v1/topics/rust/items?page_token={token}"), "another query"),
            (404, format!("/api/v1/runs?page_token={token}"), "another query"),
        ] {
            let reported = send_request(&pages, "GET", &path, &[], "").assert_problem(status);
            assert!(reported.contains(said), "{path}: {reported}");
        }
        // The page size is not part of the query.
        get_json(&pages, &format!("/api/v1/topics/acme/items?limit=7&page_token={token}"));
    }
}

/// Mistakes found with schemathesis (`scripts/real/schemathesis`): the document allowed what the API refused, and
/// required a token that the API ignores.
#[test]
fn values_valid_by_the_document_are_not_rejected_as_malformed() {
    let (_sandbox, place) = filled_place(crate::support::databases::sqlite());
    let pages = Pages::serve(&place, &["--at", NINE]);
    let document = get_json(&pages, "/api/v1/openapi.json");
    let mut tried = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            assert!(operation.get("security").is_none(), "{method} {path}: there is no token here");
            for (status, header) in [("401", "WWW-Authenticate"), ("429", "Retry-After"), ("503", "Retry-After")] {
                assert_eq!(operation["responses"][status]["headers"][header]["required"], true, "{method} {path}");
            }
            let parameters = operation["parameters"].as_array().unwrap();
            let answers = |status: u16| operation["responses"].get(status.to_string()).is_some();
            assert!(answers(404) || parameters.is_empty(), "{method} {path}");
            for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query" && method == "get") {
                let schema = &parameter["schema"];
                assert_eq!(schema["type"] == "array", schema.get("maxItems").is_some(), "{parameter}");
                let (name, schema) = (parameter["name"].as_str().unwrap(), schema.get("items").unwrap_or(schema));
                let pattern = schema["pattern"].as_str().map(|pattern| regex::Regex::new(pattern).unwrap());
                // Valid by the document, but names nothing that exists.
                for value in ["x", "Nobody/Nowhere", "2999-12-31", "9..2", "last-report", "7d", "-no", "WyJh", "1h"] {
                    let fits = pattern.as_ref().is_some_and(|pattern| pattern.is_match(value));
                    if !fits
                        || parameter["required"] == true
                        || schema["maxLength"].as_u64().is_some_and(|most| most < 15)
                    {
                        continue;
                    }
                    tried += 1;
                    let reply = send_request(
                        &pages,
                        "GET",
                        &with_parameter(&fill_parameters(&place, path), name, value),
                        &[],
                        "",
                    );
                    assert!(matches!(reply.status, 200 | 404 | 409), "{path} {name}={value}\n{}", reply.text());
                    assert!(answers(reply.status), "{path}: {}", reply.status);
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
    // The API accepts a long URL if the document allows it.
    let long = format!("/api/v1/topics/acme/items?search={}", "%C3%A4".repeat(1_000));
    assert_eq!(send_request(&pages, "GET", &long, &[], "").status, 200, "{long}");
    let many = format!("/api/v1/topics/acme/items?{}", "author=ann&".repeat(51));
    assert!(send_request(&pages, "GET", &many, &[], "").assert_problem(400).contains("too often"));
}

/// Reads a list to its end, page by page; calls `between` after the first page.
fn read_all_pages(pages: &Pages, path: &str, id: &str, between: impl FnOnce()) -> Vec<String> {
    let (mut seen, mut next, mut between) = (Vec::new(), None::<String>, Some(between));
    for page in 0.. {
        let address = next.as_ref().map_or(path.to_owned(), |token| with_parameter(path, "page_token", token));
        let answer = get_json(pages, &address);
        let rows = answer["data"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row[id].as_str().unwrap().to_owned()));
        if let Some(between) = between.take() {
            between();
        }
        match &answer["next_page_token"] {
            Value::Null => {
                assert!(page > 2, "{path}: {page} pages only");
                break;
            }
            token => next = Some(token.as_str().unwrap().to_owned()),
        }
        assert!(page < 1_000, "the pages of {path} form a loop");
    }
    seen
}

#[test]
fn paging_returns_each_row_once_while_new_rows_arrive() {
    for database in databases() {
        let name = database.name;
        let (sandbox, place) = filled_place(database);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let mut hour = 9;
        for (path, id, sql) in [
            ("/api/v1/topics/acme/items?copies=all&limit=5", "key", "SELECT key FROM v_item WHERE topic = 'acme'"),
            (
                "/api/v1/topics/acme/items?copies=all&limit=5&order=engagement",
                "key",
                "SELECT key FROM v_item WHERE topic = 'acme'",
            ),
            ("/api/v1/runs?limit=1", "run", "SELECT run FROM v_run"),
            ("/api/v1/runs?limit=1&topic=acme", "run", "SELECT run FROM v_run WHERE topic = 'acme'"),
            ("/api/v1/topics/acme/answers?limit=1", "run", "SELECT run FROM v_answer WHERE topic = 'acme'"),
        ] {
            let before = place.database.texts(sql);
            let seen = read_all_pages(&pages, path, id, || {
                for _ in 0..2 {
                    hour += 1;
                    let at = format!("2026-03-11T{hour:02}:00:00Z");
                    sandbox.set_clock(&at);
                    // Rows sorted by engagement may move when it changes, so only the other topic changes there.
                    let topic = if path.contains("engagement") { "rust" } else { "acme" };
                    place.ok(&["once", "--at", &at, "--topic", topic]);
                }
            });
            let once: BTreeSet<&String> = seen.iter().collect();
            assert_eq!(once.len(), seen.len(), "{name}: {path} shows a row twice");
            for row in &before {
                assert!(once.contains(row), "{name}: {path} leaves out {row}");
            }
            assert_eq!(before.len(), seen.len(), "{name}: {path} is no longer the list that it was when it was begun");
        }
        for (path, id, sql) in [
            ("/api/v1/alerts?limit=1", "alert", "SELECT substr(id, 7) FROM job WHERE kind = 'alert'"),
            ("/api/v1/alert-events?limit=1", "event", "SELECT event FROM alert_event"),
        ] {
            let first = get_json(&pages, path);
            let token = first["next_page_token"].as_str().unwrap();
            let last = get_json(&pages, &format!("{path}&page_token={token}"));
            let mut seen = [&first, &last].map(|page| page["data"][0][id].as_str().unwrap().to_owned());
            seen.sort();
            let mut all = place.database.texts(sql);
            all.sort();
            assert_eq!((seen.to_vec(), &last["next_page_token"]), (all, &Value::Null), "{name}: {path}");
        }
        let topics = get_json(&pages, "/api/v1/topics?limit=1");
        let token = topics["next_page_token"].as_str().unwrap();
        let last = get_json(&pages, &format!("/api/v1/topics?limit=1&page_token={token}"));
        assert_eq!((&topics["data"][0]["topic"], &last["data"][0]["topic"]), (&"acme".into(), &"rust".into()));
        assert_eq!(last["next_page_token"], Value::Null);
    }
}

#[test]
fn item_filters_equal_those_of_the_command_line() {
    for database in databases() {
        let name = database.name;
        let (_sandbox, place) = filled_place(database);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let keys = |rows: &Value| -> BTreeSet<String> {
            rows.as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect()
        };
        let api = |filter: &str| {
            keys(&get_json(&pages, &format!("/api/v1/topics/acme/items?copies=all&limit=200&{filter}"))["data"])
        };
        let found = place.json(&["search", "--topic", "acme", "--limit", "1000", "--json", "launch"]);
        assert_eq!(api("search=launch"), keys(&found["items"]), "{name}");
        let export = |option: &str, value: &str| -> BTreeSet<String> {
            let text = place.ok(&["export", "--topic", "acme", "--format", "jsonl", option, value]);
            keys(&text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>().into())
        };
        let author = place
            .database
            .texts("SELECT author FROM v_item WHERE topic = 'acme' AND author IS NOT NULL ORDER BY 1 LIMIT 1")
            .remove(0);
        for (filter, option, value) in [
            ("tone=negative", "--tone", "negative"),
            ("source=web", "--source", "web"),
            ("since=2026-03-11T09:00:00Z", "--since", NINE),
            ("new_since=2026-03-11T08:30:00Z", "--new-since", "2026-03-11T08:30:00Z"),
            (&format!("author=%40{author}"), "--author", &author),
        ] {
            let (api, by_hand) = (api(filter), export(option, value));
            assert!(api == by_hand && !api.is_empty(), "{name}: {filter}\n{api:?}\n{by_hand:?}");
        }
        // Near-copies are listed under the first item of their cluster.
        let (all, folded) = (api(""), get_json(&pages, "/api/v1/topics/acme/items?limit=200"));
        let under: i64 =
            folded["data"].as_array().unwrap().iter().map(|row| row["copies"]["count"].as_i64().unwrap()).sum();
        assert_eq!(all.len() as i64, folded["data"].as_array().unwrap().len() as i64 + under, "{name}");
        // The API shows the same runs as the command.
        let runs = place.json(&["runs", "--json", "--topic", "acme"]);
        let reported = get_json(&pages, "/api/v1/runs?topic=acme&state=ok");
        let reported: Vec<&Value> = reported["data"].as_array().unwrap().iter().map(|run| &run["run"]).collect();
        let by_hand: Vec<&Value> = runs["runs"].as_array().unwrap().iter().map(|run| &run["run"]).collect();
        assert_eq!(reported, by_hand, "{name}");
        let since = get_json(&pages, "/api/v1/runs?since=2026-03-11T08:30:00Z");
        assert_eq!(since["data"].as_array().unwrap().len(), 2, "{name}");
    }
}

#[test]
fn the_api_returns_hostile_texts_exactly_as_stored() {
    for database in databases() {
        let name = database.name;
        block_on(async {
            let store = crate::support::searched::open_store(&database).await;
            crate::support::sample_history::store_awkward_history(&store).await;
            store.close().await;
        });
        let place = Place::new(database, "base_url = \"sandbox\"", TOPICS);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let document = get_json(&pages, "/api/v1/openapi.json");
        let mut texts = BTreeSet::new();
        for topic in ["calm", "%3Dloud"] {
            for list in ["items", "answers"] {
                let answer = get_json(&pages, &format!("/api/v1/topics/{topic}/{list}?limit=200"));
                let schema = &document["paths"][format!("/api/v1/topics/{{topic}}/{list}")]["get"]["responses"]["200"];
                let schema = &schema["content"]["application/json"]["schema"];
                let wrong = schema_errors(&document, schema, &answer, "$");
                assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
                let rows = answer["data"].as_array().unwrap().clone();
                texts.extend(rows.iter().map(|row| row["text"].as_str().unwrap().to_owned()));
                if list == "items" {
                    let key = rows[0]["key"].as_str().unwrap();
                    let item = get_json(&pages, &with_parameter("/api/v1/items", "key", key));
                    assert_eq!(item["data"]["topics"][0]["text"], rows[0]["text"], "{name}");
                }
            }
        }
        let stored: BTreeSet<String> =
            place.database.texts("SELECT text FROM v_item UNION SELECT text FROM v_answer").into_iter().collect();
        assert_eq!(texts, stored, "{name}");
    }
}

#[test]
fn every_api_operation_is_documented_and_every_curl_example_works() {
    let (_sandbox, place) = filled_place(crate::support::databases::sqlite());
    let pages = Pages::serve(&place, &["--at", NINE]);
    let reported = std::fs::read_to_string(format!("{}/docs/reference/api.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let document = get_json(&pages, "/api/v1/openapi.json");
    let (paths, mut tried) = (document["paths"].as_object().unwrap(), BTreeSet::new());
    for (path, operations) in paths {
        for method in operations.as_object().unwrap().keys() {
            assert!(
                reported.contains(&format!("`{} {path}`", method.to_uppercase())),
                "docs/reference/api.md: {method} {path}"
            );
        }
    }
    let key = place.database.first_key();
    let run = place.database.texts("SELECT run FROM v_run WHERE seq = 1").remove(0);
    for line in reported.lines().filter(|line| line.starts_with("$ curl") && !line.contains("-X ")) {
        let (_, rest) = line.split_once("\"$api/").unwrap();
        let address = format!("/api/v1/{}", rest.split('"').next().unwrap());
        let request = if address.contains("/alerts/") { "R2" } else { "R1" };
        let item = url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>();
        let address = address.replace("$request", request).replace("$run", &run).replace("$item", &item);
        let address = address.replace("$report", "report:day@2026-03-11T07:00:00Z");
        let address = if address.ends_with("/items") && line.contains("$key") {
            with_parameter(&address, "key", &key)
        } else {
            address
        };
        if address.contains("$token") {
            continue;
        }
        let reply = send_request(&pages, "GET", &address, &[], "");
        assert_eq!((reply.status, reply.whole), (200, true), "{line}\n{}", reply.text());
        tried.insert(address.split('?').next().unwrap().to_owned());
    }
    let read = paths.values().filter(|operations| operations.get("get").is_some()).count();
    assert!(tried.len() >= read, "{tried:?}");
}

/// With `--at`, all runs begin at one instant.
#[test]
fn runs_with_equal_times_have_the_same_order_in_cli_api_and_pages() {
    let ids = |rows: &Value| -> Vec<String> {
        rows.as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
    };
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let topic =
            |id: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"acme launch\"\nsources = [\"social\"]\n\n");
        let place = Place::new(database, &sandbox.lines(), &["acme", "globex"].map(topic).concat());
        for _ in 0..3 {
            place.ok(&["once", "--at", NINE]);
        }
        let name = place.database.name;
        let listed = ids(&place.json(&["runs", "--json"])["runs"]);
        assert_eq!(listed.len(), 6, "{name}");
        let pages = Pages::serve(&place, &["--at", NINE]);
        assert_eq!(ids(&get_json(&pages, "/api/v1/runs")["data"]), listed, "{name}");
        let (mut paged, mut token) = (Vec::new(), String::new());
        for _ in &listed {
            let page = get_json(&pages, &format!("/api/v1/runs?limit=1{token}"));
            paged.extend(ids(&page["data"]));
            token = page["next_page_token"].as_str().map_or_else(String::new, |next| format!("&page_token={next}"));
        }
        assert_eq!((paged, token), (listed.clone(), String::new()), "{name}");
        let page = pages.page("/runs");
        let places: Vec<Option<usize>> = listed.iter().map(|run| page.find(run.as_str())).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{name}: {page}");
    }
}
