//! Reports, pages and exports for time that no search has covered yet, through the binary on both databases: counts are
//! lower bounds, nothing is called covered or usual, and the last minutes, whose posts are not indexed yet, are no gap.

use serde_json::Value;

use crate::support::access_stage::{Visitor, add_share_link, add_token};
use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::web_client::{Pages, without_links};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

const GLOBEX: &str = "[[topics]]\nid = \"globex\"\nquery = \"globex\"\nsources = [\"social\"]\n";

/// Posts of the day before an hour, none a near-copy of another.
fn posts(before: u32, many: u32) -> Vec<Value> {
    let words = |id: u32| (0..8).map(|at| format!("z{}", (id * 7_919 + at * 13) % 9_973)).collect::<Vec<_>>().join(" ");
    let one =
        |n: u32| post(before * 100 + n, before - 1 - n % 17, &format!("acme globex {}", words(before * 100 + n)), 0);
    (0..many).map(one).collect()
}

fn row<'a>(page: &'a str, caption: &str, topic: &str) -> &'a str {
    let table = page.split(caption).nth(1).unwrap_or_else(|| panic!("{caption}: {page}")).split("</table>").next();
    table.unwrap().split("<tr>").find(|row| row.contains(&format!(">{topic}</a>"))).unwrap()
}

#[test]
fn a_day_searched_only_until_the_evening_is_not_called_covered() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &format!("{}{GLOBEX}", topic("acme", "")));
        let name = place.database.name;
        // Every evening at six, and the other topic once more on the morning after the last evening.
        for day in 0..15 {
            world.set_posts(&posts(24 * day + 18, 18));
            run_once(&place, 24 * day + 18);
        }
        place.ok(&["once", "--topic", "globex", "--at", &hour(15 * 24 + 6)]);
        let report = |out: &str| {
            place.ok(&["report", "--date", "2026-03-25", "--at", &hour(15 * 24 + 7), "--out", out]);
            std::fs::read_to_string(place.path(out)).unwrap()
        };
        // Markdown characters in our own text are escaped, too.
        let (page, text) = (report("day.html"), report("day.md").replace('\\', ""));
        let reported = text.split("\n## acme").nth(1).unwrap();
        assert!(reported.contains("Not covered yet: 6h 5m from 03-25 17:55"), "{name}: {reported}");
        assert!(reported.contains("**≥\u{a0}18** items, **≥\u{a0}18** unique, ≥\u{a0}3 authors"), "{name}: {reported}");
        assert!(reported.contains("; not judged: not all of it has been searched yet ("), "{name}: {reported}");
        assert!(reported.contains("| 2026-03-25 | ≥\u{a0}18 | ≥\u{a0}18 | ≥\u{a0}3 |"), "{name}: {reported}");
        assert!(
            reported.lines().any(|line| line.starts_with("| 2026-03-25 |") && line.ends_with(" 75% |")),
            "{reported}"
        );
        for text in [&page, &text] {
            for unjudged in ["volume of acme (not all of it", "coverage of acme (not all of it has been searched yet)"]
            {
                assert!(text.contains(unjudged), "{name}: {unjudged}\n{text}");
            }
        }
        let overview = row(&page, "id=\"overview-caption\"", "acme");
        for cell in
            ["Covered\">75%<", "Unique\">≥\u{a0}18<", "Change\">not judged: not all of it has been searched yet<"]
        {
            assert!(overview.contains(cell), "{name}: {cell}\n{overview}");
        }
        // The other topic covered that whole day, and is compared.
        let whole = row(&page, "id=\"overview-caption\"", "globex");
        assert!(whole.contains("Covered\">100%<") && whole.contains("Unique\">18<"), "{name}: {whole}");
        assert!(whole.contains("Change\">as usual<"), "{name}: {whole}");
        assert!(text.contains("\n| acme | ≥\u{a0}50% (≥\u{a0}18) |"), "{name}: {text}");
        assert!(text.contains("\n| globex | ≤\u{a0}50% (18) |"), "{name}: {text}");
        // After the next search nothing is open.
        world.set_posts(&posts(15 * 24 + 18, 18));
        run_once(&place, 15 * 24 + 18);
        place.ok(&["report", "--date", "2026-03-25", "--at", &hour(15 * 24 + 19), "--out", "later.md"]);
        let later = std::fs::read_to_string(place.path("later.md")).unwrap();
        assert!(!later.contains("not all of it has been searched") && !later.contains('≥'), "{name}: {later}");
        assert!(later.contains("the period is covered"), "{name}: {later}");
    }
}

/// A topic's days in `export --what daily`: the day, covered seconds, number of holes.
fn days(place: &Place) -> Vec<(String, u64, u64)> {
    let rows = place.ok(&["export", "--what", "daily", "--format", "jsonl", "--out", "-"]);
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let number = |value: &Value| value.as_u64().unwrap();
    rows.map(|row| (row["day"].as_str().unwrap().to_owned(), number(&row["covered_s"]), number(&row["holes"])))
        .collect()
}

#[test]
fn the_last_minutes_before_a_search_are_not_a_hole() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let name = place.database.name;
        world.set_posts(&posts(7, 5));
        run_once(&place, 7);
        assert_eq!(days(&place), [("2026-03-11".to_owned(), (7 * 60 - 5) * 60, 0)], "{name}");
        let output = place.ok(&["coverage", "--since", "30d", "--at", &hour(7)]);
        assert!(output.contains("no gaps"), "{name}: {output}");
        world.set_posts(&posts(31, 5));
        run_once(&place, 31);
        let whole = ("2026-03-11".to_owned(), 24 * 3_600 - 300, 0);
        assert_eq!(days(&place), [whole, ("2026-03-12".to_owned(), (7 * 60 - 5) * 60, 0)], "{name}");
        // A pause does not make them a gap either.
        place.ok(&["topic", "pause", "acme"]);
        assert_eq!(days(&place)[1].2, 0, "{name}");
    }
}

#[test]
fn the_last_minutes_before_midnight_are_not_a_hole() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("acme", ""));
        let name = place.database.name;
        // More days than one report shows.
        for day in 1..17 {
            world.set_posts(&posts(24 * day, 5));
            run_once(&place, 24 * day);
        }
        let all = days(&place);
        assert_eq!(all.len(), 16, "{name}");
        assert!(all.iter().all(|(_, _, holes)| *holes == 0), "{name}: {all:?}");
        assert!(all[..14].iter().all(|(_, covered, _)| *covered == 86_400 - 300), "{name}: {all:?}");
    }
}

#[test]
fn counts_after_a_full_reply_are_lower_bounds_on_every_page() {
    for database in databases() {
        let world = ScriptedService::new();
        let full = topic("acme", "social.operation = \"basic\"\nsocial.limit = 5");
        let place = Place::new(database, &world.lines(), &full);
        let name = place.database.name;
        world.set_posts(&posts(7, 3));
        run_once(&place, 7);
        let (secret, _) = add_share_link(&place, &["--topic", "acme", "--for", "90h", "--at", &hour(9)]);
        let reader = add_token(&place, &["reader", "--role", "read"]);
        let see = |at: u32, path: &str| {
            let pages = Pages::serve(&place, &["--at", &hour(at)]);
            without_links(&if path == "/shared" {
                Visitor::Anonymous.request(&pages, 7, "GET", &format!("/shared/{secret}"), "").body_text()
            } else {
                Visitor::Bearer(&reader).request(&pages, 1, "GET", path, "").body_text()
            })
        };
        for path in ["/", "/topics/acme", "/runs", "/shared"] {
            let page = see(10, path);
            // The day before was watched for a part only.
            let page = page.split("id=\"days\"").next().unwrap();
            assert!(!page.contains('≥'), "{name}: {path}: no reply was full");
        }
        world.set_posts(&posts(30, 5));
        run_once(&place, 31);
        // A later run without a full reply does not show what the earlier one left out.
        world.set_posts(&posts(32, 1));
        run_once(&place, 32);
        let overview = see(33, "/");
        assert!(overview.contains("data-label=\"New, 24 h\">≥\u{a0}6<"), "{name}: {overview}");
        for path in ["/topics/acme", "/shared"] {
            let page = see(33, path);
            assert!(page.contains("<dt>New, 24 h</dt><dd>≥\u{a0}6</dd>"), "{name}: {path}: {page}");
            assert!(!page.contains("≥\u{a0}1 new item"), "{name}: the last run saw all: {page}");
        }
        let runs = see(33, "/runs");
        assert!(runs.contains("≥\u{a0}5 found = ≥\u{a0}5 new + 0 duplicate"), "{name}: {runs}");
        assert!(runs.contains("data-label=\"New\">≥\u{a0}5<") && runs.contains(" 1 found = 1 new"), "{name}: {runs}");
        world.set_posts(&posts(34, 5));
        run_once(&place, 34);
        let page = see(35, "/topics/acme");
        assert!(page.contains("≥\u{a0}5 new items"), "{name}: {page}");
        let run = place.database.last_run("acme");
        let progress = see(35, &format!("/progress/{run}"));
        assert!(progress.contains("≥\u{a0}5 found, ≥\u{a0}5 new, cost"), "{name}: {progress}");
        assert!(progress.contains("data-label=\"New\">≥\u{a0}5<"), "{name}: {progress}");
        // A full reply two days ago says nothing about the last day.
        world.set_posts(&posts(90, 1));
        run_once(&place, 90);
        assert!(see(91, "/").contains("data-label=\"New, 24 h\">1<"), "{name}");
    }
}
