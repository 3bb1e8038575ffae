//! Posts unrelated to the query, through the binary on both databases: a service with known ground truth returns
//! related posts for a month, except on two days.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use topicwatch::model::Time;

use crate::support::databases::{databases, sqlite};
use crate::support::program::Place;
use crate::support::truth::{TruePost, TruthService};
use crate::support::world::{ScriptedService, hour, post, run_once, topic};

const DAY: i64 = 86_400_000;
/// 2026-03-02T00:00:00Z, a Monday.
const BEGIN: i64 = 1_772_409_600_000;
const DAYS: i64 = 22;
/// The days on which the service returns unrelated posts.
const ASTRAY: [i64; 2] = [18, 21];

/// About 50 posts a day for each topic. For "acme rockets" one post in ten contains neither word, and on the days
/// astray none does. For the vague query hardly any post contains its words on any day.
fn stream() -> Vec<TruePost> {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut posts = Vec::new();
    for query in ["acme rockets", "vague question"] {
        for day in 0..DAYS {
            let astray = query == "acme rockets" && ASTRAY.contains(&day);
            let many = if astray { 150 } else { 45 + random.next_u32() % 11 };
            for n in 0..many {
                let at = Time(BEGIN + day * DAY + i64::from(random.next_u32() % 86_000) * 1_000);
                let id = posts.len() as u64 + 1;
                let number = random.next_u64();
                let text = match (query, astray) {
                    ("acme rockets", false) if n % 10 > 0 => {
                        format!("{} {number:x}", ["ACME is late", "a rocket", "#AcmeRockets rise"][n as usize % 3])
                    }
                    ("vague question", _) if n % 10 == 0 => format!("a question {number:x}"),
                    _ => format!("somebody sells shoes {number:x}"),
                };
                posts.push(TruePost { query: query.to_owned(), id, text, published: at, indexed: at, deleted: None });
            }
        }
    }
    posts
}

#[test]
fn a_day_of_unrelated_posts_makes_one_sentence_and_no_news_terms() {
    let truth = TruthService::new(stream());
    let topics = "[[topics]]\nid = \"acme\"\nquery = \"acme rockets\"\nsources = [\"social\"]\n\
                  [[topics]]\nid = \"vague\"\nquery = \"vague question\"\nsources = [\"social\"]\n";
    let runs = Place::new(sqlite(), &truth.lines(), topics);
    let run = |place: &Place, day: i64| {
        let now = Time(BEGIN + day * DAY);
        truth.set(|world| world.now = now);
        place.ok(&["once", "--at", &now.to_string()]);
    };
    // From the day before the posts about something else, each database makes its own runs.
    let parted = ASTRAY[0];
    (1..parted).for_each(|day| run(&runs, day));
    for database in databases() {
        let place = runs.copy_to(database);
        (parted..=DAYS).for_each(|day| run(&place, day));
        let reported = |day: i64, file: &str| {
            let (date, at) =
                (Time(BEGIN + day * DAY).utc_date(), Time(BEGIN + (day + 1) * DAY + 3_600_000).to_string());
            place.ok(&["report", "--date", &date, "--at", &at, "--out", file]);
            std::fs::read_to_string(place.path(file)).unwrap()
        };
        for day in 15..DAYS {
            let text = reported(day, "day.md");
            let matters = text.split("## Share of voice").next().unwrap();
            let astray = ASTRAY.contains(&day);
            let sentence = matters.contains("150 of 150 posts contain no word of the query \\(");
            assert_eq!(sentence, astray, "day {day}: {text}");
            for kind in ["(volume)", "(tone)"] {
                assert!(!matters.contains(&format!("**acme** {kind}")), "day {day}: {text}");
            }
            let standing = text.contains("; not compared: most posts contain no word of the query");
            assert_eq!(standing, astray, "day {day}: {text}");
            // It is shown next to the share of voice; for a topic where this is normal, it is not news.
            let voice = text.split("## Share of voice").nth(1).unwrap().split("\n## ").next().unwrap();
            assert_eq!(voice.contains("acme: 150 of 150 posts"), astray, "day {day}: {text}");
            assert!(voice.contains("vague: ") && !matters.contains("vague** (relevance)"), "day {day}: {text}");
        }
        let page = reported(ASTRAY[1], "day.html");
        assert!(page.matches("150 of 150 posts contain no word of the query").count() >= 3, "{page}");
    }
}

#[test]
fn unrelated_posts_are_counted_among_the_latest_checked_ones() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), &topic("rockets", ""));
        // A report checks 1,000 posts of a period.
        for n in 0..2 {
            let posts = (0..600).map(|k| post(1_000 * n + k, 5 + n, &format!("{n} {k} is something else"), 1));
            world.set_posts(&posts.collect::<Vec<_>>());
            run_once(&place, 6 + n);
        }
        place.ok(&["report", "--date", "2026-03-11", "--at", &hour(30), "--out", "day.md"]);
        let text = std::fs::read_to_string(place.path("day.md")).unwrap();
        assert!(text.contains("≥\u{a0}1,200** items"), "{}: {text}", place.database.name);
        let sentence = "1,000 of the latest 1,000 posts contain no word of the query: check them before you quote.";
        assert_eq!(text.matches(sentence).count(), 2, "{}: {text}", place.database.name);
    }
}
