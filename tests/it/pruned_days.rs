//! Days whose searches were pruned: earlier counts stay in `export --what daily` and in reports that are made again;
//! values never counted are empty and marked, never zero. Every case on both databases.

use serde_json::Value;

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::service::Sandbox;

const TOPIC: &str = "[retention]\nprune = \"never\"\nsightings = \"30d\"\nruns = \"30d\"\n\n[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\n";
const NOW: &str = "2026-03-11T09:00:00Z";

/// Runs at these times.
fn run_at(place: &Place, sandbox: &Sandbox, at: &[&str]) {
    for at in at {
        sandbox.set_clock(at);
        place.ok(&["once", "--at", at]);
    }
}

fn daily(place: &Place, more: &[&str]) -> Vec<Value> {
    let text = place.ok(&[&["export", "--what", "daily", "--format", "jsonl"], more].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn row_of_day<'a>(rows: &'a [Value], day: &str) -> &'a Value {
    rows.iter().find(|row| row["day"] == day).unwrap_or_else(|| panic!("no row of {day}"))
}

fn report(place: &Place, date: &str) -> (String, String) {
    let made = |name: &str| {
        place.ok(&["report", "--date", date, "--at", NOW, "--out", name]);
        std::fs::read_to_string(place.path(name)).unwrap()
    };
    (made("day.md"), made("day.html"))
}

#[test]
fn pruned_days_keep_their_counts_and_other_values_are_empty_and_marked() {
    let mut all = Vec::new();
    for database in databases() {
        let sandbox = Sandbox::at(NOW, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        let name = place.database.name;
        run_at(&place, &sandbox, &["2026-01-05T08:00:00Z", "2026-01-05T14:00:00Z", "2026-01-05T20:00:00Z"]);
        run_at(&place, &sandbox, &["2026-01-06T08:00:00Z", "2026-01-06T20:00:00Z", "2026-03-10T20:00:00Z", NOW]);
        let before = daily(&place, &[]);
        assert_eq!(row_of_day(&before, "2026-01-06")["runs"], 2, "{name}");
        let report_before = report(&place, "2026-01-06");
        place.ok(&["db", "prune", "--at", NOW]);
        let after = daily(&place, &[]);
        assert_eq!(after.len(), before.len(), "{name}");
        // The first answer stays, but the time between it and the kept runs is unknown, not a wait.
        let web = ["coverage", "acme", "--source", "web", "--since", "2026-01-01", "--at", NOW, "--json"];
        let web = &place.json(&web)["topics"][0]["sources"][0];
        assert_eq!(
            (web["checks"].as_array().unwrap().len(), &web["largest_distance_ms"]),
            (2, &(13 * 3_600_000).into()),
            "{name}: {web}"
        );
        const GONE: [&str; 13] = [
            "last_run",
            "social_answered",
            "social_failed",
            "web_answered",
            "web_failed",
            "ai_answered",
            "ai_failed",
            "saturated",
            "covered_share",
            "covered_s",
            "holes",
            "holes_s",
            "assumed_usd",
        ];
        for (before, after) in before.iter().zip(&after) {
            let (day, columns) = (before["day"].as_str().unwrap(), before.as_object().unwrap());
            let pruned = day <= "2026-01-06";
            assert_eq!(
                (&before["pruned"], &after["pruned"]),
                (&Value::from(false), &Value::from(pruned)),
                "{name} {day}"
            );
            for (column, value) in columns.iter().filter(|(column, _)| *column != "pruned") {
                let empty = pruned && GONE.contains(&column.as_str());
                let expected = if empty { &Value::Null } else { value };
                // It is unknown what pruned searches did not cover.
                let expected = if pruned && column == "at_least" { &Value::Bool(true) } else { expected };
                assert_eq!(&after[column], expected, "{name}: {column} of {day}");
            }
        }
        assert_ne!(row_of_day(&after, "2026-01-06")["cost_usd"], "0", "{name}: {after:?}");
        // Days with other boundaries than the counted ones.
        let zoned = daily(&place, &["--timezone", "Europe/Berlin"]);
        for day in ["2026-01-05", "2026-01-06"] {
            let row = row_of_day(&zoned, day);
            assert!(row["runs"].is_null() && row["calls"].is_null() && row["cost_usd"].is_null(), "{name}: {row}");
            assert_eq!(row["pruned"], true, "{name}");
        }
        assert_eq!(row_of_day(&zoned, "2026-03-10")["runs"], 1, "{name}");

        // The report of a pruned day starts with a note about it; the report of another day is unchanged.
        let (text, page) = report(&place, "2026-01-06");
        let first = text.lines().find(|line| line.starts_with("1. ")).unwrap();
        let cost =
            report_before.0.split("Searches cost ").nth(1).unwrap().split(". ").next().unwrap().lines().next().unwrap();
        let cost = cost.trim_end_matches('.');
        assert!(
            first.contains("are no longer known; counted before: 2 runs for")
                && first.contains(&cost.replace('.', "\\."))
                || first.contains(cost),
            "{name}: {first}"
        );
        assert!(text.contains(&format!("Searches cost {cost}")), "{name}\n{text}");
        for reported in [&text, &page] {
            assert!(
                !reported.contains("0% of the period") && !reported.contains("No searches were made"),
                "{name}\n{reported}"
            );
            assert!(reported.contains("not kept"), "{name}\n{reported}");
        }
        let kept = report(&place, "2026-03-10");
        assert!(
            !kept.0.contains("are no longer known;") && kept.0.contains("of the period covered"),
            "{name}\n{}",
            kept.0
        );
        all.push((after, text));
    }
    assert!(all.windows(2).all(|two| two[0] == two[1]), "the same on both databases");
}

#[test]
fn days_pruned_by_an_earlier_version_without_counts_are_empty() {
    for database in databases() {
        let sandbox = Sandbox::at(NOW, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        let name = place.database.name;
        run_at(&place, &sandbox, &["2026-01-05T08:00:00Z", "2026-01-05T14:00:00Z", "2026-01-06T20:00:00Z", NOW]);
        place.ok(&["db", "prune", "--at", NOW]);
        // As in a database from before these counts existed, which its upgrade marks.
        let older = "DELETE FROM pruned_day; INSERT INTO store_info (name, value) SELECT 'pruned_uncounted', value FROM store_info WHERE name = 'pruned_until'";
        crate::support::databases::block_on(place.database.execute(older));
        let rows = daily(&place, &[]);
        let row = row_of_day(&rows, "2026-01-05");
        for column in ["runs", "calls", "cost_usd", "covered_share", "holes", "social_answered"] {
            assert!(row[column].is_null(), "{name}: {column} {row}");
        }
        assert!(row["pruned"] == true && row["items"].is_number(), "{name}: {row}");
        assert_eq!(
            (&row_of_day(&rows, "2026-03-11")["runs"], &row_of_day(&rows, "2026-03-11")["pruned"]),
            (&Value::from(1), &Value::from(false))
        );
        let (text, _) = report(&place, "2026-01-05");
        let first = text.lines().find(|line| line.starts_with("1. ")).unwrap();
        assert!(first.contains("nor are the number and cost of its runs"), "{name}: {first}");
        assert!(
            text.contains("The cost of its searches is no longer known.") && !text.contains("$0.000"),
            "{name}\n{text}"
        );
    }
}

#[test]
fn pruning_adds_no_day_before_the_first_run_in_any_time_zone() {
    for database in databases() {
        let sandbox = Sandbox::at(NOW, &[]);
        let place = Place::new(database, &sandbox.lines(), TOPIC);
        // In New York the UTC day of the first run starts on the evening before.
        run_at(&place, &sandbox, &["2026-01-05T16:00:00Z", "2026-01-05T20:00:00Z", "2026-01-06T08:00:00Z", NOW]);
        let zones = ["UTC", "America/New_York", "Asia/Tokyo"];
        let days = |zone: &&str| -> Vec<Value> {
            daily(&place, &["--timezone", zone]).iter().map(|row| row["day"].clone()).collect()
        };
        let before: Vec<Vec<Value>> = zones.iter().map(days).collect();
        assert_eq!((&before[1][0], &before[2][0]), (&Value::from("2026-01-05"), &Value::from("2026-01-06")));
        place.ok(&["db", "prune", "--at", NOW]);
        assert_eq!(place.database.number("SELECT count(*) FROM pruned_day"), 2, "{}", place.database.name);
        let after: Vec<Vec<Value>> = zones.iter().map(days).collect();
        assert!(after == before, "{}: {after:?}", place.database.name);
    }
}

#[test]
fn lists_say_that_a_pruned_item_has_no_text() {
    let topic = TOPIC.replace("runs = \"30d\"", "items = \"30d\"\nruns = \"60d\"");
    for database in databases() {
        let sandbox = Sandbox::at(NOW, &[]);
        let place = Place::new(database, &sandbox.lines(), &topic);
        run_at(&place, &sandbox, &["2026-01-05T08:00:00Z"]);
        place.ok(&["items", "star", &place.database.first_key()]);
        let lists = [
            &["show", "acme"][..],
            &["items", "--limit", "1000"],
            &["items", "--starred"],
            &["items", "--topic", "acme", "--rank", "relevance"],
        ];
        for list in lists {
            assert!(!place.ok(list).contains("(no text)"), "{}: {list:?}", place.database.name);
        }
        place.ok(&["db", "prune", "--at", NOW]);
        for list in lists {
            place.run(list).assert_stdout(0, &["(no text)"]);
        }
    }
}
