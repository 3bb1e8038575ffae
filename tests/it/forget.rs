//! `forget` through the binary on both databases, against a service that still returns the forgotten items: nothing is
//! left, nothing comes back, and a forgetting killed at any point can be completed.

use serde_json::{Value, json};

use crate::support::access_stage::{Visitor, add_share_link, add_token};
use crate::support::alert_rows::Event;
use crate::support::copied_posts::cluster_heads;
use crate::support::databases::{Database, block_on, databases, postgres, sqlite};
use crate::support::program::{NINE, Place, wait_until};
use crate::support::receivers::WebhookServer;
use crate::support::service::{FakeServer, Reply, reply};
use crate::support::waits::BLOCKED;
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, post};

const TEN: &str = "2026-03-11T10:00:00Z";
const ELEVEN: &str = "2026-03-11T11:00:00Z";
const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nai.when = \"always\"\n\n\
                      [[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n";
/// A topic that is not due yet.
const QUIET: &str = "[[topics]]\nid = \"quiet\"\nquery = \"quiet\"\nevery = \"6h\"\n";
/// Words that only the forgotten author wrote.
const WORDS: &str = "zanzibar umbrella confession";
const JANES_POST: &str = "https://x.com/Jane_D/status/1900000000000000001";

/// Posts, pages and an answer. One post is Jane's, the pages and the answer link to it, another post quotes it.
fn service(path: &str) -> Reply {
    let body = match path.split('?').next().unwrap_or_default() {
        "/X/search" => format!(
            r#"{{"results": [
              {{"id": "1900000000000000001", "text": "{WORDS} for everybody who reads this long post about acme", "url": "{JANES_POST}",
                "user": {{"username": "Jane_D", "name": "Jane Doe"}}, "created_at": "2026-03-11T08:00:00Z", "like_count": 4}},
              {{"id": "1900000000000000002", "text": "acme opens a second factory near the river, says the mayor of the town", "user": "bob",
                "created_at": "2026-03-11T08:10:00Z"}},
              {{"id": "1900000000000000003", "text": "acme closes the old factory near the river, says the mayor of the town", "user": "cleo",
                "created_at": "2026-03-11T08:20:00Z"}}]}}"#
        ),
        "/ai/search" => {
            format!(r#"{{"summary": "People speak of acme, see {JANES_POST} and others.", "cost_usd": 0.001}}"#)
        }
        _ => format!(
            r#"{{"results": [{{"title": "Post of the day", "url": "https://x.com/i/web/status/1900000000000000001", "snippet": "{WORDS}"}},
              {{"title": "The town's page", "url": "https://town.example/acme", "snippet": "A factory near the river."}}]}}"#
        ),
    };
    reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
}

/// A place where both topics have run once, with a message and a report that mention Jane, and one message that does
/// not.
fn place_that_mentions_jane(database: Database) -> (FakeServer, Place) {
    let server = FakeServer::respond_with(service);
    let place = Place::new(database, &server.lines(), TOPICS);
    place.ok(&["once", "--at", NINE]);
    let message = |event: &str, text: &str, state: &str| {
        format!(
            "INSERT INTO outbox (event, channel, kind, subject, text, html, state, created_at, next_at) \
             VALUES ('{event}', 'mail', 'report', 'A day', '{text}', '<p>{text}</p>', '{state}', 1, 1);"
        )
    };
    let sql = [
        message("hers", "the loudest: @Jane_D, {WORDS}", "queued"),
        message("hers-sent", &format!("see {JANES_POST}"), "sent"),
        message("other", "the loudest: @bob", "queued"),
        "INSERT INTO report (run, name, made_at, span_from, span_until, seq, subject, files) VALUES \
         ('report:daily@x', 'report:daily', 1773300000000, 1, 2, 2, 'The day of @jane_d', '[\"reports/daily.html\"]');"
            .to_owned(),
        // Texts by users that mention her without the `@`.
        "UPDATE job SET pause_reason = 'asked by Jane_D, wait' WHERE topic = 'globex';".to_owned(),
        "UPDATE run SET reason = 'the topic was paused: asked by Jane_D, wait' WHERE topic = 'globex';".to_owned(),
    ]
    .concat();
    block_on(place.database.execute(&sql));
    place.database.note("author = 'bob'", "an answer to jane_d (rude)");
    let acme = Some("acme");
    place.database.save_searches(&[
        ("hers", acme, "{\"q\":\"umbrella jane_d\"}"),
        ("not hers", acme, "{\"q\":\"umbrella -Jane_D\"}"),
        ("of her", acme, "{\"author\":\"jane_d\"}"),
        ("bobs", acme, "{\"author\":\"bob\",\"lang\":\"en\"}"),
    ]);
    (server, place)
}

/// Every text in the database that contains one of these words, ignoring case, by table and column.
fn texts_with(place: &Place, words: &[&str]) -> Vec<String> {
    let mut asked = Vec::new();
    for (table, columns) in [
        ("item", "key url author author_name title text"),
        ("item_key", "key"),
        ("item_revision", "title text"),
        ("item_past", "url author author_name title text"),
        ("answer", "text cited"),
        ("outbox", "subject text html data"),
        ("report", "subject"),
        ("search", "query error_text"),
        ("run", "error_text reason"),
        ("forgotten", "hash"),
        ("job", "definition pause_reason"),
        ("item_note", "note"),
        ("saved_search", "name filters"),
        ("export_edition", "definition"),
        ("store_info", "value"),
    ] {
        for column in columns.split(' ') {
            let any: Vec<String> =
                words.iter().map(|words| format!("lower({column}) LIKE '%{}%'", words.to_lowercase())).collect();
            asked.push(format!("SELECT '{table}.{column}: ' || {column} FROM {table} WHERE {}", any.join(" OR ")));
        }
    }
    // Each query opens the SQLite file again, so one query reads everything.
    place.database.texts(&asked.join(" UNION ALL "))
}

/// The files of a SQLite database that contain one of these texts, ignoring case.
fn files_with(place: &Place, words: &[&str]) -> Vec<String> {
    let Some(file) = place.database.url.strip_prefix("sqlite:") else { return Vec::new() };
    let folder = std::path::Path::new(file).parent().unwrap();
    let mut held = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Bytes that are not text are replaced; the words are ASCII, so they are not affected.
        let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
        let text = String::from_utf8_lossy(&bytes);
        for words in words {
            assert!(words.is_ascii());
            if text.contains(&words.to_lowercase()) {
                held.push(format!("{words} in {}", path.display()));
            }
        }
    }
    held
}

fn assert_gone(place: &Place, when: &str) {
    let name = place.database.name;
    let hers = ["jane", WORDS, "1900000000000000001"];
    assert_eq!(texts_with(place, &hers), Vec::<String>::new(), "{when}, {name}");
    let each: Vec<&str> = hers.into_iter().chain(WORDS.split(' ')).collect();
    assert_eq!(files_with(place, &each), Vec::<String>::new(), "{when}, {name}");
    for what in ["items", "sightings", "answers"] {
        let rows = place.ok(&["export", "--what", what]).to_lowercase();
        assert!(!rows.contains("jane") && !rows.contains(WORDS), "{when}, {name}:\n{rows}");
    }
    for word in WORDS.split(' ') {
        assert_eq!(crate::support::word_index::indexed_rows(&place.database, word), 0, "{word}, {when}, {name}");
        assert!(place.ok(&["search", word]).contains("nothing found"), "{word}, {when}, {name}");
    }
    let number = |sql: &str| place.database.number(sql);
    assert_eq!(number("SELECT sum(found) - sum(new) - sum(duplicate) FROM v_run"), 0, "{when}, {name}");
    assert_eq!(
        number("SELECT (SELECT sum(new) FROM v_run) - (SELECT coalesce(sum(erased_new), 0) FROM v_erased)"),
        place.database.items_of_all(),
        "{when}, {name}: all new items that were not erased are there"
    );
}

#[test]
fn a_forgotten_author_is_erased_everywhere_and_never_returns() {
    for database in databases() {
        let (_server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        let before = place.database.table_sizes();
        assert_ne!(texts_with(&place, &[WORDS]).len(), 0, "{name}");

        // The data stored about her, for a request for access.
        for what in ["items", "sightings", "new"] {
            let hers = place.ok(&["export", "--what", what, "--author", "@JANE_d", "--format", "jsonl"]);
            assert!(
                !hers.is_empty() && hers.lines().all(|line| line.contains("Jane_D") && line.contains(WORDS)),
                "{hers}"
            );
        }
        place.run(&["forget", "--author", "@jane_d"]).assert_stderr(2, &["nothing was erased: add --yes", "--dry-run"]);
        let dry_run = place.json(&["forget", "--author", "@jane_d", "--dry-run", "--json"]);
        assert_eq!((&dry_run["taken"]["items"], &dry_run["taken"]["answers"]), (&1.into(), &1.into()), "{dry_run}");
        assert_eq!((place.database.table_sizes(), texts_with(&place, &["jane"]).is_empty()), (before, false), "{name}");
        assert_eq!(place.database.number("SELECT count(*) FROM forgotten"), 0, "a dry run writes nothing");

        let done = place.json(&["forget", "--author", "JANE_D", "--yes", "--json"]);
        let taken = &done["taken"];
        assert_eq!(taken["items"], 1, "{name}: {done}");
        assert_eq!((&taken["answers"], &taken["messages"]), (&1.into(), &2.into()), "{name}: {done}");
        assert_eq!(done["reports"][0]["files"][0], "reports/daily.html", "{done}");
        assert_gone(&place, "after it was forgotten");
        assert_eq!(place.database.texts("SELECT DISTINCT text FROM v_answer"), ["[erased]"], "{name}");
        let messages = place.database.texts("SELECT event || ' ' || state || ' ' || text FROM outbox ORDER BY event");
        assert_eq!(messages, ["hers dead ", "hers-sent sent ", "other queued the loudest: @bob"], "{name}");
        let written = "SELECT pause_reason FROM job WHERE pause_reason IS NOT NULL UNION ALL SELECT note FROM item_note \
                       UNION ALL SELECT name FROM saved_search";
        assert_eq!(place.database.texts(written), ["[erased]", "[erased]", "bobs"], "{name}");
        place.ok(&["outbox", "retry", "--dead"]);
        assert_eq!(place.database.texts("SELECT state FROM outbox WHERE event = 'hers'"), ["dead"], "{name}");
        assert_eq!(
            place.database.number("SELECT count(*) FROM raw_reply"),
            0,
            "each of these replies contained her: {name}"
        );

        // The service returns all of it again, also under the URL without the author's name.
        place.ok(&["once", "--at", TEN]);
        assert_gone(&place, "after the next run");
        let runs = "SELECT r.topic || ' ' || r.found || ' ' || e.erased FROM v_run r JOIN v_erased e ON e.run = r.run ORDER BY r.seq";
        let runs = place.database.texts(runs);
        assert_eq!(runs, ["acme 5 2", "globex 2 1", "acme 5 2", "globex 2 1"], "{name}");
        let unequal = "SELECT count(*) FROM v_search s JOIN v_search o ON o.topic = s.topic AND o.source = s.source \
                       WHERE s.found <> o.found OR s.outside <> o.outside OR s.undated <> o.undated OR s.found <> s.new + s.duplicate";
        assert_eq!(place.database.number(unequal), 0, "{name}: each source shows the same entries in both runs");
        place.ok(&["db", "replay"]);
        assert_gone(&place, "after a replay");
        assert_eq!(place.json(&["forget", "--author", "jane_d", "--dry-run", "--json"])["taken"]["items"], 0);
        place.run(&["forget", "--resume", "--yes"]).assert_stdout(0, &["nothing is left"]);
        let nothing = place.json(&["forget", "--resume", "--yes", "--json"]);
        assert_eq!((&nothing["taken"]["items"], &nothing["since"]), (&0.into(), &Value::Null), "{name}: {nothing}");
    }
}

#[test]
fn a_dry_run_of_forget_counts_leftover_names_and_topics_that_never_ran() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        place.ok(&["forget", "--author", "jane_d", "--yes"]);
        place.ok(&["topic", "pause", "globex", "--reason", "jane_d asked for it"]);
        place.configure(&server.lines(), &format!("{TOPICS}{QUIET}"));
        place.ok(&["once", "--due", "--at", NINE]);
        place.configure(&server.lines(), TOPICS);
        let forgotten = |how: &str| {
            let all = place.json(&["forget", "--author", "bob", "--topic", "quiet", how, "--json"]);
            (all["taken"].clone(), all["topics"].clone())
        };
        let dry_run = forgotten("--dry-run");
        assert_eq!(dry_run.1, json!(["quiet"]), "{}", place.database.name);
        assert_eq!(dry_run, forgotten("--yes"), "{}", place.database.name);
    }
}

#[test]
fn an_error_text_that_names_a_forgotten_author_is_stored_without_it() {
    for database in databases() {
        let server =
            FakeServer::respond_with(|_| reply("400 Bad Request", "", b"{\"detail\": \"@jane_d blocks this query\"}"));
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &server.lines(), topic);
        let errors = "SELECT error_text FROM v_search ORDER BY seq";
        place.run(&["once", "--at", NINE]).assert_stdout(3, &["jane_d"]);
        assert!(
            place.database.texts(errors)[0].contains("jane_d"),
            "the reply must be quoted before it can be blanked"
        );
        place.ok(&["forget", "--author", "jane_d", "--yes"]);
        place.run(&["once", "--at", TEN]);
        let name = place.database.name;
        assert_eq!(place.database.texts(errors), ["[erased]", "[erased]"], "{name}");
        // Otherwise the query would seem to have changed.
        let queries = "SELECT query FROM v_search ORDER BY seq";
        assert_eq!(place.database.texts(queries), ["acme", "acme"], "{name}");
        assert_eq!(texts_with(&place, &["jane"]).len(), 0, "{name}: {:?}", texts_with(&place, &["jane"]));
    }
}

#[test]
fn the_error_of_a_search_is_erased_with_a_query_that_names_a_forgotten_author() {
    for database in databases() {
        let server = FakeServer::respond_with(|_| {
            reply("400 Bad Request", "", b"{\"detail\": \"there is no user jane_d here\"}")
        });
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"from:jane_d\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &server.lines(), topic);
        place.run(&["once", "--at", NINE]).assert_stdout(3, &["acme"]);
        assert!(place.database.texts("SELECT error_text FROM v_search")[0].contains("jane_d"));
        let forgotten =
            |how: &str| place.json(&["forget", "--author", "jane_d", how, "--json"])["taken"]["words"].clone();
        let dry_run = forgotten("--dry-run");
        assert_eq!(dry_run, forgotten("--yes"), "{}", place.database.name);
        let words = "SELECT query || ' ' || error_text FROM v_search";
        assert_eq!(place.database.texts(words), ["[erased] [erased]"], "{}", place.database.name);
    }
}

#[test]
fn an_item_is_forgotten_by_its_url_and_its_copies_get_another_lead() {
    for database in databases() {
        let server = FakeServer::respond_with(|_| {
            let posts: Vec<String> = ["ann", "bob", "cleo"]
                .iter()
                .enumerate()
                .map(|(n, user)| {
                    format!(
                        r#"{{"id": "190000000000000000{n}", "user": "{user}", "text": "The storm took the roof of the old station last night, nobody was hurt",
                            "url": "https://x.com/{user}/status/190000000000000000{n}", "created_at": "2026-03-11T08:00:00Z"}}"#
                    )
                })
                .collect();
            reply("200 OK", "", format!(r#"{{"results": [{}]}}"#, posts.join(",")).as_bytes())
        });
        let topic = "[[topics]]\nid = \"storm\"\nquery = \"storm\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &server.lines(), topic);
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        let clusters = "SELECT key || ' ' || coalesce(cluster, '-') FROM v_item ORDER BY key";
        let (a, b, c) = ("post:x:1900000000000000000", "post:x:1900000000000000001", "post:x:1900000000000000002");
        assert_eq!(
            place.database.texts(clusters),
            [format!("{a} {a}"), format!("{b} {a}"), format!("{c} {a}")],
            "{name}"
        );

        place.ok(&["forget", "--item", "https://x.com/i/status/1900000000000000000", "--yes"]);
        // Its copies are clustered again before the command ends, so counts are right at once.
        assert_eq!(place.database.texts(clusters), [format!("{b} {b}"), format!("{c} {b}")], "{name}");
        assert_eq!(cluster_heads(&place.database), [b], "{name}: its earlier words are erased");
        let kept = "SELECT DISTINCT place FROM (SELECT place FROM cluster_lead_young UNION ALL SELECT place FROM cluster_lead_middle \
                    UNION ALL SELECT place FROM cluster_lead) AS l WHERE place NOT IN (SELECT place FROM cluster_head)";
        assert!(place.database.texts(kept).is_empty(), "{name}: keys of forgotten items");
        place.ok(&["once", "--at", TEN]);
        assert_eq!(place.database.texts(clusters), [format!("{b} {b}"), format!("{c} {b}")], "{name}");
        // Another item of the same author is not affected.
        place.ok(&["forget", "--item", c, "--yes"]);
        assert_eq!(place.database.all_item_authors(), ["bob"], "{name}");
        for wrong in [&["--item", "1900"][..], &["--author", "@"], &["--topic", "storm"], &[]] {
            let ended = place.run(&[&["forget", "--yes"], wrong].concat());
            assert_eq!(ended.code, Some(2), "{wrong:?}: {ended}");
        }
    }
}

#[test]
fn forgetting_a_topic_removes_its_own_items_and_allows_a_fresh_start() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        place
            .run(&["forget", "--topic", "acme", "--yes"])
            .assert_stderr(2, &["still watched", "remove it from the file"]);
        let of = |sql: &str| place.database.number(sql);
        let shared = place.database.items_of("globex");
        place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
        let done = place.json(&["forget", "--topic", "acme", "--yes", "--json"]);
        assert_eq!((&done["taken"]["items"], &done["taken"]["shared"]), (&2.into(), &2.into()), "{name}: {done}");
        assert_eq!(place.database.items_of("acme"), 0, "{name}");
        assert_eq!(place.database.items_of_all(), shared, "{name}: the other topic keeps its findings");
        assert_eq!(of("SELECT count(*) FROM v_sighting WHERE topic = 'acme'"), 0, "{name}");
        assert_eq!(
            place.database.texts("SELECT DISTINCT query FROM v_search WHERE topic = 'acme'"),
            ["[erased]"],
            "{name}"
        );
        assert_eq!(of("SELECT count(*) FROM topic WHERE id = 'acme'"), 0, "{name}");
        assert_eq!(
            of("SELECT count(*) FROM v_run WHERE topic = 'acme' AND found = 5 AND cost_usd > 0"),
            1,
            "{name}: numbers stay"
        );
        // Replies have no view.
        assert_eq!(of("SELECT count(*) FROM raw_reply w JOIN search q ON q.id = w.search WHERE q.topic = 'acme'"), 0);
        // A new topic with the same id finds everything as new.
        place.configure(&server.lines(), TOPICS);
        place.run(&["once", "--at", TEN, "--topic", "acme"]).assert_stdout(0, &["5 found = 4 new"]);
        place.run(&["forget", "--resume"]).assert_stdout(0, &["nothing is left"]);
        assert_eq!(place.database.items_of("acme"), 4, "{name}");
    }
}

#[test]
fn forget_refuses_a_topic_that_was_never_stored_and_accepts_one_forgotten_before() {
    let fresh =
        Place::new(sqlite(), "base_url = \"sandbox\"", "[[topics]]\nid = \"globex\"\nquery = \"globex launch\"\n");
    fresh.ok(&["db", "migrate"]);
    fresh
        .run(&["forget", "--topic", "acme", "--yes"])
        .assert_stderr(2, &["there is no topic `acme`", "hint: it has no topics yet"]);
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        place.configure(&server.lines(), &format!("{TOPICS}{QUIET}"));
        place.ok(&["once", "--due", "--at", NINE]);
        place.run(&["forget", "--topic", "acne", "--yes"]).assert_stderr(
            2,
            &["there is no topic `acne` in the database; nothing was erased", "hint: all topics in it are still in"],
        );
        place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
        for how in ["--dry-run", "--yes"] {
            place.run(&["forget", "--topic", "acne", how]).assert_stderr(2, &["`acne`", "hint: did you mean `acme`?"]);
            let both = place.run(&["forget", "--topic", "quiet", "--topic", "storm", how]);
            both.assert_stderr(2, &["no topic `storm`", "hint: those no longer in the file are: acme, quiet\n"]);
        }
        assert_eq!(place.database.number("SELECT count(*) FROM forgotten"), 0, "{name}");
        assert_eq!(place.database.items_of("acme"), 4, "{name}");
        for _ in 0..2 {
            place.ok(&["forget", "--topic", "acme", "--topic", "quiet", "--yes"]);
        }
        assert_eq!(place.database.items_of("acme"), 0, "{name}");
    }
}

#[test]
fn forgetting_a_topic_empties_messages_that_name_its_former_id() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        place.database.add_sent_message("former", &json!({ "topics": [{ "topic": "acme" }] }));
        place.ok(&["topic", "rename", "acme", "news"]);
        place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
        let messages =
            |how: &str| place.json(&["forget", "--topic", "news", how, "--json"])["taken"]["messages"].clone();
        assert_eq!((messages("--dry-run"), messages("--yes")), (json!(1), json!(1)), "{}", place.database.name);
        let text = place.database.texts("SELECT text FROM outbox WHERE event = 'former'");
        assert_eq!(text, [""], "{}", place.database.name);
        // The former id is free again.
        place.configure(&server.lines(), TOPICS);
        place.ok(&["once", "--at", TEN, "--topic", "acme"]);
    }
}

#[test]
fn a_share_link_of_a_forgotten_topic_does_not_show_a_new_topic_with_its_id() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let (secret, _) = add_share_link(&place, &["--topic", "acme", "--for", "7d", "--at", NINE]);
        let shown = || Pages::serve(&place, &["--at", TEN]).get(&format!("/shared/{secret}")).status;
        assert_eq!(shown(), 200, "{}", place.database.name);
        place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
        place.ok(&["forget", "--topic", "acme", "--yes"]);
        place.configure(&server.lines(), TOPICS);
        place.ok(&["once", "--at", TEN, "--topic", "acme"]);
        assert_eq!(shown(), 404, "{}", place.database.name);
    }
}

#[test]
fn a_token_for_a_forgotten_topic_does_not_show_a_new_topic_with_its_id() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        let alone = add_token(&place, &["alone", "--role", "read", "--topic", "acme"]);
        let both = add_token(&place, &["both", "--role", "read", "--topic", "acme", "--topic", "globex"]);
        let shown = |secret: &str| {
            let pages = Pages::serve(&place, &["--at", TEN]);
            let status = |path: &str| Visitor::Bearer(secret).request(&pages, 1, "GET", path, "").status;
            ["/api/v1/topics/acme", "/api/v1/topics/globex"].map(status)
        };
        assert_eq!([shown(&alone), shown(&both)], [[200, 403], [200, 200]], "{name}");
        place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
        place.ok(&["forget", "--topic", "acme", "--yes"]);
        place.configure(&server.lines(), TOPICS);
        place.ok(&["once", "--at", TEN, "--topic", "acme"]);
        assert_eq!([shown(&alone), shown(&both)], [[401, 401], [403, 200]], "{name}");
    }
}

#[test]
fn forget_names_the_tokens_that_it_narrows_or_withdraws() {
    let topic =
        |id: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\nsources = [\"web\"]\ntags = [\"news\"]\n\n");
    for database in databases() {
        let server = FakeServer::respond_with(service);
        let place = Place::new(database, &server.lines(), &["acme", "globex", "initech"].map(topic).concat());
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        for (token, scope) in [
            ("all", vec!["--topic", "acme", "--topic", "globex", "--topic", "initech"]),
            ("alone", vec!["--topic", "acme"]),
            ("both", vec!["--topic", "acme", "--topic", "globex"]),
            ("free", vec![]),
            ("other", vec!["--topic", "initech"]),
            ("tagged", vec!["--topic", "acme", "--tag", "news"]),
        ] {
            add_token(&place, &[vec![token, "--role", "read"], scope].concat());
        }
        place.configure(&server.lines(), &topic("initech"));
        let dry_run = place.ok(&["forget", "--topic", "acme", "--topic", "globex", "--dry-run"]);
        let changes = "token all: would only be for initech\n\
                       token alone: would be withdrawn, since it is for no other topic\n\
                       token both: would be withdrawn, since it is for no other topic\n\
                       token tagged: would only be for tag news\n";
        assert!(dry_run.contains(changes), "{name}: {dry_run}");
        let of = |tokens: &Value| -> Value {
            let scope = |token: &Value| {
                json!([token["name"], token["topics"], token["tags"], token["withdrawn_at"].is_string()])
            };
            let is_changed = |token: &&Value| token["name"] != "free" && token["name"] != "other";
            tokens.as_array().unwrap().iter().filter(is_changed).map(scope).collect()
        };
        let expected = json!([
            ["all", ["initech"], [], false],
            ["alone", ["acme"], [], true],
            ["both", ["globex"], [], true],
            ["tagged", [], ["news"], false],
        ]);
        let told = place.json(&["forget", "--topic", "acme", "--topic", "globex", "--yes", "--json"]);
        assert_eq!(of(&told["tokens"]), expected, "{name}");
        assert_eq!(of(&place.json(&["token", "list", "--json"])["tokens"]), expected, "{name}");
        // The next one says what it changes itself.
        place.configure(&server.lines(), &topic("globex"));
        let next = place.ok(&["forget", "--topic", "initech", "--yes"]);
        let changes = "token all: withdrawn, since it was for no other topic\n\
                       token other: withdrawn, since it was for no other topic\n";
        assert!(next.contains(changes) && !next.contains("token tagged"), "{name}: {next}");
    }
}

#[test]
fn forget_names_the_share_links_that_it_withdraws() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        let (secret, acme) = add_share_link(&place, &["--topic", "acme", "--for", "7d"]);
        let (_, globex) = add_share_link(&place, &["--topic", "globex", "--for", "7d"]);
        let (_, expired) = add_share_link(&place, &["--topic", "acme", "--for", "7d", "--at", "2020-01-01T00:00:00Z"]);
        place.configure(&server.lines(), QUIET);
        let dry_run = place.ok(&["forget", "--topic", "acme", "--topic", "acme", "--dry-run"]);
        let change = format!("share link {acme}: would be withdrawn, since it shows topic acme\n");
        assert_eq!(dry_run.matches(&change).count(), 1, "{name}: {dry_run}");
        assert!(!dry_run.contains(&globex) && !dry_run.contains(&expired), "{name}: {dry_run}");
        let told = place.json(&["forget", "--topic", "acme", "--yes", "--json"]);
        let links = told["links"].as_array().unwrap();
        assert_eq!(
            (links.len(), &links[0]["id"], &links[0]["of"]),
            (1, &json!(acme), &json!("acme")),
            "{name}: {told}"
        );
        assert!(links[0]["withdrawn_at"].is_string() && links[0]["hash"].is_null(), "{name}: {told}");
        assert!(!told.to_string().contains(&secret), "{name}: {told}");
        let next = place.ok(&["forget", "--topic", "globex", "--yes"]);
        let change = format!("share link {globex}: withdrawn, since it showed topic globex\n");
        assert!(next.contains(&change) && !next.contains(&acme), "{name}: {next}");
    }
}

#[test]
fn a_resumed_forget_names_the_tokens_and_links_that_were_withdrawn_before_the_kill() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        add_token(&place, &["alone", "--role", "read", "--topic", "acme"]);
        add_token(&place, &["other", "--role", "read", "--topic", "globex"]);
        let (_, earlier) = add_share_link(&place, &["--topic", "acme", "--for", "7d"]);
        place.ok(&["token", "withdraw", &earlier]);
        let (_, acme) = add_share_link(&place, &["--topic", "acme", "--for", "7d"]);
        place.configure(&server.lines(), QUIET);
        let forgetting = place.program(&["forget", "--topic", "acme", "--yes"]);
        let killed = forgetting.env("TOPICWATCH_TEST_FAILPOINT", "kill forget/left pass=1").run();
        assert_eq!(killed.code, None, "{}: {killed}", place.database.name);
        let resumed = place.ok(&["forget", "--resume"]);
        let changes = format!(
            "token alone: withdrawn, since it was for no other topic\n\
             share link {acme}: withdrawn, since it showed topic acme\n"
        );
        assert!(resumed.contains(&changes), "{}: {resumed}", place.database.name);
        assert!(!resumed.contains("token other") && !resumed.contains(&earlier), "{resumed}");
    }
}

#[test]
fn a_token_withdrawn_during_forget_does_not_stop_it() {
    // On SQLite nobody withdraws while another one erases.
    let Some(database) = postgres() else { return };
    let (server, place) = place_that_mentions_jane(database);
    add_token(&place, &["alone", "--role", "read", "--topic", "acme"]);
    place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
    let withdrawing = place
        .program(&["token", "withdraw", "alone"])
        .env("TOPICWATCH_TEST_FAILPOINT", "stop access::withdraw_token/written pass=1")
        .start();
    withdrawing.wait_until_stopped();
    let forgetting = place.program(&["forget", "--topic", "acme", "--yes"]).start();
    wait_until("the command waits for the token", || place.database.number(BLOCKED) > 0);
    withdrawing.signal("CONT");
    assert_eq!(withdrawing.wait().code, Some(0));
    let ended = forgetting.wait();
    assert!(ended.code == Some(0) && !ended.out.contains("token alone"), "{ended}");
}

#[test]
fn a_killed_forget_keeps_the_author_out_and_is_completed_later() {
    for point in [
        "forgotten::begin/written",
        "forgotten::begin/committed",
        "forget/left",
        "erase::page_of_items/written",
        "forget/items",
        "mentions::delete_raw_replies/committed",
        "forget/words",
        "forget/swept",
        "forgotten::close/written",
    ] {
        for database in databases() {
            let (_server, place) = place_that_mentions_jane(database);
            let (name, begun) = (place.database.name, point != "forgotten::begin/written");
            let killed = place
                .program(&["forget", "--author", "jane_d", "--yes"])
                .env("TOPICWATCH_TEST_FAILPOINT", &format!("kill {point} pass=1"))
                .run();
            assert_eq!(killed.code, None, "{point} on {name}: {killed}");
            let before = place.database.items_of_all();
            let next = place.run(&["once", "--at", TEN]);
            if begun {
                next.assert_stderr(0, &["an erasure was interrupted", "forget --resume"]);
                assert!(place.database.items_of_all() <= before, "{point} on {name}");
                place.ok(&["forget", "--resume"]);
            } else {
                assert_eq!(next.code, Some(0));
                place.ok(&["forget", "--author", "jane_d", "--yes"]);
            }
            assert_gone(&place, &format!("after a kill at {point}"));
            assert!(!place.run(&["once", "--at", ELEVEN]).err.contains("interrupted"), "{point} on {name}");
            assert_gone(&place, &format!("in a run after a kill at {point}"));
        }
    }
}

#[test]
fn a_killed_forget_frees_the_former_id_of_a_topic_that_never_ran() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let with_quiet = format!("{TOPICS}{QUIET}");
        place.configure(&server.lines(), &with_quiet);
        place.ok(&["once", "--due", "--at", NINE]);
        place.ok(&["topic", "rename", "quiet", "calm"]);
        place.configure(&server.lines(), TOPICS);
        let killed = place
            .program(&["forget", "--topic", "calm", "--yes"])
            .env("TOPICWATCH_TEST_FAILPOINT", "kill forget/left pass=1")
            .run();
        assert_eq!(killed.code, None, "{}: {killed}", place.database.name);
        place.ok(&["forget", "--resume"]);
        place.configure(&server.lines(), &with_quiet);
        place.ok(&["once", "--at", TEN, "--topic", "quiet"]);
    }
}

#[test]
fn days_stored_during_forget_are_deleted_with_their_topic() {
    // On SQLite, nothing is erased while another process writes.
    let Some(database) = postgres() else { return };
    let server = FakeServer::respond_with(service);
    let place = Place::new(database, &server.lines(), TOPICS);
    let counting = place
        .program(&["once", "--at", NINE, "--topic", "acme"])
        .env("TOPICWATCH_TEST_FAILPOINT", "stop day_counts::store_counts/written pass=1")
        .start();
    counting.wait_until_stopped();
    place.configure(&server.lines(), "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"web\"]\n");
    let forgetting = place.program(&["forget", "--topic", "acme", "--yes"]).start();
    wait_until("the command waits for the count", || place.database.number(BLOCKED) > 0);
    counting.signal("CONT");
    for ended in [counting.wait(), forgetting.wait()] {
        assert_eq!(ended.code, Some(0), "{ended}");
    }
    assert_eq!(place.database.number("SELECT count(*) FROM topic_day WHERE topic = 'acme'"), 0);
}

#[test]
fn a_report_or_alert_that_was_read_before_forget_is_not_stored_after_it() {
    let topics = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\n\n\
                  [[reports]]\nname = \"daily\"\nevery = \"1h\"\nwindow = \"since_last\"\nformat = [\"markdown\"]\npath = \"daily\"\n\
                  channels = [\"hook\"]\n\n\
                  [[alerts]]\nname = \"all\"\nrule = \"items\"\nchannels = [\"hook\"]\n\n\
                  [[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n";
    for point in ["job/made of=report:daily", "alert/seen"] {
        for database in databases() {
            let (world, hook) = (ScriptedService::new(), WebhookServer::accepting());
            let place = Place::new(database, &world.lines(), topics);
            let name = place.database.name;
            let run = |at: u32| place.program(&["once", "--due", "--at", &hour(at)]).env("HOOK_URL", &hook.url());
            for at in [23, 24] {
                assert_eq!(run(at).run().code, Some(0), "{point} on {name}");
            }
            let before = hook.received().len();
            let mut hers = post(1, 24, WORDS, 9);
            hers["user"] = json!("Jane_D");
            world.set_posts(&[hers, post(2, 24, "the old factory was closed", 1)]);
            let making = run(25).env("TOPICWATCH_TEST_FAILPOINT", &format!("stop {point} pass=1")).start();
            making.wait_until_stopped();
            let file = || std::fs::read_to_string(place.path("daily.md")).unwrap();
            assert!(file().contains(WORDS), "{point} on {name}: it was read\n{}", file());
            place.ok(&["forget", "--author", "jane_d", "--yes"]);
            making.signal("CONT");
            let ended = making.wait();
            assert!(matches!(ended.code, Some(0 | 3)), "{point} on {name}: {ended}");
            let stored = "SELECT summary || lines FROM alert_event";
            let kept = [texts_with(&place, &["jane", WORDS]), place.database.texts(stored)].concat().join("\n");
            assert!(!kept.contains(WORDS) && !kept.to_lowercase().contains("jane"), "{point} on {name}: {kept}");
            let sent = hook.received().split_off(before);
            let bodies: Vec<String> = sent.iter().map(|got| got.json().to_string()).collect();
            assert!(!bodies.concat().contains(WORDS), "{point} on {name}: {bodies:?}");
            // The report or alert in progress is made again, without her.
            let made = if point == "alert/seen" { "alert:all/" } else { "report:daily@" };
            let again = bodies.iter().filter(|body| body.contains(made) && body.contains("old factory")).count();
            assert_eq!(again, 1, "{point} on {name}: {ended}\n{bodies:?}");
            assert!(point == "alert/seen" || !file().contains(WORDS), "{point} on {name}: {}", file());
        }
    }
}

#[test]
fn a_report_that_was_read_before_forget_does_not_replace_the_file_made_after_it() {
    let topics = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nevery = \"1h\"\n\n\
                  [[reports]]\nname = \"daily\"\nevery = \"1h\"\nwindow = \"since_last\"\nformat = [\"markdown\"]\npath = \"daily\"\n";
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), topics);
        let name = place.database.name;
        let run = |at: u32| place.program(&["once", "--due", "--at", &hour(at)]);
        for at in [23, 24] {
            assert_eq!(run(at).run().code, Some(0), "{name}");
        }
        let mut hers = post(1, 24, WORDS, 9);
        hers["user"] = json!("Jane_D");
        world.set_posts(&[hers, post(2, 24, "the old factory was closed", 1)]);
        let slow = run(25).env("TOPICWATCH_TEST_FAILPOINT", "stop report/read of=daily pass=1").start();
        slow.wait_until_stopped();
        place.ok(&["forget", "--author", "jane_d", "--yes"]);
        assert_eq!(run(25).run().code, Some(0), "{name}");
        let file = || std::fs::read_to_string(place.path("daily.md")).unwrap();
        let made = file();
        assert!(made.contains("old factory") && !made.contains(WORDS), "{name}: {made}");
        slow.signal("CONT");
        let ended = slow.wait();
        assert!(matches!(ended.code, Some(0 | 3)), "{name}: {ended}");
        assert_eq!(file(), made, "{name}: {ended}");
    }
}

#[test]
fn a_restored_backup_is_refused_until_the_author_is_forgotten_in_it() {
    let (_server, place) = place_that_mentions_jane(sqlite());
    let file = place.database.url.strip_prefix("sqlite:").unwrap().to_owned();
    let backup = place.path("backup.db").display().to_string();
    block_on(place.database.execute(&format!("VACUUM INTO '{backup}'")));
    place.ok(&["forget", "--author", "jane_d", "--yes"]);
    let journal = std::fs::read_to_string(format!("{file}.forgotten")).unwrap();
    assert!(journal.lines().count() > 1 && !journal.to_lowercase().contains("jane"), "{journal}");

    for end in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{file}{end}")).ok();
    }
    std::fs::rename(&backup, &file).unwrap();
    for verb in [&["status"][..], &["items"], &["once", "--at", TEN], &["export"]] {
        place.run(verb).assert_stderr(4, &["the database is older than the journal", "topicwatch db forget --resume"]);
    }
    place.ok(&["forget", "--resume"]);
    assert_gone(&place, "after a restore");
    place.ok(&["once", "--at", TEN]);
    assert_gone(&place, "after a restore and a run");

    std::fs::write(format!("{file}.forgotten"), "no journal\n").unwrap();
    place.run(&["status"]).assert_stderr(4, &["is not a journal"]);
}

#[test]
fn a_restored_backup_that_lacks_one_tombstone_says_so_in_the_singular() {
    let (_server, place) = place_that_mentions_jane(sqlite());
    let file = place.database.url.strip_prefix("sqlite:").unwrap().to_owned();
    let backup = place.path("backup.db").display().to_string();
    block_on(place.database.execute(&format!("VACUUM INTO '{backup}'")));
    place.ok(&["db", "forget", "--author", "nobody", "--yes"]);
    for end in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{file}{end}")).ok();
    }
    std::fs::rename(&backup, &file).unwrap();
    place.run(&["status"]).assert_stderr(4, &["1 of 1 tombstone in ", " is not in "]);
}

#[test]
fn exported_tombstones_contain_no_names_and_work_in_another_database() {
    for (database, other) in databases().into_iter().zip(databases()) {
        let (_server, place) = place_that_mentions_jane(database);
        let (_other_server, restored) = place_that_mentions_jane(other);
        place.ok(&["forget", "--author", "jane_d", "--yes"]);
        let journal = place.path("tombstones").display().to_string();
        place.run(&["forget", "--export", &journal]).assert_stdout(0, &["they contain no names"]);
        let exported = place.json(&["forget", "--export", &journal, "--json"]);
        assert!(exported["file"] == journal && exported["tombstones"].as_i64() > Some(1), "{exported}");
        assert!(!std::fs::read_to_string(&journal).unwrap().to_lowercase().contains("jane"));
        place
            .run(&["forget", "--export", "nowhere/tombstones"])
            .assert_stderr(5, &["the folder nowhere", "create the folder"]);
        place
            .run(&["forget", "--export", "/proc/tombstones"])
            .assert_stderr(5, &["belongs to the system", "another folder"]);
        restored.run(&["forget", "--import", "nowhere"]).assert_stderr(2, &["there is no file nowhere"]);
        let other = restored.run(&["forget", "--import", "jobs.toml", "--yes"]);
        other.assert_stderr(2, &["jobs.toml is not a journal", "hint: give the file that --export wrote"]);
        restored.run(&["forget", "--import", &journal]).assert_stderr(2, &["nothing was erased: add --yes"]);
        restored.ok(&["forget", "--import", &journal, "--yes"]);
        assert_gone(&restored, "after an import");
        restored.ok(&["once", "--at", TEN]);
        assert_gone(&restored, "after an import and a run");
        // A database with its own key cannot interpret entries made with another key.
        let (_third_server, third) = place_that_mentions_jane(sqlite());
        third.run(&["forget", "--author", "nobody", "--yes"]).assert_stdout(0, &["erased:", "no stored item matches"]);
        third.run(&["forget", "--import", &journal, "--yes"]).assert_stderr(2, &["a different key"]);
    }
}

#[test]
fn a_topic_that_was_forgotten_is_not_watched_after_a_restore() {
    for (database, other) in databases().into_iter().zip(databases()) {
        let name = database.name;
        let ((server, place), (other_server, restored)) =
            (place_that_mentions_jane(database), place_that_mentions_jane(other));
        let globex = TOPICS.split_once("\n\n").unwrap().1;
        place.configure(&server.lines(), globex);
        restored.configure(&other_server.lines(), globex);
        // The topic was added before it was forgotten, and something fired for it.
        block_on(restored.database.execute("UPDATE job SET created_at = 1 WHERE topic = 'acme'"));
        restored.database.add_events(&[Event { alert: "a", subject: "acme/social", at: 1, ..Event::default() }]);
        place.ok(&["forget", "--topic", "acme", "--yes"]);
        let journal = place.path("tombstones").display().to_string();
        place.ok(&["forget", "--export", &journal]);
        restored.ok(&["forget", "--import", &journal, "--yes"]);
        let of = |sql: &str| restored.database.number(sql);
        assert_eq!(of("SELECT count(*) FROM topic WHERE id = 'acme'"), 0, "{name}");
        assert_eq!(of("SELECT count(*) FROM alert_event"), 0, "{name}");
        assert_eq!(restored.database.items_of("acme"), 0, "{name}");
        assert_eq!(of("SELECT count(*) FROM topic WHERE id = 'globex'"), 1, "{name}: the other topic stays");
        // It may start again from nothing.
        restored.configure(&other_server.lines(), TOPICS);
        restored.run(&["once", "--at", TEN, "--topic", "acme"]).assert_stdout(0, &["5 found = 4 new"]);
    }
}

/// Exports with an author filter, one for each of these names.
fn exports(of: &[&str]) -> String {
    let one = |name: &&str| {
        format!(
            "[[exports]]\nname = \"{name}\"\nwhat = \"items\"\nevery = \"1h\"\nauthors = [\"{name}\"]\npath = \"out/{{name}}-{{run}}.csv\"\n"
        )
    };
    format!("{TOPICS}\n{}", of.iter().map(one).collect::<String>())
}

#[test]
fn forget_names_exports_about_the_author_and_cleans_old_export_records() {
    for database in databases() {
        let server = FakeServer::respond_with(service);
        let place = Place::new(database, &server.lines(), &exports(&["jane_d", "bob"]));
        let name = place.database.name;
        for at in [NINE, TEN, ELEVEN] {
            place.run(&["once", "--due", "--at", at]).assert_stdout(0, &[]);
            place.run(&["once", "--at", at]).assert_stdout(0, &[]);
        }
        assert!(place.database.number("SELECT count(*) FROM export_edition WHERE files IS NOT NULL") >= 4, "{name}");
        let output = place.json(&["forget", "--author", "Jane_D", "--dry-run", "--json"]);
        assert_eq!(output["named_by"], serde_json::json!(["export:jane_d"]), "{name}: {output}");
        let editions = place.database.number("SELECT count(*) FROM export_edition WHERE definition LIKE '%jane%'");
        assert!(editions > 0, "{name}");
        let done = place.run(&["forget", "--author", "Jane_D", "--yes"]);
        done.assert_stdout(
            0,
            &["note: export:jane_d contains the name; remove it from the file", "old definitions blanked"],
        );
        let left = |table: &str| {
            place.database.number(&format!("SELECT count(*) FROM {table} WHERE lower(definition) LIKE '%jane%'"))
        };
        assert_eq!((left("export_edition"), left("job")), (0, 1), "{name}: the configured export stays");
        assert_eq!(
            place.database.number("SELECT count(*) FROM export_edition WHERE definition LIKE '%bob%'"),
            editions
        );
        // Once it is removed from the file, the next forgetting removes the rest.
        place.configure(&server.lines(), &exports(&["bob"]));
        place.run(&["once", "--due", "--at", "2026-03-11T12:00:00Z"]).assert_stdout(0, &[]);
        let done = place.json(&["forget", "--author", "jane_d", "--yes", "--json"]);
        assert_eq!((&done["named_by"], left("job")), (&serde_json::json!([]), 0), "{name}: {done}");
        // Blanked definitions cause no trouble.
        place.configure(&server.lines(), &exports(&["jane_d", "bob"]));
        place.run(&["once", "--due", "--at", "2026-03-11T13:00:00Z"]).assert_stdout(0, &[]);
        place.run(&["once", "--due", "--at", "2026-03-11T14:00:00Z"]).assert_stdout(0, &[]);
        let written = std::fs::read_dir(place.path("out")).unwrap().count();
        assert!(written > 4, "{name}: {written}");
    }
}

#[test]
fn forget_removes_the_name_from_titles_and_tags_of_removed_topics() {
    for database in databases() {
        let server = FakeServer::respond_with(service);
        let hers = "[[topics]]\nid = \"hers\"\ntitle = \"About @Jane_D\"\ntags = [\"jane_d\"]\nquery = \"x\"\n";
        let place = Place::new(database, &server.lines(), &format!("{TOPICS}\n{hers}"));
        place.run(&["once", "--due", "--at", NINE]).assert_stdout(0, &[]);
        place.configure(&server.lines(), TOPICS);
        place.run(&["once", "--due", "--at", TEN]).assert_stdout(0, &[]);
        place.ok(&["forget", "--author", "jane_d", "--yes"]);
        let kept = "SELECT title || ' ' || tags || ' ' || definition FROM topic WHERE id = 'hers'";
        assert_eq!(place.database.texts(kept), ["[erased] [] {}"], "{}", place.database.name);
    }
}

#[test]
fn forgetting_handle_x_keeps_rows_that_only_name_the_network_x() {
    for database in databases() {
        let server = FakeServer::respond_with(|path| {
            let posts = r#"{"results": [
                {"id": "1900000000000000001", "text": "the storm took the roof of the old station", "user": "x", "created_at": "2026-03-11T08:00:00Z"},
                {"id": "1900000000000000002", "text": "nobody was hurt, says the mayor of the town", "user": "bob", "created_at": "2026-03-11T08:10:00Z",
                 "url": "https://x.com/bob/status/1900000000000000002"}]}"#;
            let answer = r#"{"summary": "Nobody was hurt, see https://x.com/bob/status/1900000000000000002.", "cost_usd": 0.001}"#;
            let body = if path.starts_with("/ai/search") { answer } else { posts };
            reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
        });
        let topic =
            "[[topics]]\nid = \"storm\"\nquery = \"storm\"\nsources = [\"social\", \"ai\"]\nai.when = \"always\"\n";
        let place = Place::new(database, &server.lines(), topic);
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        let answers = "SELECT text || ' ' || cited FROM v_answer";
        let before = place.database.texts(answers);
        assert!(before[0].contains("post:x:1900000000000000002"), "{name}: {before:?}");
        let done = place.json(&["forget", "--author", "x", "--yes", "--json"]);
        assert_eq!((&done["taken"]["items"], &done["taken"]["answers"]), (&1.into(), &0.into()), "{name}: {done}");
        assert_eq!(place.database.texts(answers), before, "{name}");
        assert_eq!(place.database.all_item_authors(), ["bob"], "{name}");
        // The reply with the post of @x is deleted; the reply with the answer stays.
        assert_eq!(done["taken"]["raw_replies"], 1, "{name}: {done}");
        assert_eq!(done["taken"]["raws"], done["taken"]["raw_replies"], "{name}: {done}");
        place.database.save_searches(&[("bobs", Some("storm"), "{\"author\":\"bob\",\"lang\":\"en\"}")]);
        place.ok(&["forget", "--author", "lang", "--author", "author", "--yes"]);
        assert_eq!(place.database.number("SELECT count(*) FROM saved_search"), 1, "{name}");
    }
}

#[test]
fn exporting_tombstones_without_any_writes_no_file_and_says_so() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    place.ok(&["db", "migrate"]);
    place.run(&["forget", "--export", "tombstones"]).assert_stdout(0, &["no file was written"]);
    let nothing = place.json(&["forget", "--export", "tombstones", "--json"]);
    assert_eq!(nothing, serde_json::json!({ "file": null, "tombstones": 0 }));
    assert!(!place.path("tombstones").exists());
}

#[test]
fn forget_escapes_control_characters_of_paths_in_messages() {
    const NAME: &str = "a\u{1b}[2J";
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", TOPICS);
    let import = ["db", "forget", "--import", NAME, "--yes"];
    let refused = |args: &[&str], text: &str| {
        let refused = place.run(args);
        refused.assert_stderr(2, &[text]);
        assert!(!refused.err.contains('\u{1b}'), "{refused}");
    };
    refused(&import, "there is no file a\\u{1b}[2J");
    std::fs::write(place.path(NAME), "x\n").unwrap();
    refused(&import, "a\\u{1b}[2J is not a journal");
    std::fs::rename(place.path("jobs.toml"), place.path(NAME)).unwrap();
    refused(&["db", "forget", "--topic", "acme", "--yes", "--config", NAME], "is still watched by");
    refused(&["once", "--topic", "nobody", "--config", NAME], "there is no topic `nobody` in");
    refused(&["outbox", "deliver", "--config", NAME], "has no [[channels]]");
}

#[test]
fn an_author_whose_items_were_pruned_is_forgotten_with_their_keys() {
    for database in databases() {
        let raw = FakeServer::respond_with(|_| {
            let body = br#"{"results": [{"id": "1", "text": "acme recalls its kettle after reports of fires", "user": "jane_d",
                "created_at": "2026-03-11T08:00:00Z"}]}"#;
            reply("200 OK", "content-type: application/json\r\n", body)
        });
        let rest = "[retention]\nitems = \"7d\"\nsightings = \"7d\"\nraw = \"7d\"\n\
                    [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &raw.lines(), rest);
        place.ok(&["once", "--at", NINE]);
        place.ok(&["db", "prune", "--at", "2026-05-01T00:00:00Z"]);
        let name = place.database.name;
        let keys = "SELECT key FROM item_key WHERE key LIKE '%jane%'";
        assert_eq!(place.database.all_item_authors(), ["-"], "{name}");
        assert_eq!(place.database.texts(keys).len(), 1, "{name}: the key of its text names her");
        let output = place.run(&["db", "forget", "--author", "jane_d", "--yes"]);
        assert_eq!(output.code, Some(0), "{output}");
        assert_eq!(place.database.texts(keys), Vec::<String>::new(), "{name}: {output}");
        assert!(place.database.all_item_keys().is_empty(), "{name}");
    }
}

#[test]
fn the_entries_of_a_forgotten_page_do_not_come_back() {
    for database in databases() {
        let raw = FakeServer::respond_with(|_| {
            let entry = |n: u32| {
                format!(
                    "<item><guid isPermaLink=\"false\">entry-{n}</guid><title>Part {n} of the story</title>\
                     <link>https://news.example/live</link><pubDate>Wed, 11 Mar 2026 0{n}:00:00 GMT</pubDate></item>"
                )
            };
            let entries: String = (1..=3).map(entry).collect();
            let feed = format!("<rss version=\"2.0\"><channel><title>t</title>{entries}</channel></rss>");
            reply("200 OK", "content-type: application/rss+xml\r\n", feed.as_bytes())
        });
        let file = format!(
            "[providers.news]\nkind = \"feeds\"\nallow_private = true\n\n\
             [[topics]]\nid = \"acme\"\nquery = \"acme\"\nnews.urls = [\"{}/feed\"]\n",
            raw.url()
        );
        let place = Place::without_service(database, &file);
        let name = place.database.name;
        place.ok(&["once", "--at", NINE]);
        let items = || place.database.all_item_keys();
        let before = items();
        assert_eq!(before.len(), 3, "{name}: {before:?}");
        assert!(before.iter().all(|key| key.starts_with("page:https://news.example/live#")), "{name}: {before:?}");
        place.ok(&["db", "forget", "--item", "https://news.example/live", "--yes"]);
        assert_eq!(items(), Vec::<String>::new(), "{name}");
        place.ok(&["once", "--at", TEN]);
        assert_eq!(items(), Vec::<String>::new(), "{name}: it was found again");
    }
}

#[test]
fn forget_dry_run_counts_what_forget_removes() {
    let topics = "[[alerts]]\nname = \"many\"\nrule = \"volume\"\nwindow = \"1d\"\nmin = 1\n\n\
                  [[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\n\n\
                  [[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"social\"]\n";
    for of in [&["--author", "user3"][..], &["--item", "post:x:2"], &["--topic", "acme"]] {
        for database in databases() {
            let world = ScriptedService::new();
            let place = Place::new(database, &world.lines(), topics);
            let name = place.database.name;
            let page = json!({ "title": "Page", "url": "https://example.com/1", "snippet": "words of acme" });
            for (at, text) in [(24, "first"), (25, "second"), (26, "third")] {
                let post = |n: u32| {
                    let mut post = post(n, 20, &format!("{text} words of acme and globex {n}"), 5);
                    post["user"] = json!(format!("user{n}"));
                    post
                };
                // The last is of one topic alone.
                world.set_posts(&(1..=if at == 24 { 3 } else { 4 }).map(post).collect::<Vec<_>>());
                world.set_pages(std::slice::from_ref(&page));
                // The other topic runs only the first time: items that it did not see are erased with the first topic.
                let both: &[&str] = if at == 24 { &["acme", "globex"] } else { &["acme"] };
                for topic in both {
                    place.ok(&["once", "--at", &hour(at), "--topic", topic]);
                }
            }
            place.ok(&["items", "mark", "acme", "post:x:1", "noise"]);
            // A note that names her goes with its item; one on another item is blanked.
            place.database.note("id > 0", "by user3, see post:x:2");
            if of[0] == "--topic" {
                let kept = topics.split("[[topics]]").nth(2).unwrap();
                place.configure(&world.lines(), &format!("[[topics]]{kept}"));
            }
            let command = |more: &str| place.json(&[&["db", "forget", more, "--json"], of].concat());
            let (dry_run, real) = (command("--dry-run"), command("--yes"));
            assert_eq!(dry_run["taken"], real["taken"], "{name} {of:?}");
            assert!(real["taken"]["sightings"].as_u64().unwrap() > 0, "{name} {of:?}: {real}");
            assert!(real["taken"]["revisions"].as_u64().unwrap() > 0, "{name} {of:?}: {real}");
        }
    }
}

#[test]
fn forget_dry_run_does_not_count_answers_erased_before() {
    for database in databases() {
        let (server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        let hers = place.json(&["db", "forget", "--author", "jane_d", "--yes", "--json"]);
        assert_eq!(hers["taken"]["answers"], 1, "{name}");
        place.configure(&server.lines(), &format!("[[topics]]{}", TOPICS.split("[[topics]]").nth(2).unwrap()));
        let command = |more: &str| place.json(&["db", "forget", "--topic", "acme", more, "--json"]);
        let (dry_run, real) = (command("--dry-run"), command("--yes"));
        assert_eq!(real["taken"]["answers"], 0, "{name}: {real}");
        assert_eq!(dry_run["taken"], real["taken"], "{name}");
    }
}

#[test]
fn erased_baseline_items_do_not_turn_others_into_new_ones() {
    for database in databases() {
        let (_server, place) = place_that_mentions_jane(database);
        let name = place.database.name;
        place.run(&["show", "acme"]).assert_stdout(0, &[" 0 new, 4 baseline"]);
        place.ok(&["db", "forget", "--author", "jane_d", "--yes"]);
        place.run(&["show", "acme"]).assert_stdout(0, &[" 0 new, 3 baseline"]);
        place.run(&["runs", "--topic", "acme"]).assert_stdout(0, &[" 0 (+3) "]);
        let run = place.json(&["runs", "--topic", "acme", "--json"])["runs"][0].clone();
        let new = ["new", "new_older", "new_baseline", "new_gone"].map(|name| run[name].as_i64());
        assert_eq!(new, [Some(4), Some(0), Some(3), Some(1)], "{name}: {run}");
        let page = Pages::serve(&place, &["--at", NINE]).get("/topics/acme");
        assert!(page.body.contains("3 of the baseline") && !page.body.contains("1 new item"), "{name}: {}", page.text);
    }
}
