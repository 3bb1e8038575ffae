//! Reports of topics with more items than are read: days that were read only in part are marked, and not compared.

use serde_json::Value;

use crate::support::databases::databases;
use crate::support::program::Place;
use crate::support::world::{ScriptedService, post, run_once};

/// Three posts a day at ten, found at noon.
fn days(world: &ScriptedService, place: &Place, many: u32) {
    for day in 0..many {
        let posts = (0..3).map(|k| post(day * 100 + k, day * 24 + 10, &format!("{day} {k} acme words"), 1));
        world.set_posts(&posts.collect::<Vec<Value>>());
        run_once(place, day * 24 + 12);
    }
}

/// A report that reads at most eight items of each topic.
fn report(place: &Place, period: &[&str], at: &str) -> (String, String) {
    let made = |name: &str| {
        let args = [&["report", "--at", at, "--out", name], period].concat();
        let ended = place.program(&args).env("TOPICWATCH_TEST_BOUND", "report/items=8").run();
        assert_eq!(ended.code, Some(0), "{ended}");
        std::fs::read_to_string(place.path(name)).unwrap().replace('\u{a0}', " ")
    };
    (made("told.md"), made("told.html"))
}

#[test]
fn a_day_with_unread_items_is_a_lower_bound_and_not_compared() {
    for database in databases() {
        let world = ScriptedService::new();
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\n";
        let place = Place::new(database, &world.lines(), topic);
        days(&world, &place, 10);
        // Eight of the nine posts of the last three days are read.
        let (text, page) = report(&place, &["--date", "2026-03-19"], "2026-03-20T13:00:00Z");
        let name = place.database.name;
        assert!(text.contains("**3** items, "), "{name}: {text}");
        let told = "Day before (Wednesday 03-18): not compared, more items than can be read at once. \
                    Week before (Thursday 03-12): not compared, more items than can be read at once.";
        assert!(text.contains(told) && page.contains(told), "{name}: {text}");
        for row in ["| 2026-03-12 | ≥ 0 | ≥ 0 | ", "| 2026-03-18 | ≥ 2 | ≥ 2 | ", "| 2026-03-19 | 3 | 3 | "] {
            assert!(text.contains(row), "{name}: {row}: {text}");
        }
        let why = "≥: there may be more, because the topic was not watched yet, or there are more items than can be \
                   read at once.";
        assert!(page.contains(why), "{name}: {page}");
    }
}

#[test]
fn shares_of_voice_of_a_day_with_unread_items_are_estimates() {
    for database in databases() {
        let world = ScriptedService::new();
        let topic = |id: &str| format!("[[topics]]\nid = \"{id}\"\nquery = \"acme\"\nsources = [\"social\"]\n");
        let place = Place::new(database, &world.lines(), &(topic("acme") + &topic("bolt")));
        days(&world, &place, 6);
        let (text, _) = report(&place, &["--week", "2026-W11"], "2026-03-16T13:00:00Z");
        let row = "| 2026-03-14 | ≈ 50% (≥ 2) | ≈ 50% (≥ 2) | ≥ 4 | ";
        assert!(text.contains(row), "{}: {text}", place.database.name);
    }
}
