//! Marks on the pages and through the API, on both databases: who may set them, that buttons and API calls do the same,
//! and what is shown.

use serde_json::Value;

use crate::support::api_client::{get_json, schema_errors, send_request};
use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::{ON_DEMAND_TOPIC, Pages, TOKEN};

const MARKS: &str = "/api/v1/topics/acme/marks";
const FORM: &str = "/topics/acme/marks";

fn encoded(key: &str) -> String {
    url::form_urlencoded::byte_serialize(key.as_bytes()).collect()
}

fn marks(place: &Place) -> Vec<String> {
    place.database.texts("SELECT mark || ' ' || through FROM item_mark ORDER BY item")
}

#[test]
fn buttons_set_and_remove_marks_and_return_to_their_page() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        let pages = Pages::run(&place);
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        let (cookie, origin) = (pages.log_in(), pages.origin());
        let headers = [("Cookie", cookie.as_str()), ("Origin", origin.as_str())];
        let see = |path: &str| pages.request("GET", path, &headers[..1], "").body;
        let topic = see("/topics/acme?copies=all");
        assert!(topic.contains("action=\"/topics/acme/marks\""), "{name}: {topic}");
        assert!(topic.contains("value=\"/topics/acme?copies=all#i0\""), "{name}: it leads back");
        let key = topic.split("name=\"key\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let item = format!("/item?key={}", encoded(&key));
        let press = |mark: &str, back: &str| {
            let body = format!("key={}&mark={mark}&back={}", encoded(&key), encoded(back));
            let answer = pages.request("POST", FORM, &headers, &body);
            (answer.status, answer.header("location").unwrap_or("").to_owned())
        };
        assert_eq!(press("good", &item), (303, item.clone()), "{name}");
        assert_eq!(marks(&place), ["good page"], "{name}");
        let page = see(&item);
        assert!(page.contains("marked <strong>good</strong>") && page.contains("Remove mark"), "{name}: {page}");
        assert_eq!(press("noise", "//evil.example/topics/"), (303, "/topics/acme".to_owned()), "{name}");
        assert_eq!(marks(&place), ["noise page"], "{name}");
        assert!(see("/topics/acme").contains("marked <strong>noise</strong>"), "{name}");
        assert_eq!(press("none", "/topics/acme?order=engagement"), (303, "/topics/acme?order=engagement".to_owned()));
        assert!(marks(&place).is_empty(), "{name}");
        // The page of an item whose key has many signs that addresses encode.
        let long = format!("/item?key=page%3Ahttps%3A%2F%2Fa.example%2F%3F{}", "a%3D1%26".repeat(120));
        assert_eq!(press("good", &long), (303, long.clone()), "{name}");
        assert_eq!(press("none", "/topics/acme"), (303, "/topics/acme".to_owned()), "{name}");
        // Unauthorised and invalid requests mark nothing.
        let right = format!("key={}&mark=good", encoded(&key));
        for (status, headers, body) in [
            (401, vec![("Origin", origin.as_str())], right.as_str()),
            (403, vec![headers[0]], right.as_str()),
            (403, vec![headers[0], ("Origin", "http://evil.example")], right.as_str()),
            (400, headers.to_vec(), "key=post%3Ax%3A1&mark=perhaps"),
            (400, headers.to_vec(), "key=post%3Ax%3A1"),
            (404, headers.to_vec(), "key=post%3Ax%3Anobody&mark=good"),
            (404, headers.to_vec(), "mark=good"),
            (400, headers.to_vec(), "key=%00&mark=good"),
        ] {
            let answer = pages.request("POST", FORM, &headers, body);
            assert_eq!(answer.status, status, "{name}: {body}\n{}", answer.text);
        }
        assert_eq!(pages.request("POST", "/topics/nobody/marks", &headers, &right).status, 404, "{name}");
        assert!(marks(&place).is_empty(), "{name}");
        assert!(see("/topics/acme?order=relevance").contains("Relevance needs at least 20 marks"), "{name}");
        // A list that is empty because of its order says nothing about the findings.
        for (order, why) in [("relevance", "this order lists nothing"), ("velocity", "Nothing rose enough")] {
            let page = see(&format!("/topics/acme?order={order}"));
            assert!(page.contains(why) && !page.contains("Nothing found yet"), "{name}: {page}");
            assert!(page.contains("Words, tone, source, author and first seen do not apply"), "{name}: {page}");
        }
        // Marks of suggested items are recorded as such, and a press leads back to the next suggestions.
        let list = "/topics/acme?order=suggested";
        assert!(see("/topics/acme").contains(&format!("<a href=\"{list}#items\">Suggest items to mark</a>")), "{name}");
        let page = see(list);
        let field = "name=\"suggested\" value=\"true\"";
        assert_eq!(page.matches(field).count(), 5, "{name}: {page}");
        assert_eq!(
            see(&format!("{list}&filtered=only")).matches(field).count(),
            5,
            "{name}: the filter field is not used"
        );
        assert!(
            page.contains(&format!("value=\"{list}#i0\"")) && !see("/topics/acme").contains(field),
            "{name}: {page}"
        );
        let key = page.split("name=\"key\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let body = |word: &str| format!("key={}&mark=noise&suggested={word}&back={}", encoded(key), encoded(list));
        assert_eq!(pages.request("POST", FORM, &headers, &body("perhaps")).status, 400, "{name}");
        let answer = pages.request("POST", FORM, &headers, &body("true"));
        assert_eq!((answer.status, answer.header("location")), (303, Some(list)), "{name}");
        assert_eq!(place.database.texts("SELECT mark || ' ' || suggested FROM item_mark"), ["noise 1"], "{name}");
        let next = see(list);
        assert!(next.matches(field).count() == 5 && !next.contains(&format!("name=\"key\" value=\"{key}\"")), "{name}");
    }
}

#[test]
fn the_api_sets_marks_with_a_token_and_returns_marks_and_relevance() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        let pages = Pages::run(&place);
        place.ok(&["topic", "run", "acme", "--wait", "--timeout", "50s"]);
        let keys = place.database.texts("SELECT key FROM v_item ORDER BY key");
        let bearer = format!("Bearer {TOKEN}");
        let (token, json) = (("Authorization", bearer.as_str()), ("Content-Type", "application/json"));
        let see = |path: &str| send_request(&pages, "GET", path, &[token], "").json();
        let body = |key: &str, mark: &str| serde_json::json!({ "key": key, "mark": mark }).to_string();
        let put = |key: &str, mark: &str| send_request(&pages, "POST", MARKS, &[token, json], &body(key, mark));
        let reply = put(&keys[0], "noise");
        assert_eq!(reply.status, 200, "{name}: {}", reply.text());
        let document = see("/api/v1/openapi.json");
        let schema = &document["paths"][MARKS.replace("acme", "{topic}")]["post"]["responses"]["200"]["content"];
        let wrong = schema_errors(&document, &schema["application/json"]["schema"], &reply.json(), "$");
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert_eq!(marks(&place), ["noise api"], "{name}");
        let item = format!("/api/v1/items?key={}", encoded(&keys[0]));
        assert_eq!(see(&item)["data"]["topics"][0]["mark"], "noise", "{name}");
        let gone = send_request(&pages, "DELETE", &format!("{MARKS}?key={}", encoded(&keys[0])), &[token], "");
        assert_eq!((gone.status, &gone.json()["data"]["mark"]), (200, &Value::Null), "{name}");
        assert!(marks(&place).is_empty(), "{name}");
        // Only suggested items are recorded as suggested.
        let list = see("/api/v1/topics/acme/items?order=suggested&limit=3");
        let suggested: Vec<&str> =
            list["data"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect();
        assert_eq!((suggested.len(), &list["complete"]), (3, &Value::Bool(true)), "{name}: {list}");
        let sent = serde_json::json!({ "key": suggested[0], "mark": "good", "suggested": true }).to_string();
        assert_eq!(send_request(&pages, "POST", MARKS, &[token, json], &sent).status, 200, "{name}");
        put(suggested[1], "good");
        let reported = see(MARKS);
        let flags: Vec<(&Value, &Value)> =
            reported["data"].as_array().unwrap().iter().map(|row| (&row["key"], &row["suggested"])).collect();
        let flag = |key: &str| flags.iter().find(|(of, _)| **of == *key).unwrap().1.clone();
        assert_eq!([flag(suggested[0]), flag(suggested[1])], [true, false], "{name}: {reported}");
        for refused in ["search=a", "noise=fold", "filtered=keep"] {
            let path = format!("/api/v1/topics/acme/items?order=suggested&{refused}");
            send_request(&pages, "GET", &path, &[token], "").assert_problem(409);
        }
        for key in &suggested[..2] {
            send_request(&pages, "DELETE", &format!("{MARKS}?key={}", encoded(key)), &[token], "");
        }
        assert!(marks(&place).is_empty(), "{name}");
        for (status, headers, body) in [
            (401, vec![json], body(&keys[0], "good")),
            (401, vec![json, ("Authorization", "Bearer x")], body(&keys[0], "good")),
            (415, vec![token], body(&keys[0], "good")),
            (400, vec![token, json], body(&keys[0], "perhaps")),
            (400, vec![token, json], "{\"key\": \"a\"}".to_owned()),
            (400, vec![token, json], body("\0", "good")),
            (400, vec![token, json], body(&keys[0], "good").replace('}', ",\"suggested\":1}")),
            (404, vec![token, json], body("post:x:nobody", "good")),
        ] {
            send_request(&pages, "POST", MARKS, &headers, &body).assert_problem(status);
        }
        send_request(&pages, "DELETE", MARKS, &[token], "").assert_problem(400);
        send_request(&pages, "DELETE", &format!("{MARKS}?key=a"), &[], "").assert_problem(401);
        send_request(&pages, "POST", &MARKS.replace("acme", "nobody"), &[token, json], &body(&keys[0], "good"))
            .assert_problem(404);
        assert!(marks(&place).is_empty(), "{name}");
        // From twenty marks on, every item has a relevance; before that, none.
        let list = "/api/v1/topics/acme/items?copies=all&limit=200";
        let rows = see(list);
        assert!(rows["learned"].is_null() && rows["data"].as_array().unwrap().len() >= 20, "{name}");
        assert!(rows["data"].as_array().unwrap().iter().all(|row| row["relevance"].is_null()), "{name}");
        for (number, key) in keys.iter().take(20).enumerate() {
            assert_eq!(put(key, if number % 2 == 0 { "good" } else { "noise" }).status, 200, "{name}");
        }
        let rows = see(list);
        assert!(rows["learned"].as_str().unwrap().starts_with("learned from 20 marks"), "{name}: {rows}");
        for row in rows["data"].as_array().unwrap() {
            assert!((0.0..=1.0).contains(&row["relevance"].as_f64().unwrap()), "{name}: {row}");
        }
        let ranked = see("/api/v1/topics/acme/items?order=relevance&limit=200");
        let relevance = ranked["data"].as_array().unwrap().iter().map(|row| row["relevance"].as_f64().unwrap());
        assert!(relevance.collect::<Vec<_>>().is_sorted_by(|a, b| a >= b), "{name}: {ranked}");
        // All items were looked through, and the page does not say otherwise.
        assert_eq!(ranked["complete"], true, "{name}");
        let page = send_request(&pages, "GET", "/topics/acme?order=relevance", &[token], "").text();
        assert!(page.contains("learned from 20 marks") && !page.contains("older ones were not"), "{name}: {page}");
        // Its file has near-copies; that of the usual list has none.
        assert!(page.contains("Download CSV") && !page.contains("Near-copies are left out."), "{name}: {page}");
        let page = send_request(&pages, "GET", "/topics/acme", &[token], "").text();
        assert!(page.contains("Near-copies are left out."), "{name}: {page}");
        send_request(&pages, "GET", "/api/v1/topics/acme/items?order=relevance&tone=negative", &[token], "")
            .assert_problem(409);
    }
}

#[test]
fn a_read_only_process_shows_marks_and_refuses_new_ones() {
    for database in databases() {
        let name = database.name;
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), ON_DEMAND_TOPIC);
        place.ok(&["once", "--at", NINE]);
        let key = place.database.first_key();
        place.ok(&["mark", "acme", &key, "good"]);
        let pages = Pages::serve(&place, &["--at", NINE]);
        let page = pages.page(&format!("/item?key={}", encoded(&key)));
        assert!(page.contains("marked <strong>good</strong>") && !page.contains("<button"), "{name}: {page}");
        assert!(!pages.page("/topics/acme").contains("Suggest items to mark"), "{name}");
        let list = get_json(&pages, "/api/v1/topics/acme/items?copies=all&limit=200");
        let marked = list["data"].as_array().unwrap().iter().filter(|row| row["mark"] == "good").count();
        assert_eq!(marked, 1, "{name}");
        let body = format!("key={}&mark=noise", encoded(&key));
        assert_eq!(pages.request("POST", FORM, &[("Origin", &pages.origin())], &body).status, 403, "{name}");
        let json = serde_json::json!({ "key": key, "mark": "noise" }).to_string();
        send_request(&pages, "POST", MARKS, &[("Content-Type", "application/json")], &json).assert_problem(403);
        send_request(&pages, "DELETE", &format!("{MARKS}?key={}", encoded(&key)), &[], "").assert_problem(403);
        assert_eq!(marks(&place), ["good cli"], "{name}");
    }
}
