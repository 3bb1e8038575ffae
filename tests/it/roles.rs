//! Permissions: every route and API operation with every kind of visitor. The routes come from the program: one without
//! a row here fails the test.

use std::collections::{BTreeMap, BTreeSet};

use topicwatch::model::Role;
use topicwatch::web::{AccessRule, declared};

use crate::support::access_stage::{
    SHARED_KEY, Visitor, add_share_link, add_token, log_in_with, place, shows_nothing_hidden, start_pages,
};
use crate::support::databases::databases;
use crate::support::web_client::TOKEN;
use crate::support::world::hour;

/// The access that each route requires: none (open), a role for the topic in its path (topic), a role, with results
/// limited to the token's topics (some), or a role for all topics (all).
const ROWS: &str = "
GET /                                              some read
GET /topics/{topic}                                topic read
POST /topics/{topic}                               topic act
POST /topics/{topic}/marks                         topic act
GET /answers/{topic}                               topic read
GET /topics/{topic}/report                         topic read
GET /topics/{topic}/items.csv                      topic read
GET /topics/{topic}/items.xlsx                     topic read
GET /topics/{topic}/items.jsonl                    topic read
GET /item                                          some read
GET /items                                         all read
GET /items.csv                                     all read
GET /items.xlsx                                    all read
GET /items.jsonl                                   all read
POST /items/star                                   all act
POST /items/note                                   all act
POST /searches                                     all act
GET /searches/{file}                               all read
GET /jobs                                          all read
POST /jobs                                         all edit
GET /jobs/new                                      all read
POST /jobs/new                                     all edit
POST /jobs/check                                   all read
GET /jobs/topics/{id}                              all read
POST /jobs/topics/{id}                             all edit
GET /progress/{run}                                all read
GET /progress/{run}/events                         all read
GET /keys                                          some read
POST /mcp                                          all read
GET /runs                                          some read
GET /alerts                                        all read
POST /alerts                                       all act
GET /files                                         all read
GET /file                                          all read
GET /health                                        all read
GET /access                                        all edit
GET /shared/{secret}                               open
GET /healthz                                       open
GET /readyz                                        open
GET /metrics                                       all read
GET /login                                         open
POST /login                                        open
POST /logout                                       some read
GET /style.css                                     open
GET /live.js                                       open
GET /api/v1/openapi.json                           some read
GET /api/v1/topics                                 some read
GET /api/v1/topics/{topic}                         topic read
GET /api/v1/topics/{topic}/items                   topic read
GET /api/v1/topics/{topic}/answers                 topic read
GET /api/v1/topics/{topic}/days                    topic read
GET /api/v1/topics/{topic}/terms                   topic read
GET /api/v1/topics/{topic}/requests                topic read
POST /api/v1/topics/{topic}/requests               topic act
GET /api/v1/topics/{topic}/requests/{request}      topic read
GET /api/v1/topics/{topic}/marks                   topic read
POST /api/v1/topics/{topic}/marks                  topic act
DELETE /api/v1/topics/{topic}/marks                topic act
GET /api/v1/items                                  some read
GET /api/v1/items/{key}/story                      all read
GET /api/v1/runs                                   some read
GET /api/v1/runs/{run}                             some read
GET /api/v1/alerts                                 all read
GET /api/v1/alerts/{alert}                         all read
GET /api/v1/alert-events                           all read
GET /api/v1/alerts/{alert}/requests                all read
POST /api/v1/alerts/{alert}/requests               all act
GET /api/v1/alerts/{alert}/requests/{request}      all read
GET /api/v1/reports                                all read
GET /api/v1/exports                                all read
GET /api/v1/files                                  all read
GET /api/v1/exports/{file}                         some read
POST /api/v1/stars                                 all act
DELETE /api/v1/stars                               all act
POST /api/v1/notes                                 all act
DELETE /api/v1/notes                               all act
GET /api/v1/searches                               all read
POST /api/v1/searches                              all act
DELETE /api/v1/searches/{search}                   all act
";

/// Method, path, reach and role.
fn rows() -> Vec<(String, String, String, Option<Role>)> {
    let row = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path, reach) = (words.next()?, words.next()?, words.next()?);
        Some((method, path, reach, words.next().and_then(|role| Role::parse(&role))))
    };
    ROWS.lines().filter_map(row).collect()
}

#[test]
fn every_route_has_a_row_with_the_access_it_needs() {
    let reported: BTreeSet<String> =
        rows().into_iter().map(|(method, path, reach, role)| format!("{method} {path} {reach} {role:?}")).collect();
    let served: BTreeSet<String> = declared()
        .into_iter()
        .map(|one| {
            let (reach, role) = match one.need {
                AccessRule::Open => ("open", None),
                AccessRule::OfTopic(role) => ("topic", Some(role)),
                AccessRule::InScope(role) => ("some", Some(role)),
                AccessRule::OfAll(role) => ("all", Some(role)),
            };
            format!("{} {} {reach} {role:?}", one.method, one.path)
        })
        .collect();
    assert_eq!(reported, served, "left: the rows above, right: the served routes");
}

/// A URL of a route for a topic.
fn address(path: &str, topic: &str) -> String {
    let key = SHARED_KEY.replace(':', "%3A");
    let file = if path.starts_with("/searches/") { "nobody.atom" } else { "items.jsonl" };
    let nobody = ["request", "alert", "search"].map(|name| (name, "nobody"));
    let filled = [&[("topic", topic), ("id", topic), ("key", key.as_str()), ("file", file)][..], &nobody].concat();
    let mut all =
        filled.iter().fold(path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
    all = all.replace("{run}", &format!("topic:{topic}@{}", hour(0))).replace("{secret}", "nobody");
    match path {
        "/item" | "/api/v1/items" => format!("{all}?key={key}"),
        "/file" | "/api/v1/files" => format!("{all}?run=nobody"),
        _ => all,
    }
}

#[test]
fn every_route_grants_access_exactly_as_its_row_says() {
    for database in databases() {
        let (_world, place) = place(database);
        let secrets: BTreeMap<&str, String> = [
            ("all", vec!["all", "--role", "read"]),
            ("one", vec!["one", "--role", "read", "--topic", "acme"]),
            ("tag", vec!["tag", "--role", "read", "--tag", "news"]),
            ("act", vec!["act", "--role", "act"]),
            ("act-one", vec!["act-one", "--role", "act", "--topic", "acme"]),
            ("edit", vec!["edit", "--role", "edit"]),
            ("gone", vec!["gone", "--role", "edit"]),
        ]
        .into_iter()
        .map(|(name, args)| (name, add_token(&place, &args)))
        .collect();
        let (good, _) = add_share_link(&place, &["--topic", "acme", "--for", "300d"]);
        let (expired, _) = add_share_link(&place, &["--topic", "acme", "--for", "1h", "--at", &hour(9)]);
        let pages = start_pages(&place, true);
        let ended = log_in_with(&pages, &secrets["gone"]);
        let seen = |cookie: &str| Visitor::Cookie(cookie).request(&pages, 1, "GET", "/", "").status;
        assert_eq!(seen(&ended), 200);
        place.ok(&["token", "withdraw", "gone"]);
        assert_eq!(seen(&ended), 303, "a session ends with its token, at once");
        let cookie = log_in_with(&pages, &secrets["one"]);
        let of = |name: &str| Visitor::Bearer(&secrets[name]);
        // Name, visitor, address, role, and whether for all topics or only acme.
        let visitors = [
            ("nobody", Visitor::Anonymous, 1, None),
            ("the configured token", Visitor::Bearer(TOKEN), 1, Some((Role::Edit, true))),
            ("read", of("all"), 1, Some((Role::Read, true))),
            ("read one topic", of("one"), 1, Some((Role::Read, false))),
            ("read by tag", of("tag"), 1, Some((Role::Read, false))),
            ("act", of("act"), 1, Some((Role::Act, true))),
            ("act on one topic", of("act-one"), 1, Some((Role::Act, false))),
            ("edit", of("edit"), 1, Some((Role::Edit, true))),
            ("read one topic, logged in", Visitor::Cookie(&cookie), 1, Some((Role::Read, false))),
            ("withdrawn", of("gone"), 2, None),
            ("withdrawn, logged in", Visitor::Cookie(&ended), 1, None),
            ("a link as a token", Visitor::Bearer(&good), 3, None),
            ("an expired link as a token", Visitor::Bearer(&expired), 4, None),
        ];
        let right = format!("token={TOKEN}");
        for (who, visitor, from, rights) in &visitors {
            for (method, path, reach, needed) in rows() {
                // The API and MCP accept no cookies.
                let program = path.starts_with("/api/") || path == "/mcp";
                let rights = rights.filter(|_| !(program && matches!(visitor, Visitor::Cookie(_))));
                let mut asked = ["acme", "zebra"].map(|topic| (topic, address(&path, topic))).to_vec();
                // Without a topic in it, an address is asked once.
                asked.dedup_by(|second, first| second.1 == first.1);
                for (topic, at) in asked {
                    if path == "/logout" && matches!(visitor, Visitor::Cookie(_)) {
                        continue; // It would end the session of the rows below.
                    }
                    // A wrong token or link of one visitor must not count against another.
                    let (asker, from, body) = match path.as_str() {
                        "/login" => (visitor, *from, right.as_str()),
                        "/shared/{secret}" => (visitor, 9, ""),
                        _ => (visitor, *from, ""),
                    };
                    let reply = asker.request(&pages, from, &method, &at, body);
                    let (status, name) =
                        (reply.status, format!("{}: {who}: {method} {at}: {}", place.database.name, reply.status));
                    let Some(needed) = needed else {
                        assert!(!matches!(status, 401 | 403), "{name}");
                        continue;
                    };
                    let Some((role, all)) = rights else {
                        let to_log_in =
                            status == 303 && reply.header("location").is_some_and(|to| to.starts_with("/login"));
                        assert!(matches!(status, 401 | 429) || to_log_in && !program, "{name}");
                        // The address to return to is what the visitor sent.
                        assert!(!reply.body_text().to_lowercase().contains("acme"), "{name}\n{}", reply.text());
                        continue;
                    };
                    let reaches = all || reach == "some" || reach == "topic" && topic == "acme";
                    if role >= needed && reaches {
                        assert!(!matches!(status, 401 | 403 | 429 | 500 | 503), "{name}\n{}", reply.text());
                        assert!(
                            status != 303
                                || path == "/logout"
                                || !reply.header("location").is_some_and(|to| to.starts_with("/login")),
                            "{name}"
                        );
                    } else {
                        assert_eq!(status, 403, "{name}\n{}", reply.text());
                    }
                    if method == "GET" && topic == "acme" && !all {
                        let text = reply.text().to_lowercase();
                        assert!(shows_nothing_hidden(&text), "{name}\n{text}");
                    }
                }
            }
        }
        // Links show their target while they are valid.
        let shown = |secret: &str| Visitor::Anonymous.request(&pages, 5, "GET", &format!("/shared/{secret}"), "");
        assert_eq!((shown(&good).status, shown(&expired).status), (200, 404));
        pages.program.signal("TERM");
        let ended = pages.program.wait();
        for secret in secrets.values().chain([&good, &expired]) {
            assert!(!ended.err.contains(secret) && !ended.out.contains(secret), "{ended}");
        }
    }
}
