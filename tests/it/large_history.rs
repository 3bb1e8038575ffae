//! Statements whose cost must not grow with the whole history: lists of the latest rows, checks of each run by
//! retention, and pages read by `forget`. Judged by their plans and texts, so that no test needs a large database.

use crate::support::databases::{Database, databases};
use crate::support::logged_sql::statements;
use crate::support::program::{NINE, Place};
use crate::support::service::Sandbox;
use crate::support::web_client::Pages;

const TOPICS: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\ntags = [\"shop\"]\n[[topics]]\nid = \"other\"\nquery = \"other news\"\ntags = [\"shop\"]\n";

/// The statements of a command, as it logs them.
fn logged(place: &Place, verb: &[&str]) -> Vec<String> {
    let program = place.program(&[verb, &["--log-format", "json"]].concat());
    let ended = program.env("RUST_LOG", "sqlx::query=debug").start().wait();
    assert_eq!(ended.code, Some(0), "{verb:?}: {}", ended.err);
    statements(&ended.err).collect()
}

/// The whole log of a program that serves these pages. It is stopped first: it may still be writing its last statements
/// when a page is there.
fn log_of_pages(place: &Place, paths: &[&str]) -> String {
    let program = place.program(&["serve", "--listen", "127.0.0.1:0", "--at", NINE, "--log-format", "json"]);
    let pages = Pages::wait_for_address(program.env("RUST_LOG", "topicwatch=info,sqlx::query=debug").start());
    for path in paths {
        assert_eq!(pages.get(path).status, 200, "{}: {path}", place.database.name);
    }
    pages.program.signal("TERM");
    pages.program.wait().err
}

/// Asserts that SQLite sorts at most the rows of one instant for each list of the latest. PostgreSQL decides by the size of
/// the tables, and an index fits.
fn assert_reads_backwards(database: &Database, all: &[String], order: &str, least: usize) {
    let lists = all.iter().filter(|sql| sql.contains(order) && sql.contains(" LIMIT ") && !sql.contains(" AS w"));
    let lists: Vec<&String> = lists.collect();
    assert!(lists.len() >= least, "{}: {order}: {all:#?}", database.name);
    if database.name != "SQLite" {
        return;
    }
    // The statistics say that the tables are small.
    database.forget_statistics();
    for sql in lists {
        let plan = database.query_plan(sql);
        let has = |part: &str| plan.iter().any(|line| line.contains(part));
        // The page of a topic also sorts what is in its window.
        let holds = if sql.starts_with("WITH") { has("topic_item_new") } else { !has("USE TEMP B-TREE FOR ORDER BY") };
        assert!(holds, "{sql}\n{plan:#?}");
    }
}

#[test]
fn lists_of_latest_items_do_not_sort_the_whole_history() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let runs = "ORDER BY coalesce(r.started_at, r.slot, r.planned_at) DESC";
        assert_reads_backwards(&place.database, &logged(&place, &["runs"]), runs, 1);
        assert_reads_backwards(
            &place.database,
            &logged(&place, &["runs", "--topic", "acme", "--topic", "other"]),
            runs,
            1,
        );
        assert_reads_backwards(&place.database, &logged(&place, &["show", "acme"]), runs, 1);
        let items = "ORDER BY t.first_seen DESC";
        assert_reads_backwards(&place.database, &logged(&place, &["items"]), items, 1);
        assert_reads_backwards(&place.database, &logged(&place, &["items", "--topic", "acme"]), items, 1);
        assert_reads_backwards(
            &place.database,
            &logged(&place, &["items", "--topic", "acme", "--topic", "other"]),
            items,
            1,
        );
        let paths = ["/topics/acme", "/items", "/items?topic=acme", "/items?tag=shop", "/runs?topic=acme"];
        let log = log_of_pages(&place, &paths);
        let all: Vec<String> =
            statements(&log).filter(|sql| sql.contains("topic_item") || sql.contains("run r")).collect();
        assert_reads_backwards(&place.database, &all, items, 4);
        assert_reads_backwards(&place.database, &all, runs, 1);
        // Without a limit, PostgreSQL sorts everything before it returns the first item to count.
        let counts = all.iter().filter(|sql| sql.contains("ORDER BY t.topic, t.first_seen, i.key"));
        let counts: Vec<&String> = counts.collect();
        assert!(counts.len() >= 3 && counts.iter().all(|sql| sql.contains(" LIMIT ")), "{counts:#?}");
    }
}

/// Without statistics, SQLite would find all items of a time to count the first of them by topic.
#[test]
fn items_of_a_time_are_counted_without_sorting_all_of_them() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let name = place.database.name;
        let paths = ["/items?since=7d&until=2026-03-12", "/items?since=7d", "/items?new_since=24h", "/items"];
        let log = log_of_pages(&place, &paths);
        let is_count = |sql: &String| sql.contains("ORDER BY t.topic, t.first_seen, i.key LIMIT ");
        let counts: Vec<String> = statements(&log).filter(is_count).collect();
        assert_eq!(counts.len(), paths.len(), "{name}: {counts:#?}");
        // PostgreSQL decides by the size of the tables.
        if name == "SQLite" {
            place.database.forget_statistics();
            for sql in counts {
                let plan = place.database.query_plan(&sql);
                let has = |part: &str| plan.iter().any(|line| line.contains(part));
                // Items of all times need no list of the topics.
                let is_of_a_time = sql.contains("t.first_seen >= ");
                let reads = if is_of_a_time {
                    "topic_item_new (topic=? AND first_seen"
                } else {
                    "SCAN t USING INDEX topic_item_new"
                };
                assert!(has(reads), "{sql}\n{plan:#?}");
                assert!(!has("USE TEMP B-TREE FOR ORDER BY"), "{sql}\n{plan:#?}");
            }
        }
    }
}

/// The bounds of a list's time on one side.
fn bounds<'s>(list: &'s str, side: &str) -> Vec<&'s str> {
    let parts = list.split(&format!(" AND t.first_seen {side}")).skip(1).collect::<Vec<_>>();
    parts.into_iter().filter_map(|part| part.split(" AND ").next()).collect()
}

/// SQLite reads a list within the first bound on each side. With a wider one before it, each page would read all
/// earlier pages again, and items new since an instant would be searched for in the whole history.
#[test]
fn pages_of_a_list_are_read_within_their_own_times() {
    const ALL: &str = "9223372036854775807";
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let name = place.database.name;
        let of_topic = "/api/v1/topics/acme/items?limit=1";
        let first = Pages::serve(&place, &["--at", NINE]).page(of_topic);
        let first: serde_json::Value = serde_json::from_str(&first).unwrap();
        let next = format!("{of_topic}&page_token={}", first["next_page_token"].as_str().unwrap());
        let after = "after=1773219600001/acme/post:x:1";
        let (later, until) = (format!("/items?{after}"), format!("/items?{after}&until=2026-03-12"));
        let (tagged, both) = (format!("/items?{after}&tag=shop"), format!("/items?{after}&since=7d&new_since=24h"));
        let paths: [&str; 8] = [&next, of_topic, &later, &until, &tagged, &both, "/items", "/items?new_since=24h"];
        let log = log_of_pages(&place, &paths);
        let is_list = |sql: &String| sql.starts_with("WITH seen") || sql.contains("AS published, t.topic");
        let lists: Vec<String> = statements(&log).filter(is_list).collect();
        assert_eq!(lists.len(), paths.len(), "{name}: {lists:#?}");
        for list in lists.iter().flat_map(|sql| sql.split(" UNION ALL ")) {
            let (lower, upper) = (bounds(list, ">"), bounds(list, "<"));
            assert_eq!(upper.len(), 1, "{name}: {list}");
            let is_all = |bound: &&str| bound.contains(ALL);
            assert!(lower.len() == 1 || lower.len() > 1 && !lower.iter().any(is_all), "{name}: {list}");
        }
    }
}

#[test]
fn earlier_answers_to_a_query_are_looked_up_from_the_latest_run_back() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        // Nearly all of it is old enough to be pruned.
        let mut all = logged(&place, &["db", "prune", "--dry-run", "--at", "2030-01-01T00:00:00Z"]);
        all.extend(logged(&place, &["export", "--what", "new", "--out", "new.csv"]));
        let name = place.database.name;
        let asked: Vec<&String> = all.iter().filter(|sql| sql.contains("a.query = ")).collect();
        assert!(asked.len() >= 2, "{name}: {all:#?}");
        for sql in asked {
            let back = sql.matches("ORDER BY e.seq DESC LIMIT 1").count();
            assert_eq!(sql.matches("a.query = ").count(), back, "{name}: {sql}");
        }
        let of_runs = all.iter().find(|sql| sql.contains("AS goes") && sql.contains("run o WHERE"));
        let of_runs = of_runs.unwrap_or_else(|| panic!("{name}: {all:#?}"));
        let (failed, later) = (of_runs.find("r.found = 0"), of_runs.find("q.state IN ('ok', 'partial')"));
        assert!(failed.is_some() && failed < later, "{name}: {of_runs}");
    }
}

#[test]
fn forgetting_reads_each_edition_of_an_export_once() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let all = logged(&place, &["db", "forget", "--author", "nobody", "--dry-run"]);
        let name = place.database.name;
        let pages: Vec<&String> = all.iter().filter(|sql| sql.contains("FROM export_edition WHERE (export")).collect();
        assert_eq!(pages.len(), 1, "{name}: {all:#?}");
        let plan = place.database.query_plan(pages[0]);
        assert!(!plan.iter().any(|line| line.contains("TEMP B-TREE") || line.contains("Sort")), "{name}: {plan:#?}");
    }
}

#[test]
fn an_unknown_address_is_looked_up_in_an_index() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let program = place.program(&["items", "story", "https://nothing.example/7", "--log-format", "json"]);
        let ended = program.env("RUST_LOG", "sqlx::query=debug").start().wait();
        let name = place.database.name;
        assert_eq!(ended.code, Some(2), "{name}: {}", ended.err);
        let all: Vec<String> = statements(&ended.err).filter(|sql| sql.contains("i.url = ")).collect();
        assert!(!all.is_empty(), "{name}: {}", ended.err);
        let plan = place.database.query_plan(&all[0]);
        assert!(plan.iter().any(|line| line.contains("item_address")), "{name}: {plan:#?}");
    }
}

#[test]
fn near_copies_of_a_list_are_folded_in_one_pass() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let name = place.database.name;
        let paths = ["/topics/acme?order=engagement", "/topics/acme?order=negative", "/topics/acme?search=acme"];
        let log = log_of_pages(&place, &paths);
        let all: Vec<String> = statements(&log).filter(|sql| sql.contains("FROM matched h")).collect();
        assert!(all.len() >= 3, "{name}: {log}");
        assert!(all.iter().all(|sql| sql.contains("matched AS MATERIALIZED")), "{name}: {all:#?}");
        if name == "SQLite" {
            place.database.forget_statistics();
            let plan = place.database.query_plan(&all[0]);
            assert!(!plan.iter().any(|line| line == "SCAN i" || line.starts_with("SCAN t")), "{plan:#?}");
        }
    }
}

#[test]
fn reports_and_editions_are_read_from_the_latest_by_index() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let name = place.database.name;
        let log = log_of_pages(&place, &["/files"]);
        let all: Vec<String> = statements(&log).filter(|sql| sql.contains("AS editions")).collect();
        assert!(!all.is_empty(), "{name}: {log}");
        if name == "SQLite" {
            let plan = place.database.query_plan(&all[0]);
            for index in ["report_at", "export_edition_at"] {
                assert!(plan.iter().any(|line| line.contains(index)), "{plan:#?}");
            }
        }
    }
}

#[test]
fn the_overview_finds_full_replies_and_new_items_by_index() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPICS);
        place.ok(&["once", "--at", NINE]);
        let log = log_of_pages(&place, &["/"]);
        for (condition, of_run, index) in [
            ("s.saturated = 1", "r.id = s.run", "search_full"),
            ("r.new > 0", "r.topic = given.value AND coalesce(", "run_topic_new"),
        ] {
            let all = statements(&log).filter(|sql| sql.contains(condition) && sql.contains(of_run));
            let all: Vec<String> = all.collect();
            assert!(!all.is_empty(), "{}: {condition}: {log}", place.database.name);
            // PostgreSQL decides by the size of the tables.
            if place.database.name == "SQLite" {
                place.database.forget_statistics();
                for sql in all {
                    let plan = place.database.query_plan(&sql);
                    assert!(plan.iter().any(|line| line.contains(index)), "{sql}\n{plan:#?}");
                }
            }
        }
    }
}
