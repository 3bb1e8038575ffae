//! `topicwatch report` on the command line: where it writes, what it refuses, and what it says when replies contain
//! little.

use crate::support::databases::{block_on, databases};
use crate::support::program::{NINE, Place};
use crate::support::service::{FakeServer, Sandbox, reply};

const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme launch\"\n";

#[test]
fn a_report_is_the_same_in_a_file_and_on_stdout() {
    for database in databases() {
        let sandbox = Sandbox::at(NINE, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        place.ok(&["once", "--at", NINE]);
        let at = ["--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z"];
        let page = place.ok(&[&["report", "--out", "-"][..], &at].concat());
        assert!(
            page.starts_with("<!DOCTYPE html>") && page.contains("SANDBOX") && page.contains("First day."),
            "{page}"
        );
        for file in ["a.html", "a.md"] {
            place.run(&[&["report", "--out", file][..], &at].concat()).assert_stdout(0, &[]);
        }
        assert_eq!(std::fs::read_to_string(place.path("a.html")).unwrap(), page);
        let markdown = std::fs::read_to_string(place.path("a.md")).unwrap();
        assert!(markdown.starts_with("# Daily report 2026-03-11\n\n**SANDBOX"), "{markdown}");
        // A report says when it was made.
        assert!(markdown.contains(" (UTC). Created 2026-03-12 07:00. Searches cost $"), "{markdown}");
        assert!(page.contains(", one local day. Created 2026-03-12 07:00. Searches cost $"), "{page}");
        place.ok(&["report", "--at", "2026-03-12T07:00:00Z"]);
        assert!(place.path("topicwatch-2026-03-11.html").exists());
        for (args, code, reported) in [
            (&["--date", "2026-02-30"][..], 2, "`2026-02-30` is not a date\nhint: write it like 2026-03-11"),
            (&["--date", "2027-01-01"], 2, "has not started yet"),
            (&["--timezone", "Mars/Base"], 2, "no time zone"),
            (&["--out", "a.txt"], 2, "use a name that ends in .html or .md"),
            (
                &["--out", "missing/a.html"],
                5,
                "missing/a.html could not be written: the folder missing does not exist\nhint: create the folder",
            ),
            (&["--out", "/proc/a.html"], 5, "its folder belongs to the system\nhint: write to stdout instead: --out -"),
            (&["--topic", "acne"], 2, "did you mean `acme`?"),
        ] {
            let ended = place.run(&[&["report", "--at", "2026-03-12T07:00:00Z"][..], args].concat());
            assert_eq!(ended.code, Some(code), "{args:?}\n{ended}");
            assert!(ended.err.contains(reported), "{args:?}\n{ended}");
        }
        place
            .run(&["export", "--out", "."])
            .assert_stderr(5, &[". could not be written: is a folder\nhint: name a file in it"]);
        let ended = place.run(&["export", "--out", "/dev/full", "--format", "csv"]);
        ended.assert_stderr(
            5,
            &["/dev/full could not be written: it is not a regular file\nhint: write to stdout instead: --out -"],
        );
    }
}

#[test]
fn reports_of_replies_with_minimal_fields_name_what_is_missing() {
    let service = FakeServer::respond_with(|path| {
        let body: &[u8] = if path.contains("web") {
            br#"{"results": [{"title": "A page", "url": "https://a.example/page"}]}"#
        } else {
            br#"{"results": [{"text": "one plain text of somebody, long enough to be told apart from others"}, {"text": "and another one"}]}"#
        };
        reply("200 OK", "content-type: application/json\r\n", body)
    });
    for database in databases() {
        let place = Place::new(database, &service.lines(), &format!("{TOPIC}sources = [\"social\", \"web\"]\n"));
        place.ok(&["once", "--at", NINE]);
        let page = place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", "-"]);
        for reported in [
            "3 without a date",
            "3 without a known author",
            "3 without engagement",
            "authors unknown",
            "Engagement is unknown for every item.",
            "3 items scored by",
            "0 not scored",
            "No authors are known.",
            "(first seen; undated)",
        ] {
            assert!(page.contains(reported), "{reported}\n{page}");
        }
        assert!(!page.contains("SANDBOX"), "a real service");
        // A filter applies when reading: items stored before it are counted as hidden.
        place.configure(
            &service.lines(),
            &format!("{TOPIC}sources = [\"social\", \"web\"]\nexclude = [\"plain\"]\n\n[[reports]]\nname = \"morning\"\ntimezone = \"Europe/Berlin\"\npath = \"out/{{name}}-{{date}}\"\n"),
        );
        let at = ["--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z"];
        place.ok(&[&["report", "morning"][..], &at].concat());
        let page = std::fs::read_to_string(place.path("out/morning-2026-03-11.html")).unwrap();
        for reported in ["1 hidden by the topic&#39;s filter", "(Europe/Berlin)", "2 without a date"] {
            assert!(page.contains(reported) || page.contains(&reported.replace("&#39;", "'")), "{reported}\n{page}");
        }
        let wrong = place.run(&[&["report", "mornin"][..], &at].concat());
        assert!(wrong.code == Some(2) && wrong.err.contains("did you mean `morning`?"), "{wrong}");
    }
}

/// The web searches are billed at 0.002 dollars, the social ones are assumed to cost 0.003.
#[test]
fn report_costs_equal_the_ledger_including_removed_topics_and_assumed_costs() {
    let service = FakeServer::respond_with(|path| {
        let (cost, body): (&str, &[u8]) = if path.contains("web") {
            (
                "x-desearch-cost-usd: 0.002\r\n",
                br#"{"results": [{"title": "A page", "url": "https://a.example/page"}]}"#,
            )
        } else {
            ("", br#"{"results": [{"text": "one plain text of somebody, long enough to be told apart"}]}"#)
        };
        reply("200 OK", &format!("content-type: application/json\r\n{cost}"), body)
    });
    for database in databases() {
        let acme = format!("{TOPIC}sources = [\"social\", \"web\"]\n");
        let globex = "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"social\"]\n";
        let lines = format!("{}prices.social = 0.003\n", service.lines());
        let place = Place::new(database, &lines, &format!("{acme}{globex}"));
        let name = place.database.name;
        let once = place.json(&["once", "--json", "--at", NINE]);
        let (sums, searches) = (&once["sums"], &once["runs"][0]["searches"]);
        assert_eq!((&sums["cost_usd"], &sums["assumed_usd"]), (&0.008.into(), &0.006.into()), "{name}: {once:#}");
        assert_eq!(
            (&searches[0]["assumed_usd"], &searches[1]["assumed_usd"]),
            (&0.003.into(), &0.0.into()),
            "{name}: {once:#}"
        );
        place.run(&["once", "--at", NINE]).assert_stdout(0, &[" · cost $0.008 ($0.006 assumed)\n"]);
        place
            .run(&["status", "--at", NINE])
            .assert_stdout(0, &["6 of 500 calls today (UTC), $0.016 ($0.012 assumed) · "]);
        let status = place.json(&["status", "--json", "--at", NINE]);
        assert_eq!((&status["cost_usd"], &status["assumed_usd"]), (&0.016.into(), &0.012.into()), "{name}: {status}");

        place.configure(&lines, &acme);
        let report = |more: &[&str], out: &str| {
            let args = ["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", out];
            place.ok(&[&args[..], more].concat());
            std::fs::read_to_string(place.path(out)).unwrap()
        };
        let total = "Searches cost $0.016 ($0.012 assumed). Removed topics: $0.006 of it.";
        let (text, page) = (report(&[], "all.md"), report(&[], "all.html"));
        assert!(text.contains(total) && page.contains(total), "{name}: {text}");
        let ledger = "SELECT CAST(round(sum(coalesce(cost_usd, expected_cost_usd)) * 1000) AS BIGINT) FROM v_search";
        assert_eq!(place.database.number(ledger), 16, "{name}");
        for source in ["social: last ok, 03-11 09:00; 0 of 2 failed; $0.006 (assumed)\n", "0 of 2 failed; $0.004\n"] {
            assert!(text.contains(source), "{name}: {source}\n{text}");
        }
        assert!(page.contains("$0.010<br>($0.006 assumed)</td>"), "{name}: {page}");
        let alone = report(&["--topic", "acme"], "one.md");
        assert!(
            alone.contains("Searches cost $0.010 ($0.006 assumed).") && !alone.contains("Removed topics"),
            "{name}: {alone}"
        );
        // All searches of a removed topic count, however many, including pruned ones.
        for (sql, total) in [
            (
                "INSERT INTO search (run, attempt, source, operation, query, state, started_at, cost, cost_basis) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= 20000) SELECT r.id, n.i, 'social', 'search', 'globex', 'ok', r.started_at, 1000, 'billed' FROM n CROSS JOIN run r WHERE r.topic = 'globex' AND r.seq = (SELECT max(seq) FROM v_run WHERE topic = 'globex')",
                "Searches cost $20.016 ($0.012 assumed). Removed topics: $20.006 of it.",
            ),
            (
                "INSERT INTO pruned_day (topic, day, runs, calls, cost) VALUES ('globex', 20523, 1, 1, 1000000)",
                "Searches cost $21.016. Removed topics: $21.006 of it. Some were pruned: it is not known how much of this was assumed.",
            ),
        ] {
            block_on(place.database.execute(sql));
            let text = report(&[], "more.md");
            assert!(text.contains(total), "{name}: {total}\n{text}");
        }
        // Its findings can be forgotten, but its cost stays in the ledger and in reports.
        place.ok(&["db", "forget", "--topic", "globex", "--yes"]);
        let text = report(&[], "forgotten.md");
        assert!(text.contains("Searches cost $21.016. Removed topics: $21.006 of it."), "{name}: {text}");
    }
}

#[test]
fn shares_based_on_full_replies_are_lower_bounds() {
    let service = FakeServer::respond_with(|_| {
        let page = |n: u32| format!(r#"{{"title": "Page {n}", "url": "https://a.example/{n}"}}"#);
        let body = format!(r#"{{"results": [{}]}}"#, (0..4).map(page).collect::<Vec<_>>().join(", "));
        reply("200 OK", "content-type: application/json\r\n", body.as_bytes())
    });
    for database in databases() {
        let globex = TOPIC.replace("\"acme", "\"globex").replace(" launch", "");
        let topics = format!("{TOPIC}sources = [\"web\"]\nweb.limit = 4\n{globex}sources = [\"web\"]\nweb.limit = 9\n");
        let place = Place::new(database, &service.lines(), &topics);
        place.ok(&["once", "--at", NINE]);
        let output = |out: &str| {
            place.ok(&["report", "--date", "2026-03-11", "--at", "2026-03-12T07:00:00Z", "--out", out]);
            std::fs::read_to_string(place.path(out)).unwrap()
        };
        let (page, text) = (output("a.html"), output("a.md"));
        let table = page.split("id=\"voice-caption\"").nth(1).unwrap().split("</table>").next().unwrap();
        for (topic, cell) in [("acme", "≥\u{a0}50% (≥\u{a0}4)"), ("globex", "≤\u{a0}50% (4)")] {
            let row = table.split("<tr>").find(|row| row.contains(&format!(">{topic}</a>"))).unwrap();
            assert_eq!(row.matches(&format!("<td class=\"n\">{cell}</td>")).count(), 2, "{row}");
            assert!(text.contains(&format!("\n| {topic} | {cell} | {cell} | unknown |")), "{text}");
        }
    }
}

/// Regression: the key was redacted from the name of the sandbox mark, and invented findings passed for real ones.
#[test]
fn a_key_equal_to_a_word_of_the_sandbox_mark_redacts_nothing() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(crate::support::databases::sqlite(), &sandbox.lines(), TOPIC);
    let ended = place.program(&["once", "--at", NINE]).env("TOPICWATCH_API_KEY", "sandbox").run();
    assert_eq!(ended.code, Some(0), "{ended}");
    assert_eq!(place.database.texts("SELECT value FROM store_info WHERE name = 'nature'"), ["sandbox"]);
}

#[test]
fn charts_mark_a_changed_query_and_nothing_is_compared_across_it() {
    for database in databases() {
        let sandbox = Sandbox::at("2026-03-13T09:00:00Z", &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        for at in [NINE, "2026-03-12T09:00:00Z"] {
            place.ok(&["once", "--at", at]);
        }
        place.configure(&sandbox.lines(), &TOPIC.replace("acme launch", "acme recall"));
        place.ok(&["once", "--at", "2026-03-13T09:00:00Z"]);
        let report = |date: &str| place.ok(&["report", "--date", date, "--at", "2026-03-14T07:00:00Z", "--out", "-"]);
        let page = report("2026-03-13");
        for reported in
            ["The query changed here", "the query changed on 2026-03-13 09:00", "not compared: the query changed"]
        {
            assert!(page.contains(reported), "{reported}\n{page}");
        }
        let earlier = report("2026-03-12");
        assert!(!earlier.contains("query changed on") && !earlier.contains("query changed here"), "it came later");
    }
}

#[test]
fn a_report_without_data_says_so() {
    let sandbox = Sandbox::at(NINE, &[]);
    let place = Place::new(
        crate::support::databases::sqlite(),
        &sandbox.lines(),
        &format!("{TOPIC}\n[[topics]]\nid = \"late\"\nquery = \"x\"\n"),
    );
    place.ok(&["once", "--topic", "acme", "--at", NINE]);
    let page = place.ok(&["report", "--at", "2026-03-12T07:00:00Z", "--out", "-"]);
    assert!(
        page.contains("has not been run yet")
            && page.contains("This topic has not been run yet: there is nothing to report."),
        "{page}"
    );
    assert!(
        page.contains("data-label=\"Items\">–<") && !page.contains("#t-late.rows"),
        "every link has a target: {page}"
    );
    let early = place.ok(&["report", "--date", "2026-02-01", "--at", "2026-03-12T07:00:00Z", "--out", "-"]);
    assert!(early.contains("No searches were made in the period."), "{early}");
}
