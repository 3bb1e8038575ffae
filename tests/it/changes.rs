//! `diff` through the binary on both databases, with hand-written replies: baseline, new, gone, edited, rising, items
//! older than the window, items missing from replies, and truncated lists. docs/explanation/changes.md defines the
//! terms.

use crate::support::logged_sql;
use crate::support::world::*;

use serde_json::{Value, json};

use crate::support::api_client::get_json;
use crate::support::databases::databases;
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Sandbox};
use crate::support::web_client::Pages;

fn diff(place: &Place, more: &[&str]) -> Value {
    place.json(&[&["diff", "acme", "--json"], more].concat())
}

/// The named counts, in order.
fn counts(diff: &Value, names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| diff["counts"][name].as_u64().unwrap_or_else(|| panic!("{name}: {diff}"))).collect()
}

const FIVE: [&str; 5] = ["new", "baseline", "gone", "edited", "rising"];

#[test]
fn diff_reports_a_baseline_then_new_gone_edited_and_rising_items() {
    let mut reported = Vec::new();
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let (one, two) = (|| post(1, 20, "one is here", 5), || post(2, 21, "two costs $10 now", 5));
        world.set_posts(&[one(), two()]);
        run_once(&place, 24);
        let first = diff(&place, &[]);
        assert_eq!(counts(&first, &FIVE), [0, 2, 0, 0, 0], "{first}");
        assert_eq!(first["sources"][0]["queries"][0]["baseline"], true, "{first}");

        world.set_posts(&[post(3, 25, "three is new", 1), one(), two()]);
        run_once(&place, 25);
        let second = diff(&place, &[]);
        assert_eq!(counts(&second, &FIVE), [1, 0, 0, 0, 0], "{second}");
        assert_eq!(item_keys(&second["new"]), ["post:x:3"]);
        assert_eq!(second["sources"][0]["gone_judged"], false, "two snapshots prove nothing");

        run_once(&place, 26);
        assert_eq!(counts(&diff(&place, &[]), &FIVE), [0; 5]);
        // Post 1 is gone although its time is inside the window, post 2 is edited, post 3 grows.
        world.set_posts(&[post(3, 25, "three is new", 41), post(2, 21, "two costs $12 now", 5)]);
        run_once(&place, 28);
        let fourth = diff(&place, &[]);
        assert_eq!(counts(&fourth, &FIVE), [0, 0, 1, 1, 1], "{fourth}");
        assert_eq!(
            (item_keys(&fourth["gone"]), item_keys(&fourth["edited"]), item_keys(&fourth["rising"])),
            (vec!["post:x:1"], vec!["post:x:2"], vec!["post:x:3"])
        );
        assert_eq!(
            fourth["edited"][0]["text_changes"],
            json!([{ "same": "two costs $" }, { "removed": "10" }, { "added": "12" }, { "same": " now" }])
        );
        assert_eq!((&fourth["rising"][0]["gain"], &fourth["rising"][0]["per_hour"]), (&json!(40), &json!(20.0)));

        let narrow = place.program(&["diff", "acme"]).env("COLUMNS", "80").run();
        assert!(narrow.out.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        // The whole history as one span; the baseline is not new in it either.
        let all = diff(&place, &["--since", "2026-03-01"]);
        assert_eq!(counts(&all, &FIVE), [1, 2, 1, 1, 1], "{all}");
        let runs = place.json(&["runs", "--json"]);
        let second_run = runs["runs"][2]["run"].as_str().unwrap();
        assert_eq!(counts(&diff(&place, &["--since", second_run]), &FIVE), [0, 0, 1, 1, 1]);
        let two_hours = diff(&place, &["--since", "3h", "--at", &hour(28)]);
        assert_eq!((counts(&two_hours, &FIVE), &two_hours["runs"]), (vec![1, 0, 1, 1, 1], &json!(3)));
        // Seen again, so no longer gone.
        world.set_posts(&[post(3, 25, "three is new", 41), one(), two()]);
        run_once(&place, 29);
        assert_eq!(counts(&diff(&place, &["--since", "2026-03-01"]), &["gone"]), [0]);
        reported.push((narrow.out, all["counts"].clone()));
    }
    assert!(reported.iter().all(|other| *other == reported[0]), "{reported:#?}");
    insta::assert_snapshot!(reported[0].0, @r"
    acme · 1 run from 2026-03-12T02:00:00Z to 2026-03-12T04:00:00Z
    0 new · 1 gone · 1 edited · 1 rising
      social: 0 new, 1 of 1 searches answered

    Gone
      @author1: one is here
        social: last seen 2026-03-12T02:00:00Z, missed 2026-03-12T04:00:00Z
        https://x.com/a/status/1

    Edited
      @author2: two costs $12 now
        text: two costs $[-10-]{+12+} now
        seen 2026-03-12T04:00:00Z
        https://x.com/a/status/2

    Rising
      @author0: three is new
        +40 reactions in 2h (1 before), 20.0 per hour
        https://x.com/a/status/3
    ");
}

#[test]
fn other_space_between_words_is_no_edit_even_if_it_is_changed_back() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        for (at, respaced, edited, both) in [
            (24, "acme is out", "acme costs $10", "acme is sold"),
            (25, "acme  is  out", "acme costs $12", "acme is bought"),
            (26, "acme is out", "acme costs $10", "acme  is  bought"),
        ] {
            world.set_posts(&[post(1, 20, respaced, 5), post(2, 21, edited, 5), post(3, 22, both, 5)]);
            run_once(&place, at);
        }
        let all = diff(&place, &["--since", "2026-03-01"]);
        assert_eq!(item_keys(&all["edited"]), ["post:x:2", "post:x:3"], "{}: {all}", place.database.name);
        // Of the last item, only the first change is an edit.
        let told = all["edited"].as_array().unwrap().iter().map(|one| (one["edits"].clone(), one["at"].clone()));
        let expected = [(2, "2026-03-12T02:00:00.000Z"), (1, "2026-03-12T01:00:00.000Z")];
        let expected = expected.map(|(edits, at)| (json!(edits), json!(at)));
        assert_eq!(told.collect::<Vec<_>>(), expected, "{all}");
    }
}

#[test]
fn a_changed_query_starts_a_baseline_without_new_items() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        world.set_posts(&[post(1, 20, "one", 5)]);
        run_once(&place, 24);
        place.configure(&world.lines(), &topic("acme OR globex", ""));
        let many: Vec<Value> = (10..30).map(|id| post(id, 22, &format!("globex {id}"), 5)).collect();
        world.set_posts(&many);
        run_once(&place, 25);
        let changed = diff(&place, &[]);
        assert_eq!(counts(&changed, &FIVE), [0, 20, 0, 0, 0], "{changed}");
        let asked = &changed["sources"][0]["queries"][0];
        assert_eq!(
            (&asked["changed"], &asked["baseline"], &asked["query"]),
            (&json!(true), &json!(true), &json!("acme OR globex"))
        );
        place.run(&["diff", "acme"]).assert_stdout(
            0,
            &[
                "20 baseline",
                "answers to a query, of any age",
                "social: query changed at 2026-03-12T01:00:00Z, baseline: acme OR globex",
            ],
        );
        place
            .run(&["show", "acme"])
            .assert_stdout(0, &["baseline: first time that social was searched with this query"]);
        world.set_posts(&[&many[..], &[post(40, 25, "globex 40", 0)]].concat());
        run_once(&place, 26);
        assert_eq!(counts(&diff(&place, &[]), &FIVE), [1, 0, 0, 0, 0]);
        assert!(!place.ok(&["show", "acme"]).contains("baseline"));
        // Back to the old query, which has its baseline: new items are new.
        place.configure(&world.lines(), &topic("acme", ""));
        world.set_posts(&[post(50, 26, "acme 50", 0)]);
        run_once(&place, 27);
        let back = diff(&place, &[]);
        assert_eq!(
            (counts(&back, &FIVE), &back["sources"][0]["queries"][0]["changed"]),
            (vec![1, 0, 0, 0, 0], &json!(true))
        );
    }
}

#[test]
fn failed_first_searches_are_not_a_baseline_and_empty_replies_change_nothing() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &FakeServer::unreachable(), &topic("acme", ""));
        place.run(&["once", "--at", &hour(23)]).assert_stderr(3, &[]);
        place.run(&["diff", "acme"]).assert_stderr(2, &["topic acme has no run with results yet"]);
        place.configure(&world.lines(), &topic("acme", ""));
        world.set_posts(&[post(1, 20, "one", 5)]);
        run_once(&place, 24);
        assert_eq!(counts(&diff(&place, &[]), &FIVE), [0, 1, 0, 0, 0], "the first answered run is the baseline");
        for at in 25..28 {
            run_once(&place, at);
        }
        world.set_posts(&[]);
        run_once(&place, 28);
        assert_eq!(counts(&diff(&place, &[]), &FIVE), [0; 5], "nothing is gone because of an empty reply");
    }
}

#[test]
fn diff_says_when_a_query_was_first_answered_not_when_it_was_first_asked() {
    for database in databases() {
        let name = database.name;
        let failing = Sandbox::at(NINE, &["source=web,status=500"]);
        let both = topic("acme", "").replace("[\"social\"]", "[\"social\", \"web\"]");
        let place = Place::new(database, &failing.lines(), &both);
        for at in [NINE, "2026-03-11T10:00:00Z"] {
            assert_eq!(place.run(&["once", "--at", at]).code, Some(3), "{name}");
            let told = place.ok(&["diff", "acme"]);
            assert!(told.contains("web: 0 new, 0 of 1 searches answered"), "{name}: {told}");
            assert!(!told.contains("web: query"), "{name}: a failed search is no baseline: {told}");
            let social = told.contains("social: query first answered at 2026-03-11T09:00:00Z, baseline: acme");
            assert_eq!(social, at == NINE, "{name}: {told}");
        }
        let eleven = "2026-03-11T11:00:00Z";
        let working = Sandbox::at(eleven, &[]);
        place.configure(&working.lines(), &both);
        place.ok(&["once", "--at", eleven]);
        for more in [&["--since", "2026-03-01"][..], &[]] {
            let told = place.ok(&[&["diff", "acme"][..], more].concat());
            let expected = "web: query first answered at 2026-03-11T11:00:00Z, baseline: acme";
            assert!(told.contains(expected), "{name}: {told}");
        }
    }
}

#[test]
fn diff_lists_items_outside_the_window_and_counts_missing_fields() {
    for database in databases() {
        let world = ScriptedService::new();
        let more = "web.limit = 4";
        let place =
            Place::new(database, &world.lines(), &topic("acme", more).replace("[\"social\"]", "[\"social\", \"web\"]"));
        world.set_posts(&[post(1, 20, "one", 5)]);
        world.set_pages(&[]);
        run_once(&place, 24);
        world.set_posts(&[
            json!({ "text": "nothing but words" }),
            json!({ "text": "other words" }),
            json!({ "id": "9", "text": "long ago", "created_at": "2026-03-01T00:00:00Z" }),
        ]);
        let page = |n: u32| json!({ "title": format!("Page {n}"), "url": format!("https://example.org/{n}") });
        world.set_pages(&[page(1), page(2), page(3), page(4)]);
        run_once(&place, 25);
        let reported = diff(&place, &[]);
        assert_eq!(
            counts(&reported, &["new", "undated", "outside", "new_texts", "new_authors"]),
            [6, 6, 1, 6, 0],
            "{reported}"
        );
        assert_eq!(reported["counts"]["unknown"], json!({ "date": 6, "author": 6, "engagement": 6 }));
        assert_eq!((&reported["counts"]["at_least"], &reported["sources"][1]["saturated"]), (&json!(true), &json!(1)));
        assert_eq!(item_keys(&reported["outside"]), ["post:x:9"]);
        insta::allow_duplicates! { insta::assert_snapshot!(place.ok(&["diff", "acme"]), @r"
        acme · 1 run from 2026-03-12T00:00:00Z to 2026-03-12T01:00:00Z
        ≥6 new · 0 gone · 0 edited · 0 rising
          new: 6 different texts, authors unknown
          new: reactions not given
          6 new items without a date, counted at the first sighting
          1 more first seen, but older than the window or dated in the future
          ≥: a source returned its maximum
          social: 2 new, 1 of 1 searches answered; gone: not judged
          web: ≥4 new, 1 of 1 searches answered, 1 at the maximum; gone: not judged

        New
          Page 1
            first seen 2026-03-12T01:00:00Z, undated · web
            https://example.org/1
          Page 2
            first seen 2026-03-12T01:00:00Z, undated · web
            https://example.org/2
          Page 3
            first seen 2026-03-12T01:00:00Z, undated · web
            https://example.org/3
          Page 4
            first seen 2026-03-12T01:00:00Z, undated · web
            https://example.org/4
          other words
            first seen 2026-03-12T01:00:00Z, undated · social
            text:x::52416c703f41010c057300ffd44d3ae5
          nothing but words
            first seen 2026-03-12T01:00:00Z, undated · social
            text:x::a3b18d9b8baf4e0665e9a11b328e55a0

        First seen, but older than the window or dated in the future
          long ago
            2026-03-01T00:00:00Z · social
            post:x:9
        ") };
        // The other commands that count findings show it, too.
        place.run(&["show", "acme"]).assert_stdout(0, &["≥7 found, ≥6 new, 1 older or dated in the future"]);
        place.run(&["runs"]).assert_stdout(0, &["≥6 (+1)", "(+n): also first seen, but older than the window"]);
        place.run(&["runs", "--searches"]).assert_stdout(0, &["≥4 found = ≥4 new", " 3 found = 3 new"]);
        place
            .run(&["status"])
            .assert_stdout(0, &["≥6", "acme: 1 more first seen in the last run, but older than the window"]);
        let bounded = place.ok(&["diff", "acme", "--limit", "2"]);
        let json = place.json(&["diff", "acme", "--limit", "2", "--json"]);
        assert_eq!(json["new"].as_array().unwrap().len(), 2, "{json}");
        assert!(bounded.contains("… and 4 more"), "{bounded}");
    }
}

#[test]
fn diff_refuses_unknown_topics_and_spans() {
    let world = ScriptedService::new();
    let place = Place::new(crate::support::databases::sqlite(), &world.lines(), &topic("acme", ""));
    world.set_posts(&[post(1, 20, "one", 5)]);
    run_once(&place, 24);
    place.run(&["diff", "acne"]).assert_stderr(2, &["there is no topic `acne`", "did you mean `acme`?"]);
    place.run(&["diff", "acme", "--since", "sometime"]).assert_stderr(2, &["neither a run of acme nor a time"]);
    place
        .run(&["diff", "acme", "--since", "1h", "--at", "2026-06-01T00:00:00Z"])
        .assert_stdout(0, &["no run since then"]);
}

#[test]
fn diff_and_status_scan_no_growing_table() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        for n in 0..5 {
            world.set_posts(
                &(0..20)
                    .map(|id| post(n * 5 + id, 20, &format!("post {id} at {n}"), 30 * i64::from(n)))
                    .collect::<Vec<_>>(),
            );
            run_once(&place, 24 + n);
        }
        place.database.analyse();
        let mut statements = std::collections::BTreeSet::new();
        for verb in [&["diff", "acme", "--since", "2026-03-12"][..], &["status"], &["show", "acme"]] {
            let logged =
                place.program(&[verb, &["--log-format", "json"]].concat()).env("RUST_LOG", "sqlx::query=debug").run();
            statements.extend(logged_sql::statements(&logged.err));
        }
        let ours =
            |sql: &&String| ["sighting", "topic_item", "item_revision", "search s"].iter().any(|t| sql.contains(t));
        let ours: Vec<&String> = statements
            .iter()
            .filter(|sql| sql.starts_with("SELECT") && !sql.contains(" FROM topic t "))
            .filter(ours)
            .collect();
        assert!(ours.len() >= 6, "{}: {statements:#?}", place.database.name);
        for sql in ours {
            let plan = place.database.query_plan(sql);
            for table in [
                "r",
                "s",
                "i",
                "c",
                "t",
                "v",
                "x",
                "y",
                "a",
                "b",
                "f",
                "q",
                "run",
                "item",
                "sighting",
                "topic_item",
                "item_revision",
                "item_past",
                "search",
            ] {
                // A page of the table, found by an index and read in order.
                if plan.iter().any(|line| line.trim().ends_with(&format!("CO-ROUTINE {table}"))) {
                    continue;
                }
                let scans = [format!("SCAN {table}"), format!("Seq Scan on {table}")];
                let scanned = plan.iter().find(|line| {
                    scans.iter().any(|scan| {
                        line.trim().ends_with(scan.as_str())
                            || line.contains(&format!("{scan} ")) && !line.contains("USING")
                    })
                });
                assert!(scanned.is_none(), "{}: {sql}\n{plan:#?}", place.database.name);
            }
        }
    }
}

#[test]
fn an_item_is_rising_only_if_its_total_engagement_rises() {
    for database in databases() {
        let name = database.name;
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let shown = |id: u32, text: &str, likes: i64, reposts: Option<i64>| {
            let mut shown = post(id, 20, text, likes);
            shown["retweet_count"] = json!(reposts);
            shown
        };
        world.set_posts(&[
            shown(1, "one loses likes faster than it gains reposts", 66, Some(20)),
            shown(2, "two is liked by many and unshared by few", 5, Some(3)),
            shown(3, "three has reposts only later", 40, None),
            shown(4, "four has reposts only at first", 40, Some(90)),
            shown(5, "five is liked by nearly as many as two", 10, Some(0)),
        ]);
        run_once(&place, 24);
        world.set_posts(&[
            shown(1, "one loses likes faster than it gains reposts", 12, Some(41)),
            shown(2, "two is liked by many and unshared by few", 40, Some(1)),
            shown(3, "three has reposts only later", 41, Some(90)),
            shown(4, "four has reposts only at first", 60, None),
            shown(5, "five is liked by nearly as many as two", 42, Some(0)),
        ]);
        run_once(&place, 26);
        let reported = diff(&place, &[]);
        let order = ["post:x:2", "post:x:5", "post:x:4"];
        assert_eq!(item_keys(&reported["rising"]), order, "{name}: {reported}");
        assert_eq!(counts(&reported, &["rising"]), [3]);
        let rows = place.ok(&["export", "--what", "changes", "--format", "jsonl"]);
        let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let totals: Vec<_> = rows
            .iter()
            .filter(|row| row["change"] == "rising")
            .map(|row| (row["reactions_before"].as_i64(), row["reactions_after"].as_i64(), row["per_hour"].as_f64()))
            .collect();
        let expected =
            [(Some(8), Some(41), Some(16.5)), (Some(10), Some(42), Some(16.0)), (Some(40), Some(60), Some(10.0))];
        assert_eq!(totals, expected, "{name}");
        let pages = Pages::serve(&place, &["--at", &hour(27)]);
        let fastest = get_json(&pages, "/api/v1/topics/acme/items?order=velocity");
        assert_eq!(item_keys(&fastest["data"]), order, "{name}: {fastest}");
        // Some items rose, and the filter hides none of them.
        let none = pages.page("/topics/acme?order=velocity&filtered=only");
        assert!(none.contains("No items match") && !none.contains("Nothing rose enough"), "{name}: {none}");
        let page = pages.page("/topics/acme?order=velocity");
        assert!(page.contains("first and last sighting in the last two days."), "{name}: {page}");
        // If there are more sightings than are read, only the latest are compared.
        place.database.add_sightings(700, "TRUE");
        let page = pages.page("/topics/acme?order=velocity");
        assert!(page.contains("first and last sighting among the latest 5,000 sightings."), "{name}: {page}");
    }
}
