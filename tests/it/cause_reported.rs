//! The cause of an unusual day in reports and alerts, through the binary on both databases. `cause_accuracy` measures how often
//! causes are right.

use serde_json::{Value, json};

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::receivers::WebhookServer;
use crate::support::world::{ScriptedService, hour, run_once};

/// Words that no other post contains.
fn unique_words(seed: u32) -> String {
    let word =
        |n: u32| format!("{:x}", (seed + 1).wrapping_mul(2_654_435_761).rotate_left(n * 5) ^ n.wrapping_mul(40_503));
    (0..7).map(word).collect::<Vec<_>>().join(" ")
}

fn post_by(id: u32, at: u32, author: &str, text: &str) -> Value {
    json!({ "id": id.to_string(), "text": text, "user": author, "created_at": hour(at), "like_count": 1,
        "url": format!("https://x.com/a/status/{id}") })
}

/// Posts by different people with different texts.
fn posts(first: u32, many: u32, at: u32, mood: &str) -> Vec<Value> {
    (first..first + many)
        .map(|id| post_by(id, at, &format!("author{}", id % 40), &format!("{mood} acme {}", unique_words(id))))
        .collect()
}

fn pages(first: u32, many: u32, at: u32, mood: &str) -> Vec<Value> {
    let page = |id: u32| {
        json!({ "title": format!("{mood} acme {}", unique_words(id)), "url": format!("https://a.example/{id}"), "snippet": unique_words(id + 7),
            "date": hour(at) })
    };
    (first..first + many).map(page).collect()
}

/// Posts by different people with different texts that share one new word.
fn recalls(first: u32, many: u32, at: u32) -> Vec<Value> {
    let post =
        |id: u32| post_by(id, at, &format!("author{}", id % 40), &format!("{HAPPY} acme recall {}", unique_words(id)));
    (first..first + many).map(post).collect()
}

const HAPPY: &str = "I love it, what a great";
const ANGRY: &str = "this is terrible, I hate it, the worst and most awful acme of all times, avoid it";
const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\", \"web\"]\nevery = \"24h\"\n";

/// Many copies of one text, each by another author.
fn copies(first: u32, many: u32, at: u32) -> Vec<Value> {
    (first..first + many).map(|id| post_by(id, at, &format!("copier{id}"), ANGRY)).collect()
}

/// The posts and pages of a day in addition to the usual ones.
type Day = fn(u32) -> (Vec<Value>, Vec<Value>);

/// Two weeks of similar days.
fn place_after_two_weeks(world: &ScriptedService) -> Place {
    let place = Place::new(sqlite(), &world.lines(), TOPIC);
    for day in 0..14 {
        let (first, at) = (1 + day * 1_000, day * 24 + 9);
        world.set_posts(&posts(first, 22 + day % 3, at, HAPPY));
        world.set_pages(&pages(first + 500, 12 + day % 2, at, HAPPY));
        run_once(&place, day * 24 + 24);
    }
    place
}

/// The report of a day with these posts and pages, after two weeks of similar days.
fn report(place: &Place, world: &ScriptedService, day: Day) -> String {
    let (posts, pages) = day(14 * 24 + 9);
    world.set_posts(&posts);
    world.set_pages(&pages);
    run_once(place, 15 * 24);
    place.ok(&["report", "--date", "2026-03-25", "--at", "2026-03-26T06:00:00Z", "--out", "told.md"]);
    // Undoes the escapes of brackets and mentions in Markdown.
    std::fs::read_to_string(place.path("told.md")).unwrap().replace('\\', "").replace("&#64;", "@")
}

#[test]
fn a_report_names_the_cause_of_an_unusual_day() {
    let cases: [(&str, Day, &[&str], bool); 7] = [
        (
            "one text",
            |at| ([posts(20_001, 23, at, HAPPY), copies(30_001, 45, at)].concat(), pages(20_501, 12, at, HAPPY)),
            &[
                " comes from one text by 45 authors, “this is terrible, I hate it, the worst and most awful acme",
                "(45 items); without it, the number is as usual.",
                "(45 of 45 sound negative); without it, the share is as usual.",
            ],
            true,
        ),
        (
            "one source",
            |at| (posts(20_001, 23, at, HAPPY), pages(20_501, 70, at, HAPPY)),
            &[" comes from items found only by web (70 items, ", " expected); without it, the number is as usual."],
            true,
        ),
        (
            "one author",
            |at| {
                let ann = (40_001..40_051)
                    .map(|id| post_by(id, at, "AnnOften", &format!("{HAPPY} acme {}", unique_words(id))));
                (posts(20_001, 23, at, HAPPY).into_iter().chain(ann).collect(), pages(20_501, 12, at, HAPPY))
            },
            &[" comes from @AnnOften (50 items, 0 expected); without it, the number is as usual."],
            true,
        ),
        (
            "one term",
            |at| ([posts(20_001, 23, at, HAPPY), recalls(40_001, 60, at)].concat(), pages(20_501, 12, at, HAPPY)),
            &[" comes from items with “recall” (60 items, 0 expected)"],
            true,
        ),
        (
            "one term, where one source has over nine tenths of the items",
            |at| ([posts(20_001, 60, at, HAPPY), recalls(40_001, 70, at)].concat(), pages(20_501, 5, at, HAPPY)),
            &[" comes from items with “recall” (70 items, 0 expected)"],
            true,
        ),
        ("everything", |at| (posts(20_001, 75, at, HAPPY), pages(20_501, 40, at, HAPPY)), &["times the usual"], false),
        ("nothing unusual", |at| (posts(20_001, 23, at, HAPPY), pages(20_501, 12, at, HAPPY)), &["12"], false),
    ];
    let world = ScriptedService::new();
    let before = place_after_two_weeks(&world);
    for (name, day, expected, named) in cases {
        let mut reported = Vec::new();
        for database in databases() {
            let of = database.name;
            let text = report(&before.copy_to(database), &world, day);
            for words in expected {
                assert!(text.contains(words), "{name} on {of}: {words}\n{text}");
            }
            assert_eq!(text.contains(" comes from "), named, "{name} on {of}: {text}");
            reported.push(text);
        }
        assert!(reported.iter().all(|text| *text == reported[0]), "{name}");
    }
}

/// Another source may have shown the items in a run that keeps only first and last sightings.
#[test]
fn a_report_names_no_only_source_where_runs_were_thinned() {
    let world = ScriptedService::new();
    let before = place_after_two_weeks(&world);
    for database in databases() {
        let name = database.name;
        let place = before.copy_to(database);
        let day: Day = |at| (posts(20_001, 23, at, HAPPY), pages(20_501, 70, at, HAPPY));
        let text = report(&place, &world, day);
        assert!(text.contains("items found only by web"), "{name}: {text}");
        for at in [15 * 24 + 1, 15 * 24 + 2] {
            run_once(&place, at);
        }
        place.ok(&["db", "prune", "--at", "2026-07-01T00:00:00Z"]);
        assert!(place.database.number("SELECT count(*) FROM v_run WHERE thinned = 1") > 0, "{name}");
        place.ok(&["report", "--date", "2026-03-25", "--at", "2026-03-26T06:00:00Z", "--out", "later.md"]);
        let text = std::fs::read_to_string(place.path("later.md")).unwrap();
        assert!(text.contains("times the usual number") && !text.contains("found only by"), "{name}: {text}");
    }
}

const HOOK: &str = "[[channels]]\nname = \"hook\"\nkind = \"webhook\"\nurl_env = \"HOOK_URL\"\nallow_private = true\n";

/// Runs all due jobs, and returns the events of the messages about them.
fn run_due(place: &Place, at: &str) -> Vec<Value> {
    let hook = WebhookServer::accepting();
    let ended = place.program(&["once", "--due", "--at", at]).env("HOOK_URL", &hook.url()).run();
    assert_eq!(ended.code, Some(0), "{ended}");
    hook.received().iter().flat_map(|got| got.json()["data"]["events"].as_array().unwrap().clone()).collect()
}

/// Ten days that are alike at an hour, with an alert that does not fire.
fn place_after_ten_equal_days(world: &ScriptedService, rule: &str) -> Place {
    let alert = format!(
        "[[alerts]]\nname = \"a\"\nchannels = [\"hook\"]\nrule = \"{rule}\"\nwindow = \"1h\"\nmin = 5\ncooldown = \"0s\"\n"
    );
    let place = Place::new(sqlite(), &world.lines(), &format!("{TOPIC}{alert}{HOOK}"));
    for day in 0..10 {
        let (first, at) = (1 + day * 1_000, day * 24);
        world.set_posts(&posts(first, 12 + day % 3, at, HAPPY));
        world.set_pages(&pages(first + 500, 8 + day % 2, at, HAPPY));
        run_once(&place, at);
    }
    assert_eq!(run_due(&place, &hour(24 * 9)), Vec::<Value>::new());
    place
}

/// The events of the alert for the next hour, with these posts and pages.
fn events(place: &Place, world: &ScriptedService, day: Day) -> Vec<Value> {
    let (posts, pages) = day(240);
    world.set_posts(&posts);
    world.set_pages(&pages);
    run_once(place, 240);
    run_due(place, "2026-03-21T00:00:01Z")
}

#[test]
fn an_alert_names_the_cause_of_an_unusual_window() {
    // Near-copies count once for a volume, so copies cause no rise. A changed tone can have one text as its cause.
    let cases: [(&str, &str, Day, Option<&str>); 6] = [
        (
            "volume",
            "one source",
            |at| (posts(20_001, 13, at, HAPPY), pages(20_501, 60, at, HAPPY)),
            Some(" comes from items found only by web (60 items, "),
        ),
        (
            "volume",
            "one author",
            |at| {
                let ann = (40_001..40_061)
                    .map(|id| post_by(id, at, "AnnOften", &format!("{HAPPY} acme {}", unique_words(id))));
                (posts(20_001, 13, at, HAPPY).into_iter().chain(ann).collect(), pages(20_501, 8, at, HAPPY))
            },
            Some(" comes from @AnnOften (60 items, 0 expected); without it, the number is as usual"),
        ),
        (
            "volume",
            "one term",
            |at| ([posts(20_001, 13, at, HAPPY), recalls(40_001, 60, at)].concat(), pages(20_501, 8, at, HAPPY)),
            Some(" comes from items with “recall” (60 items, 0 expected)"),
        ),
        ("volume", "everything", |at| (posts(20_001, 60, at, HAPPY), pages(20_501, 40, at, HAPPY)), None),
        (
            "negative",
            "one text",
            |at| ([posts(20_001, 13, at, HAPPY), copies(30_001, 45, at)].concat(), pages(20_501, 8, at, HAPPY)),
            Some(" comes from one text by 45 authors (45 of 45 sound negative); without it, the share is as usual"),
        ),
        ("negative", "everything", |at| (posts(20_001, 13, at, ANGRY), pages(20_501, 8, at, ANGRY)), None),
    ];
    let world = ScriptedService::new();
    let before = ["volume", "negative"].map(|rule| (rule, place_after_ten_equal_days(&world, rule)));
    for (rule, name, day, expected) in cases {
        let (_, before) = before.iter().find(|(of, _)| *of == rule).unwrap();
        for database in databases() {
            let of = database.name;
            let events = events(&before.copy_to(database), &world, day);
            assert_eq!(events.len(), 1, "{rule}, {name} on {of}: {events:?}");
            let summary = events[0]["summary"].as_str().unwrap();
            match expected {
                Some(words) => assert!(summary.contains(words), "{rule}, {name} on {of}: {summary}"),
                None => assert!(!summary.contains(" comes from "), "{rule}, {name} on {of}: {summary}"),
            }
            if rule == "negative" && expected.is_some() {
                let line = events[0]["lines"][0]["text"].as_str().unwrap();
                assert_eq!(line, format!("@copier30001: {ANGRY}"), "the text is the first line");
            }
        }
    }
}
