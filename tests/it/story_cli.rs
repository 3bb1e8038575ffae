//! A story through the program: in a terminal, as JSON, on a page and by the API. Hostile text is escaped everywhere,
//! and every query uses an index.

use topicwatch::model::Source;
use topicwatch::normalise::words;

use crate::support::api_client::{get_json, send_request};
use crate::support::databases::{Database, block_on, databases, sql_literal};
use crate::support::logged_sql::statements;
use crate::support::number_links::{Link, follow_link, number_links};
use crate::support::program::Place;
use crate::support::searched::{open_store, topic};
use crate::support::story_history::*;
use crate::support::web_client::Pages;
use crate::support::world::ScriptedService;

/// A place with the invented history and its topics.
fn place(database: Database) -> Place {
    let topics = TOPICS.map(|id| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\n")).concat();
    let place = Place::new(database, &ScriptedService::new().lines(), &topics);
    block_on(async {
        let store = open_store(&place.database).await;
        store_history(&store).await;
        store.close().await;
    });
    place
}

#[test]
fn the_terminal_the_page_and_the_api_tell_the_same_story() {
    for database in databases() {
        let place = place(database);
        let name = place.database.name;
        let json = place.json(&["story", "post:x:1", "--format", "json"]);
        let story = &json["story"];
        assert_eq!((&story["items"], &json["sandbox"]), (&17.into(), &true.into()), "{name}: {story}");
        assert_eq!(place.json(&["story", "post:x:1", "--json"]), json);
        let text = place.ok(&["story", "post:x:1"]);
        insta::allow_duplicates! { insta::assert_snapshot!(text, @r"
        SANDBOX: invented findings

        post:x:1
          After three days of rain the river is as high as it was in the year of the
          great flood https://news.example/2026/storm

        17 items, 4 texts, 14 authors, in 3 topics and 2 sources.
        Of these, 13 are near-copies of it and 3 share a link with it.
        From 2026-03-11T09:10:00Z to 2026-03-11T16:00:00Z: 6h 50m.
        Half of them appeared within 1h 40m of the earliest.
        The peak hour started at 2026-03-11T10:00:00Z: 5 items.

        First seen: @author2  post:x:2
          published 2026-03-11T09:20:00Z, seen 2026-03-11T10:00:00Z
          RT @author1: The storm took the roof of the old station last night, nobody was
          hurt https://t.co/2

        Earliest published: @author1  post:x:1
          published 2026-03-11T09:10:00Z, seen 2026-03-11T11:00:00Z

        Earlier ones may be missing:
          - acme social did not cover 2026-03-10T09:10:00Z to 2026-03-10T10:00:00Z.
          - globex social did not cover 2026-03-10T09:10:00Z to 2026-03-10T11:00:00Z.
          - rust social did not cover 2026-03-10T09:10:00Z to 2026-03-10T13:00:00Z.
          - 3 items have no publication time.
        Later ones may be missing:
          - rust social did not cover 2026-03-11T13:00:00Z to 2026-03-11T16:00:00Z.
          - acme social did not cover 2026-03-11T13:20:00Z to 2026-03-11T16:00:00Z.

        Items over time (UTC)
          2026-03-11 09:00  ################################ 4
          2026-03-11 10:00  ######################################## 5
          2026-03-11 11:00  ################ 2
          2026-03-11 12:00  ################ 2
          2026-03-11 13:00  ######## 1
          2026-03-11 14:00  0
          2026-03-11 15:00  ################ 2
          2026-03-11 16:00  ######## 1

        topic   first seen            items  first author
        acme    2026-03-11T10:00:00Z      7  @author2
        globex  2026-03-11T11:00:00Z      8  @author1
        rust    2026-03-11T13:00:00Z      3

        source  first seen            items  first author
        social  2026-03-11T10:00:00Z     13  @author2
        web     2026-03-11T10:00:00Z      4  @author4

        author     items  reactions
        @author2       3        453
        @author14      1        141
        @author13      1        131
        @author12      1        121
        @author11      1        111

        2026-03-11T09:10:00Z  @author1  post:x:1
        2026-03-11T09:20:00Z  @author2  post:x:2
        2026-03-11T09:30:00Z  @author3  post:x:3
        2026-03-11T09:40:00Z  @author4  post:x:4
        2026-03-11T10:10:00Z  @author7  post:x:7
        2026-03-11T10:20:00Z  @author8  post:x:8
        2026-03-11T10:30:00Z  @author9  post:x:9
        2026-03-11T10:40:00Z  @author10  post:x:10
        2026-03-11T10:50:00Z  @author11  post:x:11
        2026-03-11T11:00:00Z  @author5  post:x:5
        2026-03-11T11:00:00Z  @author6  post:x:6
        2026-03-11T12:41:00Z  @Author2  post:x:21 (link)
        2026-03-11T12:42:00Z  @Author2  post:x:22 (link)
        2026-03-11T13:00:00Z  author unknown  page:https://news.example/2026/sto… (link)
        2026-03-11T15:00:00Z  @author12  post:x:12
        2026-03-11T15:30:00Z  @author13  post:x:13
        2026-03-11T16:00:00Z  @author14  post:x:14

        Edits of the earliest item
          2026-03-11T18:20:00Z  [-The-]{+After+} [-storm took-]{+three+} [-the-]{+days+}
                                [-roof-]{+of+} [-of-]{+rain+} the [-old-]{+river+}
                                [-station-]{+is+} [-last-]{+as+} [-night,-]{+high+}
                                [-nobody-]{+as it+} was [-hurt-]{+in+} [-http-]{+the
                                year of the great flood
                                https+}://news.example/2026/storm[-#top-]

        The last answered runs of these topics showed 9 of them; the latest sighting was
        2026-03-11T18:20:00Z.
        Forgotten items are not counted.
        ") };
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        // A bar for each interval, with a length by its number of items.
        let bars: Vec<(usize, i64)> = text
            .lines()
            .filter(|line| line.starts_with("  2026-") && line.contains(':'))
            .filter_map(|line| Some((line.matches('#').count(), line.rsplit(' ').next()?.parse().ok()?)))
            .collect();
        let reported: Vec<i64> =
            story["chart"].as_array().unwrap().iter().map(|bar| bar["items"].as_i64().unwrap()).collect();
        assert_eq!(bars.iter().map(|bar| bar.1).collect::<Vec<_>>(), reported, "{text}");
        let most = *reported.iter().max().unwrap();
        assert!(
            bars.iter().all(|(length, items)| (*length == 40) == (*items == most) && (*length == 0) == (*items == 0))
        );
        let pages = Pages::serve(&place, &[]);
        let coded = |key: &str| url::form_urlencoded::byte_serialize(key.as_bytes()).collect::<String>();
        for key in ["post:x:1", PAGE_KEY, PAGE] {
            let api = get_json(&pages, &format!("/api/v1/items/{}/story", coded(key)));
            let cli = place.json(&["story", key, "--format", "json"]);
            assert_eq!((&api["data"], &api["sandbox"]), (&cli["story"], &cli["sandbox"]), "{name}: {key}");
        }
        let said = send_request(&pages, "GET", "/api/v1/items/post:x:999/story", &[], "").assert_problem(404);
        assert!(said.contains("no item `post:x:999`"), "{said}");
        let page = pages.page(&format!("/item?key={}", coded("post:x:1")));
        for part in [
            "<h2 id=\"spread\">How it spread</h2>",
            "aria-labelledby=\"spread\"",
            "17 items, 4 texts, 14 authors, in 3 topics and 2 sources.",
            "role=\"img\" aria-label=\"Items over time, UTC",
            "Earlier ones may be missing:",
            "shares a link",
            // Each topic has a last run of its own.
            "The last answered runs of these topics showed ",
        ] {
            assert!(page.contains(part), "{name}: {part}\n{page}");
        }
        // Its numbers lead to their items.
        let links = number_links(&page).into_iter();
        let links: Vec<Link> = links.filter(|link| link.address.ends_with("#story-items")).collect();
        assert!(links.len() > 6, "{name}: {links:?}");
        for link in links {
            let listed = follow_link(&|path| pages.page(path), &link.address);
            // The item itself is there without a link.
            assert_eq!(listed.rows, link.number(), "{name}: {link:?}: {listed:?}");
        }
        let all =
            follow_link(&|path| pages.page(path), &format!("/item?key={}&story=all#story-items", coded("post:x:1")));
        assert_eq!(all.rows, 17, "{name}: {all:?}");
        place
            .run(&["story", "post:x:999"])
            .assert_stderr(2, &["there is no item `post:x:999`", "hint: topicwatch items --json"]);
        place.run(&["story", "\u{1b}[2Jx"]).assert_stderr(2, &["there is no item `\\u{1b}[2Jx`"]);
    }
}

#[test]
fn a_story_of_an_item_seen_once_says_so() {
    for database in databases() {
        let place = place(database);
        let text = place.ok(&["story", "post:x:24"]);
        insta::allow_duplicates! { insta::assert_snapshot!(text, @r"
        SANDBOX: invented findings

        post:x:24
          nothing of the kind in the whole of this text, really

        It was seen once: by rust (social), 2026-03-11T13:00:00Z.
        No other item repeats its words or shares a link with it.

        First seen: @Author2  post:x:24
          published 2026-03-11T12:44:00Z, seen 2026-03-11T13:00:00Z

        Earliest published: @Author2  post:x:24
          published 2026-03-11T12:44:00Z, seen 2026-03-11T13:00:00Z

        Earlier ones may be missing:
          - rust social did not cover 2026-03-10T12:44:00Z to 2026-03-10T13:00:00Z.

        The last answered run showed it; the latest sighting was 2026-03-11T13:00:00Z.
        Forgotten items are not counted.
        ") };
        let pages = Pages::serve(&place, &[]);
        let page = pages.page("/item?key=post:x:24");
        assert!(page.contains("It was seen once: by rust (social), 2026-"), "{page}");
        assert!(!page.contains("Items over time"), "no chart of one item");
    }
}

#[test]
fn a_story_finds_items_that_are_not_indexed_yet() {
    for database in databases() {
        let place = place(database);
        block_on(async {
            let store = open_store(&place.database).await;
            let words = "see https://twitter.com/author24/status/24?s=20 for more";
            let more = vec![post(31, Source::Social, "cy", None, words)];
            store_run(&store, &topic("rust"), "C9", covering(minutes(600), more)).await;
            assert_eq!(store.index_backlog(words::VERSION).await.unwrap(), 1);
            store.close().await;
        });
        let name = place.database.name;
        let text = place.ok(&["items", "story", "post:x:24"]);
        assert!(text.contains("2 items, 2 texts") && text.contains("post:x:31"), "{name}: {text}");
        assert!(!text.contains("No other item") && !text.contains("not indexed yet"), "{name}: {text}");
        // Its words have not been compared yet.
        let text = place.ok(&["items", "story", "post:x:23"]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("share a link with it is not fully known."), "{name}: {text}");
    }
}

#[test]
fn hostile_texts_of_a_story_are_escaped_in_terminal_and_page() {
    for database in databases() {
        let place = place(database);
        let hostile = "<script>alert(1)</script>\u{1b}[2J\u{202e}\"><img src=x onerror=alert(1)> javascript:alert(2)";
        let others = format!("key <> '{PAGE_KEY}'");
        place.database.set_hostile_texts(&others, hostile, "javascript:alert(1)", hostile);
        let before = sql_literal(&format!("{hostile} before"));
        block_on(place.database.execute(&format!("UPDATE item_revision SET text = {before}")));
        for key in ["post:x:1", "post:x:2", "post:x:24"] {
            let output = place.run(&["story", key]);
            output.assert_stdout(0, &["\\u{1b}[2J", "\\u{202e}"]);
            assert!(output.out.lines().all(|line| line.chars().count() <= 80 || !line.contains(' ')), "{output}");
            place.run(&["story", key, "--format", "json"]).assert_stdout(0, &["\\u001b[2J"]);
        }
        let pages = Pages::serve(&place, &[]);
        let page = pages.page("/item?key=post:x:2");
        assert!(page.contains("How it spread") && page.contains("&lt;script&gt;"), "{page}");
        for live in ["<script>alert", "<img", "href=\"javascript", "\u{1b}", "\u{202e}"] {
            assert!(!page.contains(live), "{live}\n{page}");
        }
    }
}

#[test]
fn every_query_of_a_story_uses_an_index() {
    for database in databases() {
        let place = place(database);
        let logged = place.program(&["story", "post:x:1", "--log-format", "json"]);
        let ended = logged.env("RUST_LOG", "sqlx::query=debug").start().wait();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let statements: Vec<String> = statements(&ended.err)
            .filter(|sql| sql.starts_with("SELECT") || sql.starts_with("WITH"))
            .filter(|sql| [" item ", "item_words", "sighting", "topic_item"].iter().any(|table| sql.contains(table)))
            .collect();
        assert!(statements.len() > 6, "{statements:#?}");
        // The program's statements read the tables.
        for kind in
            ["WITH head", "WITH found", "JOIN item_key a", "sighting s CROSS JOIN run", "topic_item t CROSS JOIN run"]
        {
            assert!(ended.err.contains(kind), "{kind} was not called");
        }
        for sql in &statements {
            let plan = place.database.query_plan(sql);
            let tables = [" i", " c", " t", " s", " r", " f", " k", " a", " v", " h"];
            let scans = plan.iter().filter(|line| {
                let whole = tables.iter().any(|table| {
                    line.trim_start().starts_with(&format!("SCAN{table} ")) || line.trim() == format!("SCAN{table}")
                });
                whole && !line.contains("VIRTUAL TABLE")
                    || ["item", "sighting", "topic_item", "run", "item_key"]
                        .iter()
                        .any(|table| line.contains(&format!("Seq Scan on {table} ")))
            });
            assert_eq!(scans.count(), 0, "{}: {sql}\n{plan:#?}", place.database.name);
        }
    }
}
